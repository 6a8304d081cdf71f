//! `short`: `file:line:column: level[rule] message`, one line for each finding.

use std::fmt::Write;

use super::Options;
use super::plain::{line, shown};
use crate::findings::Report;

pub(super) fn render(report: &Report, options: Options) -> String {
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| shown(finding, options.notes)) {
        let at = &finding.at;
        let _ = writeln!(
            out,
            "{}:{}:{}: {}[{}] {}",
            line(&at.file),
            at.start.line,
            at.start.column,
            finding.level.as_str(),
            finding.rule.name,
            line(&finding.message),
        );
    }
    out
}
