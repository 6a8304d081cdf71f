//! `dispatch-before-persist`: a provider acts before anything durable says that it was asked to.

use effect_contracts_grammar::Mechanism;

use super::dedup_outside_transaction::decides;
use super::relation::is_copied;
use super::scene::{
    NEAR, always_follows, harmful, has_known_key, here, in_doubt, is_declared, is_keyed, is_same_again, named,
    redelivered, related, step, sure, violation,
};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, Role, Usage};
use crate::operations::{FunctionOps, may_follow, meets, open_at, outcomes_at, surely_before};
use crate::source::Span;
use crate::sql::{Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "dispatch-before-persist",
    group: Group::Persist,
    default_level: Level::Deny,
    summary: "a provider acts before the intent is durable",
    doc: include_str!("dispatch_before_persist.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, dispatch) in function.dispatches() {
            if open_at(function, at).is_some() {
                continue;
            }
            let Some((write_at, write)) = later_write(facts, function, at) else {
                continue;
            };
            let inserted = function.is_insert(write_at);
            if is_keyed(dispatch) && marks(function, at, write_at) {
                continue;
            }
            // A stable key makes the repeat harmless, and what was taken from a store is known there: only a record that is
            // yet to be made is missing.
            let known = is_keyed(dispatch) || is_known_by_nature(facts, function);
            if !inserted && (known || is_relayed(facts, function, dispatch)) || is_asked_again(facts, function, at) {
                continue;
            }
            let message = match inserted {
                true => format!(
                    "{} acts before its record is inserted: after a crash in between nobody knows that it happened",
                    named(dispatch)
                ),
                false => format!(
                    "{} acts before the change it belongs to is stored: if storing fails, it has happened all the \
                     same, and happens again at the next try",
                    named(dispatch)
                ),
            };
            let help = "store the intent under its key first (prepared), dispatch, then record the outcome";
            let mut steps = step(dispatch, "the provider is asked to act here");
            steps.extend(step(write, "and only then is something stored"));
            let proven = inserted && (is_declared(function) || has_known_key(dispatch) && !is_same_again(dispatch));
            // What was answered is stored as a new row: that is the effect's record, whatever the client is.
            let presumed = matches!(dispatch.kind, EventFactKind::Dispatch { presumed: true, .. });
            let record = presumed && inserted && write.stores_answer(dispatch);
            let confidence = match (proven, record) {
                (true, _) => sure(function, dispatch),
                (false, true) => sure(function, dispatch).min(Confidence::Likely),
                (false, false) => harmful(facts, function, dispatch).min(Confidence::Likely),
            };
            // What is told may belong to any of the changes that the calls around it make, and so may what is asked of one of
            // several, by its name.
            let by_name = dispatch.below > 0 && !dispatch.says_change(&facts.catalog.words);
            let told = by_name || dispatch.via.is_empty() && is_told(dispatch);
            let apart = !inserted && !write.via.is_empty() && told;
            let confidence = if apart { Confidence::Possible } else { confidence };
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether the queue keeps the task until it is acknowledged, and each delivery of it sends the same key.
fn is_asked_again(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let dispatch = function.event(at);
    let acknowledged = |(later, event): (usize, &EventFact)| {
        later > at && matches!(event.kind, EventFactKind::Ack { .. }) && meets(dispatch, event)
    };
    let kept = || {
        redelivered(facts, function).is_some_and(|handler| handler.kind == "consumer")
            || function.events().any(acknowledged)
    };
    has_known_key(dispatch) && is_keyed(dispatch) && kept()
}

/// Whether the contract says that the provider tells repeats by what an intent is, without a key of its own.
fn is_known_by_nature(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    facts.contracts.iter().any(|contract| {
        contract.function == function.facts.function && contract.contract.mechanism == Some(Mechanism::NaturalKey)
    })
}

/// Whether what is written marks what was done, and decides before whether it is done at all: where the mark was lost, the
/// same is asked for again.
fn marks(function: &FunctionOps, at: usize, write_at: usize) -> bool {
    let (write, tables) = (function.event(write_at), function.changed_tables(write_at));
    function.events().take(at).any(|(asked, event)| {
        function.is_read(asked)
            && function.read_tables(asked).iter().any(|table| tables.contains(table))
            && related(event, write)
            && decides(function, asked, at, false)
    })
}

/// Whether somebody is told something, who does nothing about it.
fn is_told(dispatch: &EventFact) -> bool {
    let EventFactKind::Dispatch { system: Some(system), .. } = &dispatch.kind else {
        return false;
    };
    matches!(system.as_str(), "push" | "email" | "sms")
}

/// Whether a queue is given each of several things that were stored before: by the function itself, or by all who call it.
fn is_relayed(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact) -> bool {
    let EventFactKind::Dispatch { args, system, .. } = &dispatch.kind else {
        return false;
    };
    let each = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Each { .. }));
    if !each || system.as_deref() != Some("queue") {
        return false;
    }
    let own = function.facts.function;
    let above = facts.operations.above(dispatch).map(|(caller, at)| caller.event(at));
    let mut above = above
        .filter(|event| event.through.first() == Some(&own) && event.via.len() == dispatch.via.len() + 1)
        .peekable();
    let stored = |event: &EventFact| match &event.kind {
        EventFactKind::Dispatch { args, .. } => args.origins.contains(&OriginKind::Stored),
        _ => false,
    };
    args.origins.contains(&OriginKind::Stored) || above.peek().is_some() && above.all(stored)
}

