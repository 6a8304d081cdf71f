//! `payload-not-compared`: the same id with another payload gets the first one's answer.

use super::digest_unread::{self, Digest};
use super::scene::{has_any, here, is_success, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, KEY_HEADER, OriginKind, Usage, ValueFact};
use crate::ir::Name;
use crate::operations::{FunctionOps, TableRole, exclusive, may_follow, meets};
use crate::source::Span;
use crate::sql::{Conflict, Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "payload-not-compared",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "the same id is accepted without comparing the payload",
    doc: include_str!("payload_not_compared.md"),
    check,
    contract_error: false,
};

const HELP: &str =
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
                false => row_answer(facts, function, at),
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

fn is_key(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(name) if name == KEY_HEADER)
}

/// Whether an origin is the key, or a column of the row that was read under it.
fn is_of_key(origin: &OriginKind) -> bool {
    is_part_of(origin, &OriginKind::Input(Name::new(KEY_HEADER)))
}

/// The answers that may be given after the event at a position, each on a branch of its own.
fn answers(function: &FunctionOps, at: usize) -> impl Iterator<Item = (usize, &EventFact, &ValueFact)> {
    function.events().filter_map(move |(later, event)| match &event.kind {
        EventFactKind::Return { value, .. } => {
            let own = later > at && event.via.is_empty() && !event.branches.is_empty();
            (own && may_follow(&function.facts, at, later)).then_some((later, event, value))
        }
        _ => None,
    })
}

/// Where what a claim gave back is returned.
fn claimed_answer(function: &FunctionOps, at: usize) -> Option<&EventFact> {
    let claim = function.event(at);
    let mut answers = answers(function, at).filter(|_| claim.via.is_empty());
    answers.find(|(_, _, value)| value.replies.contains(&claim.span)).map(|(_, event, _)| event)
}

/// Where what was read under the key is returned, if neither the columns that are read nor a refusal on the way tell of a
/// comparison.
fn read_answer<'a>(
    facts: &Facts<'_>,
    function: &'a FunctionOps,
    at: usize,
    asked: &dyn Fn(&OriginKind) -> bool,
) -> Option<&'a EventFact> {
    let words = &facts.catalog.words.digest_columns;
    let compared = function.statements(at).iter().any(|read| {
        let columns = read.columns.iter().map(String::as_str).filter(|column| has_any(column, words));
        let digest = Digest { table: read.table.as_deref().unwrap_or_default(), columns: columns.collect() };
        digest_unread::is_looked_at(facts, function.event(at), &digest)
    });
    if compared {
        return None;
    }
    let answer = answers(function, at).find(|(_, event, value)| {
        let other = |origin: &OriginKind| matches!(origin, OriginKind::Input(_)) && !asked(origin);
        is_success(event) && value.origins.iter().any(asked) && !value.origins.iter().any(other)
    });
    let (answer_at, answer, _) = answer?;
    let refused = function.events().any(|(between, event)| {
        let refuses = match &event.kind {
            EventFactKind::Fail { error } if error.as_deref() == Some("unknown") => false,
            EventFactKind::Fail { .. } => event.name != "?" || !event.via.is_empty(),
            EventFactKind::Return { answer, .. } => answer.as_deref() == Some("rejected"),
            _ => false,
        };
        // What fails behind a write on another arm is a new request.
        let is_new = || {
            let arms = answer.branches.last().map(|last| event.branches.iter().filter(move |arm| arm.0 == last.0));
            let begun = |arm: &(Span, u32)| {
                function
                    .writes()
                    .any(|(write_at, write)| answer_at < write_at && write_at < between && write.branches.contains(arm))
            };
            arms.is_some_and(|mut arms| arms.any(begun))
        };
        let before = between < answer_at;
        refuses
            && between > at
            && meets(function.event(at), event)
            && beside(event, answer, before)
            && (before || !is_new())
    });
    (!refused).then_some(answer)
}

