//! Whether a phrase is asserted or denied, supposed, demanded.
//!
//! In: a phrase in its place. Out: yes or no. It knows how far *not*, *if* and *must* reach in an English sentence: to the
//! end of their clause, over lists and insertions, and through *that* behind verbs such as *promise*.

use std::ops::Range;

use super::TextKind;
use super::lexicon::Cue;
use super::passage::Shape;
use super::reading::{Hit, Kind, Reading};
use super::view::View;

/// Verbs of any kind, and what else only a finite clause has.
pub(super) const VERBS: &[Cue] =
    &[Cue::DeliveryVerb, Cue::ExternalVerb, Cue::WeakVerb, Cue::CountingVerb, Cue::OfferVerb, Cue::Auxiliary];

/// Signs for *no*.
pub(super) const CROSSED: [char; 6] = ['❌', '✗', '✘', '🚫', '✖', '⛔'];
/// Signs for *not yet*.
pub(super) const UNFINISHED: [char; 4] = ['🚧', '🔜', '⏳', '🏗'];

/// Whether a negation governs the phrase.
pub(super) fn denied(view: &View<'_>) -> bool {
    denied_before(view) || denied_behind(view) || denied_next(view) || negates_less(view) || outweighed(view)
}

/// *We chose at-least-once **over** …*, *we prefer at-least-once **to** …*: another one is wanted.
fn outweighed(view: &View<'_>) -> bool {
    let reading = view.reading();
    let before = view.before();
    let small = |at: &usize| !reading.has(Cue::Determiner, *at..*at + 1) && !reading.is_mark(*at, &['"']);
    let Some(at) = before.clone().rev().find(small) else { return false };
    let other = || reading.has(Cue::OtherMode, before.clone());
    let sets_against = reading.is_word(at, &["over", "above"]) || (reading.is_word(at, &["to"]) && other());
    sets_against && reading.has(Cue::Preference, before.start..at)
}

/// Whether the negation inside *never … twice* denies something else: *not one thing **you do** twice*, *not handled or
/// **being handled** twice*, *does not **prevent** that it is sent twice*.
fn negates_less(view: &View<'_>) -> bool {
    let reading = view.reading();
    let inner = view.phrase.clone();
    // *no **check** runs twice* has a noun there
    let helpless = !reading.is_word(inner.start, &["no"]) && reading.has(Cue::Hindrance, inner.clone());
    let less = || {
        (inner.start + 2..inner.end.saturating_sub(1)).any(|at| {
            let relative = reading.is_word(at, &["you", "we", "they", "i", "he", "she"])
                && reading.has_any(VERBS, at + 1..at + 2)
                && !reading.has(Cue::Auxiliary, at - 1..at);
            let again = reading.is_word(at, &["or", "and"]) && reading.is_word(at + 1, &["being", "getting"]);
            relative || again
        })
    };
    view.cue == Cue::NoRepeat && (helpless || less())
}

fn denied_before(view: &View<'_>) -> bool {
    let reading = view.reading();
    let free = needs_nothing(view);
    for cue in [Cue::Negator, Cue::NegativeSubject, Cue::NegativeWord] {
        for hit in reading.hits(cue, view.before()) {
            let idiom = reading.overlaps(Cue::NotNegation, hit.start..hit.end);
            if !idiom && !free && !closed(view, hit) {
                return true;
            }
        }
    }
    false
}

/// ***No** coordinator is **needed for** it*: it is the price that is denied.
fn needs_nothing(view: &View<'_>) -> bool {
    let reading = view.reading();
    let before = view.before();
    let needed = |at: usize| {
        reading.is_word(at, &["required", "needed", "necessary"]) && reading.is_word(at + 1, &["for", "to"])
    };
    let requirement = before.clone().rev().take(6).find(|&at| needed(at));
    // only what opens the sentence is its subject
    requirement.is_some() && reading.is_word(before.start, &["no", "neither", "nothing"])
}

