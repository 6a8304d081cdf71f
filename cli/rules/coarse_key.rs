//! `coarse-key`: distinct intents have one key.

use super::dispatches::{about_key, key_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{KeyVerdict, OriginKind, Recognition};

pub(super) const RULE: Rule = Rule {
    name: "coarse-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key that distinct intents share: constant, or only tenant, user, amount, date, order",
    doc: include_str!("coarse_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        if key.verdict != KeyVerdict::Coarse || dispatch.harmless {
            continue;
        }
        // Where a contract says which parts are missing, that is said instead.
        if super::key_mismatch::difference(facts, dispatch).is_some() {
            continue;
        }
        let inputs: Vec<String> = key
            .origins
            .iter()
            .filter_map(|origin| match &origin.kind {
                OriginKind::Input(name) => Some(format!("`{name}`")),
                _ => None,
            })
            .collect();
        let made_of = match inputs.is_empty() {
            true => "is always the same".to_owned(),
            false => format!("says only {}", inputs.join(", ")),
        };
        let message = format!(
            "{} {made_of}: a second, different intent gets the answer to the first and never happens",
            key_of(dispatch)
        );
        let help =
            "put into the key what makes the intent one of its kind, such as the id of the order or of the request";
        let declared = dispatch.handler.is_some() && inputs.is_empty();
        // A key with no dispatch in sight may be part of one.
        let most = match dispatch.recognition {
            Recognition::FreeStanding => Confidence::Possible,
            _ if declared => Confidence::Certain,
            _ => Confidence::Likely,
        };
        let confidence = key.confidence.min(most);
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}
