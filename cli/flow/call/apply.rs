//! Functions of the workspace in the place of their calls: results, dispatches, events, closures.

use super::super::engine::Summary;
use super::super::eval::Eval;
use super::super::events::{Event, EventKind, Lift, Role, Usage};
use super::super::outcome::{self, Condition, made};
use super::super::sources::Arguments;
use super::super::uses::{self, Use, Way};
use super::super::value::{Alt, Atom, Note, Shape, Value};
use super::super::words::normal;
use super::super::{
    address, choices, dispatch, given, handed, handlers, has_word, instead, interfaces, operation, remembered, replies,
    shapes, taken_back, walk,
};
use super::combine::run_callable;
use super::{MAX_TARGETS, Site, above, around, once, retried};
use crate::catalog::Words;
use crate::ir::{Body, ExprId, ExprKind, Function, LocalId};
use crate::resolve::{Callee, FnId};
use crate::source::{Span, TextRange};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Follows a call into functions of the workspace.
pub(super) fn call_functions(eval: &mut Eval<'_, '_>, site: &Site<'_>, ids: &[FnId]) -> Value {
    let args = site.all_args();
    let arg_ids: Vec<_> = site.receiver.iter().map(|(id, _)| *id).chain(site.arg_ids.iter().copied()).collect();
    let mut out = Value::bottom();
    for &id in ids.iter().take(MAX_TARGETS) {
        let summary = eval.engine.summary(id);
        out = out.join(&apply(eval, site, id, &summary, &args, &arg_ids));
    }
    if ids.len() > MAX_TARGETS {
        out = out.join(&eval.opaque("too many implementations to follow", site.span));
    }
    out
}

/// Puts what a closure gave in the place of the closure: whoever calls it has that in hand.
fn stand_for(argument: &mut Value, result: &Value) {
    let is_closure = |alt: &Alt| matches!(alt.shape, Shape::Closure(_));
    if !result.is_bottom() && argument.alts.iter().any(is_closure) {
        let others = argument.filter_map(|alt| (!is_closure(alt)).then(|| alt.clone()));
        *argument = others.join(result);
    }
}

