//! `duplicate-as-failure`: the provider's "already done" is treated as a failure.

use super::scene::{asks_before, in_branch, named, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{ConditionFact, EventFact, EventFactKind, HEARD, Outcomes};
use crate::operations::FunctionOps;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "duplicate-as-failure",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "the provider's answer that it was done before is treated as a failure",
    doc: include_str!("duplicate_as_failure.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let declared = facts.catalog.states.iter().any(|state| state.declared && state.means == "duplicate");
    let mut told: Vec<Span> = Vec::new();
    for function in &facts.operations.functions {
        for condition in &function.facts.conditions {
            let at = condition.branch.0;
            // Named beside refusals, it is taken for one.
            let only = condition.named && condition.outcomes.without(Outcomes::REJECTED) == Outcomes::DUPLICATE;
            if !only && !condition.repeats || !declared && !is_of_provider(function, condition) {
                continue;
            }
            let own = function.facts.body.covers(at);
            let Some((fail_at, fail)) = in_branch(function, condition.branch)
                // what a further look inside the branch decides is another matter
                .find(|(_, event)| fails(event, condition) && event.branches.last() == Some(&condition.branch))
            else {
                continue;
            };
            let dispatch = function.dispatches().find(|(_, event)| condition.about.contains(&event.span));
            let dispatch = dispatch.or_else(|| function.dispatches().next().filter(|_| !own));
            if !own && (!declared || dispatch.is_none() || !is_of_helper(facts, fail))
                || told.contains(&fail.span)
                || is_told_apart_before(function, condition, fail)
            {
                continue;
            }
            if asks_before(facts, function, dispatch.map_or(fail, |(_, dispatch)| dispatch), condition.branch, fail_at)
            {
                continue;
            }
            told.push(fail.span);
            let message = format!(
                "{} answers that it did this before, and that is treated as a failure: the effect stands, and its owner is told \
                 that it did not happen",
                dispatch
                    .map_or("the provider".to_owned(), |(_, dispatch)| format!("the provider of {}", named(dispatch)))
            );
            let help = "ask the provider by the key what was done, and treat that as the answer";
            let mut steps =
                dispatch.map(|(_, dispatch)| step(dispatch, "the provider is asked to act here")).unwrap_or_default();
            steps.push((at, "the answers are told apart here".to_owned()));
            let confidence = if declared { Confidence::Certain } else { Confidence::Likely };
            sink.report(violation(facts, function, RULE.name, confidence, fail.span, (message, help), steps));
        }
    }
}

/// Whether a branch around what fails has asked for the repeat already, by a code in the same answer perhaps: what comes here is
/// the rest.
fn is_told_apart_before(function: &FunctionOps, condition: &ConditionFact, fail: &EventFact) -> bool {
    let asks = |other: &&ConditionFact| {
        other.named
            && other.outcomes == Outcomes::DUPLICATE
            && other.about.iter().any(|site| condition.about.contains(site))
    };
    let mut asked = function.facts.conditions.iter().filter(asks);
    asked.any(|other| fail.branches.iter().any(|(at, arm)| *at == other.branch.0 && *arm != other.branch.1))
}

/// Whether a function decides that is only handed the answer: nothing else is told of it.
fn is_of_helper(facts: &Facts<'_>, event: &EventFact) -> bool {
    let below = event.through.first().filter(|_| event.via.len() == 1);
    below.is_some_and(|&below| facts.operations.function(below).is_none())
}

/// Whether an answer is that of a provider, or of what the function itself does: what a store below it has done before is
/// that one's own business.
fn is_of_provider(function: &FunctionOps, condition: &ConditionFact) -> bool {
    condition.about.iter().any(|site| {
        function.events().any(|(_, event)| {
            let asked =
                matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. } | EventFactKind::Lookup { .. });
            event.span == *site && (asked || event.via.is_empty())
        })
    })
}

/// Whether an event of a branch is a failure. Who takes all errors together may hand them on; that one was refused is said of
/// each.
fn fails(event: &EventFact, condition: &ConditionFact) -> bool {
    match &event.kind {
        // Whoever gets the very answer hears that it was done.
        EventFactKind::Fail { error } => error.as_deref() != Some(HEARD) && !condition.any_error,
        EventFactKind::State { means } => means == "rejected",
        _ => false,
    }
}
