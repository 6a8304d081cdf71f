//! Shapes: what a value is made of, beside its origins, and what two of them have in common.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::{Alt, Atom, Kind, MAX_ALTERNATIVES, MAX_DEPTH, Value, notable};
use crate::ir::{ExprId, Name};
use crate::resolve::{ConstId, FnId};
use crate::source::Span;

/// More atoms than this in one alternative are cut: keys have few parts.
const MAX_ATOMS: usize = 24;
/// Requests that a value may be, at most: one for each method, with and without what a branch or loop adds.
const MAX_REQUESTS: usize = 24;

/// What an alternative is made of, beside its origins.
#[derive(Clone, Debug, Default)]
pub(crate) enum Shape {
    #[default]
    Plain,
    /// a struct, tuple, variant or map: fields by name
    Record(Arc<Record>),
    /// an external value under construction: what was called on it
    Builder(Arc<Builder>),
    /// a closure
    Closure(Closure),
    /// a function as a value
    Function(Arc<[FnId]>),
    /// a function of another crate as a value
    External(Name),
}

/// A closure expression. Only the body in which it stands can run it: numbers of expressions mean nothing elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Closure {
    pub(crate) owner: Owner,
    pub(crate) at: ExprId,
}

/// Whose body it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    Function(FnId),
    Constant(ConstId),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// path of the struct or variant, if it has one
    pub(crate) path: Option<Name>,
    pub(crate) fields: BTreeMap<Name, Value>,
    /// `..rest`
    pub(crate) rest: Option<Value>,
    /// where each field's value stands
    pub(crate) places: Arc<BTreeMap<Name, Span>>,
}

impl Record {
    /// Whether it is a list whose elements are written out.
    pub(crate) fn is_list(&self) -> bool {
        self.path.is_some_and(|path| path.as_str() == "[]")
    }

    /// The values of its fields in the order of their numbers, where each has one.
    pub(crate) fn numbered(&self) -> Option<Vec<&Value>> {
        let mut found: Vec<(usize, &Value)> = Vec::with_capacity(self.fields.len());
        for (name, value) in &self.fields {
            found.push((name.as_str().parse().ok()?, value));
        }
        found.sort_by_key(|(number, _)| *number);
        Some(found.into_iter().map(|(_, value)| value).collect())
    }
}

/// A chain of calls on one external value: `client.post(url).header(a, b)`.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    /// the value the chain started from
    pub(crate) root: Value,
    pub(crate) steps: Vec<BuildStep>,
}

#[derive(Clone, Debug)]
pub(crate) struct BuildStep {
    /// method or function name
    pub(crate) name: Name,
    pub(crate) args: Vec<Value>,
    /// the call, from its name on
    pub(crate) span: Span,
    /// places of the arguments
    pub(crate) arg_spans: Vec<Span>,
    /// the row of the catalog's dispatches that this call starts
    pub(crate) starts: Option<u32>,
    /// row of the catalog's lookups that the call starts
    pub(crate) asks: Option<u32>,
    /// the row of the catalog's carriers that this call makes
    pub(crate) carries: Option<u32>,
    /// it attaches something that repeats what goes through
    pub(crate) attaches: bool,
    /// the argument that says how long what is sent may take, where this call sets that
    pub(crate) limits: Option<u32>,
    /// a function of another crate that was handed the chain, and gave it back with whatever it has put in
    pub(crate) foreign: bool,
}

impl BuildStep {
    /// A call of which no row of the catalog says anything.
    pub(crate) fn plain(name: Name, args: Vec<Value>, span: Span) -> Self {
        Self {
            name,
            args,
            span,
            arg_spans: Vec::new(),
            starts: None,
            asks: None,
            carries: None,
            attaches: false,
            limits: None,
            foreign: false,
        }
    }
}

impl Builder {
    /// The chain with a further call.
    pub(crate) fn followed_by(&self, step: BuildStep) -> Shape {
        let steps = self.steps.iter().cloned().chain([step]).collect();
        Shape::Builder(Arc::new(Self { root: self.root.clone(), steps }))
    }
}

impl Shape {
    /// The parts through a function. Where it changes none, the shape stays the one that others have, too.
    pub(crate) fn map(&self, f: &mut dyn FnMut(&Value) -> Value) -> Self {
        let mut changed = false;
        let mut mapped = |value: &Value| {
            let new = f(value);
            changed |= !new.is_same_copy(value);
            new
        };
        match self {
            Self::Record(record) => {
                let values: Vec<Value> = record.fields.values().map(&mut mapped).collect();
                let rest = record.rest.as_ref().map(&mut mapped);
                if !changed {
                    return self.clone();
                }
                let mut fields = record.fields.clone();
                fields.values_mut().zip(values).for_each(|(field, value)| *field = value);
                Self::Record(Arc::new(Record { path: record.path, fields, rest, places: record.places.clone() }))
            }
            Self::Builder(builder) => {
                let root = mapped(&builder.root);
                let steps = builder.steps.iter();
                let args: Vec<Vec<Value>> = steps.map(|step| step.args.iter().map(&mut mapped).collect()).collect();
                if !changed {
                    return self.clone();
                }
                let steps = builder.steps.iter().zip(args);
                let steps = steps.map(|(step, args)| BuildStep { args, arg_spans: step.arg_spans.clone(), ..*step });
                Self::Builder(Arc::new(Builder { root, steps: steps.collect() }))
            }
            other => other.clone(),
        }
    }
}

