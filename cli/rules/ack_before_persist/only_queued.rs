//! Tasks that count as taken or done when what they are for is only in a queue of the client, whose callback is told the rest.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::ir::ExprKind;
use crate::operations::{FunctionOps, asked, may_follow, meets};
use crate::rules::ack_on_failure::{answers_well, only_passes_on};
use crate::rules::scene::{here, is_success, named, redelivered, step, violation};
use crate::rules::{Facts, Sink};

const HELP: &str = "wait for the target's own answer, by a producer whose sending is a future of it or a channel that the callback \
                    is given with the record";

/// Reports a delivery that is answered, or acknowledged, when the client has only queued what it is for.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let queued = function.event(at);
    if !matches!(queued.kind, EventFactKind::Dispatch { called_back: true, .. }) || waits(facts, function, queued) {
        return;
    }
    let Some(end) = acknowledged(function, at).or_else(|| answered(facts, function, at)) else {
        return;
    };
    let message = format!(
        "the task counts as taken when {} has only been queued in this process: a callback is told later that the target has \
         refused it or never got it, and nobody delivers it again",
        named(queued)
    );
    let mut steps = step(queued, "it is queued here");
    steps.extend(step(end, "and the task counts as taken here"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(queued), (message, HELP), steps));
}

/// The acknowledgement behind what is queued.
fn acknowledged(function: &FunctionOps, at: usize) -> Option<&EventFact> {
    let follows = |(later, event): &(usize, &EventFact)| {
        matches!(event.kind, EventFactKind::Ack { .. }) && goes_well(function, at, (*later, event))
    };
    function.events().find(follows).map(|(_, event)| event)
}

/// The answer of a handler to whom somebody delivers, or which only hands on what it is sent.
fn answered<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a EventFact> {
    let delivered = redelivered(facts, function).is_some_and(|handler| handler.kind == "webhook");
    if !delivered && only_passes_on(facts, function, at).is_none() {
        return None;
    }
    let follows = |(later, event): &(usize, &EventFact)| {
        let well = if delivered { is_success(event) } else { answers_well(event) };
        event.via.is_empty() && well && goes_well(function, at, (*later, event))
    };
    function.events().find(follows).map(|(_, event)| event)
}

/// Whether an event follows where the queue has taken what is sent.
fn goes_well(function: &FunctionOps, at: usize, (later, event): (usize, &EventFact)) -> bool {
    let queued = function.event(at);
    let failed = asked(&function.facts, event, queued.span).is_some_and(|asked| asked.outcomes.is_error());
    later > at && meets(queued, event) && may_follow(&function.facts, at, later) && !failed
}

/// Whether somebody waits for the queue of the client, where it is filled or here.
fn waits(facts: &Facts<'_>, function: &FunctionOps, queued: &EventFact) -> bool {
    let functions = [queued.function, function.facts.function];
    functions.iter().filter_map(|&id| facts.program.function(id).ir.body.as_deref()).any(|body| {
        body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::MethodCall(call) => facts.catalog.words.queue_waits.iter().any(|wait| wait == call.name.as_str()),
            _ => false,
        })
    })
}
