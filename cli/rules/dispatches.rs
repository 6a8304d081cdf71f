//! What the rules about keys have in common: words for origins and scopes, and the shape of their findings; and what names say
//! of a dispatch.

use super::Facts;
use super::scene::has_any;
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::{
    DispatchFact, EventFact, EventFactKind, KeyFact, KeyVerdict, OriginFact, OriginKind, asks, has_word,
};
use crate::resolve::FnId;
use crate::source::Span;

/// Whether a dispatch carries a key on some path: what was followed to its origins there, and is not absent.
pub(super) fn is_partly_keyed(dispatch: &DispatchFact) -> bool {
    let origins = &mut dispatch.key.origins.iter();
    origins.any(|origin| !matches!(origin.kind, OriginKind::Absent | OriginKind::Opaque(_)))
}

/// Whether a request takes over headers from elsewhere, and no key is seen to be set: one may be among them, or none.
pub(super) fn may_lack_key(dispatch: &DispatchFact) -> bool {
    dispatch.key.verdict == KeyVerdict::Unproven && dispatch.key.position.is_none() && !is_partly_keyed(dispatch)
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

/// Whether a message bears an id of its own that is the same at the next attempt, by which its readers take it once. Of what is
/// made anew it is so in front of the scope that repeats it, if there is one.
pub(super) fn says_which(event: &EventFact, scope: Option<Span>) -> bool {
    let EventFactKind::Dispatch { own_id, .. } = &event.kind else {
        return false;
    };
    let attempt = |origin: &OriginKind| matches!(origin, OriginKind::Attempt(_));
    let again = |made: &Span| scope.is_none_or(|scope| scope.covers(*made));
    !own_id.origins.is_empty()
        && !own_id.origins.iter().any(attempt)
        && !own_id.fresh.iter().any(|(_, made)| again(made))
}

/// Whether the functions on the way to a request of which nobody knows whom it asks say that it only tells how things stand, or
/// puts a content in its place.
pub(super) fn states_only(facts: &Facts<'_>, event: &EventFact) -> bool {
    let unnamed = matches!(event.kind, EventFactKind::Dispatch { provider: None, http: true, .. });
    unnamed && event.through.iter().chain([&event.function]).any(|&id| states(facts, id))
}

/// Whether one of the functions on the way to a request says by its name that something is asked: a `POST` by which a node is
/// asked for its last block is no other than a `GET`.
pub(super) fn is_for_question(facts: &Facts<'_>, from: FnId, event: &EventFact) -> bool {
    let words = &facts.catalog.words;
    event.through.iter().chain([&from]).any(|&id| {
        let name = facts.program.function(id).ir.name.as_str();
        asks(words, name) && !has_any(name, &words.verbs) && !has_word(name, "or")
    })
}

/// Whether a function is one that says how things stand, by its name.
pub(super) fn states(facts: &Facts<'_>, id: FnId) -> bool {
    let words = &facts.catalog.words;
    let name = facts.program.function(id).ir.name.as_str();
    // `send_heartbeat` says only that it is sent.
    let name = match name.split_once('_') {
        Some((verb, what)) if words.carrier_verbs.iter().any(|carrier| carrier == verb) => what,
        _ => name,
    };
    has_any(name, &words.stating_words) && !words.verbs.iter().any(|verb| has_word(name, verb))
}