/// Where a row is returned that was read under the key of a request alone, if the function stores it under that key, with
/// more of the request in hand and no digest of it beside the key.
fn row_answer<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a EventFact> {
    let EventFactKind::Sql { binds, .. } = &function.event(at).kind else {
        return None;
    };
    let bound = || binds.iter().flat_map(|bind| bind.origins.iter());
    let asked = |origin: &OriginKind| bound().any(|by| is_part_of(origin, by));
    let other = |value: &ValueFact| value.origins.iter().any(|origin| is_payload(origin) && !asked(origin));
    let holds_more = || function.events().any(|(_, event)| handed(event).iter().any(other));
    let known = function.statements(at).iter().any(|read| is_by_row_key(facts, function, (at, read)));
    if !known || !holds_more() {
        return None;
    }
    read_answer(facts, function, at, &asked)
}

/// Whether an origin is an input, or a field of it.
fn is_part_of(origin: &OriginKind, input: &OriginKind) -> bool {
    match (origin, input) {
        (OriginKind::Input(part), OriginKind::Input(whole)) => {
            let rest = part.as_str().strip_prefix(whole.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
        _ => false,
    }
}

/// What a statement or call is handed.
fn handed(event: &EventFact) -> &[ValueFact] {
    match &event.kind {
        EventFactKind::Sql { binds, .. } => binds,
        EventFactKind::Call { args, .. } => args,
        EventFactKind::Dispatch { args, .. } => std::slice::from_ref(args),
        _ => &[],
    }
}

fn is_payload(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(name) if !name.as_str().starts_with("self"))
}

/// Whether a statement asks for the row of a request's key, and for nothing else that this function stores with it
/// and that somebody looks at.
fn is_by_row_key(facts: &Facts<'_>, function: &FunctionOps, (at, read): (usize, &Statement)) -> bool {
    let words = &facts.catalog.words;
    let tables = &facts.operations.tables;
    let (Kind::Select, Some(table)) = (read.kind, read.table.as_deref()) else {
        return false;
    };
    let row: Vec<String> = read.row().into_iter().map(str::to_owned).collect();
    let declared = tables.columns(table, "key");
    let same_table = |stores: &&Statement| stores.kind == Kind::Insert && stores.table.as_deref() == Some(table);
    // A cache is asked first: what is claimed first and has an answer then is a request.
    let claims =
        |at| function.statements(at).iter().filter(same_table).any(|claim| claim.conflict == Conflict::Nothing);
    let replays = || read.columns.iter().any(|column| has_any(column, &words.answer_columns)) && (0..at).any(claims);
    let is_key = |column: &String| {
        let named = words.key_names.iter().chain(&words.request_key_columns).any(|known| known == column);
        named || tables.is(table, TableRole::Inbox) && declared.contains(column) || column == "key" && replays()
    };
    let digests = tables.columns(table, "digest");
    let is_digest =
        |column: &String| digests.contains(column) || !is_key(column) && has_any(column, &words.digest_columns);
    if row.len() != read.conditions.len() || !row.iter().any(is_key) || row.iter().any(is_digest) {
        return false;
    }
    let mut events = function.events();
    events.any(|(stored_at, _)| {
        function.statements(stored_at).iter().filter(same_table).any(|stores| {
            let has = |column: &String| stores.set.iter().any(|set| set.column == *column);
            let alone = row.iter().all(|column| stores.conflict_target.contains(column))
                || row.iter().all(is_key)
                || tables.is_unique(table, &row);
            let digests = stores.set.iter().map(|set| &set.column).filter(|column| is_digest(column));
            let digest = Digest { table, columns: digests.map(String::as_str).collect() };
            row.iter().all(has) && alone && !digest_unread::is_looked_at(facts, function.event(at), &digest)
        })
    })
}

/// Whether a refusal stands on the way to an answer, inside the branch that leads there, or on another arm of it.
fn beside(refusal: &EventFact, answer: &EventFact, before: bool) -> bool {
    let Some(last) = answer.branches.last() else {
        return before;
    };
    refusal.branches.iter().any(|branch| branch.0 == last.0 && (before || branch.1 != last.1))
}
