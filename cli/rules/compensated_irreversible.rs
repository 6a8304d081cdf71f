//! `compensated-irreversible`: an effect that cannot be undone, with an undo.

use effect_contracts_grammar::Remedy;

use super::on_contract::{at_field, is_compensated_by, step, steps};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "compensated-irreversible",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "an effect is declared irreversible and compensated",
    doc: include_str!("compensated_irreversible.md"),
    check,
    contract_error: true,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let given = &contract.contract;
        if given.irreversible != Some(true) {
            continue;
        }
        let own = matches!(given.compensate, Some(Remedy::Path(_) | Remedy::Unchecked(_)));
        let other = facts.contracts.iter().find(|other| is_compensated_by(contract, other));
        let (field, by) = match (own, other) {
            (true, _) => (Field::Compensate, "its own `compensate`".to_owned()),
            (false, Some(other)) => (Field::Irreversible, format!("`{}`", other.handler)),
            (false, None) => continue,
        };
        let mut violation = at_field(
            RULE.name,
            contract,
            field,
            format!(
                "the effect is declared irreversible, but {by} claims to undo it: one of the two is wrong, and whoever \
                 relies on the undo is left with the effect"
            ),
            "drop `irreversible` if the provider can take the effect back, else drop the compensation and do the step \
             last"
                .into(),
        );
        let other_step = other.filter(|_| !own).map(|other| step(other, Field::Compensates, "the compensation"));
        let own_step = step(contract, Field::Irreversible, "declared irreversible here");
        violation.path = steps(&violation.place, [Some(own_step), other_step].into_iter().flatten());
        sink.report(violation);
    }
}
