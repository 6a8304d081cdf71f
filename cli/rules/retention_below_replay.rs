//! `retention-below-replay`: rows that recognise a repeat are kept for less than the replay horizon.

use effect_contracts_grammar::duration;

use std::time::Duration;

use super::on_contract::{at_field, step, steps};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::Table;
use crate::contracts::{Field, HandlerContract};
use crate::findings::Level;

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
    let names = |text: &Option<String>| {
        text.as_deref().is_some_and(|text| text.rsplit(['.', ':', ' ']).next() == Some(last_segment(&table.name)))
    };
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
