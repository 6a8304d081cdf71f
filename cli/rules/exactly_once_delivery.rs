//! `exactly-once-delivery`: exactly once, with no boundary named in which that could hold.

use effect_contracts_grammar::Delivery;

use super::on_contract::at_field;
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "exactly-once-delivery",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "exactly-once delivery is claimed without a named boundary",
    doc: include_str!("exactly_once_delivery.md"),
    check,
    contract_error: true,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let claimed = match &contract.contract.delivery {
            Some(Delivery::ExactlyOnce) => true,
            Some(Delivery::ExactlyOnceWithin(boundary)) => boundary.trim().is_empty(),
            Some(Delivery::AtLeastOnce | Delivery::AtMostOnce) | None => false,
        };
        if claimed {
            sink.report(at_field(
                RULE.name,
                contract,
                Field::Delivery,
                "exactly once is claimed without a boundary: no queue can deliver once to a handler that acts outside \
                 its transaction"
                    .into(),
                "declare `at_least_once`, or name the transaction in which it holds: `exactly_once_within(\"…\")`"
                    .into(),
            ));
        }
    }
}
