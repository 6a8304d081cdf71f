//! The verdict on each phrase of a document.
//!
//! In: a document. Out: its [`Claim`]s, at most one for each sentence. It puts together what the other modules say and
//! decides how sure the claim is; it reads no words itself.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::backed::{Backed, nearby, repeated};
use super::lexicon::Cue;
use super::passage::{Document, Quote, Shape};
use super::qualifier::{Bounds, bounds};
use super::reading::{Hit, Reading};
use super::sense::{Sense, sense};
use super::view::View;
use super::voice::{Voice, voice};
use super::{Claim, Promise, Text, TextKind, polarity};
use crate::findings::Confidence;

/// The phrases that are looked for, the more special first.
const PHRASES: [Cue; 4] = [Cue::EffectivelyOnce, Cue::ExactlyOnce, Cue::SingleExecution, Cue::NoRepeat];

/// Words of a sentence that is looked at. Each phrase is judged by all words around it, and nobody reads such a sentence.
const MAX_WORDS: usize = 512;
/// Phrases of a passage that are judged, for the same reason.
const MAX_PHRASES: usize = 256;

/// How many sentences on either side, and phrases of each, are asked whether they take a phrase back.
const MAX_NEARBY: usize = 4;

/// The claims of a document.
pub(super) fn claims(document: &Document, text: Text<'_>, backed: &[Backed]) -> Vec<Claim> {
    // most texts have no such phrase: look before reading
    if !document.passages.iter().any(|passage| mentions(&passage.text)) {
        return Vec::new();
    }
    let readings: Vec<Reading> = document.passages.iter().map(|passage| Reading::new(&passage.text)).collect();
    let foreign = foreign(readings.iter());
    let mut claims = Vec::new();
    for (number, reading) in readings.iter().enumerate() {
        if !mentions(&document.passages[number].text)
            || self::foreign([reading].into_iter()).unwrap_or(foreign.unwrap_or(false))
        {
            continue;
        }
        let repeated = repeated(document, number, backed);
        let mut left = MAX_PHRASES;
        for sentence in 0..reading.sentences.len() {
            if reading.sentences[sentence].len() > MAX_WORDS {
                continue;
            }
            let mut found = phrases(reading, sentence);
            found.truncate(left);
            left -= found.len();
            let verdicts = found.into_iter().filter_map(|hit| {
                let start = reading.tokens[hit.start].start;
                if repeated.iter().any(|range| range.contains(&start)) {
                    return None;
                }
                let view = View {
                    document,
                    readings: &readings,
                    kind: text.kind,
                    own: text.own,
                    number,
                    sentence,
                    cue: hit.cue,
                    phrase: hit.start..hit.end,
                };
                let claim = judge(&view)?;
                let suggestion = match nearby(&view, claim.range, backed) {
                    Some(known) => format!("write what holds for `{}`: \"{}\"", known.handler, known.sentence),
                    None => claim.suggestion,
                };
                Some(Claim { suggestion, ..claim })
            });
            // one verdict per sentence: the surest, the first of equals
            let best = verdicts.reduce(|best, next| if next.confidence > best.confidence { next } else { best });
            claims.extend(best);
        }
    }
    claims
}

/// Whether a text has any word without which there is no phrase, in whatever case; any blank stands for a blank.
pub(super) fn mentions(text: &str) -> bool {
    // every document and every comment of a workspace is asked this
    static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        any_of(r"once|twice|duplicat|double|single|one\sand\sonly\sone|(one|second)\stime|two\stimes|exactly\s(1|one)")
    });
    WORDS.as_ref().is_none_or(|words| words.is_match(text.as_bytes()))
}

/// Whether Markdown has, whatever its markup puts between two words, one of those without which its text mentions nothing.
pub(super) fn may_mention(markdown: &str) -> bool {
    static WORDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| any_of(r"once|twice|duplicat|double|single|exactly|(^|[^a-z0-9])(only|time)"));
    WORDS.as_ref().is_none_or(|words| words.is_match(markdown.as_bytes()))
}

fn any_of(parts: &str) -> Option<Regex> {
    RegexBuilder::new(parts).case_insensitive(true).unicode(false).build().ok()
}

