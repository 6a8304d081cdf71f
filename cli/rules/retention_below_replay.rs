//! `retention-below-replay`: rows that recognise a repeat are kept for less than the replay horizon.

use effect_contracts_grammar::duration;

use std::time::Duration;

use super::on_contract::{at_field, step, steps};
use super::scene::{self, here, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::Table;
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Usage, ValueFact};
use crate::operations::{FunctionOps, TableRole};
use crate::resolve::FnId;
use crate::sql::{Kind, Set};

pub(super) const RULE: Rule = Rule {
    name: "retention-below-replay",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "ledger, inbox or evidence rows are kept for less than the replay horizon",
    doc: include_str!("retention_below_replay.md"),
    check,
    contract_error: true,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, event) in function.writes() {
            // Where a function is told how long to keep them, whoever tells it is at fault.
            let handed = || event.through.last().is_some_and(|nearest| is_told_below(facts, *nearest, event));
            if event.via.is_empty() || event.via.len() == 1 && !handed() {
                purged(facts, function, at, sink);
            }
        }
    }
    for contract in facts.contracts {
        let Some(horizon) = contract.contract.replay_horizon else {
            continue;
        };
        if let Some(kept) = contract.contract.evidence_retention {
            if kept < horizon {
                report(contract, Field::EvidenceRetention, "the evidence", kept, horizon, sink);
                continue;
            }
        }
        for table in &facts.catalog.tables {
            let Some(kept) = table.retention.filter(|kept| *kept < horizon) else {
                continue;
            };
            if let Some(field) = field_that_names(contract, table) {
                let what = format!("table `{}`", table.name);
                report(contract, field, &what, kept, horizon, sink);
            }
        }
    }
}

/// The field by which a contract relies on a table that recognises repeats.
fn field_that_names(contract: &HandlerContract, table: &Table) -> Option<Field> {
    if !matches!(table.role.as_deref(), Some("ledger" | "inbox")) {
        return None;
    }
    relied_on(contract, last_segment(&table.name))
}

/// The field in which a contract names a table, given without its schema.
fn relied_on(contract: &HandlerContract, table: &str) -> Option<Field> {
    let names =
        |text: &Option<String>| text.as_deref().is_some_and(|text| text.rsplit(['.', ':', ' ']).next() == Some(table));
    if names(&contract.contract.record) {
        Some(Field::Record)
    } else if names(&contract.contract.boundary) {
        Some(Field::Boundary)
    } else {
        None
    }
}

/// The table's name without its schema.
fn last_segment(table: &str) -> &str {
    table.rsplit('.').next().unwrap_or(table)
}

fn report(contract: &HandlerContract, field: Field, what: &str, kept: Duration, horizon: Duration, sink: &mut Sink) {
    let mut violation = at_field(
        RULE.name,
        contract,
        field,
        format!(
            "{what} is kept for {}, but the intent can come again until {} after first dispatch: after that an old \
             duplicate is new",
            duration::display(kept),
            duration::display(horizon)
        ),
        format!(
            "keep it for at least {}, or shorten what can replay the intent and lower `replay_horizon`",
            duration::display(horizon)
        ),
    );
    violation.detail.push(("kept", duration::display(kept)));
    violation.detail.push(("horizon", duration::display(horizon)));
    violation.path = steps(
        &violation.place,
        [step(
            contract,
            Field::ReplayHorizon,
            format!("the intent can come again until {} after first dispatch", duration::display(horizon)),
        )],
    );
    sink.report(violation);
}

/// Rows that recognise repeats, deleted by code when they are older than a constant.
fn purged(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    for (table, kept) in kept_for(facts, function, at) {
        let Some(horizon) = horizon_of(facts, table).filter(|horizon| kept < *horizon && recognises(facts, table))
        else {
            continue;
        };
        let event = function.event(at);
        let message = format!(
            "rows of `{table}` are deleted here after {}, but the intent can come again until {} after first dispatch: after \
             that an old duplicate is new",
            duration::display(kept),
            duration::display(horizon)
        );
        let help = "keep them for at least as long as the intent can come again";
        let steps = scene::step(event, "the rows are deleted here");
        let place = (message, help);
        // That a table tells repeats may only be seen by what is done with it.
        let confidence = match facts.operations.tables.role(table) {
            Some(_) => Confidence::Certain,
            None => Confidence::Likely,
        };
        sink.report(violation(facts, function, RULE.name, confidence, here(event), place, steps));
    }
}

