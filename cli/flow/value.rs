//! Values as the analysis sees them: alternatives of concatenated origins, with the shape of records, builders and
//! closures where it is known.
//!
//! A [`Value`] is a set of alternatives (one for each path into it); an alternative is a set of atoms that all went
//! into it (`format!("{a}-{b}")` has those of `a` and those of `b`). Nothing here knows a program or a catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RepeatScope;
use crate::catalog::FreshKind;
use crate::ir::{ExprId, Name};
use crate::resolve::FnId;
use crate::source::Span;

/// More alternatives than this are merged: what is lost is said by [`Value::wide`].
const MAX_ALTERNATIVES: usize = 8;
/// More atoms than this in one alternative are cut: keys have few parts.
const MAX_ATOMS: usize = 24;
/// Nesting of records and builders beyond which only the atoms are kept.
const MAX_DEPTH: usize = 6;
/// Parts of one value, as a tree; a larger one loses its shape. All walks over values are bounded by this.
const MAX_SIZE: u32 = 400;
/// Steps of a trail that are kept.
const MAX_TRAIL: usize = 14;

/// Where one part of a value comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// fixed in the source; the text where it is one
    Constant(Option<Name>),
    /// parameter of the function under analysis, with the field path read from it
    Param(u32, Vec<Name>),
    /// from outside the process, with a name for people
    Input(Name),
    /// read from a store
    Stored,
    /// a transaction that began here
    Transaction(Span),
    /// the answer to a dispatch; true for a bare HTTP answer, whose status is still to be looked at
    Reply(Span, bool),
    /// journaled or seeded by an engine
    Durable,
    /// made anew
    Fresh(FreshKind),
    /// differs between attempts
    Attempt(Name),
    /// the empty value
    Empty,
    /// no value (`None`)
    Absent,
    /// could not be followed
    Opaque(Name),
}

/// The way a value took, newest step last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail(Option<Arc<TrailNode>>);

#[derive(Debug)]
struct TrailNode {
    span: Span,
    note: Name,
    before: Trail,
    length: usize,
}

impl Trail {
    pub(crate) fn start(span: Span, note: &str) -> Self {
        Self::default().then(span, note)
    }

    /// The trail with one more step; the middle of a very long trail is not extended.
    pub(crate) fn then(&self, span: Span, note: &str) -> Self {
        let length = self.0.as_ref().map_or(0, |node| node.length);
        if length >= MAX_TRAIL || self.last() == Some(span) {
            return self.clone();
        }
        Self(Some(Arc::new(TrailNode {
            span,
            note: Name::new(note),
            before: self.clone(),
            length: length + 1,
        })))
    }

    fn last(&self) -> Option<Span> {
        self.0.as_ref().map(|node| node.span)
    }

    /// Oldest step first.
    pub(crate) fn steps(&self) -> Vec<(Span, String)> {
        let mut steps = Vec::new();
        let mut node = self.0.as_ref();
        while let Some(here) = node {
            steps.push((here.span, here.note.to_string()));
            node = here.before.0.as_ref();
        }
        steps.reverse();
        steps
    }

    pub(crate) fn origin(&self) -> Option<Span> {
        let mut node = self.0.as_ref()?;
        while let Some(before) = node.before.0.as_ref() {
            node = before;
        }
        Some(node.span)
    }
}

/// A region of a function that may run more than once or not at all: loops and closures, outermost first.
pub(crate) type Regions = Arc<[ExprId]>;

/// Where an atom came into being, as seen from the function under analysis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Entered {
    /// at a place of this function with these regions around it
    Here(Regions),
    /// somewhere that is not part of this run: a constructor, a constant
    Elsewhere,
}

/// One part of an alternative.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) kind: Kind,
    /// decides whether a fresh value was made inside a scope
    pub(crate) entered: Entered,
    /// made in (or below) the function that builds the request; set when a dispatch takes the value
    pub(crate) per_call: bool,
    /// only a name says so
    pub(crate) guessed: bool,
    /// the scope inside which it was made, so that every attempt makes another
    pub(crate) inside: Option<Arc<RepeatScope>>,
    /// made in front of a scope that repeats the dispatch: the same over all attempts of that scope
    pub(crate) outside: bool,
    pub(crate) trail: Trail,
}

