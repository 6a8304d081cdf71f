//! `per-attempt-key`: a key that is another one at each attempt.

use super::dispatches::{about_key, key_of, origin_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::Level;
use crate::flow::{DispatchFact, KeyVerdict, Recognition};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "per-attempt-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key that is made anew at each attempt, so that the provider cannot recognise a repeat",
    doc: include_str!("per_attempt_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        // Of a part of a payload `volatile-key-input` tells.
        let told = || is_told_later(facts, dispatch) || is_told_for_all(facts, dispatch);
        if key.verdict != KeyVerdict::PerAttempt || key.kept_over || key.payload || told() {
            continue;
        }
        let from = origin_of(key);
        let scope = match &key.scope {
            Some(scope) => format!("inside {}", scope.what),
            None => "made anew for each call".to_owned(),
        };
        let message = format!(
            "{} comes from {from}, {scope}: each attempt sends another key, and a repeat becomes a second effect",
            key_of(dispatch)
        );
        let help = "derive the key from the business intent (an order, an invoice), or make it once, store it before the dispatch and read it back";
        sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
    }
}

/// Whether the value is one that is told of where it is put into what a method with several implementations is handed: each
/// of them sends the same.
fn is_told_for_all(facts: &Facts<'_>, dispatch: &DispatchFact) -> bool {
    let lone = |fact: &&DispatchFact| fact.recognition == Recognition::FreeStanding;
    dispatch.chosen
        && facts.flow.dispatches.iter().filter(lone).any(|other| {
            other.key.verdict == KeyVerdict::PerAttempt
                && !other.chosen
                && !other.key.payload
                && other.key.confidence >= dispatch.key.confidence
                && made(dispatch).is_some_and(|at| made(other) == Some(at))
        })
}

/// Where the value that decides was made.
fn made(fact: &DispatchFact) -> Option<Span> {
    fact.key.origins.first().and_then(|origin| origin.path.first().map(|step| step.0))
}

/// Whether a request takes the same value further down in the function than one that is not in sight: before, it was only
/// signed or put aside.
fn is_told_later(facts: &Facts<'_>, dispatch: &DispatchFact) -> bool {
    let lone = |fact: &DispatchFact| fact.recognition == Recognition::FreeStanding;
    lone(dispatch)
        && facts.flow.dispatches.iter().any(|other| {
            other.key.verdict == KeyVerdict::PerAttempt
                && (other.function, other.looks, made(other)) == (dispatch.function, dispatch.looks, made(dispatch))
                && other.key.position.map(|at| at.range.start) > dispatch.key.position.map(|at| at.range.start)
        })
}
