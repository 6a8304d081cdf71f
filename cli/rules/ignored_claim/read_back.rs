//! Rows that say that something has begun, put in by a claim.

use crate::flow::{EventFact, EventFactKind, OriginKind};
use crate::operations::{FunctionOps, may_follow, meets};
use crate::rules::Facts;
use crate::rules::dedup_outside_transaction::decides;
use crate::rules::scene::is_status;
use crate::sql::{Assignment, Kind, Set, Statement};

/// Whether a claim puts in the row of something that it calls begun: a state is written out in the statement.
pub(super) fn is_begun(facts: &Facts<'_>, function: &FunctionOps, claim: usize) -> bool {
    begun(facts, function, claim).next().is_some()
}

/// The rows that a claim calls begun, and where it says so.
fn begun<'a>(
    facts: &'a Facts<'_>,
    function: &'a FunctionOps,
    claim: usize,
) -> impl Iterator<Item = (&'a Statement, &'a Assignment)> {
    let inserts = function.statements(claim).iter().filter(|statement| statement.kind == Kind::Insert);
    inserts.flat_map(move |insert| {
        let states = move |set: &&Assignment| {
            matches!(set.value, Set::Text(_)) && is_status(facts, insert.table.as_deref(), &set.column)
        };
        insert.set.iter().filter(states).map(move |set| (insert, set))
    })
}

/// Whether nothing but the row that a claim has put in keeps work from being done twice: it is read back by what it was put in
/// under, what it says decides whether the work comes, and behind that its state is another one.
pub(super) fn is_kept_by_row(facts: &Facts<'_>, function: &FunctionOps, claim: usize, work: usize) -> bool {
    begun(facts, function, claim).any(|(insert, state)| {
        let of_row = |statement: &Statement| statement.table.is_some() && statement.table == insert.table;
        let asks = |statement: &Statement| statement.kind == Kind::Select && of_row(statement);
        let read = function.events().any(|(at, event)| {
            (claim + 1..work).contains(&at)
                && goes_by(function.event(claim), event)
                && function.statements(at).iter().any(asks)
                && decides(function, at, work, true)
        });
        let moves = |statement: &Statement| {
            let on = |set: &Assignment| set.column == state.column && set.value != state.value;
            statement.kind == Kind::Update && of_row(statement) && statement.set.iter().any(on)
        };
        read && function.events().any(|(at, event)| {
            at > work
                && goes_by(function.event(claim), event)
                && function.statements(at).iter().any(moves)
                && meets(function.event(work), event)
                && may_follow(&function.facts, work, at)
        })
    })
}

/// Whether a statement asks for a row by what a claim was given: a part of what was asked for, or what is stored.
fn goes_by(claim: &EventFact, event: &EventFact) -> bool {
    let says = |origin: &OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Stored);
    let given = claim.handed_to_store();
    match &event.kind {
        EventFactKind::Sql { binds, .. } => binds
            .iter()
            .any(|bind| bind.origins.iter().any(says) && given.iter().any(|value| value.origins == bind.origins)),
        _ => false,
    }
}
