//! Whether a phrase speaks of delivery at all.
//!
//! In: a phrase in its place. Out: the [`Sense`], or nothing where things are merely counted (a closure is called, a pixel
//! visited, a header sent exactly once). It asks which noun the phrase belongs to and which verb it modifies.

use std::ops::Range;

use super::TextKind;
use super::grammar::{Noun, Verb, noun, noun_in, subject_in, verb};
use super::lexicon::Cue;
use super::passage::Shape;
use super::reading::Kind;
use super::view::View;
use crate::findings::Confidence;

/// What a phrase about delivery is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sense {
    /// something that a system outside does: no transaction of one's own bounds that
    pub(super) external: bool,
    /// how sure the sense is
    pub(super) ceiling: Confidence,
}

/// How many sentences back a pronoun may point.
const REMEMBERED: usize = 3;

/// Asks for the sense of a phrase.
pub(super) fn sense(view: &View<'_>) -> Option<Sense> {
    if matches!(view.passage().shape, Shape::Keyword) {
        return Some(Sense { external: false, ceiling: Confidence::Possible });
    }
    if per_counting_unit(view)
        || conceded_of_counting(view)
        || of_code(view)
        || of_value(view)
        || of_callback(view)
        || run_once(view)
        || cardinal(view)
    {
        return None;
    }
    match view.cue {
        Cue::NoRepeat => no_repeat(view),
        _ => match attributive(view) {
            Some(head) => of_head(view, head),
            None => adverbial(view),
        },
    }
}

fn yes(external: bool, ceiling: Confidence) -> Option<Sense> {
    Some(Sense { external, ceiling })
}

/// *once per connection* counts, *once per order* does not.
fn per_counting_unit(view: &View<'_>) -> bool {
    let reading = view.reading();
    let from = view.phrase.end;
    let direct = reading.is_word(from, &["per", "every", "each", "a"])
        || (reading.is_word(from, &["for", "in"]) && reading.is_word(from + 1, &["each", "every", "a"]));
    let end = (from + 1..from + 4).find(|&at| reading.is_word(at, &["and", "or"])).unwrap_or(from + 4);
    // *twice on the same connection*
    let same = reading.is_word(from, &["on", "in", "within", "over"])
        && (from + 1..from + 3).any(|at| reading.is_word(at, &["same", "one", "single", "a"]))
        && (from + 2..from + 4).any(|at| {
            reading
                .is_word(at, &["connection", "process", "thread", "session", "page", "file", "line", "test", "program"])
        });
    let same = same
        || (reading.is_word(from, &["for", "per", "in"])
            && reading.is_word(from + 1, &["the"])
            && reading.is_word(from + 2, &["same"])
            && reading.has(Cue::CountingUnit, from + 3..from + 4));
    // *stored exactly once on each replica*
    let copied = reading.is_word(from, &["on", "in", "at"])
        && reading.is_word(from + 1, &["each", "every"])
        && reading.has(Cue::StoragePlace, from + 2..from + 4)
        && reading.has(Cue::StorageVerb, view.phrase.start.saturating_sub(2)..view.phrase.start);
    same || copied || (direct && reading.has(Cue::CountingUnit, from + 1..end))
}

/// *Has a `title` exactly once*: the code itself is counted.
fn of_code(view: &View<'_>) -> bool {
    let reading = view.reading();
    let at = view.phrase.start;
    at > view.sentence().start && reading.tokens[at - 1].kind == Kind::Code && view.head().is_empty() && !durable(view)
}

/// *It starts in `Open` and moves exactly once **to `Shut`***: a value of the code becomes another.
fn of_value(view: &View<'_>) -> bool {
    let reading = view.reading();
    let (before, after) = (view.phrase.start.saturating_sub(1), view.phrase.end);
    let moves = reading.is_word(
        before,
        &["transitions", "transition", "moves", "move", "switches", "switch", "flips", "changes", "goes"],
    ) && reading.is_word(after, &["to", "into", "from"]);
    let small = |at: usize| reading.is_word(at, &["either", "the", "a"]) || reading.is_mark(at, &['[']);
    let named = (after + 1..after + 5).find(|&at| !small(at)).and_then(|at| reading.tokens.get(at));
    let left = view.clause().start..view.phrase.start;
    view.kind == TextKind::Rust
        && moves
        && named.is_some_and(|token| token.kind == Kind::Code)
        && !matches!(noun(view, left), Some(Noun::External | Noun::Message))
}

