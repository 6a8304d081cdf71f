//! Collections in the memory of the process that tell repeats, and what is handed to other tasks.

use super::call::Site;
use super::dispatch::KEY_HEADER;
use super::eval::Eval;
use super::events::{EventKind, Role, Usage};
use super::sources::Sources;
use super::value::Kind;
use super::walk;
use super::words::normal;
use crate::ir::{Body, ExprId, ExprKind, LocalId, LoopKind, PatId, PatKind, Statement};
use crate::resolve::{Callee, Ty};

/// Calls and fields between a collection and what is asked of it.
const MAX_RECEIVER: usize = 12;

/// Records what is handed to another task of the process, and what a collection in memory is asked for.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>, usage: Usage) {
    if site.rows.channel.is_some() {
        let back = site.receiver.as_ref().is_some_and(|(id, _)| is_read_back(eval, *id));
        eval.event(EventKind::Handed { args: site.sources(), back }, site.span, site.name, usage);
        return;
    }
    let words = &eval.engine.catalog.words;
    let is = |names: &[String]| names.iter().any(|name| name == site.name.as_str());
    let insert = match (is(&words.remembering_calls), is(&words.recalling_calls)) {
        (true, _) => true,
        (_, true) => false,
        _ => return,
    };
    let Some(value) = site.args.first().map(Sources::of) else {
        return;
    };
    // A function of the workspace says itself where it puts the key.
    let keyed = !matches!(site.callee, Some(Callee::Functions(_)))
        && value.iter().any(|source| matches!(source.kind(), Kind::Input(name) if name.as_str() == KEY_HEADER));
    // A header map is asked for the header itself, which is a text.
    let Some((of, _)) = site.receiver.as_ref() else {
        return;
    };
    let words = &eval.engine.catalog.words;
    let named = |name: &str| words.dedup_names.iter().any(|word| super::has_word(&name.to_ascii_lowercase(), word));
    let known = memory(eval, *of, &named);
    let named = keyed || known.is_some();
    let handed = || value.iter().any(|source| matches!(source.kind(), Kind::Param(..)));
    if !(named || handed() && is_collection(eval, *of)) {
        return;
    }
    let held = known.and_then(|known| known.held).or_else(|| guard(eval, *of));
    eval.event(EventKind::Remembered { insert, value, held, named }, site.span, site.name, usage);
}

/// Whether a loop ends by itself: it takes one after the other off a list that the function has made, until that is empty, or
/// a local of the function says when what it waits for is done.
fn is_walk(body: &Body, id: ExprId) -> bool {
    let ExprKind::Loop(repeat) = &body.expr(id).kind else {
        return false;
    };
    let LoopKind::While(condition) = repeat.kind else {
        return false;
    };
    let own = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Local(local) if body.bound(local).is_some());
    match &body.expr(condition).kind {
        ExprKind::Local(_) => own(condition),
        ExprKind::Not(inner) => own(*inner),
        ExprKind::Let { value, .. } => match &body.expr(*value).kind {
            ExprKind::MethodCall(call) => own(call.receiver) && call.name.as_str().starts_with("pop"),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the other end of a channel is read where both ends were made, outside the task that hands something over.
fn is_read_back(eval: &Eval<'_, '_>, sender: ExprId) -> bool {
    let body = eval.body;
    let spawned = eval.regions.iter().rev().find(|region| matches!(region.role, Role::Spawned { .. }));
    let Some(task) = spawned.map(|region| body.expr(region.id).range) else {
        return false;
    };
    let mut at = sender;
    let mut ends = Vec::new();
    for _ in 0..MAX_RECEIVER {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) if call.name.as_str() == "clone" => call.receiver,
            ExprKind::Deref(inner) => *inner,
            ExprKind::Local(local) => match body.bound(*local) {
                Some(made) => made,
                None => match made_with(body, *local) {
                    Some(With::Value(value)) => value,
                    Some(With::Others(others)) => {
                        ends = others;
                        break;
                    }
                    None => break,
                },
            },
            _ => break,
        };
    }
    let reads = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Local(local) if ends.contains(&local));
    body.exprs.iter().filter(|expr| !task.covers(expr.range)).any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => call.name.as_str().contains("recv") && reads(call.receiver),
        ExprKind::Await(inner) => reads(*inner),
        _ => false,
    })
}

