//! `json`: the tool's own machine-readable report, version 1. Complete, and the same bytes for the same input.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::findings::{At, Finding, Report};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    findings: Vec<Entry<'a>>,
    coverage: Coverage,
    summary: Summary,
}

#[derive(Serialize)]
struct Entry<'a> {
    rule: &'a str,
    level: &'a str,
    confidence: &'a str,
    message: &'a str,
    help: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    handler: Option<&'a str>,
    path: Vec<Step<'a>>,
    detail: BTreeMap<&'a str, &'a str>,
    fingerprint: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    baselined: bool,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct Step<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    note: &'a str,
}

#[derive(Serialize)]
struct Coverage {
    files: usize,
    unparsed: usize,
    handlers_declared: usize,
    handlers_undeclared: usize,
    keys_proven: usize,
    keys_unproven: usize,
    unresolved_calls: usize,
}

#[derive(Serialize)]
struct Summary {
    deny: usize,
    warn: usize,
    note: usize,
    allowed: usize,
    baselined: usize,
}

pub(super) fn render(report: &Report) -> String {
    let coverage = &report.coverage;
    let summary = &report.summary;
    let document = Document {
        version: 1,
        findings: report.findings.iter().map(entry).collect(),
        coverage: Coverage {
            files: coverage.files,
            unparsed: coverage.unparsed,
            handlers_declared: coverage.handlers_declared,
            handlers_undeclared: coverage.handlers_undeclared,
            keys_proven: coverage.keys_proven,
            keys_unproven: coverage.keys_unproven,
            unresolved_calls: coverage.unresolved_calls,
        },
        summary: Summary {
            deny: summary.deny,
            warn: summary.warn,
            note: summary.note,
            allowed: summary.allowed,
            baselined: summary.baselined,
        },
    };
    super::wire::to_json(&document)
}

fn entry(finding: &Finding) -> Entry<'_> {
    Entry {
        rule: finding.rule.name,
        level: finding.level.as_str(),
        confidence: finding.confidence.as_str(),
        message: &finding.message,
        help: &finding.help,
        place: place(&finding.at),
        handler: finding.handler.as_deref(),
        path: finding.path.iter().map(|step| Step { place: place(&step.at), note: &step.note }).collect(),
        detail: finding.detail.iter().map(|(name, value)| (*name, value.as_str())).collect(),
        fingerprint: &finding.fingerprint,
        baselined: finding.baselined,
    }
}

fn place(at: &At) -> Place<'_> {
    Place {
        file: &at.file,
        line: at.start.line,
        column: at.start.column,
        end_line: at.end.line,
        end_column: at.end.column,
    }
}
