//! Whether another run has to wait between a check and the mark that follows from it, and whether what follows is a mark.

use crate::config::Dialect;
use crate::flow::{EventFactKind, OriginKind};
use crate::operations::FunctionOps;
use crate::rules::Facts;
use crate::source::Span;
use crate::sql::Conflict;

/// Whether a lock or a transaction keeps every other run out from the read to the write: here, or where the transaction is begun
/// that this function is handed. A caller that hands down one that does not is told of that itself.
pub(super) fn is_kept_out(facts: &Facts<'_>, function: &FunctionOps, read_at: usize, write_at: usize) -> bool {
    let holds = |function: &FunctionOps, read_at: usize, write_at: usize| {
        is_locked(function, read_at, write_at) || is_alone(facts, function, read_at, write_at)
    };
    let (read, write) = (function.event(read_at), function.event(write_at));
    let above = || {
        facts.operations.above(read).any(|(caller, read_at)| {
            let calls = caller.event(read_at).via.strip_suffix(&*read.via).unwrap_or_default();
            let write_at = caller.position(write, &[calls, &write.via].concat());
            write_at.is_some_and(|write_at| holds(caller, read_at, write_at))
        })
    };
    holds(function, read_at, write_at) || above()
}

/// Whether a row is locked before the read, in the transaction of the write: then another run waits.
fn is_locked(function: &FunctionOps, read_at: usize, write_at: usize) -> bool {
    let Some(transaction) = function.transaction(write_at) else {
        return false;
    };
    function.events().take(read_at).any(|(at, _)| {
        function.transaction(at) == Some(transaction)
            && function.statements(at).iter().any(|statement| statement.for_update && !statement.skip_locked)
    })
}

/// Whether both stand in a transaction that keeps every other one out from its beginning, or whose write is refused once another
/// one has changed what it has read, as SQLite does with all.
fn is_alone(facts: &Facts<'_>, function: &FunctionOps, read_at: usize, write_at: usize) -> bool {
    let transaction =
        function.transaction(write_at).filter(|_| function.transaction(read_at) == function.transaction(write_at));
    let calls = &facts.catalog.words.locking_begins;
    let begin = transaction.and_then(|transaction| function.begin_of(transaction));
    let serial = facts.config.scan.dialect == Some(Dialect::Sqlite);
    begin.is_some_and(|begin| serial || calls.iter().any(|call| begin.name == call.as_str()))
}

/// Whether a row is put over the one that is there only where a read has found one: what was found is stored again.
pub(super) fn is_of_found(function: &FunctionOps, at: usize, write_at: usize) -> bool {
    let write = function.event(write_at);
    let upserts = function.statements(write_at).iter().any(|statement| statement.conflict == Conflict::Update);
    // A new row of its own has an id that is made for it.
    let new = match &write.kind {
        EventFactKind::Sql { binds, .. } => {
            binds.iter().flat_map(|bound| &bound.origins).any(|origin| matches!(origin, OriginKind::Fresh(_)))
        }
        _ => false,
    };
    let taken = |branch: Span| write.branches.iter().find(|(asked, _)| *asked == branch).map(|(_, arm)| *arm);
    upserts
        && !new
        && function.event(at).turns.iter().any(|turn| match (turn.nothing, taken(turn.branch)) {
            (Some(nothing), Some(arm)) => arm != nothing,
            // `let Some(row) = .. else { .. }` goes on where there is one.
            (None, Some(arm)) => turn.presence && arm == 0,
            (_, None) => false,
        })
}
