//! `irreversible-not-last`: something that can still fail comes after an effect that cannot be undone.

use super::scene::{here, is_own_failure, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::HandlerContract;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes};
use crate::guarantee::dispatches;
use crate::operations::{FunctionOps, exclusive, may_follow, meets, outcomes_at};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "irreversible-not-last",
    group: Group::Order,
    default_level: Level::Deny,
    summary: "after an irreversible effect comes another effect, a check or a business write",
    doc: include_str!("irreversible_not_last.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        around(facts, function, sink);
        let id = function.facts.function;
        let mut contracts = facts.contracts.iter().filter(|contract| contract.bodies.contains(&id));
        let Some(contract) = contracts.find(|contract| contract.contract.irreversible == Some(true)) else {
            continue;
        };
        // Of the effects that one handler performs, only this one cannot be undone.
        let own: Vec<Span> =
            dispatches(facts.contracts, contract, facts.flow).into_iter().map(|fact| fact.site).collect();
        let followed = function.dispatches().any(|(_, dispatch)| own.contains(&dispatch.span));
        for (at, dispatch) in function.dispatches() {
            if followed && !own.contains(&dispatch.span) {
                continue;
            }
            let Some((later, what)) = follows(facts, function, contract, at) else {
                continue;
            };
            let event = function.event(later);
            let message = format!(
                "{what} comes after {}, which cannot be undone: if it fails or refuses, the effect stands without it",
                named(dispatch)
            );
            let help = "check, reserve and write first; let the irreversible effect come last, and after it only the record of it";
            let steps = step(dispatch, "the effect that cannot be undone happens here");
            sink.report(violation(
                facts,
                function,
                RULE.name,
                sure(function, dispatch),
                here(event),
                (message, help),
                steps,
            ));
        }
    }
}

/// Another effect for the same thing, in a function that calls the handler of an irreversible one first.
fn around(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let irreversible = |event: &EventFact| {
        let mut contracts = facts.contracts.iter().filter(|contract| contract.contract.irreversible == Some(true));
        contracts.any(|contract| contract.bodies.iter().any(|body| event.through.contains(body)))
    };
    for (at, dispatch) in function.dispatches().filter(|(_, dispatch)| irreversible(dispatch)) {
        let mut others = function.dispatches().filter(|(_, other)| !irreversible(other));
        let follows = |(later, other): &(usize, &EventFact)| {
            *later > at
                && meets(dispatch, other)
                && may_follow(&function.facts, at, *later)
                && is_of_one_intent(dispatch, other)
                && outcomes_at(&function.facts, other, dispatch.span).has(Outcomes::CONFIRMED)
        };
        let Some((_, other)) = others.find(follows) else {
            continue;
        };
        let message = format!(
            "{} comes after {}, which cannot be undone: if it fails or is refused, the effect stands without it",
            named(other),
            named(dispatch)
        );
        let help = "do first what can still be refused, and let the irreversible effect come last";
        let steps = step(dispatch, "the effect that cannot be undone happens here");
        let confidence = sure(function, dispatch).min(sure(function, other)).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(other), (message, help), steps));
        return;
    }
}

/// Whether the keys of two dispatches name the same thing.
fn is_of_one_intent(first: &EventFact, second: &EventFact) -> bool {
    let (EventFactKind::Dispatch { key: first, .. }, EventFactKind::Dispatch { key: second, .. }) =
        (&first.kind, &second.kind)
    else {
        return false;
    };
    let named = |origin: &OriginKind| matches!(origin, OriginKind::Input(_)) && second.origins.contains(origin);
    first.origins.iter().any(named)
}

/// What can still go wrong after a dispatch, other than its own record.
fn follows(
    facts: &Facts<'_>,
    function: &FunctionOps,
    contract: &HandlerContract,
    at: usize,
) -> Option<(usize, String)> {
    let dispatch = function.event(at);
    let record = contract.contract.record.as_deref().and_then(|record| record.rsplit('.').next());
    function.events().find_map(|(later, event)| {
        if later <= at
            || event.span == dispatch.span
            || !may_follow(&function.facts, at, later)
            || exclusive(dispatch, event)
        {
            return None;
        }
        match &event.kind {
            EventFactKind::Dispatch { harmless: false, .. } => Some((later, named(event))),
            EventFactKind::Fail { .. } if event.name == "return" && !is_own_failure(function, dispatch, event) => {
                Some((later, "a check that can refuse".to_owned()))
            }
            // An error of something else than a write, which is told of by itself.
            EventFactKind::Fail { .. }
                if event.name == "?" && is_of_nothing_known(function, event) && !is_told(function, dispatch, event) =>
            {
                Some((later, "a step that can fail".to_owned()))
            }
            EventFactKind::Fail { .. }
                if event.name == "?"
                    && refuses_below(facts, function, event)
                    && !is_told(function, dispatch, event) =>
            {
                Some((later, "a check that can refuse".to_owned()))
            }
            _ if function.is_write(later) => {
                let tables = function.changed_tables(later);
                let other = tables.iter().find(|table| Some(**table) != record)?;
                Some((later, format!("a write to `{other}`")))
            }
            _ => None,
        }
    })
}

/// Whether what fails is a call that is handed the answer of the dispatch: the record of it, or whoever keeps that.
fn is_told(function: &FunctionOps, dispatch: &EventFact, fail: &EventFact) -> bool {
    function.events().any(|(_, event)| match &event.kind {
        EventFactKind::Call { args, .. } => {
            fail.span.covers(event.span) && args.iter().any(|arg| arg.replies.contains(&dispatch.span))
        }
        _ => false,
    })
}

/// Whether what fails is a call of a function that reads, and then refuses before anything is written: what it decides by was
/// known before the effect.
fn refuses_below(facts: &Facts<'_>, function: &FunctionOps, fail: &EventFact) -> bool {
    let mut within = function.events().filter(|(_, event)| fail.span.covers(here(event)));
    let refuses = |below: &FunctionOps| {
        let mut ends = below.events().filter(|(_, event)| {
            let says = matches!(event.kind, EventFactKind::Fail { .. }) && event.name == "return";
            says && event.via.is_empty() && !event.branches.is_empty()
        });
        ends.any(|(end, _)| {
            (0..end).any(|at| below.is_read(at)) && !(0..end).any(|at| below.is_write(at) || below.is_claim(at))
        })
    };
    within.any(|(_, event)| {
        event.through.iter().any(|callee| {
            let mut known = facts.operations.functions.iter();
            known.find(|below| below.facts.function == *callee).is_some_and(refuses)
        })
    })
}

/// Whether a failure is of none of the operations that are known here.
fn is_of_nothing_known(function: &FunctionOps, fail: &EventFact) -> bool {
    let mut conditions = function.facts.conditions.iter();
    fail.via.is_empty()
        && !conditions.any(|condition| fail.branches.contains(&condition.branch) && !condition.about.is_empty())
}
