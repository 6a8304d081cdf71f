//! `unknown-without-exit`: an outcome that nobody ever decides.

use effect_contracts_grammar::State;

use super::on_contract::at_field;
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, HandlerContract};
use crate::findings::Level;
use crate::guarantee::has_lookup;

pub(super) const RULE: Rule = Rule {
    name: "unknown-without-exit",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "neither a lookup nor an operator ends an unknown outcome",
    doc: include_str!("unknown_without_exit.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let Some(stuck) = stuck(contract) else {
            continue;
        };
        let (field, message) = match stuck {
            Stuck::Terminal => (
                Field::Terminal,
                "`unknown` is declared terminal and no operator is named: whether the effect happened is never decided",
            ),
            Stuck::Nowhere => (
                Field::Reconcile,
                "neither a lookup nor an operator ends an unknown outcome: whether the effect happened is never decided",
            ),
        };
        sink.report(at_field(
            RULE.name,
            contract,
            field,
            message.into(),
            "name who decides an outcome that stays unknown as `operator`, or a lookup as `reconcile`".into(),
        ));
    }
}

/// Why an unknown outcome has no exit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stuck {
    /// it is declared terminal
    Terminal,
    /// nothing leads out of it
    Nowhere,
}

fn stuck(contract: &HandlerContract) -> Option<Stuck> {
    let given = &contract.contract;
    let has_operator = given.operator.as_deref().is_some_and(|operator| !operator.trim().is_empty());
    if has_operator {
        return None;
    }
    let mut terminal = given.terminal.iter().flatten();
    if terminal.any(|terminal| terminal.state == State::Unknown) {
        return Some(Stuck::Terminal);
    }
    (!has_lookup(given)).then_some(Stuck::Nowhere)
}

/// Whether this rule speaks of a contract: then nobody else says that the operator is missing.
pub(super) fn speaks_of(contract: &HandlerContract) -> bool {
    stuck(contract).is_some()
}
