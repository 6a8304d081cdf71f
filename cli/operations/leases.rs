//! Leases that are rows: which tables say who works on what, and in which columns.

use std::collections::BTreeMap;

use super::{FunctionOps, TableRole, Tables};
use crate::catalog::{Catalog, Words};
use crate::flow::has_word;
use crate::sql::{Assignment, Condition, Kind, Set, Statement};

/// The columns of a table that holds leases.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeaseTable {
    /// those that say who holds it
    pub token: Vec<String>,
    /// those that say until when
    pub until: Vec<String>,
    /// configured, rather than inferred
    pub declared: bool,
    /// some statement asks for the holder
    pub asked: bool,
}

/// Tables of leases: those that are configured, those of which one statement sets an owner and a time together, those that
/// are called locks and of which a row is taken where its time has run out, and those of which one is given to a holder where
/// nobody holds it or its time has run out.
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
            found.insert(table.to_owned(), LeaseTable { token, until, declared, asked: false });
            continue;
        }
        let changes = statement.kind == Kind::Update || statement.conflict == crate::sql::Conflict::Update;
        let set = |names: &[String], cleared: bool| -> Vec<String> {
            let set = statement.set.iter().filter(|set| (set.value == Set::Null) == cleared);
            set.map(|set| set.column.clone()).filter(|column| names.contains(column)).collect()
        };
        // Taken, or given back by a statement that names its holder.
        for cleared in [false, true] {
            let (token, until) = (set(&words.lease_token_columns, cleared), set(&words.lease_until_columns, cleared));
            let timed = !until.is_empty() || !set(&words.lease_since_columns, cleared).is_empty();
            let lease = LeaseTable { token, until, ..LeaseTable::default() };
            if changes && !lease.token.is_empty() && timed && (!cleared || lease.names_holder(statement)) {
                let known = found.entry(table.to_owned()).or_default();
                known.token.extend(lease.token);
                known.until.extend(lease.until);
            }
        }
        let until = set(&words.lease_until_columns, false);
        if changes && is_called_a_lock(&words.lock_names, table) && runs_out(&until, statement) {
            let known = found.entry(table.to_owned()).or_default();
            known.token.extend(given_along(&until, statement));
            known.until.extend(until);
        }
    }
    for statement in functions.iter().flat_map(|function| function.statements.values().flatten()) {
        let taken = taken_where_run_out(words, statement).zip(statement.table.as_deref());
        if let Some(((token, until), table)) = taken.filter(|(_, table)| !found.contains_key(*table)) {
            let lease =
                LeaseTable { token: vec![token.to_owned()], until: vec![until.to_owned()], ..Default::default() };
            found.insert(table.to_owned(), lease);
        }
    }
    for statement in functions.iter().flat_map(|function| function.statements.values().flatten()) {
        let known = statement.table.as_deref().and_then(|table| found.get_mut(table));
        if let Some(table) = known {
            table.asked |= table.names_holder(statement);
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

/// Whether a table is there for locks, by its name.
pub fn is_called_a_lock(words: &[String], table: &str) -> bool {
    table.split('_').any(|part| words.iter().any(|word| has_word(part.trim_end_matches('s'), word)))
}

/// Whether a statement takes a row only where one of these times has come.
pub fn runs_out(until: &[String], statement: &Statement) -> bool {
    let earlier = |condition: &Condition| !condition.equal && until.contains(&condition.column);
    statement.conditions.iter().any(earlier) || statement.either.iter().any(|column| until.contains(column))
}

/// The holder and the time that a statement gives to one row which nobody holds or whose time has run out, whatever they are
/// called: `SET plotter = $2, plotter_until = $3 WHERE id = $1 AND (plotter IS NULL OR plotter_until < now())`.
pub fn taken_where_run_out<'a>(words: &Words, statement: &'a Statement) -> Option<(&'a str, &'a str)> {
    let asked = |set: &&Assignment| statement.either.contains(&set.column);
    let told = || statement.set.iter().filter(asked);
    let of_time = |column: &str| words.deadline_words.iter().any(|word| has_word(column, word));
    let until =
        told().find(|set| of_time(&set.column) && matches!(set.value, Set::Placeholder(_) | Set::Expression))?;
    let holder = told().find(|set| matches!(set.value, Set::Placeholder(_)) && !of_time(&set.column))?;
    let one = statement.kind == Kind::Update && !statement.row().is_empty();
    one.then_some((holder.column.as_str(), until.column.as_str()))
}

/// What whoever takes a row that is there puts into it beside the time: a name, or a number that grows, by which a holder is
/// known.
fn given_along(until: &[String], statement: &Statement) -> Vec<String> {
    let told = |set: &&Assignment| match set.value {
        Set::Delta { .. } => true,
        Set::Placeholder(_) => statement.kind == Kind::Update,
        _ => false,
    };
    let given = statement.set.iter().chain(&statement.conflict_set).filter(told);
    given.map(|set| set.column.clone()).filter(|column| !until.contains(column)).collect()
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

    /// Whether a statement changes or finds only what a holder has that it is given.
    pub fn names_holder(&self, statement: &Statement) -> bool {
        let given = |set: &Set| matches!(set, Set::Placeholder(_));
        statement.conditions.iter().any(|condition| {
            self.token.contains(&condition.column)
                && condition.of.is_none()
                && condition.equal
                && given(&condition.against)
        })
    }

    /// Whether a statement gives the lease to somebody. Where no holder is told from another, it is taken when it has run out.
    pub fn is_taken(&self, statement: &Statement) -> bool {
        let sets = |columns: &[String]| {
            statement.set.iter().any(|set| columns.contains(&set.column) && set.value != Set::Null)
        };
        match self.token.is_empty() && !self.declared {
            true => sets(&self.until) && runs_out(&self.until, statement),
            false => sets(&self.token),
        }
    }
}
