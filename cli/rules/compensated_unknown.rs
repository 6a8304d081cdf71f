//! `compensated-unknown`: an effect is undone of which nobody knows whether it happened.

use effect_contracts_grammar::Remedy;

use super::scene::{
    NEAR, asks_before, by_contract, has_any, here, in_branch, in_doubt, is_declared, named, step, sure, violation,
};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{Doubts, EventFact, EventFactKind, Role};
use crate::operations::FunctionOps;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "compensated-unknown",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "a compensation runs while the outcome is unknown",
    doc: include_str!("compensated_unknown.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        stored_as_unknown(facts, function, sink);
        for (_, dispatch) in function.dispatches() {
            let mut told = Vec::new();
            // One function may send everything: what undoes goes another way through it.
            let other = |event: &EventFact| event.span != dispatch.span || event.via != dispatch.via;
            for (at, event) in function.events().filter(|(_, event)| other(event)) {
                // Few are in doubt, and names are slow to read.
                let Some(branch) = in_doubt(&function.facts, event, dispatch) else {
                    continue;
                };
                let Some(name) = compensation(facts, function, event, Some(dispatch)) else {
                    continue;
                };
                if asks_before(facts, function, dispatch, branch, at) || told.contains(&here(event)) {
                    continue;
                }
                told.push(here(event));
                let message = format!(
                    "`{name}` undoes {} here, where its outcome may be unknown: if the answer was lost the effect stands, and both \
                     are done",
                    named(dispatch)
                );
                let help =
                    "compensate only what is confirmed; keep an unknown outcome unknown until the provider was asked";
                let mut steps = step(dispatch, "the provider is asked to act here");
                steps.push((branch.0, "errors of all kinds come this way, lost answers among them".to_owned()));
                // Far below, a list of what was done may have been kept, by which only that is undone.
                let one = dispatch.via.len() < NEAR
                    && !event.regions.iter().any(|(_, role)| matches!(role, Role::Each { .. }));
                let near = dispatch.via.len() <= 1 || one || is_declared(function);
                let confidence = if near { by_contract(function) } else { Confidence::Possible };
                let confidence = confidence.min(sure(function, dispatch));
                sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, help), steps));
            }
        }
    }
}

/// A compensation in the branch for a stored state that says of an earlier effect that nobody knows what became of it. The
/// function in which that is looked at tells of it.
fn stored_as_unknown(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let own = |at: &Span| function.facts.body.covers(*at);
    let doubts =
        function.facts.conditions.iter().filter(|condition| condition.doubts == Doubts::Named && own(&condition.place));
    for condition in doubts {
        let acts = in_branch(function, condition.branch).find_map(|(at, event)| {
            let acts = matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Call { awaited: true, .. });
            let name = compensation(facts, function, event, None).filter(|_| acts)?;
            (!asks_before(facts, function, event, condition.branch, at)).then_some((event, name))
        });
        let Some((event, name)) = acts else {
            continue;
        };
        let message = format!(
            "`{name}` undoes here what is stored as unknown, too: if nothing was done then, it is undone all the same, and if the \
             answer is still to come, both are done"
        );
        let help = "compensate only what is confirmed; leave an unknown outcome to whoever asks the provider";
        let mut steps = step(event, "this undoes it");
        steps.insert(0, (condition.place, "an unknown outcome comes this way".to_owned()));
        let confidence = by_contract(function).min(sure(function, event));
        sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, help), steps));
    }
}

/// The name of the call that undoes an effect: the contract says so, or its name. It is the call itself, or one of those
/// that lead to it and not to the effect.
fn compensation(
    facts: &Facts<'_>,
    function: &FunctionOps,
    event: &EventFact,
    dispatch: Option<&EventFact>,
) -> Option<String> {
    // What is only stored undoes an effect where the contract says so.
    let stores = matches!(event.kind, EventFactKind::Store { .. } | EventFactKind::Sql { .. });
    if !stores && !matches!(event.kind, EventFactKind::Call { .. } | EventFactKind::Dispatch { .. }) {
        return None;
    }
    let contracts = facts.contracts.iter().filter(|contract| {
        contract.function == function.facts.function || contract.bodies.contains(&function.facts.function)
    });
    let declared: Vec<&str> = contracts
        .filter_map(|contract| match &contract.contract.compensate {
            Some(Remedy::Path(path) | Remedy::Unchecked(path)) => path.rsplit("::").next(),
            _ => None,
        })
        .collect();
    let verbs = &facts.catalog.words.compensation_verbs;
    if declared.contains(&event.name.as_str()) || !stores && has_any(&event.name, verbs) {
        return Some(event.name.to_string());
    }
    let own = event
        .through
        .iter()
        .zip(event.via.iter())
        .filter(|(_, via)| dispatch.is_none_or(|dispatch| !dispatch.via.contains(via)));
    own.map(|(id, _)| facts.program.function(*id).ir.name.as_str())
        .find(|name| declared.contains(name) || !stores && verbs.iter().any(|verb| is_verb(name, verb)))
        .map(str::to_owned)
}

/// Whether a function's name begins or ends with a verb: `refund_order`, `issue_refund`, and not `mail_refund_failed`.
fn is_verb(name: &str, verb: &str) -> bool {
    let rest = name.strip_prefix(verb).map(|rest| rest.is_empty() || rest.starts_with('_'));
    rest.unwrap_or(false) || name.strip_suffix(verb).is_some_and(|rest| rest.ends_with('_'))
}
