//! `unparsed-source`: a file or item that was not read.

use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Violation};
use crate::source::{FileId, Span, TextRange};

pub(super) const RULE: Rule = Rule {
    name: "unparsed-source",
    group: Group::Coverage,
    default_level: Level::Note,
    summary: "a file or item that could not be read, so that nothing in it was checked",
    doc: include_str!("unparsed_source.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for (number, file) in facts.workspace.files.iter().enumerate() {
        if let Some(problem) = &file.problem {
            let span = Span::new(FileId(number as u32), TextRange::default());
            sink.report(violation(
                span,
                problem,
                "make the file readable UTF-8, or leave it out with `[scan] exclude`",
            ));
        }
    }
    for (file, problem) in &facts.program.problems {
        let span = Span::new(*file, problem.range);
        let help =
            "check by hand whether it performs an effect, or leave it out with `[scan] exclude`";
        sink.report(violation(span, &problem.message, help));
    }
}

fn violation(span: Span, problem: &str, help: &str) -> Violation {
    Violation {
        rule: RULE.name,
        confidence: Confidence::Certain,
        message: format!("{problem}, so nothing here was checked"),
        help: help.to_owned(),
        place: Place::Source(span),
        path: Vec::new(),
        handler: None,
        detail: vec![("reason", problem.to_owned())],
    }
}
