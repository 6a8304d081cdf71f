//! A statement in parts, and its text.

use std::fmt::Write;

use crate::flow::value::Value;
use crate::ir::{ExprId, Name};
use crate::source::Span;

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Kind {
    #[default]
    Select,
    Insert,
    Update,
    Delete,
}

/// What a column is set to.
#[derive(Clone, Debug)]
pub(super) enum Assigned {
    /// a value
    Value(ExprId),
    /// a fixed text, or a variant by its name as it is stored
    Text(String),
    /// what it was, and this much more or less
    Delta(ExprId),
    /// a field of a row that is put together elsewhere
    Held(Value),
    /// what the column of a row that is there would have been given
    PutIn,
}

/// What is bound to a placeholder.
#[derive(Debug)]
pub(super) enum Bound<'b> {
    /// an expression
    Expr(ExprId),
    /// a value that is known
    Held(&'b Value),
}

/// What a column is compared with.
#[derive(Clone, Debug)]
pub(super) enum Compared {
    /// equal to a value
    Equal(ExprId),
    /// equal to a fixed text, or a variant by its name as it is stored
    Text(String),
    /// another comparison
    Other(&'static str, ExprId),
    /// not there
    Null,
}

/// A statement as it is run: its text, what is bound in order, and where each of it stands.
pub(crate) struct Written {
    pub(crate) text: Name,
    pub(crate) binds: Vec<Value>,
    pub(crate) places: Vec<Span>,
}

/// A statement in parts.
#[derive(Default, Debug)]
pub(super) struct Build {
    pub(super) kind: Kind,
    pub(super) table: Option<String>,
    /// a row whose columns are not known
    pub(super) model: Option<ExprId>,
    pub(super) set: Vec<(String, Assigned)>,
    pub(super) conditions: Vec<(String, Compared)>,
    /// columns that are compared in alternatives
    pub(super) either: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) conflict_target: Vec<String>,
    pub(super) conflict_nothing: bool,
    pub(super) conflict_update: bool,
    /// what a row that is there is set to, if that is written out
    pub(super) conflict_set: Vec<(String, Assigned)>,
    pub(super) for_update: bool,
    pub(super) skip_locked: bool,
    pub(super) limit: bool,
    /// the column by which rows are ordered first
    pub(super) ordered_by: Option<String>,
    pub(super) count: bool,
    /// many rows at once
    pub(super) many: bool,
}

