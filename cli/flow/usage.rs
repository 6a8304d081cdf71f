//! What becomes of a result that is kept in a local, or taken apart by patterns: whether more than its error is looked at.

use super::combinators::{rewords, tells_plainly};
use super::events::{Usage, is_read, usage};
use super::walk;
use crate::ir::{Arm, BlockKind, Body, ExprId, ExprKind, LocalId, PatId, PatKind, Statement};

/// Mentions of a local that are looked at.
const MAX_MENTIONS: usize = 16;
/// Expressions of a body in which mentions are looked for.
const MAX_BODY: usize = 20_000;

/// Whether a pattern only tells `Ok` from `Err`: nothing of what came with `Ok` gets a name, but for a line of a log.
pub(super) fn tells_error_only(body: &Body, parents: &[Option<ExprId>], pat: PatId) -> bool {
    let is_unused = |inner: PatId| match body.pat(inner).kind {
        PatKind::Bind { local, inner: None } => is_only_told(body, parents, local),
        _ => is_nothing(body, inner),
    };
    match &body.pat(pat).kind {
        PatKind::Wild => true,
        PatKind::TupleStruct { path, elements, .. } => match path.of_option_or_result() {
            Some("Err") => true,
            Some("Ok") => elements.iter().all(|&inner| is_unused(inner)),
            _ => false,
        },
        PatKind::Or(choices) => choices.iter().all(|&choice| tells_error_only(body, parents, choice)),
        _ => false,
    }
}

fn is_nothing(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild => true,
        PatKind::Tuple(elements) => elements.is_empty(),
        _ => false,
    }
}

/// What becomes of a result that a local holds: what its mentions make of it.
pub(super) fn of_local(body: &Body, parents: &[Option<ExprId>], local: LocalId) -> Usage {
    if body.exprs.len() > MAX_BODY {
        return Usage::Used;
    }
    let mentions = |expr: &ExprKind| matches!(expr, ExprKind::Local(other) if *other == local);
    let found = (0..body.exprs.len()).map(|at| ExprId(at as u32)).filter(|&id| mentions(&body.expr(id).kind));
    let all: Vec<ExprId> = found.take(MAX_MENTIONS + 1).collect();
    if all.is_empty() || all.len() > MAX_MENTIONS {
        return Usage::Used;
    }
    let found: Vec<Usage> = all.iter().map(|&mention| usage(body, parents, mention)).collect();
    match found.as_slice() {
        // Futures that are made here and waited for there.
        [Usage::Dropped] => Usage::Dropped,
        all if all.iter().all(|usage| *usage == Usage::Checked) => Usage::Checked,
        _ => Usage::Used,
    }
}

/// Whether all that becomes of what a local holds is a line of a log: no mention of it, or of what is taken from it, decides
/// anything.
pub(super) fn is_only_told(body: &Body, parents: &[Option<ExprId>], local: LocalId) -> bool {
    if body.exprs.len() > MAX_BODY {
        return false;
    }
    let mut locals = vec![local];
    let mut next = 0;
    while let Some(&local) = locals.get(next) {
        next += 1;
        let mentions = (0..body.exprs.len()).map(|at| ExprId(at as u32));
        for mention in mentions.filter(|&id| matches!(body.expr(id).kind, ExprKind::Local(other) if other == local)) {
            match told(body, parents, mention) {
                Some(Told::InText) => {}
                Some(Told::Kept(other)) if locals.contains(&other) => {}
                Some(Told::Kept(other)) if locals.len() < MAX_MENTIONS => locals.push(other),
                _ => return false,
            }
        }
    }
    true
}

/// Whether nothing comes of an error but a line of a log: where the result is looked at, all arms go on alike.
pub(super) fn is_passed_over(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let mut open = vec![id];
    for _ in 0..MAX_MENTIONS {
        let Some(at) = open.pop() else {
            return true;
        };
        let Some(parent) = walk::parent(parents, at) else {
            return false;
        };
        let is_quiet = |arm: &ExprId| only_tells(body, *arm);
        match &body.expr(parent).kind {
            ExprKind::Await(_) => open.push(parent),
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "is_ok" | "is_err" => open.push(parent),
                name if rewords(name) => open.push(parent),
                _ => return false,
            },
            ExprKind::Let { value, .. } if *value == at => open.push(parent),
            ExprKind::If { condition, then, otherwise } if *condition == at => {
                if ![*then].iter().chain(otherwise).all(is_quiet) {
                    return false;
                }
            }
            ExprKind::Match { value, arms } if *value == at => {
                if !arms.iter().all(|arm| arm.guard.is_none() && is_quiet(&arm.body)) {
                    return false;
                }
            }
            ExprKind::Block(block) if body.exprs.len() <= MAX_BODY => {
                let Some(local) = kept_in(body, &block.statements, at) else {
                    return false;
                };
                let is_mention = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Local(other) if other == local);
                open.extend((0..body.exprs.len()).map(|at| ExprId(at as u32)).filter(is_mention));
            }
            _ => return false,
        }
    }
    false
}