/// Whether what `hit` says ends before the phrase.
fn closed(view: &View<'_>, hit: Hit) -> bool {
    let reading = view.reading();
    let between = hit.end..view.phrase.start;
    let distance = between.len();
    if between.clone().any(|at| reading.is_mark(at, &[';', ':', '—', '.', '!', '?']) && !announces(view, at))
        || reading.has(Cue::ClauseCloser, between.clone())
    {
        return true;
    }
    let open = between.clone().filter(|&at| reading.is_mark(at, &['('])).count();
    let shut = between.clone().filter(|&at| reading.is_mark(at, &[')'])).count();
    if shut > open {
        return true;
    }
    if hit.cue == Cue::NegativeWord && distance > 8 {
        return true;
    }
    // *nothing is lost **and none is delivered twice***: the second denial stands for itself
    let last = view.phrase.start.saturating_sub(1);
    if view.cue == Cue::NoRepeat && (reading.is_word(last, &["and"]) || reading.is_mark(last, &[','])) {
        return true;
    }
    // *cannot promise that …* reaches to the end of what is promised
    let governs = reading.has(Cue::Attitude, between.start..between.end.min(between.start + 3));
    let that = between.clone().any(|at| reading.is_word(at, &["that"]));
    if matches!(hit.cue, Cue::Negator | Cue::NegativeSubject) && governs && that {
        return false;
    }
    let mut commas = between.clone().rev().filter(|&at| reading.is_mark(at, &[',']));
    let mut comma = commas.next();
    // *no system can give both rollback and workflow-wide, exactly-once semantics*: a comma between adjectives
    let adjectives = comma.is_some_and(|comma| {
        comma + 1 == between.end && !view.head().is_empty() && reading.has_any(VERBS, hit.end..comma)
    });
    if adjectives && hit.cue != Cue::NegativeWord {
        comma = commas.next();
    }
    let segment = comma.map_or(between.start, |comma| comma + 1)..between.end;
    if comma.is_some() && ends_at_comma(view, hit, segment.clone()) {
        return true;
    }
    and_closes(view, segment)
}

/// Whether a colon only announces what was denied: *What you will not find here: …*, *Not included: …*.
fn announces(view: &View<'_>, at: usize) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    reading.is_mark(at, &[':'])
        && reading.is_word(sentence.start, &["what", "not", "things", "features", "missing"])
        && !reading.has_any(VERBS, at + 1..sentence.end)
}

/// Whether the last comma before the phrase opens a new clause.
fn ends_at_comma(view: &View<'_>, hit: Hit, segment: Range<usize>) -> bool {
    let reading = view.reading();
    let first = segment.start;
    if reading.is_word(first, &["or", "nor"]) {
        return false;
    }
    if reading.is_word(first, &["and"]) {
        return reading.has_any(VERBS, segment.clone()) || reading.has(Cue::SubjectStart, first + 1..first + 2);
    }
    if reading.has(Cue::SubjectStart, first..first + 1) {
        return true;
    }
    match hit.cue {
        // *without a coordinator, …* and *no locks, no leader, …* are over; *no broker, however good, delivers …* is not
        Cue::NegativeSubject => {
            let verb = reading.has_any(VERBS, first..(first + 2).min(segment.end));
            let insertion = !reading.is_word(hit.start, &["without"]) && verb;
            !insertion
        }
        Cue::NegativeWord => true,
        // after *does not*, only a clause with a verb of its own that is no bare list member
        _ => reading.has(Cue::Auxiliary, segment),
    }
}

/// Whether an *and* starts a new predicate: *never loses a message **and** delivers it …*.
fn and_closes(view: &View<'_>, segment: Range<usize>) -> bool {
    let reading = view.reading();
    let Some(and) = segment.clone().rev().find(|&at| reading.is_word(at, &["and"])) else {
        return false;
    };
    let rest = and + 1..segment.end;
    reading.has_any(VERBS, rest.clone()) || reading.has(Cue::SubjectStart, rest.start..rest.start + 1) && rest.len() > 1
}