/// Whether passages are in another language than English; `None` where too few words tell.
fn foreign<'a>(readings: impl Iterator<Item = &'a Reading>) -> Option<bool> {
    let (mut english, mut foreign) = (0usize, 0usize);
    let (mut latin, mut other) = (0usize, 0usize);
    for reading in readings {
        english += reading.hits(Cue::English, reading.all()).count();
        foreign += reading.hits(Cue::Foreign, reading.all()).count();
        for character in reading.tokens.iter().flat_map(|token| token.word.chars()) {
            match character.is_alphabetic() {
                true if character > LAST_LATIN => other += 1,
                true => latin += 1,
                false => {}
            }
        }
    }
    match (english + foreign, other * 3 > latin) {
        (_, true) => Some(true),
        (0..=2, _) => None,
        _ => Some(foreign > english),
    }
}

/// Behind it stand the letters of other scripts.
const LAST_LATIN: char = '\u{24F}';

/// The phrases of a sentence, without those inside another one.
fn phrases(reading: &Reading, sentence: usize) -> Vec<Hit> {
    let range = reading.sentences[sentence].clone();
    let mut found: Vec<Hit> = Vec::new();
    // *at least **once and exactly once***: the first *once* belongs to another mode
    let in_mode =
        |start: usize| (reading.hits(Cue::OtherMode, range.clone())).any(|mode| mode.start < start && start < mode.end);
    for cue in PHRASES {
        for hit in reading.hits(cue, range.clone()).filter(|hit| !in_mode(hit.start)) {
            match found.iter_mut().find(|other| other.start < hit.end && hit.start < other.end) {
                // of two readings of one place the longer one, of the same kind, counts
                Some(other)
                    if other.cue == hit.cue
                        && hit.end - hit.start > other.end - other.start
                        && other.start == hit.start =>
                {
                    *other = hit
                }
                Some(_) => {}
                None => found.push(hit),
            }
        }
    }
    found.sort_by_key(|hit| hit.start);
    found
}

fn judge(view: &View<'_>) -> Option<Claim> {
    let sense = sense(view)?;
    let voice = voice(view);
    if voice == Voice::Silent || polarity::denied(view) || polarity::supposed(view) || polarity::demanded(view) {
        return None;
    }
    let bounds = bounds(view);
    let denied_nearby = denied_nearby(view);
    let promise = match view.cue {
        Cue::EffectivelyOnce => Promise::EffectivelyOnce,
        _ => Promise::ExactlyOnce,
    };
    let (confidence, reason) = match promise {
        Promise::ExactlyOnce => exactly_once(sense, voice, bounds, view)?,
        Promise::EffectivelyOnce => effectively_once(sense, voice, bounds)?,
    };
    let quote = view.passage().quote;
    let confidence = match quote {
        Quote::Tagline => confidence.min(Confidence::Likely),
        _ => confidence,
    };
    let confidence = match () {
        () if polarity::able(view) => {
            confidence.min(if view.kind == TextKind::Markdown { Confidence::Likely } else { Confidence::Possible })
        }
        () if polarity::a_purpose(view) => Confidence::Possible,
        () if polarity::in_passing(view) || denied_nearby => confidence.min(Confidence::Likely),
        () => confidence,
    };
    Some(claim(view, promise, confidence.min(sense.ceiling), reason, sense.external))
}

/// Whether the same is denied elsewhere in the paragraph: whoever reads all of it is warned.
fn denied_nearby(view: &View<'_>) -> bool {
    let reading = view.reading();
    let near = view.sentence.saturating_sub(MAX_NEARBY)..(view.sentence + MAX_NEARBY + 1).min(reading.sentences.len());
    near.into_iter().any(|sentence| {
        let other = |hit: &Hit| hit.start != view.phrase.start && hit.cue != Cue::NoRepeat;
        phrases(reading, sentence)
            .into_iter()
            .filter(other)
            .take(MAX_NEARBY)
            .any(|hit| polarity::denied(&View { sentence, cue: hit.cue, phrase: hit.start..hit.end, ..view.clone() }))
    })
}

