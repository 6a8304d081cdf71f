//! What a text says that no dialect reads: its first words.

use super::{Kind, Statement};

/// A statement of which only the front is known: up to its condition, which other code puts together, or only the verb and
/// the table. None where the text does not begin like one.
pub fn outline(text: &str) -> Vec<Statement> {
    let lower = text.to_ascii_lowercase();
    let condition = lower.rfind("where").filter(|at| lower[..*at].ends_with(char::is_whitespace));
    if let Some(statements) = condition.and_then(|at| super::read(&text[..at], None)) {
        return statements;
    }
    let mut words = text
        .split(|char: char| char.is_whitespace() || matches!(char, '(' | ';' | ','))
        .filter(|word| !word.is_empty());
    let Some(verb) = words.next() else {
        return Vec::new();
    };
    let (kind, before) = match verb.to_ascii_lowercase().as_str() {
        "insert" => (Kind::Insert, Some("into")),
        "replace" => (Kind::Insert, Some("into")),
        "update" => (Kind::Update, None),
        "delete" => (Kind::Delete, Some("from")),
        "select" => (Kind::Select, Some("from")),
        _ => return Vec::new(),
    };
    let table = match before {
        Some(before) => words.by_ref().skip_while(|word| !word.eq_ignore_ascii_case(before)).nth(1),
        None => words.next(),
    };
    let table = table
        .map(plain)
        .filter(|name| !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_'));
    vec![Statement { kind, table, ..Statement::default() }]
}

/// The last part of a name, lower case, without quotes.
fn plain(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '`', '\'', '[', ']']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Kind, outline};

    #[test]
    fn verb_and_table_are_found() {
        let of = |text| outline(text).first().map(|statement| (statement.kind, statement.table.clone()));
        assert_eq!(
            of("UPDATE app.\"Mention\" SET a = 1 WHERE (b, c) IN ("),
            Some((Kind::Update, Some("mention".into())))
        );
        assert_eq!(of("insert into t(a) values (\u{0}"), Some((Kind::Insert, Some("t".into()))));
        assert_eq!(of("delete from \u{0} where"), Some((Kind::Delete, None)));
        assert_eq!(of("select a, b from t where"), Some((Kind::Select, Some("t".into()))));
        assert_eq!(of("vacuum"), None);
    }
}