impl Build {
    /// What is bound to the placeholders of the text, in their order.
    pub(super) fn binds(&self) -> Vec<Bound<'_>> {
        let set = self.set.iter().filter_map(bound_to);
        let conditions = self.conditions.iter().filter_map(|(_, compared)| match compared {
            Compared::Equal(id) | Compared::Other(_, id) => Some(Bound::Expr(*id)),
            Compared::Text(_) | Compared::Null => None,
        });
        match self.kind {
            Kind::Insert => {
                let there = self.conflict_set.iter().filter_map(bound_to);
                let asked = conditions.filter(|_| self.conflict_update);
                set.chain(self.model.map(Bound::Expr)).chain(there).chain(asked).collect()
            }
            _ => set.chain(conditions).collect(),
        }
    }

    /// The text, with numbered placeholders.
    pub(super) fn text(&self) -> Option<String> {
        let table = quoted(self.table.as_deref()?);
        let mut number = 0;
        let mut text = match self.kind {
            Kind::Select => format!("SELECT {} FROM {table}", self.asked()),
            Kind::Delete => format!("DELETE FROM {table}"),
            Kind::Insert => self.insert(&table, &mut number),
            Kind::Update => {
                let set: Vec<String> =
                    self.set.iter().map(|(column, assigned)| change(column, assigned, &mut number)).collect();
                // Of a row that is written out elsewhere the columns are not known.
                let set = if set.is_empty() { "id = id".to_owned() } else { set.join(", ") };
                format!("UPDATE {table} SET {set}")
            }
        };
        if self.kind != Kind::Insert {
            self.restrict(&mut text, &mut number);
        }
        if self.kind == Kind::Select {
            if let Some(column) = &self.ordered_by {
                let _ = write!(text, " ORDER BY {}", quoted(column));
            }
            text.push_str(if self.limit { " LIMIT 1" } else { "" });
            text.push_str(if self.for_update { " FOR UPDATE" } else { "" });
            text.push_str(if self.for_update && self.skip_locked { " SKIP LOCKED" } else { "" });
        }
        Some(text)
    }

    /// The rows that are changed or read: those of which all conditions hold.
    fn restrict(&self, text: &mut String, number: &mut usize) {
        for (at, (column, compared)) in self.conditions.iter().enumerate() {
            let joined = if at == 0 { " WHERE " } else { " AND " };
            text.push_str(joined);
            condition(text, column, compared, number);
        }
        if !self.either.is_empty() {
            let any: Vec<String> = self.either.iter().map(|column| format!("{} IS NULL", quoted(column))).collect();
            let joined = if self.conditions.is_empty() { " WHERE " } else { " AND " };
            // one alternative alone would read as a condition that must hold
            text.push_str(&format!("{joined}({} OR FALSE)", any.join(" OR ")));
        }
    }

    fn asked(&self) -> String {
        match (self.count, self.columns.as_slice()) {
            (true, _) => "count(*)".to_owned(),
            (_, []) => "*".to_owned(),
            (_, columns) => columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", "),
        }
    }

    fn insert(&self, table: &str, number: &mut usize) -> String {
        let columns: Vec<String> = self.set.iter().map(|(column, _)| quoted(column)).collect();
        let mut text = format!("INSERT INTO {table} ");
        if !columns.is_empty() {
            let _ = write!(text, "({}) ", columns.join(", "));
        }
        let row: Vec<String> = match self.set.as_slice() {
            [] => vec![placeholder(number)],
            set => set.iter().map(|(_, assigned)| value(assigned, number)).collect(),
        };
        let rows = if self.many { format!("({0}), ({0})", row.join(", ")) } else { format!("({})", row.join(", ")) };
        let _ = write!(text, "VALUES {rows}");
        let target: Vec<String> = self.conflict_target.iter().map(|column| quoted(column)).collect();
        let target = if target.is_empty() { String::new() } else { format!(" ({})", target.join(", ")) };
        if self.conflict_nothing {
            let _ = write!(text, " ON CONFLICT{target} DO NOTHING");
        } else if self.conflict_update {
            let target = if target.is_empty() { " (id)".to_owned() } else { target };
            let column = columns.last().cloned().unwrap_or_else(|| "id".to_owned());
            let mut set: Vec<String> =
                self.conflict_set.iter().map(|(column, assigned)| change(column, assigned, number)).collect();
            if set.is_empty() {
                set.push(format!("{column} = EXCLUDED.{column}"));
            }
            let _ = write!(text, " ON CONFLICT{target} DO UPDATE SET {}", set.join(", "));
            self.restrict(&mut text, number);
        }
        text
    }
}

fn change(column: &str, assigned: &Assigned, number: &mut usize) -> String {
    let column = quoted(column);
    match assigned {
        Assigned::Delta(_) => format!("{column} = {column} + {}", placeholder(number)),
        Assigned::PutIn => format!("{column} = EXCLUDED.{column}"),
        assigned => format!("{column} = {}", value(assigned, number)),
    }
}

/// What is bound for an assignment, if it has a placeholder.
fn bound_to((_, assigned): &(String, Assigned)) -> Option<Bound<'_>> {
    match assigned {
        Assigned::Value(id) | Assigned::Delta(id) => Some(Bound::Expr(*id)),
        Assigned::Held(value) => Some(Bound::Held(value)),
        Assigned::Text(_) | Assigned::PutIn => None,
    }
}

fn value(assigned: &Assigned, number: &mut usize) -> String {
    match assigned {
        Assigned::Text(text) => literal(text),
        Assigned::PutIn => "DEFAULT".to_owned(),
        Assigned::Value(_) | Assigned::Delta(_) | Assigned::Held(_) => placeholder(number),
    }
}

fn condition(text: &mut String, column: &str, compared: &Compared, number: &mut usize) {
    let column = quoted(column);
    let _ = match compared {
        Compared::Equal(_) => write!(text, "{column} = {}", placeholder(number)),
        Compared::Other(op, _) => write!(text, "{column} {op} {}", placeholder(number)),
        Compared::Text(fixed) => write!(text, "{column} = {}", literal(fixed)),
        Compared::Null => write!(text, "{column} IS NULL"),
    };
}

fn placeholder(number: &mut usize) -> String {
    *number += 1;
    format!("${number}")
}

/// A text as a literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A name as a delimited identifier.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', ""))
}