fn exactly_once(sense: Sense, voice: Voice, bounds: Bounds, view: &View<'_>) -> Option<(Confidence, &'static str)> {
    use Confidence::{Certain, Likely, Possible};
    if bounds.contradicted && matches!(voice, Voice::Own | Voice::Fragment | Voice::Choice) {
        return Some((Likely, "this promises exactly once and allows for duplicates in the same sentence"));
    }
    if bounds.window || bounds.condition || (bounds.boundary && !sense.external) {
        return None;
    }
    Some(match voice {
        Voice::Silent => return None,
        Voice::Report => {
            (Possible, "this tells of exactly once without the layer and the condition for which it holds")
        }
        Voice::Other => (Possible, "this says of another product that it is exactly once, without its boundary"),
        Voice::Option => (Possible, "this names an exactly-once setting and does not say what it covers"),
        _ if bounds.boundary => {
            (Possible, "a transaction does not reach the outside system that this promises to act exactly once")
        }
        _ if bounds.failure => (Possible, "this promises exactly once and bounds it only by what is said afterwards"),
        _ if bounds.reason => (Possible, "this says why nothing happens twice, but not how far that reaches"),
        Voice::Choice => {
            (Likely, "exactly once is offered as a mode without the layer and the condition for which it holds")
        }
        _ if bounds.scope => {
            (Possible, "this promises exactly once within a scope, but names no boundary that makes it so")
        }
        _ if bounds.identity && !bounds.vacuous => {
            (Possible, "this promises exactly once per identity, but not for how long and for which layer")
        }
        _ if view.cue == Cue::NoRepeat => {
            (Likely, "this promises that nothing happens twice and names neither a layer nor a condition")
        }
        Voice::Topic => (
            Likely,
            "this heading says exactly once, and what stands below it names neither a boundary nor a condition",
        ),
        Voice::Answered => {
            (Likely, "this is answered by yes, which promises exactly once and names neither a layer nor a condition")
        }
        _ if bounds.vacuous => (Likely, "this promises exactly once with a qualifier that bounds nothing"),
        Voice::Fragment => (Likely, "this promises exactly once and names neither a layer nor a condition"),
        _ if bounds.mechanism => (Likely, "this promises exactly once and says how, but not how far that reaches"),
        Voice::Own => (Certain, "this promises exactly once and names neither a layer nor a condition"),
    })
}

fn effectively_once(sense: Sense, voice: Voice, bounds: Bounds) -> Option<(Confidence, &'static str)> {
    use Confidence::{Certain, Likely, Possible};
    if (bounds.window && bounds.failure) || bounds.condition || (bounds.boundary && !sense.external) {
        return None;
    }
    Some(match voice {
        Voice::Silent => return None,
        Voice::Report | Voice::Other | Voice::Option => {
            (Possible, "effectively once is mentioned with neither a window nor a failure mode")
        }
        _ if bounds.window => {
            (Possible, "this says for how long it is effectively once, but not what happens afterwards")
        }
        _ if bounds.failure => {
            (Possible, "this says what happens when it fails, but not for how long it is effectively once")
        }
        _ if bounds.vacuous => (Likely, "this says effectively once with a qualifier that bounds nothing"),
        _ if bounds.mechanism => {
            (Likely, "this says effectively once and how, but neither for how long nor what happens when it fails")
        }
        Voice::Choice | Voice::Topic | Voice::Answered | Voice::Fragment => {
            (Likely, "effectively once is offered with neither a window nor a failure mode")
        }
        Voice::Own => (Certain, "this says effectively once with neither a window nor a failure mode"),
    })
}

fn claim(view: &View<'_>, promise: Promise, confidence: Confidence, reason: &'static str, external: bool) -> Claim {
    let passage = view.passage();
    let reading = view.reading();
    let (start, end) = (reading.tokens[view.phrase.start].start, reading.tokens[view.phrase.end - 1].end);
    let suggestion = match (promise, external, passage.shape) {
        (_, _, Shape::Keyword) => "use a keyword that names the mechanism, such as `idempotency` or `at-least-once`",
        (Promise::EffectivelyOnce, ..) => {
            "state the window and the failure mode, such as \"effectively once for 24 h after the first request, by the provider's idempotency key; later only after a lookup, and an inconclusive lookup leaves the outcome unknown\""
        }
        (_, true, _) => {
            "say what holds for the outside system, such as \"at least once, with an idempotency key that the provider honours for 24 h; after that a retry can repeat the effect\", or link the guarantee table"
        }
        (_, false, _) => {
            "name the layer and its condition, such as \"delivered at least once; the state change commits once, in the transaction that records the command id\""
        }
    };
    Claim {
        promise,
        range: passage.source(start, end),
        phrase: passage.text[start..end].split_whitespace().collect::<Vec<_>>().join(" "),
        confidence,
        reason,
        suggestion: suggestion.to_owned(),
    }
}
