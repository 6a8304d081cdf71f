//! The SQL of events, read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::FunctionOps;
use crate::catalog::Catalog;
use crate::config::Dialect;
use crate::flow::{EventFactKind, FunctionEvents, StateIndex};
use crate::sql;

/// Statements by their text, each read once.
#[derive(Debug, Default)]
pub(super) struct Read(HashMap<String, Arc<[sql::Statement]>>);

/// Reads the texts of all SQL events of a function.
pub(super) fn read(facts: Arc<FunctionEvents>, known: &mut Read, dialect: Option<Dialect>) -> FunctionOps {
    let mut statements = BTreeMap::new();
    for (at, event) in facts.events.iter().enumerate() {
        if let EventFactKind::Sql { texts, .. } = &event.kind {
            let all: Vec<Arc<[sql::Statement]>> = texts.iter().map(|text| known.of(text, dialect)).collect();
            statements.insert(at, all.iter().flat_map(|statements| statements.iter().cloned()).collect());
        }
    }
    FunctionOps { facts, statements }
}

impl Read {
    /// The texts that make tables, or an index of one.
    pub(super) fn making_tables(&self) -> impl Iterator<Item = &str> {
        let makes = |text: &&str| {
            let text = text.trim_start().as_bytes();
            text.get(..6).is_some_and(|first| first.eq_ignore_ascii_case(b"create"))
        };
        let texts: BTreeSet<&str> = self.0.keys().map(String::as_str).filter(makes).collect();
        texts.into_iter()
    }

    fn of(&mut self, text: &str, dialect: Option<Dialect>) -> Arc<[sql::Statement]> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let statements: Arc<[sql::Statement]> =
            sql::read(text, dialect.map(preferred)).unwrap_or_else(|| sql::outline(text)).into();
        self.0.insert(text.to_owned(), statements.clone());
        statements
    }
}

fn preferred(dialect: Dialect) -> sql::Dialect {
    match dialect {
        Dialect::Postgres => sql::Dialect::Postgres,
        Dialect::Sqlite => sql::Dialect::Sqlite,
        Dialect::Mysql => sql::Dialect::Mysql,
        Dialect::Generic => sql::Dialect::Generic,
    }
}

/// The states that the texts in statements mean.
pub(super) fn meanings(catalog: &Catalog, functions: &[FunctionOps]) -> BTreeMap<String, String> {
    let words = StateIndex::new(catalog);
    let statements = functions.iter().flat_map(|function| function.statements.values().flatten());
    let named = statements.flat_map(|statement| {
        let set = statement.set.iter().chain(&statement.conflict_set).map(|assignment| &assignment.value);
        set.chain(statement.conditions.iter().map(|condition| &condition.against))
    });
    let written = named.filter_map(|value| match value {
        sql::Set::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let events = functions.iter().flat_map(|function| &function.facts.events);
    let bound = events.flat_map(|event| match &event.kind {
        EventFactKind::Sql { binds, .. } => binds.iter().flat_map(|bind| bind.texts()).collect(),
        _ => Vec::new(),
    });
    let mut means = BTreeMap::new();
    for text in written.chain(bound) {
        if let Some(word) = words.of_text(text) {
            means.insert(text.to_owned(), word.to_owned());
        }
    }
    means
}
