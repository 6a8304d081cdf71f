//! `retention-below-replay`: rows that recognise a repeat are kept for less than the replay horizon.

use effect_contracts_grammar::duration;

use std::time::Duration;

use super::on_contract::{at_field, step, steps};
use super::scene::{self, here, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::Table;
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFactKind, ValueFact};
use crate::operations::{FunctionOps, TableRole};
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
    facts.operations.functions.iter().for_each(|function| purged(facts, function, sink));
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
fn purged(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.writes().filter(|(_, event)| event.via.is_empty()) {
        let EventFactKind::Sql { binds, .. } = &event.kind else {
            continue;
        };
        for statement in function.statements(at).iter().filter(|statement| statement.kind == Kind::Delete) {
            let Some(table) = statement.table.as_deref() else {
                continue;
            };
            let Some((TableRole::Inbox | TableRole::Ledger, _)) = facts.operations.tables.role(table) else {
                continue;
            };
            let Some(horizon) = horizon_of(facts, table) else {
                continue;
            };
            let created = facts.operations.tables.columns(table, "created");
            let kept = statement.conditions.iter().filter(|condition| !condition.equal).find_map(|condition| {
                let aged = created.is_empty() || created.contains(&condition.column);
                match (&condition.against, aged) {
                    (Set::Placeholder(number), true) => age(binds.get(*number)?),
                    (Set::Age(text), true) => duration::parse(text).ok(),
                    _ => None,
                }
            });
            let Some(kept) = kept.filter(|kept| *kept < horizon) else {
                continue;
            };
            let message = format!(
                "rows of `{table}` are deleted here after {}, but the intent can come again until {} after first dispatch: after \
                 that an old duplicate is new",
                duration::display(kept),
                duration::display(horizon)
            );
            let help = "keep them for at least as long as the intent can come again";
            let steps = scene::step(event, "the rows are deleted here");
            let place = (message, help);
            let confidence = Confidence::Certain;
            sink.report(violation(facts, function, RULE.name, confidence, here(event), place, steps));
        }
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
