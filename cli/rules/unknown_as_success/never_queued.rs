//! Work that could not be put into a table of work, of which there is no more than a line in a log: nobody ever does it.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::{FunctionOps, TableRole};
use crate::rules::scene::{NEAR, is_success, named_at, step, violation};
use crate::rules::swallowed::{is_local, lost_in};
use crate::rules::{Facts, Sink};
use crate::source::Span;
use crate::sql::Statement;

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    // Who hands no error on keeps this one to itself like any other.
    let fails = |event: &EventFact| matches!(event.kind, EventFactKind::Fail { .. }) && event.via.is_empty();
    if !function.events().any(|(_, event)| fails(event)) {
        return;
    }
    let mut told: Vec<Span> = Vec::new();
    for (at, write) in function.writes().filter(|(at, write)| function.is_insert(*at) && write.via.len() <= NEAR) {
        let queues = function.changed_tables(at).into_iter().any(|table| is_worked_off(facts, table));
        let lost = || unheard(facts, function, at).filter(|place| is_local(function, *place) && !told.contains(place));
        let Some(place) = queues.then(lost).flatten() else {
            continue;
        };
        let ends = function.events().find(|(end, event)| *end > at && event.via.is_empty() && is_success(event));
        let Some((_, end)) = ends else {
            continue;
        };
        told.push(place);
        let message = format!(
            "an error of {} goes no further than this, and the function ends as if it was done: what the row is for is never done",
            named_at(function, at)
        );
        let help =
            "hand the error on, so that whoever asked asks again, or put the row in with the change that it tells of";
        let mut steps = step(write, "the work is put in here");
        steps.push((end.span, "and counts as taken here".to_owned()));
        // Whoever logs that may have weighed it: only what is lost is known, not how much that matters.
        sink.report(violation(facts, function, RULE.name, Confidence::Possible, place, (message, help), steps));
    }
}

/// Where whatever error a write has is only told of, or nobody looks at it: that it was there already is another answer.
fn unheard(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Span> {
    let lost = lost_in(function, at)?;
    // A function that hands nothing on keeps the error to itself, or panics.
    let below = function.event(at).through.first().map(|&id| &facts.program.function(id).ir.ret);
    let hands_on = below.is_none_or(|answer| answer.as_result().is_some());
    let only_told = |(_, event): (usize, &EventFact)| {
        let quiet = matches!(event.kind, EventFactKind::Errs { quiet: true, .. });
        quiet && event.via.is_empty() && event.branches.last() == lost.branch.as_ref()
    };
    (lost.branch.is_none() && hands_on || function.events().any(only_told)).then_some(lost.place)
}

/// Whether rows of a table are taken until their work is done: by what it is called, or since attempts at them are counted.
fn is_worked_off(facts: &Facts<'_>, table: &str) -> bool {
    let columns = &facts.catalog.words.attempt_columns;
    let counts = |statement: &Statement| {
        let set = statement.set.iter().map(|set| &set.column);
        let asked = statement.conditions.iter().chain(&statement.picked).map(|condition| &condition.column);
        statement.table.as_deref() == Some(table) && set.chain(asked).any(|column| columns.contains(column))
    };
    let last = table.rsplit('_').next().unwrap_or(table);
    facts.operations.tables.is(table, TableRole::Outbox)
        || facts.catalog.words.work_tables.iter().any(|word| word == last)
        || facts.operations.functions.iter().any(|function| {
            function.events().any(|(at, event)| event.via.is_empty() && function.statements(at).iter().any(counts))
        })
}