/// A summary in the place of a call.
pub(super) fn apply(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    id: FnId,
    summary: &Summary,
    args: &[Value],
    arg_ids: &[ExprId],
) -> Value {
    let program = eval.engine.program;
    let info = program.function(id);
    // Closures that the callee calls run as often as it calls them, and stand for what they gave.
    let mut called = Vec::new();
    let mut in_hand = Cow::Borrowed(args);
    for call in &summary.param_calls {
        if let Some(value) = args.get(call.param as usize).cloned() {
            let lent = eval.context(args.to_vec(), None);
            let lent = call.args.iter().map(|arg| handed::without_places(&arg.substitute(&lent), &called));
            // Of what nobody knows, the closure's own name for it says more.
            let lent: Vec<Value> = lent.take_while(|arg| !arg.is_bottom()).collect();
            eval.waited_for = is_awaited(eval, site.id);
            let repeat = call.repeat.clone().filter(|_| !once::is_said(&call.unless, args));
            let result = around::run(eval, site, call, |eval| run_callable(eval, site, &value, &lent, repeat));
            eval.waited_for = false;
            called.push((handed::place(info, call.param as usize), outcome::replies(&result).0));
            stand_for(&mut in_hand.to_mut()[call.param as usize], &result);
            // Whoever only says yes to errors that came before anything was done repeats nothing.
            let judge = call.judge.and_then(|judge| arg_ids.get(judge as usize));
            if let (Some(scope), true) = (&call.repeat, judge.is_some_and(|&judge| retried::is_undone(eval, judge))) {
                eval.undone_again(scope);
            }
            if let Some(scope) = &call.repeat {
                eval.handed_over_again(scope);
            }
        }
    }
    for value in args {
        for alt in value.alts.iter() {
            if let Shape::Closure(closure) = alt.shape {
                if !summary.param_calls.iter().any(|call| {
                    args.get(call.param as usize).is_some_and(|arg| {
                        arg.alts.iter().any(|alt| matches!(alt.shape, Shape::Closure(other) if other == closure))
                    })
                }) {
                    eval.run_closure(closure, &[], None);
                }
            }
        }
    }
    // A test helper is no way to a dispatch.
    let named: Vec<Value> = in_hand
        .iter()
        .enumerate()
        .map(|(at, value)| match info.ir.params.get(at).and_then(|param| param.name) {
            Some(name) if dispatch::is_key_name(eval, name.as_str()) && withholds(eval, arg_ids.get(at)) => {
                value.told_anew(arg_ids.get(at).map_or(site.span, |&id| eval.span_of(id)), dispatch::WITHHELD)
            }
            Some(name) if (at > 0 || !info.ir.has_self) && value.is_notable() => {
                let span = arg_ids.get(at).map_or(site.span, |&id| eval.span_of(id));
                value.step(span, &format!("passed to `{}` as `{name}`", info.ir.name))
            }
            _ => value.clone(),
        })
        .collect();
    let own = is_own_store(eval, id);
    let several = match site.callee {
        Some(Callee::Functions(ids)) if ids.len() > 1 => ids.as_slice(),
        _ => &[],
    };
    let chosen = !several.is_empty();
    let context = eval.context(named, Some((site.span, Note::Returned(info.ir.name))));
    let context = context.with_orders(shapes::orders(eval, info, summary, arg_ids));
    let mut answers = dispatch::lent::settle(eval, site, &summary.sent, args, &context);
    let acts: Vec<Atom> = answers.iter().flat_map(|(_, sites)| sites).map(|&at| Atom::reply(at, false)).collect();
    answers.extend(called);
    let taken = choices::taken(eval, &summary.given, args);
    let elsewhere: FxHashSet<Span> = match taken.is_empty() {
        true => FxHashSet::default(),
        false => summary.events.iter().filter(|event| !taken.happens(event)).map(|event| event.span).collect(),
    };
    let happens = |site: &Span| {
        let same = |event: &&Event| event.span == *site;
        !elsewhere.contains(site) || summary.events.iter().filter(same).any(|event| taken.happens(event))
    };
    let passed_by = given::passed_by(&summary.given.branches, args);
    let reached = |known: &Use| {
        let body = eval.engine.program.body(id).filter(|_| !passed_by.is_empty());
        body.is_none_or(|body| {
            let mut branches = known.branches.iter();
            !branches.any(|&(at, arm)| passed_by.contains(&(Span::new(info.file, body.expr(at).range), arm)))
        })
    };
    if !handlers::is_handler(eval.engine, id) {
        let scopes = eval.regions.clone();
        let catalog = eval.engine.catalog;
        // What runs in a task, and the task.
        let in_task = |event: &Event| {
            let spawned = event.regions.iter().find(|(_, role)| matches!(role, Role::Spawned { .. }));
            spawned.map(|(at, _)| (event.span, *at))
        };
        let tasks: Vec<(Span, Span)> = summary.events.iter().filter_map(in_task).collect();
        let asks = says_what(&catalog.words, &info.ir, args);
        let lifted: Vec<Use> = summary
            .uses
            .iter()
            .filter(|known| known.is_open() && !(own && dispatch::is_unnamed(catalog, known)))
            .filter(|known| happens(&known.site) && reached(known))
            .map(|known| {
                let way = Way { at: site.span, heard: hears(eval, id, &tasks, known.site), chosen, asks };
                known.lift(&context, way, &scopes, &eval.branches)
            })
            .collect();
        for mut lifted in lifted {
            // A wrapper does not know what its caller asks for.
            if address::is_reading(&catalog.words, &lifted.procedure) {
                continue;
            }
            if !dispatch::method::settle_use(eval, &mut lifted, &taken) {
                continue;
            }
            if !lifted.carried.is_empty() || !lifted.bodies.is_empty() {
                dispatch::carried::settle(eval, &mut lifted);
                lifted.settle(&scopes);
            }
            add_use(eval, lifted);
        }
    }
    above::take_over(eval, site.span, id, summary, &context);
    eval.unheard.extend(&summary.hidden);
    let hidden = |place: &Span| summary.hidden.contains(place);
    eval.unheard.extend(answers.iter().filter(|(place, _)| hidden(place)).flat_map(|(_, sites)| sites));
    // Most functions of a program do nothing that is told.
    let nothing = !summary.events.iter().any(Event::is_lifted);
    let (branches, regions) =
        if nothing { (Vec::new(), Vec::new()) } else { (eval.branch_marks(), eval.region_marks()) };
    if !nothing {
        instead::record_all(eval, site.span, args);
    }
    let near = summary.events.iter().filter(|event| event.is_lifted() && taken.happens(event));
    let arguments = Arguments::new(&context);
    let lift = Lift::new(&site.span, &id, &branches, &regions);
    let usage = eval.usage(site.id);
    let lifted = |event: &Event| {
        let mut lifted = event.lift(&arguments, &lift);
        lifted.pooled |= eval.hands_pool(event, arg_ids);
        // A statement that is written down here is looked at here.
        let given = !matches!(event.kind, EventKind::Sql { .. }) && matches!(lifted.kind, EventKind::Sql { .. });
        if given {
            lifted.usage = lifted.usage.min(usage);
        }
        lifted
    };
    let mut events: Vec<_> = near.map(lifted).collect();
    choices::settle(&mut events, &taken);
    if chosen {
        interfaces::chosen(eval.engine, several, info.ir.name, &mut events);
    }
    for event in &mut events {
        event.kind.ask_only(|procedure| address::are_reading(&eval.engine.catalog.words, procedure));
        dispatch::method::settle_event(eval, &mut event.kind, &taken);
    }
    if own {
        events.iter_mut().for_each(|event| event.kind.keep_own());
    }
    if remembered::is_passing(eval, site) {
        events.retain(|event| !matches!(event.kind, EventKind::Remembered { .. }));
    }
    // What is counted is decided elsewhere.
    if !events.is_empty() && operation::counts(&eval.engine.catalog.words, info) {
        events.retain(|event| !matches!(event.kind, EventKind::State { .. }));
    }
    if info.ir.ret.is_unit() {
        for event in &mut events {
            event.told = false;
        }
    }
    // An error that cannot come after a dispatch says nothing of it.
    let fails = info.ir.ret.as_result().is_some();
    for event in events.iter_mut().filter(|event| matches!(event.kind, EventKind::Dispatch { .. })) {
        let answers = !fails || summary.failing.contains(&event.span);
        event.told &= answers;
        eval.acted(event.span, answers);
        if !answers && !chosen {
            eval.ends_well(site.id, site.span, event.span);
        }
    }
    // The error of a question to a provider or a store goes up until somebody takes it for an answer.
    if fails && !events.iter().any(replies::acts) {
        let defaulted = eval.defaulted(site.id);
        for event in
            events.iter_mut().filter(|event| event.told && event.defaulted.is_none() && replies::asks_only(event))
        {
            event.defaulted = defaulted;
        }
    }
    if usage == Usage::Dropped {
        // Whatever the callee says of its outcome, nobody hears it.
        let takes_back = taken_back::by_call(eval, site.id);
        for event in &mut events {
            event.usage = Usage::Dropped;
            event.dropped.get_or_insert(site.span);
            event.takes_back = event.takes_back.or(takes_back);
        }
    }
    let answers_on = usage == Usage::Used && eval.is_answer(site.id);
    for event in events.iter_mut().filter(|event| event.answers) {
        event.unread = (usage != Usage::Used).then_some(site.span);
        event.answers = answers_on;
    }
    let given: Vec<_> = handed::given(eval.engine, info, args).into_iter().chain(answers).collect();
    let ret = match usage {
        Usage::Used => handed::without_places(&summary.ret.substitute(&context), &given),
        Usage::Dropped | Usage::Checked => summary.ret.outcome().substitute(&context),
    };
    let ret = replies::with_replies_of(&ret, &events, regions.len());
    let ret = ret.with_atoms(&acts);
    let lifted: FxHashSet<Span> = events.iter().map(|event| event.span).collect();
    if eval.state.reachable {
        events.into_iter().for_each(|event| eval.add_event(event));
    }
    // What a branch leaves is asked for where its dispatch is seen.
    let seen = |site: &Span| lifted.contains(site);
    let told = |condition: &&Condition| {
        let says = condition.named || condition.repeats;
        condition.about.iter().any(seen) || says && condition.about.is_empty()
    };
    let own = summary.conditions.iter().filter(told).cloned();
    let asked = summary.conditions.iter().filter_map(|condition| handed::condition(condition, &given));
    let of_given = super::super::given::lift(eval, &summary.given.branches, args);
    for condition in own.chain(asked).chain(of_given) {
        if eval.conditions.len() < MAX_CONDITIONS
            && !eval.conditions.iter().any(|known| known.branch == condition.branch && known.about == condition.about)
        {
            eval.conditions.push(condition);
        }
    }
    for (&variant, &outcomes) in &summary.made {
        made::add(&mut eval.made, variant, outcomes);
    }
    for out in &summary.outs {
        let Some(&arg) = arg_ids.get(out.param as usize) else {
            continue;
        };
        // Where else it may be kept is not followed.
        if matches!(eval.body.expr(arg).kind, ExprKind::Local(_)) {
            let mut value = out.value.substitute(&context);
            if out.filled {
                value = eval.takes_in(arg).map_or(value.clone(), |order| Value::concat(&[value, order]));
            }
            eval.assign(arg, value, eval.body.expr(arg).range);
        }
    }
    ret
}

