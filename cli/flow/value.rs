//! Values as the analysis sees them: alternatives of concatenated origins, with the shape of records, builders and
//! closures where it is known.
//!
//! A [`Value`] is a set of alternatives (one for each path into it); an alternative is a set of atoms that all went
//! into it (`format!("{a}-{b}")` has those of `a` and those of `b`). Nothing here knows a program or a catalog.

mod absent;
mod atom;
mod context;
mod later;
mod shape;

use std::sync::Arc;

pub(crate) use atom::{Atom, Entered, FieldPath, Kind, Regions, Trail, made, notable};
pub(crate) use context::{CallContext, Note};
pub(crate) use later::Later;
pub(crate) use shape::{BuildStep, Builder, Closure, Owner, Record, Shape, same_value};
use shape::{both, flat_alt, flat_atoms, merged, project, push_atom, push_atoms, visit_parts};

use crate::ir::Name;
use crate::source::Span;

/// More alternatives than this are merged: what is lost is said by [`Value::wide`].
const MAX_ALTERNATIVES: usize = 8;
/// Nesting of records and builders beyond which only the atoms are kept.
const MAX_DEPTH: usize = 6;
/// Parts of a value from which on it is looked for among those that were substituted before.
const SHARED_SIZE: u32 = 4;
/// Parts of one value, as a tree; a larger one loses its shape. All walks over values are bounded by this.
const MAX_SIZE: u32 = 400;

/// One alternative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alt {
    pub(crate) atoms: Arc<[Atom]>,
    pub(crate) shape: Shape,
}

/// A set of alternatives; none at all is a value that never arises (after `return`, the payload of an `Err`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Value {
    pub(crate) alts: Arc<[Alt]>,
    /// alternatives were merged
    pub(crate) wide: bool,
    /// parts, as a tree
    size: u32,
    /// a caller sees something else: a parameter is in it, or what was made here, or what has a way worth telling
    open: bool,
    /// alternatives may say the same
    loose: bool,
}

impl Alt {
    /// Whether it is known to be an empty text or list, and nothing else.
    pub(crate) fn is_made_empty(&self) -> bool {
        !self.atoms.is_empty() && self.atoms.iter().all(|atom| atom.kind == Kind::Empty)
    }

    fn size(&self) -> u32 {
        let inner = match &self.shape {
            Shape::Record(record) => {
                record.fields.values().chain(&record.rest).map(|value| value.size).fold(0, u32::saturating_add)
            }
            Shape::Builder(builder) => {
                let args = builder.steps.iter().flat_map(|step| &step.args).map(|value| value.size + 1);
                args.fold(builder.root.size, u32::saturating_add)
            }
            _ => 0,
        };
        inner.saturating_add(1 + self.atoms.len() as u32)
    }

    /// Whether a caller sees something else.
    fn is_open(&self) -> bool {
        let open = |atom: &Atom| {
            matches!(atom.kind, Kind::Param(..) | Kind::AbsentIf(..))
                || matches!(atom.entered, Entered::Here(_))
                || notable(&atom.kind)
        };
        self.atoms.iter().any(open)
            || match &self.shape {
                Shape::Record(record) => record.fields.values().chain(&record.rest).any(|value| value.open),
                Shape::Builder(builder) => {
                    builder.root.open || builder.steps.iter().flat_map(|step| &step.args).any(|value| value.open)
                }
                _ => false,
            }
    }

    /// The alternative, flattened as far as its size asks for.
    fn bounded(self) -> Self {
        if self.size() <= MAX_SIZE {
            return self;
        }
        let shallow = Self { atoms: self.atoms.clone(), shape: self.shape.map(&mut |value| value.flat()) };
        match shallow.size() <= MAX_SIZE {
            true => shallow,
            false => Self { atoms: flat_atoms(&shallow, 1).into(), shape: Shape::Plain },
        }
    }
}

impl Value {
    pub(crate) fn bottom() -> Self {
        Self::default()
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self::alt(Alt { atoms: Arc::new([atom]), shape: Shape::Plain })
    }

    pub(crate) fn alt(alt: Alt) -> Self {
        Self::of([alt], false, false)
    }

