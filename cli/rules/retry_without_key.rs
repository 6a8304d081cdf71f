//! `retry-without-key`: a dispatch is repeated, and nothing tells the repeat from a new intent.

mod offered_again;
mod sent_from_rows;

use std::collections::BTreeSet;

use super::dispatches::{is_for_question, is_partly_keyed, may_lack_key, named, path_of, says_which, states};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::WithoutKey;
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::{DispatchFact, EventFact, EventFactKind, KeyVerdict, Recognition};
use crate::resolve::FnId;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "retry-without-key",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "a dispatch is repeated with neither key nor lookup",
    doc: include_str!("retry_without_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut told = BTreeSet::new();
    for dispatch in &facts.flow.dispatches {
        let Some(found) = violation(facts, dispatch) else {
            continue;
        };
        // What only its name shows to act is one thing for one loop, however many ways lead there.
        let presumed = matches!(dispatch.recognition, Recognition::Presumed(_));
        let scope = dispatch.repeated.as_ref().map(|scope| scope.site);
        if presumed && !told.insert((scope, found.message.clone())) {
            continue;
        }
        sink.report(found);
    }
    offered_again::check(facts, sink);
    sent_from_rows::check(facts, sink);
}

fn violation(facts: &Facts<'_>, dispatch: &DispatchFact) -> Option<Violation> {
    // Whoever looks at the method before the next attempt knows that one that acts may not come again.
    let scope = dispatch.repeated.as_ref().filter(|scope| !scope.by_method)?;
    // Of a key that is missing on some path only, `missing-key` tells.
    let open = may_lack_key(dispatch);
    let keyless = open
        || matches!(dispatch.key.verdict, KeyVerdict::Missing | KeyVerdict::NotCarried) && !is_partly_keyed(dispatch);
    let minted = matches!(dispatch.without_key, WithoutKey::MintedPerCall | WithoutKey::MintedPerSend);
    if !keyless || dispatch.harmless || minted || asks_for_token(facts, dispatch) {
        return None;
    }
    // Of raw HTTP to an unknown address only the method says that something may happen there.
    let known = dispatch.recognition == Recognition::Declared || dispatch.provider.is_some();
    let mut ways = sent(facts, dispatch.looks, dispatch.site);
    if !known && ways.any(|event| is_for_question(facts, dispatch.looks, event)) {
        return None;
    }
    let confidence = if known { scope.confidence } else { scope.confidence.min(Confidence::Likely) };
    let looked_up =
        || sent(facts, dispatch.looks, dispatch.site).any(|event| is_for_question(facts, dispatch.looks, event));
    let confidence = match !known && (states(facts, dispatch.function) || looked_up()) {
        true => Confidence::Possible,
        false => confidence,
    };
    // A key that is handed through is missing for those callers alone that leave it out.
    let by_name = matches!(dispatch.recognition, Recognition::Presumed(_) | Recognition::FreeStanding);
    let handed_through = by_name && facts.flow.dispatches.iter().any(|other| is_keyed_way(dispatch, other));
    // A queue that knows no key hands out both, and a message that says which one it is tells its readers.
    let confidence = if handed_through
        || open
        || sent(facts, dispatch.looks, dispatch.site).any(|event| says_which(event, Some(scope.site)))
    {
        Confidence::Possible
    } else {
        confidence
    };
    // What takes no key, such as a standard queue, is not missing one.
    let confidence = if dispatch.key_optional { confidence.min(Confidence::Likely) } else { confidence };
    let what = match dispatch.call.is_empty() {
        true => "the request that is put together here".to_owned(),
        false => named(dispatch),
    };
    let carries = match dispatch.key.verdict {
        _ if handed_through => "whose key a caller may leave out",
        KeyVerdict::NotCarried => "that cannot carry a key",
        _ if open => "with a key only if one is among headers that are put together elsewhere",
        _ => "without a key",
    };
    Some(Violation {
        rule: RULE.name,
        confidence,
        message: format!(
            "{} repeats {what}, {carries}: an attempt whose answer was lost has acted, and the next one acts again",
            scope.what,
        ),
        help: "send a key that is the same over all attempts, or ask the provider what happened before asking it to act again".to_owned(),
        place: Place::Source(dispatch.site),
        path: way(dispatch, scope.site),
        handler: Some(path_of(facts, dispatch.handler.unwrap_or(dispatch.function))),
        detail: vec![("call", dispatch.call.clone())],
    })
}

/// Whether a request only exchanges credentials for a token: a second token does no harm.
fn asks_for_token(facts: &Facts<'_>, dispatch: &DispatchFact) -> bool {
    let grants = &facts.catalog.words.token_grants;
    sent(facts, dispatch.function, dispatch.site).any(|event| match &event.kind {
        EventFactKind::Dispatch { args, .. } => args.texts().any(|text| grants.iter().any(|grant| grant == text)),
        _ => false,
    })
}

/// The call that acts, as a function sees it.
fn sent<'a>(facts: &'a Facts<'_>, from: FnId, site: Span) -> impl Iterator<Item = &'a EventFact> {
    let own = facts.operations.function(from).into_iter();
    own.flat_map(|own| own.dispatches()).map(|(_, event)| event).filter(move |event| event.span == site)
}

/// Whether the key at the same place comes with a value on the way of another caller.
fn is_keyed_way(dispatch: &DispatchFact, other: &DispatchFact) -> bool {
    let at = |dispatch: &DispatchFact| (dispatch.site, dispatch.key.position);
    at(dispatch) == at(other) && !matches!(other.key.verdict, KeyVerdict::Missing | KeyVerdict::NotCarried)
}

/// What is repeated, and how one gets from there to the dispatch: a helper that tries again knows nothing of that.
fn way(dispatch: &DispatchFact, scope: Span) -> Vec<Step> {
    let step = |place: Span, note: &str| Step { place: Place::Source(place), note: note.to_owned() };
    let calls = dispatch.calls.iter().filter(|call| **call != dispatch.site);
    std::iter::once(step(scope, "repeated from here")).chain(calls.map(|&call| step(call, "called here"))).collect()
}
