//! Values that are there only where another one is: `if let Some(key) = key { request = request.header("…", key) }`.
//!
//! What a request lacks in the other branch it lacks in those calls alone that give nothing. [`Kind::AbsentIf`] says so
//! until a caller is seen to give something.

use std::sync::Arc;

use super::shape::{BuildStep, Builder, push_atom, same_value};
use super::{Alt, Atom, FieldPath, Kind, Shape, Trail, Value};
use crate::source::Span;

impl Value {
    /// The parameter that a value is, and nothing else.
    pub(crate) fn as_parameter(&self) -> Option<(u32, FieldPath)> {
        match &*self.alts {
            [Alt { atoms, shape: Shape::Plain }] => match &**atoms {
                [Atom { kind: Kind::Param(index, path), there: false, .. }] => Some((*index, *path)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is `None` whatever way was taken.
    pub(crate) fn is_nothing(&self) -> bool {
        let nothing = |alt: &Alt| alt.atoms.iter().any(|atom| atom.kind == Kind::Absent);
        !self.wide && !self.alts.is_empty() && self.alts.iter().all(nothing)
    }

    /// Whether it was wrapped as `Some` whatever way was taken.
    pub(crate) fn is_there(&self) -> bool {
        let there = |alt: &Alt| {
            let mut given = alt.atoms.iter().filter(|atom| matches!(atom.kind, Kind::Param(..))).peekable();
            given.peek().is_some() && given.all(|atom| atom.there)
        };
        !self.wide && !self.alts.is_empty() && self.alts.iter().all(there)
    }

    /// The value, of which nothing but the answers of these dispatches decides that there is none.
    pub(crate) fn absent_by(&self, about: &[Span]) -> Self {
        self.filter_map(|alt| {
            let mut alt = alt.clone();
            if alt.atoms.iter().any(|atom| matches!(atom.kind, Kind::Absent)) {
                let replies = about.iter().map(|&site| Atom::reply(site, false));
                alt.atoms = alt.atoms.iter().cloned().chain(replies).collect();
            }
            Some(alt)
        })
    }

    /// The value as it is without the value of a parameter, beside what it is `with` one: of calls that only that one makes
    /// on it, it lacks what they took. The branch without them stands at a place.
    pub(crate) fn lacking(&self, with: &Value, parameter: (u32, FieldPath), at: Span) -> Self {
        self.filter_map(|alt| {
            let (root, steps): (Value, &[BuildStep]) = match &alt.shape {
                Shape::Builder(builder) => (builder.root.clone(), &builder.steps),
                _ => (Self::alt(alt.clone()), &[]),
            };
            let longer = with.alts.iter().find_map(|other| match &other.shape {
                Shape::Builder(other) => {
                    let begins = other.steps.iter().zip(steps).all(|(other, step)| other.span == step.span);
                    (other.steps.len() > steps.len() && begins && same_value(&other.root, &root)).then_some(other)
                }
                _ => None,
            });
            let added = longer.map(|longer| &longer.steps[steps.len()..]).filter(|added| {
                added.iter().flat_map(|step| &step.args).flat_map(Value::atoms).any(|atom| is_of(&atom.kind, parameter))
            });
            let Some(added) = added else {
                return Some(alt.clone());
            };
            let lacks = |value: &Value| {
                value.map_atoms(&mut |atom| match is_of(&atom.kind, parameter) {
                    true => {
                        let trail = Trail::start(at, "nothing goes along on this way");
                        Atom { kind: Kind::AbsentIf(parameter.0, parameter.1), trail, ..atom.clone() }
                    }
                    false => atom.clone(),
                })
            };
            let lacking =
                added.iter().map(|step| BuildStep { args: step.args.iter().map(lacks).collect(), ..step.clone() });
            let steps = steps.iter().cloned().chain(lacking).collect();
            let shape = Shape::Builder(Arc::new(Builder { root, steps }));
            Some(Alt { atoms: alt.atoms.clone(), shape })
        })
    }

    /// What `Some(x)` binds: nothing of a value that is absent, and of a parameter only what callers give that is there.
    pub(crate) fn unwrapped(&self) -> Self {
        self.present().filter_map(|alt| {
            let mut alt = alt.clone();
            if let ([atom @ Atom { kind: Kind::Param(..), .. }], Shape::Plain) = (&*alt.atoms, &alt.shape) {
                alt.atoms = [Atom { there: true, ..atom.clone() }].into_iter().collect();
            }
            Some(alt)
        })
    }

    /// The value wrapped as `Some`.
    pub(crate) fn wrapped(&self) -> Self {
        if !self.atoms().any(|atom| matches!(atom.kind, Kind::Param(..))) {
            return self.clone();
        }
        self.map_atoms(&mut |atom| Atom { there: true, ..atom.clone() })
    }
}

fn is_of(kind: &Kind, (index, path): (u32, FieldPath)) -> bool {
    matches!(kind, Kind::Param(other, of) if *other == index && of.starts_with(&path))
}

/// What is left of a value that is absent if a parameter is, for each that a caller gives.
pub(super) fn left_of(absent: &Atom, given: &Value) -> Vec<Atom> {
    let mut left = Vec::new();
    for alt in given.alts.iter() {
        let kind = match &*alt.atoms {
            _ if alt.atoms.iter().any(|atom| atom.kind == Kind::Absent) => Kind::Absent,
            [Atom { kind: Kind::Param(index, path), there: false, .. }] => Kind::AbsentIf(*index, *path),
            [Atom { kind: kind @ Kind::AbsentIf(..), .. }] => *kind,
            _ => continue,
        };
        let trail = alt.atoms.iter().find(|atom| atom.kind == Kind::Absent).unwrap_or(absent).trail.clone();
        push_atom(&mut left, Atom { kind, trail, ..absent.clone() });
    }
    left
}

/// Each row with each of some atoms; none at all where there is no such atom.
pub(super) fn each_with(rows: &[Vec<Atom>], atoms: &[Atom]) -> Vec<Vec<Atom>> {
    let both = rows.iter().flat_map(|row| atoms.iter().map(move |atom| (row, atom)));
    both.map(|(row, atom)| {
        let mut row = row.clone();
        push_atom(&mut row, atom.clone());
        row
    })
    .take(super::MAX_ALTERNATIVES)
    .collect()
}
