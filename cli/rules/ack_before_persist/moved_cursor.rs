//! Cursors that are stored before what they pass over is dealt with: the next start begins behind it.

use super::RULE;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::advances;
use crate::rules::dispatches::path_of;
use crate::rules::{Facts, Sink};

/// Reports each of them.
pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for advance in advances(facts.program, &facts.catalog.words) {
        let step = |place, note: &str| Step { place: Place::Source(place), note: note.to_owned() };
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Likely,
            message: "the cursor is stored here, past what is dealt with only after that: a crash or an error in between skips \
                      it for good"
                .to_owned(),
            help: "store the cursor behind what it passes over, or in one transaction with it".to_owned(),
            place: Place::Source(advance.at),
            path: vec![
                step(advance.read, "the next start goes on from what is read here"),
                step(advance.handed, "and what was taken is handed on only here"),
            ],
            handler: Some(path_of(facts, advance.function)),
            detail: Vec::new(),
        });
    }
}
