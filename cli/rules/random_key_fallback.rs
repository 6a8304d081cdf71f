//! `random-key-fallback`: on some path the key is replaced by a fresh one.

use super::dispatches::{about_key, key_of, origin_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::Level;
use crate::flow::KeyVerdict;

pub(super) const RULE: Rule = Rule {
    name: "random-key-fallback",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key that is replaced by a fresh one on some path",
    doc: include_str!("random_key_fallback.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        if key.verdict != KeyVerdict::RandomFallback {
            continue;
        }
        let from = origin_of(key);
        let message = format!(
            "on some path {} is replaced by {from}: those requests look like new intents each time they are repeated",
            key_of(dispatch)
        );
        let help = "refuse a request without a key, or derive the missing key from the business intent";
        sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
    }
}
