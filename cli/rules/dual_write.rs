//! `dual-write`: a state change and the message about it, in two steps that a crash can part.

use super::relation::are_alternatives;
use super::scene::{
    NEAR, harmful, has_any, here, named, named_at, redelivered, related, step, surely_related, violation,
};
use super::swallowed::swallowed_in;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact, begins_with_any};
use crate::operations::{FunctionOps, TableRole, asked, meets, open_at, surely_before};
use crate::resolve::FnId;

pub(super) const RULE: Rule = Rule {
    name: "dual-write",
    group: Group::Persist,
    default_level: Level::Deny,
    summary: "a state change and the message about it are not in one transaction",
    doc: include_str!("dual_write.md"),
    check,
    contract_error: false,
};

const HELP: &str =
    "write the message into an outbox table in the transaction of the state change, and send it from there";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        outbox_apart(facts, function, sink);
        beside_the_transaction(facts, function, sink);
        message_apart(facts, function, sink);
        handed_on(facts, function, sink);
    }
}

/// A row for the outbox that is not in the transaction of the change it tells of.
fn outbox_apart(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let tables = &facts.operations.tables;
    for (at, row) in function.writes() {
        let outbox = function.changed_tables(at).into_iter().find(|table| tables.is(table, TableRole::Outbox));
        let (Some(outbox), true) = (outbox, function.is_insert(at)) else {
            continue;
        };
        // The change that it tells of is in its transaction: what else is stored nearby is another matter.
        let with_it = |(other, _): (usize, &EventFact)| {
            function.transaction(other) == function.transaction(at)
                && function.changed_tables(other).iter().any(|table| *table != outbox)
        };
        if function.transaction(at).is_some() && function.writes().any(with_it) {
            continue;
        }
        let other = function.writes().find(|(other_at, other)| {
            *other_at != at
                && meets(row, other)
                && surely_related(row, other)
                && !are_alternatives(facts, row, other)
                && (surely_before(&function.facts, *other_at, at)
                    || surely_before(&function.facts, at, *other_at)
                    || is_committed_before(function, *other_at, at))
                && function.changed_tables(*other_at).iter().any(|table| *table != outbox)
                && (function.transaction(*other_at).is_some() || function.transaction(at).is_some())
                && function.transaction(*other_at) != function.transaction(at)
        });
        let Some((_, other)) = other.or_else(|| each_by_itself(function, at, outbox)) else {
            continue;
        };
        let message = format!(
            "the row for `{outbox}` is not written in the transaction of the change it tells of: a crash in between leaves one \
             without the other"
        );
        let mut steps = step(other, "the state changes here");
        steps.extend(step(row, "and the message about it is stored here, by itself"));
        let declared = tables.role(outbox).is_some_and(|(_, declared)| declared);
        let confidence = if declared { Confidence::Certain } else { Confidence::Likely };
        sink.report(violation(facts, function, RULE.name, confidence, here(row), (message, HELP), steps));
    }
}

/// Whether a change on one of several ways is in a transaction that is committed in front of an event on all of them.
fn is_committed_before(function: &FunctionOps, change: usize, at: usize) -> bool {
    let transaction = function.transaction(change);
    let ends = |event: &EventFact| match &event.kind {
        EventFactKind::Commit { transaction: of } => of.transaction.is_some() && of.transaction == transaction,
        _ => false,
    };
    let mut between = function.events().filter(|(end, _)| (change + 1..at).contains(end));
    between.any(|(end, event)| ends(event) && surely_before(&function.facts, end, at))
}

/// The change that a row for the outbox tells of, where a pool runs both: each is a transaction of its own.
fn each_by_itself<'a>(function: &'a FunctionOps, at: usize, outbox: &str) -> Option<(usize, &'a EventFact)> {
    let row = function.event(at);
    // A row that was read first is the one by whose name it was found.
    let found_by_it = |change: usize| {
        function.events().take(change).any(|(at, read)| {
            let tables = function.changed_tables(change);
            function.is_read(at)
                && function.read_tables(at).iter().any(|table| tables.contains(table))
                && related(read, row)
        })
    };
    let alone = |at: usize, event: &EventFact| event.pooled && function.transaction(at).is_none();
    let before = function.writes().filter(|(other_at, other)| {
        *other_at < at
            && alone(*other_at, other)
            && other.via.len() < NEAR
            && meets(row, other)
            && surely_before(&function.facts, *other_at, at)
            && function.changed_tables(*other_at).iter().any(|table| *table != outbox)
            && (related(row, other) || found_by_it(*other_at))
    });
    if alone(at, row) && row.via.len() < NEAR { before.last() } else { None }
}

