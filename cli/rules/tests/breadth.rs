//! Crates that the pages do not use: of each group a rule hears of a fault, and is silent on its twin.

mod brokers;
mod keyed;
mod platforms;
mod statements;

use super::found;

/// A fault and what mends it: a text with a place that is filled in two ways.
struct Pair {
    /// the crate whose calls it is about
    of: &'static str,
    rule: &'static str,
    /// the text; `@` is the place
    text: &'static str,
    flagged: &'static str,
    silent: &'static str,
}

/// Judges both sides of each pair; all that is wrong is said at once.
fn judge(pairs: &[Pair]) {
    let mut wrong = Vec::new();
    for pair in pairs {
        let told = |side: &str| found(pair.text.replace('@', side), pair.rule);
        match told(pair.flagged) {
            Some((level, _)) if matches!(level.as_str(), "warn" | "deny") => {}
            other => wrong.push(format!("{} / {}: not flagged, but {other:?}", pair.of, pair.rule)),
        }
        if let Some((level, message)) = told(pair.silent) {
            wrong.push(format!("{} / {}: the twin is flagged ({level}): {message}", pair.of, pair.rule));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
