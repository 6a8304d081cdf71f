//! Which noun and which verb a phrase belongs to.
//!
//! In: a phrase in its place and a range of its words. Out: the [`Noun`] or [`Verb`] that governs the end of the range. It
//! knows determiners, quantifiers, complements and verbs that look like nouns; it draws no conclusion.

use std::ops::Range;

use super::TextKind;
use super::lexicon::Cue;
use super::reading::Kind;
use super::view::View;

/// What kind of thing a noun names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Noun {
    /// what a provider outside does
    External,
    /// a unit of work between systems
    Message,
    /// the same, or a thing inside one process
    Weak,
    /// a thing that is merely counted
    Counting,
}

/// What kind of act a verb names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    /// handing over
    Delivery,
    /// what a provider does
    External,
    /// running, sending, storing
    Weak,
    /// showing, visiting, listing
    Counting,
}

const NOUNS: [(Cue, Noun); 5] = [
    (Cue::ExternalNoun, Noun::External),
    (Cue::DeliveryNoun, Noun::Message),
    (Cue::MessageNoun, Noun::Message),
    (Cue::WeakNoun, Noun::Weak),
    (Cue::CountingNoun, Noun::Counting),
];
const VERBS: [(Cue, Verb); 4] = [
    (Cue::ExternalVerb, Verb::External),
    (Cue::DeliveryVerb, Verb::Delivery),
    (Cue::WeakVerb, Verb::Weak),
    (Cue::CountingVerb, Verb::Counting),
];

/// The verb that governs the end of a range: the nearest one that no determiner makes a noun.
pub(super) fn verb(view: &View<'_>, range: Range<usize>) -> Option<Verb> {
    let reading = view.reading();
    let from = range.start.max(range.end.saturating_sub(9));
    // Of two that begin together the longer one is meant: *write down*.
    let mut best: Option<((usize, usize), Verb)> = None;
    for (cue, verb) in VERBS {
        for hit in reading.hits(cue, from..range.end) {
            // *a queue **that delivers***, but *that delivery*
            let relative = hit.start > 1
                && reading.is_word(hit.start - 1, &["that"])
                && reading.tokens[hit.start - 2].kind == Kind::Word
                && reading.tokens[hit.start].word.ends_with('s');
            let noun = !relative && hit.start > 0 && reading.has(Cue::Determiner, hit.start - 1..hit.start);
            let code = reading.tokens[hit.start].kind != Kind::Word;
            if !noun && !code && best.is_none_or(|(at, _)| (hit.start, hit.end) > at) {
                best = Some(((hit.start, hit.end), verb));
            }
        }
    }
    best.map(|(_, verb)| verb)
}

/// Words that make the noun behind them a complement or a circumstance.
const PREPOSITIONS: &[&str] = &[
    "of", "from", "in", "on", "for", "by", "via", "with", "through", "at", "over", "within", "using", "behind",
    "across", "under", "into", "per", "between", "about", "to",
];

/// The noun that the end of a range speaks of: the nearest one, unless *each* or *every* marks another, a pronoun takes up
/// an earlier one, or it only completes the noun before it (*each element of the stream*).
pub(super) fn noun(view: &View<'_>, range: Range<usize>) -> Option<Noun> {
    let reading = view.reading();
    let nouns = nouns(view, range.clone());
    let last = nouns.len().checked_sub(1)?;
    let resumed = nouns[last].2 == Noun::Counting
        && (nouns[last].1..range.end).any(|at| reading.is_word(at, &["they", "it", "them", "each"]));
    if resumed {
        let other = nouns.iter().rev().find(|other| other.2 != Noun::Counting);
        return Some(other.map_or(Noun::Counting, |other| other.2));
    }
    // in the documentation of code, *each chunk* stays what is counted, whoever gets it
    let counted = view.kind == TextKind::Rust
        && nouns[0].2 == Noun::Counting
        && nouns[0].0 > range.start
        && reading.is_word(nouns[0].0 - 1, &["each", "every"]);
    if counted {
        return Some(Noun::Counting);
    }
    let quantified = |&(start, end, noun): &(usize, usize, Noun)| {
        let near = end.saturating_sub(4).max(range.start)..start;
        let quantifier = near.rev().find(|&at| reading.is_word(at, &["each", "every", "all", "no"]));
        noun != Noun::Counting && quantifier.is_some_and(|at| !(at..start).any(|at| reading.is_word(at, PREPOSITIONS)))
    };
    let chosen = nouns.iter().rposition(quantified).unwrap_or(last);
    Some(head_of(view, &nouns, chosen))
}

