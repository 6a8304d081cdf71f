//! Acknowledged work that is nothing but writes to the service's own store, and that was not stored.

use super::{HELP, RULE};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, HandlerFact, OriginKind, ValueFact, is_redelivering_route};
use crate::operations::{FunctionOps, exclusive, may_follow, meets};
use crate::rules::scene::{
    NEAR, handled, has_any, here, in_branch, is_success, named_at, redelivered, step, violation, works,
};
use crate::rules::swallowed::{swallowed_before, swallowed_below, swallowed_in};
use crate::rules::{Facts, Sink};
use crate::source::Span;

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let acts = |event: &EventFact| matches!(event.kind, EventFactKind::Dispatch { .. }) || works(facts, event);
    if !function.events().any(|(_, event)| acts(event)) {
        only_stored(facts, function, sink);
        not_stored(facts, function, sink);
        answered(facts, function, sink);
    } else {
        lost_beside(facts, function, sink);
    }
}

/// An acknowledgement behind a write beside other work, of whose error there is no more than a line in a log: what the row is
/// for may be a step that does not matter, or what keeps the work done. Where it is kept among the dead letters, it is all
/// that is left of the task.
fn lost_beside(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, write) in function.writes() {
        let given_up = write.via.len() <= NEAR && is_given_up(facts, function, at);
        if !(given_up || write.via.is_empty()) {
            continue;
        }
        let acks = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. }));
        let behind = acks.filter(|(ack, _)| *ack > at && may_follow(&function.facts, at, *ack));
        // Further ones are for what did not end among the dead letters.
        let mut nearest = behind.take(if given_up { 1 } else { usize::MAX });
        let lost = nearest.find_map(|(_, ack)| {
            let on_the_way = |branch: &(Span, u32)| write.branches.contains(branch) || ack.passed.contains(branch);
            let of_it = || ack.via.len() <= NEAR && meets(write, ack) && may_be_one(write, ack);
            let near = if given_up { of_it() } else { ack.via.is_empty() };
            let comes = near && ack.branches.iter().all(on_the_way);
            Some((ack, swallowed_before(function, at, ack).filter(|_| comes)?))
        });
        let Some((ack, place)) = lost else {
            continue;
        };
        let message = format!(
            "the task is acknowledged here although {} may have failed: nobody tries it again",
            named_at(function, at)
        );
        let mut steps = step(write, "the row is stored here");
        steps.push((place, "an error goes no further than this".to_owned()));
        let confidence = if given_up { Confidence::Likely } else { Confidence::Possible };
        sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, HELP), steps));
    }
}

/// Whether nothing that is put in speaks against it that it is what is acknowledged.
fn may_be_one(write: &EventFact, ack: &EventFact) -> bool {
    let EventFactKind::Ack { by, .. } = &ack.kind else {
        return false;
    };
    let inputs = |value: &ValueFact| {
        value.origins.iter().filter(|origin| matches!(origin, OriginKind::Input(_))).cloned().collect()
    };
    let stored: Vec<OriginKind> =
        write.handed_to_store().iter().flat_map(|value| -> Vec<OriginKind> { inputs(value) }).collect();
    let done: Vec<OriginKind> = inputs(by);
    stored.is_empty() || done.is_empty() || done.iter().any(|origin| stored.contains(origin))
}

/// Whether a write keeps what is not tried any more, by the name of its table or of what leads there.
fn is_given_up(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let names = &facts.catalog.words.dead_letter_names;
    let calls = function.event(at).through.iter().map(|&id| facts.program.function(id).ir.name);
    function.changed_tables(at).into_iter().any(|table| has_any(table, names))
        || calls.into_iter().any(|name| has_any(name.as_str(), names))
}

