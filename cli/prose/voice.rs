//! Who speaks, and in which manner.
//!
//! In: a phrase in its place. Out: a [`Voice`]. It tells a statement of the project from a question, a quotation, a
//! criticism, a definition, a plan, a title, a choice of modes, and a statement about somebody else's product.

use std::ops::Range;

use super::cell::cell;
use super::explained::{
    contrasted, defined, enumerated, explained_before, explained_next, named_level, pointed_to, postponed, taught,
};
use super::grammar::{Verb, verb};
use super::lexicon::Cue;
use super::passage::Shape;
use super::place::silent_place;
use super::view::{Places, View};

/// The manner of a phrase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Voice {
    /// the project states it
    Own,
    /// one of several modes to choose from
    Choice,
    /// an option that somebody can turn on
    Option,
    /// the topic of a section
    Topic,
    /// a question that is answered by *yes*
    Answered,
    /// words that are not a sentence, as a caption
    Fragment,
    /// somebody else's product is said to do it
    Other,
    /// it was so, or is said to be tested
    Report,
    /// nothing is claimed
    Silent,
}

/// Tells the voice of a phrase.
pub(super) fn voice(view: &View<'_>) -> Voice {
    let asked = asked(view);
    if silent_place(view)
        || postponed(view)
        || (asked && !affirmed(view))
        || criticised(view)
        || quoted(view)
        || defined(view)
        || contrasted(view)
        || pointed_to(view)
        || taught(view)
        || denied_below(view)
    {
        return Voice::Silent;
    }
    if let Some(voice) = cell(view) {
        return voice;
    }
    if explained_before(view) || explained_next(view) {
        return Voice::Silent;
    }
    if told_as_history(view) || tested(view) {
        return Voice::Report;
    }
    if of_another(view) || of_any(view) {
        return Voice::Other;
    }
    if named_level(view) {
        let listed = view.reading().has(Cue::OtherMode, view.sentence());
        return if listed { Voice::Silent } else { Voice::Option };
    }
    if choice(view) {
        return if enumerated(view) { Voice::Silent } else { Voice::Choice };
    }
    if option(view) {
        return Voice::Option;
    }
    match view.passage().shape {
        _ if asked => Voice::Answered,
        Shape::Heading(_) if topic(view) => Voice::Topic,
        Shape::Paragraph if fragment(view) => Voice::Fragment,
        _ => Voice::Own,
    }
}

fn asked(view: &View<'_>) -> bool {
    let reading = view.reading();
    let end = view.sentence().end;
    (view.phrase.end..end).any(|at| reading.is_mark(at, &['?']))
}

/// *### Exactly-once* over ***Not** possible over a network.*: what stands below a heading takes it back at once.
fn denied_below(view: &View<'_>) -> bool {
    let heading = matches!(view.passage().shape, Shape::Heading(_));
    view.below().first().filter(|_| heading).is_some_and(|&number| {
        let reading = &view.readings[number];
        let first = reading.sentences.first().cloned().unwrap_or_default();
        let denial = reading.hits(Cue::NegativePredicate, first.clone()).next();
        reading.is_word(first.start, &["not", "impossible"]) || denial.is_some_and(|hit| hit.start <= first.start + 1)
    })
}

/// *Is each mail sent exactly once? **Yes.***: the answer makes a statement of the question, unless it has an *if*.
fn affirmed(view: &View<'_>) -> bool {
    let (_, after) = view.neighbours();
    // the answer to a heading, or to a paragraph that is nothing but the question, stands below it
    let below = match view.passage().shape {
        Shape::Heading(_) => view.below(),
        _ => (view.number + 1..view.readings.len()).take(usize::from(after.is_empty())).collect(),
    };
    let sentences = |number: usize| view.readings[number].sentences.iter().map(move |range| (number, range.clone()));
    let answer: Places = after.into_iter().chain(below.into_iter().flat_map(sentences)).collect();
    let affirms = answer.first().is_some_and(|(number, range)| {
        let reading = &view.readings[*number];
        // *A: Yes.*
        let labelled = reading.is_mark(range.start + 1, &[':']);
        let first = range.start + if labelled { 2 } else { 0 };
        reading.hits(Cue::Affirmation, range.clone()).any(|hit| hit.start == first)
    });
    let limits = [
        Cue::Condition,
        Cue::Boundary,
        Cue::Vacuous,
        Cue::FailureMode,
        Cue::WindowWord,
        Cue::OtherMode,
        Cue::Negator,
        Cue::Subordinator,
    ];
    affirms
        && !answer.iter().take(MAX_ANSWER).any(|(number, range)| {
            limits.iter().any(|&cue| {
                let reading = &view.readings[*number];
                reading.hits(cue, range.clone()).any(|hit| !reading.overlaps(Cue::NotNegation, hit.start..hit.end))
            }) || range.clone().any(|at| view.readings[*number].is_word(at, &["but", "only"]))
        })
}

/// Sentences of an answer that are asked whether they take anything back.
const MAX_ANSWER: usize = 8;

