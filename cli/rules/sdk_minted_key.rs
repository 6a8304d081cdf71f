//! `sdk-minted-key`: the library's own random key under something that calls it again.

use super::dispatches::{about_key, named};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::WithoutKey;
use crate::findings::{Confidence, Level};
use crate::flow::KeyVerdict;

pub(super) const RULE: Rule = Rule {
    name: "sdk-minted-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "no key is given, and the random one that the library makes does not outlive the call",
    doc: include_str!("sdk_minted_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let minted = matches!(dispatch.without_key, WithoutKey::MintedPerCall | WithoutKey::MintedPerSend);
        if dispatch.key.verdict != KeyVerdict::Missing || dispatch.harmless || !minted {
            continue;
        }
        let (confidence, again) = match (&dispatch.repeated, dispatch.handler) {
            (Some(scope), _) => (scope.confidence, format!("{} calls it again", scope.what)),
            (None, Some(_)) => (Confidence::Likely, "its handler runs again".to_owned()),
            (None, None) => (Confidence::Possible, "somebody calls it again".to_owned()),
        };
        let message = format!(
            "{} gets no key, and the random one that the library makes holds for one call only: when {again}, the provider sees another intent",
            named(dispatch)
        );
        let help = "give the library a key that is derived from the business intent";
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}