/// What a local of a tuple is bound with.
enum With {
    /// a value of its own: `let (a, b) = (x, y)`
    Value(ExprId),
    /// the other locals of one value: `let (sender, receiver) = channel()`
    Others(Vec<LocalId>),
}

fn made_with(body: &Body, local: LocalId) -> Option<With> {
    body.statements().find_map(|statement| {
        let Statement::Let { pat, value: Some(value), .. } = statement else {
            return None;
        };
        let PatKind::Tuple(elements) = &body.pat(*pat).kind else {
            return None;
        };
        let mut bound = Vec::new();
        walk::bound_by(body, *pat, &mut bound);
        if !bound.contains(&local) {
            return None;
        }
        let binds =
            |element: &PatId| matches!(body.pat(*element).kind, PatKind::Bind { local: other, .. } if other == local);
        match &body.expr(*value).kind {
            ExprKind::Tuple(values) => {
                elements.iter().position(binds).and_then(|at| values.get(at)).map(|&value| With::Value(value))
            }
            _ => {
                bound.retain(|other| *other != local);
                Some(With::Others(bound))
            }
        }
    })
}

/// A collection that outlives the call and is named after what was processed: a field of the object itself, a static or
/// what was handed over, behind whatever locks.
struct Memory {
    /// the collection, or the lock around it
    at: ExprId,
    /// the variable by which nobody else reaches it meanwhile
    held: Option<LocalId>,
}

/// The variable that holds the lock through which an expression is reached, whatever is behind it.
fn guard(eval: &Eval<'_, '_>, id: ExprId) -> Option<LocalId> {
    let locks = &eval.engine.catalog.words.lock_calls;
    let ExprKind::Local(local) = eval.body.expr(id).kind else {
        return None;
    };
    let mut held = local;
    let mut at = eval.body.bound(local)?;
    for _ in 0..MAX_RECEIVER {
        at = match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) if locks.iter().any(|name| name == call.name.as_str()) => return Some(held),
            ExprKind::Local(local) => {
                held = *local;
                eval.body.bound(*local)?
            }
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            _ => return None,
        };
    }
    None
}

/// The object itself, where a collection is a plain part of it and the function has it to itself: nobody else comes in between.
fn owned(eval: &Eval<'_, '_>, collection: ExprId, local: LocalId) -> Option<LocalId> {
    let alone = eval.function.is_some_and(|id| eval.engine.program.function(id).ir.alone_with_self);
    let plain = &eval.engine.catalog.words.plain_collections;
    let is_plain = || match eval.ty(collection) {
        Ty::External(path, _) => plain.iter().any(|known| known == path.as_str()),
        _ => false,
    };
    (alone && is_plain()).then_some(local)
}

/// Whether an expression is a collection that lives as long as the process and no longer, whatever it is called.
pub(super) fn is_collection(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let words = &eval.engine.catalog.words;
    let Some(known) = memory(eval, id, &|_| true) else {
        return false;
    };
    let ty = eval.ty(known.at);
    let is = |path: &str, list: &[String]| list.iter().any(|known| known == path);
    let shared = ty.mentions(&mut |path| is(path, &words.memory_types));
    let locks = ty.mentions(&mut |path| is(path, &words.lock_types));
    shared || locks && ty.mentions(&mut |path| is(path, &words.plain_collections))
}

/// Whether an expression is a cell of the process that is filled once.
pub(super) fn is_cell(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let cells = &eval.engine.catalog.words.cell_types;
    let known = memory(eval, id, &|_| true);
    known.is_some_and(|known| eval.ty(known.at).mentions(&mut |path| cells.iter().any(|cell| cell == path)))
}

