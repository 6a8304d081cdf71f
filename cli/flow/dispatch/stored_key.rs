//! Keys that are written into a table: the value bound to a key column of an `INSERT`.
//!
//! A value that is minted and stored is right: it is minted once. One that is put together from the intent and something
//! fresh is not: the unique index on it never fires. Where other columns tell the row from others, and one that is there
//! keeps its own key, the first one stays.

use crate::sql::{self, Conflict, Kind, Set, Statement};

/// The columns of an `INSERT` with the number of the placeholder (from 0) that fills each, but for those that a row keeps
/// which is there.
pub(crate) fn inserted_columns(text: &str) -> Vec<(String, usize)> {
    let starts = text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("insert"));
    let statements = if starts { sql::read(text, None) } else { None };
    let inserts = statements.into_iter().flatten().filter(|statement| statement.kind == Kind::Insert);
    let columns = |insert: Statement| {
        let filled = insert.set.iter().filter(|set| !keeps_first(&insert, &set.column));
        let filled = filled.filter_map(|set| match set.value {
            Set::Placeholder(number) => Some((set.column.clone(), number)),
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
    use super::inserted_columns;

    #[test]
    fn columns_meet_their_placeholders() {
        let sql = "INSERT INTO payments (invoice_id, amount, key) VALUES ($1, 5, $2::text) RETURNING id";
        assert_eq!(inserted_columns(sql), [("invoice_id".to_owned(), 0), ("key".to_owned(), 1)]);
        assert_eq!(inserted_columns("insert into t (a, b) values (?, ?)"), [("a".to_owned(), 0), ("b".to_owned(), 1)]);
        let kept = "insert into t (a, b) values (?, ?) on conflict (a) do nothing";
        assert_eq!(inserted_columns(kept), [("a".to_owned(), 0)]);
        let changed = "insert into t (a, b) values (?, ?) on conflict (a) do update set b = excluded.b";
        assert_eq!(inserted_columns(changed), [("a".to_owned(), 0), ("b".to_owned(), 1)]);
        assert!(inserted_columns("SELECT 1").is_empty());
        assert!(inserted_columns("INSERT INTO").is_empty());
    }
}
