//! What an event does to stores and providers, in one word.

use super::FunctionOps;
use crate::flow::{EventFact, EventFactKind};
use crate::sql;

impl FunctionOps {
    /// The events by which a provider is asked to act and a repeat does harm, with their positions.
    pub fn dispatches(&self) -> impl Iterator<Item = (usize, &EventFact)> {
        self.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. }))
    }

    /// The writes to the application's own stores, with their positions.
    pub fn writes(&self) -> impl Iterator<Item = (usize, &EventFact)> {
        self.events().filter(|(at, _)| self.is_write(*at))
    }

    /// Whether an event changes a store of the application.
    pub fn is_write(&self, at: usize) -> bool {
        match &self.event(at).kind {
            EventFactKind::Sql { .. } => self.statements(at).iter().any(is_change),
            EventFactKind::Store { op, .. } => op != "query",
            _ => false,
        }
    }

    /// Whether an event reads a store of the application, and only reads.
    pub fn is_read(&self, at: usize) -> bool {
        match &self.event(at).kind {
            EventFactKind::Sql { .. } => {
                let statements = self.statements(at);
                !statements.is_empty() && statements.iter().all(|statement| statement.kind == sql::Kind::Select)
            }
            EventFactKind::Store { op, .. } => op == "query",
            _ => false,
        }
    }

    /// Whether an event sets a column.
    pub fn sets(&self, at: usize, column: &str) -> bool {
        let set = self.statements(at).iter().flat_map(|statement| statement.set.iter().chain(&statement.conflict_set));
        set.into_iter().any(|set| set.column == column)
    }

    /// Whether an event adds rows.
    pub fn is_insert(&self, at: usize) -> bool {
        let built = matches!(&self.event(at).kind, EventFactKind::Store { op, .. } if op == "insert");
        built || self.statements(at).iter().any(|statement| statement.kind == sql::Kind::Insert)
    }

    /// Whether an event takes something for this run alone, and tells whether it got it: an insert that does nothing on
    /// a conflict, a conditional write, a claim.
    pub fn is_claim(&self, at: usize) -> bool {
        match &self.event(at).kind {
            EventFactKind::Sql { .. } => self.statements(at).iter().any(|statement| {
                // A row that is there is left alone, or is taken over only where it may be.
                let takes_over = || statement.either.iter().any(|of| statement.set.iter().any(|set| set.column == *of));
                let skips = statement.kind == sql::Kind::Insert
                    && match statement.conflict {
                        sql::Conflict::Nothing => true,
                        sql::Conflict::Update => takes_over(),
                        sql::Conflict::Fail => false,
                    };
                // Of many rows some may be there already: nobody takes them all for one run.
                skips && !statement.many
            }),
            EventFactKind::Store { op, .. } => matches!(op.as_str(), "claim" | "conditional_update"),
            _ => false,
        }
    }

    /// Whether an update takes one row for this run by moving it out of the state in which others may take it, with no lock that
    /// keeps them waiting before.
    pub fn takes_row(&self, at: usize) -> bool {
        let locked = |table: &str| {
            let before = (0..at).flat_map(|before| self.statements(before));
            before.into_iter().any(|statement| statement.for_update && statement.table.as_deref() == Some(table))
        };
        self.statements(at).iter().any(|statement| {
            let sets = |column: &str| statement.set.iter().any(|set| set.column == column);
            let moves = statement.moves_on() || statement.either.iter().any(|column| sets(column));
            let one = statement.row().into_iter().any(|column| !sets(column));
            statement.kind == sql::Kind::Update && moves && one && !statement.table.as_deref().is_some_and(locked)
        })
    }

    /// Whether an event takes a lease: what it says is who works, and not what has changed.
    pub fn is_lease(&self, at: usize) -> bool {
        match &self.event(at).kind {
            EventFactKind::Lease { .. } => true,
            EventFactKind::Store { op, .. } => op == "claim",
            _ => false,
        }
    }

    /// The tables that an event changes.
    pub fn changed_tables(&self, at: usize) -> Vec<&str> {
        let changes = self.statements(at).iter().filter(|statement| is_change(statement));
        let mut tables: Vec<&str> = changes.filter_map(|statement| statement.table.as_deref()).collect();
        if let EventFactKind::Store { table: Some(table), op, .. } = &self.event(at).kind {
            if op != "query" {
                tables.push(table);
            }
        }
        tables
    }

    /// The tables that an event reads.
    pub fn read_tables(&self, at: usize) -> Vec<&str> {
        let reads = self.statements(at).iter().filter(|statement| statement.kind == sql::Kind::Select);
        let mut tables: Vec<&str> = reads
            .flat_map(|statement| {
                statement.table.as_deref().into_iter().chain(statement.other_tables.iter().map(String::as_str))
            })
            .collect();
        if let EventFactKind::Store { table: Some(table), op, .. } = &self.event(at).kind {
            if op == "query" {
                tables.push(table);
            }
        }
        tables
    }
}

fn is_change(statement: &sql::Statement) -> bool {
    matches!(statement.kind, sql::Kind::Insert | sql::Kind::Update | sql::Kind::Delete)
}
