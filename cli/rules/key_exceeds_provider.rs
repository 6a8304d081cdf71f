//! `key-exceeds-provider`: a key that does not fit what the provider accepts.

use effect_contracts_grammar::{KeyPart, KeyTemplate};
use regex::Regex;

use super::dispatches::{about_key, key_of};
use super::on_contract::{at_field, provider_name};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::Recognition;
use crate::guarantee::provider_of;

pub(super) const RULE: Rule = Rule {
    name: "key-exceeds-provider",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "the key cannot fit the provider's length or character set",
    doc: include_str!("key_exceeds_provider.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    sent(facts, sink);
    cut(facts, sink);
    for contract in facts.contracts {
        let Some(provider) = provider_of(contract, facts.catalog) else {
            continue;
        };
        let Some(KeyTemplate::Template { parts, .. }) = &contract.contract.intent_key else {
            continue;
        };
        let least = least_length(parts);
        let violation = match (provider.key_max_len, &provider.key_pattern) {
            (Some(max), _) if least > u64::from(max) => Some(too_long(contract, least, max)),
            (_, Some(pattern)) if !some_key_matches(parts, pattern) => {
                let charset = provider.key_charset.as_deref().unwrap_or(pattern.as_str());
                Some(refused(contract, charset))
            }
            _ => None,
        };
        if let Some(violation) = violation {
            sink.report(violation);
        }
    }
}

/// Keys that are cut so short that a part of what tells intents apart is lost, whatever the values are.
fn cut(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let Some(at) = dispatch.key.cut else {
            continue;
        };
        let message = format!(
            "{} is cut on its way, and its last part never is in what is left: intents that differ only there have one key, and \
             the second is taken for a repeat of the first",
            key_of(dispatch)
        );
        let help = "send a hash of the whole key that fits, or leave fixed parts out";
        let confidence = match dispatch.recognition {
            Recognition::Declared | Recognition::Catalog => Confidence::Certain,
            _ => Confidence::Likely,
        };
        let mut violation = about_key(facts, RULE.name, dispatch, confidence, message, help);
        violation.path.insert(0, Step { place: Place::Source(at), note: "it is cut here".to_owned() });
        sink.report(violation);
    }
}

/// Keys as the code puts them together.
fn sent(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let Some((least, at)) = dispatch.key.least_length else {
            continue;
        };
        let of_contract = || {
            let handler = dispatch.handler?;
            let contract = facts.contracts.iter().find(|contract| contract.bodies.contains(&handler))?;
            provider_of(contract, facts.catalog)
        };
        let provider = dispatch.provider.as_deref().and_then(|id| facts.catalog.provider(id)).or_else(of_contract);
        let Some((provider, max)) = provider.and_then(|provider| Some((provider, provider.key_max_len?))) else {
            continue;
        };
        if least <= max || dispatch.recognition == Recognition::FreeStanding {
            continue;
        }
        let message = format!(
            "{} has at least {least} characters, but {} takes {max}: the request is refused, or the key is cut and \
             intents collide",
            key_of(dispatch),
            provider.id
        );
        let help = "send a shorter hash of the parts, or fewer of them";
        let confidence = match dispatch.recognition {
            Recognition::Declared | Recognition::Catalog => Confidence::Certain,
            _ => Confidence::Likely,
        };
        let mut violation = about_key(facts, RULE.name, dispatch, confidence, message, help);
        let note = format!("at least {least} characters are put together here");
        violation.path.insert(0, Step { place: Place::Source(at), note });
        sink.report(violation);
    }
}

/// Characters of the shortest key: the fixed text, and one for each placeholder, since a key without it identifies
/// nothing.
fn least_length(parts: &[KeyPart]) -> u64 {
    parts
        .iter()
        .map(|part| match part {
            KeyPart::Text(text) => text.chars().count() as u64,
            KeyPart::Placeholder(_) => 1,
        })
        .sum()
}

