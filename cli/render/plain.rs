//! Text for people: what must not reach a terminal, and the closing lines.

use std::borrow::Cow;
use std::fmt::Write;

use crate::findings::{Finding, Level, Report};

/// Replaces what would steer a terminal or reorder what is read: control characters except tab, and bidirectional
/// formatting. Every character becomes one of equal length in bytes, so that offsets into the text stay right.
pub fn neutral(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let replaced = text.chars().map(|c| match (steers(c), c.len_utf8()) {
        (false, _) => c,
        (true, 1) => '?',
        (true, 2) => '\u{a4}',
        (true, _) => char::REPLACEMENT_CHARACTER,
    });
    Cow::Owned(replaced.collect())
}

/// As [`neutral`], for texts that must stay on one line.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    match neutral(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\r', '\t']) => Cow::Borrowed(text),
        text => Cow::Owned(text.replace(['\n', '\r', '\t'], " ")),
    }
}

/// Whether a character would steer a terminal or reorder what is read.
pub(super) fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Whether a finding is shown to people.
pub(super) fn shown(finding: &Finding, notes: bool) -> bool {
    notes || finding.level > Level::Note
}

/// The lines that end a run for people: what was found, what is hidden, what was looked at.
pub fn closing(report: &Report, notes: bool) -> String {
    let summary = &report.summary;
    let mut out = String::new();
    let mut counts = vec![
        counted(summary.deny, "violation denied", "violations denied"),
        counted(summary.warn, "warning", "warnings"),
    ];
    if notes || summary.note == 0 {
        counts.push(counted(summary.note, "note", "notes"));
    } else {
        counts.push(format!("{} hidden (-v shows them)", counted(summary.note, "note", "notes")));
    }
    if summary.allowed > 0 {
        counts.push(format!("{} allowed", summary.allowed));
    }
    if summary.baselined > 0 {
        counts.push(format!("{} in the baseline", summary.baselined));
    }
    let _ = writeln!(out, "{}", counts.join(", "));
    let coverage = &report.coverage;
    let _ = writeln!(
        out,
        "coverage: {}, {} unparsed; {} declared, {} undeclared; {} proven, {} unproven; {}",
        counted(coverage.files, "file", "files"),
        coverage.unparsed,
        counted(coverage.handlers_declared, "handler", "handlers"),
        coverage.handlers_undeclared,
        counted(coverage.keys_proven, "key", "keys"),
        coverage.keys_unproven,
        counted(coverage.unresolved_calls, "unresolved call", "unresolved calls"),
    );
    out
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_and_lengths_stay() {
        let text = "a\u{1b}[31m\u{202e}b\u{9b}c\u{7}\r\n\tü";
        let neutral = neutral(text);
        assert_eq!(neutral, "a?[31m\u{fffd}b\u{a4}c?\r\n\tü");
        assert_eq!(neutral.len(), text.len());
        assert_eq!(line("a\nb\u{1b}"), "a b?");
    }
}