/// Whether an expression gives nothing, decides nothing and writes no more than lines of a log.
fn only_tells(body: &Body, id: ExprId) -> bool {
    let mut open = vec![id];
    while let Some(at) = open.pop() {
        match &body.expr(at).kind {
            ExprKind::Format(format) if is_log(format.name.as_str()) => {}
            ExprKind::Tuple(elements) if elements.is_empty() => {}
            ExprKind::Block(block) => {
                for statement in &block.statements {
                    match statement {
                        Statement::Expr(id) => open.push(*id),
                        Statement::Let { .. } => return false,
                    }
                }
                open.extend(block.tail);
            }
            _ => return false,
        }
    }
    true
}

/// Whether what is left of a result, a truth or a value by default, only goes into a line of a log.
pub(super) fn is_flag_told(body: &Body, parents: &[Option<ExprId>], flag: ExprId) -> bool {
    let parent = walk::parent(parents, flag).map(|parent| (parent, &body.expr(parent).kind));
    match parent {
        // `result.map(|rows| rows == 1).unwrap_or(false)`
        Some((more, ExprKind::MethodCall(call))) if call.receiver == flag && tells_plainly(call.name.as_str()) => {
            walk::parent(parents, more).is_some_and(|block| is_kept_to_tell(body, parents, block, more))
        }
        Some((block, _)) => is_kept_to_tell(body, parents, block, flag),
        None => false,
    }
}

/// Whether a block keeps a value in a local that only a log has.
fn is_kept_to_tell(body: &Body, parents: &[Option<ExprId>], block: ExprId, value: ExprId) -> bool {
    let ExprKind::Block(block) = &body.expr(block).kind else {
        return false;
    };
    kept_in(body, &block.statements, value)
        .is_some_and(|local| is_read(body, local) && is_only_told(body, parents, local))
}

/// Whether an expression is `()`.
pub(super) fn is_unit(body: &Body, id: ExprId) -> bool {
    matches!(&body.expr(id).kind, ExprKind::Tuple(elements) if elements.is_empty())
}

