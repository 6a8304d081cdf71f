//! `volatile-key-input`: a key that also holds something that changes between attempts.

use super::dispatches::{about_key, key_of, origin_of};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{DispatchFact, KeyVerdict, OriginKind};

pub(super) const RULE: Rule = Rule {
    name: "volatile-key-input",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key over a payload with fields that change between attempts",
    doc: include_str!("volatile_key_input.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        in_payload(facts, dispatch, sink);
        if dispatch.key.verdict != KeyVerdict::Stable {
            continue;
        }
        let Some(input) = volatile(facts, dispatch) else {
            continue;
        };
        let message = format!(
            "{} holds `{input}`, which by its name lives for one attempt only: the next attempt has another key",
            key_of(dispatch)
        );
        let help = "leave it out of the key: the identity of the intent is enough";
        let confidence = dispatch.key.confidence.min(Confidence::Likely);
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}

/// A key over a whole that was serialised, of which a part is made anew for each attempt.
fn in_payload(facts: &Facts<'_>, dispatch: &DispatchFact, sink: &mut Sink) {
    let key = &dispatch.key;
    if key.verdict != KeyVerdict::PerAttempt || key.kept_over || !key.payload {
        return;
    }
    let from = origin_of(key);
    let message = format!(
        "{} is made of a payload in which something comes from {from}: each attempt has another payload, and another key",
        key_of(dispatch)
    );
    let help = "leave it out of what the key is made of, or take it from what is stored with the intent";
    sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
}

/// An input with a short-lived name beside one that names the intent.
fn volatile<'a>(facts: &Facts<'_>, dispatch: &'a DispatchFact) -> Option<&'a str> {
    let words = &facts.catalog.words;
    let inputs = dispatch.key.origins.iter().filter_map(|origin| match &origin.kind {
        OriginKind::Input(name) => Some(name.as_str()),
        _ => None,
    });
    let is_volatile = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        words.volatile_names.iter().any(|word| crate::flow::has_word(last, word))
    };
    let (short, rest): (Vec<_>, Vec<_>) = inputs.partition(|name| is_volatile(name));
    // A token alone may be the identity itself: a single-use token that stands for the intent.
    if rest.is_empty() { None } else { short.first().copied() }
}
