//! What bounds a claim.
//!
//! In: a phrase in its place. Out: the [`Bounds`] that stand in its sentence, paragraph, list item, table row or headings.
//! It tells a bound (a transaction, a condition, a window with a value) from words that only look like one (a lease, *in
//! most cases*).

use std::ops::Range;

use super::TextKind;
use super::lexicon::Cue;
use super::reading::{Hit, Kind, Reading};
use super::view::{Place, Places, View};

/// Everything beside a phrase that may bound it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bounds {
    /// a transaction or the like
    pub(super) boundary: bool,
    /// *only if …*
    pub(super) condition: bool,
    /// a time for which repeats are recognised
    pub(super) window: bool,
    /// within a region, for database writes
    pub(super) scope: bool,
    /// per order id: names the identity and no more
    pub(super) identity: bool,
    /// what happens when it does not hold
    pub(super) failure: bool,
    /// the sentence allows for what it rules out: *exactly once, at the cost of duplicates*
    pub(super) contradicted: bool,
    /// words that bound nothing
    pub(super) vacuous: bool,
    /// how it is done, which does not say how far it reaches
    pub(super) mechanism: bool,
    /// why it holds, by something that can be looked at
    pub(super) reason: bool,
}

/// Gathers what bounds a phrase.
pub(super) fn bounds(view: &View<'_>) -> Bounds {
    let reading = view.reading();
    let sentence = view.sentence();
    let (_, after) = view.neighbours();
    let mut near = view.surroundings();
    near.extend(view.row().into_iter().map(|number| (number, view.readings[number].all())));
    let below: Places = (view.below().into_iter()).map(|number| (number, view.readings[number].all())).collect();
    near.extend(below.iter().cloned());
    let above = view.above().map(|number| (number, view.readings[number].all()));
    let wide: Places = near.iter().cloned().chain(above).collect();
    let vacuous = reading.has(Cue::Vacuous, sentence.clone());
    let row = view.row().into_iter().map(|number| (number, view.readings[number].all()));
    let later: Places = after.iter().chain(&below).cloned().chain(row).collect();
    Bounds {
        boundary: wide.iter().any(|(number, range)| boundary(&view.readings[*number], range.clone())),
        condition: condition(view) || limit_follows(view, &later),
        window: wide.iter().any(|(number, range)| window(&view.readings[*number], range.clone())) || window_for(view),
        scope: reading.has(Cue::Scope, sentence.clone()),
        identity: reading.has(Cue::PerIdentity, view.clause()),
        failure: failure(view, &later) || failure_in(view, sentence.clone()),
        contradicted: contradicted(view),
        vacuous,
        mechanism: reading.has(Cue::Mechanism, sentence),
        reason: reason(view),
    }
}

/// A boundary that is there, not one that is missing, and a transaction that commits, not one that is paid.
fn boundary(reading: &Reading, range: Range<usize>) -> bool {
    reading.hits(Cue::Boundary, range).any(|hit| {
        let business = reading
            .hits(Cue::NotBoundary, hit.start.saturating_sub(2)..(hit.end + 4).min(reading.tokens.len()))
            .any(|other| other.start < hit.end && hit.start < other.end);
        let before = hit.start.saturating_sub(4)..hit.start;
        let missing = reading.has_any(&[Cue::Negator, Cue::NegativeSubject], before.clone())
            || reading.has(Cue::NegativeWord, before);
        let missing_inside = reading.has_any(&[Cue::Negator, Cue::NegativeSubject], hit.start..hit.end);
        !business && !missing && !missing_inside
    })
}

