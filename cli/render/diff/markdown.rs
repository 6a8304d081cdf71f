//! For the comment on a pull request. Everything that comes from the scanned code is escaped.

use std::fmt::Write;

use super::{counts, shown};
use crate::diff::{Change, Comparison, HandlerChange};
use crate::docs::{code, markdown};

pub(super) fn render(comparison: &Comparison) -> String {
    let mut out = format!("## Guarantees against {}\n\n{}.\n", value(&comparison.base), counts(comparison));
    if let Some(reason) = &comparison.unanswerable {
        let _ = write!(out, "\n**Not answered:** {}\n", markdown(reason));
    }
    for change in &comparison.changes {
        handler(&mut out, change);
    }
    out
}

fn handler(out: &mut String, change: &HandlerChange) {
    let _ = write!(out, "\n### {}: {}\n", title(change.change), value(&change.handler));
    for reason in &change.reasons {
        let _ = write!(out, "\n{}\n", markdown(reason));
    }
    if !change.sentence.is_empty() {
        let when = if change.change == Change::Gone { "Was: " } else { "" };
        let _ = write!(out, "\n{when}{}\n", sentence(&change.sentence));
    }
    if !change.fields.is_empty() {
        out.push_str("\n| what | before | now | |\n| --- | --- | --- | --- |\n");
    }
    for field in &change.fields {
        let side =
            |side: &Option<serde_json::Value>| side.as_ref().map_or("nothing".to_owned(), |it| value(&shown(it)));
        let (before, after) = (side(&field.before), side(&field.after));
        let _ = writeln!(out, "| {} | {before} | {after} | {} |", markdown(&field.name), field.change.word());
    }
    if !change.review_again.is_empty() {
        out.push_str("\nReview again, since the promise rests on it:\n\n");
    }
    for review in &change.review_again {
        let side = |side: &Option<String>| side.as_ref().map_or("nothing".to_owned(), |it| value(it));
        let _ = writeln!(out, "- {}: {} → {}", markdown(&review.what), side(&review.before), side(&review.after));
    }
}

/// A sentence in which source text stands between backticks. Where that text holds some itself the spans shift, and all
/// of it stays escaped.
fn sentence(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(number, part)| if number % 2 == 0 { words(part) } else { code(part) }).collect()
}

/// Words with the spaces around them, which escaping drops.
fn words(text: &str) -> String {
    let space = |is: bool| if is { " " } else { "" };
    let (front, back) = (text.starts_with(' '), text.ends_with(' ') && !text.trim().is_empty());
    format!("{}{}{}", space(front), markdown(text), space(back))
}

/// A text of the application; an empty one is named, since an empty code span is none.
fn value(text: &str) -> String {
    let text = code(text);
    if text.is_empty() { "empty".to_owned() } else { text }
}

fn title(change: Change) -> &'static str {
    match change {
        Change::Weakened => "Weakened",
        Change::Unanswerable => "Unanswerable",
        Change::Gone => "Gone",
        Change::Changed => "Changed",
        Change::Strengthened => "Strengthened",
        Change::New => "New",
    }
}