pub(super) fn push_atom(atoms: &mut Vec<Atom>, atom: Atom) {
    if is_wanted(atoms, &atom) {
        atoms.push(atom);
    }
}

/// Adds those of some atoms that are not there yet, each as `made` makes it, which tells no two of them apart.
pub(super) fn push_atoms(atoms: &mut Vec<Atom>, others: &[Atom], made: impl Fn(&Atom) -> Atom) {
    for other in others {
        if is_wanted(atoms, other) {
            atoms.push(made(other));
        }
    }
}

fn is_wanted(atoms: &[Atom], atom: &Atom) -> bool {
    atoms.len() < MAX_ATOMS && !atoms.iter().any(|known| known.is_same(atom))
}

/// The atoms of an alternative and of everything in it, shared where they are the only part.
pub(super) fn flat_alt(alt: &Alt) -> Arc<[Atom]> {
    match (&alt.shape, &*alt.atoms) {
        (Shape::Plain, [] | [_]) => alt.atoms.clone(),
        _ => flat_atoms(alt, MAX_DEPTH).into(),
    }
}

/// The atoms of two together.
pub(super) fn both(left: &Arc<[Atom]>, right: &[Atom]) -> Arc<[Atom]> {
    let mut atoms = left.to_vec();
    push_atoms(&mut atoms, right, Atom::clone);
    if atoms.len() == left.len() { left.clone() } else { atoms.into() }
}

/// Alternatives that are known to differ, and others with them; `wide` where some are left out.
pub(super) fn merged(known: Vec<Alt>, others: impl IntoIterator<Item = Alt>, wide: &mut bool) -> Vec<Alt> {
    let mut merged = known;
    let is_notable = |alt: &Alt| alt.atoms.iter().any(|atom| notable(&atom.kind));
    for alt in others {
        if merged.iter().any(|known| same(known, &alt)) {
            continue;
        }
        let most = if is_request(&alt) { MAX_REQUESTS } else { MAX_ALTERNATIVES };
        if merged.len() < most {
            merged.push(alt);
            continue;
        }
        *wide = true;
        // Keep one of each class of origin rather than the first dozen: a rare fresh path must not be lost.
        if let (true, Some(dull)) = (is_notable(&alt), merged.iter().rposition(|known| !is_notable(known))) {
            merged[dull] = alt;
        } else if let Some(place) = place_of_request(&merged, &alt) {
            merged[place] = alt;
        }
    }
    merged
}

/// Where an alternative that starts a request which none of these starts goes: one of each is kept, however many ways lead
/// to the client. Of two that start the same one, the one with more in it: what is left out of the other would be taken for
/// lacking.
fn place_of_request(known: &[Alt], alt: &Alt) -> Option<usize> {
    let request = request_of(alt)?;
    let requests: Vec<_> = known.iter().map(request_of).collect();
    if requests.contains(&Some(request)) {
        let is_less = |at: &usize| requests[*at] == Some(request) && length(&known[*at]) < length(alt);
        return (0..known.len()).find(is_less);
    }
    let again = |at: &usize| requests[..*at].contains(&requests[*at]);
    (0..known.len()).rev().find(again)
}

/// How many calls a chain is made of.
fn length(alt: &Alt) -> usize {
    match &alt.shape {
        Shape::Builder(builder) => builder.steps.len() + builder.root.alts.iter().map(length).max().unwrap_or(0),
        _ => 0,
    }
}

/// A chain that goes on with one of several requests is one chain for each.
pub(super) fn each_chain(atoms: &Arc<[Atom]>, shape: Shape, out: &mut Vec<Alt>) {
    let several = |builder: &Builder| builder.root.alts.len() > 1 && builder.root.alts.iter().any(is_request);
    match &shape {
        Shape::Builder(builder) if several(builder) => out.extend(builder.root.alts.iter().map(|root| {
            let one = Builder { root: Value::alt(root.clone()), steps: builder.steps.clone() };
            Alt { atoms: atoms.clone(), shape: Shape::Builder(Arc::new(one)) }
        })),
        _ => out.push(Alt { atoms: atoms.clone(), shape }),
    }
}

fn is_request(alt: &Alt) -> bool {
    request_of(alt).is_some()
}

/// The call that starts the request of a chain, if one does.
fn request_of(alt: &Alt) -> Option<Span> {
    let Shape::Builder(builder) = &alt.shape else {
        return None;
    };
    let own = builder.steps.iter().rev().find(|step| step.starts.is_some()).map(|step| step.span);
    own.or_else(|| builder.root.alts.iter().find_map(request_of))
}

