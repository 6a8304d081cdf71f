//! What is written down, and what is made of it again.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answers::{self, Answered, Question, Recorder, Seed};
use super::{Key, Known, build};
use crate::findings::{AllowEntry, AllowScope, Confidence, Coverage, Place, Step, Violation};
use crate::ir::Name;
use crate::pipeline::Judgement;
use crate::rules;
use crate::source::{FileId, Location, Package, PackageId, SourceFile, Span, Workspace, line_starts};

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    /// build and key as JSON: compared as a whole
    key: String,
    seed: Seed,
    #[serde(borrow)]
    answers: Vec<Answered<'a>>,
    packages: Cow<'a, [Package]>,
    files: Vec<StoredFile>,
    texts: Vec<(String, Text)>,
    links: Cow<'a, [(String, FileId)]>,
    violations: Vec<StoredViolation>,
    coverage: Coverage,
    allows: Cow<'a, [AllowEntry]>,
    warnings: Cow<'a, [String]>,
}

#[derive(Serialize, Deserialize)]
struct StoredFile {
    path: String,
    package: PackageId,
    reported: bool,
    problem: Option<String>,
    text: Text,
}

/// Where a text is when it is needed again.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Text {
    /// nothing points into it, so that it is not kept in memory
    Unused,
    /// the configuration, which is read in any case
    Configuration,
    /// the answer of this number
    Answer(usize),
}

/// A [`Violation`], whose names live as long as the program.
#[derive(Serialize, Deserialize)]
struct StoredViolation {
    rule: String,
    confidence: Confidence,
    message: String,
    help: String,
    place: Place,
    path: Vec<Step>,
    handler: Option<String>,
    detail: Vec<(String, String)>,
}

/// What a file holds for a run; nothing if that could not be read back.
pub(super) fn bytes(
    key: Key<'_>,
    recorder: &Recorder<'_>,
    workspace: &Workspace,
    judgement: &Judgement,
    warnings: &[String],
) -> Option<Vec<u8>> {
    let answers = recorder.answers()?;
    let mentioned = mentioned(workspace, judgement);
    let texts = Texts { location: key.locations.first()?, configuration: key.configuration, answers: &answers };
    let files = workspace.files.iter().map(|file| {
        let used = file.problem.is_none() && mentioned.contains(file.path.as_str());
        Some(StoredFile {
            path: file.path.clone(),
            package: file.package,
            reported: file.reported,
            problem: file.problem.clone(),
            text: if used { texts.find(&file.path, &file.text)? } else { Text::Unused },
        })
    });
    let beside = workspace.texts.iter().map(|(path, text)| {
        let configured = key.configuration.is_some_and(|(shown, _)| shown == path);
        let used = configured || mentioned.contains(path.as_str());
        Some((path.clone(), if used { texts.find(path, text)? } else { Text::Unused }))
    });
    let stored = Stored {
        key: text_of(key)?,
        seed: recorder.seed(),
        packages: Cow::Borrowed(&workspace.packages),
        files: files.collect::<Option<_>>()?,
        texts: beside.collect::<Option<_>>()?,
        links: Cow::Borrowed(&workspace.links),
        violations: judgement.violations.iter().map(StoredViolation::of).collect(),
        coverage: judgement.coverage,
        allows: Cow::Borrowed(&judgement.allows),
        warnings: Cow::Borrowed(warnings),
        answers,
    };
    serde_json::to_vec(&stored).ok()
}

