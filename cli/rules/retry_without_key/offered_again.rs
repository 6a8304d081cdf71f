//! Errors that are called worth another attempt, where a dispatch without a key may have acted: whoever reads that asks again.

use std::collections::HashSet;

use super::RULE;
use crate::catalog::WithoutKey;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::{DispatchFact, EventFact, EventFactKind, KeyVerdict, state_word};
use crate::operations::FunctionOps;
use crate::rules::dispatches::{is_partly_keyed, may_lack_key, path_of, states_only};
use crate::rules::scene::{harmful, has_any, here, in_doubt, named, sure};
use crate::rules::{Facts, Sink};
use crate::source::Span;

/// Reports dispatches without a key whose lost answers are told as an error that is to be tried again.
pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let (keyless, keyed): (Vec<&DispatchFact>, Vec<_>) =
        facts.flow.dispatches.iter().partition(|dispatch| is_keyless(dispatch) || is_open(dispatch));
    let keyed: HashSet<Span> = keyed.into_iter().map(|dispatch| dispatch.site).collect();
    let open: HashSet<Span> = keyless.iter().filter(|known| is_open(known)).map(|known| known.site).collect();
    let keyless: HashSet<Span> =
        keyless.into_iter().map(|dispatch| dispatch.site).filter(|site| !keyed.contains(site)).collect();
    let mut told = HashSet::new();
    for function in &facts.operations.functions {
        for (_, dispatch) in function.dispatches().filter(|(_, event)| keyless.contains(&event.span)) {
            let Some((offer, branch)) = offer(facts, function, dispatch).filter(|_| told.insert(dispatch.span)) else {
                continue;
            };
            let open = open.contains(&dispatch.span);
            sink.report(violation(facts, function, dispatch, (offer, branch), open));
        }
    }
}

pub(super) fn is_keyless(dispatch: &DispatchFact) -> bool {
    let minted = matches!(dispatch.without_key, WithoutKey::MintedPerCall | WithoutKey::MintedPerSend);
    let keyless = matches!(dispatch.key.verdict, KeyVerdict::Missing | KeyVerdict::NotCarried);
    // What is repeated in sight is told of where that is done.
    keyless && !minted && !is_partly_keyed(dispatch) && dispatch.repeated.is_none()
}

/// Whether nobody here knows if a key goes with the request, which is not repeated in sight.
fn is_open(dispatch: &DispatchFact) -> bool {
    may_lack_key(dispatch) && dispatch.repeated.is_none()
}

/// Where an error of a dispatch that may have acted is called worth another attempt, and the branch that it takes there.
fn offer<'a>(
    facts: &Facts<'_>,
    function: &'a FunctionOps,
    dispatch: &EventFact,
) -> Option<(&'a EventFact, (Span, u32))> {
    let mut offers = function.events().filter(|(_, event)| event.via.is_empty() && is_offer(facts, event));
    offers.find_map(|(_, event)| Some((event, in_doubt(&function.facts, event, dispatch)?)))
}

/// Whether something is put together that says by its name that it is tried again.
fn is_offer(facts: &Facts<'_>, event: &EventFact) -> bool {
    if !matches!(event.kind, EventFactKind::State { .. } | EventFactKind::Made { .. }) {
        return false;
    }
    let words = &facts.catalog.words;
    let name = state_word(event.name.rsplit("::").next().unwrap_or_default());
    has_any(&name, &words.passing_kinds) && !has_any(&name, &words.ending_kinds)
}

fn violation(
    facts: &Facts<'_>,
    function: &FunctionOps,
    dispatch: &EventFact,
    (offer, branch): (&EventFact, (Span, u32)),
    open: bool,
) -> Violation {
    let step = |place: Span, note: &str| Step { place: Place::Source(place), note: note.to_owned() };
    // What is handed back to a queue may be anything that is done over HTTP.
    let stated = match &offer.kind {
        _ if open || states_only(facts, dispatch) => Confidence::Possible,
        EventFactKind::State { means } if means == "unknown" => harmful(facts, function, dispatch),
        _ => Confidence::Likely,
    };
    let carries = match open {
        true => "a key goes with the request only if one is among headers that are put together elsewhere",
        false => "no key goes with the request",
    };
    Violation {
        rule: RULE.name,
        confidence: sure(function, dispatch).min(stated).min(Confidence::Likely),
        message: format!(
            "an error of {} is told as `{}`, and {carries}: an attempt whose answer was lost has acted, and \
             the next one acts again",
            named(dispatch),
            offer.name.rsplit("::").next().unwrap_or_default(),
        ),
        help: "send a key that is the same over all attempts, or call only what was surely not sent worth another one"
            .to_owned(),
        place: Place::Source(here(dispatch)),
        path: vec![
            step(dispatch.span, "the request goes out here"),
            step(branch.0, "lost answers come this way, too"),
            step(here(offer), "and are told as something to try again"),
        ],
        handler: Some(path_of(facts, function.facts.function)),
        detail: Vec::new(),
    }
}
