//! Leases that are rows: which tables say who works on what, and in which columns.

use std::collections::BTreeMap;

use super::{FunctionOps, TableRole, Tables};
use crate::catalog::Catalog;
use crate::sql::{Kind, Set, Statement};

/// The columns of a table that holds leases.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeaseTable {
    /// those that say who holds it
    pub token: Vec<String>,
    /// those that say until when
    pub until: Vec<String>,
    /// configured, rather than inferred
    pub declared: bool,
}

/// Tables of leases: those that are configured, and those of which one statement sets an owner and an end together.
pub(super) fn lease_tables(
    catalog: &Catalog,
    tables: &Tables,
    functions: &[FunctionOps],
) -> BTreeMap<String, LeaseTable> {
    let words = &catalog.words;
    let mut found: BTreeMap<String, LeaseTable> = BTreeMap::new();
    for statement in functions.iter().flat_map(|function| function.statements.values().flatten()) {
        let Some(table) = statement.table.as_deref() else {
            continue;
        };
        if found.get(table).is_some_and(|known| known.declared) {
            continue;
        }
        let declared = matches!(tables.role(table), Some((TableRole::Lease, true)));
        if declared {
            let (token, until) = (tables.columns(table, "token").to_vec(), tables.columns(table, "until").to_vec());
            found.insert(table.to_owned(), LeaseTable { token, until, declared });
            continue;
        }
        let changes = statement.kind == Kind::Update || statement.conflict == crate::sql::Conflict::Update;
        let set = |names: &[String]| -> Vec<String> {
            let set = statement.set.iter().filter(|set| set.value != Set::Null);
            set.map(|set| set.column.clone()).filter(|column| names.contains(column)).collect()
        };
        let (token, until) = (set(&words.lease_token_columns), set(&words.lease_until_columns));
        if changes && !token.is_empty() && !until.is_empty() {
            let known = found.entry(table.to_owned()).or_default();
            known.token.extend(token);
            known.until.extend(until);
        }
    }
    for table in found.values_mut() {
        for columns in [&mut table.token, &mut table.until] {
            columns.sort();
            columns.dedup();
        }
    }
    found
}

impl LeaseTable {
    /// Whether a statement is held to the holder of the lease, or to one that has run out, or picks by a query of its own.
    pub fn is_held(&self, statement: &Statement) -> bool {
        let run_out = statement.either.iter().any(|column| self.until.contains(column));
        run_out
            || statement.conditions.iter().any(|condition| {
                let token = self.token.contains(&condition.column) && condition.equal && condition.against != Set::Null;
                let until = self.until.contains(&condition.column);
                let picked = condition.equal && condition.against == Set::Expression;
                token || until || picked
            })
    }

    /// Whether a statement gives the lease to somebody.
    pub fn is_taken(&self, statement: &Statement) -> bool {
        let gives = |set: &crate::sql::Assignment| self.token.contains(&set.column) && set.value != Set::Null;
        statement.set.iter().any(gives)
    }
}
