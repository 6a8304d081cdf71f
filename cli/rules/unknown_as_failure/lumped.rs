//! Answers of a provider that are put together under one failure, some of which say by their name that nobody knows.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{Doubts, EventFact, EventFactKind, Outcomes};
use crate::operations::FunctionOps;
use crate::rules::scene::{here, in_branch, step, violation};
use crate::rules::{Facts, Sink};

const HELP: &str =
    "give what the provider itself could not tell an arm of its own, keep it unknown, and ask again later";

/// Reports an arm that takes refusals and doubt alike, and decides a failure.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for condition in &function.facts.conditions {
        let own = function.facts.body.covers(condition.branch.0);
        if condition.doubts == Doubts::None
            || !own
            || !condition.about.is_empty()
            || condition.outcomes == Outcomes::UNKNOWN
        {
            continue;
        }
        // What a state is made into that is a row's own, whoever wrote the row decides.
        let fails = |event: &EventFact| matches!(&event.kind, EventFactKind::State { means } if means == "rejected" && event.name.contains("::"));
        let mut inside = in_branch(function, condition.branch).filter(|(_, event)| event.via.is_empty());
        let Some((_, event)) = inside.find(|(_, event)| fails(event)) else {
            continue;
        };
        let (which, confidence) = match condition.doubts {
            Doubts::Left => ("all answers that no other arm names", Confidence::Possible),
            _ => ("several answers", Confidence::Likely),
        };
        let message = format!(
            "`{}` is decided here for {which}, and at least one of them says by its name that nobody knows whether it was done",
            event.name.rsplit("::").next().unwrap_or_default(),
        );
        let mut steps = step(event, "the failure is decided here");
        steps.insert(0, (condition.place, "the answers are told apart here".to_owned()));
        sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
    }
}
