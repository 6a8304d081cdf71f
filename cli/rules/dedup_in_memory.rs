//! `dedup-in-memory`: what was processed before is only remembered in this process.

use super::scene::{violation, works};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, KEY_HEADER, OriginKind, Usage};
use crate::operations::{FunctionOps, meets};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "dedup-in-memory",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "processed ids are only in process memory",
    doc: include_str!("dedup_in_memory.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut told: Vec<Span> = Vec::new();
    // A function by itself first: of those that call it, who works behind its answer is only asked where it does not.
    for calls in 0..=1 {
        for function in &facts.operations.functions {
            let Some((at, taken_at)) = remembered(function, calls) else {
                continue;
            };
            let (asked, taken) = (function.event(at), function.event(taken_at));
            let acts = || acts_behind(facts, function, at) || calls == 0 && is_by_header(asked);
            if told.contains(&asked.span) || is_filled(function, at, taken_at) || !acts() {
                continue;
            }
            told.push(asked.span);
            let message =
                "the keys of requests that were processed are kept in the memory of this process: after a restart, or at \
                           another replica, a repeat is taken for new"
                    .to_owned();
            let help = "claim the key in a table under a unique index, in the transaction of the change";
            let mut steps: Vec<(Span, String)> =
                asked.via.iter().map(|call| (*call, "it is asked from here".to_owned())).collect();
            steps.push((asked.span, "a repeat is told by this".to_owned()));
            steps.push((taken.span, "and remembered here".to_owned()));
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, asked.span, (message, help), steps));
        }
    }
}

/// Where a function, or one that it calls over so many calls, asks a collection in memory, and where it tells it.
fn remembered(function: &FunctionOps, calls: usize) -> Option<(usize, usize)> {
    let events = |inserts: bool| {
        function.events().filter(move |(_, event)| match &event.kind {
            EventFactKind::Remembered { insert, named, .. } => {
                event.via.len() == calls && *insert == inserts && (*named || is_by_header(event))
            }
            _ => false,
        })
    };
    // The answer of an insert tells both.
    let asked = events(false).next().or_else(|| events(true).find(|(_, event)| event.usage == Usage::Used));
    let (at, asked) = asked?;
    let (taken, _) = events(true).find(|(_, event)| event.via == asked.via || calls > 0)?;
    Some((at, taken))
}

/// Whether what is not there is read from a store, and put there before anything happens: that is a copy of what the store
/// knows, and a restart only loses the copy.
fn is_filled(function: &FunctionOps, asked: usize, taken: usize) -> bool {
    let between = || function.events().filter(|(at, _)| (asked + 1..taken).contains(at));
    let acts = |at: usize, event: &EventFact| {
        function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. })
    };
    between().any(|(at, _)| function.is_read(at)) && !between().any(|(at, event)| acts(at, event))
}

/// Whether something acts or is stored behind what is asked.
fn acts_behind(facts: &Facts<'_>, function: &FunctionOps, asked: usize) -> bool {
    let first = function.event(asked);
    // What makes a value that is not there is handed over with the question.
    let within = |event: &EventFact| {
        let place = event.via.get(first.via.len()).copied().unwrap_or(event.span);
        event.via.starts_with(&first.via) && place != first.span && first.whole.covers(place)
    };
    function.events().any(|(at, event)| {
        let dispatched = matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. });
        let follows = at > asked && meets(first, event) || within(event);
        follows && (dispatched || function.is_write(at) || works(facts, event))
    })
}

fn is_by_header(asked: &EventFact) -> bool {
    match &asked.kind {
        EventFactKind::Remembered { value, .. } => {
            value.origins.iter().any(|origin| matches!(origin, OriginKind::Input(name) if name == KEY_HEADER))
        }
        _ => false,
    }
}
