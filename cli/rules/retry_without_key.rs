//! `retry-without-key`: a dispatch is repeated, and nothing tells the repeat from a new intent.

use super::dispatches::{named, path_of};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::WithoutKey;
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::{DispatchFact, KeyVerdict, Recognition};

pub(super) const RULE: Rule = Rule {
    name: "retry-without-key",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "a dispatch is repeated with neither key nor lookup",
    doc: include_str!("retry_without_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let Some(found) = violation(facts, dispatch) else {
            continue;
        };
        sink.report(found);
    }
}

fn violation(facts: &Facts<'_>, dispatch: &DispatchFact) -> Option<Violation> {
    let scope = dispatch.repeated.as_ref()?;
    let keyless = matches!(dispatch.key.verdict, KeyVerdict::Missing | KeyVerdict::NotCarried);
    let minted = matches!(dispatch.without_key, WithoutKey::MintedPerCall | WithoutKey::MintedPerSend);
    if !keyless || dispatch.harmless || minted {
        return None;
    }
    // Of raw HTTP to an unknown address only the method says that something may happen there.
    let known = dispatch.recognition == Recognition::Declared || dispatch.provider.is_some();
    let confidence = if known { scope.confidence } else { scope.confidence.min(Confidence::Likely) };
    let carries = match dispatch.key.verdict {
        KeyVerdict::NotCarried => "that cannot carry a key",
        _ => "without a key",
    };
    Some(Violation {
        rule: RULE.name,
        confidence,
        message: format!(
            "{} repeats {}, {carries}: an attempt whose answer was lost has acted, and the next one acts again",
            scope.what,
            named(dispatch)
        ),
        help: "send a key that is the same over all attempts, or ask the provider what happened before asking it to act again".to_owned(),
        place: Place::Source(dispatch.site),
        path: vec![Step { place: Place::Source(scope.site), note: "repeated from here".to_owned() }],
        handler: Some(path_of(facts, dispatch.handler.unwrap_or(dispatch.function))),
        detail: vec![("call", dispatch.call.clone())],
    })
}