impl Atom {
    pub(crate) fn new(kind: Kind, entered: Entered, trail: Trail) -> Self {
        Self {
            kind,
            entered,
            per_call: false,
            guessed: false,
            inside: None,
            outside: false,
            trail,
        }
    }

    /// Atoms are one and the same if kind and origin agree; the trail is only for people.
    fn identity(&self) -> (&Kind, Option<Span>, &Entered, bool) {
        // Only for what is made does it matter where: inputs and constants of one name are equal everywhere.
        let origin = match self.kind {
            Kind::Fresh(_) | Kind::Attempt(_) | Kind::Opaque(_) => self.trail.origin(),
            _ => None,
        };
        (&self.kind, origin, &self.entered, self.per_call)
    }
}

/// What an alternative is made of, beside its origins.
#[derive(Clone, Debug, Default)]
pub(crate) enum Shape {
    #[default]
    Plain,
    /// a struct, tuple, variant or map: fields by name
    Record(Arc<Record>),
    /// an external value under construction: what was called on it
    Builder(Arc<Builder>),
    /// a closure of the function under analysis
    Closure(ExprId),
    /// a function as a value
    Function(Arc<[FnId]>),
    /// a function of another crate as a value
    External(Name),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// path of the struct or variant, if it has one
    pub(crate) path: Option<Name>,
    pub(crate) fields: BTreeMap<Name, Value>,
    /// `..rest`
    pub(crate) rest: Option<Value>,
    /// where each field's value stands
    pub(crate) places: BTreeMap<Name, Span>,
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
    /// the row of the catalog's carriers that this call makes
    pub(crate) carries: Option<u32>,
    /// the row of the catalog's retries that this call attaches
    pub(crate) attaches: Option<u32>,
}

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
}

impl Alt {
    fn size(&self) -> u32 {
        let inner = match &self.shape {
            Shape::Record(record) => record
                .fields
                .values()
                .chain(&record.rest)
                .map(|value| value.size)
                .fold(0, u32::saturating_add),
            Shape::Builder(builder) => {
                let args = builder
                    .steps
                    .iter()
                    .flat_map(|step| &step.args)
                    .map(|value| value.size + 1);
                args.fold(builder.root.size, u32::saturating_add)
            }
            _ => 0,
        };
        inner.saturating_add(1 + self.atoms.len() as u32)
    }

    /// The alternative, flattened as far as its size asks for.
    fn bounded(self) -> Self {
        if self.size() <= MAX_SIZE {
            return self;
        }
        let shallow = Self {
            atoms: self.atoms.clone(),
            shape: self.shape.map(&mut |value| value.flat()),
        };
        match shallow.size() <= MAX_SIZE {
            true => shallow,
            false => Self {
                atoms: flat_atoms(&shallow, 1),
                shape: Shape::Plain,
            },
        }
    }
}

impl Value {
    pub(crate) fn bottom() -> Self {
        Self::default()
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self::alt(Alt {
            atoms: vec![atom],
            shape: Shape::Plain,
        })
    }

    pub(crate) fn alt(alt: Alt) -> Self {
        Self::of(vec![alt], false)
    }