/// A predicate behind the phrase that denies it: *exactly-once delivery **is not possible***.
fn denied_behind(view: &View<'_>) -> bool {
    let reading = view.reading();
    if denied_behind_insertion(view) {
        return true;
    }
    let clause = view.clause();
    let head = view.head();
    // *the exactly-once guarantee **didn't** work*
    if !head.is_empty() && reading.tokens.get(head.end).is_some_and(|token| token.word.ends_with("n't")) {
        return true;
    }
    // *exactly-once has its star because **it is not possible***
    let named = head.start <= view.sentence().start + 4
        && reading.hits(Cue::NegativePredicate, head.end..view.sentence().end).any(|hit| {
            (hit.start.saturating_sub(4).max(head.end)..hit.start)
                .any(|at| reading.is_word(at, &["it"]) && reading.has(Cue::Auxiliary, at + 1..at + 2))
                && reading.is_word(hit.end - 1, &["possible", "impossible", "achievable", "exist"])
        });
    if named {
        return true;
    }
    let adverb = reading
        .has_any(&[Cue::DeliveryVerb, Cue::ExternalVerb, Cue::WeakVerb], clause.start..view.phrase.start)
        && head.is_empty()
        && !view.hyphenated();
    let relative =
        (head.end..(head.end + 2).min(view.sentence().end)).any(|at| reading.is_word(at, &["which", "that"]));
    let from = head.end;
    for hit in reading.hits(Cue::NegativePredicate, from..view.sentence().end) {
        if reading.overlaps(Cue::NotNegation, hit.start..hit.end) {
            continue;
        }
        let between = from..hit.start;
        if adverb && !between.is_empty() {
            break;
        }
        let breaks = between.clone().any(|at| {
            reading.is_mark(at, &[';', ':', '—', '.', '!', '?', ','])
                || reading.is_word(
                    at,
                    &[
                        "which", "that", "who", "with", "without", "and", "or", "if", "when", "where", "so", "but",
                        "because", "even", "though",
                    ],
                )
        });
        // the auxiliary of the denial itself is part of it: **does** not exist, **is** a theoretical impossibility
        let own = (between.start.max(hit.start.saturating_sub(3))..hit.start).rev();
        let own = own
            .take_while(|&at| reading.tokens[at].kind == Kind::Word)
            .find(|&at| reading.has(Cue::Auxiliary, at..at + 1));
        let inner = between.start..own.unwrap_or(between.end);
        let finite = reading.has_any(&[Cue::Auxiliary, Cue::OfferVerb], inner);
        // … *that share nothing but a network* is impossible: the relative clause has had its verb
        let inserted = !between.clone().any(|at| reading.is_mark(at, &[';', ':', '—', '.', '!', '?', ',']))
            && (between.clone()).any(|at| reading.is_word(at, &["that", "which", "who"]) && hit.start - at > 4);
        let copula = reading.has(Cue::Auxiliary, hit.start.saturating_sub(1)..hit.start + 1);
        if (!breaks && !finite) || (relative && between.len() <= 3) || (inserted && copula) {
            return true;
        }
    }
    let crossed = |at: usize| reading.is_mark(at, &CROSSED);
    view.sentence().any(crossed) || reading.is_mark(view.sentence().start, &UNFINISHED)
}

/// *Exactly-once delivery, as many sell it, **is not** …*
fn denied_behind_insertion(view: &View<'_>) -> bool {
    let reading = view.reading();
    let head = view.head();
    let end = view.sentence().end.min(head.end + 14);
    if !reading.is_mark(head.end, &[',']) {
        return false;
    }
    let second = (head.end + 1..end).find(|&at| reading.is_mark(at, &[',']));
    second.is_some_and(|second| {
        let denial = reading.hits(Cue::NegativePredicate, second + 1..view.sentence().end).next();
        denial.is_some_and(|hit| hit.start <= second + 2)
    })
}

