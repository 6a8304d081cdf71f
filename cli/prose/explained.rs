//! Phrases that are explained, named or pointed to rather than used.
//!
//! In: a phrase in its place. Out: yes or no. It tells `exactly-once means …`, `QoS 2 (exactly once)` and `exactly-once: see
//! below` from a statement.

use super::lexicon::Cue;
use super::passage::Shape;
use super::polarity::VERBS;
use super::reading::{Hit, Kind};
use super::view::View;

/// *Please refer to QoS 2: Exactly once delivery*: a title that is pointed to.
pub(super) fn pointed_to(view: &View<'_>) -> bool {
    let reading = view.reading();
    let before = view.before();
    let title = reading.tokens[view.phrase.start].capital && !before.is_empty();
    let points = |at: usize| {
        (reading.is_word(at, &["refer", "refers"]) && reading.is_word(at + 1, &["to"])) || reading.is_word(at, &["see"])
    };
    title && before.clone().any(points)
}

/// *In this chapter we build …*, *exactly-once: **what** it means*: a subject that is taught.
pub(super) fn taught(view: &View<'_>) -> bool {
    let reading = view.reading();
    let at = view.head().end;
    let asks = reading.is_mark(at, &[':', '—', ',']) && reading.is_word(at + 1, &["what", "how", "why"]);
    asks || reading.has(Cue::Lesson, view.before())
}

/// *Exactly-once processing requires …*: the phrase is explained, or its price is named.
pub(super) fn defined(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let mut from = view.head().end;
    // *"exactly-once" **means** …*: whoever says so, the phrase is explained
    let quoted = from..(from + usize::from(reading.is_mark(from, &['"']))).min(sentence.end);
    let meaning = reading.hits(Cue::Meaning, quoted.end..sentence.end).find(|hit| hit.start == quoted.end);
    // *exactly-once means **you never** …* sells what it means
    let sold = |hit: Hit| {
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
            // *at **the** cost of duplicates* is none of its price
            && !reading.has(Cue::Determiner, hit.start - 1..hit.start)
            && !between.clone().any(|at| matches!(reading.tokens[at].kind, Kind::Mark(mark) if mark != '"'))
            && !between.clone().any(|at| reading.is_word(at, &["that", "which", "with", "without", "not", "for"]))
    })
}

/// `At-least-once vs. exactly-once`: a heading that sets two modes against each other says nothing of either.
pub(super) fn contrasted(view: &View<'_>) -> bool {
    let reading = view.reading();
    matches!(view.passage().shape, Shape::Heading(_) | Shape::Summary)
        && reading.has(Cue::OtherMode, view.sentence())
        && view.sentence().any(|at| reading.is_word(at, &["vs", "versus"]))
}

/// *Exactly-once processing is the ability to …. All of it happens exactly once.*: a definition that goes on.
pub(super) fn explained_before(view: &View<'_>) -> bool {
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
pub(super) fn explained_next(view: &View<'_>) -> bool {
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

/// *QoS 2 (exactly once)*: the name of a level.
pub(super) fn named_level(view: &View<'_>) -> bool {
    let reading = view.reading();
    let (start, end) = (view.phrase.start, view.phrase.end);
    start >= 2
        && reading.is_mark(start - 1, &['('])
        && reading.is_mark(end, &[')'])
        && reading.tokens[start - 2].kind == Kind::Number
}

/// *There are three guarantees: …*: the modes that exist, not those that are offered.
pub(super) fn enumerated(view: &View<'_>) -> bool {
    let reading = view.reading();
    let first = reading.hits(Cue::OtherMode, view.sentence()).next().map_or(view.phrase.start, |mode| mode.start);
    let opening = view.sentence().start..first.min(view.phrase.start);
    reading.has(Cue::Enumeration, opening.clone()) && !reading.has(Cue::Own, opening)
}

/// `Exactly-once sinks: coming soon`, `Exactly-once semantics (EOS): see …`.
pub(super) fn postponed(view: &View<'_>) -> bool {
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
