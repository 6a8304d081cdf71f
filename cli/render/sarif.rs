//! `sarif`: SARIF 2.1.0 for code scanning.
//!
//! All rules are listed, so that an index means the same in every run; addresses are relative, so that no machine shows.
//! Fingerprints have a name of their own: GitHub's upload complains of foreign values for `primaryLocationLineHash`, and
//! makes that one itself.

use serde_json::{Value, json};

use super::wire::{to_json, uri_path};
use crate::findings::{At, Finding, Level, Report};
use crate::rules::{RULES, Rule};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Where the pages of rules are read in a browser.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/cli/rules");
const ROOT: &str = "%SRCROOT%";

pub(super) fn render(report: &Report) -> String {
    let results: Vec<Value> = report.findings.iter().map(result).collect();
    let rules: Vec<Value> = RULES.iter().map(|rule| descriptor(rule)).collect();
    to_json(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "cargo-effects",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                }
            },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(report),
            }],
            "originalUriBaseIds": {
                ROOT: { "description": { "text": "the folder that paths start from" } }
            },
            "automationDetails": { "id": format!("cargo-effects/{}", report.scope) },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }]
    }))
}

/// What was not read is said here too: a run without results must not look like a clean bill for it.
fn notifications(report: &Report) -> Vec<Value> {
    let unparsed = report.coverage.unparsed;
    if unparsed == 0 {
        return Vec::new();
    }
    vec![json!({
        "level": "warning",
        "message": { "text": format!("{unparsed} files or items could not be read and were not checked") },
    })]
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "name": pascal_case(rule.name),
        "shortDescription": { "text": sentence(rule.summary) },
        "fullDescription": { "text": sentence(rule.summary) },
        "help": { "text": rule.doc, "markdown": rule.doc },
        "helpUri": format!("{PAGES}/{}.md", rule.name.replace('-', "_")),
        "defaultConfiguration": { "level": level(rule.default_level) },
        "properties": {
            "tags": ["effects", rule.group.as_str()],
            "precision": precision(rule.default_level),
            "problem.severity": severity(rule.default_level),
        },
    })
}

/// What code scanning sorts alerts by. A rule that denies does so only where it is certain.
fn precision(level: Level) -> &'static str {
    match level {
        Level::Deny => "very-high",
        Level::Warn => "high",
        Level::Note | Level::Allow => "medium",
    }
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "recommendation",
    }
}

/// The form that the format wants names in.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    words.collect()
}

/// The form that the format wants texts in.
fn sentence(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}.", first.to_uppercase())
}

fn result(finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.rule.name,
        "level": level(finding.level),
        "message": { "text": text(finding) },
        "locations": [location(&finding.at, None, finding.handler.as_deref())],
        "partialFingerprints": { "effects/v1": finding.fingerprint },
        "properties": {
            "confidence": finding.confidence.as_str(),
            "detail": finding.detail,
            "baselined": finding.baselined,
        },
    });
    if let Some(index) = RULES.iter().position(|rule| rule.name == finding.rule.name) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.path.is_empty() {
        let steps = finding.path.iter();
        let locations: Vec<Value> =
            steps.map(|step| json!({ "location": location(&step.at, Some(&step.note), None) })).collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": locations }] }]);
    }
    result
}

fn text(finding: &Finding) -> String {
    if finding.help.is_empty() {
        finding.message.clone()
    } else {
        format!("{}\n\nhelp: {}", finding.message, finding.help)
    }
}

fn location(at: &At, note: Option<&str>, item: Option<&str>) -> Value {
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri_path(&at.file), "uriBaseId": ROOT },
            "region": {
                "startLine": at.start.line,
                "startColumn": at.start.column,
                "endLine": at.end.line,
                "endColumn": at.end.column,
            },
        },
    });
    if let Some(note) = note {
        location["message"] = json!({ "text": note });
    }
    if let Some(item) = item {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": item, "kind": "function" }]);
    }
    location
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note => "note",
        Level::Allow => "none",
    }
}
