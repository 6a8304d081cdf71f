//! Keys that are written into a table: the value bound to a key column of an `INSERT`.
//!
//! A value that is minted and stored is right: it is minted once. One that is put together from the intent and something
//! fresh is not: the unique index on it never fires.

use sqlparser::ast::{Expr, SetExpr, Statement, Value};
use sqlparser::dialect::{Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;

/// Longest text that is parsed.
const MAX_SQL: usize = 64 * 1024;

/// The columns of an `INSERT` with the number of the placeholder (from 0) that fills each.
pub(crate) fn inserted_columns(sql: &str) -> Vec<(String, usize)> {
    let starts = sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("insert"));
    if !starts || sql.len() > MAX_SQL {
        return Vec::new();
    }
    let dialects: [&dyn Dialect; 4] = [&PostgreSqlDialect {}, &SQLiteDialect {}, &MySqlDialect {}, &GenericDialect {}];
    let parsed = dialects.iter().find_map(|dialect| Parser::parse_sql(*dialect, sql).ok());
    let Some(Statement::Insert(insert)) = parsed.and_then(|statements| statements.into_iter().next()) else {
        return Vec::new();
    };
    let Some(SetExpr::Values(values)) = insert.source.as_ref().map(|source| source.body.as_ref()) else {
        return Vec::new();
    };
    let Some(row) = values.rows.first() else {
        return Vec::new();
    };
    let mut unnumbered = 0;
    let mut out = Vec::new();
    for (column, value) in insert.columns.iter().zip(row) {
        if let Some(number) = placeholder(value, &mut unnumbered) {
            out.push((column.value.to_ascii_lowercase(), number));
        }
    }
    out
}

fn placeholder(expr: &Expr, unnumbered: &mut usize) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(text) => match text.trim_start_matches(['$', '?', ':']).parse::<usize>() {
                Ok(number) => number.checked_sub(1),
                Err(_) => {
                    *unnumbered += 1;
                    Some(*unnumbered - 1)
                }
            },
            _ => None,
        },
        Expr::Cast { expr, .. } | Expr::Nested(expr) => placeholder(expr, unnumbered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::inserted_columns;

    #[test]
    fn columns_meet_their_placeholders() {
        let sql = "INSERT INTO payments (invoice_id, amount, key) VALUES ($1, 5, $2::text) RETURNING id";
        assert_eq!(inserted_columns(sql), [("invoice_id".to_owned(), 0), ("key".to_owned(), 1)]);
        assert_eq!(inserted_columns("insert into t (a, b) values (?, ?)"), [("a".to_owned(), 0), ("b".to_owned(), 1)]);
        assert!(inserted_columns("SELECT 1").is_empty());
        assert!(inserted_columns("INSERT INTO").is_empty());
    }
}
