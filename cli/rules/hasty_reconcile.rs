//! `hasty-reconcile`: "not found" is taken for "did not happen".

use super::scene::{failed_word, here, in_branch, is_keyed, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::Call;
use crate::findings::{Confidence, Level};
use crate::flow::{ConditionFact, EventFact, EventFactKind, Outcomes};
use crate::operations::FunctionOps;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "hasty-reconcile",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "not found right after dispatch is taken for did not happen",
    doc: include_str!("hasty_reconcile.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let matcher = facts.catalog.matcher();
    for function in &facts.operations.functions {
        let path = facts.program.function(function.facts.function).path;
        let itself = matcher.lookup(&Call::Workspace(path.as_str()));
        for condition in &function.facts.conditions {
            if !condition.outcomes.has(Outcomes::MISSING) {
                continue;
            }
            // A function that is handed the answer tells it apart for the one that has asked.
            let own = function.facts.body.covers(condition.branch.0);
            let asked = function.events().find_map(|(_, event)| match &event.kind {
                EventFactKind::Lookup { provider, .. }
                    if condition.about.contains(&event.span) && (own || event.via.is_empty()) =>
                {
                    Some(provider.map(|name| name.to_string()))
                }
                _ => None,
            });
            let itself = itself.filter(|_| own);
            let provider = match (itself, asked) {
                (Some(lookup), _) => lookup.provider.clone(),
                (None, Some(provider)) => provider,
                (None, None) => continue,
            };
            let Some(decided) =
                decision(facts, function, condition).filter(|_| own || !is_told(facts, function, condition))
            else {
                continue;
            };
            let lag = lag(facts, provider.as_deref());
            // Who asks before anything is sent asks about an earlier run, which is over as a rule.
            let sends = matches!(decided.kind, EventFactKind::Dispatch { .. });
            if lag.is_none() && sends && itself.is_none() && first_to_act(function, decided) {
                continue;
            }
            let message = format!(
                "\"not found\" counts as \"did not happen\" here{}: what the provider has not indexed yet is given up or done \
                    again",
                lag.as_deref().map_or(String::new(), |lag| format!(", though the lookup lags up to {lag} behind"))
            );
            let help =
                "keep the outcome unknown until the lookup's lag is over, and only then let \"not found\" decide";
            let mut steps = vec![(condition.branch.0, "the answers of the lookup are told apart here".to_owned())];
            steps.extend(step(decided, "and this follows where nothing was found"));
            let confidence = if lag.is_some() { Confidence::Certain } else { Confidence::Likely };
            sink.report(violation(facts, function, RULE.name, confidence, here(decided), (message, help), steps));
        }
    }
}

/// What follows in the branch where nothing was found.
fn decision<'a>(facts: &Facts<'_>, function: &'a FunctionOps, condition: &ConditionFact) -> Option<&'a EventFact> {
    let mut follows = in_branch(function, condition.branch);
    let found = follows.find(|(at, event)| decides(facts, function, *at) && is_last(function, event, condition));
    found.map(|(_, event)| event)
}

/// Whether what a function below has made of an answer decides in a branch of this one, where it is told.
fn is_told(facts: &Facts<'_>, function: &FunctionOps, below: &ConditionFact) -> bool {
    function.facts.conditions.iter().any(|condition| {
        let own = function.facts.body.covers(condition.branch.0) && condition.about == below.about;
        own && condition.outcomes.has(Outcomes::MISSING) && decision(facts, function, condition).is_some()
    })
}

/// Whether nothing that is done here comes before a dispatch.
fn first_to_act(function: &FunctionOps, dispatch: &EventFact) -> bool {
    function.dispatches().next().is_some_and(|(_, first)| std::ptr::eq(first, dispatch))
}

/// How long the provider's lookup lags behind, where the catalog says so.
fn lag(facts: &Facts<'_>, provider: Option<&str>) -> Option<String> {
    let provider = facts.catalog.provider(provider?)?;
    Some(humantime::format_duration(provider.lookup_lag?).to_string())
}

fn decides(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    match &event.kind {
        EventFactKind::Sql { .. } => {
            function.statements(at).iter().any(|statement| failed_word(facts, function.event(at), statement).is_some())
        }
        // A variant that says that the matter is still open decides nothing.
        EventFactKind::State { means } if means == "released" => !event.name.contains("::"),
        EventFactKind::State { means } => matches!(means.as_str(), "rejected" | "not_sent"),
        // Under the same key a second time does no harm.
        EventFactKind::Dispatch { harmless: false, .. } => !is_keyed(event),
        _ => false,
    }
}

/// Whether nothing else is asked between the answer and what follows from it, such as how long ago the request was.
fn is_last(function: &FunctionOps, event: &EventFact, condition: &ConditionFact) -> bool {
    let (branch, about) = (condition.branch, &condition.about);
    let inner = event.branches.iter().skip_while(|other| **other != branch).skip(1);
    let own = function.facts.body.covers(branch.0);
    // What a function below does goes by the answer, unless it asks somebody itself.
    let asks = |other: &(Span, u32)| {
        let about = |condition: &ConditionFact| condition.about.iter().any(|site| !about.contains(site));
        function.facts.conditions.iter().any(|condition| condition.branch == *other && about(condition))
    };
    inner.filter(|other| !own || function.facts.body.covers(other.0) || asks(other)).count() == 0
}
