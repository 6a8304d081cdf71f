//! `gitlab`: a code quality report.

use serde_json::{Value, json};

use super::wire::to_json;
use crate::findings::{Finding, Level, Report};

pub(super) fn render(report: &Report) -> String {
    let issues: Vec<Value> = report.findings.iter().map(issue).collect();
    to_json(&issues)
}

fn issue(finding: &Finding) -> Value {
    let severity = match finding.level {
        Level::Deny => "critical",
        Level::Warn => "major",
        Level::Note | Level::Allow => "info",
    };
    let at = &finding.at;
    let steps = finding.path.iter();
    let places: Vec<Value> = steps
        .map(|step| json!({ "path": step.at.file, "lines": { "begin": step.at.start.line, "end": step.at.end.line } }))
        .collect();
    json!({
        "type": "issue",
        "check_name": finding.rule.name,
        "description": finding.message,
        "content": { "body": finding.help },
        "categories": ["Bug Risk"],
        "fingerprint": finding.fingerprint,
        "severity": severity,
        "location": { "path": at.file, "lines": { "begin": at.start.line, "end": at.end.line } },
        "other_locations": places,
    })
}
