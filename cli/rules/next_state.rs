//! The next state of a machine, chosen where the outcome of a dispatch may be unknown: whoever stores it and goes on from there
//! does not come back to the dispatch.

use super::scene::{asks_before, here, in_doubt, named, step, sure, violation};
use super::swallowed::lost_in;
use super::{Facts, Sink, unknown_as_failure, unknown_as_success};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Next, Outcomes};
use crate::operations::{FunctionOps, exclusive, outcomes_at};

const HELP: &str =
    "stay in the state, or go to one of its own for an unknown outcome, and ask what became of it before going on";

/// A state that is chosen only where the dispatch may have failed, and in which something else is done.
pub(super) fn given_up(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, sink: &mut Sink) {
    for (at, event, next) in states(function) {
        if !begun_there(dispatch, next) || comes_back(function, next) || counts_as_done(function, dispatch, event) {
            continue;
        }
        let Some(branch) = in_doubt(&function.facts, event, dispatch) else {
            continue;
        };
        if asks_before(facts, function, dispatch, branch, at) {
            continue;
        }
        // What is done next says that the first is taken for not done, unless that is where it is asked for.
        let acts =
            in_arm(function, next).any(|event| matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. }));
        let confidence = if acts && !tells_apart(function, next) { Confidence::Likely } else { Confidence::Possible };
        let message = format!(
            "the next state is `{}` here, where the outcome of {} may be unknown: a timeout or a lost answer is not a refusal, \
             and what was done is forgotten",
            last(event),
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((branch.0, "errors of all kinds come this way, lost answers among them".to_owned()));
        let confidence = confidence.min(sure(function, dispatch));
        let rule = unknown_as_failure::RULE.name;
        sink.report(violation(facts, function, rule, confidence, here(event), (message, HELP), steps));
    }
}

/// A state that is chosen whatever came of the dispatch, whose error goes no further than a note. Whether there is one, be it
/// that what is done there leads back.
pub(super) fn passed_over(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) -> bool {
    let dispatch = function.event(at);
    let Some(lost) = lost_in(function, at) else {
        return false;
    };
    let met = |event: &EventFact| {
        let beside = |(of, arm): (_, u32)| event.branches.iter().any(|(at, taken)| *at == of && *taken != arm);
        !lost.branch.is_some_and(beside)
    };
    let found = states(function).find(|(later, event, next)| {
        *later > at
            && here(event).range.start > lost.place.range.start
            && begun_there(dispatch, next)
            && met(event)
            && outcomes_at(&function.facts, event, dispatch.span).has(Outcomes::UNKNOWN.or(Outcomes::CONFIRMED))
    });
    let Some((_, event, next)) = found else {
        return false;
    };
    if comes_back(function, next) {
        return true;
    }
    let message = format!(
        "an error of {} goes no further than this, and the next state is `{}` as if it was done",
        named(dispatch),
        last(event)
    );
    let mut steps = step(dispatch, "the provider is asked to act here");
    steps.push((here(event), "it counts as done here".to_owned()));
    let confidence = sure(function, dispatch).min(Confidence::Likely);
    let rule = unknown_as_success::RULE.name;
    sink.report(violation(facts, function, rule, confidence, lost.place, (message, HELP), steps));
    true
}

/// The states that a function chooses itself.
fn states(function: &FunctionOps) -> impl Iterator<Item = (usize, &EventFact, &Next)> {
    function.events().filter_map(|(at, event)| match &event.kind {
        EventFactKind::Next(next) => Some((at, event, next)),
        _ => None,
    })
}

/// Whether a dispatch belongs to the state that is left.
fn begun_there(dispatch: &EventFact, next: &Next) -> bool {
    dispatch.branches.contains(&next.from)
}

/// What happens in the arm of the next state.
fn in_arm<'a>(function: &'a FunctionOps, next: &Next) -> impl Iterator<Item = &'a EventFact> {
    let to = next.to;
    function.events().map(|(_, event)| event).filter(move |event| to.is_some_and(|to| event.branches.contains(&to)))
}

/// Whether a further state leads back to the one that is left: that is where it is looked at again.
fn comes_back(function: &FunctionOps, next: &Next) -> bool {
    states(function).any(|(_, _, later)| Some(later.from) == next.to && later.to == Some(next.from))
}

/// Whether the next state asks how things stand, and has more than one way to go on by that.
fn tells_apart(function: &FunctionOps, next: &Next) -> bool {
    let asks = in_arm(function, next).any(|event| matches!(event.kind, EventFactKind::Lookup { .. }));
    let ways = || states(function).filter(|(_, _, later)| Some(later.from) == next.to).map(|(_, event, _)| event.name);
    let first = ways().next();
    asks && ways().any(|way| Some(way) != first)
}

/// Whether the same state is the next one where the dispatch was done.
fn counts_as_done(function: &FunctionOps, dispatch: &EventFact, chosen: &EventFact) -> bool {
    states(function).any(|(_, event, next)| {
        event.name == chosen.name
            && begun_there(dispatch, next)
            && !exclusive(&function.facts, event, dispatch)
            && outcomes_at(&function.facts, event, dispatch.span).has(Outcomes::CONFIRMED)
    })
}

/// The state as people name it.
fn last(event: &EventFact) -> &str {
    event.name.as_str().rsplit("::").next().unwrap_or_default()
}
