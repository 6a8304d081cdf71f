//! From violations to the report.

use std::cmp::Ordering;

use super::allow::{Allows, unknown_rule};
use super::fingerprint::Fingerprints;
use super::precedence::one_fault_one_finding;
use super::{At, Confidence, Coverage, Finding, Level, Place, Policy, Report, ReportStep, Violation};
use crate::rules::{self, Rule};
use crate::source::Workspace;

/// A violation that no suppression covers.
type Open = (&'static Rule, At, Violation);

/// Decides level, suppression, order and identity of all violations.
pub fn settle(workspace: &Workspace, violations: Vec<Violation>, coverage: Coverage, policy: &Policy) -> Report {
    let known = violations.into_iter().filter_map(|violation| {
        let rule = rules::find(violation.rule)?;
        reported(workspace, policy, &violation.place).then_some((rule, violation))
    });
    let violations = one_fault_one_finding(known.collect());

    let mut report = Report { coverage, ..Report::default() };
    let mut allows = Allows::new(policy);
    let mut open = Vec::new();
    for (rule, violation) in violations {
        let at = report.sources.locate(workspace, &violation.place);
        if allows.cover(&violation, &at.file) {
            report.summary.allowed += 1;
        } else {
            open.push((rule, at, violation));
        }
    }
    let meta = allows.faults(workspace).into_iter().chain(unknown_levels(policy));
    for violation in meta {
        if let Some(rule) = rules::find(violation.rule) {
            if reported(workspace, policy, &violation.place) {
                let at = report.sources.locate(workspace, &violation.place);
                open.push((rule, at, violation));
            }
        }
    }
    open.sort_by(compare);
    open.dedup_by(|a, b| a.2 == b.2);

    let mut fingerprints = Fingerprints::default();
    for (rule, at, violation) in open {
        let fingerprint = fingerprints.next(&violation, &at.file);
        let level = level(rule, violation.confidence, policy);
        if level == Level::Allow {
            continue;
        }
        let baselined = policy.baseline.contains(&fingerprint);
        let path = violation
            .path
            .into_iter()
            .map(|step| ReportStep { at: report.sources.locate(workspace, &step.place), note: step.note });
        let path = path.collect();
        report.findings.push(Finding {
            rule,
            level,
            confidence: violation.confidence,
            message: violation.message,
            help: violation.help,
            at,
            handler: violation.handler,
            path,
            detail: violation.detail.into_iter().collect(),
            fingerprint,
            baselined,
        });
    }
    report.retain(|_| true);
    report
}

fn reported(workspace: &Workspace, policy: &Policy, place: &Place) -> bool {
    match place {
        Place::Source(span) => {
            let file = workspace.file(span.file);
            file.reported || (policy.all_members && workspace.package(file.package).member)
        }
        Place::Text { path, .. } => policy.all_members || text_reported(workspace, path),
    }
}

/// A text belongs to the package in the deepest folder around it; outside of all packages to the whole workspace.
fn text_reported(workspace: &Workspace, path: &str) -> bool {
    let around = workspace.packages.iter().filter(|package| {
        let rest = path.strip_prefix(package.folder.as_str());
        package.folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    });
    let deepest = around.max_by_key(|package| package.folder.len());
    // the root's texts speak for the workspace, whichever of its packages are selected
    deepest.is_none_or(|package| package.folder.is_empty() || package.reported)
}

/// File, line, column, rule; then everything else, so that no order of rules or threads shows.
fn compare(a: &Open, b: &Open) -> Ordering {
    let ((a_rule, a_at, a_violation), (b_rule, b_at, b_violation)) = (a, b);
    (a_at.file.cmp(&b_at.file))
        .then(a_at.start.cmp(&b_at.start))
        .then(a_rule.name.cmp(b_rule.name))
        .then(a_at.range.end.cmp(&b_at.range.end))
        .then_with(|| a_violation.handler.cmp(&b_violation.handler))
        .then_with(|| a_violation.detail.cmp(&b_violation.detail))
        .then_with(|| a_violation.message.cmp(&b_violation.message))
}

/// The user's level, or the rule's own; confidence lowers either.
fn level(rule: &Rule, confidence: Confidence, policy: &Policy) -> Level {
    let set = policy.levels.iter().rev().find(|entry| entry.rule == rule.name);
    let level = set.map_or(rule.default_level, |entry| entry.level);
    level.min(confidence.ceiling())
}

/// Levels of `effects.toml` for rules that do not exist. Those of the command line are usage errors already.
fn unknown_levels(policy: &Policy) -> impl Iterator<Item = Violation> + '_ {
    let unknown = policy.levels.iter().filter(|entry| !rules::is_known(&entry.rule));
    unknown.filter_map(|entry| {
        let (message, help) = unknown_rule(&entry.rule, "this level applies to nothing");
        Some(Violation {
            rule: "unknown-rule",
            confidence: Confidence::Certain,
            message,
            help,
            place: entry.place.clone()?,
            path: Vec::new(),
            handler: None,
            detail: vec![("level", entry.rule.clone())],
        })
    })
}
