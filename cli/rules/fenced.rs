//! Statements that ask for the attempt or holder, and of which nobody looks whether they found it.

use super::ignored_claim::RULE;
use super::scene::{here, named_at, step, violation};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::Usage;
use crate::operations::{FunctionOps, meets, surely_before};
use crate::sql::{Assignment, Kind, Set, Statement};

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, write) in function.writes().filter(|(_, write)| write.via.is_empty() && write.usage != Usage::Used) {
        let mut statements = function.statements(at).iter();
        let Some(fenced) = statements.find(|statement| is_fenced(facts, statement) && !names_attempt(facts, statement))
        else {
            continue;
        };
        let table = fenced.table.as_deref().unwrap_or("a table");
        let (message, help, steps) = if prolongs(facts, fenced) {
            (
                format!(
                    "the lease in `{table}` is prolonged only where this attempt still holds it, and nobody looks whether it does: a \
                     run that has lost it goes on beside the next one"
                ),
                "look at the number of affected rows, and stop the work where there is none",
                Vec::new(),
            )
        } else {
            let beside = function.writes().find(|(later, other)| {
                *later > at
                    && function.transaction(at).is_some()
                    && function.transaction(*later) == function.transaction(at)
                    && function.changed_tables(*later).iter().any(|changed| *changed != table)
                    && meets(write, other)
                    && surely_before(&function.facts, at, *later)
            });
            let Some((beside_at, beside)) = beside else {
                continue;
            };
            (
                format!(
                    "`{table}` is changed only where this attempt still holds the row, and nobody looks whether it does: {} is \
                     committed for a run that has lost it, too",
                    named_at(function, beside_at)
                ),
                "look at the number of affected rows, and roll back where there is none",
                step(beside, "and this is written whatever came of it"),
            )
        };
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(write), (message, help), steps));
    }
}

/// Whether a change takes place only for the attempt or holder that it is given, and answers with nothing.
fn is_fenced(facts: &Facts<'_>, statement: &Statement) -> bool {
    let words = &facts.catalog.words;
    let fence = |column: &String| words.attempt_names.contains(column) || words.lease_token_columns.contains(column);
    let given = |value: &Set| matches!(value, Set::Placeholder(_));
    statement.kind == Kind::Update
        && statement.returning.is_empty()
        && statement.conditions.len() > 1
        && statement.conditions.iter().any(|condition| {
            condition.equal && condition.of.is_none() && given(&condition.against) && fence(&condition.column)
        })
}

/// Whether the number of the attempt belongs to what names the row: each attempt has one of its own.
fn names_attempt(facts: &Facts<'_>, statement: &Statement) -> bool {
    let counts = |column: &str| facts.catalog.words.attempt_names.iter().any(|name| name == column);
    let row = statement.row();
    let others: Vec<String> = row.iter().filter(|column| !counts(column)).map(|&column| column.to_owned()).collect();
    let one = others.iter().any(|column| column == "id")
        || statement.table.as_deref().is_some_and(|table| facts.operations.tables.is_unique(table, &others));
    others.len() < row.len() && !one
}

/// Whether a change says how long the lease holds from now on. One that holds until now has ended.
pub(super) fn prolongs(facts: &Facts<'_>, statement: &Statement) -> bool {
    statement.set.iter().any(|set| facts.catalog.words.lease_until_columns.contains(&set.column) && lasts(facts, set))
}

/// Whether a time that is set is one to come, or the one from which on a lease holds for so long.
pub(super) fn lasts(facts: &Facts<'_>, set: &Assignment) -> bool {
    match set.value {
        Set::Null => false,
        Set::Now | Set::Age(_) => facts.catalog.words.lease_since_columns.contains(&set.column),
        _ => true,
    }
}
