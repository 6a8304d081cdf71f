//! `irreversible-not-last`: something that can still fail comes after an effect that cannot be undone.

use super::scene::{has_known_key, here, is_declared, is_own_failure, named, step, sure, surely_related, violation};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::HandlerContract;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes};
use crate::guarantee::dispatches;
use crate::operations::{FunctionOps, exclusive, may_follow, meets, outcomes_at, surely_before};
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
        told_too_early(facts, function, sink);
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

/// A message that nobody takes back, before the effect it speaks of: that may be refused, and then what was told is wrong.
fn told_too_early(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    if is_declared(function) {
        return;
    }
    for (at, message) in function.dispatches().filter(|(_, event)| is_final(facts, event)) {
        let effect = function.dispatches().find(|(later, event)| {
            surely_before(&function.facts, at, *later)
                && meets(message, event)
                && can_refuse(facts, event)
                && fails_with(function, event)
                && surely_related(message, event)
        });
        let Some((_, effect)) = effect else {
            continue;
        };
        let text = format!(
            "{} comes after {}, which cannot be undone: if it is refused, or nobody knows what came of it, the message is out \
             all the same, and out again at the next try",
            named(effect),
            named(message)
        );
        let help = "let the effect come first, and tell of it when it is confirmed";
        let mut steps = step(message, "the message goes out here");
        steps.extend(step(effect, "and only then is the effect asked for"));
        let confidence = sure(function, message).min(sure(function, effect)).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(effect), (text, help), steps));
    }
}

/// Whether a dispatch is a message that cannot be taken back, by the catalog's word.
fn is_final(facts: &Facts<'_>, event: &EventFact) -> bool {
    match &event.kind {
        EventFactKind::Dispatch { system: Some(system), presumed: false, harmless: false, .. } => {
            facts.catalog.words.final_systems.iter().any(|word| word == system.as_str())
        }
        _ => false,
    }
}

/// Whether a dispatch is a request that its target may well refuse, as far as is known: a payment, or one under a key of its
/// own. Whoever publishes an event tells of what was done.
fn can_refuse(facts: &Facts<'_>, event: &EventFact) -> bool {
    match &event.kind {
        EventFactKind::Dispatch { system, http, presumed: false, harmless: false, .. } => {
            let pays = system.as_deref() == Some("payment");
            !is_final(facts, event) && (pays || *http && has_known_key(event))
        }
        _ => false,
    }
}

/// Whether the function fails when a dispatch does.
fn fails_with(function: &FunctionOps, dispatch: &EventFact) -> bool {
    function.events().filter(|(_, event)| event.via.is_empty()).any(|(_, event)| match &event.kind {
        EventFactKind::Fail { .. } => event.span.covers(here(dispatch)) || is_own_failure(function, dispatch, event),
        EventFactKind::Return { value, .. } => {
            value.replies.contains(&dispatch.span) && event.span.covers(here(dispatch))
        }
        _ => false,
    })
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
            || exclusive(&function.facts, dispatch, event)
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
    within.any(|(_, event)| event.through.iter().any(|&callee| facts.operations.function(callee).is_some_and(refuses)))
}

/// Whether a failure is of none of the operations that are known here.
fn is_of_nothing_known(function: &FunctionOps, fail: &EventFact) -> bool {
    let mut conditions = function.facts.conditions.iter();
    fail.via.is_empty()
        && !conditions.any(|condition| fail.branches.contains(&condition.branch) && !condition.about.is_empty())
}
