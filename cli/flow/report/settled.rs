//! What is told of dispatches, once all functions have told of those that they know.

use std::collections::BTreeSet;

use crate::flow::DispatchFact;
use crate::flow::OriginFact;
use crate::flow::OriginKind;
use crate::flow::Recognition;
use crate::resolve::FnId;
use crate::source::Span;

/// One fact for each dispatch, scope and verdict; free-standing positions give way to the dispatch that takes them.
/// What is made for each call is told where that is done if nobody above was seen to take it over.
pub(super) fn settle(mut facts: Vec<DispatchFact>, made_here: Vec<DispatchFact>) -> Vec<DispatchFact> {
    let heard: BTreeSet<_> = facts.iter().flat_map(parts).collect();
    facts.extend(made_here.into_iter().filter(|fact| !parts(fact).any(|part| heard.contains(&part))));
    let taken: BTreeSet<Span> = facts
        .iter()
        .filter(|fact| fact.recognition != Recognition::FreeStanding)
        .filter_map(|fact| fact.key.position)
        .collect();
    let origins: BTreeSet<(Span, Span)> = facts
        .iter()
        .filter(|fact| fact.recognition != Recognition::FreeStanding)
        .flat_map(|fact| {
            fact.key.origins.iter().flat_map(|origin| {
                let first = origin.path.first().map(|step| step.0);
                origin.path.iter().filter_map(move |step| Some((first?, step.0)))
            })
        })
        .collect();
    facts.retain(|fact| {
        fact.recognition != Recognition::FreeStanding
            || fact.key.position.is_none_or(|position| {
                !taken.contains(&position)
                    && !fact
                        .key
                        .origins
                        .iter()
                        .any(|origin| origin.path.first().is_some_and(|step| origins.contains(&(step.0, position))))
            })
    });
    // What was made for a request that only reads is the key of none that acts.
    let first =
        |fact: &DispatchFact| fact.key.origins.first().and_then(|origin| Some((fact.looks, origin.path.first()?.0)));
    let reading = |fact: &&DispatchFact| fact.recognition == Recognition::Reading;
    let read: BTreeSet<(FnId, Span)> = facts.iter().filter(reading).filter_map(first).collect();
    facts.retain(|fact| match fact.recognition {
        Recognition::FreeStanding => first(fact).is_none_or(|made| !read.contains(&made)),
        of => of != Recognition::Reading,
    });
    facts.sort_by(|a, b| {
        let key = |fact: &DispatchFact| (fact.site, fact.key.position, fact.handler, fact.key.verdict, fact.harmless);
        key(a).cmp(&key(b)).then(b.key.confidence.cmp(&a.key.confidence))
    });
    facts.dedup_by(|b, a| {
        let decisive =
            |fact: &DispatchFact| fact.key.origins.first().and_then(|origin| origin.path.first().map(|step| step.0));
        let same = (a.site, a.key.position, a.handler, a.key.verdict)
            == (b.site, b.key.position, b.handler, b.key.verdict)
            && decisive(a) == decisive(b)
            && a.repeated.is_some() == b.repeated.is_some()
            && a.harmless == b.harmless;
        // A wrapper goes where each of its callers says.
        a.sibling_keyed |= same && b.sibling_keyed;
        a.chosen &= !same || b.chosen;
        if same && a.address != b.address {
            a.address = None;
        }
        if same && a.provider.is_none() {
            a.provider = b.provider.take();
        }
        same
    });
    facts
}

/// The dispatch, and what is made for its key.
fn parts(fact: &DispatchFact) -> impl Iterator<Item = (Span, Span)> + '_ {
    let made = |origin: &&OriginFact| matches!(origin.kind, OriginKind::Fresh(_) | OriginKind::Attempt(_));
    let places = fact.key.origins.iter().filter(made).filter_map(|origin| origin.path.first());
    places.map(|step| (fact.site, step.0))
}
