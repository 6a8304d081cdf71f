//! `unknown-as-success`: an unknown outcome, or an error, is treated as done.

mod marked_anyway;
mod never_queued;
mod partly_refused;
mod status_unread;
mod stored_done;
mod told_nobody;
mod unasked;

use super::dropped_compensation::{passes_over_error, undoes};
use super::scene::{asks_before, by_contract, here, in_doubt, named, named_at, says_done, step, sure, violation};
use super::{Facts, Group, Rule, Sink, next_state};
use crate::findings::{Confidence, Level};
use crate::flow::{ConditionFact, EventFact, EventFactKind, Outcomes};
use crate::operations::FunctionOps;
use crate::source::Span;
use status_unread::{confirmed_unread, status_unread};
use told_nobody::{left_unstated, swallowed};

pub(super) const RULE: Rule = Rule {
    name: "unknown-as-success",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "an unknown outcome or an error is treated as done",
    doc: include_str!("unknown_as_success.md"),
    check,
    contract_error: false,
};

pub(super) const HELP: &str =
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
            let goes_on = next_state::passed_over(facts, function, at, sink);
            if !goes_on && (!ignored || undoes(facts, function, dispatch).is_none()) {
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
