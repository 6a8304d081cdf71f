//! `effect-outside-step`: an effect in workflow code that no durable step journals.

use super::scene::{handled, here, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::Level;
use crate::flow::{EventFact, EventFactKind, Role};

pub(super) const RULE: Rule = Rule {
    name: "effect-outside-step",
    group: Group::Replay,
    default_level: Level::Deny,
    summary: "an effect in workflow code outside a durable step",
    doc: include_str!("effect_outside_step.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let Some(handler) = function.facts.handler.as_ref().filter(|handler| handler.kind == "workflow") else {
            continue;
        };
        for (_, dispatch) in function.dispatches() {
            let journaled = dispatch.regions.iter().any(|(_, role)| *role == Role::Step);
            if journaled || is_of_engine(dispatch) {
                continue;
            }
            let message = format!(
                "{} stands outside a durable step: every replay of {} asks the provider again",
                named(dispatch),
                handler.scope.what
            );
            let help =
                "run it inside a step of the engine, which keeps its result, and give it a key for the time in between";
            let steps = step(dispatch, "the provider is asked to act here");
            let confidence = sure(function, dispatch).min(handled(Some(handler)));
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether the engine itself is asked: its own calls are journaled.
fn is_of_engine(dispatch: &EventFact) -> bool {
    matches!(&dispatch.kind, EventFactKind::Dispatch { system: Some(system), .. } if system == "workflow-engine")
}
