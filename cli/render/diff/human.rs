//! For a terminal.

use std::fmt::Write;

use super::super::plain::line;
use super::{counts, shown};
use crate::diff::{Comparison, HandlerChange};

pub(super) fn render(comparison: &Comparison) -> String {
    let mut out = String::new();
    if let Some(reason) = &comparison.unanswerable {
        let _ = writeln!(out, "unanswerable: {}\n", line(reason));
    }
    for change in &comparison.changes {
        handler(&mut out, change);
    }
    let _ = writeln!(out, "against {}: {}", line(&comparison.base), counts(comparison));
    out
}

fn handler(out: &mut String, change: &HandlerChange) {
    let _ = writeln!(out, "{}: {}", change.change.word(), line(&change.handler));
    for reason in &change.reasons {
        let _ = writeln!(out, "  {}", line(reason));
    }
    for field in &change.fields {
        let side = |value: &Option<serde_json::Value>| value.as_ref().map_or("nothing".to_owned(), shown);
        let step = format!("{} -> {}", side(&field.before), side(&field.after));
        let _ = writeln!(out, "  {} {}: {}", field.change.word(), line(&field.name), line(&step));
    }
    for review in &change.review_again {
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        let step = format!("{}: {} -> {}", review.what, side(&review.before), side(&review.after));
        let _ = writeln!(out, "  review again {}", line(&step));
    }
    let _ = writeln!(out, "  {}\n", line(&change.sentence));
}
