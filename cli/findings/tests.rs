//! Levels, suppressions, precedence, order.

use super::precedence::one_fault_one_finding;
use super::*;
use crate::pipeline::workspace_of_texts;
use crate::rules::{Group, Rule};
use crate::source::{FileId, TextRange, Workspace};

const RULE: &str = "unparsed-source";
const TEXT: &str = "fn a() {}\nfn b() {}\nfn c() {}\n";

fn workspace() -> Workspace {
    workspace_of_texts(vec![
        ("src/lib.rs".into(), TEXT.into()),
        ("src/main.rs".into(), TEXT.into()),
        ("effects.toml".into(), "version = 1\n".into()),
    ])
    .expect("a workspace")
}

fn span(file: u32, start: u32) -> Span {
    Span::new(FileId(file), TextRange { start, end: start + 2 })
}

fn violation(file: u32, start: u32, confidence: Confidence) -> Violation {
    Violation {
        rule: RULE,
        confidence,
        message: "m".into(),
        help: "h".into(),
        place: Place::Source(span(file, start)),
        path: Vec::new(),
        handler: Some(format!("shop::billing::f{start}")),
        detail: Vec::new(),
    }
}

fn run(violations: Vec<Violation>, policy: &Policy) -> Report {
    settle(&workspace(), violations, Coverage::default(), policy)
}

fn set(rule: &str, level: Level) -> LevelEntry {
    LevelEntry { rule: rule.into(), level, place: None }
}

fn allow(scope: AllowScope, until: Option<&str>) -> AllowEntry {
    AllowEntry {
        rule: RULE.into(),
        scope,
        reason: "tested".into(),
        until: until.map(str::to_owned),
        owner: Some("payments".into()),
        place: Place::Text { path: "effects.toml".into(), range: TextRange::default() },
    }
}

fn names(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.rule.name).collect()
}

#[test]
fn confidence_lowers_the_users_level_too() {
    let policy = Policy { levels: vec![set(RULE, Level::Warn), set(RULE, Level::Deny)], ..Policy::default() };
    let violations = vec![
        violation(0, 0, Confidence::Certain),
        violation(0, 10, Confidence::Likely),
        violation(0, 20, Confidence::Possible),
    ];
    let report = run(violations, &policy);
    let levels: Vec<_> = report.findings.iter().map(|finding| finding.level).collect();
    assert_eq!(levels, [Level::Deny, Level::Warn, Level::Note]);
    assert_eq!((report.summary.deny, report.summary.warn, report.summary.note), (1, 1, 1));
    assert!(report.reaches(Level::Deny, false));
}

#[test]
fn an_allowed_level_hides_without_counting() {
    let policy = Policy { levels: vec![set(RULE, Level::Allow)], ..Policy::default() };
    let report = run(vec![violation(0, 0, Confidence::Certain)], &policy);
    assert!(report.findings.is_empty());
    assert_eq!(report.summary, Summary::default());
}

#[test]
fn order_is_file_line_column_whatever_the_input_order() {
    let forward: Vec<_> = [(1, 10), (1, 0), (0, 20)].map(|(f, s)| violation(f, s, Confidence::Certain)).into();
    let backward = forward.iter().rev().cloned().collect();
    let places = |report: Report| -> Vec<(String, u32, String)> {
        let findings = report.findings.into_iter();
        findings.map(|f| (f.at.file, f.at.start.line, f.fingerprint)).collect()
    };
    let forward = places(run(forward, &Policy::default()));
    assert_eq!(forward, places(run(backward, &Policy::default())));
    let lines: Vec<_> = forward.iter().map(|(file, line, _)| (file.as_str(), *line)).collect();
    assert_eq!(lines, [("src/lib.rs", 3), ("src/main.rs", 1), ("src/main.rs", 2)]);
}

