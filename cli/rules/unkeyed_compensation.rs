//! `unkeyed-compensation`: a compensation that a repeat does twice.

use super::dispatches::{named, path_of};
use super::scene::has_any;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Violation};
use crate::flow::{DispatchFact, KeyVerdict, Recognition};

pub(super) const RULE: Rule = Rule {
    name: "unkeyed-compensation",
    group: Group::Order,
    default_level: Level::Warn,
    summary: "a compensation is not idempotent",
    doc: include_str!("unkeyed_compensation.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let unkeyed =
            matches!(dispatch.key.verdict, KeyVerdict::Missing | KeyVerdict::NotCarried | KeyVerdict::PerAttempt);
        let (true, false, Some(confidence)) = (unkeyed, dispatch.harmless, undoes(facts, dispatch)) else {
            continue;
        };
        sink.report(Violation {
            rule: RULE.name,
            confidence,
            message: format!(
                "{} undoes an effect and carries no key that is the same at the next attempt: a repeat undoes it twice",
                named(dispatch)
            ),
            help: "derive the key of the compensation from that of the effect it undoes".to_owned(),
            place: Place::Source(dispatch.key.position.unwrap_or(dispatch.site)),
            path: Vec::new(),
            handler: Some(path_of(facts, dispatch.handler.unwrap_or(dispatch.function))),
            detail: vec![("call", dispatch.call.clone())],
        });
    }
}

/// Whether a dispatch undoes an effect: its handler's contract says so, or its name in a handler that runs again.
fn undoes(facts: &Facts<'_>, dispatch: &DispatchFact) -> Option<Confidence> {
    let handler = dispatch.handler?;
    let declared = facts.contracts.iter().any(|contract| {
        (contract.function == handler || contract.bodies.contains(&handler)) && contract.contract.compensates.is_some()
    });
    if declared {
        return Some(Confidence::Certain);
    }
    let sure = matches!(dispatch.recognition, Recognition::Declared | Recognition::Catalog);
    (sure && has_any(&dispatch.call, &facts.catalog.words.compensation_verbs)).then_some(Confidence::Likely)
}
