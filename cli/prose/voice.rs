//! Who speaks, and in which manner.
//!
//! In: a phrase in its place. Out: a [`Voice`]. It tells a statement of the project from a question, a quotation, a
//! criticism, a definition, a plan, a title, a choice of modes, and a statement about somebody else's product.

use std::ops::Range;

use super::lexicon::Cue;
use super::passage::{Quote, Shape};
use super::polarity::VERBS;
use super::reading::{Kind, Reading, Token};
use super::view::View;

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
    if silent_place(view)
        || postponed(view)
        || asked(view)
        || criticised(view)
        || quoted(view)
        || defined(view)
        || contrasted(view)
        || pointed_to(view)
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
        Shape::Heading(_) if topic(view) => Voice::Topic,
        Shape::Paragraph if fragment(view) => Voice::Fragment,
        _ => Voice::Own,
    }
}

/// Places where nothing is claimed whatever the words are.
fn silent_place(view: &View<'_>) -> bool {
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
            || reading.has_any(&[Cue::HeadingPlans, Cue::HeadingCriticises], all.clone())
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

/// *Please refer to QoS 2: Exactly once delivery*: a title that is pointed to.
fn pointed_to(view: &View<'_>) -> bool {
    let reading = view.reading();
    let before = view.before();
    let title = reading.tokens[view.phrase.start].capital && !before.is_empty();
    let points = |at: usize| {
        (reading.is_word(at, &["refer", "refers"]) && reading.is_word(at + 1, &["to"])) || reading.is_word(at, &["see"])
    };
    title && before.clone().any(points)
}

fn asked(view: &View<'_>) -> bool {
    let reading = view.reading();
    let end = view.sentence().end;
    (view.phrase.end..end).any(|at| reading.is_mark(at, &['?']))
}

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
    if reading.has(Cue::MetaNoun, near) {
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
    more && (whole || attributed)
}

/// *Exactly-once processing requires …*: the phrase is explained, or its price is named.
fn defined(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let mut from = view.head().end;
    // *"exactly-once" **means** …*: whoever says so, the phrase is explained
    let quoted = from..(from + usize::from(reading.is_mark(from, &['"']))).min(sentence.end);
    let meaning = reading.hits(Cue::Meaning, quoted.end..sentence.end).find(|hit| hit.start == quoted.end);
    // *exactly-once means **you never** …* sells what it means
    let sold = |hit: super::reading::Hit| {
        let at = hit.end + usize::from(reading.is_word(hit.end, &["that"]));
        reading.is_word(at, &["you", "your", "we", "our", "no", "never", "there"])
    };
    if meaning.is_some_and(|hit| !sold(hit)) && !view.before().any(|at| reading.is_word(at, &["so", "this", "that"])) {
        return true;
    }
    // a subject opens its sentence or its clause
    let opens =
        |at: usize| reading.is_word(at, &["and", "or", "that", "because"]) || reading.is_mark(at, &[';', ':', '—']);
    let opening = (view.phrase.start.saturating_sub(2).max(sentence.start)..view.phrase.start).rev();
    let opening = (opening.take_while(|&at| reading.tokens[at].kind == Kind::Word))
        .any(|at| opens(at) && !reading.has_any(&VERBS[..5], at + 1..view.phrase.start))
        || view.phrase.start.checked_sub(1).is_some_and(opens);
    // *anything stronger, say exactly-once, **needs** …*
    let apposed = reading.is_mark(from, &[','])
        && (view.phrase.start.saturating_sub(3).max(sentence.start)..view.phrase.start)
            .any(|at| reading.is_mark(at, &[',']));
    let subject = view.phrase.start <= sentence.start + 2 || opening || apposed;
    if !subject {
        return false;
    }
    from += usize::from(apposed);
    reading.hits(Cue::Definition, from..sentence.end).take_while(|hit| hit.start < from + 6).any(|hit| {
        let between = from..hit.start;
        !reading.overlaps(Cue::NotNegation, hit.start..hit.end)
            && !between.clone().any(|at| matches!(reading.tokens[at].kind, Kind::Mark(mark) if mark != '"'))
            && !between.clone().any(|at| reading.is_word(at, &["that", "which", "with", "without", "not", "for"]))
    })
}

/// *At-least-once vs. exactly-once*: a heading that sets two modes against each other says nothing of either.
fn contrasted(view: &View<'_>) -> bool {
    let reading = view.reading();
    matches!(view.passage().shape, Shape::Heading(_) | Shape::Summary)
        && reading.has(Cue::OtherMode, view.sentence())
        && view.sentence().any(|at| reading.is_word(at, &["vs", "versus"]))
}

/// *Exactly-once processing is the ability to …. All of it happens exactly once.*: a definition that goes on.
fn explained_before(view: &View<'_>) -> bool {
    let reading = view.reading();
    (view.sentence.saturating_sub(2)..view.sentence).any(|sentence| {
        let range = reading.sentences[sentence].clone();
        let opening = range.start..range.end.min(range.start + 4);
        reading
            .hits(Cue::ExactlyOnce, opening.clone())
            .chain(reading.hits(Cue::EffectivelyOnce, opening))
            .any(|hit| defined(&View { sentence, cue: hit.cue, phrase: hit.start..hit.end, ..view.clone() }))
    })
}

/// *The solution is effectively-once. **It is at-least-once** with …*: a name, and what it stands for.
fn explained_next(view: &View<'_>) -> bool {
    let (_, after) = view.neighbours();
    let last = view.head().end + 1 >= view.sentence().end;
    last && after.first().is_some_and(|(number, range)| {
        let reading = &view.readings[*number];
        let start = range.start;
        let pronoun = reading.is_word(start, &["it's"])
            || (reading.is_word(start, &["it", "this", "that"]) && reading.is_word(start + 1, &["is", "means"]));
        pronoun && reading.has(Cue::OtherMode, start..range.end.min(start + 8))
    })
}

/// What a table says with the phrase: a cell next to a label, or a label next to its cells.
fn cell(view: &View<'_>) -> Option<Voice> {
    let Shape::Cell { table, row, column } = view.passage().shape else {
        return None;
    };
    let rows = &view.document.tables[table].rows;
    let header = |column: usize| rows.first().and_then(|header| header.get(column).copied().flatten());
    let own = |column: usize| {
        header(column).is_some_and(|number| view.readings[number].has(Cue::OwnColumn, view.readings[number].all()))
    };
    if row == 0 {
        // the name of a column: what holds is said row by row
        return Some(Voice::Option);
    }
    let cells = rows.get(row)?;
    if column == 0 {
        let first = (1..cells.len()).find(|&column| own(column)).unwrap_or(1);
        let answer = cells.get(first).copied().flatten();
        return Some(match answer.map(|number| answer_of(view, number)) {
            Some(Answer::No) => {
                let others = (1..cells.len()).filter(|&column| column != first).filter_map(|column| cells[column]);
                match others.into_iter().any(|number| answer_of(view, number) == Answer::Yes) {
                    true => Voice::Other,
                    false => Voice::Silent,
                }
            }
            Some(Answer::Yes) => Voice::Own,
            // a longer cell explains the label
            Some(Answer::Text) => Voice::Topic,
            None => Voice::Silent,
        });
    }
    let code_label = cells.first().copied().flatten().is_some_and(|number| {
        let tokens = &view.readings[number].tokens;
        !tokens.is_empty() && tokens.iter().all(|token| matches!(token.kind, Kind::Code | Kind::Mark(_)))
    });
    if code_label && option(view) {
        return Some(Voice::Option);
    }
    if own(column) {
        return None;
    }
    let named = header(column).is_some_and(|number| is_name(&view.readings[number].tokens));
    let another = (1..cells.len()).any(|other| other != column && own(other));
    let compared =
        (view.above()).any(|number| view.readings[number].has(Cue::HeadingCompares, view.readings[number].all()));
    let product =
        header(column).is_some_and(|number| view.readings[number].has(Cue::OtherProduct, view.readings[number].all()));
    (another || product || (compared && named && column > 1)).then_some(Voice::Other)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Text,
}

fn answer_of(view: &View<'_>, number: usize) -> Answer {
    let reading = &view.readings[number];
    let sign = |signs: &[char]| reading.all().any(|at| reading.is_mark(at, signs));
    if sign(&['❌', '✗', '✘', '✖', '🚫', '⛔', '⚠', '🚧', '🔜', '×', '⏳']) {
        return Answer::No;
    }
    if sign(&['✅', '✓', '✔', '☑', '🟢', '👍', '●', '⭐']) {
        return Answer::Yes;
    }
    if reading.has(Cue::CellNo, 0..reading.tokens.len().min(3))
        || reading.tokens.iter().all(|token| matches!(token.kind, Kind::Mark(_)))
    {
        return Answer::No;
    }
    match reading.has(Cue::CellYes, 0..reading.tokens.len().min(2)) || reading.is_word(0, &["x"]) {
        true => Answer::Yes,
        false => Answer::Text,
    }
}

fn is_name(tokens: &[Token]) -> bool {
    (1..=3).contains(&tokens.len()) && tokens[0].capital
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
        || bracket.is_some_and(|bracket| offers_later(view.sentence().start..bracket));
    heading
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

/// *QoS 2 (exactly once)*: the name of a level.
fn named_level(view: &View<'_>) -> bool {
    let reading = view.reading();
    let (start, end) = (view.phrase.start, view.phrase.end);
    start >= 2
        && reading.is_mark(start - 1, &['('])
        && reading.is_mark(end, &[')'])
        && reading.tokens[start - 2].kind == Kind::Number
}

/// *There are three guarantees: …*: the modes that exist, not those that are offered.
fn enumerated(view: &View<'_>) -> bool {
    let reading = view.reading();
    let first = reading.hits(Cue::OtherMode, view.sentence()).next().map_or(view.phrase.start, |mode| mode.start);
    let opening = view.sentence().start..first.min(view.phrase.start);
    reading.has(Cue::Enumeration, opening.clone()) && !reading.has(Cue::Own, opening)
}

/// `Enable exactly-once mode`: something that can be turned on is named.
fn option(view: &View<'_>) -> bool {
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

/// *Exactly-once sinks: coming soon*, *Exactly-once semantics (EOS): see …*.
fn postponed(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let at = view.head().end;
    let end = sentence.end.min(at + 5);
    let later = reading.is_mark(at, &[':', '—', '(', '='])
        && reading.has_any(&[Cue::HeadingPlans, Cue::CellNo], at + 1..end)
        && end == sentence.end;
    // a short name in brackets may stand between
    let closed = (at..end).find(|&at| reading.is_mark(at, &[')'])).filter(|_| reading.is_mark(at, &['(']));
    let sign = closed.map_or(at, |closed| closed + 1);
    let whole = view.phrase.start <= sentence.start + 2;
    later
        || (whole && reading.is_mark(sign, &[':', '—', ',']) && reading.is_word(sign + 1, &["see", "read", "consult"]))
}
