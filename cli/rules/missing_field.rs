//! `missing-field`: a fact that the guarantee needs and nobody gave.

use super::on_contract::at_field;
use super::{Facts, Group, Rule, Sink, unknown_without_exit};
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Level, Place};

pub(super) const RULE: Rule = Rule {
    name: "missing-field",
    group: Group::Contract,
    default_level: Level::Warn,
    summary: "a contract lacks a field that its guarantee depends on",
    doc: include_str!("missing_field.md"),
    check,
    contract_error: false,
};

/// The fields that are reported if absent, and what is not known without them. `reconcile` has a rule of its own.
const NEEDED: [(Field, &str); 10] = [
    (Field::IntentKey, "what identifies the intent over all attempts"),
    (Field::ProviderWindow, "how long the provider recognises a repeat"),
    (Field::Terminal, "in which states nothing more happens"),
    (Field::Provider, "who acts, and what is promised there"),
    (Field::ReplayHorizon, "how late the same intent can come again, so that no window can be long enough"),
    (Field::Delivery, "whether the task can come twice or be lost"),
    (Field::Boundary, "which internal transaction is atomic"),
    (Field::Record, "which record decides when systems disagree"),
    (Field::EvidenceRetention, "whether the rows that recognise a repeat outlive the last replay"),
    (Field::Operator, "who decides an outcome that stays unknown"),
];

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        for (field, unknown) in NEEDED {
            if field.is_given(&contract.contract) || has_its_own_finding(field, contract) {
                continue;
            }
            let mut violation = at_field(
                RULE.name,
                contract,
                field,
                format!("`{}` is missing: it is not known {unknown}", field.name()),
                format!(
                    "add `{}` to the contract, or give it once for all in `[defaults]` of `effects.toml`",
                    field.name()
                ),
            );
            violation.place = heading(contract);
            violation.detail.push(("field", field.name().into()));
            sink.report(violation);
        }
    }
}

fn has_its_own_finding(field: Field, contract: &HandlerContract) -> bool {
    field == Field::Operator && unknown_without_exit::speaks_of(contract)
}

/// Where a field would stand.
fn heading(contract: &HandlerContract) -> Place {
    contract.place.clone()
}
