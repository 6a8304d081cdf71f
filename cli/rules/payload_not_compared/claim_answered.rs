//! A key of a request that is claimed, and where it is known already the request counts as done, whatever it asks for.

use super::stored_answer::{is_part_of, is_payload, refused_above};
use super::{HELP, RULE, is_key};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact};
use crate::ir::TypeIr;
use crate::operations::{FunctionOps, may_follow};
use crate::rules::kept_marker::is_lock;
use crate::rules::scene::{has_any, here, is_success, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;
use crate::sql::{Conflict, Kind, Set};

/// Reports claims of a request's key whose loser is told that all went well, with nothing looked at on the way.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, told: &mut Vec<Span>, sink: &mut Sink) {
    // What a queue delivers again is what it has delivered before.
    if function.facts.handler.as_ref().is_some_and(|handler| !handler.contract && handler.kind != "webhook") {
        return;
    }
    for (at, claim) in function.events().filter(|(at, event)| event.via.is_empty() && function.is_claim(*at)) {
        let Some(key) = key_of(facts, function, at).filter(|_| !is_lock(facts, claim)) else {
            continue;
        };
        if !holds_more(function, &key) || compares(facts, function, at, &key) {
            continue;
        }
        let answer =
            lost_arms(function, claim).into_iter().find_map(|arm| Some((arm, answered(facts, function, at, arm)?)));
        let Some((arm, answer)) = answer.filter(|(_, answer)| !told.contains(&answer.span)) else {
            continue;
        };
        told.push(answer.span);
        let message = "a key that is known already counts as done: nobody compares what was asked for, and another payload under \
                       the same key is dropped unseen"
            .to_owned();
        let mut steps = step(claim, "the key is claimed here");
        steps.push((arm.0, "a key that is known comes this way".to_owned()));
        steps.push((answer.span, "and all is said to be well".to_owned()));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(claim), (message, HELP), steps));
    }
}

/// The key that a claim is made of, if whoever asks has sent it.
fn key_of(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Vec<OriginKind>> {
    let words = &facts.catalog.words.asker_key_names;
    let asks = |name: &str| words.iter().any(|word| word == name);
    let sent = |value: &&ValueFact, column: &str| {
        let input = |origin: &OriginKind| match origin {
            OriginKind::Input(path) => {
                is_key(origin) || asks(column) || path.as_str().rsplit('.').next().is_some_and(asks)
            }
            OriginKind::Constant(_) => true,
            _ => false,
        };
        let inputs = value.origins.iter().filter(|origin| matches!(origin, OriginKind::Input(_)));
        inputs.count() == 1 && value.origins.iter().all(input)
    };
    let found = match &function.event(at).kind {
        EventFactKind::Sql { binds, .. } => {
            let inserts = function.statements(at).iter().filter(|statement| {
                statement.kind == Kind::Insert && statement.conflict == Conflict::Nothing && !statement.many
            });
            let mut columns = inserts.flat_map(|insert| &insert.set);
            columns.find_map(|set| match set.value {
                Set::Placeholder(number) => binds.get(number).filter(|value| sent(value, &set.column)),
                _ => None,
            })
        }
        EventFactKind::Store { op, args, .. } if op == "claim" => args.get(1).filter(|value| sent(value, "")),
        _ => None,
    };
    found.map(|value| value.origins.iter().filter(|origin| matches!(origin, OriginKind::Input(_))).cloned().collect())
}

/// Whether there is more of the request in hand than the key: a statement or a request stores it or sends it on.
fn holds_more(function: &FunctionOps, key: &[OriginKind]) -> bool {
    let other = |origin: &OriginKind| is_payload(origin) && !key.iter().any(|key| is_part_of(origin, key));
    let any = |values: &[ValueFact]| values.iter().any(|value| value.origins.iter().any(other));
    function.events().any(|(_, event)| match &event.kind {
        EventFactKind::Sql { binds, .. } => any(binds),
        // The client, or what it is a field of, comes first.
        EventFactKind::Dispatch { args, .. } => args.origins.iter().filter(|origin| other(origin)).nth(1).is_some(),
        _ => false,
    })
}

/// Whether a digest is taken or stored, or the row of the key is read before, where what was asked for may be compared.
fn compares(facts: &Facts<'_>, function: &FunctionOps, at: usize, key: &[OriginKind]) -> bool {
    let words = &facts.catalog.words;
    let is_digest = |column: &str| {
        has_any(column, &words.digest_columns) && !words.asker_key_names.iter().any(|name| name == column)
    };
    let of_key = |value: &ValueFact| value.origins.iter().any(|origin| key.contains(origin));
    function.events().any(|(other, event)| {
        let digest = match &event.kind {
            EventFactKind::Digest { value } => !value.origins.iter().all(|origin| key.contains(origin)),
            _ => false,
        };
        let mut columns = function.statements(other).iter().flat_map(|statement| &statement.set);
        let read = other < at && function.is_read(other) && event.handed_to_store().iter().any(of_key);
        digest || read || columns.any(|set| is_digest(&set.column))
    }) || refused_above(facts, function, at)
}

/// The arms that are taken where the key was known: by how many rows there are, or by an error of its own.
fn lost_arms(function: &FunctionOps, claim: &EventFact) -> Vec<(Span, u32)> {
    let arms: Vec<_> = claim.turns.iter().filter_map(|turn| Some((turn.branch, turn.nothing?))).collect();
    if !arms.is_empty() {
        return arms;
    }
    let conditions = function.facts.conditions.iter();
    let own =
        conditions.filter(|known| known.about.contains(&claim.span) && known.outcomes.is_error() && !known.any_error);
    own.map(|known| known.branch).collect()
}

/// Where it is said on an arm that all is well, with nothing done, asked or refused there, and nothing said of what was known.
fn answered<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize, arm: (Span, u32)) -> Option<&'a EventFact> {
    let does = |event: &EventFact| match &event.kind {
        EventFactKind::Call { .. }
        | EventFactKind::Sql { .. }
        | EventFactKind::Store { .. }
        | EventFactKind::Lookup { .. }
        | EventFactKind::Asked { .. }
        | EventFactKind::Dispatch { .. }
        | EventFactKind::Fail { .. }
        | EventFactKind::Error => true,
        EventFactKind::Return { .. } => !is_success(event),
        _ => false,
    };
    let on_arm = |event: &EventFact| event.branches.contains(&arm);
    if function.events().any(|(later, event)| later > at && on_arm(event) && does(event)) {
        return None;
    }
    let ret = &facts.program.function(function.facts.function).ir.ret;
    let tells_nothing = ret.is_unit() || ret.as_result().is_some_and(|args| args.first().is_none_or(TypeIr::is_unit));
    let answer = function.events().find(|(later, event)| match &event.kind {
        EventFactKind::Return { answer, value } => {
            let fixed = value.origins.iter().all(|origin| matches!(origin, OriginKind::Constant(_)));
            let well = answer.is_some() || tells_nothing;
            let own = event.via.is_empty() && event.branches.last() == Some(&arm) && is_success(event);
            *later > at && own && well && fixed && may_follow(&function.facts, at, *later)
        }
        _ => false,
    });
    answer.map(|(_, answer)| answer)
}