/// *`on_done` is the ack; the path **fires it** exactly once*: a function that is handed in is called, and calls are counted.
fn of_callback(view: &View<'_>) -> bool {
    let reading = view.reading();
    let at = view.phrase.start;
    let sentence = view.sentence();
    view.kind == TextKind::Rust
        && at > sentence.start + 1
        && reading.is_word(at - 1, &["it"])
        && reading.has(Cue::CallbackVerb, at - 2..at - 1)
        && reading.tokens[sentence.start..at].iter().any(|token| token.kind == Kind::Code)
}

/// *Runs the job exactly once **and returns***: what one call does.
fn run_once(view: &View<'_>) -> bool {
    let reading = view.reading();
    let at = view.phrase.end + usize::from(reading.is_mark(view.phrase.end, &[',']));
    // *sends it exactly once, **without retries***: one attempt
    let single = reading.is_word(at, &["without"])
        && (at + 1..at + 3).any(|at| reading.is_word(at, &["retry", "retries", "retrying", "repeating"]));
    // *fires exactly once and is then removed*
    let over = !durable(view)
        && reading.is_word(at, &["and"])
        && reading.is_word(at + 1, &["is", "are"])
        && (at + 2..at + 4).any(|at| {
            reading.is_word(
                at,
                &["removed", "dropped", "discarded", "deleted", "freed", "forgotten", "gone", "disarmed", "disabled"],
            )
        });
    single
        || over
        || reading.is_word(at, &["and", "then"])
            && (at + 1..at + 3).any(|at| {
                reading.is_word(
                    at,
                    &["return", "returns", "exit", "exits", "quit", "quits", "stop", "stops", "terminates"],
                )
            })
}

/// *Only once, even though two bindings match*: what is conceded is no repetition, so nothing is said about repeats.
fn conceded_of_counting(view: &View<'_>) -> bool {
    let reading = view.reading();
    let concedes = reading.is_word(view.phrase.start, &["only"])
        && reading.is_word(view.phrase.end - 1, &["if", "when", "after", "though"]);
    let rest = view.phrase.end..view.sentence().end;
    let repeats = rest.clone().any(|at| {
        reading
            .is_word(at, &["again", "twice", "times", "several", "multiple", "duplicate", "duplicates", "repeatedly"])
    });
    concedes && !repeats && !reading.has_any(&[Cue::FailureWord, Cue::DurableContext], rest)
}

/// The noun phrase that the phrase is an adjective of; `None` where it is an adverb.
fn attributive(view: &View<'_>) -> Option<Range<usize>> {
    let head = view.head();
    let named = view.reading().has_any(&[Cue::DeliveryNoun, Cue::ExternalNoun, Cue::MessageNoun], head.clone());
    match view.cue {
        Cue::SingleExecution => Some(view.phrase.clone()),
        _ if view.hyphenated() || (named && !head.is_empty()) => Some(head),
        // *Kestrel **is** exactly once*
        _ if is_predicate(view) => Some(view.phrase.end..view.phrase.end),
        // a phrase whose own last word is the noun: exactly one delivery
        _ if named_inside(view) => Some(view.phrase.clone()),
        _ => None,
    }
}

/// Whether the phrase is what something is said to be, rather than how often something is done.
fn is_predicate(view: &View<'_>) -> bool {
    let reading = view.reading();
    let at = view.phrase.start;
    // only the term of art is a predicate: nothing *is* effectively once in the plain sense
    let term = view.cue == Cue::EffectivelyOnce;
    at > view.sentence().start + 1
        && reading.is_word(at - 1, &["is", "are"])
        && (term || reading.tokens[at - 2].capital)
        && !reading
            .has_any(&[Cue::WeakVerb, Cue::DeliveryVerb, Cue::CountingVerb], view.phrase.end..view.phrase.end + 1)
}

/// Whether it only says how many there are: *an order **has** exactly one payment*, *exactly one payment **method***.
fn cardinal(view: &View<'_>) -> bool {
    let (reading, before) = (view.reading(), view.phrase.start.saturating_sub(1));
    let owned = view.phrase.start > view.sentence().start
        && reading.is_word(
            before,
            &[
                "has", "have", "had", "with", "is", "are", "be", "need", "needs", "require", "requires", "return",
                "returns", "contains", "of",
            ],
        );
    let compound = reading.tokens.get(view.phrase.end).is_some_and(|token| token.kind == Kind::Word)
        && !view.head().is_empty()
        && !reading.has_any(
            &[Cue::Negator, Cue::NegativeSubject, Cue::NotNegation, Cue::WeakVerb],
            view.phrase.end..view.phrase.end + 2,
        );
    reading.is_word(view.phrase.end - 2, &["one"]) && (owned || compound)
}

