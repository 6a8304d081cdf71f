//! Keys that are written into a table: the value bound to a key column of an `INSERT`.
//!
//! A value that is minted and stored is right: it is minted once. One that is put together from the intent and something
//! fresh is not: the unique index on it never fires. Where other columns tell the row from others, and one that is there
//! keeps its own key, the first one stays.

use crate::sql::{self, Conflict, Kind, Set, Statement};

/// One column of an `INSERT` that a placeholder fills.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Filled {
    /// the table, where it is known
    pub(crate) table: Option<String>,
    /// the column, lower case
    pub(crate) column: String,
    /// number of the placeholder (from 0)
    pub(crate) placeholder: usize,
}

/// The columns of an `INSERT` that placeholders fill, but for those that a row keeps which is there.
pub(crate) fn inserted_columns(text: &str) -> Vec<Filled> {
    let starts = text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("insert"));
    let statements = if starts { sql::read(text, None) } else { None };
    let inserts = statements.into_iter().flatten().filter(|statement| statement.kind == Kind::Insert);
    let columns = |insert: Statement| {
        let filled = insert.set.iter().filter(|set| !keeps_first(&insert, &set.column));
        let filled = filled.filter_map(|set| match set.value {
            Set::Placeholder(placeholder) => {
                Some(Filled { table: insert.table.clone(), column: set.column.clone(), placeholder })
            }
            _ => None,
        });
        filled.collect::<Vec<_>>()
    };
    inserts.flat_map(columns).collect()
}

/// Whether a row that is there keeps its own value of a column, other columns being what tells rows apart.
fn keeps_first(insert: &Statement, column: &str) -> bool {
    insert.conflict != Conflict::Fail
        && !insert.conflict_target.is_empty()
        && !insert.conflict_target.iter().any(|target| target == column)
        && !insert.replaces(column)
}

#[cfg(test)]
mod tests {
    use super::{Filled, inserted_columns};

    fn filled(text: &str) -> Vec<(String, usize)> {
        let column = |known: Filled| (known.column, known.placeholder);
        inserted_columns(text).into_iter().map(column).collect()
    }

    #[test]
    fn columns_meet_their_placeholders() {
        let sql = "INSERT INTO payments (invoice_id, amount, key) VALUES ($1, 5, $2::text) RETURNING id";
        assert_eq!(filled(sql), [("invoice_id".to_owned(), 0), ("key".to_owned(), 1)]);
        assert_eq!(filled("insert into t (a, b) values (?, ?)"), [("a".to_owned(), 0), ("b".to_owned(), 1)]);
        let kept = "insert into t (a, b) values (?, ?) on conflict (a) do nothing";
        assert_eq!(filled(kept), [("a".to_owned(), 0)]);
        let changed = "insert into t (a, b) values (?, ?) on conflict (a) do update set b = excluded.b";
        assert_eq!(filled(changed), [("a".to_owned(), 0), ("b".to_owned(), 1)]);
        assert_eq!(inserted_columns(kept)[0].table.as_deref(), Some("t"));
        assert!(filled("SELECT 1").is_empty());
        assert!(filled("INSERT INTO").is_empty());
    }
}
