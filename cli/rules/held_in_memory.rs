//! Deliveries that are answered as taken when another task of the process has them, and nothing else.

use super::ack_before_persist::RULE;
use super::scene::{here, is_success, redelivered, step, violation, works};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, OriginKind, Role};
use crate::operations::{FunctionOps, exclusive};

const HELP: &str =
    "store the delivery in a table or a durable queue before it is answered, and let the task work from there";

/// Reports a handler of deliveries all of whose work is to hand them to another task of the process.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let Some(handler) = redelivered(facts, function).filter(|handler| handler.kind == "webhook") else {
        return;
    };
    // Whoever does something else besides may only tell others of it.
    let acts = |(at, event): (usize, &EventFact)| {
        function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { .. }) || works(facts, event)
    };
    if function.events().any(acts) {
        return;
    }
    let mut handed = function.events().filter(|(_, event)| takes_delivery(event));
    let answered = |at: usize, event: &EventFact| {
        function.events().find(|(later, end)| {
            *later > at && end.via.is_empty() && is_success(end) && !exclusive(&function.facts, event, end)
        })
    };
    let Some((event, (_, end))) = handed.find_map(|(at, event)| Some((event, answered(at, event)?))) else {
        return;
    };
    let message = format!(
        "{} answers that the delivery was taken when only a task of this process has it: a restart loses it, and nobody delivers \
         it again",
        handler.scope.what
    );
    let mut steps = step(event, "it is handed to another task here");
    steps.push((end.span, "and answered here".to_owned()));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
}

/// Whether an event hands what was delivered to another task.
fn takes_delivery(event: &EventFact) -> bool {
    let EventFactKind::Handed { args, back: false } = &event.kind else {
        return false;
    };
    let given = |origin: &OriginKind| matches!(origin, OriginKind::Input(_));
    let spawned = event.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    !spawned && args.iter().skip(1).any(|arg| arg.origins.iter().any(given))
}
