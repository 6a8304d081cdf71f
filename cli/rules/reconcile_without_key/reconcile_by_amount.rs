//! A row of a table that is picked by an amount, and by what is found there something is changed.

use super::works_off_doubts;
use crate::findings::Confidence;
use crate::flow::{EventFactKind, OriginKind, ValueFact};
use crate::operations::{FunctionOps, TableRole};
use crate::rules::Facts;
use crate::rules::scene::{has_any, is_status};
use crate::source::Span;
use crate::sql::{Assignment, Condition, Kind, Set, Statement};

/// The table in which a row is picked by amount, to be changed afterwards.
pub(super) fn by_amount(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<(String, Confidence)> {
    // What a helper has picked is changed here where the change goes by what was read.
    let below = !function.event(at).via.is_empty();
    let changed = |table: &str| {
        function.writes().any(|(later, _)| {
            let changes = later > at && function.changed_tables(later).contains(&table);
            changes && (!below || goes_by(function, later, at))
        })
    };
    // Rows in doubt are settled by what was found, which stands in a table that somebody else fills: a bank's statement.
    let settles = || {
        let settled = |later: usize| leaves_doubt(facts, function, later) && keeps_found(function, later, at);
        works_off_doubts(facts, function, at) && function.writes().any(|(later, _)| later > at && settled(later))
    };
    function.statements(at).iter().filter(|statement| statement.kind == Kind::Select).find_map(|statement| {
        let table = statement.table.as_deref()?;
        let columns = &statement.conditions;
        let words = &facts.catalog.words;
        let common = |column: &str| {
            has_any(column, &words.amount_columns) || words.weak_columns.iter().any(|word| word == column)
        };
        let amount =
            columns.iter().any(|condition| condition.equal && has_any(&condition.column, &words.amount_columns));
        // A part of what is declared to be the key tells no row from another.
        let key = facts.operations.tables.columns(table, "key");
        let asked = |column: &String| columns.iter().any(|known| known.equal && known.column == *column);
        let part = |column: &String| key.contains(column) && !key.iter().all(asked);
        // Who takes the first in time expects several: what else they are asked for by says where they are looked for.
        let by_time = statement.ordered_by.as_ref().is_some_and(|column| common(column) || is_time(facts, column));
        let place = |column: &str| by_time && !is_identity(facts, column);
        let identity = columns
            .iter()
            .any(|Condition { column, equal, .. }| *equal && !common(column) && !part(column) && !place(column));
        (amount && !identity && picks_one(statement) && (changed(table) || settles())).then(|| {
            let declared = facts.operations.tables.role(table).is_some_and(|known| known == (TableRole::Ledger, true));
            (table.to_owned(), if declared { Confidence::Certain } else { Confidence::Likely })
        })
    })
}

/// Whether a row is given another state than that of being in doubt.
fn leaves_doubt(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    function.statements(at).iter().any(|statement| {
        let decided = |text: &String| facts.operations.means(text) != Some("unknown");
        let leaves = |set: &Assignment| {
            matches!(&set.value, Set::Text(text) if decided(text))
                && is_status(facts, statement.table.as_deref(), &set.column)
        };
        statement.kind == Kind::Update && statement.set.iter().any(leaves)
    })
}

/// Whether a write behind a query is made where one was found: a branch on what the query gives leads to it, and it stores
/// something that was read.
fn keeps_found(function: &FunctionOps, write: usize, query: usize) -> bool {
    let found = |(branch, _): &(Span, u32)| function.event(query).turns.iter().any(|turn| turn.branch == *branch);
    let stores = match &function.event(write).kind {
        EventFactKind::Sql { binds, .. } => binds.iter().any(|bind| bind.origins.contains(&OriginKind::Stored)),
        _ => false,
    };
    stores && function.event(write).branches.iter().any(found)
}

/// Whether a change goes by what a query before has found: what was found has the origins of what it was asked by.
fn goes_by(function: &FunctionOps, change: usize, query: usize) -> bool {
    let bound = |at: usize| match &function.event(at).kind {
        EventFactKind::Sql { binds, .. } => binds.as_slice(),
        _ => &[],
    };
    let asked = |origin: &OriginKind| bound(query).iter().any(|bind| bind.origins.contains(origin));
    let found = |value: &ValueFact| {
        let known = |origin: &OriginKind| *origin == OriginKind::Stored || asked(origin);
        !value.origins.is_empty() && value.origins.iter().all(known)
    };
    let conditions = function.statements(change).iter().flat_map(|statement| &statement.conditions);
    conditions.filter(|condition| condition.equal).any(|condition| match condition.against {
        Set::Placeholder(number) => bound(change).get(number).is_some_and(found),
        _ => false,
    })
}

/// Whether a column holds a time or a day by its name.
fn is_time(facts: &Facts<'_>, column: &str) -> bool {
    column.rsplit('_').next().is_some_and(|last| facts.catalog.words.time_endings.iter().any(|word| word == last))
}

/// Whether a column tells one thing from another by its name.
fn is_identity(facts: &Facts<'_>, column: &str) -> bool {
    let words = &facts.catalog.words;
    has_any(column, &words.identity_names)
        || has_any(column, &words.key_names)
        || words.receipt_columns.iter().any(|name| name == column)
        || matches!(column.rsplit('_').next(), Some("code" | "hash" | "no" | "nonce" | "ref" | "sha256" | "token"))
}

/// Whether a query takes one row of perhaps several.
fn picks_one(statement: &Statement) -> bool {
    !statement.exists
}
