//! What the guarantee documents should say, and what those that were read say.

use std::collections::BTreeMap;

use super::{Analysis, Unlinted, policy};
use crate::docs::{self, Document, FindingLine, Generated, TEMPLATE_NAMES, Templates, USUAL_OUT, Unread};
use crate::findings::{Coverage, Policy, Report, Violation, settle};
use crate::rules::{self, Group};

impl Analysis {
    /// The document of all declared effects of the workspace, whichever packages a run selects.
    pub fn document(&self) -> Document {
        self.document_with(rules::check(&self.facts(), &|rule| shown(rule.group)))
    }

    /// The generated texts among those that were read, with what they should hold.
    pub(super) fn generated(&self, violations: &[Violation]) -> Generated {
        let text = |path: &str| self.text(path).map(str::to_owned);
        let mut settings = self.config.docs.clone();
        settings.tables.retain(|path| self.text(path).is_some());
        let chosen = settings.out.is_some();
        let out = settings.out.as_deref().unwrap_or(USUAL_OUT);
        let folders = docs::folders(&self.workspace);
        let written = folders.values().any(|folder| self.text(&docs::below(folder, out)).is_some());
        if settings.tables.is_empty() && !written && self.text(out).is_none() {
            return Generated::default();
        }
        let replaced = settings.templates.iter().flat_map(|folder| {
            let named = |name: &&str| Some((name.to_string(), text(&docs::below(folder, name))?));
            TEMPLATE_NAMES.iter().filter_map(named).collect::<Vec<_>>()
        });
        let shown = violations.iter().filter(|violation| rules::find(violation.rule).is_some_and(|it| shown(it.group)));
        let planned = Templates::new(replaced.collect()).and_then(|templates| {
            let document = self.document_with(shown.cloned().collect());
            docs::plan(&document, &templates, &settings, &folders, &|path| Ok(text(path)))
        });
        match planned {
            Ok(mut files) => {
                // what nobody configured may be somebody's own document
                files.retain(|file| {
                    let present = file.present.as_deref();
                    present.is_some_and(|text| !file.whole || chosen || docs::is_generated(text))
                });
                Generated { files, fault: None }
            }
            Err(fault) => Generated { files: Vec::new(), fault: Some(fault) },
        }
    }

    fn text(&self, path: &str) -> Option<&str> {
        let texts = &self.workspace.texts;
        let at = texts.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        Some(&texts[at].1)
    }

    /// The document with the findings that are open at each handler.
    fn document_with(&self, violations: Vec<Violation>) -> Document {
        // without a day: a document must not change because time has passed
        let policy = Policy { all_members: true, ..policy(self, Vec::new(), None) };
        let unlinted = Unlinted::new(&self.program);
        let violations = violations.into_iter().filter(|violation| unlinted.leaves(violation)).collect();
        let report = settle(&self.workspace, violations, Coverage::default(), &policy);
        let mut open: BTreeMap<&str, Vec<FindingLine>> = BTreeMap::new();
        for finding in report.findings.iter().filter(|finding| shown(finding.rule.group)) {
            if let Some(handler) = &finding.handler {
                open.entry(handler).or_default().push(FindingLine {
                    level: finding.level.as_str().to_owned(),
                    rule: finding.rule.name.to_owned(),
                    message: finding.message.clone(),
                    file: finding.at.file.clone(),
                });
            }
        }
        let mut inputs = docs::inputs(&self.workspace, &self.program, &self.contracts, &self.guarantees, &self.catalog);
        for input in &mut inputs {
            if let Some(found) = open.get(input.contract.handler.as_str()) {
                input.findings.clone_from(found);
            }
        }
        docs::document(inputs, self.unread(&report))
    }

    /// What could not be read in files that declare effects: what is declared there may be missing.
    fn unread(&self, report: &Report) -> Vec<Unread> {
        let lost = report.findings.iter().filter(|it| it.rule.name == "unparsed-source" && it.handler.is_none());
        let declares = |text: &str| text.contains("effect(") || text.contains("handler!");
        lost.filter_map(|finding| {
            let files = &self.workspace.files;
            let file = files.iter().find(|file| file.path == finding.at.file)?;
            let package = self.workspace.package(file.package).name.clone();
            declares(&file.text).then(|| Unread {
                package,
                file: finding.at.file.clone(),
                message: finding.message.clone(),
            })
        })
        .collect()
    }
}

/// Whether documents show what a group finds: what documents and test results lack would depend on the documents
/// themselves, and on where they are made.
fn shown(group: Group) -> bool {
    !matches!(group, Group::Docs | Group::Evidence | Group::Meta)
}
