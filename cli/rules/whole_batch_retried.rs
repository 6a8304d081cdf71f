//! `whole-batch-retried`: one failure repeats the effects of the whole batch.

use std::collections::BTreeSet;

use super::scene::{harmful, here, is_keyed, named, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Outcomes, Role};
use crate::operations::{FunctionOps, asked, outcomes_at};
use crate::resolve::FnId;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "whole-batch-retried",
    group: Group::Ack,
    default_level: Level::Warn,
    summary: "one failure repeats the effects of the whole batch",
    doc: include_str!("whole_batch_retried.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut found: Vec<(&FunctionOps, &EventFact, Span, &EventFact)> = Vec::new();
    for function in &facts.operations.functions {
        for (at, dispatch) in function.dispatches() {
            let Some(batch) = batch(function, dispatch) else {
                continue;
            };
            let Some((_, fail)) = failing(function, dispatch, batch) else {
                continue;
            };
            // What a worker takes one after the other is no batch that starts from the front.
            let is_worker = dispatch
                .regions
                .iter()
                .any(|(at, role)| *at == batch && matches!(role, Role::Each { endless: true, .. }));
            if !is_worker && !is_keyed(dispatch) && !is_recorded(function, at, batch) {
                found.push((function, dispatch, batch, fail));
            }
        }
    }
    let at: BTreeSet<(Span, FnId)> =
        found.iter().map(|(function, dispatch, ..)| (dispatch.span, function.facts.function)).collect();
    for (function, dispatch, batch, fail) in found {
        // Told at the nearest loop: those around it are the way there.
        if !dispatch.through.iter().any(|&nearer| at.contains(&(dispatch.span, nearer))) {
            let message = format!(
                "one failure of {} ends the whole batch: the next try starts from the front, and acts again for all that are done",
                named(dispatch)
            );
            let help =
                "store one command for each item and send them one by one, or record each item as done before the next";
            let mut steps = vec![(batch, "for each item of the batch".to_owned())];
            steps.extend(step(dispatch, "the provider is asked to act here"));
            steps.push((fail.span, "the first error ends the batch".to_owned()));
            let confidence = harmful(function, dispatch).min(Confidence::Likely);
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// The loop over a batch around a dispatch, in this function. Rounds that look at nothing take what is there each time.
pub(super) fn batch(function: &FunctionOps, dispatch: &EventFact) -> Option<Span> {
    let (file, body) = function.facts.body;
    let own = |at: &Span| at.file == file && body.start <= at.range.start && at.range.end <= body.end;
    let each = |role: &Role| matches!(role, Role::Each { rounds: false, .. });
    let around = dispatch.regions.iter().rev().find(|(at, role)| own(at) && each(role))?;
    let detached = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    (!detached).then_some(around.0)
}

/// The failure of the function because of one item.
pub(super) fn failing<'a>(
    function: &'a FunctionOps,
    dispatch: &EventFact,
    batch: Span,
) -> Option<(usize, &'a EventFact)> {
    function.events().find(|(_, event)| {
        matches!(event.kind, EventFactKind::Fail { .. })
            && event.via.is_empty()
            && event.regions.iter().any(|(at, _)| *at == batch)
            && asked(&function.facts, event, dispatch.span).is_some()
    })
}

/// Whether each item is marked when it is done, or before. What is written down of a failure marks nothing that is done.
fn is_recorded(function: &FunctionOps, at: usize, batch: Span) -> bool {
    let dispatch = function.event(at);
    function.events().any(|(other, event)| {
        let marks = function.is_write(other) || matches!(event.kind, EventFactKind::Ack { .. });
        let done = Outcomes::CONFIRMED;
        marks
            && event.regions.iter().any(|(region, _)| *region == batch)
            && outcomes_at(&function.facts, event, dispatch.span).has(done)
    })
}