/// Whether a call is waited for.
fn is_awaited(eval: &Eval<'_, '_>, call: ExprId) -> bool {
    let parent = walk::parent(&eval.parents, call);
    parent.is_some_and(|parent| matches!(eval.body.expr(parent).kind, ExprKind::Await(_)))
}

/// Whether a function is a method of a trait behind which an application keeps its own state: over whatever transport.
fn is_own_store(eval: &Eval<'_, '_>, id: FnId) -> bool {
    let program = eval.engine.program;
    let Some(of) = program.function(id).trait_ else {
        return false;
    };
    let name = normal(interfaces::last_word_of(program, of));
    let last = name.rsplit('_').next().unwrap_or_default();
    eval.engine.catalog.words.store_traits.iter().any(|word| word == last)
}

/// Whether a caller hears what came of a dispatch below: of one in a task of its own only where the function that starts the
/// task also waits for it.
fn hears(eval: &Eval<'_, '_>, id: FnId, tasks: &[(Span, Span)], site: Span) -> bool {
    let task = tasks.iter().find(|(started, _)| *started == site).map(|(_, task)| *task);
    let info = eval.engine.program.function(id);
    let Some((task, body)) = task.zip(info.ir.body.as_deref()) else {
        return true;
    };
    let own = body.expr(body.root).range;
    // A task that is started further below was asked about there.
    if task.file != info.file || !own.covers(task.range) {
        return true;
    }
    let params =
        |local: LocalId| info.ir.params.iter().any(|param| param.range.covers(body.locals[local.0 as usize].range));
    body.exprs.iter().any(|expr| match expr.kind {
        ExprKind::Await(inner) if !task.range.covers(expr.range) => waits_for(body, inner, task.range, &params),
        ExprKind::Concurrent(_) => true,
        _ => false,
    })
}

