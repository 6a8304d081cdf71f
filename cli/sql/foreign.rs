//! Spellings of databases whose dialect the parser does not have, as those of one that it has: CQL, T-SQL, SurrealQL.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// A pattern that is made once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
        PATTERN.as_ref()
    }};
}

/// `@P1` of T-SQL as `$1`: another dialect takes it for an operator and a column.
pub(super) fn numbered(text: String) -> String {
    match pattern!(r"@[Pp](\d+)\b").filter(|_| text.contains('@')) {
        Some(place) => place.replace_all(&text, "$$$1").into_owned(),
        None => text,
    }
}

/// The text as a dialect that is read would have it; nothing where no part of it is foreign.
///
/// `IF NOT EXISTS` behind a row lets a second one have no effect, as `ON CONFLICT DO NOTHING` does. What stands behind `IF` of
/// a change must hold beside its `WHERE`. How long a row lives is no part of what it says.
pub(super) fn plain(text: &str) -> Option<String> {
    let counted = counted(text);
    let mut text = Cow::from(counted.as_str());
    for (pattern, by) in [
        (pattern!(r"(?is)\bbegin\s+(?:unlogged\s+|counter\s+)?batch\b"), " "),
        (pattern!(r"(?is)\bapply\s+batch\b"), " "),
        (pattern!(r"(?is)\busing\s+(?:ttl|timestamp)\s+\S+(?:\s+and\s+(?:ttl|timestamp)\s+[^\s;]+)?"), " "),
        (pattern!(r"(?is)^(\s*insert\b.*?\))\s*if\s+not\s+exists\b"), "$1 ON CONFLICT DO NOTHING"),
        (pattern!(r"(?is)^(\s*(?:update|delete)\b.*\bwhere\b.*?)\s+if\s+exists\b"), "$1"),
        (pattern!(r"(?is)^(\s*(?:update|delete)\b.*\bwhere\b.*?)\s+if\b"), "$1 AND"),
        (pattern!(r"(?is)\b([\w.]+)\s*([+-])=\s*"), "$1 = $1 $2 "),
    ] {
        let Some(pattern) = pattern else { continue };
        if let Cow::Owned(changed) = pattern.replace_all(&text, by) {
            text = Cow::Owned(changed);
        }
    }
    match text {
        Cow::Owned(changed) => Some(changed),
        Cow::Borrowed(_) => None,
    }
}

/// The text with its placeholders numbered, since some may be left out.
fn counted(text: &str) -> String {
    let (mut out, mut quoted, mut count) = (String::with_capacity(text.len()), false, 0);
    for char in text.chars() {
        quoted ^= char == '\'';
        if char == '?' && !quoted {
            count += 1;
            let _ = write!(out, "${count}");
        } else {
            out.push(char);
        }
    }
    out
}
