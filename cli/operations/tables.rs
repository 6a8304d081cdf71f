//! Tables: what they are for, by configuration or by their names, and what is unique in them.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, Table};
use crate::flow::has_word;
use crate::sql::Schema;

/// What a table is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableRole {
    /// states of effects
    Ledger,
    /// what was processed before
    Inbox,
    /// what is to be sent
    Outbox,
    /// who works on what
    Lease,
    /// the application's own state
    State,
}

/// What is known of the tables of a workspace.
#[derive(Debug, Default)]
pub struct Tables {
    declared: BTreeMap<String, Table>,
    inbox_words: Vec<String>,
    outbox_words: Vec<String>,
    schema: Schema,
}

impl Tables {
    /// Tables of a catalog and of migrations.
    pub(super) fn new(catalog: &Catalog, schema: Schema) -> Self {
        let declared = catalog.tables.iter().map(|table| (plain(&table.name), table.clone())).collect();
        let words = &catalog.words;
        Self { declared, inbox_words: words.inbox_tables.clone(), outbox_words: words.outbox_tables.clone(), schema }
    }

    /// What is declared of a table. A builder's module is often called by the singular of it.
    fn declared(&self, table: &str) -> Option<&Table> {
        let singular = || table.strip_suffix('s').and_then(|one| self.declared.get(one));
        self.declared.get(table).or_else(|| self.declared.get(&format!("{table}s"))).or_else(singular)
    }

    /// What a table is for, and whether somebody has said so.
    pub fn role(&self, table: &str) -> Option<(TableRole, bool)> {
        let role = self.declared(table).and_then(|table| table.role.as_deref());
        let declared = role.and_then(|role| {
            Some(match role {
                "ledger" => TableRole::Ledger,
                "inbox" => TableRole::Inbox,
                "outbox" => TableRole::Outbox,
                "lease" => TableRole::Lease,
                "state" => TableRole::State,
                _ => return None,
            })
        });
        if let Some(role) = declared {
            return Some((role, true));
        }
        let named = |words: &[String]| words.iter().any(|word| has_word(table, word));
        if named(&self.inbox_words) {
            return Some((TableRole::Inbox, false));
        }
        named(&self.outbox_words).then_some((TableRole::Outbox, false))
    }

    /// Whether a table has a role.
    pub fn is(&self, table: &str, role: TableRole) -> bool {
        self.role(table).is_some_and(|known| known.0 == role)
    }

    /// The columns that play a part in a table, as configured: key, digest, status, receipt, token, until, created.
    pub fn columns(&self, table: &str, part: &str) -> &[String] {
        let columns = self.declared(table).map(|table| &table.columns);
        let named = columns.and_then(|columns| columns.iter().find(|(known, _)| known == part));
        named.map_or(&[], |(_, names)| names.as_slice())
    }

    /// Whether rows that agree in these columns cannot both stand in a table: by migrations or configuration.
    pub fn is_unique(&self, table: &str, columns: &[String]) -> bool {
        let sets = self.declared(table).map(|table| &table.unique);
        let declared = sets.is_some_and(|sets| sets.iter().any(|set| set.iter().all(|name| columns.contains(name))));
        // The id of a document is its store's own.
        declared || columns.iter().any(|column| column == "_id") || self.schema.is_unique(table, columns)
    }

    /// Whether a statement in sight creates the table, so that what is unique in it is known.
    pub fn has_schema(&self, table: &str) -> bool {
        self.schema.tables.get(table).is_some_and(|table| table.created)
    }
}

/// The last part of a name, lower case: how statements name a table.
fn plain(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '`']).to_lowercase()
}
