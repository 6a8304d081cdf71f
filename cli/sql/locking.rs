//! Locks that Postgres takes and the parser does not read: of rows in front of their number, and of a whole table.

use std::sync::LazyLock;

use regex::Regex;

/// `FOR UPDATE SKIP LOCKED LIMIT 1` as `LIMIT 1 FOR UPDATE SKIP LOCKED`; nothing where no text is like that.
pub(super) fn limit_first(text: &str) -> Option<String> {
    static LOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let lock = r"(?is-u)\b(for\s+(?:no\s+key\s+)?(?:update|share)(?:\s+of\s+\w+)?(?:\s+skip\s+locked|\s+nowait)?)";
        Regex::new(&format!(r"{lock}\s+(limit\s+(?:\$?\w+|\?))")).ok()
    });
    let lock = LOCK.as_ref()?;
    lock.is_match(text).then(|| lock.replace_all(text, "$2 $1").into_owned())
}

/// `LOCK TABLE jobs` as a query that locks all of its rows; nothing where no text is like that, or where the lock lets another
/// run with the same one stand beside it.
pub(super) fn of_table(text: &str) -> Option<String> {
    static LOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let mode = r"(?:access\s+|share\s+row\s+|share\s+update\s+)?exclusive";
        Regex::new(&format!(
            r#"(?is-u)^\s*lock\s+(?:table\s+)?(?:only\s+)?([\w."]+)(?:\s+in\s+{mode}\s+mode)?(?:\s+nowait)?\s*;?\s*$"#
        ))
        .ok()
    });
    let table = LOCK.as_ref()?.captures(text)?.get(1)?.as_str();
    Some(format!("SELECT 1 FROM {table} FOR UPDATE"))
}
