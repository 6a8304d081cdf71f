//! `ack-on-failure`: the task is acknowledged although the effect failed.

mod emptied;
mod left_undone;
mod stored_work;

use super::scene::{
    handled, harmful, has_any, here, is_declared, is_success, named, redelivered, stays_in_doubt, step, sure,
    violation, works,
};
use super::swallowed::{is_local, only_told, swallowed_before, swallowed_below, swallowed_in};
use super::{Facts, Group, Rule, Sink, taken_off};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, HandlerFact, OriginKind, Role, Usage};
use crate::operations::{FunctionOps, asked, exclusive, may_follow, meets, surely_before};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "ack-on-failure",
    group: Group::Ack,
    default_level: Level::Deny,
    summary: "a task is acknowledged although its effect failed",
    doc: include_str!("ack_on_failure.md"),
    check,
    contract_error: false,
};

pub(super) const HELP: &str =
    "acknowledge only what is done or durably refused; hand an error back to the queue, so that it is tried again";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let spawned = |event: &EventFact| event.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
        for (at, _) in function.writes().filter(|(_, event)| !spawned(event)) {
            taken_and_lost(facts, function, at, sink);
        }
        stored_work::check(facts, function, sink);
        left_undone::check(facts, function, sink);
        taken_off::check(facts, function, sink);
        emptied::check(facts, function, sink);
        // Work that may be done twice can be lost all the same; beside other work it is mostly a step of that.
        let alone = function.dispatches().next().is_none();
        let words = &facts.catalog.words.removal_verbs;
        for (at, dispatch) in function.events() {
            match dispatch.kind {
                EventFactKind::Dispatch { harmless: false, .. } => {}
                EventFactKind::Dispatch { .. } if alone && !has_any(&dispatch.name, words) => {}
                _ => continue,
            }
            if spawned(dispatch) {
                continue;
            }
            acknowledged(facts, function, at, sink);
            acknowledged_unasked(facts, function, at, sink);
            answered(facts, function, at, sink);
            taken_and_lost(facts, function, at, sink);
        }
    }
}

/// An acknowledgement in the branch of an error, or behind an error that nobody hears of.
fn acknowledged(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let dispatch = function.event(at);
    for (ack_at, ack) in function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        let swallowed = swallowed_before(function, at, ack);
        if !may_follow(&function.facts, at, ack_at) || ack_at < at || !meets(dispatch, ack) {
            continue;
        }
        let failed = asked(&function.facts, ack, dispatch.span).filter(|asked| asked.outcomes.is_error());
        // Beside other work, what keeps its errors to itself is mostly a step that does not matter.
        let alone = || {
            let works = |(other, event): (usize, &EventFact)| {
                function.is_write(other) || matches!(event.kind, EventFactKind::Dispatch { .. })
            };
            ack.via.is_empty()
                && !function
                    .events()
                    .any(|(other, event)| other != at && event.span != dispatch.span && works((other, event)))
        };
        let told = || only_told(facts, function, at);
        let told = || told().or_else(|| swallowed_below(facts, function, at).filter(|_| alone()));
        let by = failed.map(|asked| asked.branch.0).or(swallowed).or_else(told);
        let Some(by) = by else {
            continue;
        };
        let message = format!(
            "the task is acknowledged here although {} may have failed: nobody tries it again",
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((by, "an error goes this way".to_owned()));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, HELP), steps));
    }
}

/// An acknowledgement before anybody has looked at what came of the work.
fn acknowledged_unasked(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let work = function.event(at);
    // The work is a call of its own, whose result the function looks at later or hands on.
    let Some(call) = work.via.first().filter(|_| work.usage != Usage::Dropped) else {
        return;
    };
    for (ack_at, ack) in function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        let follows = ack_at > at && meets(work, ack) && surely_before(&function.facts, at, ack_at);
        let asked = function.facts.conditions.iter().any(|condition| {
            let place = condition.branch.0;
            is_local(function, place)
                && place.range.start <= here(ack).range.start
                && place.range.end > call.range.start
                && condition.about.iter().any(|site| sites_below(function, *call).contains(site))
        });
        let returned = function.events().any(|(_, event)| match &event.kind {
            EventFactKind::Return { value, .. } => event.via.is_empty() && value.replies.contains(&work.span),
            _ => false,
        });
        // What goes on with a success is not come to by an error: `store(row).and_then(|()| acknowledge(task))`.
        let next = ack
            .regions
            .iter()
            .any(|region| matches!(region.1, Role::Closure { next: true, .. }) && !work.regions.contains(region));
        if !follows || asked || !returned || next {
            continue;
        }
        let message = format!(
            "the task is acknowledged here whatever came of the work before: if {} failed, nobody tries it again",
            named(work)
        );
        let mut steps = step(work, "the work is done here");
        steps.push((here(ack), "and acknowledged before its result is looked at".to_owned()));
        let confidence = sure(function, work).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, HELP), steps));
    }
}

