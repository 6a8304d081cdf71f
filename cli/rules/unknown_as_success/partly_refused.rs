//! Answers about many things at once, of which nobody reads which were refused: that there is an answer says nothing of each.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::FunctionOps;
use crate::rules::scene::{named, violation};
use crate::rules::{Facts, Sink};

const HELP: &str =
    "read which entries were refused, send those again under the same keys, and hand the rest on as an error";

/// Reports a dispatch that hands over many things and whose answer nobody takes.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, sink: &mut Sink) {
    let EventFactKind::Dispatch { refused_in: Some(part), .. } = &dispatch.kind else {
        return;
    };
    if !dispatch.via.is_empty() {
        return;
    }
    let message = format!(
        "an answer of {} may say in `{part}` that some were refused, and nobody reads it: what was refused counts as done",
        named(dispatch)
    );
    let place = dispatch.span;
    sink.report(violation(facts, function, RULE.name, Confidence::Certain, place, (message, HELP), Vec::new()));
}
