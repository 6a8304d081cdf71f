//! `missing-reconcile`: an unknown outcome, and nothing to ask.

use effect_contracts_grammar::Mechanism;

use super::on_contract::{at_field, provider_name};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;
use crate::guarantee::provider_of;

pub(super) const RULE: Rule = Rule {
    name: "missing-reconcile",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "the provider can leave the outcome unknown, and no lookup is declared",
    doc: include_str!("missing_reconcile.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for (contract, guarantee) in facts.contracts.iter().zip(facts.guarantees) {
        let resolved_by_itself = matches!(
            guarantee.promise.mechanism,
            // committed with the state or not at all; or set to the same value again
            Mechanism::Transaction | Mechanism::AbsoluteWrite
        );
        if contract.contract.reconcile.is_some() || resolved_by_itself {
            continue;
        }
        let name = provider_name(contract);
        let lookup = provider_of(contract, facts.catalog)
            .and_then(|provider| provider.lookup_by.as_deref())
            .map_or_else(String::new, |by| format!(" ({name} can be asked by {by})"));
        sink.report(at_field(
            RULE.name,
            contract,
            Field::Reconcile,
            format!(
                "a timeout at {name} leaves the outcome unknown, and no lookup is declared: retrying may repeat the \
                 effect, failing may hide it"
            ),
            format!(
                "name the lookup by the intent key as `reconcile`{lookup}, or say why there is none: \
                 `reconcile = none(\"…\")`"
            ),
        ));
    }
}
