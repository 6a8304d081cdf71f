//! `conflicting-contract`: attribute and `[[effect]]` say different things.

use super::on_contract::{at_field, steps};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Level, Step};

pub(super) const RULE: Rule = Rule {
    name: "conflicting-contract",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "attribute and `[[effect]]` give a field different values",
    doc: include_str!("conflicting_contract.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        for conflict in &contract.conflicts {
            let name = conflict.field.name();
            let (ours, attribute) = &conflict.attribute;
            let (theirs, effect) = &conflict.effect;
            let mut violation = at_field(
                RULE.name,
                contract,
                conflict.field,
                format!(
                    "`{name}` is `{theirs}` in `[[effect]]` and `{ours}` in the attribute: the attribute counts, and \
                     whoever reads the other is misled"
                ),
                "write the fact once: drop it from the attribute or from `[[effect]]`".into(),
            );
            violation.place = effect.clone();
            violation.path = steps(
                &violation.place,
                [Step { place: attribute.clone(), note: format!("the attribute says `{ours}`") }],
            );
            violation.detail.push(("field", name.into()));
            sink.report(violation);
        }
    }
}
