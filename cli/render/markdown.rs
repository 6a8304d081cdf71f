//! `markdown`: a summary for a pull request or a job page.

use std::fmt::Write;

use super::plain::{closing, line};
use crate::findings::{Finding, Report};

pub(super) fn render(report: &Report) -> String {
    let mut out = String::from("## Effect guarantees\n\n");
    for text in closing(report, true).lines() {
        let _ = writeln!(out, "{}\n", escape(text));
    }
    if report.findings.is_empty() {
        return out;
    }
    out.push_str("| level | rule | where | what | what to do |\n| --- | --- | --- | --- | --- |\n");
    for finding in &report.findings {
        row(&mut out, finding);
    }
    out
}

fn row(out: &mut String, finding: &Finding) {
    let at = &finding.at;
    let place = format!("{}:{}:{}", at.file, at.start.line, at.start.column);
    let mut what = escape(&finding.message);
    for step in &finding.path {
        let step_place = format!("{}:{}", step.at.file, step.at.start.line);
        let _ = write!(what, "<br>{}: {}", escape(&step_place), escape(&step.note));
    }
    let baselined = if finding.baselined { " (baselined)" } else { "" };
    let _ = writeln!(
        out,
        "| {}{baselined} | {} | {} | {what} | {} |",
        finding.level.as_str(),
        finding.rule.name,
        escape(&place),
        escape(&finding.help),
    );
}

/// Text that means nothing to Markdown, HTML or a forge: no table cell ends, no markup, no mention, no issue link.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_text() {
        assert_eq!(escape("a|b`c`\n<img> @me #1"), "a\\|b\\`c\\` &lt;img&gt; &#64;me &#35;1");
    }
}
