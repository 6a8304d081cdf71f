//! Tables of the workspace's migrations: columns, and what is unique.

use std::collections::BTreeMap;

use sqlparser::ast::{self, ColumnOption, TableConstraint};
use sqlparser::dialect::{self, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;

use super::read::is_too_deep;

/// Longest migration that is read.
const MAX_SQL: usize = 1 << 20;

/// What migrations and code say of tables, by name.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// by lower-case name without schema
    pub tables: BTreeMap<String, TableFacts>,
}

/// One table.
#[derive(Clone, Debug, Default)]
pub struct TableFacts {
    /// columns, lower case
    pub columns: Vec<String>,
    /// sets of columns that are unique, the primary key among them
    pub unique: Vec<Vec<String>>,
    /// a statement that creates it was read: what is unique beside these is not likely
    pub created: bool,
}

impl Schema {
    /// Reads migrations in the given order.
    pub fn collect<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut schema = Self::default();
        for text in texts.filter(|text| text.len() <= MAX_SQL && !is_too_deep(text)) {
            let dialects: [&dyn dialect::Dialect; 4] =
                [&PostgreSqlDialect {}, &SQLiteDialect {}, &MySqlDialect {}, &GenericDialect {}];
            match dialects.iter().find_map(|dialect| Parser::parse_sql(*dialect, text).ok()) {
                Some(statements) => statements.iter().for_each(|statement| schema.add(statement)),
                // One statement that does not read must not hide the rest of the file.
                None => {
                    for part in text.split(";\n").filter(|part| part.to_lowercase().contains("create")) {
                        let parsed = dialects.iter().find_map(|dialect| Parser::parse_sql(*dialect, part).ok());
                        parsed.iter().flatten().for_each(|statement| schema.add(statement));
                    }
                }
            }
        }
        schema
    }

    /// Whether these columns alone make a row of a table unique.
    pub fn is_unique(&self, table: &str, columns: &[String]) -> bool {
        let unique = self.tables.get(table).map(|table| &table.unique);
        unique.is_some_and(|sets| sets.iter().any(|set| set.iter().all(|column| columns.contains(column))))
    }

    /// Takes over what is declared to be unique in a table.
    pub fn declare<'a>(&mut self, table: &str, unique: impl Iterator<Item = &'a [Box<str>]>) {
        let table = self.tables.entry(table.to_owned()).or_default();
        table.unique.extend(unique.map(|set| set.iter().map(|column| column.to_string()).collect()));
    }

    fn add(&mut self, statement: &ast::Statement) {
        match statement {
            ast::Statement::CreateTable(create) => {
                let Some(name) = last(&create.name) else {
                    return;
                };
                let table = self.tables.entry(name).or_default();
                table.created = true;
                for column in &create.columns {
                    let name = column.name.value.to_lowercase();
                    let unique = |option: &ColumnOption| matches!(option, ColumnOption::Unique { .. });
                    if column.options.iter().any(|option| unique(&option.option)) {
                        table.unique.push(vec![name.clone()]);
                    }
                    table.columns.push(name);
                }
                create.constraints.iter().for_each(|constraint| table.constrain(constraint));
            }
            ast::Statement::AlterTable { name, operations, .. } => {
                let Some(name) = last(name) else { return };
                let table = self.tables.entry(name).or_default();
                for operation in operations {
                    match operation {
                        ast::AlterTableOperation::AddConstraint { constraint, .. } => table.constrain(constraint),
                        ast::AlterTableOperation::AddColumn { column_def, .. } => {
                            table.columns.push(column_def.name.value.to_lowercase());
                        }
                        _ => {}
                    }
                }
            }
            ast::Statement::CreateIndex(index) if index.unique => {
                let Some(name) = last(&index.table_name) else {
                    return;
                };
                let columns =
                    index.columns.iter().map(|column| column.column.expr.to_string().to_lowercase()).collect();
                self.tables.entry(name).or_default().unique.push(columns);
            }
            _ => {}
        }
    }
}

impl TableFacts {
    fn constrain(&mut self, constraint: &TableConstraint) {
        if let TableConstraint::Unique { columns, .. } | TableConstraint::PrimaryKey { columns, .. } = constraint {
            self.unique.push(columns.iter().map(|column| column.column.expr.to_string().to_lowercase()).collect());
        }
    }
}

fn last(name: &ast::ObjectName) -> Option<String> {
    Some(name.0.last()?.as_ident()?.value.to_lowercase())
}
