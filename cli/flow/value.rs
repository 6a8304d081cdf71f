//! Values as the analysis sees them: alternatives of concatenated origins, with the shape of records, builders and
//! closures where it is known.
//!
//! A [`Value`] is a set of alternatives (one for each path into it); an alternative is a set of atoms that all went
//! into it (`format!("{a}-{b}")` has those of `a` and those of `b`). Nothing here knows a program or a catalog.

mod absent;
mod atom;
mod shape;

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub(crate) use atom::{Atom, Entered, FieldPath, Kind, Regions, Trail, made, notable};
pub(crate) use shape::{BuildStep, Builder, Closure, Owner, Record, Shape, same_value};
use shape::{flat_atoms, project, push_atom, same, visit_parts};

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
    pub(crate) atoms: Vec<Atom>,
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
}

impl Alt {
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
            false => Self { atoms: flat_atoms(&shallow, 1), shape: Shape::Plain },
        }
    }
}

impl Value {
    pub(crate) fn bottom() -> Self {
        Self::default()
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self::alt(Alt { atoms: vec![atom], shape: Shape::Plain })
    }

    pub(crate) fn alt(alt: Alt) -> Self {
        Self::of(vec![alt], false)
    }

    /// A value of these alternatives, known to differ.
    fn of(alts: Vec<Alt>, wide: bool) -> Self {
        let alts: Vec<Alt> = alts.into_iter().map(Alt::bounded).collect();
        let size = alts.iter().map(Alt::size).fold(0, u32::saturating_add);
        let open = alts.iter().any(Alt::is_open);
        Self { alts: alts.into(), wide, size, open }
    }

    pub(crate) fn alts(alts: Vec<Alt>) -> Self {
        let mut merged: Vec<Alt> = Vec::with_capacity(alts.len());
        let mut wide = false;
        for alt in alts {
            if merged.iter().any(|known| same(known, &alt)) {
                continue;
            }
            if merged.len() == MAX_ALTERNATIVES {
                wide = true;
                // Keep one of each class of origin rather than the first dozen: a rare fresh path must not be lost.
                if alt.atoms.iter().any(|atom| notable(&atom.kind)) {
                    if let Some(dull) = merged.iter().rposition(|known| !known.atoms.iter().any(|a| notable(&a.kind))) {
                        merged[dull] = alt;
                    }
                }
                continue;
            }
            merged.push(alt);
        }
        Self::of(merged, wide)
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
        let mut joined = Self::alts(self.alts.iter().chain(other.alts.iter()).cloned().collect());
        joined.wide |= self.wide | other.wide;
        joined
    }