/// A row that is written on another connection while a transaction is open that goes on with it.
fn beside_the_transaction(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, row) in function.writes().filter(|(at, row)| row.via.len() < NEAR && function.transaction(*at).is_none()) {
        let Some((open, begin)) = open_at(function, at).and_then(|open| Some((open, open.at?))) else {
            continue;
        };
        let goes_on = function.writes().find(|(later, write)| {
            *later > at
                && function.transaction(*later) == Some(open.begin)
                && write.stores_answer(row)
                && meets(row, write)
                && function.changed_tables(*later) != function.changed_tables(at)
        });
        let begin = function.event(begin);
        let elsewhere = match &row.kind {
            EventFactKind::Sql { executor, .. } | EventFactKind::Store { executor, .. } => is_known(executor),
            _ => false,
        };
        let Some((_, write)) = goes_on.filter(|_| begin.via.is_empty() && elsewhere && !is_sought_first(function, at))
        else {
            continue;
        };
        let message = format!(
            "{} does not go through the transaction that is open and that goes on with what it gave: when that is rolled back, \
             it stays behind",
            named_at(function, at)
        );
        let help = "hand the transaction to it, too";
        let mut steps = vec![(here(begin), "the transaction begins here".to_owned())];
        steps.extend(step(row, "this is written on a connection of its own"));
        steps.extend(step(write, "and the transaction goes on with it here"));
        let text = (message, help);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(row), text, steps));
    }
}

/// Whether a row is put in only where it was looked for, by the same helper: one that stays behind is found the next time.
fn is_sought_first(function: &FunctionOps, at: usize) -> bool {
    let (row, tables) = (function.event(at), function.changed_tables(at));
    let seeks = |(before, read): (usize, &EventFact)| {
        function.is_read(before)
            && (read.function, &read.via) == (row.function, &row.via)
            && function.read_tables(before).iter().any(|table| tables.contains(table))
    };
    function.is_insert(at) && !row.via.is_empty() && function.events().take(at).any(seeks)
}

/// Whether it is known what runs a statement.
fn is_known(executor: &ValueFact) -> bool {
    !executor.origins.is_empty() && !executor.origins.iter().any(|origin| matches!(origin, OriginKind::Opaque(_)))
}

/// A message that is published behind the commit of the change it tells of.
fn message_apart(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, dispatch) in function.dispatches() {
        let Some(message) = message(facts, function, at) else {
            continue;
        };
        if open_at(function, at).is_some() || function.transaction(at).is_some() {
            continue;
        }
        let changed = function.writes().filter(|(write_at, write)| {
            meets(dispatch, write)
                && write.via.len() < NEAR
                && surely_before(&function.facts, *write_at, at)
                && related(write, dispatch)
                && (message == Message::Known || is_durable(function, *write_at))
                && (message != Message::Mail || function.is_insert(*write_at))
                && !is_outbox(facts, function, *write_at)
                && !function.is_lease(*write_at)
                && !is_one_helper(write, dispatch)
                && !is_undone(function, write, dispatch)
        });
        // What may fail unheard is seldom what the message tells of, least of all a row, which is mostly a note beside the work.
        let unheard = |at: usize| swallowed_in(function, at).is_some();
        let rank = |at: usize| if !unheard(at) { 2 } else { u8::from(!function.is_insert(at)) };
        let Some((write_at, write)) = changed.max_by_key(|(at, _)| (rank(*at), *at)) else {
            continue;
        };
        let beside = rank(write_at) < 2;
        if function.writes().any(|(write_at, _)| write_at < at && is_outbox(facts, function, write_at)) {
            continue;
        }
        let sure = !beside && message == Message::Known && !comes_again(facts, function, write_at);
        let ceiling = if sure { Confidence::Likely } else { Confidence::Possible };
        let message = format!(
            "{} comes after the change it tells of is stored: a crash in between leaves a change that nobody hears of",
            named(dispatch)
        );
        let mut steps = step(write, "the state changes here");
        steps.extend(step(dispatch, "and the message about it is sent here"));
        let confidence = harmful(facts, function, dispatch).min(ceiling);
        sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, HELP), steps));
    }
}