fn named_inside(view: &View<'_>) -> bool {
    view.reading().has_any(&[Cue::DeliveryNoun, Cue::ExternalNoun], view.phrase.end - 1..view.phrase.end)
}

fn of_head(view: &View<'_>, head: Range<usize>) -> Option<Sense> {
    let reading = view.reading();
    let clause = view.clause();
    let external = reading.has(Cue::ExternalNoun, clause.clone());
    if reading.has_any(&[Cue::DeliveryNoun, Cue::ExternalNoun, Cue::MessageNoun], head.clone()) {
        return yes(external, Confidence::Certain);
    }
    if head.is_empty() {
        // *is exactly-once*, *offers exactly-once*: the noun is elsewhere
        // *zero-copy* is no copy
        let counted = reading
            .hits(Cue::CountingNoun, clause.start..view.phrase.start)
            .any(|hit| !reading.tokens[hit.start].joined)
            && !durable(view);
        let told = reading.has_any(
            &[Cue::DeliveryNoun, Cue::ExternalNoun, Cue::MessageNoun, Cue::WeakNoun, Cue::OfferVerb],
            view.sentence(),
        ) || durable(view);
        return match (counted, told) {
            (true, _) => None,
            (false, true) => yes(external || reading.has(Cue::ExternalVerb, clause), Confidence::Certain),
            (false, false) => yes(external, Confidence::Likely),
        };
    }
    if reading.has(Cue::WeakNoun, head.clone()) {
        return yes(external, weak_ceiling(view));
    }
    if reading.has(Cue::CountingNoun, head) || in_process(view) {
        return None;
    }
    yes(external, Confidence::Likely)
}

fn adverbial(view: &View<'_>) -> Option<Sense> {
    let reading = view.reading();
    let clause = view.clause();
    // *only ever **get the order** once*: verb and object stand inside the phrase
    let wide = view.phrase.len() > 4;
    let left = clause.start..if wide { view.phrase.end - 1 } else { view.phrase.start };
    // *Exactly once: …*, *Precisely once, …*: what the phrase says of stands behind the sign
    let label = left.is_empty() && reading.is_mark(view.phrase.end, &[':', '—', ',']);
    let right = match label {
        true => view.phrase.end + 1..view.sentence().end.min(view.phrase.end + 12),
        false => view.phrase.end..clause.end,
    };
    let verb_end = if label { right.end } else { right.end.min(right.start + 2) };
    let verb = verb(view, left.clone()).or_else(|| verb(view, right.start..verb_end));
    let nearest = noun(view, left.clone()).or_else(|| noun_in(view, predicate(view, right.clone())));
    if verb == Some(Verb::Counting) {
        return made(view, left, nearest);
    }
    let external_verb = verb == Some(Verb::External);
    let nearest = nearest.or_else(|| shortened(view));
    if let Some(noun) = nearest {
        return of_noun(view, noun, verb, external_verb);
    }
    if external_verb {
        return yes(true, if in_process(view) { Confidence::Possible } else { Confidence::Certain });
    }
    // no known noun in the clause: a pronoun, or a word that nobody told us
    let earlier = view.sentence().start..clause.start;
    if verb.is_none() && left.is_empty() && view.sentence().len() <= 6 {
        return fragment(view);
    }
    // a pronoun goes back to the subject
    if let Some(noun) = subject_in(view, earlier) {
        return of_noun(view, noun, verb, false).map(|sense| weaker(sense, view));
    }
    let pronoun = left
        .clone()
        .any(|at| reading.is_word(at, &["it", "they", "them", "this", "one", "which", "these", "each", "those"]));
    let omitted = left.len() <= 2;
    if pronoun || omitted {
        let (before, _) = view.neighbours();
        let earlier = view.number.checked_sub(1).and_then(|number| {
            let sentence = view.readings[number].sentences.last()?.clone();
            Some((number, sentence))
        });
        let known = (before.iter().rev().take(REMEMBERED).cloned().chain(earlier.filter(|_| before.is_empty())))
            .chain(view.above().map(|number| (number, view.readings[number].all())));
        for (number, range) in known.chain(view.row().into_iter().map(|number| (number, view.readings[number].all()))) {
            let there = View { number, phrase: range.end..range.end, ..view.clone() };
            if let Some(noun) = noun_in(&there, range) {
                return of_noun(view, noun, verb, false).map(|sense| weaker(sense, view));
            }
        }
    }
    match (verb, view.kind) {
        _ if in_process(view) => None,
        // Nobody counts the calls of a function with words that only those use who know of repeats.
        (Some(Verb::Delivery), TextKind::Rust) if !durable(view) && view.cue != Cue::EffectivelyOnce => {
            yes(false, Confidence::Possible)
        }
        (Some(Verb::Delivery), _) => yes(false, Confidence::Likely),
        // *effectively* says that more than the count is meant
        (Some(Verb::Weak), _) if view.cue == Cue::EffectivelyOnce => yes(false, Confidence::Likely),
        (Some(Verb::Weak), TextKind::Rust) if repeats_conceded(view) => yes(false, Confidence::Likely),
        (Some(Verb::Weak), TextKind::Rust) if durable(view) => yes(false, Confidence::Possible),
        (Some(Verb::Weak), _) if durable(view) => yes(false, Confidence::Likely),
        // *At most once, at least once, exactly once*: the modes themselves are all that is said
        _ if reading.has(Cue::OtherMode, view.sentence()) => yes(false, modes_ceiling(view)),
        // *runs exactly once per order id*: only the identity says what runs
        _ if matches!(noun_in(view, right), Some(Noun::External | Noun::Message)) => yes(false, Confidence::Possible),
        _ => None,
    }
}