/// A condition in the sentence of the phrase whose breach can be seen: no failure, no *if all goes well*.
fn condition(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let hits: Vec<Hit> = reading.hits(Cue::Condition, sentence.clone()).collect();
    let stated = hits.into_iter().any(|hit| {
        let conceded = reading.overlaps(Cue::Concession, hit.start..hit.end);
        // *if, and only if, …*: the clause goes on behind the insertion
        let from = if reading.is_mark(hit.end, &[',']) { hit.end + 5 } else { hit.end };
        let end = (from..sentence.end)
            .find(|&at| reading.is_mark(at, &[',', ';', ':', '.', '—', '?', '!']))
            .unwrap_or(sentence.end);
        // the phrase itself may stand inside: *only if … is the job executed exactly once*
        let clause = hit.end..end;
        let only = hit.start > 0 && reading.is_word(hit.start - 1, &["only"])
            || reading.is_word(hit.start, &["only", "unless", "provided", "until", "except", "apart", "aside"]);
        // *less than the visibility timeout* is a limit, and no failure
        let fails = reading
            .hits(Cue::FailureWord, clause.clone())
            .any(|hit| !reading.has(Cue::LeaseWord, hit.start.saturating_sub(1)..hit.start))
            && !only;
        let empty = reading.has(Cue::Vacuous, hit.start..end) || (reading.has(Cue::LeaseHeld, clause.clone()) && !only);
        let attached = hit.start >= view.phrase.end || hit.end <= view.phrase.start;
        let aside = inside_brackets(reading, sentence.start, hit.start)
            && !inside_brackets(reading, sentence.start, view.phrase.start);
        // *it retries until …, **and the card** is charged …*
        let beside = hit.start > sentence.start + 1 && new_clause(reading, hit.end..view.phrase.start.max(hit.end));
        let governs =
            !aside && !beside && (hit.start < view.phrase.start || !other_clause(reading, view.phrase.end..hit.start));
        attached && governs && !conceded && !fails && !empty && clause.len() >= if only { 1 } else { 2 }
    });
    stated || when_acknowledged(view)
}

/// *It takes an advisory lock, **so** nothing is sent twice*, *never twice: the second attempt fails*: the reason stands in
/// the sentence, and is something that can be looked at. In the documentation of code, so is a piece of it.
fn reason(view: &View<'_>) -> bool {
    let reading = view.reading();
    let sentence = view.sentence();
    let so = view.before().rev().find(|&at| reading.is_word(at, &["so"]));
    if so.is_some_and(|so| reading.has(Cue::Ground, sentence.start..so)) {
        return true;
    }
    // ***Because** the ledger keys entries by id, a second post …*
    let first = reading.is_word(sentence.start, &["because", "since"]);
    let comma = view.before().find(|&at| first && reading.is_mark(at, &[',']));
    if comma.is_some_and(|comma| reading.has(Cue::Ground, sentence.start..comma)) {
        return true;
    }
    // *the registry's dedup set **ensures** it fires …*, *it **uses** the extracted identity **to** capture …*
    let ensures = |hit: Hit| reading.is_word(hit.end, &["ensures", "ensure", "guarantees", "makes"]);
    let used = |hit: Hit| {
        let from = hit.start.saturating_sub(3).max(sentence.start);
        reading.is_word(hit.end, &["to"]) && (from..hit.start).any(|at| reading.is_word(at, &["uses", "use", "using"]))
    };
    if view.kind == TextKind::Rust && reading.hits(Cue::Ground, view.before()).any(|hit| ensures(hit) || used(hit)) {
        return true;
    }
    let opens = |at: usize| {
        reading.is_mark(at, &[':', '—', '(']) || reading.is_word(at, &["because", "since", "by", "through", "via"])
    };
    let Some(opening) = view.after().find(|&at| opens(at)) else {
        return false;
    };
    let behind = opening + 1..sentence.end;
    let code = |at: usize| reading.tokens[at].kind == Kind::Code;
    // *via **the nullable `mailed_at` column***
    let near = if reading.is_word(opening, &["via"]) { 4 } else { 2 };
    let named = view.kind == TextKind::Rust && behind.clone().take(near).any(code);
    // In brackets anything may be mentioned.
    let aside = reading.is_mark(opening, &['(']);
    let told = !aside || reading.has(Cue::Attitude, behind.clone());
    named && told && !reading.is_word(opening, &["by", "through"]) || !aside && reading.has(Cue::Ground, behind)
}

/// Whether a conjunction with a subject of its own stands in a range.
fn new_clause(reading: &Reading, range: Range<usize>) -> bool {
    range.clone().any(|at| {
        let joins = reading.is_mark(at, &[',']) && reading.is_word(at + 1, &["and", "so", "but"]);
        joins && reading.has(Cue::SubjectStart, at + 2..at + 3)
    })
}

