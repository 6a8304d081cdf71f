//! What goes into the values of an event: their origins, without the ways they came and without the alternatives.
//!
//! Events are taken over by every caller of a function, each with its own arguments in place of the parameters. All that
//! is told of their values is where they come from, so only that is kept: a set, of which there is one copy, since callers
//! mostly say the same in place of the same parameters.

use std::cell::RefCell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::call::is_surroundings;
use super::value::{Atom, CallContext, FieldPath, Kind, Value, made};
use crate::ir::{Interned, Interner, Lately};
use crate::source::Span;

/// Origins of one value that are kept: keys have few parts, and what is handed over is told apart by some.
const MAX_SOURCES: usize = 32;

/// Where one part of a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Source(Interned<Part>);

/// What it is, of what is made at run time where, and of a parameter whether it was serialised as a whole.
type Part = (Kind, Option<Span>, bool);

/// Where a value comes from, each origin once, in the order in which they were met.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Sources(Option<Interned<[Source]>>);

impl Source {
    fn of(atom: &Atom) -> Self {
        let surroundings = matches!(&atom.kind, Kind::Input(name) if is_surroundings(*name));
        let at = if made(&atom.kind) || surroundings { atom.trail.origin() } else { None };
        let source = (atom.kind, at, atom.payload && matches!(atom.kind, Kind::Param(..)));
        Self::interned(source)
    }

    fn interned(source: Part) -> Self {
        static SOURCES: LazyLock<Interner<Part>> = LazyLock::new(Interner::default);
        thread_local! {
            static LATELY: Lately<Part, Source> = const { Lately::new() };
        }
        let find = || (source, Self(SOURCES.get(&source, || Box::leak(Box::new(source)))));
        LATELY.with(|lately| lately.get(source, find))
    }

    /// What a part of something that is serialised comes from.
    fn serialized(self) -> Self {
        match *self.0.value() {
            (kind @ Kind::Param(..), at, false) => Self::interned((kind, at, true)),
            _ => self,
        }
    }

    /// What it is.
    pub(crate) fn kind(self) -> &'static Kind {
        &self.0.value().0
    }

    /// Whether it is a parameter that was serialised as a whole.
    pub(crate) fn is_serialized(self) -> bool {
        self.0.value().2
    }

    /// Of what is made at run time, or read out of the surroundings: where.
    pub(crate) fn at(self) -> Option<Span> {
        self.0.value().1
    }
}

impl Sources {
    /// The origins of each of several values.
    pub(crate) fn each(values: &[Value]) -> Vec<Self> {
        values.iter().map(Self::of).collect()
    }

    /// The origins of a value and of all its parts.
    pub(crate) fn of(value: &Value) -> Self {
        Self::all([value])
    }

    /// The origins of several values together.
    pub(crate) fn all<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        Self::gather(values, |_, _| true)
    }

    /// The origins of what a call is given. What was read or made in a transaction is not the transaction itself.
    pub(crate) fn given<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        Self::gather(values, |kind, alone| alone || !matches!(kind, Kind::Transaction(_)))
    }

    /// Those of this value and of another.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut sources = self.iter().collect();
        other.iter().for_each(|source| add(&mut sources, source));
        Self::new(sources)
    }

    fn gather<'v>(values: impl IntoIterator<Item = &'v Value>, keeps: impl Fn(&Kind, bool) -> bool) -> Self {
        let mut sources = Vec::new();
        for value in values {
            value.each_part(&mut |atom, alone| {
                if keeps(&atom.kind, alone) && !matches!(atom.kind, Kind::AbsentIf(..)) {
                    add(&mut sources, Source::of(atom));
                }
                sources.len() < MAX_SOURCES
            });
        }
        Self::new(sources)
    }

    fn new(sources: Vec<Source>) -> Self {
        static LISTS: LazyLock<Interner<[Source]>> = LazyLock::new(Interner::default);
        Self((!sources.is_empty()).then(|| LISTS.get(&sources, || Box::leak(sources.as_slice().into()))))
    }

    fn listed(&self) -> &'static [Source] {
        self.0.map_or(&[], Interned::value)
    }

    /// Whether nothing is known to go into it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Source> + use<> {
        self.listed().iter().copied()
    }

    /// Whether the caller says what some of it is.
    pub(crate) fn has_param(&self) -> bool {
        self.iter().any(|source| matches!(source.kind(), Kind::Param(..)))
    }

    /// The origins as a caller sees them: those of its arguments in the place of the parameters.
    pub(crate) fn substitute(&self, arguments: &Arguments<'_>) -> Self {
        if !self.has_param() {
            return self.clone();
        }
        if let [source] = self.listed() {
            if let Kind::Param(index, path) = source.kind() {
                let given = arguments.get(*index, *path);
                return match source.is_serialized() {
                    true => {
                        Self::new(given.iter().map(Source::serialized).collect()).and(&arguments.order(*index, *path))
                    }
                    false => given,
                };
            }
        }
        let mut sources = Vec::new();
        for source in self.iter() {
            match source.kind() {
                Kind::Param(index, path) => {
                    let given = arguments.get(*index, *path);
                    match source.is_serialized() {
                        true => {
                            let order = arguments.order(*index, *path);
                            let all = given.iter().map(Source::serialized).chain(order.iter());
                            all.for_each(|given| add(&mut sources, given));
                        }
                        false => given.iter().for_each(|given| add(&mut sources, given)),
                    }
                }
                _ => add(&mut sources, source),
            }
        }
        Self::new(sources)
    }
}

fn add(sources: &mut Vec<Source>, source: Source) {
    if sources.len() < MAX_SOURCES && !sources.contains(&source) {
        sources.push(source);
    }
}

/// The origins of a call's arguments, by what the events of the callee ask for: they ask for the same ones again and again.
pub(crate) struct Arguments<'c> {
    call: &'c CallContext,
    /// by parameter and the fields read from it
    known: RefCell<FxHashMap<(u32, FieldPath), Sources>>,
}

impl<'c> Arguments<'c> {
    pub(crate) fn new(call: &'c CallContext) -> Self {
        Self { call, known: RefCell::default() }
    }

    /// The call.
    pub(crate) fn call(&self) -> &'c CallContext {
        self.call
    }

    fn get(&self, index: u32, path: FieldPath) -> Sources {
        if let Some(sources) = self.known.borrow().get(&(index, path)) {
            return sources.clone();
        }
        let sources = Sources::given([&self.call.argument(index, path)]);
        self.known.borrow_mut().insert((index, path), sources.clone());
        sources
    }

    /// The order in which an argument comes out that the callee serialises.
    fn order(&self, index: u32, path: FieldPath) -> Sources {
        match self.call.order(index, path) {
            Some(order) => Sources::of(order),
            None => Sources::default(),
        }
    }
}
