//! Locks of rows in front of their number: Postgres takes both clauses in either order, the parser in one.

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
