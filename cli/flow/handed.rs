//! Answers that a function is handed: what it asks of the status, the error or the state that one is tells of the outcome
//! of the caller's request.
//!
//! What is handed over is a reply of whatever the caller asked. Here it goes by the place of the parameter; each caller
//! puts the dispatches in its place whose answer it hands over.

use super::engine::Engine;
use super::outcome::{Condition, replies};
use super::value::{Alt, Atom, Kind, Value};
use crate::resolve::{FunctionInfo, Ty};
use crate::source::Span;

/// The value of a parameter: a status is also a bare reply, and a state the reply that it was made of.
pub(crate) fn of_param(engine: &Engine<'_>, info: &FunctionInfo, at: usize, value: Value) -> Value {
    let Some(place) = place_of(engine, info, at) else {
        return value;
    };
    let reply = Atom::reply(place, is_bare(info, at));
    value.filter_map(|alt| {
        let atoms = alt.atoms.iter().cloned().chain([reply.clone()]).collect();
        Some(Alt { atoms, shape: alt.shape.clone() })
    })
}

/// The place that stands for the answer that a parameter tells of.
fn place_of(engine: &Engine<'_>, info: &FunctionInfo, at: usize) -> Option<Span> {
    let tells = is_status(info, at)
        || is_response(info, at)
        || is_result(info, at)
        || is_converted(info, at)
        || is_error(engine, info, at)
        || engine.tells_outcome(info.params.get(at)?);
    tells.then(|| place(info, at))
}

/// The place that stands for a parameter: the function's name for the first, from its second letter on for the second.
pub(crate) fn place(info: &FunctionInfo, at: usize) -> Span {
    let mut range = info.ir.name_range;
    range.start += at as u32;
    Span::new(info.file, range)
}

/// Whether a parameter is an error of the workspace's own, of several kinds.
fn is_error(engine: &Engine<'_>, info: &FunctionInfo, at: usize) -> bool {
    let Some(Ty::Adt(id, _)) = info.params.get(at) else {
        return false;
    };
    let ty = engine.program.type_(*id);
    ty.ir.is_enum && ty.ir.name.as_str().ends_with("Error")
}

/// Whether a parameter is what a `From` makes something else of: an error, as a rule, and no text or number.
fn is_converted(info: &FunctionInfo, at: usize) -> bool {
    let plain = match info.params.get(at) {
        Some(Ty::Primitive(_)) => true,
        Some(Ty::External(path, _)) => matches!(path.as_str(), "std::string::String" | "uuid::Uuid"),
        _ => false,
    };
    at == 0 && !plain && info.trait_path.is_some_and(|of| of.as_str() == "std::convert::From")
}

/// Whether a parameter is the answer itself: what came of whatever the caller asked.
fn is_result(info: &FunctionInfo, at: usize) -> bool {
    matches!(info.params.get(at), Some(Ty::External(path, _)) if path.as_str() == "std::result::Result")
}

/// Whether it is what raw HTTP gave, in which an error page is an answer like any other: as it is, in a result, or the status
/// alone.
fn is_bare(info: &FunctionInfo, at: usize) -> bool {
    let answer = match info.params.get(at) {
        Some(Ty::External(_, args)) if is_result(info, at) => args.first(),
        _ => None,
    };
    is_status(info, at) || is_response(info, at) || is_named(answer, "::Response")
}

/// Whether it is what came back over HTTP, an error page among it.
fn is_response(info: &FunctionInfo, at: usize) -> bool {
    is_named(info.params.get(at), "::Response")
}

fn is_status(info: &FunctionInfo, at: usize) -> bool {
    is_named(info.params.get(at), "::StatusCode")
}

fn is_named(ty: Option<&Ty>, end: &str) -> bool {
    matches!(ty, Some(Ty::External(path, _)) if path.as_str().ends_with(end))
}

/// The dispatches that a caller hands over in the place of each such parameter.
pub(crate) fn given(engine: &Engine<'_>, info: &FunctionInfo, args: &[Value]) -> Vec<(Span, Vec<Span>)> {
    let places = (0..info.params.len()).filter_map(|at| Some((at, place_of(engine, info, at)?)));
    places.map(|(at, place)| (place, args.get(at).map(|value| replies(value).0).unwrap_or_default())).collect()
}

/// A condition as the caller sees it, where it asks about an answer that was handed over.
pub(crate) fn condition(known: &Condition, given: &[(Span, Vec<Span>)]) -> Option<Condition> {
    if !known.about.iter().any(|at| given.iter().any(|(place, _)| place == at)) {
        return None;
    }
    let mut about: Vec<Span> = Vec::new();
    for at in &known.about {
        match given.iter().find(|(place, _)| place == at) {
            Some((_, sites)) => about.extend(sites),
            None => about.push(*at),
        }
    }
    about.dedup();
    // Of whom the caller asked, nothing is known: what the pattern says by its name stands all the same.
    (known.named || known.repeats || !about.is_empty()).then(|| Condition { about, ..known.clone() })
}

/// The parameter that a place stands for.
pub(crate) fn number_of(info: &FunctionInfo, at: Span) -> Option<usize> {
    is_place(info, at).then(|| (at.range.start - info.ir.name_range.start) as usize)
}

/// Whether a place stands for a parameter of a function.
pub(crate) fn is_place(info: &FunctionInfo, at: Span) -> bool {
    let name = info.ir.name_range;
    at.file == info.file && at.range.end == name.end && (name.start..=name.end).contains(&at.range.start)
}

/// The value that a function gives, without the places of its own parameters, neither in itself nor in its fields.
pub(crate) fn without_places(value: &Value, given: &[(Span, Vec<Span>)]) -> Value {
    let is_place = |atom: &Atom| match &atom.kind {
        Kind::Reply(at, _) => given.iter().any(|(place, _)| place == at),
        _ => false,
    };
    let has_place = value.atoms().any(is_place) || !value.each_part(&mut |atom, _| !is_place(atom));
    if given.is_empty() || !has_place {
        return value.clone();
    }
    let sites: Vec<Atom> = given.iter().flat_map(|(_, sites)| sites).map(|&site| Atom::reply(site, false)).collect();
    value.filter_map(|alt| {
        let had = alt.atoms.iter().any(is_place);
        let mut atoms: Vec<Atom> = alt.atoms.iter().filter(|atom| !is_place(atom)).cloned().collect();
        if had {
            atoms.extend(sites.iter().cloned());
        }
        let shape = alt.shape.map(&mut |part| without_places(part, given));
        Some(Alt { atoms: atoms.into(), shape })
    })
}
