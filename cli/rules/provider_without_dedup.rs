//! `provider-without-dedup`: a key is claimed where nobody compares keys.

use effect_contracts_grammar::{Contract, Window};

use super::on_contract::{at_field, provider_name};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, HandlerContract};
use crate::findings::Level;
use crate::guarantee::{is_key_like, provider_of};

pub(super) const RULE: Rule = Rule {
    name: "provider-without-dedup",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "a deduplicating key is claimed for a provider that has none",
    doc: include_str!("provider_without_dedup.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let Some(provider) = provider_of(contract, facts.catalog) else {
            continue;
        };
        if is_key_like(provider.mechanism) {
            continue;
        }
        let Some(field) = claimed_by(contract) else {
            continue;
        };
        let name = provider_name(contract);
        let has = match provider.mechanism {
            effect_contracts_grammar::Mechanism::None => "has no deduplication".to_owned(),
            weak => format!("has only `{}`, which lets repeats through", weak.as_str()),
        };
        let mut violation = at_field(
            RULE.name,
            contract,
            field,
            format!(
                "the contract counts on {name} to recognise a repeat, but it {has}: a key sent there is only a label"
            ),
            "declare `provider_window = none` and `mechanism = none`, and make repeats rare on your side: persist the \
             intent first, ask before sending again"
                .into(),
        );
        violation.detail.push(("mechanism", provider.mechanism.as_str().into()));
        sink.report(violation);
    }
}

/// The field that claims deduplication: a key-like mechanism that somebody wrote, or any window.
fn claimed_by(contract: &HandlerContract) -> Option<Field> {
    let given: &Contract = &contract.contract;
    let mechanism = given.mechanism.filter(|_| contract.is_declared(Field::Mechanism));
    match (mechanism, &given.provider_window) {
        (Some(mechanism), _) if is_key_like(mechanism) => Some(Field::Mechanism),
        // a weak mechanism with a time of its own is an honest description
        (Some(_), _) => None,
        (None, Some(Window::None | Window::Unpublished) | None) => None,
        (None, Some(_)) => Some(Field::ProviderWindow),
    }
}