#[test]
fn suppressions_cover_by_item_file_and_handler() {
    let scopes = [
        AllowScope::Item("crate::billing::f10".into()),
        AllowScope::Item("shop::billing".into()),
        AllowScope::File("src/main.rs".into()),
        AllowScope::File("src/*.rs".into()),
        AllowScope::Handler { item: span(1, 10), path: "other".into() },
        AllowScope::Handler { item: span(0, 0), path: "shop::billing::f10".into() },
    ];
    for scope in scopes {
        let policy = Policy { allows: vec![allow(scope.clone(), None)], ..Policy::default() };
        let report = run(vec![violation(1, 10, Confidence::Certain)], &policy);
        assert_eq!(names(&report), [""; 0], "{scope:?}");
        assert_eq!(report.summary.allowed, 1);
    }
    let policy = Policy { allows: vec![allow(AllowScope::File("src/*.md".into()), None)], ..Policy::default() };
    let report = run(vec![violation(1, 10, Confidence::Certain)], &policy);
    assert_eq!(names(&report), ["unused-allow", RULE]);
}

#[test]
fn a_suppression_holds_on_its_last_day_and_not_after() {
    let on = |today: &str| {
        let policy = Policy {
            allows: vec![allow(AllowScope::File("src/main.rs".into()), Some("2026-06-30"))],
            today: Some(today.into()),
            ..Policy::default()
        };
        run(vec![violation(1, 10, Confidence::Certain)], &policy)
    };
    assert!(on("2026-06-30").findings.is_empty());
    assert_eq!(names(&on("2026-07-01")), ["expired-allow", RULE]);
}

#[test]
fn what_is_not_reported_is_silent() {
    let mut workspace = workspace();
    workspace.files[0].reported = false;
    let violations = vec![violation(0, 0, Confidence::Certain)];
    let report = settle(&workspace, violations, Coverage::default(), &Policy::default());
    assert!(report.findings.is_empty());
}

#[test]
fn the_baseline_marks_and_counts() {
    let first = run(vec![violation(1, 10, Confidence::Certain)], &Policy::default());
    let policy = Policy {
        levels: vec![set(RULE, Level::Deny)],
        baseline: [first.findings[0].fingerprint.clone()].into(),
        ..Policy::default()
    };
    let report = run(vec![violation(1, 10, Confidence::Certain)], &policy);
    assert!(report.findings[0].baselined);
    assert_eq!(report.summary.baselined, 1);
    assert!(report.reaches(Level::Deny, false) && !report.reaches(Level::Deny, true));
}

const fn rule(name: &'static str, group: Group) -> Rule {
    Rule { name, group, default_level: Level::Deny, summary: "s", doc: "d", check: |_, _| {}, contract_error: false }
}

static PER_ATTEMPT: Rule = rule("per-attempt-key", Group::Key);
static MISSING: Rule = rule("missing-key", Group::Key);
static FIELD: Rule = rule("missing-field", Group::Contract);

fn of(rule: &'static Rule, confidence: Confidence, detail: &str) -> (&'static Rule, Violation) {
    let mut violation = violation(1, 10, confidence);
    violation.rule = rule.name;
    violation.detail = vec![("field", detail.into())];
    (rule, violation)
}

#[test]
fn one_fault_speaks_once() {
    use Confidence::{Certain, Likely};
    let kept = |violations| -> Vec<(&str, String)> {
        let kept = one_fault_one_finding(violations).into_iter();
        kept.map(|(rule, violation)| (rule.name, violation.detail[0].1.clone())).collect()
    };
    let earlier_rule = vec![of(&MISSING, Certain, "a"), of(&PER_ATTEMPT, Certain, "b")];
    assert_eq!(kept(earlier_rule), [("per-attempt-key", "b".to_owned())]);
    let surer = vec![of(&MISSING, Certain, "a"), of(&PER_ATTEMPT, Likely, "b")];
    assert_eq!(kept(surer), [("missing-key", "a".to_owned())]);
    // the fields of one attribute are facts of their own
    let fields = vec![of(&FIELD, Certain, "a"), of(&FIELD, Certain, "b"), of(&FIELD, Certain, "a")];
    assert_eq!(kept(fields).len(), 2);
}
