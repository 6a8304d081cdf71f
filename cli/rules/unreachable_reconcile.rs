//! `unreachable-reconcile`: the declared lookup is called from nowhere that handles this effect.

use effect_contracts_grammar::Remedy;

use super::dispatches::path_of;
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, functions_named};
use crate::findings::{Confidence, Level, Violation};
use crate::resolve::FnId;

pub(super) const RULE: Rule = Rule {
    name: "unreachable-reconcile",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "the declared lookup is called from nowhere",
    doc: include_str!("unreachable_reconcile.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let Some(Remedy::Path(path) | Remedy::Unchecked(path)) = &contract.contract.reconcile else {
            continue;
        };
        let lookups = functions_named(facts.program, contract.function, path);
        if lookups.is_empty() || lookups.iter().any(|&lookup| is_called(facts, lookup)) {
            continue;
        }
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Certain,
            message: format!(
                "the declared lookup `{path}` is called from nowhere: an unknown outcome of this effect is never looked up"
            ),
            help: "call the lookup where the outcome is unknown, before anything is sent again, or declare what really decides".to_owned(),
            place: contract.place_of(Field::Reconcile),
            path: Vec::new(),
            handler: Some(path_of(facts, contract.function)),
            detail: vec![("reconcile", path.clone())],
        });
    }
}

fn is_called(facts: &Facts<'_>, lookup: FnId) -> bool {
    !program_callers(facts, lookup).is_empty()
}

fn program_callers(facts: &Facts<'_>, lookup: FnId) -> Vec<FnId> {
    use crate::resolve::{Callee, ValueDef};
    let program = facts.program;
    let mentions = |id: &FnId| {
        let types = &program.function(*id).types;
        types.callees.iter().any(|(_, callee)| matches!(callee, Callee::Functions(ids) if ids.contains(&lookup)))
            || types.paths.iter().any(|(_, def)| matches!(def, ValueDef::Functions(ids) if ids.contains(&lookup)))
    };
    (0..program.functions.len() as u32).map(FnId).filter(|id| !program.function(*id).test).filter(mentions).collect()
}