/// *Receipts are **printed** exactly once*: what is meant for somebody outside is not counted when it is made.
fn made(view: &View<'_>, left: Range<usize>, nearest: Option<Noun>) -> Option<Sense> {
    let making = view.reading().has(Cue::MakingVerb, left) && nearest == Some(Noun::External) && !in_process(view);
    let told = view.kind != TextKind::Rust || durable(view);
    making.then_some(Sense { external: true, ceiling: if told { Confidence::Likely } else { Confidence::Possible } })
}

/// *Outgoing **text messages**. Every **text** …*: the first word of a name takes up the whole of it.
fn shortened(view: &View<'_>) -> Option<Noun> {
    let reading = view.reading();
    let clause = view.clause();
    let subject = (clause.start..view.phrase.start)
        .find(|&at| reading.is_word(at, &["every", "each", "all"]) && reading.tokens[at + 1].kind == Kind::Word)?;
    let stem = &reading.tokens[subject + 1].stem;
    let named = |number: usize, cue: Cue| {
        let earlier = &view.readings[number];
        earlier.hits(cue, earlier.all()).any(|hit| hit.end > hit.start + 1 && earlier.tokens[hit.start].stem == *stem)
    };
    let near = view.number.saturating_sub(REMEMBERED)..view.number + 1;
    let found = |cue: Cue| near.clone().chain(view.above()).any(|number| named(number, cue));
    [(Cue::ExternalNoun, Noun::External), (Cue::MessageNoun, Noun::Message)]
        .into_iter()
        .find_map(|(cue, noun)| found(cue).then_some(noun))
}

/// Whether it is to hold however often the same is done again, where more than a call of a function is spoken of.
fn repeats_conceded(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let again = |start: usize| reading.has(Cue::RepeatWord, start..sentence.end);
    let handed_on = || durable(view) || matches!(noun_in(view, view.after()), Some(Noun::External | Noun::Message));
    reading.hits(Cue::Concession, sentence.clone()).any(|hit| again(hit.start)) && handed_on()
}

/// A bare list of modes is about delivery where its surroundings are.
fn modes_ceiling(view: &View<'_>) -> Confidence {
    let about = |number: usize| {
        let reading = &view.readings[number];
        reading.has_any(&[Cue::DeliveryNoun, Cue::MessageNoun, Cue::ExternalNoun], reading.all())
    };
    match durable(view) || view.row().into_iter().chain(view.above()).any(about) {
        true => Confidence::Likely,
        false => Confidence::Possible,
    }
}

