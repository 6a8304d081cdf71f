//! Holes of a format template: `UPDATE {table} SET a = {}`.

/// What a hole becomes, so that the text still reads: a name that is a table, a column or a value by where it stands.
pub(super) const HOLE: &str = "hole__";

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
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}
