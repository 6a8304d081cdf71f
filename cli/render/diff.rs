//! What a change does to guarantees: for a terminal, for the comment on a pull request, for programs.

mod human;
mod markdown;

use serde_json::Value;

use super::wire::to_json;
use crate::diff::{Change, Comparison};

/// How a comparison is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffFormat {
    /// for a terminal
    Human,
    /// for a comment
    Markdown,
    /// for programs, version 1
    Json,
}

impl DiffFormat {
    /// The formats of `diff --format` with their words.
    pub const ALL: [(&'static str, Self); 3] =
        [("human", Self::Human), ("markdown", Self::Markdown), ("json", Self::Json)];
}

/// The comparison in a format, with a final line end.
pub fn diff(comparison: &Comparison, format: DiffFormat) -> String {
    match format {
        DiffFormat::Human => human::render(comparison),
        DiffFormat::Markdown => markdown::render(comparison),
        DiffFormat::Json => to_json(comparison),
    }
}

/// `1 weakened, 2 new, 5 unchanged`
fn counts(comparison: &Comparison) -> String {
    let counts = Change::ALL.into_iter().map(|change| (comparison.count(change), change.word()));
    let met = counts.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    met.chain([format!("{} unchanged", comparison.unchanged)]).collect::<Vec<_>>().join(", ")
}

/// A value as people read it: texts without quotes, lists with commas, `state = word`.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| format!("{key} = {}", shown(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