/// Whether a task is run again after a crash, and nothing that was stored or asked up to a write tells that run to stop: it
/// stores the same once more and then comes to the message.
fn comes_again(facts: &Facts<'_>, function: &FunctionOps, write_at: usize) -> bool {
    let stores = |at: usize| function.is_read(at) || function.is_claim(at) || function.is_write(at);
    let asks = |(at, event): (usize, &EventFact)| stores(at) && event.turns.iter().any(|turn| !turn.refused);
    redelivered(facts, function).is_some_and(|handler| handler.kind != "webhook")
        && !function.events().take(write_at + 1).any(asks)
}

fn is_outbox(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    function.changed_tables(at).iter().any(|table| facts.operations.tables.is(table, TableRole::Outbox))
}

/// Whether the message stands where the write has failed: nothing is stored that it could tell of.
fn is_undone(function: &FunctionOps, write: &EventFact, message: &EventFact) -> bool {
    asked(&function.facts, message, write.span).is_some_and(|asked| asked.outcomes.is_error())
}

/// Whether one function below does both and each of them is called for: a helper that keeps and tells its own state says
/// nothing of the change here.
fn is_one_helper(write: &EventFact, dispatch: &EventFact) -> bool {
    !write.via.is_empty() && !dispatch.via.is_empty() && write.function == dispatch.function
}

/// Whether a write is seen to be stored before the function goes on, and is no claim of the message itself: a transaction that
/// the caller hands over is open still.
fn is_durable(function: &FunctionOps, at: usize) -> bool {
    (function.event(at).pooled || function.transaction(at).is_some()) && !function.is_claim(at)
}

/// What shows that a dispatch is a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    /// where it goes: to a broker, a webhook
    Known,
    /// the name of the function that posts it
    Named,
    /// it is a mail, by where it goes or by that name, without which the caller is told that nothing was done
    Mail,
}

/// Whether the dispatch at a position is a message to others.
fn message(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Message> {
    let words = &facts.catalog.words;
    let dispatch = function.event(at);
    let EventFactKind::Dispatch { system, provider, http, .. } = &dispatch.kind else {
        return None;
    };
    let named = |nouns: &[String]| {
        let tells = |id: &FnId| {
            let name = facts.program.function(*id).ir.name;
            begins_with_any(name.as_str(), &words.news_verbs) && has_any(&name, nouns)
        };
        *http && provider.is_none() && dispatch.through.iter().chain([&dispatch.function]).any(tells)
    };
    match system.as_deref() {
        Some("queue" | "webhook") => Some(Message::Known),
        Some("email") => Some(Message::Mail),
        _ if named(&words.news_nouns) => Some(Message::Named),
        _ => named(&words.mail_nouns).then_some(Message::Mail),
    }
    .filter(|message| *message != Message::Mail || swallowed_in(function, at).is_none())
}

/// Something that is handed to another task of the process behind the change it tells of.
fn handed_on(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    // A token that is cancelled carries nothing.
    let is_news = |event: &EventFact| matches!(&event.kind, EventFactKind::Handed { args, .. } if args.len() > 1);
    for (at, handed) in function.events().filter(|(_, event)| is_news(event)) {
        let changed = function.writes().filter(|(write_at, write)| {
            meets(handed, write)
                && write.via.len() < NEAR
                && handed.via.len() < NEAR
                && surely_before(&function.facts, *write_at, at)
                && !is_undone(function, write, handed)
        });
        let Some((_, write)) = changed.last() else {
            continue;
        };
        let message = format!(
            "`{}` hands on in memory what tells of a change that is stored already: when the process stops, nobody hears of it",
            handed.name
        );
        let mut steps = step(write, "the state changes here");
        steps.extend(step(handed, "and the news of it waits in a channel"));
        let confidence = Confidence::Possible;
        sink.report(violation(facts, function, RULE.name, confidence, here(handed), (message, HELP), steps));
    }
}
