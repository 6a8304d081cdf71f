//! Amounts that are given back: what was taken for an effect is there for another one.

use super::Facts;
use super::scene::has_any;
use crate::operations::FunctionOps;
use crate::sql::{Assignment, Kind, Set};

/// The column that a statement changes by a difference which gives something back: a balance that grows, a use that shrinks.
pub(super) fn given_back<'f>(facts: &Facts<'_>, function: &'f FunctionOps, at: usize) -> Option<&'f str> {
    let words = &facts.catalog.words;
    let gives = |set: &&Assignment| match set.value {
        Set::Delta { less } => {
            has_any(&set.column, &words.quantity_columns) && less == has_any(&set.column, &words.taken_columns)
        }
        _ => false,
    };
    let mut updates = function.statements(at).iter().filter(|statement| statement.kind == Kind::Update);
    updates.find_map(|statement| statement.set.iter().find(gives)).map(|set| set.column.as_str())
}
