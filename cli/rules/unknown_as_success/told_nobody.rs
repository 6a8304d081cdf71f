//! An error of an effect that nobody hears of, in a function that then ends well.

use super::marked_anyway::kept;
use super::stored_done::{is_done, stores_chosen, stores_or_nothing};
use super::{HELP, RULE};
use crate::findings::Confidence;
use crate::flow::{ConditionFact, EventFact, EventFactKind, OriginKind, Outcomes, Role, ValueFact};
use crate::ir::{ExprId, ExprKind, Statement as Written, TypeIr};
use crate::operations::{FunctionOps, exclusive, outcomes_at};
use crate::resolve::Callee;
use crate::rules::scene::{
    NEAR, handled, harmful, has_any, has_known_key, here, is_same_again, is_success, named, redelivered,
    stays_in_doubt, step, sure, violation,
};
use crate::rules::swallowed::swallowed_in;
use crate::rules::{Facts, Sink};
use crate::source::Span;

/// A state that a job is there to tell somebody, and whose error it keeps to itself: that it may be told twice does not help
/// where nobody tells it again. Beside other effects, or where something is cleared up, it is mostly a step of that.
pub(super) fn left_unstated(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let job = function.facts.handler.as_ref().is_some_and(|handler| handler.kind == "job");
    if !job || function.dispatches().next().is_some() {
        return;
    }
    let words = &facts.catalog.words.removal_verbs;
    for (at, event) in function.events() {
        if matches!(event.kind, EventFactKind::Dispatch { harmless: true, .. }) && !has_any(&event.name, words) {
            swallowed(facts, function, at, sink);
        }
    }
}

/// An error that nobody hears of, in a function that then ends well.
pub(super) fn swallowed(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let dispatch = function.event(at);
    let job = redelivered(facts, function).filter(|handler| handler.kind == "job");
    // In handlers that answer, `ack-on-failure` speaks.
    let detached = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    if detached || job.is_none() && (function.facts.handler.is_some() || dispatch.distance() > NEAR) {
        return;
    }
    let Some(place) = swallowed_in(function, at).filter(|&place| !stays_in_doubt(facts, function, at, place)) else {
        return;
    };
    // Where the error comes this way, an end of the other arm is not met.
    let silent = function.facts.conditions.iter().find(|condition| condition.place == place);
    let met = |event: &EventFact| {
        silent.is_none_or(|silent| {
            !event.branches.iter().any(|(at, arm)| *at == silent.branch.0 && *arm != silent.branch.1)
        })
    };
    let ending = function.events().find(|(end, event)| {
        *end > at
            && is_success(event)
            && event.via.is_empty()
            && !exclusive(&function.facts, event, dispatch)
            && met(event)
            && outcomes_at(&function.facts, event, dispatch.span).has(Outcomes::UNKNOWN)
    });
    let fails =
        function.events().any(|(_, event)| event.via.is_empty() && matches!(event.kind, EventFactKind::Fail { .. }));
    // Who sends a key wants the effect, as who does nothing else, and whoever hears a good answer takes it for done. What is
    // known again by itself carries none that somebody put in.
    let promised = has_known_key(dispatch)
        && !is_same_again(dispatch)
        && (is_fallible(facts, function) || ending.is_some_and(|(_, end)| tells_done(function, end)))
        || is_all(function, dispatch) && is_fallible(facts, function);
    let stored =
        function.writes().find(|(write, event)| *write > at && met(event) && is_done(facts, function, at, *write));
    // That there was no answer stands in the row, beside a state that is chosen by it.
    let tells = |event: &EventFact| stores_or_nothing(event, dispatch) || stores_chosen(facts, event, dispatch);
    if stored.is_none() && function.writes().any(|(_, event)| tells(event)) {
        return;
    }
    let stored = stored.map(|(_, event)| event).or_else(|| kept(facts, function, at));
    // What is sent again as it was says nothing by being passed over.
    if is_same_again(dispatch) && job.is_none() && !promised && stored.is_none() {
        return;
    }
    let ending = stored.or(ending.map(|(_, event)| event));
    let (Some(ending), true) = (ending, job.is_some() || fails || promised || stored.is_some()) else {
        return;
    };
    let message = format!(
        "an error of {} goes no further than this, and {} ends as if it was done",
        named(dispatch),
        job.map_or("the function", |job| job.scope.what.as_str())
    );
    let mut steps = step(dispatch, "the provider is asked to act here");
    steps.push((here(ending), "it counts as done here".to_owned()));
    let confidence = match job {
        _ if stored.is_some() => sure(function, dispatch).min(Confidence::Likely),
        _ if dispatch.via.is_empty() && may_give_nothing(facts, function, place) => Confidence::Possible,
        Some(job) => harmful(facts, function, dispatch).min(handled(Some(job))).min(Confidence::Likely),
        None if promised => harmful(facts, function, dispatch).min(Confidence::Likely),
        None => Confidence::Possible,
    };
    sink.report(violation(facts, function, RULE.name, confidence, place, (message, HELP), steps));
}

/// Whether a call stands alone as a statement, and nobody sees what it gives: of a result the compiler would have asked for a
/// look, or for `let _`.
fn may_give_nothing(facts: &Facts<'_>, function: &FunctionOps, call: Span) -> bool {
    let info = facts.program.function(function.facts.function);
    let Some(body) = info.ir.body.as_deref().filter(|_| info.file == call.file) else {
        return false;
    };
    let alone = |id: &ExprId| {
        let called = match body.expr(*id).kind {
            ExprKind::Await(inner) => inner,
            _ => *id,
        };
        let unseen = match info.types.callee(called) {
            Some(Callee::ExternalMethod { receiver, .. }) => receiver.as_str().starts_with("crate::"),
            _ => false,
        };
        body.expr(called).range.end == call.range.end && unseen
    };
    body.statements().any(|statement| matches!(statement, Written::Expr(id) if alone(id)))
}

/// Whether one effect is all that a function does, beside what it does about some errors of it, and it is tried once.
fn is_all(function: &FunctionOps, dispatch: &EventFact) -> bool {
    let errors = |known: &&ConditionFact| known.about.contains(&dispatch.span) && known.outcomes.is_error();
    let about_it = |event: &EventFact| {
        function.facts.conditions.iter().filter(errors).any(|known| event.branches.contains(&known.branch))
    };
    let other = |(at, event): (usize, &EventFact)| {
        let acts = matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Ack { .. });
        event.span != dispatch.span && (acts || function.is_write(at)) && !about_it(event)
    };
    let again = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Retry | Role::Each { .. }));
    dispatch.via.is_empty() && !again && !function.events().any(other)
}

/// Whether a function answers with an error or nothing.
fn is_fallible(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let result = facts.program.function(function.facts.function).ir.ret.as_result();
    // What else it answers may tell of the error.
    result.and_then(|args| args.first()).is_some_and(TypeIr::is_unit)
}

/// Whether a function ends with a word that says "done", whatever came before.
fn tells_done(function: &FunctionOps, end: &EventFact) -> bool {
    let is_word = |state: &EventFact| matches!(&state.kind, EventFactKind::State { means } if means == "confirmed");
    let alone = |value: &ValueFact| value.origins.iter().all(|origin| matches!(origin, OriginKind::Constant(_)));
    matches!(&end.kind, EventFactKind::Return { value, .. } if alone(value))
        && function.events().any(|(_, state)| is_word(state) && state.via.is_empty() && end.span.covers(state.span))
}