/// The tables whose rows an operation deletes by their age, and after how long, as far as that is a constant.
fn kept_for<'a>(
    facts: &'a Facts<'_>,
    function: &'a FunctionOps,
    at: usize,
) -> impl Iterator<Item = (&'a str, Duration)> {
    let binds = match &function.event(at).kind {
        EventFactKind::Sql { binds, .. } => binds.as_slice(),
        _ => &[],
    };
    let statements = function.statements(at);
    statements.iter().filter(|statement| statement.kind == Kind::Delete).filter_map(move |statement| {
        let table = statement.table.as_deref()?;
        let created = facts.operations.tables.columns(table, "created");
        // What a query in front of the deletion picks, it deletes.
        let queries = statements.iter().filter(|other| other.kind == Kind::Select && other.table == statement.table);
        let asked = statement.conditions.iter().chain(&statement.picked);
        let mut asked = asked.chain(queries.flat_map(|query| &query.conditions)).filter(|condition| !condition.equal);
        let kept = asked.find_map(|condition| {
            let aged = created.is_empty() || created.contains(&condition.column);
            match (&condition.against, aged) {
                (Set::Placeholder(number), true) => age(binds.get(*number)?),
                (Set::Age(text), true) => duration::parse(text).ok(),
                (Set::AgeOf(number, unit), true) => scene::duration(binds.get(*number)?, Some(unit)),
                _ => None,
            }
        })?;
        Some((table, kept))
    })
}

/// Whether the function in which an operation stands knows by itself how long the rows are kept.
fn is_told_below(facts: &Facts<'_>, below: FnId, event: &EventFact) -> bool {
    facts.operations.function(below).is_some_and(|function| {
        function.position(event, &[]).is_some_and(|at| kept_for(facts, function, at).next().is_some())
    })
}

/// Whether a table tells repeats: by configuration or its name, or because a handler whose tasks come again takes each of
/// them once by a row in it.
fn recognises(facts: &Facts<'_>, table: &str) -> bool {
    match facts.operations.tables.role(table) {
        Some((role, _)) => matches!(role, TableRole::Inbox | TableRole::Ledger),
        None => facts.operations.functions.iter().any(|function| {
            let again = function.facts.handler.as_ref().is_some_and(|handler| handler.horizon.is_some());
            let takes = |(at, event): (usize, &EventFact)| {
                function.is_insert(at)
                    && function.is_claim(at)
                    && event.usage == Usage::Used
                    && function.changed_tables(at).contains(&table)
            };
            again && function.writes().any(takes)
        }),
    }
}

/// How long an intent that a table recognises can come again: by the contracts that name the table, by the handlers that
/// write to it, or by default.
fn horizon_of(facts: &Facts<'_>, table: &str) -> Option<Duration> {
    let names = |contract: &&HandlerContract| relied_on(contract, table).is_some();
    let declared = facts.contracts.iter().filter(names).filter_map(|contract| contract.contract.replay_horizon).max();
    let by_handler = || {
        let functions = facts.operations.functions.iter();
        let writers = functions.filter(|function| {
            function.writes().any(|(at, _)| function.is_insert(at) && function.changed_tables(at).contains(&table))
        });
        writers.filter_map(|function| function.facts.handler.as_ref()?.horizon).max()
    };
    declared.or_else(by_handler).or_else(|| facts.config.defaults.all.as_ref()?.contract.replay_horizon)
}

/// The one length of time in a value: `now - 7d`.
fn age(value: &ValueFact) -> Option<Duration> {
    let mut found = value.texts().filter(|text| !text.bytes().all(|byte| byte.is_ascii_digit()));
    found.find_map(|text| duration::parse(text).ok())
}