/// Whether what a later write changes was written before the dispatch, on every way to it, or the key of the dispatch was.
fn is_prepared(function: &FunctionOps, at: usize, later: usize) -> bool {
    let (dispatch, write) = (function.event(at), function.event(later));
    let tables = function.changed_tables(later);
    function.writes().any(|(before, earlier)| {
        let earlier_tables = function.changed_tables(before);
        let same = match earlier_tables.is_empty() || tables.is_empty() {
            // Of a model that saves itself the function tells which it is.
            true => {
                earlier.function == write.function
                    || earlier_tables.is_empty() && tables.is_empty() && earlier.via.is_empty()
            }
            false => earlier_tables.iter().any(|table| tables.contains(table)),
        };
        (same || holds_key(earlier, dispatch) || claims(function, before, dispatch))
            && surely_before(&function.facts, before, at)
    })
}

/// Whether a write has taken the row that somebody is told of out of its state, and the answer is looked at: that is durable,
/// and a repeat does not come so far. What is written after it is another matter.
fn claims(function: &FunctionOps, before: usize, dispatch: &EventFact) -> bool {
    let claim = function.event(before);
    let taken = |statement: &Statement| statement.kind == Kind::Update && statement.moves_on();
    is_told(dispatch)
        && claim.usage == Usage::Used
        && related(claim, dispatch)
        && function.statements(before).iter().any(taken)
}

/// Whether the key of a dispatch is among what a write stores.
fn holds_key(write: &EventFact, dispatch: &EventFact) -> bool {
    let EventFactKind::Dispatch { keyed: true, key, .. } = &dispatch.kind else {
        return false;
    };
    let says = |origin: &&OriginKind| !matches!(origin, OriginKind::Constant(_) | OriginKind::Opaque(_));
    let parts: Vec<OriginKind> = key.origins.iter().filter(says).cloned().collect();
    matches!(write.kind, EventFactKind::Sql { .. }) && write.stores(&parts)
}

/// Whether a call acts for each of several things that it finds itself, and the write is below another call: that one has a
/// task of its own.
fn is_one_of_many(function: &FunctionOps, dispatch: &EventFact, write: &EventFact) -> bool {
    let own = |at: &Span| function.facts.body.covers(*at);
    let each = |(at, role): &(Span, Role)| matches!(role, Role::Each { .. }) && !own(at);
    !write.via.is_empty() && dispatch.regions.iter().any(each) && !write.stores_answer(dispatch)
}

/// Whether the call that leads to a dispatch leads to a like write, too: what another call of the same function stores is the
/// record of what that one did.
fn has_its_own(function: &FunctionOps, dispatch: &EventFact, write: &EventFact) -> bool {
    let Some(call) = dispatch.via.first() else {
        return false;
    };
    write.via.first() != Some(call)
        && function.writes().any(|(_, own)| own.span == write.span && own.via.first() == Some(call))
}

/// The first write that follows in this function without having been prepared, on a way on which the dispatch has not
/// failed.
fn later_write<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<(usize, &'a EventFact)> {
    let dispatch = function.event(at);
    let detached = |event: &EventFact| event.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    function.writes().find(|(write_at, write)| {
        *write_at > at
            && meets(dispatch, write)
            && may_follow(&function.facts, at, *write_at)
            && write.via.len() <= NEAR
            && (write.stores_answer(dispatch) || always_follows(&function.facts, dispatch, write))
            && (detached(dispatch) || !detached(write))
            && related(dispatch, write)
            && !is_one_of_many(function, dispatch, write)
            && !has_its_own(function, dispatch, write)
            && in_doubt(&function.facts, write, dispatch).is_none()
            // What is written where it was refused is no record of it.
            && outcomes_at(&function.facts, write, dispatch.span).has(Outcomes::CONFIRMED)
            && !is_prepared(function, at, *write_at)
            && !is_beside_prepared(function, at, write)
            && !is_copied(facts, write)
    })
}

/// Whether the call that a write is below writes something else that was prepared: that is the record, and what it changes
/// beside that follows from the outcome.
fn is_beside_prepared(function: &FunctionOps, at: usize, write: &EventFact) -> bool {
    let one_call = |other: &EventFact| !write.via.is_empty() && other.via.first() == write.via.first();
    function.writes().any(|(other, event)| other > at && one_call(event) && is_prepared(function, at, other))
}
