//! The SQL of events, read.

use std::collections::BTreeMap;

use super::FunctionOps;
use crate::flow::{EventFactKind, FunctionEvents};
use crate::sql;

/// Reads the texts of all SQL events of a function.
pub(super) fn read(facts: FunctionEvents) -> FunctionOps {
    let mut statements = BTreeMap::new();
    for (at, event) in facts.events.iter().enumerate() {
        if let EventFactKind::Sql { texts, .. } = &event.kind {
            let all: Vec<sql::Statement> = texts.iter().filter_map(|text| sql::read(text, None)).flatten().collect();
            statements.insert(at, all);
        }
    }
    FunctionOps { facts, statements }
}
