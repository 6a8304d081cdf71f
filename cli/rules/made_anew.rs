//! Rows that are looked up, and put in where there is none: what could not be looked up is put in a second time.

use super::dedup_fails_open::{RULE, ends_well_beside};
use super::dedup_outside_transaction::races;
use super::scene::{has_any, named_at, step, violation};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{Defaulted, EventFact, EventFactKind};
use crate::operations::{FunctionOps, meets};

/// Reports a look-up whose error counts as "there is none", where a row is put in then.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, at: usize, defaulted: Defaulted, sink: &mut Sink) {
    let Some((made_at, confidence)) = found(facts, function, at) else {
        return;
    };
    let message = format!(
        "any error of this look-up counts as \"there is none\": {} is then made for what is there already",
        named_at(function, made_at)
    );
    let help =
        "take only the error that says so for none, hand any other on, and let a unique index keep a second row out";
    let mut steps = step(function.event(at), "it is looked up here");
    steps.extend(step(function.event(made_at), "and put in where there seems to be none"));
    sink.report(violation(facts, function, RULE.name, confidence, defaulted.at, (message, help), steps));
}

/// The row that is put in where the read at a position found nothing, beside an arm that answers with what it found. A table
/// that keeps a second one out does no harm by it.
fn found(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<(usize, Confidence)> {
    let read = function.event(at);
    let near = |event: &EventFact| event.via.len() <= 1;
    let mut turns = read.turns.iter().filter(|_| near(read)).filter_map(|turn| Some((turn.branch, turn.nothing?)));
    turns.find_map(|taken| {
        let (later, _) = function.events().find(|(later, event)| {
            let puts_in = match &event.kind {
                EventFactKind::Sql { .. } => function.is_insert(*later),
                // A statement that callers hand over is told by what the function is called that runs it.
                EventFactKind::Store { table: None, .. } => named(facts, event, &facts.catalog.words.insertion_verbs),
                _ => false,
            };
            puts_in && near(event) && *later > at && meets(read, event) && event.branches.contains(&taken)
        })?;
        if !ends_well_beside(function, taken) {
            return None;
        }
        let tables = &facts.operations.tables;
        let checked = function.statements(at);
        if checked.is_empty() && function.statements(later).is_empty() {
            return Some((later, Confidence::Possible));
        }
        let asked = checked.iter().find(|asked| {
            let mut written = function.statements(later).iter();
            written.any(|statement| races(facts, statement, asked, read))
        })?;
        let known = asked.table.as_deref().is_some_and(|table| tables.has_schema(table));
        Some((later, if known { Confidence::Likely } else { Confidence::Possible }))
    })
}

/// Whether the helper that leads to an event is called by one of some words.
fn named(facts: &Facts<'_>, event: &EventFact, words: &[String]) -> bool {
    event.through.first().is_some_and(|&id| has_any(facts.program.function(id).ir.name.as_str(), words))
}
