//! Keys that are written into a table: the value bound to a key column of an `INSERT`.
//!
//! A value that is minted and stored is right: it is minted once. One that is put together from the intent and something
//! fresh is not: the unique index on it never fires.

use crate::sql::{self, Kind, Set};

/// The columns of an `INSERT` with the number of the placeholder (from 0) that fills each.
pub(crate) fn inserted_columns(text: &str) -> Vec<(String, usize)> {
    let starts = text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("insert"));
    let statements = if starts { sql::read(text, None) } else { None };
    let inserts = statements.into_iter().flatten().filter(|statement| statement.kind == Kind::Insert);
    let set = inserts.flat_map(|insert| insert.set);
    set.filter_map(|assignment| match assignment.value {
        Set::Placeholder(number) => Some((assignment.column, number)),
        _ => None,
    })
    .collect()
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
