//! Holes of a format template: `UPDATE {table} SET a = {}`.

/// What a hole becomes, so that the text still reads: a name that is a table, a column or a value by where it stands. What the
/// template calls the hole stands behind it.
const HOLE: &str = "hole__";
/// The front and the end of a hole's name that say only that it is a table.
const TABLE: [&str; 2] = ["table_", "_table"];
/// Names of holes for whichever table it is.
const ANY: [&str; 8] = ["", "db", "name", "schema", "tablename", "table_name", "table", "tbl"];

/// The name of a table: of a hole that of what goes into it, where the template tells.
pub(super) fn table(name: String) -> Option<String> {
    let Some(hole) = name.strip_prefix(HOLE) else {
        return Some(name);
    };
    let hole = hole.trim_end_matches(TABLE[1]).trim_start_matches(TABLE[0]);
    (!ANY.contains(&hole)).then(|| hole.to_owned())
}

/// Whether a name stands for a hole.
pub(super) fn is_hole(name: &str) -> bool {
    name.starts_with(HOLE)
}

/// What the template calls the hole that a name stands for.
pub(super) fn name(name: &str) -> Option<&str> {
    name.strip_prefix(HOLE).filter(|name| !name.is_empty())
}

/// What a template calls a hole, where that is a plain name and no part of one.
fn called<'a>(hole: &'a str, before: &str, behind: &str) -> &'a str {
    let part = |char: char| char.is_alphanumeric() || char == '_';
    let alone = !before.ends_with(part) && !behind.starts_with(part);
    let plain = alone && hole.chars().all(part) && !hole.starts_with(|char: char| char.is_ascii_digit());
    if plain { hole } else { "" }
}

/// The text with each hole, and each mark that lowering leaves for one, replaced.
pub(super) fn fill(text: &str) -> String {
    if !text.contains(['{', '\u{0}']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '\u{0}']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let end = match tail.starts_with('\u{0}') {
            true => 1,
            false => tail.find('}').map_or(tail.len(), |end| end + 1),
        };
        out.push_str(HOLE);
        out.push_str(called(tail[..end].trim_matches(['{', '}', '\u{0}']), &rest[..at], &tail[end..]));
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}