/// Goes from a complement to the noun that it completes.
fn head_of(view: &View<'_>, nouns: &[(usize, usize, Noun)], chosen: usize) -> Noun {
    let reading = view.reading();
    let mut at = chosen;
    while at > 0 {
        let (start, _, noun) = nouns[at];
        let before = nouns[at - 1];
        // *element of the stream*: only a determiner and an adjective may stand between
        let preposition = (start.saturating_sub(3)..start)
            .rev()
            .take_while(|&at| !reading.is_mark(at, &[',', '(', ')']))
            .find(|&at| reading.is_word(at, PREPOSITIONS));
        let completes = preposition.is_some_and(|preposition| preposition == before.1);
        // *every message that comes out of a file*: a counted thing yields to what it is only a circumstance of
        let yields = noun == Noun::Counting
            && preposition.is_some_and(|preposition| !reading.is_word(preposition, &["to"]))
            && before.2 != Noun::Counting;
        if !completes && !yields {
            break;
        }
        at -= 1;
    }
    nouns[at].2
}

/// The first noun of a range.
pub(super) fn noun_in(view: &View<'_>, range: Range<usize>) -> Option<Noun> {
    nouns(view, range).first().map(|&(_, _, noun)| noun)
}

/// The noun that a clause is about: the first one behind what introduces it (***because of the token** no worker …*).
pub(super) fn subject_in(view: &View<'_>, range: Range<usize>) -> Option<Noun> {
    let reading = view.reading();
    let first = range.start;
    let introduced = reading.is_word(first, PREPOSITIONS)
        || reading.is_word(first, &["because", "thanks", "due"]) && reading.is_word(first + 1, &["of", "to"]);
    let nouns = nouns(view, range);
    nouns.get(usize::from(introduced && nouns.len() > 1)).map(|&(_, _, noun)| noun)
}

/// The known nouns of a range as (first token, end, kind), one for each last word.
fn nouns(view: &View<'_>, range: Range<usize>) -> Vec<(usize, usize, Noun)> {
    let reading = view.reading();
    let mut found: Vec<(usize, usize, usize, Noun)> = Vec::new();
    for (rank, (cue, noun)) in NOUNS.into_iter().enumerate() {
        for hit in reading.hits(cue, range.clone()) {
            if !is_verb(view, hit.start, hit.end) {
                found.push((hit.end, rank, hit.start, noun));
            }
        }
    }
    // *signal handler* is more than a handler
    found.sort_by_key(|&(end, rank, start, _)| (end, start, rank));
    found.dedup_by_key(|&mut (end, ..)| end);
    (found.into_iter()).map(|(end, _, start, noun)| (start, end, noun)).collect()
}

/// A verb that looks like a noun: *which **runs***, ***run** the job*, *it **orders***.
fn is_verb(view: &View<'_>, start: usize, end: usize) -> bool {
    let reading = view.reading();
    let verbs = [Cue::WeakVerb, Cue::DeliveryVerb, Cue::ExternalVerb, Cue::OfferVerb, Cue::CountingVerb];
    if !reading.has_any(&verbs, start..end) {
        return false;
    }
    let determined = start > 0 && reading.has(Cue::Determiner, start - 1..start);
    let led = start > 0
        && reading.is_word(
            start - 1,
            &[
                "which", "who", "it", "we", "they", "you", "to", "will", "can", "then", "also", "always", "only", "is",
                "are", "was", "were", "be", "been", "being",
            ],
        );
    let object = !determined && reading.has(Cue::Determiner, end..end + 1);
    let last = end == view.phrase.start && !determined && view.cue != Cue::NoRepeat;
    led || object || last
}
