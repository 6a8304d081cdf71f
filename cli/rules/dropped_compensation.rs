//! `dropped-compensation`: nobody looks at the result of a compensation.

use super::scene::{has_any, here, in_branch, is_declared, related, step, violation};
use super::swallowed::lost_in;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role, Usage, names_undoing, state_word};
use crate::operations::{FunctionOps, meets, surely_before};
use crate::resolve::Callee;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "dropped-compensation",
    group: Group::Order,
    default_level: Level::Deny,
    summary: "the result of a compensation is ignored, or it runs detached",
    doc: include_str!("dropped_compensation.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, event) in function.events() {
            let Some(known) = undoes(facts, function, event).or_else(|| takes_away(facts, function, at)) else {
                continue;
            };
            let dropped = event.usage == Usage::Dropped
                && !answers_with_nothing(facts, event)
                && !below(facts, event, |below| below.usage == Usage::Dropped);
            let detached = is_detached(event) && !below(facts, event, is_detached);
            let how = match (dropped, detached) {
                (true, _) => "nobody looks at its result",
                (_, true) => "it runs in a task whose handle is dropped",
                _ if passes_over_error(function, at) => "only a good answer is looked at",
                _ => continue,
            };
            let message = format!(
                "`{}` undoes an effect, and {how}: if it fails, the effect stands and nothing tries again",
                event.name
            );
            let help = "store the compensation as a command of its own and send it until it is confirmed";
            let mut steps = step(event, "the effect is undone here");
            steps.extend(takes_back(event).map(|done| (done, "what it takes back is done here".to_owned())));
            sink.report(violation(facts, function, RULE.name, known, here(event), (message, help), steps));
        }
    }
}

/// Whether there is a branch for a good answer, and none for an error: `if let Ok(refund) = refund(..) { .. }`. Where the good
/// answer ends the function, or the round of a loop that tries again, all that follows is for the error.
pub(super) fn passes_over_error(function: &FunctionOps, at: usize) -> bool {
    let returns = |branch: Span| {
        let mut inside = in_branch(function, (branch, 0));
        inside.any(|(_, event)| matches!(event.kind, EventFactKind::Return { .. }) && event.via.is_empty())
    };
    let is_in_loop = |(region, role): &(Span, Role)| {
        matches!(role, Role::Retry | Role::Each { .. }) && function.facts.body.covers(*region)
    };
    let of_good = |(branch, arm): (Span, u32), place: Span| arm == 1 && place == branch && !returns(branch);
    !function.event(at).regions.iter().any(is_in_loop)
        && lost_in(function, at).is_some_and(|lost| lost.branch.is_some_and(|error| of_good(error, lost.place)))
}

/// Whether a call takes away what was put somewhere before, where a step behind that has failed.
fn takes_away(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Confidence> {
    let removal = function.event(at);
    let removes = |event: &EventFact| {
        matches!(event.kind, EventFactKind::Dispatch { .. }) && has_any(&event.name, &facts.catalog.words.removal_verbs)
    };
    if removal.usage != Usage::Dropped || !removes(removal) {
        return None;
    }
    let mut failed = function.events().filter(|(_, event)| {
        matches!(event.kind, EventFactKind::Errs { .. })
            && event.via.is_empty()
            && event.branches.last().is_some_and(|branch| removal.branches.contains(branch))
    });
    let (failed_at, _) = failed.find(|(failed_at, _)| *failed_at < at)?;
    let put = function.events().find(|(before, event)| {
        matches!(event.kind, EventFactKind::Dispatch { .. })
            && !removes(event)
            && *before < failed_at
            && meets(event, removal)
            && related(event, removal)
            && surely_before(&function.facts, *before, at)
    });
    put.map(|_| Confidence::Likely)
}

/// Whether something holds already for the function that is called here, so that it is told there.
fn below(facts: &Facts<'_>, event: &EventFact, holds: impl Fn(&EventFact) -> bool) -> bool {
    let Some((_, rest)) = event.via.split_first() else {
        return false;
    };
    let seen = facts.operations.seen(event.span).map(|(function, at)| function.event(at));
    let mut same = seen.filter(|other| other.name == event.name && *other.via == *rest);
    same.any(holds)
}

/// Whether a function undoes it whose caller has no result to look at: what comes of an error is decided there.
fn answers_with_nothing(facts: &Facts<'_>, event: &EventFact) -> bool {
    event.through.first().is_some_and(|&id| facts.program.function(id).ir.ret.is_unit())
}

fn is_detached(event: &EventFact) -> bool {
    event.regions.iter().any(|(_, role)| *role == (Role::Spawned { dropped: true }))
}

/// Whether a call undoes an effect, by its name or that of the function in which a provider is asked, and how sure that is.
pub(super) fn undoes(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact) -> Option<Confidence> {
    let words = &facts.catalog.words.compensation_verbs;
    match &event.kind {
        EventFactKind::Dispatch { presumed, .. } if has_any(&event.name, words) => {
            Some(if *presumed && !is_declared(function) { Confidence::Likely } else { Confidence::Certain })
        }
        EventFactKind::Dispatch { .. } if is_declared_compensation(facts, event) => Some(Confidence::Certain),
        EventFactKind::Dispatch { args, .. } => {
            let path = facts.program.function(event.function).path;
            let name = path.as_str().rsplit("::").next().unwrap_or_default();
            let by_address = || names_undoing(&facts.catalog.words, args.texts());
            (has_any(name, words) || takes_payment_back(facts, event) || by_address()).then_some(Confidence::Likely)
        }
        EventFactKind::Call { awaited: true, .. } if has_any(&event.name, words) => Some(Confidence::Likely),
        _ => None,
    }
    .or_else(|| takes_back(event).map(|_| Confidence::Likely))
}

/// Whether a call of a type that stands for a payment, by its name, takes it back: `PaymentIntent::cancel`.
fn takes_payment_back(facts: &Facts<'_>, event: &EventFact) -> bool {
    let words = &facts.catalog.words;
    if !words.retracting_verbs.iter().any(|verb| event.name == verb.as_str()) {
        return false;
    }
    let mut calls = facts.flow.dispatches.iter().filter(|dispatch| dispatch.site == event.span);
    let of = match calls.find_map(|dispatch| dispatch.callee(facts.program)) {
        Some(Callee::External(path)) => path.as_str().rsplit("::").nth(1),
        Some(Callee::ExternalMethod { receiver, .. }) => receiver.as_str().rsplit("::").next(),
        _ => None,
    };
    of.is_some_and(|of| has_any(&state_word(of), &words.payment_words))
}

/// The call whose effect a call takes back, by what it is handed.
fn takes_back(event: &EventFact) -> Option<Span> {
    let asks = matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Call { awaited: true, .. });
    event.takes_back.filter(|_| asks)
}

/// Whether an event stands in a function that a contract calls the compensation of an effect, or below one.
fn is_declared_compensation(facts: &Facts<'_>, event: &EventFact) -> bool {
    facts.contracts.iter().any(|contract| {
        contract.contract.compensates.is_some()
            && contract.bodies.iter().any(|body| *body == event.function || event.through.contains(body))
    })
}
