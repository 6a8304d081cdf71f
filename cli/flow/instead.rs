//! Values that stand in the place of an answer: where one way gives what was answered, another gives what was known before.

use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::sources::Sources;
use super::value::{Alt, Kind, Shape, Value};
use crate::ir::Name;
use crate::source::Span;

/// Records what of some values that are stored or handed on at a place stands for an answer. They go by their names there,
/// or by their numbers.
pub(crate) fn record<'v>(eval: &mut Eval<'_, '_>, place: Span, values: impl IntoIterator<Item = (Name, &'v Value)>) {
    let mut found: Vec<(Name, Sources, Sources)> = Vec::new();
    for (at, value) in values {
        if value.alts.len() < 2 || !value.alts.iter().any(is_answer) {
            continue;
        }
        let known = value.filter_map(|alt| is_known(alt).then(|| alt.clone()));
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

fn is_answer(alt: &Alt) -> bool {
    alt.atoms.iter().any(|atom| matches!(atom.kind, Kind::Reply(..)))
}

/// Whether all of it was there before anybody was asked, and some of it is no constant.
fn is_known(alt: &Alt) -> bool {
    let varies = |kind: &Kind| matches!(kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored);
    matches!(alt.shape, Shape::Plain)
        && alt.atoms.iter().any(|atom| varies(&atom.kind))
        && alt.atoms.iter().all(|atom| varies(&atom.kind) || matches!(atom.kind, Kind::Constant(_)))
}