fn criticised(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let idiom = |start: usize| start > 0 && reading.is_word(start - 1, &["no"]);
    if reading.hits(Cue::Criticism, sentence.clone()).any(|hit| !idiom(hit.start)) {
        return true;
    }
    // *… claimed exactly-once delivery. We dropped the claim.*
    let (_, after) = view.neighbours();
    if reading.has(Cue::Speech, view.before())
        && after.first().is_some_and(|(number, range)| view.readings[*number].has(Cue::Criticism, range.clone()))
    {
        return true;
    }
    // *Wrong: …*
    let label = (sentence.start..sentence.end.min(sentence.start + 4)).find(|&at| reading.is_mark(at, &[':']));
    let labelled = label.is_some_and(|colon| {
        let words = sentence.start..colon;
        let whole =
            reading.hits(Cue::BadLabel, words.clone()).any(|hit| hit.start <= words.start + 1 && hit.end == words.end);
        colon < view.phrase.start && whole
    });
    if labelled {
        return true;
    }
    let near = view.phrase.start.saturating_sub(3).max(sentence.start)..(view.head().end + 2).min(sentence.end);
    // a label that is bought, a claim that is paid: what is done with it says that no wording is meant
    let handled = |from: usize| {
        from < view.phrase.start
            && matches!(verb(view, from..view.phrase.start), Some(Verb::Delivery | Verb::External | Verb::Weak))
    };
    if reading.hits(Cue::MetaNoun, near).any(|hit| !handled(hit.end)) {
        return true;
    }
    if quotes_around(view).is_some() && reading.has(Cue::MetaNoun, sentence.clone()) {
        return true;
    }
    // *vendors promise …*: somebody is the subject of a verb of speech, and the phrase is what he says
    let before = view.before();
    reading.hits(Cue::OtherSpeaker, before.clone()).any(|hit| {
        let speech = reading.hits(Cue::Speech, hit.end..before.end.min(hit.end + 6)).next();
        speech.is_some_and(|speech| !(speech.end..before.end).any(|at| reading.is_mark(at, &[';', '—', '.'])))
    })
}

/// The tokens between the quote marks around the phrase.
fn quotes_around(view: &View<'_>) -> Option<Range<usize>> {
    let reading = view.reading();
    let all = reading.all();
    let quote = |at: &usize| reading.is_mark(*at, &['"']);
    let opening = (all.start..view.phrase.start).rev().find(quote)?;
    let closing = (view.phrase.end..all.end).find(quote)?;
    // an even number of marks before it: the nearest one closes an earlier quotation
    let marks = (all.start..view.phrase.start).filter(quote).count();
    (marks % 2 == 1).then_some(opening + 1..closing)
}

/// Somebody's words rather than a word in marks: a selling point in quote marks stays one.
fn quoted(view: &View<'_>) -> bool {
    let Some(inside) = quotes_around(view) else {
        return false;
    };
    let reading = view.reading();
    let more = inside.len() > view.phrase.len() + view.head().len() + 2;
    let whole = inside.start <= 1 + view.sentence().start;
    let attributed = reading.has(Cue::Speech, view.sentence().start..inside.start);
    // *it was written that "…"*: whoever said so
    let reported = inside.start > 1 && reading.is_word(inside.start - 2, &["that"]);
    more && (whole || attributed || reported)
}

fn told_as_history(view: &View<'_>) -> bool {
    let passages = &view.document.passages;
    view.passage().section.iter().any(|&number| {
        let reading = &view.readings[number];
        let version = reading.tokens.iter().take(3).any(|token| {
            let digits = token.word.trim_start_matches('v');
            digits.matches('.').count() >= 1
                && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
                && digits.len() >= 3
        });
        reading.has(Cue::HeadingHistory, reading.all()) || (version && passages[number].text.len() < 60)
    })
}

fn tested(view: &View<'_>) -> bool {
    let reading = view.reading();
    let clause = view.clause();
    let heading = (view.passage().section.iter())
        .any(|&number| view.readings[number].has(Cue::HeadingTests, view.readings[number].all()));
    // *will support …* is a plan; *will be delivered …* is a specification
    let offers_later = |range: Range<usize>| {
        range.into_iter().any(|at| reading.is_word(at, &["will"]) && reading.has(Cue::OfferVerb, at + 1..at + 2))
    };
    // what stands in brackets explains what stands before them
    let bracket =
        view.before().rev().take_while(|&at| !reading.is_mark(at, &[')'])).find(|&at| reading.is_mark(at, &['(']));
    let planned = (offers_later(clause.start..view.phrase.start) && !view.head().is_empty())
        // *in a future version, it **will** be …*
        || (reading.has(Cue::HeadingPlans, view.before()) && view.before().any(|at| reading.is_word(at, &["will"])))
        || bracket.is_some_and(|bracket| offers_later(view.sentence().start..bracket));
    // *Tests: a replay → no double charge*
    let first = view.sentence().start;
    let labelled = reading
        .hits(Cue::HeadingTests, first..view.phrase.start.min(first + 3))
        .any(|hit| hit.start == first && reading.is_mark(hit.end, &[':']));
    heading
        || labelled
        || planned
        || reading.has(Cue::CheckVerb, clause.start.max(view.phrase.start.saturating_sub(10))..view.phrase.start)
}