/// A short sentence behind it that takes it back: *Not quite.*
fn denied_next(view: &View<'_>) -> bool {
    let (_, after) = view.neighbours();
    let Some((number, range)) = after.first() else {
        let next = view.readings.get(view.number + 1).filter(|_| !matches!(view.passage().shape, Shape::Cell { .. }));
        return next.is_some_and(|next| next.sentences.first().is_some_and(|first| refuted(next, first.clone())));
    };
    let reading = &view.readings[*number];
    let denial =
        reading.hits(Cue::Negator, range.clone()).chain(reading.hits(Cue::NegativeSubject, range.clone())).next();
    let denial = denial
        .is_some_and(|hit| hit.start <= range.start + 2 && !reading.overlaps(Cue::NotNegation, hit.start..hit.end));
    // behind a whole sentence, a short one goes on; behind a fragment, it answers
    let fragment = view.sentence().len() <= view.phrase.len() + view.head().len() + 2;
    (denial && fragment && range.len() <= 6) || refuted(reading, range.clone())
}

/// *It isn't*, *That is not true*, *That was wrong*: a sentence that does nothing but take back the one before it.
fn refuted(reading: &Reading, range: Range<usize>) -> bool {
    let pronoun = reading.is_word(range.start, &["it", "they", "that", "this", "both"]);
    let wrong = |at: usize| reading.is_word(at, &["wrong", "false", "untrue", "incorrect", "mistaken", "inaccurate"]);
    if pronoun
        && reading.has(Cue::Auxiliary, range.start + 1..range.start + 2)
        && (range.start + 2..range.end.min(range.start + 5)).any(wrong)
    {
        return true;
    }
    let negator = reading.hits(Cue::Negator, range.clone()).next().filter(|hit| hit.start <= range.start + 2);
    pronoun
        && negator.is_some_and(|hit| {
            // *that is not **what** you get*
            let other = reading.is_word(hit.end, &["what"]);
            other
                || (hit.end..range.end).all(|at| {
                    matches!(reading.tokens[at].kind, Kind::Mark(_))
                        || reading.is_word(at, &["true", "so", "the", "case", "correct", "right", "quite", "possible"])
                })
        })
}

/// Whether the phrase stands in a supposition: inside an *if* or *whether* clause, or under *would*.
pub(super) fn supposed(view: &View<'_>) -> bool {
    let reading = view.reading();
    let inside = reading.hits(Cue::Subordinator, view.before()).any(|hit| {
        let only = hit.start > 0 && reading.is_word(hit.start - 1, &["only"]);
        !only && !closed_supposition(view, hit)
    });
    // *how exactly-once delivery works*: a topic; *how each is delivered exactly once* takes it for granted
    let topic = !view.head().is_empty()
        && reading.has(Cue::Factive, view.phrase.start.saturating_sub(2).max(view.sentence().start)..view.phrase.start);
    if topic {
        return true;
    }
    let clause = view.clause();
    inside || reading.hits(Cue::Hypothetical, clause.start..view.phrase.start).any(|hit| !closed(view, hit)) || {
        let end = clause.end.min(view.head().end + 4);
        reading.has(Cue::Hypothetical, view.phrase.end..end)
    }
}

fn closed_supposition(view: &View<'_>, hit: Hit) -> bool {
    let reading = view.reading();
    let between = hit.end..view.phrase.start;
    if between.clone().any(|at| reading.is_mark(at, &[';', ':', '—', '.', '!', '?']))
        || reading.has(Cue::ClauseCloser, between.clone())
    {
        return true;
    }
    let Some(comma) = between.clone().rev().find(|&at| reading.is_mark(at, &[','])) else {
        return false;
    };
    let segment = comma + 1..between.end;
    let first = segment.start;
    if reading.is_word(first, &["or", "and"]) {
        return reading.has(Cue::SubjectStart, first + 1..first + 2) && reading.has_any(VERBS, segment);
    }
    // behind the comma stands the main clause: it has a verb before the phrase, or the phrase is its subject
    let verb_before = reading.has_any(VERBS, segment.clone()) || reading.has(Cue::SubjectStart, first..first + 1);
    let verb_behind = reading.has_any(&[Cue::Auxiliary], view.phrase.end..view.clause().end.min(view.head().end + 3));
    verb_before || verb_behind
}

