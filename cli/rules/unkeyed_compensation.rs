//! `unkeyed-compensation`: a compensation that a repeat does twice.

use super::dispatches::{named, path_of};
use super::scene::has_any;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::{DispatchFact, KeyVerdict, Recognition};
use crate::resolve::Ty;

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
        let (true, false, Some(undoes)) = (unkeyed, dispatch.harmless, undoes(facts, dispatch)) else {
            continue;
        };
        let note = "what it undoes is sent with a key here";
        let undone = undoes.undone.map(|undone| Step { place: Place::Source(undone.site), note: note.to_owned() });
        sink.report(Violation {
            rule: RULE.name,
            confidence: undoes.confidence,
            message: format!(
                "{} undoes an effect and carries no key that is the same at the next attempt: a repeat undoes it twice",
                named(dispatch)
            ),
            help: "derive the key of the compensation from that of the effect it undoes".to_owned(),
            place: Place::Source(dispatch.key.position.unwrap_or(dispatch.site)),
            path: undone.into_iter().collect(),
            handler: Some(path_of(facts, dispatch.handler.unwrap_or(dispatch.function))),
            detail: vec![("call", dispatch.call.clone())],
        });
    }
}

/// Why a dispatch is taken for one that undoes an effect.
struct Undoes<'a> {
    confidence: Confidence,
    /// the effect that it undoes, where that is sent with a key
    undone: Option<&'a DispatchFact>,
}

/// Whether a dispatch undoes an effect: its handler's contract says so, its name in a handler that runs again, or the name
/// of the function around it where the same type sends with a key what it undoes.
fn undoes<'a>(facts: &Facts<'a>, dispatch: &DispatchFact) -> Option<Undoes<'a>> {
    let declared = dispatch.handler.is_some_and(|handler| {
        let mut contracts =
            facts.contracts.iter().filter(|known| known.function == handler || known.bodies.contains(&handler));
        contracts.any(|known| known.contract.compensates.is_some())
    });
    if declared {
        return Some(Undoes { confidence: Confidence::Certain, undone: None });
    }
    if !matches!(dispatch.recognition, Recognition::Declared | Recognition::Catalog) {
        return None;
    }
    let verbs = &facts.catalog.words.compensation_verbs;
    if dispatch.handler.is_some() && has_any(&dispatch.call, verbs) {
        return Some(Undoes { confidence: Confidence::Likely, undone: None });
    }
    let name = |dispatch: &DispatchFact| facts.program.function(dispatch.function).ir.name.as_str();
    let undone = facts.flow.dispatches.iter().find(|other| is_counterpart(facts, dispatch, other))?;
    has_any(name(dispatch), verbs).then_some(Undoes { confidence: Confidence::Likely, undone: Some(undone) })
}

/// Whether a method of the same type asks the same provider with a key that is the same at the next attempt.
fn is_counterpart(facts: &Facts<'_>, dispatch: &DispatchFact, other: &DispatchFact) -> bool {
    let (own, of) = (facts.program.function(dispatch.function), facts.program.function(other.function));
    let same_type = matches!(own.self_ty, Ty::Adt(..)) && own.self_ty == of.self_ty;
    same_type
        && dispatch.function != other.function
        && other.provider == dispatch.provider
        && host(other) == host(dispatch)
        && other.key.verdict == KeyVerdict::Stable
        && matches!(other.recognition, Recognition::Declared | Recognition::Catalog)
}

/// Where raw HTTP goes, as far as that is fixed.
fn host(dispatch: &DispatchFact) -> Option<&str> {
    dispatch.operation.split_once("://")?.1.split(['/', '?', ' ']).next()
}
