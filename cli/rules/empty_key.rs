//! `empty-key`: on some path the key is empty.

use super::dispatches::{about_key, key_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::Level;
use crate::flow::KeyVerdict;

pub(super) const RULE: Rule = Rule {
    name: "empty-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key that is empty, blank or defaulted on some path",
    doc: include_str!("empty_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        if key.verdict != KeyVerdict::MayBeEmpty {
            continue;
        }
        let message = format!(
            "on some path {} is empty: providers ignore such a key or take all of them for one intent",
            key_of(dispatch)
        );
        let help = "refuse the request where the key is missing, and let the type say that it is never empty";
        sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
    }
}