fn too_long(contract: &HandlerContract, least: u64, max: u32) -> Violation {
    let provider = provider_name(contract);
    let mut violation = at_field(
        RULE.name,
        contract,
        Field::IntentKey,
        format!(
            "every key of this template has at least {least} characters, but {provider} takes {max}: the request is \
             refused, or the key is cut and intents collide"
        ),
        "shorten the fixed text, or send a hash of the key that fits".into(),
    );
    violation.detail.push(("least", least.to_string()));
    violation.detail.push(("max", max.to_string()));
    violation
}

fn refused(contract: &HandlerContract, charset: &str) -> Violation {
    let provider = provider_name(contract);
    at_field(
        RULE.name,
        contract,
        Field::IntentKey,
        format!(
            "no key of this template has the form that {provider} accepts ({charset}): the request is refused, or the \
             key is changed on its way"
        ),
        "use the characters that the provider accepts, or send a hash of the key in that form".into(),
    )
}

/// Whether the template can give a key that matches. Values that identifiers commonly have are tried for its
/// placeholders; if none of them fits, the fixed text is what does not.
fn some_key_matches(parts: &[KeyPart], pattern: &Regex) -> bool {
    const VALUES: [&str; 14] = [
        "1",
        "17",
        "1234",
        "12345678",
        "1234567890",
        "1234567890123456",
        "a",
        "A",
        "abcd",
        "deadbeef",
        "DEADBEEF",
        "0123456789abcdef0123456789abcdef",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
    ];
    let holes = parts.iter().filter(|part| matches!(part, KeyPart::Placeholder(_))).count();
    let key = |value: &str| -> String {
        parts
            .iter()
            .map(|part| match part {
                KeyPart::Text(text) => text.as_str(),
                KeyPart::Placeholder(_) => value,
            })
            .collect()
    };
    // with several placeholders their lengths can differ in more ways than are tried; what the pattern says of length
    // is then no reason to speak
    let tried = VALUES.iter().any(|value| pattern.is_match(&key(value)));
    tried || holes > 1 && VALUES.iter().any(|value| fits_piecewise(parts, pattern, value))
}

/// Whether each character of the fixed text occurs in some key that matches.
fn fits_piecewise(parts: &[KeyPart], pattern: &Regex, value: &str) -> bool {
    parts.iter().all(|part| match part {
        KeyPart::Placeholder(_) => true,
        KeyPart::Text(text) => {
            text.chars().all(|c| pattern.is_match(&format!("{value}{c}{value}")) || pattern.is_match(&c.to_string()))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(template: &str) -> Vec<KeyPart> {
        let mut parts = Vec::new();
        for (at, piece) in template.split(['{', '}']).enumerate() {
            if at % 2 == 1 {
                parts.push(KeyPart::Placeholder(piece.into()));
            } else if !piece.is_empty() {
                parts.push(KeyPart::Text(piece.into()));
            }
        }
        parts
    }

    fn matches(template: &str, pattern: &str) -> bool {
        some_key_matches(&parts(template), &Regex::new(pattern).expect("a pattern of the test"))
    }

    #[test]
    fn the_shortest_key_has_its_text_and_something_for_each_placeholder() {
        assert_eq!(least_length(&parts("pay-{a}-{b}")), 7);
        assert_eq!(least_length(&parts("größe/{a}")), 7);
    }

    #[test]
    fn fixed_text_outside_the_character_set_never_matches() {
        let letters = "^[A-Za-z0-9_-]{1,36}$";
        assert!(matches("pay-{id}", letters));
        assert!(matches("{id}", letters));
        assert!(!matches("pay/{id}", letters));
        assert!(!matches("pay {a} {b}", letters));
        assert!(matches("pay-{a}-{b}", letters));
        let uuid = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
        assert!(matches("{id}", uuid));
        assert!(!matches("charge-{id}", uuid));
    }
}
