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
    let mut problems: Vec<(Span, String, &str)> = Vec::new();
    for (number, file) in facts.workspace.files.iter().enumerate() {
        if let Some(problem) = &file.problem {
            let span = Span::new(FileId(number as u32), TextRange::default());
            let message = format!("{problem}, so nothing in this file was checked");
            problems.push((span, message, "make the file readable UTF-8, or leave it out with `[scan] exclude`"));
        }
    }
    for (file, problem) in &facts.program.problems {
        let help = "check by hand whether an effect is performed here, or leave the file out with `[scan] exclude`";
        problems.push((Span::new(*file, problem.range), problem.message.clone(), help));
    }
    for contract in facts.contracts {
        for problem in &contract.problems {
            if let Place::Source(span) = problem.place {
                let message =
                    format!("the contract of `{}` could not be read in full: {}", contract.handler, problem.message);
                problems.push((span, message, "mend the attribute: until then the guarantee is derived from the rest"));
            }
        }
    }
    problems.sort();
    // one broken place upsets the reader more than once
    problems.dedup_by_key(|(span, _, _)| (span.file, facts.workspace.file(span.file).position(span.range.start).line));
    for (span, message, help) in problems {
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Certain,
            detail: vec![("reason", message.clone())],
            message,
            help: help.to_owned(),
            place: Place::Source(span),
            path: Vec::new(),
            handler: None,
        });
    }
}
