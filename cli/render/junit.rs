//! `junit`: a test report, one case for each finding. Denied findings are failures; the others are shown as skipped,
//! since a report has no quieter word that readers of such files still show.

use std::fmt::Write;

use super::plain::steers;
use crate::findings::{Finding, Level, Report};

pub(super) fn render(report: &Report) -> String {
    let tests = report.findings.len();
    let failures = report.findings.iter().filter(|finding| finding.level == Level::Deny).count();
    let skipped = tests - failures;
    // an empty suite is taken for a broken run, hence a case that passes
    let cases = tests.max(1);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = format!("tests=\"{cases}\" failures=\"{failures}\" errors=\"0\"");
    let _ = writeln!(out, "<testsuites name=\"cargo effects check\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"cargo effects check\" {counts} skipped=\"{skipped}\">");
    if report.findings.is_empty() {
        out.push_str("    <testcase classname=\"cargo-effects\" name=\"check\"/>\n");
    }
    for finding in &report.findings {
        case(&mut out, finding);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(out: &mut String, finding: &Finding) {
    let at = &finding.at;
    let place = format!("{}:{}:{}", at.file, at.start.line, at.start.column);
    let _ = writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">",
        finding.rule.name,
        escape(&place),
        escape(&at.file),
        at.start.line,
    );
    let message = escape(&finding.message);
    if finding.level == Level::Deny {
        let mut text = format!("{place}\n");
        if !finding.help.is_empty() {
            let _ = writeln!(text, "help: {}", finding.help);
        }
        for step in &finding.path {
            let _ = writeln!(text, "{}:{}: {}", step.at.file, step.at.start.line, step.note);
        }
        let kind = finding.level.as_str();
        let _ = writeln!(out, "      <failure message=\"{message}\" type=\"{kind}\">{}</failure>", escape(&text));
    } else {
        let _ = writeln!(out, "      <skipped message=\"{}: {message}\"/>", finding.level.as_str());
    }
    out.push_str("    </testcase>\n");
}

/// For text and for attributes. Characters that XML 1.0 cannot hold in any form are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c if steers(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_code_says_is_text() {
        assert_eq!(escape("<a b=\"c\">&'\u{1b}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;\u{fffd}&#10;");
    }
}
