//! `random-key-fallback`: on some path the key is replaced by a fresh one.

use super::dispatches::{about_key, key_of, origin_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{DispatchFact, EventFact, EventFactKind, KeyVerdict, OriginKind};

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
    let own_ids = facts.flow.own_ids.iter().filter(|known| is_sent(facts, known));
    for dispatch in facts.flow.dispatches.iter().chain(own_ids) {
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
        // A client that takes a key among the options of a call leaves it to its caller whether repeats are told apart.
        let left = key.origins.iter().any(|origin| is_option(facts, &origin.kind));
        let confidence = if left { Confidence::Possible } else { key.confidence };
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}

/// Whether a value is one of the options of a call: `options.request_id`.
fn is_option(facts: &Facts<'_>, kind: &OriginKind) -> bool {
    let names = &facts.catalog.words.option_names;
    match kind {
        OriginKind::Input(path) => path
            .as_str()
            .rsplit_once('.')
            .is_some_and(|(of, _)| names.iter().any(|name| of.rsplit('.').next() == Some(name))),
        _ => false,
    }
}

/// Whether whoever puts a request together with an id asks somebody to act with it, too.
fn is_sent(facts: &Facts<'_>, known: &DispatchFact) -> bool {
    let function = facts.operations.function(known.looks);
    let acts = |event: &EventFact| matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. });
    function
        .is_some_and(|function| function.events().any(|(_, event)| acts(event) && event.via.starts_with(&known.calls)))
}
