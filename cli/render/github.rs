//! `github`: workflow commands that GitHub Actions turns into annotations.

use std::fmt::Write;

use super::plain::neutral;
use crate::findings::{Finding, Level, Report};

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        command(&mut out, finding);
    }
    out
}

fn command(out: &mut String, finding: &Finding) {
    let kind = match finding.level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "notice",
    };
    let at = &finding.at;
    let _ = write!(out, "::{kind} file={},line={}", property(&at.file), at.start.line);
    // columns of two lines are refused
    if at.start.line == at.end.line {
        let _ = write!(out, ",col={},endColumn={}", at.start.column, at.end.column);
    } else {
        let _ = write!(out, ",endLine={}", at.end.line);
    }
    let _ = write!(out, ",title={}", property(finding.rule.name));
    let mut text = finding.message.clone();
    if !finding.help.is_empty() {
        let _ = write!(text, "\nhelp: {}", finding.help);
    }
    for step in &finding.path {
        let _ = write!(text, "\n{}:{}: {}", step.at.file, step.at.start.line, step.note);
    }
    let _ = writeln!(out, "::{}", data(&text));
}

/// The log of a job is shown with colours, so nothing else may set them.
fn data(text: &str) -> String {
    neutral(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("50 %\r\nof a:b,c"), "50 %25%0D%0Aof a:b,c");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
        assert_eq!(data("a\u{1b}[31mb"), "a?[31mb");
    }
}
