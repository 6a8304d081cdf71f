//! What the rules about prose share: where claims are looked for and how they are put into words.
//!
//! In: the facts. Out: a violation for each claim, by the rule for what it promises. Which documents are read is settled where the
//! workspace is read; here, of all texts, the documents and manifests are asked, and the Rust files of code that is not
//! test code.

use std::collections::BTreeSet;

use globset::GlobSet;

use super::{Facts, Sink, unbounded_effectively_once, unqualified_exactly_once};
use crate::contracts::HandlerContract;
use crate::docs::{anchor, is_generated};
use crate::findings::{Place, Violation};
use crate::parallel;
use crate::prose::{Backed, Claim, Promise, Text, TextKind, claims};
use crate::source::{self, FileId, Span, TargetKind};

/// Reports every claim.
pub(super) fn report(facts: &Facts<'_>, sink: &mut Sink) {
    let backed = backed(facts);
    let documents = Documents::new(facts);
    let own = own_name(facts);
    let texts = &facts.workspace.texts;
    let asked = |path: &str, text: &str| {
        kind_of(path).filter(|kind| *kind != TextKind::Markdown || documents.are_read(path, text))
    };
    let of_texts = parallel::map(
        texts.len(),
        facts.threads,
        || (),
        |(), number| {
            let (path, text) = &texts[number];
            let kind = asked(path, text)?;
            let found = claims(Text { text, kind, history: history(path), own: &own }, &backed);
            Some(found.into_iter().map(|claim| (Place::Text { path: path.clone(), range: claim.range }, claim)))
        },
    );
    let tests = test_files(facts);
    let files = &facts.workspace.files;
    let of_files = parallel::map(
        files.len(),
        facts.threads,
        || backed.clone(),
        |backed, number| {
            let (file, id) = (&files[number], FileId(number as u32));
            if !file.reported || tests.contains(&id) {
                return None;
            }
            for (known, contract) in backed.iter_mut().zip(facts.contracts) {
                known.item = Some(item(facts, contract)).filter(|span| span.file == id).map(|span| span.range);
            }
            let found = claims(Text { text: &file.text, kind: TextKind::Rust, history: false, own: &own }, backed);
            Some(found.into_iter().map(move |claim| (Place::Source(Span::new(id, claim.range)), claim)))
        },
    );
    let all = of_texts.into_iter().flatten().flatten().chain(of_files.into_iter().flatten().flatten());
    all.for_each(|(place, claim)| sink.report(violation(place, claim)));
}

/// The documents that are somebody's own words.
struct Documents<'a> {
    generated: BTreeSet<&'a str>,
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl<'a> Documents<'a> {
    fn new(facts: &Facts<'a>) -> Self {
        let generated = facts.generated.files.iter().filter(|file| file.whole);
        Self {
            generated: generated.map(|file| file.path.as_str()).collect(),
            include: source::globs(&facts.config.prose.include).ok(),
            exclude: source::globs(&facts.config.prose.exclude).ok(),
        }
    }

    /// Whether a document is to be read for claims: one that is configured, and not generated.
    fn are_read(&self, path: &str, text: &str) -> bool {
        let holds = |globs: &Option<GlobSet>| globs.as_ref().is_some_and(|globs| globs.is_match(path));
        let generated = self.generated.contains(path) || is_generated(text);
        holds(&self.include) && !holds(&self.exclude) && !generated
    }
}

/// The words that the names of the workspace's members are made of.
fn own_name(facts: &Facts<'_>) -> Vec<String> {
    let members = facts.workspace.packages.iter().filter(|package| package.member);
    let words = members.flat_map(|package| package.name.split(['-', '_'])).map(str::to_lowercase);
    words.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The declared handlers with what holds for them, in the order of the contracts.
fn backed(facts: &Facts<'_>) -> Vec<Backed> {
    let derived = facts.contracts.iter().zip(facts.guarantees);
    derived
        .map(|(contract, guarantee)| Backed {
            handler: contract.handler.clone(),
            name: contract.contract.name.clone(),
            effect: contract.contract.effect.clone(),
            anchor: anchor(&contract.handler),
            sentence: guarantee.sentence.plain(),
            claim: guarantee.claim.text().to_owned(),
            item: None,
        })
        .collect()
}

/// The handler's item with its documentation.
fn item(facts: &Facts<'_>, contract: &HandlerContract) -> Span {
    let function = facts.program.function(contract.function);
    Span::new(function.file, function.ir.range)
}

fn violation(place: Place, claim: Claim) -> Violation {
    Violation {
        rule: match claim.promise {
            Promise::ExactlyOnce => unqualified_exactly_once::RULE.name,
            Promise::EffectivelyOnce => unbounded_effectively_once::RULE.name,
        },
        confidence: claim.confidence,
        message: claim.reason.to_owned(),
        help: claim.suggestion,
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
    let targets =
        facts.workspace.packages.iter().flat_map(|package| package.targets.iter().map(move |it| (package, it)));
    let roots = targets
        .filter(|(package, target)| {
            package.test_support || matches!(target.kind, TargetKind::Test | TargetKind::Bench | TargetKind::Example)
        })
        .map(|(_, target)| target.root);
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