/// Whether the sentence speaks of a known product that is not the document's own.
fn of_another(view: &View<'_>) -> bool {
    let reading = view.reading();
    let own_title = |hit: super::reading::Hit| {
        let name = &reading.tokens[hit.start].stem;
        if view.own.contains(&reading.tokens[hit.start].word) {
            return true;
        }
        let title = view.document.passages.iter().position(|passage| matches!(passage.shape, Shape::Heading(0 | 1)));
        // *Kestrel vs. Kafka* names both
        let compares = |number: usize| view.readings[number].has(Cue::HeadingCompares, view.readings[number].all());
        title
            .filter(|&number| !compares(number))
            .is_some_and(|number| view.readings[number].tokens.iter().any(|token| token.stem == *name))
    };
    let clause = view.clause();
    let subject = reading.hits(Cue::OtherProduct, clause.start..view.phrase.start).any(|hit| {
        let preposition =
            (hit.start.saturating_sub(2)..hit.start).any(|at| reading.has(Cue::OtherPreposition, at..at + 1));
        !preposition && !own_title(hit)
    });
    subject && !reading.has(Cue::Own, clause.start..view.phrase.start)
}

/// *Run on **one that** provides …*: whoever it may be.
fn of_any(view: &View<'_>) -> bool {
    let reading = view.reading();
    (view.clause().start..view.phrase.start).any(|at| {
        reading.is_word(at, &["one", "something", "anything", "anyone", "someone", "those"])
            && reading.is_word(at + 1, &["that", "which", "who"])
            && reading.has(Cue::OfferVerb, at + 2..at + 4)
    })
}

/// `At-least-once or exactly-once`: a list of modes.
fn choice(view: &View<'_>) -> bool {
    let reading = view.reading();
    // *The strict **mode** delivers exactly once; the fast **mode** …*
    let modes = |range: Range<usize>| range.into_iter().any(|at| reading.is_word(at, &["mode", "modes"]));
    let (clause, sentence) = (view.clause(), view.sentence());
    if modes(clause.start..view.phrase.start)
        && (modes(sentence.start..clause.start) || modes(clause.end..sentence.end))
    {
        return true;
    }
    reading.hits(Cue::OtherMode, view.sentence()).any(|hit| {
        let between = match hit.start < view.phrase.start {
            true => hit.end..view.phrase.start,
            false => view.phrase.end..hit.start,
        };
        let negated = reading.has_any(&[Cue::Negator, Cue::NegativeWord], hit.start.saturating_sub(3)..hit.start);
        let joined = between
            .clone()
            .any(|at| reading.is_word(at, &["or", "and", "to"]) || reading.is_mark(at, &[',', '/', '&', '|']));
        between.len() <= 8 && joined && !negated
    })
}

/// `Enable exactly-once mode`: something that can be turned on is named.
pub(super) fn option(view: &View<'_>) -> bool {
    let reading = view.reading();
    let head = view.head();
    let near = view.phrase.start.saturating_sub(4).max(view.sentence().start)..view.phrase.start;
    let named = reading.has(Cue::OptionWord, head.start..(head.end + 1).min(view.sentence().end));
    let state = reading.has(Cue::Enabled, head.end..(head.end + 3).min(view.sentence().end));
    // *When set to `true`, …*, *If enabled, …*
    let first = view.sentence().start;
    let comma = (first..view.phrase.start.min(first + 8)).find(|&at| reading.is_mark(at, &[',']));
    let set =
        reading.is_word(first, &["when", "if"]) && comma.is_some_and(|comma| reading.has(Cue::Enabled, first..comma));
    // *to all **configured** webhooks* is no setting
    let nouns = [Cue::ExternalNoun, Cue::MessageNoun, Cue::WeakNoun];
    let turned = reading.hits(Cue::Enabled, near).any(|hit| {
        let determined = hit.start > 0 && reading.has(Cue::Determiner, hit.start - 1..hit.start);
        !(determined && (hit.end..hit.end + 2).any(|at| nouns.iter().any(|&noun| reading.starts(noun, at))))
    });
    named || set || (state && !head.is_empty()) || turned
}

/// A heading that names a topic rather than says something.
fn topic(view: &View<'_>) -> bool {
    let reading = view.reading();
    let exclaims = view.sentence().any(|at| reading.is_mark(at, &['!'])) || reading.sentences.len() > 1;
    !exclaims && !reading.has(Cue::Auxiliary, view.sentence())
}

/// A paragraph without a verb and without an end.
fn fragment(view: &View<'_>) -> bool {
    let reading = view.reading();
    let verbs = [Cue::Auxiliary, Cue::OfferVerb, Cue::DeliveryVerb, Cue::WeakVerb, Cue::ExternalVerb];
    let end = view.sentence().end - 1;
    reading.sentences.len() == 1 && !reading.is_mark(end, &['.', '!', ':']) && !reading.has_any(&verbs, reading.all())
}