    /// Both together, as in formatting, hashing, pairing: the cross product of the alternatives.
    pub(crate) fn concat(parts: &[Value]) -> Self {
        let mut alts = vec![Alt::default()];
        let mut wide = false;
        for part in parts {
            if part.is_bottom() {
                continue;
            }
            wide |= part.wide;
            let mut next = Vec::with_capacity(alts.len() * part.alts.len());
            for left in &alts {
                for right in part.alts.iter() {
                    let mut atoms = left.atoms.clone();
                    for atom in flat_atoms(right, MAX_DEPTH) {
                        push_atom(&mut atoms, atom);
                    }
                    next.push(Alt { atoms, shape: Shape::Plain });
                }
            }
            let reduced = Self::alts(next);
            wide |= reduced.wide;
            alts = reduced.alts.to_vec();
        }
        let mut value = Self::alts(alts);
        value.wide |= wide;
        value
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
        Self::of(alts, self.wide)
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
            [Alt { atoms, .. }] => match atoms.as_slice() {
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
                    (None, None) => Self::alt(Alt { atoms: project(&alt.atoms, name), shape: Shape::Plain }),
                },
                Shape::Builder(_) => Self::alt(Alt { atoms: project(&alt.atoms, name), shape: alt.shape.clone() }),
                _ => Self::alt(Alt { atoms: project(&alt.atoms, name), shape: Shape::Plain }),
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

    /// The value as a whole that was serialised: what is in it is a part of a payload.
    pub(crate) fn serialized(&self) -> Self {
        self.map_atoms(&mut |atom| Atom { payload: true, ..atom.clone() })
    }

    /// Parameters replaced by what the caller passes; what was made below enters the caller at `regions`.
    pub(crate) fn substitute(&self, call: &CallContext<'_>) -> Self {
        self.substitute_depth(call, 0)
    }

    fn substitute_depth(&self, call: &CallContext<'_>, depth: usize) -> Self {
        if depth > MAX_DEPTH || !self.open {
            return self.clone();
        }
        if self.size < SHARED_SIZE {
            return self.substituted(call, depth);
        }
        let key = (self.alts.as_ptr(), depth);
        let known = call.done.borrow().get(&key).map(|(_, value)| value.clone());
        let mut value = known.unwrap_or_else(|| {
            let value = self.substituted(call, depth);
            call.done.borrow_mut().insert(key, (self.alts.clone(), value.clone()));
            value
        });
        value.wide |= self.wide;
        value
    }

    fn substituted(&self, call: &CallContext<'_>, depth: usize) -> Self {
        let mut out: Vec<Alt> = Vec::new();
        let mut wide = self.wide;
        for alt in self.alts.iter() {
            // A value that is nothing but a parameter takes the argument over with its shape.
            if let ([Atom { kind: Kind::Param(index, path), payload, .. }], Shape::Plain) =
                (alt.atoms.as_slice(), &alt.shape)
            {
                let value = call.argument(*index, *path);
                let value = if *payload { value.serialized() } else { value };
                wide |= value.wide;
                out.extend(value.alts.iter().cloned());
                continue;
            }
            let shape = alt.shape.map(&mut |value| value.substitute_depth(call, depth + 1));
            let mut rows = vec![Vec::new()];
            for atom in &alt.atoms {
                match &atom.kind {
                    Kind::Param(index, path) => {
                        let value = call.flat_argument(*index, *path);
                        wide |= value.wide;
                        let mut next = Vec::new();
                        for row in &rows {
                            for given in value.alts.iter() {
                                let mut row: Vec<Atom> = row.clone();
                                for mut given in given.atoms.iter().cloned() {
                                    given.guessed |= atom.guessed;
                                    given.payload |= atom.payload;
                                    push_atom(&mut row, given);
                                }
                                next.push(row);
                            }
                        }
                        next.truncate(MAX_ALTERNATIVES);
                        if !next.is_empty() {
                            rows = next;
                        }
                    }
                    // What holds only without a value is not met by a call that gives one.
                    Kind::AbsentIf(index, path) => {
                        let absent = absent::left_of(atom, &call.argument(*index, *path));
                        rows = absent::each_with(&rows, &absent);
                    }
                    _ => {
                        let mut atom = atom.clone();
                        if let Entered::Here(_) = atom.entered {
                            atom.entered = Entered::Here(call.regions.clone());
                        }
                        if let (Some((span, note)), true) = (&call.step, notable(&atom.kind)) {
                            atom.trail = atom.trail.then(*span, &note());
                        }
                        for row in &mut rows {
                            push_atom(row, atom.clone());
                        }
                    }
                }
            }
            out.extend(rows.into_iter().map(|atoms| Alt { atoms, shape: shape.clone() }));
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
            if let ([atom], Shape::Plain) = (alt.atoms.as_slice(), &alt.shape) {
                if let Some(value) = f(atom) {
                    wide |= value.wide;
                    out.extend(value.alts.iter().cloned());
                    continue;
                }
            }
            let mut rows = vec![Vec::new()];
            for atom in &alt.atoms {
                match f(atom) {
                    Some(value) => {
                        let value = value.flat();
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
            out.extend(rows.into_iter().map(|atoms| Alt { atoms, shape: shape.clone() }));
        }
        let mut value = Self::alts(out);
        value.wide |= wide;
        value
    }

    /// Whether something in it has a way that is worth telling.
    pub(crate) fn is_notable(&self) -> bool {
        self.atoms().any(|atom| notable(&atom.kind))
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
        Self::of(alts, self.wide)
    }
}

/// What came of values, by the place of their alternatives and their depth. The alternatives are kept, so that nothing else
/// comes to stand there.
type Substituted = FxHashMap<(*const Alt, usize), (Arc<[Alt]>, Value)>;

/// A step of a trail whose words are seldom asked for.
pub(crate) type Note<'a> = (Span, &'a dyn Fn() -> String);

/// A call, as far as values that cross it are concerned.
pub(crate) struct CallContext<'a> {
    /// arguments, the receiver first where there is one
    pub(crate) args: &'a [Value],
    /// regions around the call
    pub(crate) regions: Regions,
    /// step to add to what comes out of the callee
    step: Option<Note<'a>>,
    /// values that were substituted: what is shared stays shared
    done: RefCell<Substituted>,
    /// parts of arguments, by what was asked for
    parts: RefCell<FxHashMap<(u32, FieldPath), Value>>,
    /// arguments seen as a whole, by what was asked for: each event of a callee asks for them again
    flat: RefCell<FxHashMap<(u32, FieldPath), Value>>,
}

impl<'a> CallContext<'a> {
    pub(crate) fn new(args: &'a [Value], regions: Regions, step: Option<Note<'a>>) -> Self {
        let (done, parts, flat) = Default::default();
        Self { args, regions, step, done, parts, flat }
    }

    fn flat_argument(&self, index: u32, path: FieldPath) -> Value {
        let key = (index, path);
        if let Some(known) = self.flat.borrow().get(&key) {
            return known.clone();
        }
        let value = self.argument(index, path).flat();
        self.flat.borrow_mut().insert(key, value.clone());
        value
    }

    /// A part of an argument.
    pub(crate) fn argument(&self, index: u32, path: FieldPath) -> Value {
        if path.is_empty() {
            return self.whole_argument(index);
        }
        let key = (index, path);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let value = path.iter().fold(self.whole_argument(index), |value, &name| value.field(name));
        self.parts.borrow_mut().insert(key, value.clone());
        value
    }

    fn whole_argument(&self, index: u32) -> Value {
        let Some(value) = self.args.get(index as usize) else {
            let reason = Kind::Opaque(Name::new("an argument that the call does not show"));
            return Value::atom(Atom::new(reason, Entered::Elsewhere, Trail::default()));
        };
        value.clone()
    }
}
