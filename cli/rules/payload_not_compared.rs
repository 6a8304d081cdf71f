//! `payload-not-compared`: the same id with another payload gets the first one's answer.

mod claim_answered;
mod digest_unread;
mod replayed;
mod stored_answer;

use super::scene::{here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, KEY_HEADER, OriginKind, Usage, ValueFact};
use crate::ir::Name;
use crate::operations::{FunctionOps, exclusive};
use crate::source::Span;
use stored_answer::{claimed_answer, is_part_of, read_answer, row_answer};

pub(super) const RULE: Rule = Rule {
    name: "payload-not-compared",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "the same id is accepted without comparing the payload",
    doc: include_str!("payload_not_compared.md"),
    check,
    contract_error: false,
};

pub(super) const HELP: &str =
    "store a digest of operation, resource and payload beside the id, and refuse the id when it comes with another";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let mut told: Vec<Span> = Vec::new();
        // The read next to the answer tells best, so the later ones come first.
        for at in (0..function.facts.events.len()).rev() {
            let known = function.event(at);
            let answer = match is_by_key_alone(function, at) {
                true if function.is_read(at) => read_answer(facts, function, at, &is_of_key),
                true => claimed_answer(function, at),
                false => row_answer(facts, function, at).or_else(|| replayed::answer(facts, function, at)),
            };
            let Some(answer) = answer.filter(|answer| !told.contains(&answer.span)) else {
                continue;
            };
            told.push(answer.span);
            let message =
                "the stored answer is returned to whoever sends the same key: nobody compares what was asked for, \
                           and another payload gets the first one's answer"
                    .to_owned();
            let mut steps = step(known, "the key is looked up here");
            if let Some((branch, _)) = answer.branches.last() {
                steps.push((*branch, "a key that is known comes this way".to_owned()));
            }
            steps.push((answer.span, "and the stored answer is returned".to_owned()));
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(known), (message, HELP), steps));
        }
        claim_answered::check(facts, function, &mut told, sink);
        if let Some(unread) = told.is_empty().then(|| forwarded_unread(function)).flatten() {
            let message = "whether the request goes on is decided by its key, and nobody has read what it asks for: another payload \
                           under the same key gets the first one's answer"
                .to_owned();
            let mut steps = step(unread.known, "the key is looked up here");
            let branch = unread.forward.branches.iter().find(|branch| !unread.known.branches.contains(branch));
            steps.extend(branch.map(|(branch, _)| (*branch, "a key that is known is answered here".to_owned())));
            steps.extend(step(unread.forward, "and here the request goes on as it came"));
            let place = here(unread.answer.unwrap_or(unread.known));
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, (message, HELP), steps));
        }
    }
}

/// A request that goes on by its key alone.
struct Unread<'a> {
    /// where the key is asked for
    known: &'a EventFact,
    /// where one that is known is answered
    answer: Option<&'a EventFact>,
    /// where the request is handed on
    forward: &'a EventFact,
}

/// Where a middleware asks for the key of a request, and where it hands the request on if that is new, without having read
/// its body.
fn forwarded_unread(function: &FunctionOps) -> Option<Unread<'_>> {
    // A digest that the key is in makes one key of several parts.
    let digests = |event: &EventFact| match &event.kind {
        EventFactKind::Digest { value } => !value.origins.iter().any(is_key),
        _ => false,
    };
    if function.events().any(|(_, event)| digests(event)) {
        return None;
    }
    let untouched = |event: &EventFact| match &event.kind {
        EventFactKind::Forwarded { request } => {
            !request.origins.is_empty() && request.origins.iter().all(|origin| matches!(origin, OriginKind::Input(_)))
        }
        _ => false,
    };
    let forwards = function.events().filter(|(_, event)| untouched(event));
    forwards.into_iter().find_map(|(forward_at, forward)| {
        let mut asked = function.events().take(forward_at).filter(|(_, event)| asks_by_key(event));
        let (asked_at, known) = asked.next()?;
        let mut later = function.events().skip(asked_at);
        let answer = later.find(|(at, event)| {
            let ends = matches!(event.kind, EventFactKind::Return { .. }) && event.via.is_empty();
            ends && (exclusive(&function.facts, event, forward) || *at < forward_at && !event.branches.is_empty())
        });
        let answer = answer.map(|(_, event)| event);
        let decided = forward.branches.iter().any(|branch| !known.branches.contains(branch));
        (answer.is_some() || decided).then_some(Unread { known, answer, forward })
    })
}

/// Whether a store, a collection or a call of which nothing else is known is asked by the request's key.
fn asks_by_key(event: &EventFact) -> bool {
    let values: &[ValueFact] = match &event.kind {
        EventFactKind::Call { args, awaited: true } => args,
        EventFactKind::Remembered { value, .. } => std::slice::from_ref(value),
        _ => event.handed_to_store(),
    };
    event.usage == Usage::Used && values.iter().any(|value| value.origins.iter().any(is_key))
}

/// Whether a claim or read is asked by the request's key and nothing else of the request.
fn is_by_key_alone(function: &FunctionOps, at: usize) -> bool {
    let values: Vec<&ValueFact> = match &function.event(at).kind {
        EventFactKind::Sql { binds, .. } => binds.iter().collect(),
        EventFactKind::Store { op, args, .. } if op == "claim" || op == "query" => args.iter().skip(1).collect(),
        _ => return false,
    };
    let by_key = values.iter().any(|value| value.origins.iter().any(is_key));
    let other = |origin: &OriginKind| match origin {
        OriginKind::Input(_) => !is_key(origin),
        OriginKind::Opaque(_) => true,
        _ => false,
    };
    by_key && !values.iter().any(|value| value.origins.iter().any(other))
}

pub(super) fn is_key(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(name) if name == KEY_HEADER)
}

/// Whether an origin is the key, or a column of the row that was read under it.
fn is_of_key(origin: &OriginKind) -> bool {
    is_part_of(origin, &OriginKind::Input(Name::new(KEY_HEADER)))
}
