//! Tables: what they are for, by configuration or by their names, and what is unique in them.

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
    declared: Vec<Table>,
    inbox_words: Vec<String>,
    outbox_words: Vec<String>,
    schema: Schema,
}

impl Tables {
    /// Tables of a catalog and of migrations.
    pub(super) fn new(catalog: &Catalog, schema: Schema) -> Self {
        let words = &catalog.words;
        let declared = catalog.tables.clone();
        Self { declared, inbox_words: words.inbox_tables.clone(), outbox_words: words.outbox_tables.clone(), schema }
    }

    fn declared(&self, table: &str) -> Option<&Table> {
        Table::called(&self.declared, table)
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
        self.declared(table).map_or(&[], |table| table.named(part))
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
