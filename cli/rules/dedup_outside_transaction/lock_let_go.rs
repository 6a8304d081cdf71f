//! Rows that are locked by a read outside any transaction: the lock is gone when the read is done.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::{FunctionOps, may_follow, meets, surely_before};
use crate::rules::scene::{NEAR, here, is_status, step, violation};
use crate::rules::{Facts, Sink};
use crate::sql::{Kind, Statement};

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, read) in function.events().filter(|(at, event)| is_alone(function, *at, event) && function.is_read(*at)) {
        let Some(locked) = function.statements(at).iter().find(|statement| statement.for_update) else {
            continue;
        };
        let changed = function.writes().find(|(later, write)| {
            *later > at
                && is_alone(function, *later, write)
                && meets(read, write)
                && may_follow(&function.facts, at, *later)
                && function.statements(*later).iter().any(|statement| takes(facts, locked, statement))
        });
        let Some((_, write)) = changed else {
            continue;
        };
        let table = locked.table.as_deref().unwrap_or("a table");
        let message = format!(
            "the rows of `{table}` are locked by a read outside any transaction, so the lock is gone when the read is done: two \
             runs at once take the same row, and both go on"
        );
        let help = "do both in one transaction, or take the row by one statement: `UPDATE .. WHERE id = (SELECT .. FOR UPDATE \
                    SKIP LOCKED) RETURNING ..`";
        let mut steps = step(read, "read and locked, by a statement of its own");
        steps.extend(step(write, "and changed by another one, which asks for nothing but the row"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(read), (message, help), steps));
    }
}

/// Whether a statement runs by itself: on a pool, near, with no transaction open that it could be in.
fn is_alone(function: &FunctionOps, at: usize, event: &EventFact) -> bool {
    let begun = || {
        function.events().any(|(begin, event)| {
            matches!(event.kind, EventFactKind::Begin) && surely_before(&function.facts, begin, at)
        })
    };
    event.pooled && event.via.len() <= NEAR && function.transaction(at).is_none() && !begun()
}

/// Whether a statement says that somebody has a row, and takes it from whoever has it.
fn takes(facts: &Facts<'_>, locked: &Statement, statement: &Statement) -> bool {
    let set = |column: &str| statement.set.iter().any(|set| set.column == column);
    let conditions = &statement.conditions;
    let asks = conditions.iter().any(|condition| {
        set(&condition.column) || !condition.equal || is_status(facts, statement.table.as_deref(), &condition.column)
    });
    statement.kind == Kind::Update
        && statement.table == locked.table
        && !statement.row().is_empty()
        && !asks
        && statement.either.is_empty()
        && !locked.conditions.is_empty()
}