/// Whether a token stands between brackets.
fn inside_brackets(reading: &Reading, start: usize, at: usize) -> bool {
    let count = |mark| (start..at).filter(|&at| reading.is_mark(at, &[mark])).count();
    count('(') > count(')')
}

/// Whether a condition behind the phrase belongs to a later clause of the sentence.
fn other_clause(reading: &Reading, between: Range<usize>) -> bool {
    between.clone().any(|at| reading.is_mark(at, &[';', '—', '.'])) || reading.has(Cue::ClauseCloser, between)
}

/// *Exactly once when the handler returns `Ok`*: a state that can be looked at.
fn when_acknowledged(view: &View<'_>) -> bool {
    let reading = view.reading();
    let end = view.sentence().end;
    let end = (view.phrase.end..end).find(|&at| reading.is_mark(at, &[',', ';', ':', '—'])).unwrap_or(end);
    (view.phrase.end..end.min(view.head().end + 3)).any(|at| reading.is_word(at, &["when", "once", "while"])) && {
        let clause = view.phrase.end..end;
        // a state that is named: a setting, an acknowledgement, a piece of code
        let state =
            reading.has(Cue::Enabled, clause.clone()) || clause.clone().any(|at| reading.tokens[at].kind == Kind::Code);
        state && !reading.has(Cue::FailureWord, clause)
    }
}

/// *This holds only inside one region*: a sentence behind it that says how far it goes.
fn limit_follows(view: &View<'_>, later: &[Place]) -> bool {
    let own = view.reading().has(Cue::LimitFollows, view.after());
    own || later.iter().take(3).any(|(number, range)| {
        let reading = &view.readings[*number];
        reading
            .hits(Cue::LimitFollows, range.clone())
            .any(|hit| hit.start <= range.start + 4 || hit.end - hit.start > 2)
    })
}

/// A time with a value that has to do with recognising repeats.
fn window(reading: &Reading, range: Range<usize>) -> bool {
    durations(reading, range.clone()).into_iter().any(|duration| {
        let from = duration.start.saturating_sub(6).max(range.start);
        let around = from..(duration.end + 4).min(range.end);
        let preposition = reading.has(Cue::WindowPreposition, from..duration.start)
            || reading.is_mark(duration.start.saturating_sub(1), &['(']);
        let lease = reading.has(Cue::LeaseWord, around) || is_interval(reading, &duration);
        preposition && !lease && reading.has(Cue::WindowWord, range.clone())
    })
}

/// *Exactly once for 24 hours*: a time right behind the phrase.
fn window_for(view: &View<'_>) -> bool {
    let reading = view.reading();
    let end = view.sentence().end.min(view.phrase.end + 8);
    durations(reading, view.phrase.end..end).into_iter().any(|duration| {
        let led = |words: &[&str]| (view.phrase.end..duration.start).any(|at| reading.is_word(at, words));
        // *within five seconds* is how long it takes
        let seconds = reading.has(Cue::ShortUnit, duration.clone());
        (led(&["for", "during"]) || !seconds && led(&["within", "inside"]))
            && !reading.has(Cue::LeaseWord, view.phrase.end..end)
            && !is_interval(reading, &duration)
    })
}

/// ***Every** five minutes*: how often something is done, and no time for which anything is remembered.
fn is_interval(reading: &Reading, duration: &Range<usize>) -> bool {
    duration.start > 0 && reading.is_word(duration.start - 1, &["every", "each", "per"])
}

/// Numbers with a unit of time, as token ranges.
fn durations(reading: &Reading, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in range.clone() {
        let token = &reading.tokens[at];
        let number = token.kind == Kind::Number || reading.has(Cue::NumberWord, at..at + 1);
        let unit = |at: usize| at < range.end && reading.has_any(&[Cue::Unit, Cue::ShortUnit], at..at + 1);
        let digits = token.word.trim_end_matches(|c: char| c.is_alphabetic());
        let glued = &token.word[digits.len()..];
        let short = token.kind == Kind::Number
            && matches!(glued, "h" | "d" | "m" | "min" | "w" | "hr" | "hrs" | "days" | "hours");
        let code = token.kind == Kind::Code && is_duration(&token.word);
        if short || code {
            found.push(at..at + 1);
        } else if number && unit(at + 1) {
            found.push(at..at + 2);
        } else if number && at + 2 < range.end && reading.tokens[at + 1].kind == Kind::Word && unit(at + 2) {
            found.push(at..at + 3);
        }
    }
    found
}