/// Whether a function answers with what an expression gives, as it is, counted or compared: what it says its callers hear.
pub(crate) fn is_answer(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_MENTIONS {
        let Some(parent) = walk::parent(parents, at) else {
            return at == body.root;
        };
        at = match &body.expr(parent).kind {
            ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Not(_) | ExprKind::Field { .. } => parent,
            ExprKind::Cast { .. } | ExprKind::Binary { .. } | ExprKind::Return(_) => parent,
            ExprKind::MethodCall(call) if call.receiver == at => parent,
            ExprKind::Call { callee, .. } => match &body.expr(*callee).kind {
                ExprKind::Path(path) if matches!(path.of_option_or_result(), Some("Ok" | "Some")) => parent,
                _ => return false,
            },
            ExprKind::Block(block) if block.tail == Some(at) => parent,
            ExprKind::Block(block) => {
                if block.statements.iter().any(|of| matches!(of, Statement::Expr(id) if *id == at)) {
                    return matches!(body.expr(at).kind, ExprKind::Return(_));
                }
                let Some(local) = kept_in(body, &block.statements, at) else {
                    return false;
                };
                let is_mention = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Local(other) if other == local);
                let mut mentions = (0..body.exprs.len().min(MAX_BODY)).map(|at| ExprId(at as u32)).filter(is_mention);
                match (mentions.next(), mentions.next()) {
                    (Some(only), None) => only,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}

/// Where a mention of a value only goes.
enum Told {
    /// into a text that nobody takes: a log has it
    InText,
    /// by a method without arguments into another local
    Kept(LocalId),
}

fn told(body: &Body, parents: &[Option<ExprId>], mention: ExprId) -> Option<Told> {
    let mut at = mention;
    for _ in 0..MAX_MENTIONS {
        let parent = walk::parent(parents, at)?;
        match &body.expr(parent).kind {
            ExprKind::Format(format) if is_log(format.name.as_str()) => return Some(Told::InText),
            ExprKind::Format(_) => {
                let block = walk::parent(parents, parent)?;
                let alone = match &body.expr(block).kind {
                    ExprKind::Block(block) => {
                        block.statements.iter().any(|of| matches!(of, Statement::Expr(id) if *id == parent))
                    }
                    _ => false,
                };
                return alone.then_some(Told::InText);
            }
            ExprKind::MethodCall(call) if call.receiver == at && call.args.is_empty() => at = parent,
            ExprKind::Field { .. } | ExprKind::Deref(_) => at = parent,
            ExprKind::Block(block) => {
                return kept_in(body, &block.statements, at).map(Told::Kept);
            }
            _ => return None,
        }
    }
    None
}

/// Whether a macro only tells of what it is given, and gives nothing back.
fn is_log(name: &str) -> bool {
    matches!(name, "trace" | "debug" | "info" | "warn" | "error" | "event" | "println" | "eprintln")
}

/// The local that a value is kept in as a whole.
fn kept_in(body: &Body, statements: &[Statement], value: ExprId) -> Option<LocalId> {
    statements.iter().find_map(|statement| match statement {
        Statement::Let { pat, value: Some(given), .. } if *given == value => match body.pat(*pat).kind {
            PatKind::Bind { local, inner: None } => Some(local),
            _ => None,
        },
        _ => None,
    })
}

/// Whether a method hands on all results that its receiver holds: an iterator or a stream of futures in another order, or
/// in a collection.
pub(super) fn hands_all_on(name: &str) -> bool {
    matches!(
        name,
        "iter" | "into_iter" | "rev" | "chain" | "buffered" | "buffer_unordered" | "collect" | "collect_vec" | "boxed"
    )
}

/// Whether an expression is a step from one result to all of them: the closure that gives it, the adapter that runs the
/// closure for each of many, the call that waits for all.
pub(super) fn is_for_each_of_many(body: &Body, parents: &[Option<ExprId>], parent: ExprId, at: ExprId) -> bool {
    let adapted = |closure: ExprId| {
        let around = walk::parent(parents, closure)?;
        match &body.expr(around).kind {
            ExprKind::MethodCall(call) => {
                let maps = matches!(call.name.as_str(), "map" | "then" | "flat_map");
                (maps && call.args.first() == Some(&closure) && is_joined(body, parents, around, 0)).then_some(())
            }
            _ => None,
        }
    };
    match &body.expr(parent).kind {
        ExprKind::Closure(closure) => closure.body == at && adapted(parent).is_some(),
        ExprKind::MethodCall(call) => {
            matches!(body.expr(at).kind, ExprKind::Closure(_)) && call.args.first() == Some(&at)
        }
        ExprKind::Call { args, .. } => args[..] == [at] && waits_for_all(body, parent),
        _ => false,
    }
}

/// Whether a call waits for all futures that it is given.
fn waits_for_all(body: &Body, call: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = &body.expr(call).kind else {
        return false;
    };
    matches!(&body.expr(*callee).kind, ExprKind::Path(path) if path.segments.last().is_some_and(|last| {
        matches!(last.name.as_str(), "join_all" | "try_join_all" | "iter" | "from_iter")
    }))
}

/// Whether the futures that an adapter makes are waited for together: an iterator's `map` over an `Option` or a `Result`
/// says nothing of many.
fn is_joined(body: &Body, parents: &[Option<ExprId>], mut at: ExprId, depth: usize) -> bool {
    for _ in 0..MAX_MENTIONS {
        let Some(parent) = walk::parent(parents, at) else {
            return false;
        };
        match &body.expr(parent).kind {
            ExprKind::Call { .. } => return waits_for_all(body, parent),
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "buffered" | "buffer_unordered" => return true,
                name if hands_all_on(name) => at = parent,
                _ => return false,
            },
            ExprKind::Block(block) if block.kind != BlockKind::Async && depth == 0 => {
                let local = kept_in(body, &block.statements, at);
                let is_mention =
                    |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Local(other) if Some(other) == local);
                let mut mentions = (0..body.exprs.len().min(MAX_BODY)).map(|at| ExprId(at as u32)).filter(is_mention);
                let only = mentions.next().filter(|_| mentions.next().is_none());
                return local.is_some() && only.is_some_and(|only| is_joined(body, parents, only, depth + 1));
            }
            _ => return false,
        }
    }
    false
}

/// Whether an arm gives what is inside its pattern, as it is or by methods of it: `Ok(ids) => ids.into_iter().collect()`.
pub(super) fn is_taken_out(body: &Body, arm: &Arm) -> bool {
    let mut at = arm.body;
    let given = loop {
        match &body.expr(at).kind {
            ExprKind::MethodCall(call) => at = call.receiver,
            ExprKind::Local(given) => break *given,
            _ => return false,
        }
    };
    let mut locals = Vec::new();
    walk::bound_by(body, arm.pat, &mut locals);
    locals == [given]
}
