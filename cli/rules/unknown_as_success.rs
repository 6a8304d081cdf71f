//! `unknown-as-success`: an unknown outcome, or an error, is treated as done.

use super::dropped_compensation::{passes_over_error, undoes};
use super::marked_anyway::kept;
use super::scene::{
    NEAR, asks_before, by_contract, handled, harmful, has_any, has_known_key, here, in_doubt, is_success, named,
    named_at, redelivered, says_done, stays_in_doubt, step, sure, violation,
};
use super::status_unread::{confirmed_unread, status_unread};
use super::stored_done::{is_done, stores_chosen, stores_or_nothing};
use super::swallowed::swallowed_in;
use super::{Facts, Group, Rule, Sink, never_queued, partly_refused, unasked};
use crate::findings::{Confidence, Level};
use crate::flow::{ConditionFact, EventFact, EventFactKind, OriginKind, Outcomes, Role, ValueFact};
use crate::ir::{ExprId, ExprKind, Statement as Written, TypeIr};
use crate::operations::{FunctionOps, exclusive, outcomes_at};
use crate::resolve::Callee;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unknown-as-success",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "an unknown outcome or an error is treated as done",
    doc: include_str!("unknown_as_success.md"),
    check,
    contract_error: false,
};

const HELP: &str =
    "treat only a confirmed answer as done; keep an unknown outcome unknown until the provider was asked";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        never_queued::check(facts, function, sink);
        for (at, dispatch) in function.dispatches() {
            confirmed_in_doubt(facts, function, dispatch, sink);
            if !status_unread(facts, function, at, sink) {
                confirmed_unread(facts, function, at, sink);
            }
            unanswered(facts, function, dispatch, sink);
            partly_refused::check(facts, function, dispatch, sink);
            // That nobody looks at what came of an undoing is a fault of its own.
            let ignored = dispatch.dropped.is_some() || passes_over_error(function, at);
            if !ignored || undoes(facts, function, dispatch).is_none() {
                swallowed(facts, function, at, sink);
            }
        }
        left_unstated(facts, function, sink);
        confirmed_by_name(facts, function, sink);
        unasked::check(facts, function, sink);
    }
}

/// A confirmed state where the outcome may be unknown.
fn confirmed_in_doubt(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::State { means } = &event.kind else {
            continue;
        };
        let (true, Some(branch)) = (means == "confirmed", in_doubt(&function.facts, event, dispatch)) else {
            continue;
        };
        if asks_before(facts, function, dispatch, branch, at)
            || chosen_below(function, event, dispatch)
            || confirmed_within(function, event, branch)
        {
            continue;
        }
        let message = format!(
            "`{}` is decided here, where the outcome of {} may be unknown: what was never done counts as done",
            event.name,
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((branch.0, "errors come this way".to_owned()));
        let confidence = sure(function, dispatch).min(by_contract(function));
        sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
    }
}

/// Whether a function that is called chooses a state by something else than what came of the dispatch.
pub(super) fn chosen_below(function: &FunctionOps, event: &EventFact, dispatch: &EventFact) -> bool {
    let asks = |branch: &(Span, u32)| {
        let mut about = function.facts.conditions.iter().filter(|condition| condition.branch == *branch);
        about.any(|condition| condition.about.contains(&dispatch.span))
    };
    event.branches.iter().any(|branch| !function.facts.body.covers(branch.0) && !asks(branch))
}

/// A branch for outcomes that its own pattern calls unknown, in which the state becomes confirmed.
fn confirmed_by_name(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.events() {
        let confirmed = matches!(&event.kind, EventFactKind::State { means } if means == "confirmed");
        if !(confirmed || says_done(facts, function, at)) || event.via.len() > 1 {
            continue;
        }
        let conditions = function.facts.conditions.iter();
        // Of an answer in sight, only what a comparison lets through beside what is confirmed is told here. Where all of
        // them are left, as behind `young && is_open(state)`, nothing was compared.
        let mixed = |condition: &ConditionFact| {
            let left = condition.outcomes;
            left.has(Outcomes::UNKNOWN) && left.has(Outcomes::CONFIRMED) && !left.has(Outcomes::ALL)
        };
        let mut named = conditions.filter(|condition| {
            condition.named
                && (condition.about.is_empty() || mixed(condition))
                && event.branches.contains(&condition.branch)
                // Behind a branch that others have left, more may have been asked.
                && !event.passed.contains(&condition.branch)
        });
        let unknown = |condition: &&ConditionFact| {
            condition.outcomes.has(Outcomes::UNKNOWN) && !condition.outcomes.has(Outcomes::PENDING)
        };
        let Some(condition) = named.find(unknown) else {
            continue;
        };
        if asks_before(facts, function, event, condition.branch, at)
            || confirmed_within(function, event, condition.branch)
        {
            continue;
        }
        let message = match condition.outcomes.has(Outcomes::CONFIRMED) {
            true => format!(
                "{} is decided here for more than the good answers, lost ones or errors of the server among them: what was never \
                 done counts as done",
                named_at(function, at)
            ),
            false => format!(
                "{} is decided here for an outcome that is called unknown: what was never done counts as done",
                named_at(function, at)
            ),
        };
        let steps = vec![(condition.branch.0, "the outcomes are told apart here".to_owned())];
        // Where a function that is called tells the outcomes apart, it is mended there.
        let below = !function.facts.body.covers(condition.branch.0);
        let place = if below { event.span } else { here(event) };
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, (message, HELP), steps));
    }
}

/// Whether a later answer that is called confirmed leads from a branch to what is decided.
fn confirmed_within(function: &FunctionOps, event: &EventFact, outer: (Span, u32)) -> bool {
    let mut within = event.branches.iter().skip_while(|branch| **branch != outer).skip(1);
    let confirmed = |branch: &(Span, u32)| {
        function.facts.conditions.iter().any(|inner| {
            let left = inner.outcomes;
            let asks = inner.named || !inner.about.is_empty();
            inner.branch == *branch && asks && left.has(Outcomes::CONFIRMED) && !left.has(Outcomes::UNKNOWN)
        })
    };
    within.any(confirmed)
}

/// A message whose acknowledgement by the server is a future of its own, which nobody awaits.
fn unanswered(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, sink: &mut Sink) {
    if !matches!(dispatch.kind, EventFactKind::Dispatch { unanswered: true, .. }) || !dispatch.via.is_empty() {
        return;
    }
    let message = format!(
        "the server's answer to {} is never awaited: what was only written to the connection counts as done",
        named(dispatch)
    );
    let help = "await the acknowledgement that the call returns, and keep the message until it is there";
    let place = dispatch.span;
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, (message, help), Vec::new()));
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

/// A state that a job is there to tell somebody, and whose error it keeps to itself: that it may be told twice does not help
/// where nobody tells it again. Beside other effects, or where something is cleared up, it is mostly a step of that.
fn left_unstated(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
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
fn swallowed(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
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
    // Who sends a key wants the effect, as who does nothing else, and whoever hears a good answer takes it for done.
    let promised = has_known_key(dispatch)
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
