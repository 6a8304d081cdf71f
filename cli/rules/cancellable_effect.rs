//! `cancellable-effect`: an effect in a future that may be dropped midway.

use super::scene::{has_any, here, in_doubt, is_declared, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role, client_acts};
use crate::operations::{FunctionOps, may_follow};

pub(super) const RULE: Rule = Rule {
    name: "cancellable-effect",
    group: Group::Persist,
    default_level: Level::Note,
    summary: "a disconnect, timeout or select! can drop the future between an effect and its record",
    doc: include_str!("cancellable_effect.md"),
    check,
    contract_error: false,
};

const HELP: &str = "run effect and record in a task that outlives the caller (spawn it and await the handle), or store the intent first";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, event) in function.events() {
            let acts =
                matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. } | EventFactKind::Commit { .. });
            if is_task_of_others(facts, function, at) {
                if let Some(dropped) = dropped_by(function, event) {
                    report(facts, function, event, dropped, Confidence::Possible, sink);
                }
                continue;
            }
            if event.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. })) {
                continue;
            }
            let dropped = dropped_by(function, event).filter(|_| acts && !stays_unknown(function, event));
            if let Some(dropped) = dropped {
                report(facts, function, event, dropped, Confidence::Likely, sink);
            } else if let Some(by) = disconnected(facts, function, at) {
                let confidence = if is_declared(function) { sure(function, event) } else { Confidence::Possible };
                report(facts, function, event, by, confidence, sink);
            }
        }
    }
}

type By = (&'static str, Vec<(crate::source::Span, String)>);

fn report(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact, by: By, sure: Confidence, sink: &mut Sink) {
    let (what, mut steps) = by;
    let message = format!(
        "{what} drops this future midway: {} may have happened, and nothing after it runs",
        match event.kind {
            EventFactKind::Commit { .. } => "the commit".to_owned(),
            EventFactKind::Call { .. } => format!("whatever `{}` does outside", event.name),
            _ => named(event),
        }
    );
    steps.push((event.whole, "this may have happened".to_owned()));
    sink.report(violation(facts, function, RULE.name, sure, here(event), (message, HELP), steps));
}

/// Whether a runner of tasks has one done that somebody else has written, and records afterwards how it went: what it does
/// outside, no code here shows.
fn is_task_of_others(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    let words = &facts.catalog.words;
    let runs =
        matches!(event.kind, EventFactKind::Call { awaited: true, .. }) && has_any(&event.name, &words.running_verbs);
    let records = |(later, _): (usize, &EventFact)| later > at && may_follow(&function.facts, at, later);
    runs && function.writes().any(records)
}

/// Whether the function keeps the outcome unknown, or asks for it, where it has not seen the end of a dispatch.
fn stays_unknown(function: &FunctionOps, dispatch: &EventFact) -> bool {
    function.events().any(|(_, event)| {
        let keeps = match &event.kind {
            EventFactKind::State { means } => means == "unknown",
            EventFactKind::Lookup { .. } => true,
            _ => false,
        };
        keeps && in_doubt(&function.facts, event, dispatch).is_some()
    })
}

/// A timeout or a race around the event, in this function.
fn dropped_by(function: &FunctionOps, event: &EventFact) -> Option<By> {
    let around = event
        .regions
        .iter()
        .find(|(at, role)| function.facts.body.covers(*at) && matches!(role, Role::Timeout | Role::Race))?;
    let what = if around.1 == Role::Timeout { "a timeout" } else { "the other branch of a race" };
    Some((what, vec![(around.0, "the future is dropped from here".to_owned())]))
}

/// Whether the future of a function is dropped when the client goes away that has asked for it: of a handler of requests, or
/// of a procedure of an interface.
fn is_requested(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let info = facts.program.function(function.facts.function);
    let types = &facts.catalog.words.procedure_types;
    let procedure =
        || info.ir.is_async && info.trait_path.is_some() && info.params.iter().any(|ty| ty.is_one_of(types));
    function.facts.handler.as_ref().is_some_and(|handler| handler.kind == "webhook") || procedure()
}

/// A handler of requests that records behind an effect: a client that goes away ends it in between.
fn disconnected(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<By> {
    let event = function.event(at);
    // What a call that cannot be followed does, only its name says.
    let acts = match event.kind {
        EventFactKind::Dispatch { .. } => true,
        EventFactKind::Call { awaited: true, .. } => {
            event.via.is_empty() && client_acts(&facts.catalog.words, &event.name)
        }
        _ => false,
    };
    if !acts || !is_requested(facts, function) {
        return None;
    }
    let later = function.events().find(|(later, other)| {
        let records = function.is_write(*later) || matches!(other.kind, EventFactKind::Call { awaited: true, .. });
        *later > at && records && other.span != event.span && may_follow(&function.facts, at, *later)
    })?;
    let steps = step(later.1, "and this does not run any more");
    Some(("a client that disconnects", steps))
}
