//! `compensation-as-defence`: undoing duplicates instead of preventing them.

use effect_contracts_grammar::{Remedy, Window};

use super::on_contract::{at_field, is_compensated_by, step, steps};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;
use crate::guarantee::{has_lookup, provider_of};

pub(super) const RULE: Rule = Rule {
    name: "compensation-as-defence",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "a compensation is the only defence: there is neither a deduplicating key nor a lookup",
    doc: include_str!("compensation_as_defence.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for (contract, guarantee) in facts.contracts.iter().zip(facts.guarantees) {
        let given = &contract.contract;
        let own = matches!(given.compensate, Some(Remedy::Path(_) | Remedy::Unchecked(_)));
        let other = facts.contracts.iter().find(|other| is_compensated_by(contract, other));
        let deduplicates = guarantee.promise.is_key_like()
            && given.provider_window != Some(Window::None)
            && (given.provider_window.is_some() || provider_of(contract, facts.catalog).is_some());
        let absolute = guarantee.promise.mechanism == effect_contracts_grammar::Mechanism::AbsoluteWrite;
        if !(own || other.is_some()) || deduplicates || absolute || has_lookup(given) {
            continue;
        }
        let mut violation = at_field(
            RULE.name,
            contract,
            Field::Compensate,
            "the compensation is the only defence against a duplicate: it can fail itself, and until it has run the \
             duplicate is visible"
                .into(),
            "send a stable key that the provider deduplicates, or look the effect up by it before repeating; keep the \
             compensation as a backstop"
                .into(),
        );
        if let (false, Some(other)) = (own, other) {
            violation.path =
                steps(&violation.place, [step(other, Field::Compensates, "this handler compensates the effect")]);
        }
        sink.report(violation);
    }
}
