//! `stale-guarantee-table`: a generated document that no longer says what the contracts say.

use super::{Facts, Group, Rule, Sink};
use crate::docs::Planned;
use crate::findings::{Confidence, Level, Place, Violation};
use crate::source::TextRange;

pub(super) const RULE: Rule = Rule {
    name: "stale-guarantee-table",
    group: Group::Docs,
    default_level: Level::Deny,
    summary: "a generated guarantee table that differs from the contracts",
    doc: include_str!("stale_guarantee_table.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for file in facts.generated.files.iter().filter(|file| file.is_stale()) {
        sink.report(stale(file));
    }
    if let Some(fault) = &facts.generated.fault {
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Certain,
            message: format!("nobody can say whether the generated tables are up to date: {fault}"),
            help: "mend what `[docs]` names, then run `cargo effects docs`".to_owned(),
            place: facts.config.place(facts.config.docs.range),
            path: Vec::new(),
            handler: None,
            detail: Vec::new(),
        });
    }
}

fn stale(file: &Planned) -> Violation {
    let what = if file.whole { "this generated document" } else { "the table in this file" };
    let line = file.first_difference();
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Violation {
        rule: RULE.name,
        confidence: Confidence::Certain,
        message: format!(
            "{what} differs from the contracts from here on: whoever reviews a release by it reads guarantees that are \
             not the present ones"
        ),
        help: "run `cargo effects docs` and review what changes; `cargo effects docs --check` shows the difference"
            .to_owned(),
        place: Place::Text {
            path: file.path.clone(),
            range: TextRange { start: byte(line.start), end: byte(line.end) },
        },
        path: Vec::new(),
        handler: None,
        detail: Vec::new(),
    }
}