/// Whether what is awaited may be the task: the call that starts it, what that was bound to, one of several.
fn waits_for(body: &Body, awaited: ExprId, task: TextRange, is_param: &dyn Fn(LocalId) -> bool) -> bool {
    let mut at = awaited;
    for _ in 0..MAX_AWAITED {
        let expr = body.expr(at);
        if expr.range == task {
            return true;
        }
        at = match &expr.kind {
            ExprKind::MethodCall(call) if call.name.as_str().contains("join") => return true,
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Call { args, .. } => return args.iter().any(|&arg| waits_for(body, arg, task, is_param)),
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => *base,
            ExprKind::Local(local) => match body.bound(*local) {
                Some(value) => value,
                // An element of a collection may well be a handle.
                None => return !is_param(*local),
            },
            _ => return false,
        };
    }
    true
}

/// Expressions behind what is awaited that are looked at.
const MAX_AWAITED: usize = 64;

/// Conditions that are kept of one function, its callees' included.
const MAX_CONDITIONS: usize = 600;
/// Dispatches that are looked at in one function, its callees' included.
const MAX_OPEN: usize = 1_024;

/// Records a dispatch, joined with what the same one looked like before.
pub(crate) fn add_use(eval: &mut Eval<'_, '_>, new: Use) {
    if eval.state.in_doubt.len() < MAX_OPEN {
        eval.handed_out(&new);
    }
    eval.begun(new.site);
    let key = new.key_of_map();
    let merged = match eval.uses.get(&key) {
        Some(old) => uses::merge(old, new),
        None if eval.uses.len() >= MAX_OPEN => return,
        None => new,
    };
    eval.uses.insert(key, merged);
}

/// Whether an argument is `None`, as it is written.
fn withholds(eval: &Eval<'_, '_>, argument: Option<&ExprId>) -> bool {
    match argument.map(|&id| &eval.body.expr(id).kind) {
        Some(ExprKind::Path(path)) => path.segments.last().is_some_and(|last| last.name.as_str() == "None"),
        _ => false,
    }
}

/// Whether a call says by a fixed text what a function is to ask for that asks for anything: its path, the name of a procedure.
fn says_what(words: &Words, callee: &Function, args: &[Value]) -> bool {
    let mut fixed = callee.params.iter().zip(args).filter(|(_, value)| value.text().is_some());
    fixed.any(|(param, _)| {
        let name = param.name.map_or("", |name| name.as_str());
        words.operation_names.iter().any(|word| has_word(name, word))
    })
}
