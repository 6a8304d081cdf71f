//! Work in rows that are taken off at the end of each round, or of the function that has locked one, whatever came of it.

use super::ack_on_failure::RULE;
use super::scene::{NEAR, has_any, here, is_status, step, violation};
use super::swallowed::{is_local, lost_in};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, TableRole, exclusive, meets};
use crate::source::Span;
use crate::sql::{Condition, Kind};

const HELP: &str =
    "take a row off only when its work is done or durably refused; leave the others, so that they are tried again";

/// Something that failed, of which there is no more than a line in a log.
struct Failed<'f> {
    at: usize,
    event: &'f EventFact,
    /// the branch that its error takes
    arm: Option<(Span, u32)>,
    /// those around it
    around: &'f [(Span, u32)],
}

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    // What only clears up behind the work may fail.
    let clears = |event: &EventFact| {
        let words = &facts.catalog.words;
        has_any(&event.name, &words.removal_verbs) || has_any(&event.name, &words.clearing_verbs)
    };
    let mut told: Vec<Span> = Vec::new();
    for failed in function.events().filter_map(|(at, _)| failed(function, at)).filter(|failed| !clears(failed.event)) {
        let round = round(function, failed.event);
        let taken = function.writes().find_map(|(later, removal)| {
            let table = removed_from(facts, function, later)?;
            let every_time = match round {
                Some(round) => removal.branches.iter().all(|(branch, _)| !round.covers(*branch)),
                None => comes_to_both(removal, &failed),
            };
            let taken = later > failed.at
                && removal.via.len() < NEAR
                && self::round(function, removal) == round
                && every_time
                && !exclusive(&function.facts, failed.event, removal)
                && reads(function, table, removal, round.is_none());
            taken.then_some((removal, table))
        });
        let Some((removal, table)) = taken.filter(|(removal, _)| !told.contains(&removal.span)) else {
            continue;
        };
        told.push(removal.span);
        let message = format!(
            "the row is taken off `{table}` here although `{}` may have failed, of which there is only a line in the log: nobody \
             tries it again",
            failed.event.name
        );
        let mut steps = vec![(failed.event.span, "any error of this goes no further".to_owned())];
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

/// What fails unheard at a position: a call that was waited for, or an effect.
fn failed(function: &FunctionOps, at: usize) -> Option<Failed<'_>> {
    let event = function.event(at);
    let (arm, around) = match event.kind {
        EventFactKind::Errs { quiet: true, .. } => {
            event.branches.split_last().map(|(arm, around)| (Some(*arm), around))?
        }
        EventFactKind::Dispatch { harmless: false, .. } => (lost_in(function, at)?.branch, &*event.branches),
        _ => return None,
    };
    event.via.is_empty().then_some(Failed { at, event, arm, around })
}

/// Whether whoever comes to where something failed comes to a removal behind it, too, and not because it failed.
fn comes_to_both(removal: &EventFact, failed: &Failed<'_>) -> bool {
    !failed.arm.is_some_and(|arm| removal.branches.contains(&arm))
        && removal.branches.iter().all(|branch| failed.around.contains(branch))
}

/// Whether the rows of a table are read here that are worked on: where there is no loop, one that is locked for it.
fn reads(function: &FunctionOps, table: &str, removal: &EventFact, locked: bool) -> bool {
    let locks = |at: usize| function.statements(at).iter().any(|statement| statement.for_update);
    function.events().any(|(at, read)| {
        function.is_read(at)
            && function.read_tables(at).contains(&table)
            && meets(read, removal)
            && (!locked || locks(at))
    })
}
