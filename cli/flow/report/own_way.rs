//! Keys that implementations of one trait make, each in its own way: what one of them makes anew is no fallback of another's.

use std::collections::BTreeSet;

use crate::flow::engine::Engine;
use crate::flow::uses::Use;
use crate::flow::value::{Alt, Atom, Kind, Value, made};
use crate::flow::{KeyFact, KeyVerdict};
use crate::ir::Name;
use crate::resolve::{FnId, FunctionInfo};
use crate::source::Span;

/// A key that is made anew by one implementation on each of its ways, and of which all else that it may be is what others give:
/// whoever has a value of that type sends another key at each attempt.
pub(super) fn judge(engine: &mut Engine<'_>, known: &Use, fact: &mut KeyFact) {
    if fact.verdict != KeyVerdict::RandomFallback {
        return;
    }
    let key = known.key.flat();
    let (anew, others): (Vec<&Alt>, Vec<&Alt>) = key.alts.iter().partition(|alt| is_made(alt));
    let Some(own) = anew.first().and_then(|alt| place(alt)).and_then(|at| implementation(engine, at)) else {
        return;
    };
    let given: Vec<Value> = siblings(engine, own).into_iter().map(|id| engine.summary(id).ret.flat()).collect();
    let own = engine.summary(own).ret.flat();
    let of_own = anew.iter().all(|alt| own.alts.iter().any(|known| place(known) == place(alt)));
    let of_another = |alt: &&Alt| given.iter().flat_map(|value| value.alts.iter()).any(|known| is_same(known, alt));
    if own.alts.iter().all(is_made) && of_own && others.iter().all(of_another) {
        fact.verdict = KeyVerdict::PerAttempt;
    }
}

fn is_made(alt: &Alt) -> bool {
    alt.atoms.iter().any(|atom| made(&atom.kind))
}

/// Where what is made anew in a value is made.
fn place(alt: &Alt) -> Option<Span> {
    alt.atoms.iter().find(|atom| made(&atom.kind)).and_then(|atom| atom.trail.origin())
}

/// The method of a trait of the workspace in whose body a place is.
fn implementation(engine: &Engine<'_>, place: Span) -> Option<FnId> {
    let within = |info: &FunctionInfo| Span::new(info.file, info.ir.range).covers(place) && info.trait_.is_some();
    ids(engine).find(|id| within(engine.program.function(*id)))
}

/// The same method of other types.
fn siblings(engine: &Engine<'_>, own: FnId) -> Vec<FnId> {
    let info = engine.program.function(own);
    let same = |other: &FunctionInfo| other.trait_ == info.trait_ && other.ir.name == info.ir.name && !other.test;
    ids(engine).filter(|id| *id != own && same(engine.program.function(*id))).collect()
}

fn ids<'e>(engine: &'e Engine<'_>) -> impl Iterator<Item = FnId> + use<'e> {
    (0..engine.program.functions.len() as u32).map(FnId)
}

/// Whether what a function gives in its own terms is what a caller has of it: the same texts, and parts of the same names.
fn is_same(given: &Alt, seen: &Alt) -> bool {
    let texts = |alt: &Alt| -> BTreeSet<Option<Name>> {
        let text = |atom: &Atom| match atom.kind {
            Kind::Constant(text) => Some(text),
            _ => None,
        };
        alt.atoms.iter().filter_map(text).collect()
    };
    let part = |atom: &Atom| match atom.kind {
        Kind::Constant(_) => true,
        Kind::Input(name) => given.atoms.iter().any(|known| match known.kind {
            Kind::Param(0, path) => {
                path.last().is_some_and(|last| name.as_str().rsplit('.').next() == Some(last.as_str()))
            }
            kind => kind == atom.kind,
        }),
        kind => given.atoms.iter().any(|known| known.kind == kind),
    };
    texts(given) == texts(seen) && !seen.atoms.is_empty() && seen.atoms.iter().all(part)
}
