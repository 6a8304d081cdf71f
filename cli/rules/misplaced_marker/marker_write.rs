//! Which writes mark a task as processed.

use super::marked_first;
use crate::ir::Name;
use crate::operations::{FunctionOps, TableRole};
use crate::rules::Facts;
use crate::rules::dedup_outside_transaction::decides;
use crate::rules::raced::races;
use crate::rules::scene::is_status;
use crate::sql::{Assignment, Condition, Kind, Set, Statement};

/// Whether a write marks a task as processed, and whether that is declared.
pub(super) fn marker(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<bool> {
    let inserts = function.statements(at).iter().filter(|statement| statement.kind == Kind::Insert);
    let mut tables = inserts.filter(|insert| {
        // a row with a state of its own says more than "processed"
        !insert
            .set
            .iter()
            .any(|set| matches!(&set.value, Set::Text(_)) && is_status(facts, insert.table.as_deref(), &set.column))
    });
    let inserted = tables.find_map(|insert| {
        let (role, declared) = facts.operations.tables.role(insert.table.as_deref()?)?;
        let marks = role == TableRole::Inbox && (declared || !keeps(facts, function, at, insert));
        marks.then_some(declared)
    });
    let words = &facts.catalog.words;
    let mut updates = function.statements(at).iter().filter(|statement| statement.kind == Kind::Update);
    // What is emptied is no mark any more. A longer name is one where it is filled only as long as it is empty.
    let once = |update: &Statement, column: &str| {
        let empty = |asked: &Condition| asked.column == column && asked.equal && asked.against == Set::Null;
        words.marker_ends.iter().any(|end| column.ends_with(end.as_str())) && update.conditions.iter().any(empty)
    };
    let marks = |update: &Statement, set: &Assignment| {
        let named = words.marker_columns.contains(&set.column) || once(update, &set.column);
        named && !matches!(set.value, Set::Null | Set::Truth(false))
    };
    let set = updates.any(|update| update.set.iter().any(|set| marks(update, set)));
    let named = || marked_first::names_delivery(facts, function, at) || is_asked_first(facts, function, at);
    inserted.or_else(|| (set || named()).then_some(false))
}

/// Whether an insert keeps a message, whole, and nothing here asks whether it was there before: it is kept to be worked through.
fn keeps(facts: &Facts<'_>, function: &FunctionOps, at: usize, insert: &Statement) -> bool {
    let columns = &facts.catalog.words.kept_content_columns;
    let asked = || {
        let reads =
            |read: usize| insert.table.as_deref().is_some_and(|table| function.read_tables(read).contains(&table));
        !function.event(at).turns.is_empty() || function.events().any(|(read, _)| reads(read))
    };
    insert.set.iter().any(|set| columns.contains(&set.column)) && !asked()
}

/// Whether a write notes when something took place, and the function has looked at that note first, to leave where it is there.
fn is_asked_first(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let notes = |column: &str| column.ends_with("_at") && function.sets(at, column);
    let mut statements = function.statements(at).iter();
    let once = statements.all(|statement| statement.kind == Kind::Update && !statement.row().is_empty());
    once && function.events().take(at).any(|(read_at, read)| {
        let looked = |field: Option<Name>| field.is_some_and(|field| notes(field.as_str()));
        read.via.len() <= 1
            && read.turns.iter().any(|turn| looked(turn.field))
            && function.statements(read_at).iter().any(|asked| {
                let write = function.event(at);
                function.statements(at).iter().any(|statement| races(facts, statement, asked, (read, write)))
            })
            && decides(function, read_at, at, true)
    })
}