/// Whether it is demanded or wished for rather than stated.
pub(super) fn demanded(view: &View<'_>) -> bool {
    let reading = view.reading();
    let clause = view.clause();
    // *it needs to scale **while preserving** exactly-once semantics*: still what is needed
    let meanwhile = clause.start > view.sentence().start
        && reading.is_word(clause.start - 1, &["while"])
        && reading.tokens[clause.start].word.ends_with("ing");
    let requirement = match meanwhile {
        true => reading.has(Cue::Requirement, view.before()),
        false => reading.hits(Cue::Requirement, clause.start..view.phrase.start).any(|hit| !closed(view, hit)),
    };
    let wanted = reading.hits(Cue::Need, clause.start..view.phrase.start).any(|hit| {
        // *the difference between at-least-once and exactly-once*
        let paired = reading.has(Cue::OtherMode, hit.end..view.phrase.start) && view.phrase.start - hit.end <= 8;
        // *requirements for order, speed and exactly-once processing*
        let between = hit.end..view.phrase.start;
        let listed = between.len() <= 8
            && between.clone().any(|at| reading.is_mark(at, &[',']))
            && !reading.has_any(&[Cue::Auxiliary, Cue::SubjectStart], between.clone());
        let near = between.len() <= 3 || listed || paired || reading.is_word(hit.end, &["that"]);
        let idiom = reading.overlaps(Cue::NotNegation, hit.start..hit.end);
        near && !idiom && !closed(view, hit) && !purpose(view, hit) && !needs_nothing(view)
    });
    let order = view.cue == Cue::NoRepeat && {
        // *do not send it twice* tells the reader what to do
        let start = view.phrase.start;
        let first = view.sentence().start;
        // in a package's description it is a slogan
        let bare = start == first && reading.is_word(start, &["don't", "never"]) && view.kind != TextKind::Manifest;
        bare || (start == first + 1 && reading.is_word(first, &["do", "please", "also", "so", "then", "and"]))
    };
    let first = view.sentence().start;
    let imperative = reading.hits(Cue::Imperative, clause.start..view.phrase.start).any(|hit| {
        let polite =
            hit.start == first + 1 && reading.is_word(first, &["please", "then", "also", "always", "so", "and", "but"]);
        // *To find duplicates, **make sure** …*
        let introduced = reading.is_mark(hit.start.saturating_sub(1), &[',']) && hit.start > first;
        hit.start == first || polite || introduced
    });
    // *Run `init` once and only once*: the reader is told to
    let told = reading.tokens.get(first + 1).is_some_and(|token| token.kind == Kind::Code)
        && first + 1 < view.phrase.start
        && (view.head().is_empty() || !(first + 2..view.phrase.start).any(|at| reading.is_word(at, &["to"])))
        && reading.has_any(&[Cue::WeakVerb, Cue::DeliveryVerb, Cue::CountingVerb], first..first + 1);
    // *the exactly-once guarantee **must** be kept*
    let due = !view.head().is_empty() && reading.starts(Cue::Requirement, view.head().end);
    (requirement && !needs_nothing(view)) || wanted || order || imperative || told || due || advised(view)
}