/// What a file's bytes say, if they are about this key and the tree answers as it did.
pub(super) fn recall(bytes: &[u8], key: Key<'_>, tree: &dyn crate::source::Tree, threads: usize) -> Option<Known> {
    let stored: Stored<'_> = serde_json::from_slice(bytes).ok()?;
    if stored.key != text_of(key)? {
        return None;
    }
    let texts = || stored.files.iter().map(|file| file.text).chain(stored.texts.iter().map(|(_, text)| *text));
    let wanted: BTreeSet<usize> = texts()
        .filter_map(|text| match text {
            Text::Answer(number) => Some(number),
            Text::Unused | Text::Configuration => None,
        })
        .collect();
    let found = answers::confirm(tree, stored.seed, &stored.answers, |number| wanted.contains(&number), threads)?;
    let text = |text: Text| -> Option<Arc<str>> {
        match text {
            Text::Unused => Some(Arc::from("")),
            Text::Configuration => Some(Arc::from(key.configuration?.1)),
            Text::Answer(number) => found.get(number)?.clone(),
        }
    };
    let file = |file: StoredFile| {
        let text = text(file.text)?;
        Some(SourceFile {
            line_starts: line_starts(&text),
            text,
            path: file.path,
            package: file.package,
            reported: file.reported,
            problem: file.problem,
        })
    };
    let workspace = Workspace {
        root: key.locations.first()?.root(),
        packages: stored.packages.into_owned(),
        files: stored.files.into_iter().map(file).collect::<Option<_>>()?,
        texts: stored.texts.into_iter().map(|(path, from)| Some((path, text(from)?))).collect::<Option<_>>()?,
        links: stored.links.into_owned(),
        warnings: Vec::new(),
    };
    let judgement = Judgement {
        violations: stored.violations.into_iter().map(StoredViolation::again).collect::<Option<_>>()?,
        coverage: stored.coverage,
        allows: stored.allows.into_owned(),
    };
    fits(&workspace, &judgement).then(|| Known { workspace, judgement, warnings: stored.warnings.into_owned() })
}

fn text_of(key: Key<'_>) -> Option<String> {
    serde_json::to_string(&(build(), key)).ok()
}

/// Finds the texts of a workspace among the answers.
struct Texts<'a> {
    location: &'a Location,
    configuration: Option<(&'a str, &'a str)>,
    answers: &'a [Answered<'static>],
}

impl Texts<'_> {
    fn find(&self, shown: &str, text: &str) -> Option<Text> {
        if self.configuration == Some((shown, text)) {
            return Some(Text::Configuration);
        }
        let question = Question::Read(self.location.from_repository(shown)?.into());
        let found = self.answers.binary_search_by(|(asked, _)| asked.cmp(&question));
        found.ok().map(Text::Answer)
    }
}

/// All places that a report may name; policies add those of the configuration.
fn places(judgement: &Judgement) -> impl Iterator<Item = &Place> {
    let said = judgement.violations.iter().flat_map(|violation| {
        let steps = violation.path.iter().map(|step| &step.place);
        std::iter::once(&violation.place).chain(steps)
    });
    said.chain(judgement.allows.iter().map(|allow| &allow.place))
}

/// The paths of the texts that a report may point into.
fn mentioned<'a>(workspace: &'a Workspace, judgement: &'a Judgement) -> BTreeSet<&'a str> {
    let path = |place: &'a Place| match place {
        Place::Source(span) => workspace.file(span.file).path.as_str(),
        Place::Text { path, .. } => path.as_str(),
    };
    places(judgement).map(path).collect()
}

/// Whether all numbers stand for something, so that nothing that comes later can trip over them.
fn fits(workspace: &Workspace, judgement: &Judgement) -> bool {
    let file = |id: FileId| (id.0 as usize) < workspace.files.len();
    let package = |id: PackageId| (id.0 as usize) < workspace.packages.len();
    let span = |span: Span| file(span.file);
    let handlers = judgement.allows.iter().all(|allow| match &allow.scope {
        AllowScope::Handler { item, .. } => span(*item),
        AllowScope::Item(_) | AllowScope::File(_) => true,
    });
    handlers
        && workspace.files.iter().all(|file| package(file.package))
        && workspace.links.iter().all(|(_, id)| file(*id))
        && workspace.packages.iter().flat_map(|package| &package.targets).all(|target| file(target.root))
        && places(judgement).all(|place| match place {
            Place::Source(at) => span(*at),
            Place::Text { .. } => true,
        })
}

impl StoredViolation {
    fn of(violation: &Violation) -> Self {
        let detail = violation.detail.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Self {
            rule: violation.rule.to_owned(),
            confidence: violation.confidence,
            message: violation.message.clone(),
            help: violation.help.clone(),
            place: violation.place.clone(),
            path: violation.path.clone(),
            handler: violation.handler.clone(),
            detail: detail.collect(),
        }
    }

    fn again(self) -> Option<Violation> {
        let detail = self.detail.into_iter().map(|(name, value)| (Name::new(&name).as_str(), value));
        Some(Violation {
            rule: rules::find(&self.rule)?.name,
            confidence: self.confidence,
            message: self.message,
            help: self.help,
            place: self.place,
            path: self.path,
            handler: self.handler,
            detail: detail.collect(),
        })
    }
}
