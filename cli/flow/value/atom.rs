//! Atoms: where one part of a value comes from, and the way it took.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use super::super::RepeatScope;
use crate::catalog::FreshKind;
use crate::ir::{ExprId, Interned, Interner, Lately, Name};
use crate::source::Span;

/// Steps of a trail that are kept.
const MAX_TRAIL: usize = 14;

/// Where one part of a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// fixed in the source; the text where it is one
    Constant(Option<Name>),
    /// parameter of the function under analysis, with the field path read from it
    Param(u32, FieldPath),
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
    /// no value in those calls that give none for this parameter
    AbsentIf(u32, FieldPath),
    /// could not be followed
    Opaque(Name),
}

/// Fields inside each other, outermost first. There is one copy of each such path: parameters are spoken of all the time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FieldPath(Interned<[Name]>);

impl FieldPath {
    pub(crate) fn new(names: &[Name]) -> Self {
        static PATHS: LazyLock<Interner<[Name]>> = LazyLock::new(Interner::default);
        Self(PATHS.get(names, || Box::leak(names.into())))
    }

    /// A field of what is here.
    pub(crate) fn then(self, name: Name) -> Self {
        thread_local! {
            static LATELY: Lately<(FieldPath, Name), FieldPath> = const { Lately::new() };
        }
        LATELY.with(|lately| lately.get((self, name), || ((self, name), Self::new(&[&*self, &[name]].concat()))))
    }

    /// The thing itself, no field of it.
    pub(crate) fn whole() -> Self {
        static WHOLE: LazyLock<FieldPath> = LazyLock::new(|| FieldPath::new(&[]));
        *WHOLE
    }
}

impl Deref for FieldPath {
    type Target = [Name];

    fn deref(&self) -> &[Name] {
        self.0.value()
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialOrd for FieldPath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FieldPath {
    /// By the names: numbers depend on which thread came first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
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
    /// the first step
    origin: Span,
}

impl Trail {
    pub(crate) fn start(span: Span, note: &str) -> Self {
        Self::default().then(span, note)
    }

    /// The trail with one more step; the middle of a very long trail is not extended.
    pub(crate) fn then(&self, span: Span, note: &str) -> Self {
        self.then_named(span, || Name::new(note))
    }

    /// The same where the words may be interned already.
    pub(crate) fn then_named(&self, span: Span, note: impl FnOnce() -> Name) -> Self {
        let length = self.0.as_ref().map_or(0, |node| node.length);
        if length >= MAX_TRAIL || self.last() == Some(span) {
            return self.clone();
        }
        let origin = self.origin().unwrap_or(span);
        let note = note();
        Self(Some(Arc::new(TrailNode { span, note, before: self.clone(), length: length + 1, origin })))
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
        self.0.as_ref().map(|node| node.origin)
    }
}

/// The regions of a function around a place that may run more than once or not at all: loops and closures, outermost
/// first. There is one copy of each such list: every atom has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Regions(Interned<[ExprId]>);

impl Regions {
    pub(crate) fn new(regions: &[ExprId]) -> Self {
        static REGIONS: LazyLock<Interner<[ExprId]>> = LazyLock::new(Interner::default);
        Self(REGIONS.get(regions, || Box::leak(regions.into())))
    }

    /// No region: the function itself.
    pub(crate) fn none() -> Self {
        static NONE: LazyLock<Regions> = LazyLock::new(|| Regions::new(&[]));
        *NONE
    }
}

impl Deref for Regions {
    type Target = [ExprId];

    fn deref(&self) -> &[ExprId] {
        self.0.value()
    }
}

/// Where an atom came into being, as seen from the function under analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// it was wrapped as `Some`, or unwrapped from one: there is one, whatever it is
    pub(crate) there: bool,
    /// it went into something as a part of a whole that was serialised
    pub(crate) payload: bool,
    /// only the memory of the process keeps it for the next attempt
    pub(crate) remembered: bool,
    /// a row was asked for by it: what is in the row was stored before, whatever that is
    pub(crate) asked: bool,
    pub(crate) trail: Trail,
}

impl Atom {
    /// What stands for the answer of a dispatch.
    pub(crate) fn reply(site: Span, bare: bool) -> Self {
        Self::new(Kind::Reply(site, bare), Entered::Elsewhere, Trail::default())
    }

    pub(crate) fn is_reply(&self) -> bool {
        matches!(self.kind, Kind::Reply(..))
    }

    pub(crate) fn new(kind: Kind, entered: Entered, trail: Trail) -> Self {
        let (per_call, guessed, outside, there, payload, remembered, asked) = Default::default();
        Self { kind, entered, per_call, guessed, inside: None, outside, there, payload, remembered, asked, trail }
    }

    /// Whether two atoms are one: kind and origin agree; the trail is only for people.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        // Only for what is made does it matter where: inputs and constants of one name are equal everywhere.
        let made = matches!(self.kind, Kind::Fresh(_) | Kind::Attempt(_) | Kind::Opaque(_));
        self.per_call == other.per_call
            && self.kind == other.kind
            && (!made || self.trail.origin() == other.trail.origin())
            && self.entered == other.entered
    }
}

impl Kind {
    /// Whether it stands for no value, in some calls at least.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent | Self::AbsentIf(..))
    }
}

/// Origins that a report must be able to explain.
pub(crate) fn notable(kind: &Kind) -> bool {
    matches!(kind, Kind::Fresh(_) | Kind::Attempt(_) | Kind::Empty | Kind::Opaque(_)) || kind.is_absent()
}

/// Whether a value was made at run time rather than given.
pub(crate) fn made(kind: &Kind) -> bool {
    matches!(kind, Kind::Fresh(_) | Kind::Attempt(_))
}
