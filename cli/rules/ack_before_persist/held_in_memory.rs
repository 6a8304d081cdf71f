//! Deliveries that are answered as taken when another task of the process has them, and nothing else.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, OriginKind, Role, asks};
use crate::operations::{FunctionOps, exclusive, may_follow, meets};
use crate::rules::scene::{here, is_success, named, redelivered, step, violation, works};
use crate::rules::{Facts, Sink};

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

/// Reports deliveries that are acknowledged when all that was done about them is to hand them to another task of the process.
pub(super) fn acknowledged(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let acts = |(at, event): (usize, &EventFact)| {
        let waits = matches!(event.kind, EventFactKind::Call { awaited: true, .. });
        function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { .. }) || waits && may_work(facts, event)
    };
    let is_ack = |event: &EventFact| matches!(event.kind, EventFactKind::Ack { .. }) && event.via.is_empty();
    let goes_on = |role: &Role| matches!(role, Role::Each { endless: true, .. } | Role::Retry | Role::Race);
    let acks: Vec<(usize, &EventFact)> = function.events().filter(|(_, event)| is_ack(event)).collect();
    if acks.is_empty() || function.events().any(acts) {
        return;
    }
    for (ack_at, ack) in acks {
        if !ack.regions.iter().any(|(_, role)| goes_on(role)) {
            return;
        }
        let handed = function.events().find(|(at, event)| {
            let news = matches!(&event.kind, EventFactKind::Handed { args, back: false } if args.len() > 1);
            let same = ack.regions.iter().all(|region| event.regions.contains(region));
            // What is acknowledged only now and then is what others have dealt with since.
            let each_time = ack.branches.iter().all(|branch| event.branches.contains(branch));
            news && same && each_time && *at < ack_at && meets(event, ack) && may_follow(&function.facts, *at, ack_at)
        });
        let Some((_, handed)) = handed else {
            continue;
        };
        let message = format!(
            "{} says that the delivery is done when only a channel of this process has it: a restart loses it, and nobody \
             delivers it again",
            named(ack)
        );
        let mut steps = step(handed, "it is handed to another task here");
        steps.extend(step(ack, "and acknowledged here"));
        let help = "acknowledge where the result is stored, or store the delivery before it is handed on";
        let text = (message, help);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(ack), text, steps));
    }
}

/// Whether a call that cannot be followed may make something of a delivery: it does more than ask, by its name.
fn may_work(facts: &Facts<'_>, event: &EventFact) -> bool {
    let words = &facts.catalog.words;
    let waits = words.waiting_calls.iter().any(|name| name == event.name.as_str());
    !waits && !asks(words, &event.name)
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