/// What follows the phrase in the same predicate.
fn predicate(view: &View<'_>, right: Range<usize>) -> Range<usize> {
    let reading = view.reading();
    let end = right
        .clone()
        .find(|&at| reading.is_mark(at, &[',', '(']) || reading.is_word(at, &["and", "or", "then", "per"]));
    right.start..end.unwrap_or(right.end).min(right.start + 8)
}

fn weaker(sense: Sense, view: &View<'_>) -> Sense {
    let ceiling = match sense.ceiling {
        ceiling if view.kind == TextKind::Rust && durable(view) => ceiling.min(Confidence::Likely),
        _ if view.kind == TextKind::Rust && !sense.external && view.cue != Cue::EffectivelyOnce => Confidence::Possible,
        ceiling if view.kind == TextKind::Rust => ceiling.min(Confidence::Likely),
        Confidence::Certain if durable(view) => Confidence::Certain,
        ceiling => ceiling.min(Confidence::Likely),
    };
    Sense { ceiling, ..sense }
}

fn of_noun(view: &View<'_>, noun: Noun, verb: Option<Verb>, external_verb: bool) -> Option<Sense> {
    let clause = view.clause();
    let external = noun == Noun::External
        || external_verb
        || (view.reading().has(Cue::ExternalNoun, clause) && noun != Noun::Counting);
    let handed_on = matches!(verb, Some(Verb::Delivery | Verb::External));
    match noun {
        Noun::Counting if external_verb && (view.kind != TextKind::Rust || durable(view)) => {
            yes(true, Confidence::Likely)
        }
        Noun::Counting if verb == Some(Verb::Delivery) && durable(view) && !in_process(view) => {
            yes(external, Confidence::Likely)
        }
        Noun::Counting if verb.is_some() && outlives_process(view) && !in_process(view) => {
            yes(external, Confidence::Likely)
        }
        Noun::Counting => None,
        _ if in_process(view) || (noun == Noun::Weak && named_by_code(view)) => None,
        Noun::External => yes(true, Confidence::Certain),
        // most of what Rust documentation counts happens inside one process
        Noun::Message | Noun::Weak if view.kind == TextKind::Rust && !external && !(durable(view) && handed_on) => yes(
            external,
            if noun == Noun::Message || durable(view) || handed_on { Confidence::Likely } else { Confidence::Possible },
        ),
        Noun::Message => yes(external, Confidence::Certain),
        Noun::Weak if external => yes(true, Confidence::Certain),
        Noun::Weak if handed_on => yes(external, weak_ceiling(view)),
        Noun::Weak => yes(external, weak_ceiling(view)),
    }
}

/// A concession that names the end of a process, *also when its worker is restarted*: nobody counts calls beyond that.
fn outlives_process(view: &View<'_>) -> bool {
    let (reading, end) = (view.reading(), view.sentence().end);
    reading.hits(Cue::Concession, view.phrase.end..end).any(|hit| reading.has(Cue::ProcessEnd, hit.end..end))
}

/// *`promise.then` handlers*: a thing of the code, where no other system is spoken of.
fn named_by_code(view: &View<'_>) -> bool {
    let reading = view.reading();
    let left = view.clause().start..view.phrase.start;
    let named =
        reading.hits(Cue::WeakNoun, left).any(|hit| hit.start > 0 && reading.tokens[hit.start - 1].kind == Kind::Code);
    named && !durable(view)
}

/// Words that also name things inside one process need a sign that more than one system is meant.
fn weak_ceiling(view: &View<'_>) -> Confidence {
    // *the hook fires exactly once, when the component mounts*
    let counted = view.reading().has(Cue::CountingNoun, view.after());
    match durable(view) {
        true => Confidence::Certain,
        false if counted => Confidence::Possible,
        false => Confidence::Likely,
    }
}

/// A phrase that stands alone: a slogan, a cell, a heading.
fn fragment(view: &View<'_>) -> Option<Sense> {
    for number in view.row().into_iter().chain(view.above()) {
        let reading = &view.readings[number];
        if reading.has_any(&[Cue::ExternalNoun], reading.all()) {
            return yes(true, Confidence::Certain);
        }
        if reading.has_any(&[Cue::DeliveryNoun, Cue::MessageNoun], reading.all()) {
            return yes(false, Confidence::Certain);
        }
        if reading.has(Cue::CountingNoun, reading.all())
            && !reading.has(Cue::WeakNoun, reading.all())
            && matches!(view.passage().shape, Shape::Cell { .. })
        {
            return None;
        }
    }
    match view.kind {
        TextKind::Rust if !durable(view) => yes(false, Confidence::Possible),
        _ => yes(false, Confidence::Likely),
    }
}