/// Whether a loop that takes one thing after the other stands around this place, and a local was made in front of it.
fn takes_on(eval: &Eval<'_, '_>, local: LocalId) -> bool {
    let known = &eval.body.locals[local.0 as usize];
    eval.regions.iter().any(|region| {
        let around = eval.body.expr(region.id).range;
        let endless = matches!(region.role, Role::Each { endless: true, .. } | Role::Retry);
        endless && known.range.end <= around.start && !is_walk(eval.body, region.id)
    })
}

/// Whether what a method is called on is made for this run of the function: what it remembers, the next run never hears of.
pub(super) fn is_passing(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let local = site.receiver.as_ref().and_then(|(id, _)| match eval.body.expr(*id).kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    });
    local.is_some_and(|local| {
        let made = eval.body.bound(local);
        made.is_some_and(|made| matches!(eval.body.expr(made).kind, ExprKind::Call { .. })) && !takes_on(eval, local)
    })
}

/// The collection that an expression is, if its name is one of those asked for.
fn memory(eval: &Eval<'_, '_>, id: ExprId, named: &dyn Fn(&str) -> bool) -> Option<Memory> {
    let words = &eval.engine.catalog.words;
    let lives_in_memory = |id: ExprId| {
        let known = words.memory_types.iter().chain(&words.lock_types).chain(&words.cell_types);
        eval.ty(id).mentions(&mut |path| known.clone().any(|known| known == path))
    };
    let mut held = None;
    // the variable that the calls are on the way to
    let mut of = None;
    let mut at = id;
    for _ in 0..MAX_RECEIVER {
        match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                if words.lock_calls.iter().any(|name| name == call.name.as_str()) {
                    held = of.or(held);
                }
                at = call.receiver;
            }
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => at = *inner,
            ExprKind::Field { base, name } => {
                let self_of = |base: ExprId| match eval.body.expr(base).kind {
                    ExprKind::Local(local) if eval.body.locals[local.0 as usize].name.as_str() == "self" => Some(local),
                    _ => None,
                };
                let own = self_of(*base).is_some();
                let root = match &eval.body.expr(*base).kind {
                    ExprKind::Field { base, .. } => self_of(*base),
                    _ => self_of(*base),
                };
                let held = held.or_else(|| owned(eval, at, root?));
                // `ids` of `SeenEvents` is named after its owner
                let owner = eval.function.map(|id| &eval.engine.program.function(id).self_ty);
                let by_owner = || match owner {
                    Some(Ty::Adt(of, _)) => named(&normal(eval.engine.program.type_(*of).ir.name.as_str())),
                    _ => false,
                };
                // Of what was handed over, a row may have been read for this call: a lock or a cache in it is no part of one.
                let known = match own {
                    true => named(name.as_str()) || by_owner(),
                    false => named(name.as_str()) && lives_in_memory(at),
                };
                return known.then_some(Memory { at, held });
            }
            ExprKind::Path(path) => {
                let last = path.segments.last().map(|last| last.name.as_str());
                return last
                    .filter(|last| !last.contains(char::is_lowercase) && named(last))
                    .map(|_| Memory { at, held });
            }
            ExprKind::Local(local) => match eval.body.bound(*local) {
                // One that is made before a consumer's loop lives for as long as that, and belongs to it.
                Some(value) if matches!(eval.body.expr(value).kind, ExprKind::Call { .. }) => {
                    let name = eval.body.locals[local.0 as usize].name;
                    let known = takes_on(eval, *local) && named(name.as_str());
                    return known.then_some(Memory { at, held: Some(*local) });
                }
                Some(value) => {
                    of = Some(*local);
                    at = value;
                }
                None => {
                    let name = eval.body.locals[local.0 as usize].name;
                    return (named(name.as_str()) && lives_in_memory(at)).then_some(Memory { at, held });
                }
            },
            _ => return None,
        }
    }
    None
}
