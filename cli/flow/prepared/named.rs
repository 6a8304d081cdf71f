//! Values that are bound by name: `:order` of `params! { "order" => id }`, of `named_params! { ":order": id }` and of
//! `&[(":order", &id)]`.

use crate::flow::value::{Alt, Shape, Value};
use crate::ir::Name;

/// The marks that a placeholder with a name begins with.
const MARKS: [char; 3] = [':', '@', '$'];

/// The values of a list of parameters that have names, by these.
pub(super) fn values(bound: &Value) -> Option<Vec<(Name, Value)>> {
    let record = record(bound)?;
    if record.path.is_some_and(|path| path.as_str() == "{}") && record.rest.is_none() && !record.fields.is_empty() {
        return Some(record.fields.iter().map(|(name, value)| (plain(*name), value.clone())).collect());
    }
    let pairs = record.is_list().then(|| record.numbered())??;
    let pair = |pair: &Value| match *self::record(pair)?.numbered()? {
        [name, value] => {
            let name = name.text().filter(|name| name.starts_with(MARKS))?;
            Some((plain(Name::new(name)), value.clone()))
        }
        _ => None,
    };
    let pairs: Option<Vec<_>> = pairs.into_iter().map(pair).collect();
    pairs.filter(|pairs| !pairs.is_empty())
}

fn record(value: &Value) -> Option<&crate::flow::value::Record> {
    match value.alts.as_ref() {
        [Alt { shape: Shape::Record(record), .. }] => Some(record),
        _ => None,
    }
}

fn plain(name: Name) -> Name {
    Name::new(name.as_str().trim_start_matches(MARKS))
}

/// A statement with the numbers of these names in place of them. What is quoted stays, and so does a cast (`'7d'::interval`).
pub(super) fn numbered(text: &str, names: &[Name]) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut quoted, mut before) = (text, false, ' ');
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        quoted ^= letter == '\'';
        let alone = !quoted && before != letter && !before.is_alphanumeric();
        let length = rest.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(rest.len());
        let number = names.iter().position(|name| name.as_str() == &rest[..length]);
        match number.filter(|_| MARKS.contains(&letter) && alone) {
            Some(number) => {
                out.push_str(&format!("${}", number + 1));
                rest = &rest[length..];
            }
            None => out.push(letter),
        }
        before = letter;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::numbered;
    use crate::ir::Name;

    #[test]
    fn names_become_the_numbers_of_their_values() {
        let names = [Name::new("digest"), Name::new("no")];
        let text = "INSERT INTO orders (no, digest, at) VALUES (:no, @digest, ':no'::text) /* :nothing */";
        let expected = "INSERT INTO orders (no, digest, at) VALUES ($2, $1, ':no'::text) /* :nothing */";
        assert_eq!(numbered(text, &names), expected);
        assert_eq!(
            numbered("UPDATE a SET b = $no WHERE c = :no::int", &names),
            "UPDATE a SET b = $2 WHERE c = $2::int"
        );
    }
}