fn no_repeat(view: &View<'_>) -> Option<Sense> {
    let reading = view.reading();
    let clause = view.clause();
    let inner = view.phrase.clone();
    let external_verb = reading.has(Cue::ExternalVerb, inner.clone());
    let external = external_verb || reading.has(Cue::ExternalNoun, clause.clone());
    let twice = reading.is_word(inner.end - 1, &["twice", "time", "times", "once"]);
    let inside = if twice { verb(view, inner.clone()) } else { None };
    let verb = inside.or_else(|| verb(view, clause.start..inner.start));
    if verb == Some(Verb::Counting) && !external_verb && twice {
        return None;
    }
    // *at most once: never delivered more than once, and perhaps lost* promises less
    let more_than_once = reading.is_word(inner.end - 1, &["once"]);
    let may_be_lost = |number: usize, range: &Range<usize>| {
        let reading = &view.readings[number];
        reading.has(Cue::OtherMode, range.clone())
            || range.clone().any(|at| reading.is_word(at, &["lost", "loss", "lose"]))
    };
    if more_than_once && view.surroundings().iter().any(|(number, range)| may_be_lost(*number, range)) {
        return None;
    }
    let nearest = noun_in(view, inner.clone())
        .or_else(|| noun(view, clause.start..inner.start))
        .or_else(|| noun_in(view, inner.end..clause.end))
        .or_else(|| noun_in(view, view.sentence().start..clause.start))
        .or_else(|| noun_in(view, clause.end..view.sentence().end));
    if nearest == Some(Noun::Counting) && !external_verb {
        return None;
    }
    if in_process(view) {
        return None;
    }
    let handed_on = matches!(verb, Some(Verb::Delivery | Verb::External));
    let known = matches!(nearest, Some(Noun::External | Noun::Message));
    let told = match twice {
        true => {
            handed_on
                || (verb.is_some() && (known || (nearest.is_some() && (durable(view) || view.kind != TextKind::Rust))))
        }
        false => known || handed_on || (nearest.is_some() && (durable(view) || view.kind != TextKind::Rust)),
    };
    let named = external_verb || (external && (twice || reading.has(Cue::ExternalNoun, inner)));
    let ceiling = match (named, twice) {
        (true, _) => Confidence::Likely,
        _ if !told => return None,
        (_, true) if view.kind == TextKind::Rust && !durable(view) => Confidence::Possible,
        (_, true) => Confidence::Likely,
        // *nothing is lost, nothing duplicated* is said of what is handed on
        (_, false) if view.kind != TextKind::Rust && nearest.is_some() && kept(view) => Confidence::Likely,
        // *no duplicates* says of a list what it says of a stream
        (_, false)
            if view.kind != TextKind::Rust
                && reading.has_any(&[Cue::DeliveryNoun, Cue::DeliveryVerb], clause)
                && durable(view) =>
        {
            Confidence::Likely
        }
        (_, false) => Confidence::Possible,
    };
    yes(external, ceiling)
}

/// Whether the sentence says of the same that nothing is lost.
fn kept(view: &View<'_>) -> bool {
    view.sentence().any(|at| view.reading().is_word(at, &["lost", "loss", "lose", "loses"]))
}

/// A sign that things are handed from one system to another.
fn durable(view: &View<'_>) -> bool {
    view.any(Cue::DurableContext, &view.surroundings())
}

/// A sign that all of it happens inside one process, and none of the contrary.
fn in_process(view: &View<'_>) -> bool {
    let reading = view.reading();
    let surroundings = view.surroundings();
    // a doc comment speaks of one item: all of it is near
    let comment = view.kind == TextKind::Rust && {
        let from = view.number.saturating_sub(8);
        (from..(view.number + 9).min(view.readings.len()))
            .any(|number| view.readings[number].has(Cue::CountingContext, view.readings[number].all()))
    };
    let near = comment
        || view.any(Cue::CountingContext, &surroundings)
        || (view.above()).any(|number| view.readings[number].has(Cue::CountingContext, view.readings[number].all()));
    // in a doc comment, a closure in the very sentence outweighs a subscriber
    let said = view.kind == TextKind::Rust && reading.has(Cue::CountingContext, view.sentence());
    said || (near && !reading.has(Cue::DurableContext, view.sentence()))
}
