//! `rolled-back-record`, of what is confirmed: the answer is written down in a transaction that is then left for a reason of
//! its own.

use super::{RULE, left_open};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Outcomes};
use crate::operations::{FunctionOps, asked, outcomes_at};
use crate::rules::scene::{begins, named, step, sure, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, (sent, dispatch): (usize, &EventFact), sink: &mut Sink) {
    let mut told: Vec<Span> = Vec::new();
    for (at, write) in function.writes() {
        let confirmed = || outcomes_at(&function.facts, write, dispatch.span).has(Outcomes::CONFIRMED);
        if at < sent
            || !(matches!(write.kind, EventFactKind::Sql { .. }) && write.stores_answer(dispatch))
            || !confirmed()
        {
            continue;
        }
        let Some(undone) = undone(facts, function, at).filter(|undone| !told.contains(&undone.begin)) else {
            continue;
        };
        told.push(undone.begin);
        let message = format!(
            "the answer to {} is written down here, and undone: the transaction is left for another reason, and nothing says \
             that it was done",
            named(dispatch)
        );
        let help = "commit what was answered first, and decide about the rest in a transaction of its own";
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((undone.begin, "the transaction begins here".to_owned()));
        steps.push((undone.left, "and is rolled back here".to_owned()));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, write.span, (message, help), steps));
    }
}

/// A transaction that is left before its commit.
struct Undone {
    begin: Span,
    left: Span,
}

/// Where the transaction of a write is left, in the function that looks or in the one that it calls to write.
fn undone(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Undone> {
    let write = function.event(at);
    match write.via.is_empty() {
        true => left(function, at),
        false => facts.operations.one_below(write).and_then(|(below, at)| left(below, at)),
    }
}

fn left(function: &FunctionOps, at: usize) -> Option<Undone> {
    let begin = function.transaction(at)?;
    let left = left_open(function, at, begin, |fail| refuses(function, function.event(at), fail))?;
    Some(Undone { begin: begins(function, begin), left })
}

/// Whether a function ends with an error of its own making, for another reason than that nothing was written.
fn refuses(function: &FunctionOps, write: &EventFact, fail: &EventFact) -> bool {
    let own = matches!(fail.name.as_str(), "return" | "the value that is returned");
    let by_write = write.turns.iter().any(|turn| fail.branches.iter().any(|(at, _)| *at == turn.branch));
    own && !by_write && asked(&function.facts, fail, write.span).is_none()
}
