//! Values that stand in the place of an answer: where one way gives what was answered, another gives what was known before.

use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::sources::Sources;
use super::value::{Alt, Kind, Shape, Value, made};
use crate::ir::Name;
use crate::source::Span;

/// Records what of some values that are stored or handed on at a place stands for an answer. They go by their names there,
/// or by their numbers.
pub(crate) fn record<'v>(eval: &mut Eval<'_, '_>, place: Span, values: impl IntoIterator<Item = (Name, &'v Value)>) {
    let mut found: Vec<(Name, Sources, Sources)> = Vec::new();
    for (at, value) in values {
        if value.alts.len() < 2 {
            continue;
        }
        let outcomes = of_all(value);
        if !value.alts.iter().any(|alt| is_answer(alt, &outcomes)) {
            continue;
        }
        let known = value.filter_map(|alt| without(alt, &outcomes).filter(|alt| is_known(alt) || is_handed(eval, alt)));
        let whole = Sources::of(value);
        // A chain that may be one of several binds the same more than once.
        if !known.is_bottom() && !found.iter().any(|(_, _, other)| *other == whole) {
            found.push((at, Sources::of(&known), whole));
        }
    }
    if !found.is_empty() {
        eval.event(EventKind::Instead { values: found }, place, Name::new("instead"), Usage::Used);
    }
}

/// The same of values that have no names.
pub(crate) fn record_all(eval: &mut Eval<'_, '_>, place: Span, values: &[Value]) {
    if values.iter().any(|value| value.alts.len() > 1) {
        record(eval, place, values.iter().enumerate().map(|(at, value)| (Name::new(&at.to_string()), value)));
    }
}

/// The answers that every alternative tells of, as all do that a function gives which acts: they say how that went.
fn of_all(value: &Value) -> Vec<Kind> {
    let Some((first, others)) = value.alts.split_first() else {
        return Vec::new();
    };
    let everywhere = |kind: &Kind| others.iter().all(|alt| alt.atoms.iter().any(|atom| atom.kind == *kind));
    let kinds = first.atoms.iter().map(|atom| &atom.kind);
    kinds.filter(|kind| matches!(kind, Kind::Reply(..)) && everywhere(kind)).cloned().collect()
}

/// An alternative without these, if something is left of it.
fn without(alt: &Alt, outcomes: &[Kind]) -> Option<Alt> {
    let atoms: Vec<_> = alt.atoms.iter().filter(|atom| !outcomes.contains(&atom.kind)).cloned().collect();
    (!atoms.is_empty()).then(|| Alt { atoms: atoms.into(), shape: alt.shape.clone() })
}

/// Whether it is made of an answer: it tells of one that others do not tell of, or of nothing else.
fn is_answer(alt: &Alt, outcomes: &[Kind]) -> bool {
    let is_reply = |kind: &Kind| matches!(kind, Kind::Reply(..));
    let mut kinds = alt.atoms.iter().map(|atom| &atom.kind);
    kinds.clone().any(|kind| is_reply(kind) && !outcomes.contains(kind)) || kinds.len() > 0 && kinds.all(is_reply)
}

/// Whether all of it was there before anybody was asked, and some of it is no constant.
fn is_known(alt: &Alt) -> bool {
    let varies = |kind: &Kind| matches!(kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored);
    matches!(alt.shape, Shape::Plain)
        && alt.atoms.iter().any(|atom| varies(&atom.kind))
        && alt.atoms.iter().all(|atom| varies(&atom.kind) || matches!(atom.kind, Kind::Constant(_)))
}

/// Whether all of it was handed over to whoever was asked before, wherever it comes from.
fn is_handed(eval: &Eval<'_, '_>, alt: &Alt) -> bool {
    let own = Sources::of(&Value::alt(alt.clone()));
    let is_answer = |kind: &Kind| made(kind) || matches!(kind, Kind::Reply(..));
    let varies = |kind: &Kind| !matches!(kind, Kind::Constant(_));
    let kinds = || own.iter().map(|source| source.kind());
    if kinds().any(is_answer) || !kinds().any(varies) {
        return false;
    }
    let holds = |args: &Sources| own.iter().all(|part| !varies(part.kind()) || args.iter().any(|given| given == part));
    // What a call gives that cannot be followed is the same only if it was given before.
    let before = |site: Span| {
        let mut unknown = alt.atoms.iter().filter(|atom| matches!(atom.kind, Kind::Opaque(_)));
        unknown.all(|atom| {
            let made = atom.trail.origin();
            made.is_some_and(|made| made.file == site.file && made.range.end <= site.range.start)
        })
    };
    eval.events.iter().any(|event| match &event.kind {
        EventKind::Dispatch { args, .. } => event.via.is_empty() && holds(args) && before(event.span),
        _ => false,
    })
}
