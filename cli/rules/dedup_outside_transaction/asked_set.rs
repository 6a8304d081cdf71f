//! `dedup-outside-transaction`, where what was done before is kept in memory.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Usage};
use crate::operations::FunctionOps;
use crate::rules::scene::{here, step, violation};
use crate::rules::{Facts, Sink};

/// A set in memory that is asked in one step and told in another.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let remembered = |insert: bool| {
        function.events().find(|(_, event)| match &event.kind {
            EventFactKind::Remembered { insert: other, named, .. } => {
                event.via.is_empty() && *named && *other == insert
            }
            _ => false,
        })
    };
    let (Some((asked_at, asked)), Some((told_at, told))) = (remembered(false), remembered(true)) else {
        return;
    };
    // The answer of the insert decides, or both stand under one lock: that is one step.
    let held = |event: &EventFact| match event.kind {
        EventFactKind::Remembered { held, .. } => held,
        _ => None,
    };
    let one_step = held(told).is_some() && held(told) == held(asked);
    if told_at <= asked_at || told.usage == Usage::Used || one_step {
        return;
    }
    let message =
        "a set is asked whether this was done before, and takes it in only here: of two requests at once both find \
                   nothing, and both go on"
            .to_owned();
    let help = "let the answer of `insert` decide, under one lock";
    let mut steps = step(asked, "the check");
    steps.extend(step(told, "the mark, in a step of its own"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(told), (message, help), steps));
}
