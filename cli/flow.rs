//! Where keys come from: values followed from origin to key position, across functions, files and crates.
//!
//! In: the resolved program, the catalog, the declared contracts. Out: [`FlowFacts`]: every dispatch, and the verdict on
//! its key with the way that led there. Rules only read these; they follow nothing themselves.

use crate::catalog::{FreshKind, WithoutKey};
use crate::findings::Confidence;
use crate::resolve::FnId;
use crate::source::Span;

/// What the flow analysis found, sorted by place.
#[derive(Clone, Debug, Default)]
pub struct FlowFacts {
    /// every recognised dispatch
    pub dispatches: Vec<DispatchFact>,
    /// calls on the way of a key that could not be resolved
    pub unresolved_calls: usize,
}

/// One dispatch, in the context of one attempt scope (the same call may be a fact for several handlers).
#[derive(Clone, Debug)]
pub struct DispatchFact {
    /// the call that acts (or the key position, where no dispatch is in sight)
    pub site: Span,
    /// the function the call stands in
    pub function: FnId,
    /// how the call reads, e.g. `stripe.create_charge`
    pub call: String,
    /// provider id, if known
    pub provider: Option<String>,
    /// how it was recognised
    pub recognition: Recognition,
    /// the function that is the attempt scope: a declared handler, or a recognised one
    pub handler: Option<FnId>,
    /// what the library does without a key
    pub without_key: WithoutKey,
    /// it repeats something that can do no harm (GET, an absolute write)
    pub harmless: bool,
    /// the innermost scope that repeats it
    pub repeated: Option<RepeatScope>,
    /// its key
    pub key: KeyFact,
}

/// How a dispatch was recognised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Recognition {
    /// `dispatch = …` or `[[dispatch]]`
    Declared,
    /// the built-in catalog
    Catalog,
    /// a key position by name, a verb, a receiver: this many of the three
    Presumed(u8),
    /// a key position with no dispatch in sight
    FreeStanding,
}

/// A scope that can run again for the same intent.
#[derive(Clone, Debug)]
pub struct RepeatScope {
    /// loop, closure, handler
    pub site: Span,
    /// `a retry loop`, `a closure given to backon`, `the job handler`
    pub what: String,
    /// certain where the code shows that it repeats, likely for a shape
    pub confidence: Confidence,
}

/// The verdict on a key.
#[derive(Clone, Debug)]
pub struct KeyFact {
    /// where the key enters the dispatch; `None` where there is no key
    pub position: Option<Span>,
    /// the verdict, joined over all paths
    pub verdict: KeyVerdict,
    /// how sure
    pub confidence: Confidence,
    /// the origins behind the verdict, each with its way; the decisive one first
    pub origins: Vec<OriginFact>,
    /// the scope inside which the key was made, for per-attempt verdicts
    pub scope: Option<RepeatScope>,
}

/// What is known of a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyVerdict {
    /// the same for all attempts of an intent
    Stable,
    /// fresh or per attempt on every path
    PerAttempt,
    /// fresh on some path
    RandomFallback,
    /// empty on some path
    MayBeEmpty,
    /// distinct intents share it
    Coarse,
    /// the dispatch can carry a key and has none, on some path
    Missing,
    /// the dispatch cannot carry a key
    NotCarried,
    /// could not be followed
    Unproven,
}

/// One origin of a key.
#[derive(Clone, Debug)]
pub struct OriginFact {
    /// what it is
    pub kind: OriginKind,
    /// from the origin to the key position
    pub path: Vec<(Span, String)>,
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OriginKind {
    /// fixed in the source; the text if it is one
    Constant(Option<String>),
    /// from a parameter of a root function: its path, e.g. `invoice.id`
    Input(String),
    /// read from a store
    Stored,
    /// journaled or seeded by an engine
    Durable,
    /// made anew each time
    Fresh(FreshKind),
    /// differs between attempts: count, delivery-id, lease, token
    Attempt(String),
    /// the empty value
    Empty,
    /// no key at all on this path
    Absent,
    /// could not be followed, with the reason
    Opaque(String),
}