/// The dispatches below a call.
fn sites_below(function: &FunctionOps, call: Span) -> Vec<Span> {
    let below = function.events().filter(|(_, event)| event.via.first() == Some(&call));
    below.map(|(_, event)| event.span).collect()
}

/// Work that is taken off a queue in a loop, and whose error goes no further: it is gone.
fn taken_and_lost(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let work = function.event(at);
    let acks = function.events().any(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. }));
    let taking = work.regions.iter().any(|(region, role)| {
        let text = &facts.workspace.file(region.file).text;
        let head = text.get(region.range.start as usize..).unwrap_or_default();
        matches!(role, Role::Each { .. }) && is_local(function, *region) && head.starts_with("while let")
    });
    if acks || !taking || function.facts.handler.is_some() {
        return;
    }
    let Some(place) = swallowed_in(function, at).filter(|place| is_local(function, *place)) else {
        return;
    };
    let message = format!(
        "what was taken is gone when {} fails: its error goes no further than this, and the loop takes the next",
        named(work)
    );
    let steps = step(work, "the work is done here");
    sink.report(violation(facts, function, RULE.name, Confidence::Possible, place, (message, HELP), steps));
}

/// A handler that ends well behind an error that nobody hears of.
fn answered(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let dispatch = function.event(at);
    let by_kind = redelivered(facts, function).filter(|handler| handler.kind != "job");
    let Some(handler) = by_kind.or_else(|| only_passes_on(facts, function, at)) else {
        return;
    };
    let redelivers = by_kind.is_some();
    let Some(branch) = swallowed_in(function, at).filter(|&place| !stays_in_doubt(facts, function, at, place)) else {
        return;
    };
    let ending = function.events().find(|(end_at, event)| {
        *end_at > at
            && is_success(event)
            && event.via.is_empty()
            && !exclusive(&function.facts, event, dispatch)
            && (redelivers || answers_well(event))
    });
    let Some((_, ending)) = ending else {
        return;
    };
    let message = format!(
        "an error of {} goes no further than this, and {} ends as if it was done: nobody tries it again",
        named(dispatch),
        handler.scope.what
    );
    let mut steps = step(dispatch, "the provider is asked to act here");
    steps.push((ending.span, "the task counts as done here".to_owned()));
    let mut confidence = harmful(facts, function, dispatch).min(handled(Some(handler))).min(Confidence::Likely);
    if is_declared(function) {
        confidence = sure(function, dispatch);
    }
    sink.report(violation(facts, function, RULE.name, confidence, branch, (message, HELP), steps));
}

/// The handler of a request that does nothing but hand its content on to a broker or a mail server: whoever hears that it
/// was taken does not send it again, whether or not anybody would.
pub(super) fn only_passes_on<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a HandlerFact> {
    let dispatch = function.event(at);
    let handler = function.facts.handler.as_ref().filter(|handler| handler.kind == "webhook")?;
    let (system, given) = match &dispatch.kind {
        EventFactKind::Dispatch { system: Some(system), args, .. } => (system, args),
        _ => return None,
    };
    let content = given.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_)));
    let alone = !function.events().any(|(other, event)| {
        let another = matches!(event.kind, EventFactKind::Dispatch { .. }) && event.span != dispatch.span;
        another || function.is_write(other) || works(facts, event)
    });
    (system == "queue" && content && alone).then_some(handler)
}

/// Whether a function answers in so many words that all went well.
pub(super) fn answers_well(event: &EventFact) -> bool {
    matches!(&event.kind, EventFactKind::Return { answer: Some(answer), .. } if answer == "confirmed")
}
