//! `unproven-key`: a key that could not be followed to where it comes from.

use std::collections::BTreeSet;

use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::{KeyVerdict, OriginKind};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unproven-key",
    group: Group::Coverage,
    default_level: Level::Note,
    summary: "a key that could not be followed to its origin",
    doc: include_str!("unproven_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut seen: BTreeSet<(Span, String)> = BTreeSet::new();
    for fact in &facts.flow.dispatches {
        if fact.key.verdict != KeyVerdict::Unproven || fact.harmless {
            continue;
        }
        let opaque = fact.key.origins.iter().find_map(|origin| match &origin.kind {
            OriginKind::Opaque(reason) => Some((reason.as_str(), &origin.path)),
            _ => None,
        });
        let (reason, way) = match opaque {
            Some((reason, path)) => (reason, path.as_slice()),
            None => ("its way could not be followed", [].as_slice()),
        };
        let span = fact.key.position.unwrap_or(fact.site);
        if !seen.insert((span, reason.to_owned())) {
            continue;
        }
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Certain,
            message: format!(
                "the key{} is unproven, {reason}: whether it is the same for every attempt is not known",
                if fact.call.is_empty() { String::new() } else { format!(" of `{}`", fact.call) }
            ),
            help:
                "say what the call on its way gives with `[[origin]]` in `effects.toml`, or make the key from values \
                   that can be followed"
                    .into(),
            place: Place::Source(span),
            path: way.iter().map(|(span, note)| Step { place: Place::Source(*span), note: note.clone() }).collect(),
            handler: Some(facts.program.function(fact.handler.unwrap_or(fact.function)).path.to_string()),
            detail: vec![("reason", reason.to_owned())],
        });
    }
}
