//! What the rules about keys have in common: words for origins and scopes, and the shape of their findings.

use super::Facts;
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::{DispatchFact, KeyFact, OriginFact, OriginKind};
use crate::resolve::FnId;

/// Whether a dispatch carries a key on some path: what was followed to its origins there, and is not absent.
pub(super) fn is_partly_keyed(dispatch: &DispatchFact) -> bool {
    let origins = &mut dispatch.key.origins.iter();
    origins.any(|origin| !matches!(origin.kind, OriginKind::Absent | OriginKind::Opaque(_)))
}

/// The path of a function as people know it.
pub(super) fn path_of(facts: &Facts<'_>, function: FnId) -> String {
    facts.program.function(function).path.to_string()
}

/// A violation about the key of a dispatch, at the key's position, with the way of its decisive origin.
pub(super) fn about_key(
    facts: &Facts<'_>,
    rule: &'static str,
    dispatch: &DispatchFact,
    confidence: Confidence,
    message: String,
    help: &str,
) -> Violation {
    let origin = dispatch.key.origins.first();
    let place = dispatch.key.position.unwrap_or(dispatch.site);
    Violation {
        rule,
        confidence,
        message,
        help: help.to_owned(),
        place: Place::Source(place),
        path: origin.map(steps).unwrap_or_default(),
        handler: Some(path_of(facts, dispatch.handler.unwrap_or(dispatch.function))),
        detail: origin.map(|origin| ("origin", word(&origin.kind))).into_iter().collect(),
    }
}

/// The way of an origin as steps.
pub(super) fn steps(origin: &OriginFact) -> Vec<Step> {
    origin.path.iter().map(|(span, note)| Step { place: Place::Source(*span), note: note.clone() }).collect()
}

/// The call for people: `send` to stripe-v1, `post` to `/orders`.
pub(super) fn named(dispatch: &DispatchFact) -> String {
    match (dispatch.call.as_str(), &dispatch.provider, &dispatch.address) {
        ("", ..) => "the request that carries this key".to_owned(),
        (call, Some(provider), _) => format!("`{call}` to {provider}"),
        (call, None, Some(address)) => format!("`{call}` to `{address}`"),
        (call, None, None) => format!("`{call}`"),
    }
}

/// Its key for people. Of a request that is not in sight there is only the key.
pub(super) fn key_of(dispatch: &DispatchFact) -> String {
    match dispatch.call.is_empty() {
        true => "the key that is set here".to_owned(),
        false => format!("the key of {}", named(dispatch)),
    }
}

/// One word for an origin, for machines.
pub(super) fn word(kind: &OriginKind) -> String {
    match kind {
        OriginKind::Constant(_) => "constant".to_owned(),
        OriginKind::Input(_) => "input".to_owned(),
        OriginKind::Stored => "stored".to_owned(),
        OriginKind::Durable => "durable".to_owned(),
        OriginKind::Fresh(kind) => fresh_word(*kind).to_owned(),
        OriginKind::Attempt(what) => format!("attempt-{what}"),
        OriginKind::Empty => "empty".to_owned(),
        OriginKind::Absent => "absent".to_owned(),
        OriginKind::Opaque(_) => "opaque".to_owned(),
    }
}

fn fresh_word(kind: FreshKind) -> &'static str {
    match kind {
        FreshKind::Random => "random",
        FreshKind::Clock => "clock",
        FreshKind::Counter => "counter",
        FreshKind::Process => "process",
        FreshKind::Address => "address",
        FreshKind::MapOrder => "map-order",
    }
}

/// The decisive origin of a key, for people; nothing where it has none.
pub(super) fn origin_of(key: &KeyFact) -> String {
    key.origins.first().map_or_else(String::new, |origin| described(&origin.kind))
}

/// What an origin is, for people, as in "comes from …".
pub(super) fn described(kind: &OriginKind) -> String {
    match kind {
        OriginKind::Constant(_) => "a constant".to_owned(),
        OriginKind::Input(name) => format!("the input `{name}`"),
        OriginKind::Stored => "a stored row".to_owned(),
        OriginKind::Durable => "a journaled value".to_owned(),
        OriginKind::Fresh(FreshKind::Random) => "a random value".to_owned(),
        OriginKind::Fresh(FreshKind::Clock) => "the clock".to_owned(),
        OriginKind::Fresh(FreshKind::Counter) => "a counter of this process".to_owned(),
        OriginKind::Fresh(FreshKind::Process) => "the running process".to_owned(),
        OriginKind::Fresh(FreshKind::Address) => "an address in memory".to_owned(),
        OriginKind::Fresh(FreshKind::MapOrder) => "the order of a hash map".to_owned(),
        OriginKind::Attempt(what) => format!("the {} of the attempt", what.as_str().replace('-', " ")),
        OriginKind::Empty => "an empty value".to_owned(),
        OriginKind::Absent => "no value".to_owned(),
        OriginKind::Opaque(reason) => reason.to_string(),
    }
}
