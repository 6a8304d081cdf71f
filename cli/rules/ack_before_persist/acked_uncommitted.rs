//! A task that is acknowledged while the transaction is open in which its result was written.

use super::{HELP, RULE};
use crate::findings::Confidence;
use crate::flow::{EventFactKind, Role};
use crate::operations::{FunctionOps, exclusive, meets, open_at, surely_before};
use crate::rules::scene::{here, meets_tx, named_at, step, violation};
use crate::rules::{Facts, Sink};

/// Reports the acknowledgement at a position if all that was written before it is undone with a transaction whose commit is
/// still to come.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let ack = function.event(at);
    let Some(open) = open_at(function, at).filter(|open| meets_tx(function, ack, *open)) else {
        return;
    };
    // What takes a task off a queue in the transaction is undone with it.
    if matches!(&ack.kind, EventFactKind::Ack { by, .. } if by.transaction.is_some()) {
        return;
    }
    let before = || function.writes().filter(|(write, event)| *write < at && !exclusive(&function.facts, event, ack));
    // Of one around a closure the region tells, as it does of the acknowledgement.
    let around = (open.begin, Role::Transaction);
    let inside = |write: usize| {
        function.transaction(write) == Some(open.begin) || function.event(write).regions.contains(&around)
    };
    let Some((written, write)) = before().filter(|(write, _)| inside(*write)).last() else {
        return;
    };
    // The task itself may stand where it was stored before.
    let stored = before().any(|(other, _)| !inside(other) && surely_before(&function.facts, other, at));
    if stored || !function.facts.body.covers(here(ack)) {
        return;
    }
    let what = named_at(function, written);
    let message = format!(
        "the task is acknowledged before the transaction with {what} is committed: if the commit fails, or a crash comes \
         first, what was written is undone, and nobody delivers the task again"
    );
    let mut steps = step(write, "this is written in a transaction");
    steps.extend(step(ack, "the task is acknowledged here"));
    if let Some(commit) = open.commit {
        steps.push((here(function.event(commit)), "and the transaction is committed only here".to_owned()));
    }
    let sure = ack.via.is_empty() && meets(ack, write);
    let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
    sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, HELP), steps));
}