    /// A value of these alternatives, known to differ.
    fn of(alts: Vec<Alt>, wide: bool) -> Self {
        let alts: Vec<Alt> = alts.into_iter().map(Alt::bounded).collect();
        let size = alts.iter().map(Alt::size).fold(0, u32::saturating_add);
        Self {
            alts: alts.into(),
            wide,
            size,
        }
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
                    if let Some(dull) = merged
                        .iter()
                        .rposition(|known| !known.atoms.iter().any(|a| notable(&a.kind)))
                    {
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
                    next.push(Alt {
                        atoms,
                        shape: Shape::Plain,
                    });
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
        if self
            .alts
            .iter()
            .all(|alt| matches!(alt.shape, Shape::Plain))
        {
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
        if self.atoms().all(|atom| atom.kind != Kind::Absent) {
            return self.clone();
        }
        self.filter_map(|alt| {
            (!alt.atoms.iter().any(|atom| atom.kind == Kind::Absent)).then(|| alt.clone())
        })
    }

    /// Whether some alternative is `None`.
    pub(crate) fn may_be_absent(&self) -> bool {
        self.atoms().any(|atom| atom.kind == Kind::Absent)
    }

    /// The text, if the value is one constant text on all paths.
    pub(crate) fn text(&self) -> Option<&'static str> {
        match &*self.alts {
            [Alt { atoms, .. }] => match atoms.as_slice() {
                [
                    Atom {
                        kind: Kind::Constant(Some(text)),
                        ..
                    },
                ] => Some(text.as_str()),
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
                    (None, None) => Self::alt(Alt {
                        atoms: project(&alt.atoms, name),
                        shape: Shape::Plain,
                    }),
                },
                Shape::Builder(_) => Self::alt(Alt {
                    atoms: project(&alt.atoms, name),
                    shape: alt.shape.clone(),
                }),
                _ => Self::alt(Alt {
                    atoms: project(&alt.atoms, name),
                    shape: Shape::Plain,
                }),
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
                _ => Record {
                    rest: Some(Self::alt(alt.clone())),
                    ..Record::default()
                },
            };
            let old = Self::alt(alt.clone()).field(first);
            record.fields.insert(
                first,
                if rest.is_empty() {
                    new.clone()
                } else {
                    old.with_field(rest, new)
                },
            );
            Some(Alt {
                atoms: alt.atoms.clone(),
                shape: Shape::Record(Arc::new(record)),
            })
        })
    }

    /// Parameters replaced by what the caller passes; what was made below enters the caller at `regions`.
    pub(crate) fn substitute(&self, call: &CallContext<'_>) -> Self {
        self.substitute_depth(call, 0)
    }

    fn substitute_depth(&self, call: &CallContext<'_>, depth: usize) -> Self {
        if depth > MAX_DEPTH {
            return self.clone();
        }
        let mut out: Vec<Alt> = Vec::new();
        let mut wide = self.wide;
        for alt in self.alts.iter() {
            // A value that is nothing but a parameter takes the argument over with its shape.
            if let (
                [
                    Atom {
                        kind: Kind::Param(index, path),
                        ..
                    },
                ],
                Shape::Plain,
            ) = (alt.atoms.as_slice(), &alt.shape)
            {
                let value = call.argument(*index, path);
                wide |= value.wide;
                out.extend(value.alts.iter().cloned());
                continue;
            }
            let shape = alt
                .shape
                .map(&mut |value| value.substitute_depth(call, depth + 1));
            let mut rows = vec![Vec::new()];
            for atom in &alt.atoms {
                match &atom.kind {
                    Kind::Param(index, path) => {
                        let value = call.argument(*index, path).flat();
                        wide |= value.wide;
                        let mut next = Vec::new();
                        for row in &rows {
                            for given in value.alts.iter() {
                                let mut row: Vec<Atom> = row.clone();
                                for mut given in given.atoms.iter().cloned() {
                                    given.guessed |= atom.guessed;
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
                    _ => {
                        let mut atom = atom.clone();
                        if let Entered::Here(_) = atom.entered {
                            atom.entered = Entered::Here(call.regions.clone());
                        }
                        if let (Some((span, note)), true) = (&call.step, notable(&atom.kind)) {
                            atom.trail = atom.trail.then(*span, note);
                        }
                        for row in &mut rows {
                            push_atom(row, atom.clone());
                        }
                    }
                }
            }
            out.extend(rows.into_iter().map(|atoms| Alt {
                atoms,
                shape: shape.clone(),
            }));
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
                                given
                                    .atoms
                                    .iter()
                                    .cloned()
                                    .for_each(|atom| push_atom(&mut row, atom));
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
            out.extend(rows.into_iter().map(|atoms| Alt {
                atoms,
                shape: shape.clone(),
            }));
        }
        let mut value = Self::alts(out);
        value.wide |= wide;
        value
    }

    /// The same value with one more step on the trail of all that is worth telling.
    pub(crate) fn step(&self, span: Span, note: &str) -> Self {
        if !self.atoms().any(|atom| notable(&atom.kind)) {
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
                        true => Atom {
                            trail: atom.trail.then(span, note),
                            ..atom.clone()
                        },
                        false => atom.clone(),
                    })
                    .collect(),
                shape: alt.shape.clone(),
            })
            .collect::<Vec<_>>();
        Self::of(alts, self.wide)
    }
}

