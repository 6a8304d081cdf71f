//! `whole-batch-retried`: one failure repeats the effects of the whole batch.

use std::collections::BTreeSet;

use super::ack_before_persist::{consumes, forgets};
use super::dispatches::says_which;
use super::scene::{harmful, here, is_keyed, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, Role, ValueFact};
use crate::operations::{FunctionOps, asked, outcomes_at};
use crate::resolve::{FnId, Ty};
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

/// What a failure is called that is no error.
const PANICS: [&str; 2] = ["expect", "panic"];

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut found: Vec<(&FunctionOps, &EventFact, Span, &EventFact)> = Vec::new();
    for function in &facts.operations.functions {
        for (at, dispatch) in function.dispatches() {
            let Some(batch) = batch(function, dispatch) else {
                continue;
            };
            let failing = failing(function, dispatch, batch).filter(|(_, fail)| is_tried_again(function, fail));
            let Some(fail) = failing.map(|(_, fail)| fail).or_else(|| given_back(facts, function, dispatch, at)) else {
                continue;
            };
            // What a worker takes one after the other is no batch that starts from the front.
            let is_worker = dispatch
                .regions
                .iter()
                .any(|(at, role)| *at == batch && matches!(role, Role::Each { endless: true, .. }));
            // A key that is another one each time is told of by itself, and made again from the item it keeps the repeat out.
            let tries_key = matches!(dispatch.kind, EventFactKind::Dispatch { keyed: true, .. });
            let repeats = !tries_key || takes_batch(facts, function);
            let again = !is_worker && !is_of_moment(function, dispatch, batch);
            if again && repeats && !is_recorded(function, at, batch) && !comes_once(facts, function, dispatch) {
                found.push((function, dispatch, batch, fail));
            }
        }
    }
    let at: BTreeSet<(Span, FnId)> =
        found.iter().map(|(function, dispatch, ..)| (dispatch.span, function.facts.function)).collect();
    for (function, dispatch, batch, fail) in found {
        // Told at the nearest loop: those around it are the way there.
        if !dispatch.through.iter().any(|&nearer| at.contains(&(dispatch.span, nearer))) {
            let (message, help) = match is_keyed(dispatch) {
                false => (
                    format!(
                        "one failure of {} ends the whole batch: the next try starts from the front, and acts again for all \
                            that are done",
                        named(dispatch)
                    ),
                    "store one command for each item and send them one by one, or record each item as done before the next",
                ),
                true => (
                    format!(
                        "one failure of {} gives the whole batch back: what is done is tried again with it each time, and ends \
                            among the dead letters beside it",
                        named(dispatch)
                    ),
                    "go on with the next item, and answer which items have failed, so that only these come again",
                ),
            };
            let mut steps = vec![(batch, "for each item of the batch".to_owned())];
            steps.extend(step(dispatch, "the provider is asked to act here"));
            steps.push((fail.span, "the first error ends the batch".to_owned()));
            // Where each task could be answered for, all that were done come back, whatever it is that each of them does.
            let confidence = match takes_batch(facts, function) {
                true => sure(function, dispatch),
                // Whoever reads a message that says which one it is takes it once.
                false if says_which(dispatch, None) => Confidence::Possible,
                false => harmful(facts, function, dispatch),
            }
            .min(Confidence::Likely);
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// The loop over a batch around a dispatch, in this function. Rounds that look at nothing take what is there each time.
pub(super) fn batch(function: &FunctionOps, dispatch: &EventFact) -> Option<Span> {
    let own = |at: &Span| function.facts.body.covers(*at);
    let each = |role: &Role| matches!(role, Role::Each { rounds: false, .. });
    let around = dispatch.regions.iter().rev().find(|(at, role)| own(at) && each(role))?;
    let detached = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    (!detached).then_some(around.0)
}

/// Whether a batch is put together in the round of a loop without end that reads no store: what the next run finds is another one.
fn is_of_moment(function: &FunctionOps, dispatch: &EventFact, batch: Span) -> bool {
    let outside = dispatch.regions.iter().take_while(|(at, _)| *at != batch);
    let mut rounds =
        outside.filter(|(_, role)| matches!(role, Role::Each { endless: true, .. } | Role::Each { rounds: true, .. }));
    rounds.any(|round| !function.events().any(|(at, event)| event.regions.contains(round) && function.is_read(at)))
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
            && is_of(function, event, dispatch)
    })
}

/// The place where the message that the batch came with is given back to its queue because of one item: `requeue: true`.
fn given_back<'a>(
    facts: &Facts<'_>,
    function: &'a FunctionOps,
    dispatch: &EventFact,
    at: usize,
) -> Option<&'a EventFact> {
    let names = &facts.catalog.words.requeueing_names;
    let called = |name: &str| names.iter().any(|known| known == name);
    let said =
        |value: &ValueFact| matches!(value.origins[..], [OriginKind::Constant(Some(text))] if text.as_str() == "true");
    let gives_back = |event: &EventFact| match &event.kind {
        EventFactKind::Made { fields, .. } => fields.iter().any(|(name, value)| called(name) && said(value)),
        EventFactKind::State { means } => means == "unknown" && called(last_of(&event.name)),
        _ => false,
    };
    let failed =
        |event: &EventFact| asked(&function.facts, event, dispatch.span).is_some_and(|asked| asked.outcomes.is_error());
    let mut later = function.events().filter(|(back, event)| *back > at && event.via.is_empty());
    later.find(|(_, event)| gives_back(event) && failed(event)).map(|(_, event)| event)
}

fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Whether somebody may try again after a failure: a panic ends the process, or a task that nobody is seen to start again.
fn is_tried_again(function: &FunctionOps, fail: &EventFact) -> bool {
    !PANICS.contains(&fail.name.as_str()) || function.facts.handler.is_some()
}

/// Whether a failure is that of a dispatch. A `?` beside its error, on what the answer to it is put together from, is another.
fn is_of(function: &FunctionOps, fail: &EventFact, dispatch: &EventFact) -> bool {
    match asked(&function.facts, fail, dispatch.span) {
        Some(asked) => fail.name.as_str() != "?" || fail.branches.last() == Some(&asked.branch),
        None => false,
    }
}

/// Whether whoever the batch comes with is a message that the broker forgets when it hands it out: then there is no next try.
fn comes_once(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact) -> bool {
    let consumed = || facts.operations.seen(dispatch.span).any(|(above, _)| consumes(above));
    forgets(facts, function) && (consumes(function) || consumed())
}

/// Whether a function is handed several tasks at once by a runner that would take an answer for each of them.
fn takes_batch(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let words = &facts.catalog.words;
    let mentions =
        |ty: &Ty, words: &[String]| ty.mentions(&mut |path| words.iter().any(|word| is_same_type(word, path)));
    facts.program.function(function.facts.function).params.iter().any(|ty| match ty {
        Ty::Sequence(item) => mentions(item, &words.batch_items),
        _ => mentions(ty, &words.batch_types),
    })
}

/// Whether a path names a type of the catalog, wherever in its crate that is exported from.
fn is_same_type(known: &str, path: &str) -> bool {
    let ends = |path: &str| Some((path.split_once("::")?.0.to_owned(), path.rsplit_once("::")?.1.to_owned()));
    known == path || ends(known).is_some_and(|known| ends(path) == Some(known))
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
