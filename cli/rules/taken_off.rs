//! Work in rows that are taken off at the end of each round, whatever came of it.

use super::ack_on_failure::RULE;
use super::scene::{NEAR, has_any, here, is_status, step, violation};
use super::swallowed::is_local;
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, TableRole, exclusive, meets};
use crate::source::Span;
use crate::sql::{Condition, Kind};

const HELP: &str =
    "take a row off only when its work is done or durably refused; leave the others, so that they are tried again";

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let is_quiet =
        |event: &EventFact| matches!(event.kind, EventFactKind::Errs { quiet: true, .. }) && event.via.is_empty();
    // What only clears up behind the work may fail.
    let clears = |event: &EventFact| {
        let words = &facts.catalog.words;
        has_any(&event.name, &words.removal_verbs) || has_any(&event.name, &words.clearing_verbs)
    };
    let mut told: Vec<Span> = Vec::new();
    for (at, failed) in function.events().filter(|(_, event)| is_quiet(event) && !clears(event)) {
        let Some(round) = round(function, failed) else {
            continue;
        };
        let taken = function.writes().find_map(|(later, removal)| {
            let table = removed_from(facts, function, later)?;
            let every_time = removal.branches.iter().all(|(branch, _)| !round.covers(*branch));
            let taken = later > at
                && removal.via.len() < NEAR
                && removal.regions.iter().any(|(region, _)| *region == round)
                && every_time
                && !exclusive(&function.facts, failed, removal)
                && reads(function, table, removal);
            taken.then_some((removal, table))
        });
        let Some((removal, table)) = taken.filter(|(removal, _)| !told.contains(&removal.span)) else {
            continue;
        };
        told.push(removal.span);
        let message = format!(
            "the row is taken off `{table}` here although `{}` may have failed, of which there is only a line in the log: nobody \
             tries it again",
            failed.name
        );
        let mut steps = vec![(failed.span, "any error of this goes no further".to_owned())];
        steps.extend(step(removal, "and the row is taken off"));
        let text = (message, HELP);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(removal), text, steps));
    }
}

/// The loop over several things whose round something happens in.
pub(super) fn round(function: &FunctionOps, event: &EventFact) -> Option<Span> {
    let own = |(region, role): &&(Span, Role)| matches!(role, Role::Each { .. }) && is_local(function, *region);
    event.regions.iter().rev().find(own).map(|(region, _)| *region)
}

/// The table of work that an event takes a row off.
fn removed_from<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a str> {
    let mut statements = function.statements(at).iter();
    let removal = statements.find(|statement| statement.kind == Kind::Delete && !statement.row().is_empty())?;
    // What goes by its state and its age alone is swept up, and is not what the round was about.
    let of_one =
        |condition: &Condition| condition.equal && !is_status(facts, removal.table.as_deref(), &condition.column);
    removal.table.as_deref().filter(|table| holds_work(facts, table) && removal.conditions.iter().any(of_one))
}

/// Whether the rows of a table are work that waits to be done.
pub(super) fn holds_work(facts: &Facts<'_>, table: &str) -> bool {
    facts.operations.tables.is(table, TableRole::Outbox) || has_any(table, &facts.catalog.words.work_tables)
}

/// Whether the rows of a table are read here that are worked on.
fn reads(function: &FunctionOps, table: &str, removal: &EventFact) -> bool {
    function
        .events()
        .any(|(at, read)| function.is_read(at) && function.read_tables(at).contains(&table) && meets(read, removal))
}