/// A call, as far as values that cross it are concerned.
pub(crate) struct CallContext<'a> {
    /// arguments, the receiver first where there is one
    pub(crate) args: &'a [Value],
    /// regions around the call
    pub(crate) regions: Regions,
    /// step to add to what comes out of the callee
    pub(crate) step: Option<(Span, String)>,
}

impl CallContext<'_> {
    fn argument(&self, index: u32, path: &[Name]) -> Value {
        let Some(value) = self.args.get(index as usize) else {
            let reason = Kind::Opaque(Name::new("an argument that the call does not show"));
            return Value::atom(Atom::new(reason, Entered::Elsewhere, Trail::default()));
        };
        path.iter()
            .fold(value.clone(), |value, &name| value.field(name))
    }
}

impl Shape {
    fn map(&self, f: &mut impl FnMut(&Value) -> Value) -> Self {
        match self {
            Self::Record(record) => Self::Record(Arc::new(Record {
                path: record.path,
                fields: record
                    .fields
                    .iter()
                    .map(|(&name, value)| (name, f(value)))
                    .collect(),
                rest: record.rest.as_ref().map(&mut *f),
                places: record.places.clone(),
            })),
            Self::Builder(builder) => Self::Builder(Arc::new(Builder {
                root: f(&builder.root),
                steps: builder
                    .steps
                    .iter()
                    .map(|step| BuildStep {
                        args: step.args.iter().map(&mut *f).collect(),
                        ..step.clone()
                    })
                    .collect(),
            })),
            other => other.clone(),
        }
    }
}

/// Origins that a report must be able to explain.
pub(crate) fn notable(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Fresh(_) | Kind::Attempt(_) | Kind::Empty | Kind::Absent | Kind::Opaque(_)
    )
}

/// Whether a value was made at run time rather than given.
pub(crate) fn made(kind: &Kind) -> bool {
    matches!(kind, Kind::Fresh(_) | Kind::Attempt(_))
}

fn push_atom(atoms: &mut Vec<Atom>, atom: Atom) {
    if atoms.len() < MAX_ATOMS
        && !atoms
            .iter()
            .any(|known| known.identity() == atom.identity())
    {
        atoms.push(atom);
    }
}

/// The atoms of an alternative and of everything in it.
fn flat_atoms(alt: &Alt, depth: usize) -> Vec<Atom> {
    let mut atoms = match &alt.shape {
        // The parts of a record say more than the atoms of the whole.
        Shape::Record(record) if !record.fields.is_empty() => Vec::new(),
        _ => alt.atoms.clone(),
    };
    if depth == 0 {
        return alt.atoms.clone();
    }
    let mut add = |value: &Value| {
        for inner in value.alts.iter() {
            for atom in flat_atoms(inner, depth - 1) {
                push_atom(&mut atoms, atom);
            }
        }
    };
    match &alt.shape {
        Shape::Record(record) => {
            record.fields.values().for_each(&mut add);
            record.rest.iter().for_each(&mut add);
        }
        Shape::Builder(builder) => {
            add(&builder.root);
            builder
                .steps
                .iter()
                .flat_map(|step| &step.args)
                .for_each(&mut add);
        }
        _ => {}
    }
    atoms
}

fn project(atoms: &[Atom], name: Name) -> Vec<Atom> {
    let mut out = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let mut atom = atom.clone();
        match &mut atom.kind {
            Kind::Param(_, path) if path.len() < MAX_DEPTH => path.push(name),
            Kind::Input(of) => *of = Name::new(&format!("{of}.{name}")),
            Kind::Constant(text) => *text = None,
            _ => {}
        }
        push_atom(&mut out, atom);
    }
    out
}

/// Whether two alternatives say the same.
fn same(a: &Alt, b: &Alt) -> bool {
    a.size() == b.size()
        && a.atoms.len() == b.atoms.len()
        && a.atoms
            .iter()
            .zip(&b.atoms)
            .all(|(a, b)| a.identity() == b.identity())
        && same_shape(&a.shape, &b.shape)
}

fn same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Plain, Shape::Plain) => true,
        (Shape::Record(a), Shape::Record(b)) => {
            Arc::ptr_eq(a, b)
                || a.path == b.path
                    && a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|((an, av), (bn, bv))| an == bn && same_value(av, bv))
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