/// The atoms of an alternative and of everything in it.
pub(super) fn flat_atoms(alt: &Alt, depth: usize) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    // A large value has a few origins many times: of those that are there, only what is alike is compared.
    let mut marks: Vec<u64> = Vec::new();
    visit_parts(alt, depth, &mut |atom, _| {
        let mark = FxBuildHasher.hash_one((atom.kind, atom.per_call));
        let mut alike = marks.iter().zip(&atoms).filter(|(known, _)| **known == mark);
        if !alike.any(|(_, known)| known.is_same(atom)) {
            marks.push(mark);
            atoms.push(atom.clone());
        }
        atoms.len() < MAX_ATOMS
    });
    atoms
}

/// Each atom of an alternative and of everything in it, with whether the value or a field of it is that and nothing else,
/// as long as `f` wants more.
pub(super) fn visit_parts(alt: &Alt, depth: usize, f: &mut dyn FnMut(&Atom, bool) -> bool) -> bool {
    // The parts of a record say more than the atoms of the whole.
    let parts = matches!(&alt.shape, Shape::Record(record) if !record.fields.is_empty()) && depth > 0;
    if !parts && !alt.atoms.iter().all(|atom| f(atom, alt.atoms.len() == 1)) {
        return false;
    }
    if depth == 0 {
        return true;
    }
    match &alt.shape {
        Shape::Record(record) => {
            let mut alts = record.fields.values().chain(&record.rest).flat_map(|value| value.alts.iter());
            alts.all(|inner| visit_parts(inner, depth - 1, f))
        }
        Shape::Builder(builder) => {
            // What a chain of calls took is not what it gives.
            let mut taken = |atom: &Atom, _: bool| f(atom, false);
            let args = builder.steps.iter().flat_map(|step| &step.args);
            let mut alts = std::iter::once(&builder.root).chain(args).flat_map(|value| value.alts.iter());
            alts.all(|inner| visit_parts(inner, depth - 1, &mut taken))
        }
        _ => true,
    }
}

pub(super) fn project(atoms: &[Atom], name: Name) -> Vec<Atom> {
    let mut out = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let mut atom = atom.clone();
        match &mut atom.kind {
            Kind::Param(_, path) if path.len() < MAX_DEPTH => *path = path.then(name),
            Kind::Input(of) => *of = Name::new(&format!("{of}.{name}")),
            Kind::Constant(text) => *text = None,
            _ => {}
        }
        push_atom(&mut out, atom);
    }
    out
}

/// Whether two alternatives say the same.
pub(super) fn same(a: &Alt, b: &Alt) -> bool {
    a.atoms.len() == b.atoms.len()
        && a.size() == b.size()
        && (Arc::ptr_eq(&a.atoms, &b.atoms) || a.atoms.iter().zip(b.atoms.iter()).all(|(a, b)| a.is_same(b)))
        && same_shape(&a.shape, &b.shape)
}

fn same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Plain, Shape::Plain) => true,
        (Shape::Record(a), Shape::Record(b)) => {
            Arc::ptr_eq(a, b)
                || a.path == b.path
                    && a.fields.len() == b.fields.len()
                    && a.fields.iter().zip(&b.fields).all(|((an, av), (bn, bv))| an == bn && same_value(av, bv))
                    && match (&a.rest, &b.rest) {
                        (None, None) => true,
                        (Some(a), Some(b)) => same_value(a, b),
                        _ => false,
                    }
        }
        (Shape::Builder(a), Shape::Builder(b)) => {
            Arc::ptr_eq(a, b)
                || a.steps.len() == b.steps.len()
                    && a.steps.iter().zip(&b.steps).all(|(a, b)| {
                        a.span == b.span
                            && a.args.len() == b.args.len()
                            && a.args.iter().zip(&b.args).all(|(a, b)| same_value(a, b))
                    })
                    && same_value(&a.root, &b.root)
        }
        (Shape::Closure(a), Shape::Closure(b)) => a == b,
        (Shape::Function(a), Shape::Function(b)) => a == b,
        (Shape::External(a), Shape::External(b)) => a == b,
        _ => false,
    }
}

/// Whether two values say the same.
pub(crate) fn same_value(a: &Value, b: &Value) -> bool {
    Arc::ptr_eq(&a.alts, &b.alts)
        || a.alts.len() == b.alts.len() && a.alts.iter().zip(b.alts.iter()).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_keeps_its_order() {
        let name = |at: usize| Name::new(&at.to_string());
        let value = |at: usize| Value::alt(Alt { shape: Shape::External(name(at)), ..Alt::default() });
        let list = Record { fields: (0..12).map(|at| (name(at), value(at))).collect(), ..Record::default() };
        let order = list.numbered().expect("each has a number");
        assert!(order.into_iter().zip(0..12).all(|(found, at)| same_value(found, &value(at))));
        let named = Record { fields: [(Name::new("id"), value(0))].into(), ..Record::default() };
        assert!(named.numbered().is_none());
    }
}
