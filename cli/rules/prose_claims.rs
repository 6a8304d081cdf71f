//! What the rules about prose share: where claims are looked for and how they are put into words.
//!
//! In: the facts and a promise. Out: a violation for each claim of it. Which documents are read is settled where the
//! workspace is read; here, of all texts, the documents and manifests are asked, and the Rust files of code that is not
//! test code.

use std::collections::BTreeSet;

use super::{Facts, Sink};
use crate::findings::{Place, Violation};
use crate::prose::{Claim, Promise, Text, TextKind, claims};
use crate::source::{FileId, Span, TargetKind};

/// Reports every claim of a promise.
pub(super) fn report(facts: &Facts<'_>, sink: &mut Sink, rule: &'static str, promise: Promise) {
    for (path, text) in &facts.workspace.texts {
        let Some(kind) = kind_of(path) else {
            continue;
        };
        for claim in claims_of(text, kind, history(path), promise) {
            let place = Place::Text { path: path.clone(), range: claim.range };
            sink.report(violation(rule, place, claim));
        }
    }
    let tests = test_files(facts);
    for (number, file) in facts.workspace.files.iter().enumerate() {
        let id = FileId(number as u32);
        if !file.reported || tests.contains(&id) {
            continue;
        }
        for claim in claims_of(&file.text, TextKind::Rust, false, promise) {
            let place = Place::Source(Span::new(id, claim.range));
            sink.report(violation(rule, place, claim));
        }
    }
}

fn claims_of(text: &str, kind: TextKind, history: bool, promise: Promise) -> Vec<Claim> {
    let mut claims = claims(Text { text, kind, history });
    claims.retain(|claim| claim.promise == promise);
    claims
}

fn violation(rule: &'static str, place: Place, claim: Claim) -> Violation {
    Violation {
        rule,
        confidence: claim.confidence,
        message: claim.reason.to_owned(),
        help: claim.suggestion.to_owned(),
        place,
        path: Vec::new(),
        handler: None,
        detail: vec![("phrase", claim.phrase)],
    }
}

fn kind_of(path: &str) -> Option<TextKind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
        _ if name == "Cargo.toml" => Some(TextKind::Manifest),
        Some("md" | "mdx" | "markdown" | "txt") => Some(TextKind::Markdown),
        _ if name.to_ascii_lowercase().starts_with("readme") => Some(TextKind::Markdown),
        _ => None,
    }
}

/// Whether a document tells what was: a changelog, release notes.
fn history(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let names = ["changelog", "changes", "history", "release-notes", "release_notes", "releases", "news"];
    path.split('/').any(|part| names.contains(&part.split('.').next().unwrap_or(part)))
}

/// Files that hold nothing but test code: targets for tests, and modules all of whose functions are tests.
fn test_files(facts: &Facts<'_>) -> BTreeSet<FileId> {
    let targets = facts.workspace.packages.iter().flat_map(|package| &package.targets);
    let roots = targets
        .filter(|target| matches!(target.kind, TargetKind::Test | TargetKind::Bench | TargetKind::Example))
        .map(|target| target.root);
    let mut tests: BTreeSet<FileId> = roots.collect();
    let mut linted = BTreeSet::new();
    for function in &facts.program.functions {
        match function.test || function.example {
            true => tests.insert(function.file),
            false => linted.insert(function.file),
        };
    }
    tests.difference(&linted).copied().collect()
}
