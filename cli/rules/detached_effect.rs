//! `detached-effect`: an effect in a task whose handle nobody holds.

use super::scene::{here, in_doubt, named, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, asked};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "detached-effect",
    group: Group::Persist,
    default_level: Level::Warn,
    summary: "an effect runs in a spawned task whose handle is dropped",
    doc: include_str!("detached_effect.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let dispatches = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Dispatch { .. }));
        for (_, dispatch) in dispatches {
            // Told where the task is spawned: by the function whose own region it is.
            let spawned = dispatch.regions.iter().position(|(at, role)| {
                function.facts.body.covers(*at) && matches!(role, Role::Spawned { dropped: true })
            });
            let Some(spawned) = spawned else {
                continue;
            };
            // What a worker did not do, its next round finds.
            if dispatch.regions[spawned..].iter().any(|(_, role)| matches!(role, Role::Each { endless: true, .. })) {
                continue;
            }
            let (spawned, _) = dispatch.regions[spawned];
            if is_told(function, dispatch, spawned) {
                continue;
            }
            let message = format!(
                "{} runs in a task whose handle is dropped: if the process stops or the task fails, nobody knows and nothing \
                 repeats it",
                named(dispatch)
            );
            let help = "store the intent and let a worker send it, or hold the handle and look at its result";
            let steps = vec![
                (spawned, "the task is spawned here".to_owned()),
                (dispatch.span, "the provider is asked to act here".to_owned()),
            ];
            // What only states a result is lost all the same, but nothing happens twice.
            let confidence = match dispatch.kind {
                EventFactKind::Dispatch { harmless: true, .. } => Confidence::Possible,
                _ => sure(function, dispatch).min(Confidence::Likely),
            };
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether the task hands the answer to another one, whatever it is, or cancels what both belong to when the effect fails.
fn is_told(function: &FunctionOps, dispatch: &EventFact, spawned: Span) -> bool {
    function.events().any(|(_, event)| match &event.kind {
        EventFactKind::Handed { args } if event.regions.iter().any(|(at, _)| *at == spawned) => match args.as_slice() {
            // a token, which carries nothing
            [_] => in_doubt(&function.facts, event, dispatch).is_some(),
            args => {
                let answers = args.iter().any(|arg| arg.replies.contains(&dispatch.span));
                answers && asked(&function.facts, event, dispatch.span).is_none()
                    || in_doubt(&function.facts, event, dispatch).is_some()
            }
        },
        _ => false,
    })
}
