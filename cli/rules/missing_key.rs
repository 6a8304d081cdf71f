//! `missing-key`: a dispatch that could carry a key and does not.

mod left_out;
mod lost_keys;

use super::dispatches::{about_key, is_partly_keyed, named};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::WithoutKey;
use crate::findings::{Confidence, Level, Place, Violation};
use crate::flow::{DispatchFact, KeyVerdict, OriginKind, Recognition, WITHHELD};
use crate::source::Span;
use left_out::left_out;
use lost_keys::lost;

pub(super) const RULE: Rule = Rule {
    name: "missing-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a dispatch that can carry a key and does not, on some path",
    doc: include_str!("missing_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let (lost, left_out) = (lost(facts), left_out(facts));
    let of_error = "where the key cannot be made, the error becomes no key, and the request goes out without one: a repeat of it \
        becomes a second effect";
    let of_rest = "the rest of this request is its default, without the key that the same request has on another way: a repeat \
        of it becomes a second effect";
    let hand_on = "hand the error on, so that nothing is sent without a key";
    let same_rest = "take the rest from what has the key, as on the other ways";
    let of_errors = lost.iter().map(|known| (known, of_error, hand_on));
    for (&(place, function), message, help) in of_errors.chain(left_out.iter().map(|known| (known, of_rest, same_rest)))
    {
        sink.report(Violation {
            rule: RULE.name,
            confidence: Confidence::Likely,
            message: message.to_owned(),
            help: help.to_owned(),
            place: Place::Source(place),
            path: Vec::new(),
            handler: Some(function.to_owned()),
            detail: Vec::new(),
        });
    }
    for dispatch in &facts.flow.dispatches {
        let Some(confidence) = confidence(facts, dispatch) else {
            continue;
        };
        let told = |(at, _): &(Span, String)| lost.iter().chain(&left_out).any(|(place, _)| place == at);
        if dispatch.key.origins.first().and_then(|origin| origin.path.first()).is_some_and(told) {
            continue;
        }
        let somewhere = dispatch.key.origins.iter().any(|origin| origin.kind != OriginKind::Absent);
        let beside = if dispatch.sibling_keyed { ", though a like request beside it has one" } else { "" };
        let path = if somewhere { "on some path " } else { "" };
        // Of a request that is not in sight there is only the key.
        let what = match dispatch.call.is_empty() {
            true => "the request that is put together here".to_owned(),
            false => named(dispatch),
        };
        let message = format!(
            "{path}{what} goes out without a key{beside}: if its outcome stays unknown, a repeat becomes a second effect",
        );
        let help = "send a key that is derived from the business intent on every path";
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}

fn confidence(facts: &Facts<'_>, dispatch: &DispatchFact) -> Option<Confidence> {
    let minted = matches!(dispatch.without_key, WithoutKey::MintedPerCall | WithoutKey::MintedPerSend);
    if dispatch.key.verdict == KeyVerdict::NotCarried && takes_another_way(facts, dispatch) {
        return Some(if dispatch.recognition == Recognition::Declared {
            Confidence::Certain
        } else {
            Confidence::Likely
        });
    }
    if dispatch.key.verdict != KeyVerdict::Missing || dispatch.harmless || minted {
        return None;
    }
    let presumed = !matches!(dispatch.recognition, Recognition::Declared | Recognition::Catalog);
    if dispatch.sibling_keyed || is_partly_keyed(dispatch) {
        return Some(if presumed { Confidence::Possible } else { Confidence::Likely });
    }
    if presumed {
        return (is_withheld(dispatch) || is_written_out(dispatch)).then_some(Confidence::Likely);
    }
    // Without a provider nobody knows whether a key would be heeded.
    let provider = facts.catalog.provider(dispatch.provider.as_deref()?)?;
    if !provider.window_counts() {
        return None;
    }
    let consequential = provider.kind.as_deref().is_some_and(|kind| kind == "payment");
    let declared = dispatch.handler.is_some() && dispatch.recognition == Recognition::Declared;
    Some(match (declared, consequential) {
        (true, _) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        (false, false) => Confidence::Possible,
    })
}

/// Whether a caller gives no key to a function that takes one, and that is seen to hand it on.
fn is_withheld(dispatch: &DispatchFact) -> bool {
    let first = dispatch.key.origins.first().and_then(|origin| origin.path.first());
    matches!(dispatch.recognition, Recognition::Presumed(_)) && first.is_some_and(|(_, note)| note == WITHHELD)
}

/// Whether a request that is put together here has a field for a key, and `None` is written into it.
fn is_written_out(dispatch: &DispatchFact) -> bool {
    let written = dispatch.key.origins.first().and_then(|origin| origin.path.first());
    dispatch.recognition == Recognition::FreeStanding
        && written.is_some_and(|(at, _)| dispatch.key.position.is_some_and(|position| position.covers(*at)))
}

/// Whether a dispatch that can carry no key stands beside one to the same provider that does, in one function: the intent
/// has a key, and some way goes without it.
fn takes_another_way(facts: &Facts<'_>, dispatch: &DispatchFact) -> bool {
    let keyed = |other: &DispatchFact| !matches!(other.key.verdict, KeyVerdict::NotCarried | KeyVerdict::Missing);
    let mut others = facts.flow.dispatches.iter();
    dispatch.provider.is_some()
        && others.any(|other| {
            other.function == dispatch.function
                && other.site != dispatch.site
                && other.provider == dispatch.provider
                && keyed(other)
        })
}