/// A delivery that is answered, and whose work is nothing but writes, all of whose errors go no further.
fn answered(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    // A page of an application sends many things that nobody sends again.
    let words = &facts.catalog.words;
    let info = facts.program.function(function.facts.function);
    let named = || info.path.as_str().split("::").any(|part| has_any(part, &words.redelivering_names));
    let delivers = |handler: &HandlerFact| match handler.kind.as_str() {
        "webhook" => named() || is_redelivering_route(words, info),
        kind => kind == "consumer",
    };
    let Some(handler) = redelivered(facts, function).filter(|handler| delivers(handler)) else {
        return;
    };
    if function.events().any(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        return;
    }
    let writes: Vec<(usize, &EventFact)> = function.writes().collect();
    // An error of one kind may well mean that there is nothing to do.
    let any = |place: &Span| function.facts.conditions.iter().any(|known| known.any_error && known.place == *place);
    let lost = |at: usize| {
        let here = function.event(at).dropped.or_else(|| swallowed_in(function, at).filter(any));
        here.or_else(|| swallowed_below(facts, function, at))
    };
    let Some(&(first, write)) = writes.first().filter(|_| writes.iter().all(|(at, _)| lost(*at).is_some())) else {
        return;
    };
    let end = function.events().find(|(end, event)| {
        *end > first && event.via.is_empty() && is_success(event) && !exclusive(&function.facts, event, write)
    });
    let (Some((_, end)), Some(place)) = (end, lost(first)) else {
        return;
    };
    let message = format!(
        "an error of {} goes no further than this, and {} ends as if it was done: nobody delivers it again",
        named_at(function, first),
        handler.scope.what
    );
    let mut steps = step(write, "the result is stored here");
    steps.push((end.span, "the delivery counts as taken here".to_owned()));
    let confidence = handled(Some(handler)).min(Confidence::Likely);
    sink.report(violation(facts, function, RULE.name, confidence, place, (message, HELP), steps));
}

/// An acknowledgement of work that is nothing but writes, all of whose errors go no further.
fn only_stored(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (ack_at, ack) in function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        let before: Vec<(usize, &EventFact)> = function
            .writes()
            .filter(|(at, write)| *at < ack_at && may_follow(&function.facts, *at, ack_at) && meets(write, ack))
            .collect();
        let lost = |(at, write): &(usize, &EventFact)| {
            let here = swallowed_before(function, *at, ack).filter(|_| write.via.len() <= 1);
            // What another call below acknowledges is work of its own.
            here.or_else(|| swallowed_below(facts, function, *at).filter(|_| ack.via.is_empty()))
        };
        let all_lost = before.iter().all(|write| lost(write).is_some());
        let Some((at, write)) = before.first().copied().filter(|_| all_lost) else {
            continue;
        };
        let message = format!(
            "the task is acknowledged here although {} may have failed: nobody tries it again",
            named_at(function, at)
        );
        let mut steps = step(write, "the result is stored here");
        steps.extend(lost(&(at, write)).map(|place| (place, "an error goes no further than this".to_owned())));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(ack), (message, HELP), steps));
    }
}

/// An acknowledgement on the arm for any error of work that is nothing but writes: a store that is away for a moment is one.
fn not_stored(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (ack_at, ack) in function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        let failed = function.facts.conditions.iter().find_map(|condition| {
            let on = condition.any_error && ack.branches.contains(&condition.branch);
            // What failed may be kept elsewhere first.
            let kept = || in_branch(function, condition.branch).any(|(_, event)| keeps(event));
            let mut writes = function.writes().filter(|(at, write)| *at < ack_at && meets(write, ack));
            let write = writes.find(|(_, write)| condition.about.contains(&write.span)).filter(|_| on)?;
            (!kept()).then_some((write, condition))
        });
        let Some(((at, write), condition)) = failed else {
            continue;
        };
        let message = format!(
            "the task is acknowledged here where {} failed, whatever the error was: nobody tries it again",
            named_at(function, at)
        );
        let mut steps = step(write, "the result is stored here");
        steps.push((condition.place, "any error goes this way".to_owned()));
        steps.extend(step(ack, "and is acknowledged"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(ack), (message, HELP), steps));
    }
}

/// Whether an event may keep what could not be done.
fn keeps(event: &EventFact) -> bool {
    match event.kind {
        EventFactKind::Sql { .. } | EventFactKind::Store { .. } | EventFactKind::Dispatch { .. } => true,
        EventFactKind::Handed { .. } | EventFactKind::Collected => true,
        EventFactKind::Call { awaited, .. } => awaited,
        _ => false,
    }
}
