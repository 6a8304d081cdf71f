//! What a run found, complete for every renderer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Confidence, Level, Sources};
use crate::rules::Rule;
use crate::source::{Position, TextRange};

/// The outcome of one run.
#[derive(Debug, Default)]
pub struct Report {
    /// findings in order of file, line, column, rule
    pub findings: Vec<Finding>,
    /// what was looked at
    pub coverage: Coverage,
    /// how many findings
    pub summary: Summary,
    /// texts of all files that findings and their paths mention
    pub sources: Sources,
    /// what was asked for, so that runs over different parts of a repository stand side by side: empty, or names with a
    /// final `/` each
    pub scope: String,
}

/// One reported violation.
#[derive(Debug)]
pub struct Finding {
    /// which rule
    pub rule: &'static Rule,
    /// how loud, after confidence and configuration
    pub level: Level,
    /// how sure
    pub confidence: Confidence,
    /// what is wrong and why it matters
    pub message: String,
    /// what to do instead
    pub help: String,
    /// where
    pub at: At,
    /// path of the enclosing item
    pub handler: Option<String>,
    /// from origin to key position
    pub path: Vec<ReportStep>,
    /// machine-readable facts
    pub detail: BTreeMap<&'static str, String>,
    /// stable over edits elsewhere: rule, item, detail, occurrence
    pub fingerprint: String,
    /// known to the baseline
    pub baselined: bool,
}

/// A step on the way of a finding.
#[derive(Debug)]
pub struct ReportStep {
    /// where
    pub at: At,
    /// what happens there
    pub note: String,
}

/// A place with its file named and its positions counted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct At {
    /// path relative to the workspace root, with `/`
    pub file: String,
    /// first character
    pub start: Position,
    /// one past the last character
    pub end: Position,
    /// the same in bytes
    pub range: TextRange,
}

/// What was looked at, and how much of it could not be decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// source files read
    pub files: usize,
    /// files or items that were not parsed
    pub unparsed: usize,
    /// handlers with a contract
    pub handlers_declared: usize,
    /// functions with a recognised dispatch and no contract
    pub handlers_undeclared: usize,
    /// keys that are the same at every attempt of their intent
    pub keys_proven: usize,
    /// keys that could not be followed
    pub keys_unproven: usize,
    /// calls on the way of a key that could not be resolved
    pub unresolved_calls: usize,
}

/// How many findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// at level deny
    pub deny: usize,
    /// at level warn
    pub warn: usize,
    /// at level note
    pub note: usize,
    /// covered by an allow, hence not among the findings
    pub allowed: usize,
    /// known to the baseline; counted in their levels too
    pub baselined: usize,
}

impl Report {
    /// Whether any finding is at least this loud; with `new_only`, baselined ones do not count.
    pub fn reaches(&self, level: Level, new_only: bool) -> bool {
        self.findings.iter().any(|finding| finding.level >= level && !(new_only && finding.baselined))
    }

    /// Drops findings that do not pass, and counts again. What was allowed stays counted.
    pub fn retain(&mut self, keep: impl FnMut(&Finding) -> bool) {
        self.findings.retain(keep);
        let at = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        self.summary = Summary {
            deny: at(Level::Deny),
            warn: at(Level::Warn),
            note: at(Level::Note),
            allowed: self.summary.allowed,
            baselined: self.findings.iter().filter(|finding| finding.baselined).count(),
        };
    }

    /// Adds the findings of another workspace, whose files lie in the folder `prefix` (with a final `/`, or empty) of
    /// what both have in common.
    pub fn merge(&mut self, other: Self, prefix: &str) {
        let rename = |at: &mut At| at.file = below(prefix, &at.file);
        for mut finding in other.findings {
            rename(&mut finding.at);
            finding.path.iter_mut().for_each(|step| rename(&mut step.at));
            self.findings.push(finding);
        }
        self.findings.sort_by(|a, b| (&a.at, a.rule.name, &a.message).cmp(&(&b.at, b.rule.name, &b.message)));
        self.sources.merge(other.sources, prefix);
        let (mine, theirs) = (&mut self.coverage, other.coverage);
        mine.files += theirs.files;
        mine.unparsed += theirs.unparsed;
        mine.handlers_declared += theirs.handlers_declared;
        mine.handlers_undeclared += theirs.handlers_undeclared;
        mine.keys_proven += theirs.keys_proven;
        mine.keys_unproven += theirs.keys_unproven;
        mine.unresolved_calls += theirs.unresolved_calls;
        self.summary.allowed += other.summary.allowed;
        self.retain(|_| true);
    }
}

/// A path in a folder whose own path ends with `/`. It may lead out of that folder, though not above where both start.
pub fn below(folder: &str, path: &str) -> String {
    let (mut folder, mut path) = (folder, path);
    while let (Some(inner), Some(rest)) = (folder.strip_suffix('/'), path.strip_prefix("../")) {
        folder = inner.rfind('/').map_or("", |at| &inner[..=at]);
        path = rest;
    }
    format!("{folder}{path}")
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn paths_lead_out_of_a_folder_without_naming_it() {
        assert_eq!(below("", "src/lib.rs"), "src/lib.rs");
        assert_eq!(below("a/b/", "src/lib.rs"), "a/b/src/lib.rs");
        assert_eq!(below("a/b/", "../c/lib.rs"), "a/c/lib.rs");
        assert_eq!(below("a/", "../../lib.rs"), "../lib.rs");
    }
}