/// `To handle each message exactly once, store its id`; `Points to achieve exactly-once processing:`.
fn advised(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let last = sentence.end - 1;
    let announced = reading.is_mark(last, &[':'])
        && (reading.hits(Cue::Need, view.before()))
            .any(|hit| reading.is_word(hit.start, &["to"]) && !reading.has_any(VERBS, sentence.start..hit.start));
    let infinitive = reading.is_word(sentence.start, &["to"])
        || (reading.is_word(sentence.start, &["in"]) && reading.is_word(sentence.start + 1, &["order"]));
    let comma = (view.phrase.end..sentence.end).find(|&at| reading.is_mark(at, &[',']));
    let order = infinitive
        && comma.is_some_and(|comma| orders(view, comma + 1) || reading.has(Cue::Requirement, comma + 1..sentence.end));
    announced || order
}

/// Whether the words from `at` on tell the reader what to do: they start with a bare verb, or with *you*.
fn orders(view: &View<'_>, at: usize) -> bool {
    let reading = view.reading();
    let Some(token) = reading.tokens.get(at) else { return false };
    let verb = reading.has_any(&VERBS[..5], at..at + 1)
        || reading.has(Cue::Need, at..at + 1)
        || reading.has(Cue::Imperative, at..at + 2);
    let bare = verb && !token.capital && !["s", "ed", "ing"].iter().any(|end| token.word.ends_with(end));
    bare || reading.is_word(at, &["you"])
}

/// Whether it is only possible: *can be sent exactly once*.
pub(super) fn able(view: &View<'_>) -> bool {
    let reading = view.reading();
    let left = view.clause().start.max(view.phrase.start.saturating_sub(5))..view.phrase.start;
    let can = view.kind == TextKind::Rust && left.clone().any(|at| reading.is_word(at, &["can", "may", "could"]));
    view.head().is_empty() && (can || reading.has(Cue::Ability, left))
}

/// Whether it is only named in passing: `schema changes work for exactly-once sinks`.
pub(super) fn in_passing(view: &View<'_>) -> bool {
    let reading = view.reading();
    let mut at = view.phrase.start;
    while at > view.sentence().start
        && (reading.has(Cue::Determiner, at - 1..at)
            || reading.is_mark(at - 1, &['"'])
            || reading.is_word(at - 1, &["full", "true", "real", "strict"]))
    {
        at -= 1;
    }
    let preposition = at > view.sentence().start
        && reading
            .is_word(at - 1, &["for", "of", "in", "to", "during", "on", "about", "from", "as", "into", "via", "under"]);
    // *in order to process each once*, *used to ensure exactly-once delivery*: a purpose, stated by the way
    let clause = view.clause();
    let purpose = (clause.start + 1..view.phrase.start).rev().take(8).any(|to| {
        let infinitive = reading.is_word(to, &["to"]) && reading.has_any(VERBS, to + 1..to + 2);
        infinitive && !reading.has(Cue::Auxiliary, to..view.phrase.start)
    });
    let granted = reading.has(Cue::Factive, clause.start..view.phrase.start);
    // *works with exactly-once sinks*
    let compatible = at > view.sentence().start + 1
        && reading.is_word(at - 1, &["with"])
        && reading
            .is_word(at - 2, &["work", "works", "working", "worked", "compatible", "used", "combined", "integrates"]);
    ((preposition || compatible) && !view.head().is_empty()) || purpose || granted
}

/// *It hides them **to eliminate** duplicates*: why something is done, of repeats that are possible.
pub(super) fn a_purpose(view: &View<'_>) -> bool {
    let reading = view.reading();
    let start = view.phrase.start;
    let negates = reading.has_any(&[Cue::Negator, Cue::NegativeSubject], start..start + 1);
    view.cue == Cue::NoRepeat && !negates && start > 0 && reading.is_word(start - 1, &["to"])
}

/// *Use it to get …* gives; *to get …, do this* advises.
fn purpose(view: &View<'_>, hit: Hit) -> bool {
    let reading = view.reading();
    reading.is_word(hit.start, &["to"]) && hit.start > view.sentence().start + 1
}