fn is_duration(code: &str) -> bool {
    let digits = code.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && matches!(code[digits..].trim(), "h" | "d" | "m" | "min" | "s" | "w" | "days" | "hours" | "minutes")
}

/// A sentence behind it that says what happens when it does not hold, of this project and not of others.
fn failure(view: &View<'_>, later: &[Place]) -> bool {
    later.iter().any(|(number, range)| {
        let reading = &view.readings[*number];
        let elsewhere = reading.has(Cue::Elsewhere, range.start..range.end.min(range.start + 4));
        !elsewhere && asserted_failure(reading, range.clone(), range.end)
    })
}

fn failure_in(view: &View<'_>, sentence: Range<usize>) -> bool {
    let reading = view.reading();
    // *…, **while** the scripts of old had to be run again by hand*: that is what others do
    let contrast = (view.phrase.end..sentence.end).find(|&at| {
        let said_of = at + 1..sentence.end.min(at + 7);
        reading.is_word(at, &["while", "whereas", "unlike"])
            && reading.hits(Cue::Elsewhere, said_of).any(|hit| !reading.is_word(hit.start, &["without"]))
    });
    let end = contrast.unwrap_or(sentence.end);
    asserted_failure(reading, view.phrase.end..end, end)
}

fn contradicted(view: &View<'_>) -> bool {
    let reading = view.reading();
    reading.hits(Cue::Contradiction, view.after()).any(|hit| {
        let before = hit.start.saturating_sub(2).max(view.phrase.end);
        !reading.has_any(&[Cue::Negator, Cue::NegativeSubject], before..hit.end)
    })
}

fn asserted_failure(reading: &Reading, range: Range<usize>, end: usize) -> bool {
    reading.hits(Cue::FailureMode, range.start..end).any(|hit| {
        let negated = reading
            .has_any(&[Cue::Negator, Cue::NegativeSubject], hit.start.saturating_sub(5).max(range.start)..hit.end)
            || none_does(reading, range.start, hit.start);
        let idiom = reading.overlaps(Cue::NotNegation, hit.start..hit.end);
        let permitted = reading.overlaps(Cue::Permission, hit.start..hit.end);
        !negated && !idiom && !permitted && !conceded(reading, range.start, hit.start)
    })
}

/// Whether a clause has nobody for its subject, however long that is: *neither a restart nor a new release of ours **makes the
/// till ring twice*** is one more promise.
fn none_does(reading: &Reading, start: usize, at: usize) -> bool {
    let marked = |at: usize| reading.is_mark(at, &[',', ';', ':', '.', '—', '–', '!', '?', '(']);
    let from = (start..at).rev().find(|&before| marked(before)).map_or(start, |mark| mark + 1);
    let joined = reading.is_word(from, &["and", "but", "so", "for", "as", "because", "since"]);
    let subject = from + usize::from(joined);
    let behind = subject + 1..at;
    let nobody = reading.is_word(subject, &["neither", "no", "nobody", "none", "nothing", "nowhere"]);
    // *no key means **that** a retry …*: another clause with a subject of its own
    let opens = |at: usize| {
        reading.is_word(
            at,
            &["and", "but", "if", "mean", "means", "once", "so", "that", "then", "until", "when", "where", "while"],
        )
    };
    nobody && subject < at && !behind.into_iter().any(opens)
}

/// Whether a token stands in a concession: *even if the till **sends it again*** says against what it holds.
fn conceded(reading: &Reading, start: usize, at: usize) -> bool {
    reading
        .hits(Cue::Concession, start..at)
        .any(|concession| !(concession.end..at).any(|at| reading.is_mark(at, &[',', ';', ':', '.', '—', '!', '?'])))
}
