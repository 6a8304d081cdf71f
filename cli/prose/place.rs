//! Places in which nothing is claimed, whatever the words are.
//!
//! In: a phrase in its place. Out: whether its quote, list, link or heading silences it. It knows what stands around a
//! phrase, not how its sentence is built.

use super::lexicon::Cue;
use super::passage::{Quote, Shape};
use super::reading::{Kind, Reading};
use super::view::View;

/// Places where nothing is claimed whatever the words are.
pub(super) fn silent_place(view: &View<'_>) -> bool {
    let passage = view.passage();
    if passage.quote == Quote::Tagline && attributed_below(view) {
        return true;
    }
    if passage.quote == Quote::Plain || passage.task == Some(false) {
        return true;
    }
    // a link that is the whole of a passage is a title
    if passage.linked && !matches!(passage.shape, Shape::Heading(_)) {
        return true;
    }
    let denies = |number: usize| {
        let reading = &view.readings[number];
        let all = reading.all();
        let plain =
            |cue| reading.hits(cue, all.clone()).any(|hit| !reading.overlaps(Cue::NotNegation, hit.start..hit.end));
        plain(Cue::HeadingDenies)
            || (plain(Cue::HeadingLimits) && !offered(view))
            // what is ticked on a plan is there
            || (reading.has(Cue::HeadingPlans, all.clone()) && passage.task != Some(true))
            || reading.has(Cue::HeadingCriticises, all.clone())
            || (reading.has_any(&[Cue::HeadingRefers, Cue::HeadingDefines], all.clone())
                && !names_the_whole(view, number))
            || (reading.has(Cue::HeadingAsks, all.clone())
                && reading.has_any(&[Cue::ExactlyOnce, Cue::EffectivelyOnce, Cue::OtherMode], all))
    };
    if passage.section.iter().any(|&number| denies(number)) {
        return true;
    }
    let lead = passage.lead.is_some_and(|number| {
        let reading = &view.readings[number];
        let last = reading.sentences.last().cloned().unwrap_or_default();
        let text = &view.document.passages[number].text;
        let negated = text.trim_end().ends_with(':')
            && (reading.hits(Cue::Negator, last.clone()).chain(reading.hits(Cue::NegativeWord, last.clone())))
                .any(|hit| !reading.overlaps(Cue::NotNegation, hit.start..hit.end));
        denies(number) || negated || reading.has(Cue::Criticism, last)
    });
    lead || passage.list.is_some() && in_glossary(view)
}

/// *Resources for operators* over a document is no list of links, *Resources* is one.
fn names_the_whole(view: &View<'_>, number: usize) -> bool {
    let reading = &view.readings[number];
    let words = reading.tokens.iter().filter(|token| token.kind == Kind::Word).count();
    matches!(view.document.passages[number].shape, Shape::Heading(0 | 1)) && words > 2
}

/// *Kestrel guarantees …*: somebody is said to give it, which is no limitation wherever it stands.
fn offered(view: &View<'_>) -> bool {
    let reading = view.reading();
    let clause = view.clause();
    let offer = reading.hits(Cue::OfferVerb, clause.start + 1..view.phrase.start).next();
    offer.is_some_and(|offer| {
        reading.tokens[offer.start - 1].capital || reading.has(Cue::Own, clause.start..offer.start)
    })
}

/// A list that has an item for each mode, with what the mode means.
fn in_glossary(view: &View<'_>) -> bool {
    let list = view.passage().list;
    let near = view.number.saturating_sub(6)..(view.number + 7).min(view.document.passages.len());
    let mut others = near.filter(|&number| number != view.number && view.document.passages[number].list == list);
    let own = view.reading();
    // *QoS 1: …*, *QoS 2: …*: the items of a scale
    let scale = |reading: &Reading| {
        let colon = (2..4).find(|&at| reading.is_mark(at, &[':', '—']))?;
        Some((reading.tokens[0].word.clone(), colon + 1))
    };
    let own_scale = scale(own);
    // *Alerts: …*, *Reports: …*: what holds for each of some things
    let things = |reading: &Reading, end: usize| {
        let colon = (0..end).find(|&at| reading.is_mark(at, &[':']));
        colon.is_some_and(|colon| reading.has_any(&[Cue::ExternalNoun, Cue::MessageNoun], 0..colon))
    };
    if own_scale.is_none() && things(own, view.phrase.start) {
        return false;
    }
    others.any(|number| {
        let reading = &view.readings[number];
        let (from, start) = match (&own_scale, scale(reading)) {
            (Some((own, start)), Some((word, from))) if *own == word => (from + 2, start + 2),
            _ => (0, 0),
        };
        let mode = reading.has(Cue::OtherMode, 0..reading.tokens.len().min(from + 6));
        mode && reading.tokens.len() > 4 && view.phrase.start <= start + 5 && own.tokens.len() > 4
    })
}

/// *That is what their page says*: the first words behind a quote.
fn attributed_below(view: &View<'_>) -> bool {
    let passages = &view.document.passages;
    let below = (view.number + 1..passages.len()).find(|&number| passages[number].quote == Quote::None);
    below.is_some_and(|number| {
        let reading = &view.readings[number];
        let first = reading.sentences.first().cloned().unwrap_or_default();
        let pointed = (first.start..first.end.min(first.start + 3))
            .any(|at| reading.is_word(at, &["that", "this", "so", "these", "it", "thus"]));
        (pointed && reading.has_any(&[Cue::Speech, Cue::OtherSpeaker], first.clone()))
            || reading.has(Cue::Criticism, first)
    })
}
