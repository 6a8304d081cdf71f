//! Amounts and claims that are given back: what was taken for an effect is there for another one.

use crate::operations::FunctionOps;
use crate::rules::Facts;
use crate::rules::scene::has_any;
use crate::sql::{Assignment, Condition, Kind, Set, Statement};

/// The column that a statement changes by a difference which gives something back: a balance that grows, a use that shrinks.
pub(super) fn given_back<'f>(facts: &Facts<'_>, function: &'f FunctionOps, at: usize) -> Option<&'f str> {
    let words = &facts.catalog.words;
    let gives = |set: &&Assignment| match set.value {
        Set::Delta { less, .. } => {
            has_any(&set.column, &words.quantity_columns) && less == has_any(&set.column, &words.taken_columns)
        }
        _ => false,
    };
    let mut updates = function.statements(at).iter().filter(|statement| statement.kind == Kind::Update);
    updates.find_map(|statement| statement.set.iter().find(gives)).map(|set| set.column.as_str())
}

/// The column that a statement empties by which the function has claimed a row before: the next one who looks finds it free.
pub(super) fn unclaimed(function: &FunctionOps, at: usize) -> Option<&str> {
    let updates = |at: usize| {
        function.statements(at).iter().filter(|statement| statement.kind == Kind::Update && !statement.set.is_empty())
    };
    let claims = |claim: &Statement, table: &Option<String>, column: &str| {
        let was_empty = |condition: &Condition| {
            condition.equal && condition.column == column && matches!(condition.against, Set::Null)
        };
        claim.table == *table
            && claim.set.iter().any(|set| set.column == column && !matches!(set.value, Set::Null))
            && claim.conditions.iter().chain(&claim.picked).any(was_empty)
    };
    updates(at).find_map(|update| {
        let emptied = update.set.iter().filter(|set| matches!(set.value, Set::Null));
        let mut claimed = emptied.filter(|set| {
            let before = function.writes().filter(|(before, write)| *before < at && write.via.len() <= 1);
            before.flat_map(|(before, _)| updates(before)).any(|claim| claims(claim, &update.table, &set.column))
        });
        claimed.next().map(|set| set.column.as_str())
    })
}
