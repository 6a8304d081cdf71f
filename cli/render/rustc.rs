//! `--message-format json`: rustc's own diagnostics, one JSON object a line, for editors.

use serde_json::{Value, json};

use super::wire::to_json;
use super::{Options, human};
use crate::findings::{At, Finding, Level, Report};

pub(super) fn render(report: &Report) -> String {
    let options = Options { color: false, notes: true, width: 100 };
    let findings = report.findings.iter();
    let rendered = human::each(report, options);
    findings.zip(rendered).map(|(finding, rendered)| to_json(&diagnostic(report, finding, &rendered))).collect()
}

fn diagnostic(report: &Report, finding: &Finding, rendered: &str) -> Value {
    let mut spans = vec![span(report, &finding.at, None, true)];
    spans.extend(finding.path.iter().map(|step| span(report, &step.at, Some(&step.note), false)));
    let mut children = Vec::new();
    if !finding.help.is_empty() {
        children.push(json!({
            "message": finding.help,
            "code": null,
            "level": "help",
            "spans": [],
            "children": [],
            "rendered": null,
        }));
    }
    let level = match finding.level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "note",
    };
    json!({
        "$message_type": "diagnostic",
        "message": finding.message,
        "code": { "code": format!("effects::{}", finding.rule.name), "explanation": finding.rule.doc },
        "level": level,
        "spans": spans,
        "children": children,
        "rendered": rendered,
    })
}

fn span(report: &Report, at: &At, label: Option<&str>, primary: bool) -> Value {
    let first = at.start.line;
    // a span over a whole function repeats it in every editor: three lines say where it is
    let last = at.end.line.min(first + 2);
    let text = report.sources.get(&at.file);
    let lines: Vec<Value> = (first..=last)
        .map(|number| {
            let line = text.map_or("", |text| text.line(number as usize - 1));
            let length = line.chars().count() as u32;
            json!({
                "text": line,
                "highlight_start": if number == first { at.start.column } else { 1 },
                "highlight_end": if number == at.end.line { at.end.column } else { length + 1 },
            })
        })
        .collect();
    json!({
        "file_name": at.file,
        "byte_start": at.range.start,
        "byte_end": at.range.end,
        "line_start": at.start.line,
        "line_end": at.end.line,
        "column_start": at.start.column,
        "column_end": at.end.column,
        "is_primary": primary,
        "text": lines,
        "label": label,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}
