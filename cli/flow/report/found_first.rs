//! Keys that wait in a row: whoever runs next finds the one that was stored first.
//!
//! A key that is looked for in a table, and that is made and put there where nothing is found, is made once. So is one that
//! is put there only where no row is yet, if the row is read after that.

use crate::flow::engine::Engine;
use crate::flow::events::{Event, EventKind, Usage};
use crate::flow::uses::Use;
use crate::flow::value::{Alt, Kind, made};
use crate::flow::{KeyFact, KeyVerdict, Recognition};
use crate::resolve::FnId;
use crate::source::Span;
use crate::sql::{self, Conflict, Set, Statement};

/// Takes a key for a stable one that is made anew only where none was stored.
pub(super) fn judge(engine: &mut Engine<'_>, looks: FnId, known: &Use, fact: &mut KeyFact) {
    if !matches!(fact.verdict, KeyVerdict::PerAttempt | KeyVerdict::RandomFallback) {
        return;
    }
    let key = known.key.flat();
    let (anew, found): (Vec<&Alt>, Vec<&Alt>) = key.alts.iter().partition(|alt| places(alt).next().is_some());
    let lone = known.recognition == Recognition::FreeStanding;
    let is_found = !found.is_empty() && found.iter().all(|alt| is_read(alt));
    if !lone && !is_found {
        return;
    }
    let summary = engine.summary(looks);
    let events: Vec<Told<'_>> = summary.events.iter().map(told).collect();
    let kept = |place: Span| {
        events.iter().enumerate().any(|(at, told)| match is_found {
            true => is_put_before(&events, at, place, known),
            false => known.position.is_some_and(|at| told.event.whole.covers(at)) && is_put_once(&events, at, place),
        })
    };
    if anew.iter().flat_map(|alt| places(alt)).all(kept) {
        fact.verdict = KeyVerdict::Stable;
    }
}

/// An event and the statements that it runs, read once.
struct Told<'e> {
    event: &'e Event,
    statements: Vec<Statement>,
}

fn told(event: &Event) -> Told<'_> {
    let statements = match &event.kind {
        EventKind::Sql { texts, .. } => {
            texts.iter().filter_map(|text| sql::read(text.as_str(), None)).flatten().collect()
        }
        _ => Vec::new(),
    };
    Told { event, statements }
}

/// Whether an event puts what is made at a place where it was looked for, before it is sent.
fn is_put_before(events: &[Told<'_>], at: usize, place: Span, known: &Use) -> bool {
    let told = events[at].event.usage != Usage::Dropped && acts_behind(events, at, known);
    told && puts(&events[at], place).iter().any(|put| reads(&events[..at], put))
}

/// Whether an event puts what is made at a place where there is none yet: it leaves a row alone that is there, and the row is
/// read after that, or it stands on an arm behind the look for it.
fn is_put_once(events: &[Told<'_>], at: usize, place: Span) -> bool {
    let (before, told, after) = (&events[..at], &events[at], &events[at + 1..]);
    let once =
        |put: &Put| put.keeps_first && reads(after, put) || !told.event.branches.is_empty() && reads(before, put);
    puts(told, place).iter().any(once)
}

/// Where what is made anew in a value is made.
fn places(alt: &Alt) -> impl Iterator<Item = Span> + '_ {
    alt.atoms.iter().filter(|atom| made(&atom.kind)).filter_map(|atom| atom.trail.origin())
}

/// Whether a value was read from a row.
fn is_read(alt: &Alt) -> bool {
    alt.atoms.iter().any(|atom| atom.asked || atom.kind == Kind::Stored)
}

/// Whether the dispatch comes after an event, where it is among them.
fn acts_behind(events: &[Told<'_>], at: usize, known: &Use) -> bool {
    let acts =
        |Told { event, .. }: &Told<'_>| event.span == known.site && matches!(event.kind, EventKind::Dispatch { .. });
    events.iter().rposition(acts).is_none_or(|acts| acts > at)
}

/// A column that an insert fills.
struct Put {
    table: String,
    column: String,
    /// a row that is there keeps its own value
    keeps_first: bool,
}

/// The columns of a table into which an insert puts what was made at a place.
fn puts(told: &Told<'_>, place: Span) -> Vec<Put> {
    let EventKind::Sql { binds, .. } = &told.event.kind else {
        return Vec::new();
    };
    let holds = |number: usize| binds.get(number).is_some_and(|bind| bind.iter().any(|part| part.at() == Some(place)));
    let mut out = Vec::new();
    for statement in told.statements.iter().filter(|statement| statement.kind == sql::Kind::Insert) {
        let filled = statement.set.iter().filter(|set| matches!(set.value, Set::Placeholder(number) if holds(number)));
        out.extend(filled.filter_map(|set| {
            let keeps_first = statement.conflict != Conflict::Fail && !statement.replaces(&set.column);
            Some(Put { table: statement.table.clone()?, column: set.column.clone(), keeps_first })
        }));
    }
    out
}

/// Whether some event reads a column that is filled, by what else the row is known.
fn reads(events: &[Told<'_>], put: &Put) -> bool {
    let of_column = |column: &String| *column == put.column || column == "*";
    let fits = |statement: &Statement| {
        statement.kind == sql::Kind::Select
            && statement.table.as_ref() == Some(&put.table)
            && statement.columns.iter().any(of_column)
            && statement.row().iter().any(|column| *column != put.column)
    };
    events.iter().any(|told| told.statements.iter().any(fits))
}
