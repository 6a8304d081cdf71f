//! Rows that are looked up, and put in where there is none: what could not be looked up is put in a second time.

use super::dedup_fails_open::{RULE, ends_well_beside};
use super::raced::races;
use super::scene::{has_any, here, named_at, related, step, violation};
use super::{Facts, Sink, dedup_outside_transaction};
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

/// Reports a look-up and what is put in where it found nothing, each run by a pool, where callers hand over the statements:
/// whether their table keeps a second row out is not seen here.
pub(super) fn unseen(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, read) in function.events().filter(|(at, event)| event.pooled && function.is_read(*at)) {
        if !matches!(read.kind, EventFactKind::Store { .. }) || !named(facts, read, &facts.catalog.words.lookup_verbs) {
            continue;
        }
        let found = found(facts, function, at).map(|(made_at, _)| function.event(made_at));
        let Some(made) = found.filter(|made| made.pooled && related(read, made)) else {
            continue;
        };
        let message =
            "what is looked up here is put in by a statement of its own where there is none: of two runs at once both \
                       find nothing and put it in, unless a unique index keeps the second one out"
                .to_owned();
        let help = "let a unique index decide: insert with on conflict do nothing, and look at the number of rows";
        let mut steps = step(read, "it is looked up here");
        steps.extend(step(made, "and put in here, in a step of its own"));
        let rule = dedup_outside_transaction::RULE.name;
        sink.report(violation(facts, function, rule, Confidence::Possible, here(read), (message, help), steps));
    }
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
            written.any(|statement| races(facts, statement, asked, (read, function.event(later))))
        })?;
        let known = asked.table.as_deref().is_some_and(|table| tables.has_schema(table));
        Some((later, if known { Confidence::Likely } else { Confidence::Possible }))
    })
}

/// Whether the helper that leads to an event is called by one of some words.
fn named(facts: &Facts<'_>, event: &EventFact, words: &[String]) -> bool {
    event.through.first().is_some_and(|&id| has_any(facts.program.function(id).ir.name.as_str(), words))
}