    /// A value of these alternatives; `loose` where they may say the same.
    fn of(alts: impl IntoIterator<Item = Alt>, wide: bool, loose: bool) -> Self {
        let (mut size, mut open, mut cut) = (0u32, false, false);
        let alts = alts.into_iter().map(|alt| {
            let (alt, own) = match alt.size() {
                own if own <= MAX_SIZE => (alt, own),
                _ => {
                    cut = true;
                    let alt = alt.bounded();
                    let own = alt.size();
                    (alt, own)
                }
            };
            size = size.saturating_add(own);
            open |= alt.is_open();
            alt
        });
        let alts: Arc<[Alt]> = alts.collect();
        // What was cut may have become the same.
        Self { loose: alts.len() > 1 && (loose || cut), alts, wide, size, open }
    }

    pub(crate) fn alts(alts: Vec<Alt>) -> Self {
        let mut wide = false;
        let merged = merged(Vec::with_capacity(alts.len()), alts, &mut wide);
        Self::of(merged, wide, false)
    }

    /// Whether it is another copy of the same, with all ways and shapes.
    fn is_same_copy(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.alts, &other.alts) && self.wide == other.wide
    }

    pub(crate) fn is_bottom(&self) -> bool {
        self.alts.is_empty()
    }

    /// All atoms of all alternatives.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.alts.iter().flat_map(|alt| alt.atoms.iter())
    }

    /// The atoms of all alternatives and of everything in them, as far as [`Self::flat`] looks, each with whether the
    /// value or a field of it is that and nothing else; as long as `f` wants more.
    pub(crate) fn each_part(&self, f: &mut dyn FnMut(&Atom, bool) -> bool) -> bool {
        self.alts.iter().all(|alt| visit_parts(alt, MAX_DEPTH, f))
    }

    /// Only what tells of an outcome, and what a caller may have to say of it: enough where nobody looks at the value.
    pub(crate) fn outcome(&self) -> Self {
        let tells = |atom: &&Atom| atom.kind.is_absent() || matches!(atom.kind, Kind::Reply(..) | Kind::Param(..));
        self.filter_map(|alt| {
            Some(Alt { atoms: alt.atoms.iter().filter(tells).cloned().collect(), shape: Shape::Plain })
        })
    }

    /// Either of two.
    pub(crate) fn join(&self, other: &Self) -> Self {
        if self.is_bottom() || Arc::ptr_eq(&self.alts, &other.alts) {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        let mut wide = self.wide | other.wide;
        let known: Vec<Alt> = match self.loose {
            true => merged(Vec::new(), self.alts.iter().cloned(), &mut wide),
            false => self.alts.to_vec(),
        };
        let joined = merged(known, other.alts.iter().cloned(), &mut wide);
        Self::of(joined, wide, false)
    }

    /// Both together, as in formatting, hashing, pairing: the cross product of the alternatives.
    pub(crate) fn concat(parts: &[Value]) -> Self {
        let mut alts: Option<Vec<Alt>> = None;
        let mut wide = false;
        for part in parts {
            if part.is_bottom() {
                continue;
            }
            wide |= part.wide;
            let right: Vec<Arc<[Atom]>> = part.alts.iter().map(flat_alt).collect();
            let next: Vec<Arc<[Atom]>> = match alts {
                None => right,
                Some(alts) => alts.iter().flat_map(|left| right.iter().map(|right| both(&left.atoms, right))).collect(),
            };
            let plain = next.into_iter().map(|atoms| Alt { atoms, shape: Shape::Plain });
            alts = Some(merged(Vec::new(), plain, &mut wide));
        }
        Self::of(alts.unwrap_or_else(|| vec![Alt::default()]), wide, false)
    }

    /// The value seen as a whole, with the atoms of its fields: what serialising or hashing it takes in.
    pub(crate) fn flat(&self) -> Self {
        if self.alts.iter().all(|alt| matches!(alt.shape, Shape::Plain)) {
            return self.clone();
        }
        Self::concat(std::slice::from_ref(self))
    }

    /// Each alternative through a function; those for which it says `None` are dropped.
    pub(crate) fn filter_map(&self, mut f: impl FnMut(&Alt) -> Option<Alt>) -> Self {
        let mut value = Self::alts(self.alts.iter().filter_map(&mut f).collect());
        value.wide |= self.wide;
        value
    }

    /// Each atom through a function.
    pub(crate) fn map_atoms(&self, f: &mut impl FnMut(&Atom) -> Atom) -> Self {
        self.map_depth(f, 0)
    }

    fn map_depth(&self, f: &mut impl FnMut(&Atom) -> Atom, depth: usize) -> Self {
        if depth > MAX_DEPTH {
            return self.clone();
        }
        let alts = self
            .alts
            .iter()
            .map(|alt| Alt {
                atoms: alt.atoms.iter().map(&mut *f).collect(),
                shape: alt.shape.map(&mut |value| value.map_depth(f, depth + 1)),
            })
            .collect::<Vec<_>>();
        Self::of(alts, self.wide, true)
    }

    /// The value without `None`s: what `?`, `unwrap`, `Some(x)` patterns let through.
    pub(crate) fn present(&self) -> Self {
        if self.atoms().all(|atom| !atom.kind.is_absent()) {
            return self.clone();
        }
        self.filter_map(|alt| (!alt.atoms.iter().any(|atom| atom.kind.is_absent())).then(|| alt.clone()))
    }

    /// Whether some alternative is `None`.
    pub(crate) fn may_be_absent(&self) -> bool {
        self.atoms().any(|atom| atom.kind.is_absent())
    }

    /// The text, if the value is one constant text on all paths.
    pub(crate) fn text(&self) -> Option<&'static str> {
        match &*self.alts {
            [Alt { atoms, .. }] => match &**atoms {
                [Atom { kind: Kind::Constant(Some(text)), .. }] => Some(text.as_str()),
                _ => None,
            },
            _ => None,
        }
    }

    /// A field of the value.
    pub(crate) fn field(&self, name: Name) -> Self {
        let mut out = Self::bottom();
        for alt in self.alts.iter() {
            let one = match &alt.shape {
                Shape::Record(record) => match (record.fields.get(&name), &record.rest) {
                    (Some(value), _) => value.clone(),
                    (None, Some(rest)) => rest.field(name),
                    // A wrapper such as `Some((a, b))` is looked through: the atoms stand for the whole.
                    (None, None) => Self::alt(Alt { atoms: project(&alt.atoms, name).into(), shape: Shape::Plain }),
                },
                Shape::Builder(_) => {
                    Self::alt(Alt { atoms: project(&alt.atoms, name).into(), shape: alt.shape.clone() })
                }
                _ => Self::alt(Alt { atoms: project(&alt.atoms, name).into(), shape: Shape::Plain }),
            };
            out = out.join(&one);
        }
        out.wide |= self.wide;
        out
    }

    /// The value with a field replaced (a strong update).
    pub(crate) fn with_field(&self, path: &[Name], new: &Value) -> Self {
        let Some((&first, rest)) = path.split_first() else {
            return new.clone();
        };
        self.filter_map(|alt| {
            let mut record = match &alt.shape {
                Shape::Record(record) => Record::clone(record),
                _ => Record { rest: Some(Self::alt(alt.clone())), ..Record::default() },
            };
            let old = Self::alt(alt.clone()).field(first);
            record.fields.insert(first, if rest.is_empty() { new.clone() } else { old.with_field(rest, new) });
            Some(Alt { atoms: alt.atoms.clone(), shape: Shape::Record(Arc::new(record)) })
        })
    }

    /// The value as a whole that was serialised: what is in it is a part of a payload. Nothing can be read from an empty
    /// text, and what an empty value is written as is not empty.
    pub(crate) fn serialized(&self) -> Self {
        let rest = self.filter_map(|alt| (!alt.is_made_empty()).then(|| alt.clone()));
        let value = if rest.is_bottom() { self } else { &rest };
        value.map_atoms(&mut |atom| Atom { payload: true, ..atom.clone() })
    }

    /// What a read gives that asks by the value: rows that were stored before, whatever they were asked for by.
    pub(crate) fn asked_for(&self) -> Self {
        self.map_atoms(&mut |atom| match atom.kind {
            Kind::Param(..) | Kind::Input(_) | Kind::AbsentIf(..) => Atom { asked: true, ..atom.clone() },
            Kind::Stored | Kind::Durable | Kind::Reply(..) | Kind::Transaction(_) => atom.clone(),
            _ => Atom::new(Kind::Stored, atom.entered, Trail::default()),
        })
    }

    /// The answers that the value tells of.
    pub(crate) fn replies(&self) -> Vec<Atom> {
        self.atoms().filter(|atom| atom.is_reply()).cloned().collect()
    }

    /// The value with further atoms in each alternative.
    pub(crate) fn with_atoms(&self, extra: &[Atom]) -> Self {
        if extra.is_empty() {
            return self.clone();
        }
        if self.is_bottom() {
            return Self::alt(Alt { atoms: extra.into(), shape: Shape::Plain });
        }
        self.filter_map(|alt| {
            let mut atoms = alt.atoms.to_vec();
            for atom in extra {
                if !atoms.iter().any(|known| known.kind == atom.kind) {
                    atoms.push(atom.clone());
                }
            }
            Some(Alt { atoms: atoms.into(), shape: alt.shape.clone() })
        })
    }

    /// Parameters replaced by what the caller passes; what was made below enters the caller at `regions`.
    pub(crate) fn substitute(&self, call: &CallContext) -> Self {
        self.substitute_depth(call, 0)
    }

    fn substitute_depth(&self, call: &CallContext, depth: usize) -> Self {
        if depth > MAX_DEPTH || !self.open {
            return self.clone();
        }
        if let Some(argument) = self.argument_of(call) {
            return argument;
        }
        if self.size < SHARED_SIZE {
            return self.substituted(call, depth);
        }
        let mut value = call.once(&self.alts, depth, || self.substituted(call, depth));
        value.wide |= self.wide;
        value
    }

    /// Of a value that is nothing but a parameter: what the caller passes.
    fn argument_of(&self, call: &CallContext) -> Option<Self> {
        let [Alt { atoms, shape: Shape::Plain }] = &*self.alts else {
            return None;
        };
        let [Atom { kind: Kind::Param(index, path), payload: false, asked: false, there: false, .. }] = &**atoms else {
            return None;
        };
        let mut value = call.argument(*index, *path);
        value.wide |= self.wide;
        (!value.loose).then_some(value)
    }

    fn substituted(&self, call: &CallContext, depth: usize) -> Self {
        let mut out: Vec<Alt> = Vec::new();
        let mut wide = self.wide;
        for alt in self.alts.iter() {
            // A value that is nothing but a parameter, or what a parameter gives that is called, takes the argument over with
            // its shape.
            if let (
                [Atom { kind: Kind::Param(index, path), payload, asked, there, .. }, replies @ ..],
                Shape::Plain,
                true,
            ) = (&*alt.atoms, &alt.shape, alt.atoms.iter().skip(1).all(Atom::is_reply))
            {
                let value = call.argument(*index, *path);
                let replies: Vec<Atom> = replies.iter().map(|reply| call.taken_over(reply)).collect();
                let value = value.with_atoms(&replies);
                let value = if *there { value.present().wrapped() } else { value };
                let value = if *asked { value.asked_for() } else { value };
                let value = match (*payload, call.order(*index, *path)) {
                    (true, Some(order)) => Self::concat(&[value.serialized(), order.clone()]),
                    (true, None) => value.serialized(),
                    (false, _) => value,
                };
                wide |= value.wide;
                out.extend(value.alts.iter().cloned());
                continue;
            }
            let shape = alt.shape.map(&mut |value| value.substitute_depth(call, depth + 1));
            if let ([], _) | ([_], true) = (&*alt.atoms, alt.atoms.iter().all(|atom| call.leaves(atom))) {
                shape::each_chain(&alt.atoms, shape, &mut out);
                continue;
            }
            let mut rows = vec![Vec::new()];
            for atom in alt.atoms.iter() {
                match &atom.kind {
                    Kind::Param(index, path) => {
                        let value = call.flat_argument(*index, *path);
                        let value = if atom.asked { value.asked_for() } else { value };
                        let value = if atom.there { value.present() } else { value };
                        wide |= value.wide;
                        let taken_for = |given: &Atom| Atom {
                            guessed: given.guessed | atom.guessed,
                            payload: given.payload | atom.payload,
                            there: given.there | atom.there,
                            ..given.clone()
                        };
                        match &*value.alts {
                            [] => {}
                            [only] => rows.iter_mut().for_each(|row| push_atoms(row, &only.atoms, taken_for)),
                            several => {
                                let each = rows.iter().flat_map(|row| several.iter().map(move |given| (row, given)));
                                let each = each.take(MAX_ALTERNATIVES).map(|(row, given)| {
                                    let mut row = row.clone();
                                    push_atoms(&mut row, &given.atoms, taken_for);
                                    row
                                });
                                rows = each.collect();
                            }
                        }
                        for order in call.order(*index, *path).filter(|_| atom.payload).iter().flat_map(|of| of.atoms())
                        {
                            rows.iter_mut().for_each(|row| push_atom(row, order.clone()));
                        }
                    }
                    // What holds only without a value is not met by a call that gives one.
                    Kind::AbsentIf(index, path) => {
                        let absent = absent::left_of(atom, &call.argument(*index, *path));
                        rows = absent::each_with(&rows, &absent);
                    }
                    _ => {
                        let atom = call.taken_over(atom);
                        for row in &mut rows {
                            push_atom(row, atom.clone());
                        }
                    }
                }
            }
            rows.into_iter().for_each(|atoms| shape::each_chain(&atoms.into(), shape.clone(), &mut out));
        }
        let mut value = Self::alts(out);
        value.wide |= wide;
        value
    }

    /// Alternatives that are one atom for which `f` has a value take that value over, with its shape.
    pub(crate) fn substitute_where(&self, f: &dyn Fn(&Atom) -> Option<Value>) -> Self {
        let mut out: Vec<Alt> = Vec::new();
        let mut wide = self.wide;
        for alt in self.alts.iter() {
            let shape = alt.shape.map(&mut |value| value.substitute_where(f));
            if let ([atom], Shape::Plain) = (&*alt.atoms, &alt.shape) {
                if let Some(value) = f(atom).map(|value| if atom.asked { value.asked_for() } else { value }) {
                    wide |= value.wide;
                    out.extend(value.alts.iter().cloned());
                    continue;
                }
            }
            let mut rows = vec![Vec::new()];
            for atom in alt.atoms.iter() {
                match f(atom) {
                    Some(value) => {
                        let value = if atom.asked { value.asked_for().flat() } else { value.flat() };
                        let mut next = Vec::new();
                        for row in &rows {
                            for given in value.alts.iter() {
                                let mut row: Vec<Atom> = row.clone();
                                given.atoms.iter().cloned().for_each(|atom| push_atom(&mut row, atom));
                                next.push(row);
                            }
                        }
                        next.truncate(MAX_ALTERNATIVES);
                        if !next.is_empty() {
                            rows = next;
                        }
                    }
                    None => rows.iter_mut().for_each(|row| push_atom(row, atom.clone())),
                }
            }
            out.extend(rows.into_iter().map(|atoms| Alt { atoms: atoms.into(), shape: shape.clone() }));
        }
        let mut value = Self::alts(out);
        value.wide |= wide;
        value
    }

    /// Whether something in it has a way that is worth telling.
    pub(crate) fn is_notable(&self) -> bool {
        self.atoms().any(|atom| notable(&atom.kind))
    }

    /// The same value, of which only is told what happens from here on.
    pub(crate) fn told_anew(&self, span: Span, note: &str) -> Self {
        self.map_atoms(&mut |atom| Atom { trail: Trail::start(span, note), ..atom.clone() })
    }

    /// The same value with one more step on the trail of all that is worth telling.
    pub(crate) fn step(&self, span: Span, note: &str) -> Self {
        if !self.is_notable() {
            return self.clone();
        }
        let alts = self
            .alts
            .iter()
            .map(|alt| Alt {
                atoms: alt
                    .atoms
                    .iter()
                    .map(|atom| match notable(&atom.kind) {
                        true => Atom { trail: atom.trail.then(span, note), ..atom.clone() },
                        false => atom.clone(),
                    })
                    .collect(),
                shape: alt.shape.clone(),
            })
            .collect::<Vec<_>>();
        Self::of(alts, self.wide, true)
    }
}
