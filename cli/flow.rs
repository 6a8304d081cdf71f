//! Where keys come from: values followed from origin to key position, across functions, files and crates.
//!
//! In: the resolved program, the catalog, the declared contracts. Out: [`FlowFacts`]: every dispatch, and the verdict on
//! its key with the way that led there. Rules only read these; they follow nothing themselves.

mod address;
mod answering;
mod batch;
mod built;
mod call;
mod choices;
mod combinators;
mod cursors;
mod dispatch;
mod engine;
mod eval;
mod events;
mod facts;
mod filled_in;
mod given;
mod graph;
mod handed;
mod handlers;
mod inputs;
mod instead;
mod interfaces;
mod lifted;
mod limits;
mod next_state;
mod operation;
mod outcome;
mod picked;
mod prepared;
mod remembered;
mod repeating;
mod replaced;
mod replies;
mod report;
mod rows;
mod schedule;
mod scope;
mod seeds;
mod settings;
mod shapes;
mod shared;
mod sources;
mod taken_back;
mod template;
#[cfg(test)]
mod tests;
mod told;
mod turns;
mod undeclared;
mod unheard;
mod usage;
mod uses;
mod value;
mod walk;
mod width;
mod words;

pub(crate) use address::{names_effect, names_undoing};
pub(crate) use call::ENVIRONMENT;
pub use cursors::{Advance, advances};
pub(crate) use dispatch::{KEY_HEADER, WITHHELD};
pub use facts::{
    ConditionFact, Defaulted, Doubts, EndedArm, EventFact, EventFactKind, FunctionEvents, HANDED_ON, HEARD,
    HandlerFact, Happening, Outcomes, Role, Turn, Usage, ValueFact,
};
pub(crate) use handlers::{is_named_webhook, is_redelivering_route};
pub(crate) use inputs::bound_names;
pub use interfaces::Chosen;
pub use next_state::Next;
pub(crate) use scope::{asks, begins_with_any, client_acts, has_word, is_mutation};
pub use undeclared::undeclared;
pub(crate) use unheard::ends_unheard;
pub(crate) use walk::{any, mentions, visit};
pub(crate) use words::{StateIndex, normal as state_word, snake};

use std::sync::Arc;

use crate::catalog::{Catalog, FreshKind, WithoutKey};
use crate::contracts::HandlerContract;
use crate::findings::Confidence;
use crate::ir::{ExprId, ExprKind, Name};
use crate::parallel;
use crate::resolve::{Callee, FnId, Program};
use crate::source::{Span, TextRange};

/// What the flow analysis found, sorted by place.
#[derive(Clone, Debug, Default)]
pub struct FlowFacts {
    /// every recognised dispatch
    pub dispatches: Vec<DispatchFact>,
    /// ids in requests that a caller gives or that are made up: keys, where the request is sent
    pub own_ids: Vec<DispatchFact>,
    /// what each function does that was looked at, sorted by function
    pub functions: Vec<Arc<FunctionEvents>>,
    /// keys that stand for more than one operation or intent
    pub shared: Vec<SharedKey>,
    /// calls on the way of a key that could not be resolved
    pub unresolved_calls: usize,
}

/// Follows all keys of a program, on so many threads. What is found does not depend on their number.
pub fn analyze(program: &Program, catalog: &Catalog, contracts: &[HandlerContract], threads: usize) -> FlowFacts {
    let matcher = catalog.matcher();
    let summaries = engine::summaries(program);
    let facts = report::report(&engine::Analysis::new(program, catalog, &matcher, contracts, &summaries), threads);
    parallel::discard(summaries, threads);
    facts
}

/// Dispatches on one way through a function that are kept.
const MAX_ACTED: usize = 256;

/// Enough for the deepest calls that are followed, each through the deepest expressions that are lowered.
const STACK: usize = 1 << 30;

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
    /// whether the target takes a key cannot be seen from the call
    pub key_optional: bool,
    /// it repeats something that can do no harm (GET, an absolute write)
    pub harmless: bool,
    /// the innermost scope that repeats it
    pub repeated: Option<RepeatScope>,
    /// a like call in the same function carries a key, this one does not
    pub sibling_keyed: bool,
    /// what tells its operation from others: name of the call, fixed parts of the address
    pub operation: String,
    /// raw HTTP to nobody in particular: that it is sent is seen, that something happens there is a guess
    pub bare: bool,
    /// the fixed end of its address
    pub address: Option<String>,
    /// the function from which the dispatch was looked at: the handler, or the root of the way up
    pub looks: FnId,
    /// a call that leads to it may mean one of several functions: which one, the source does not say
    pub chosen: bool,
    /// an id by its name, which is a key where a caller gives it
    pub loose: bool,
    /// the calls that lead from there to the dispatch
    pub calls: Vec<Span>,
    /// its key
    pub key: KeyFact,
}

impl DispatchFact {
    /// What the call that acts invokes; nothing where no call is in sight.
    pub fn callee<'p>(&self, program: &'p Program) -> Option<&'p Callee> {
        let function = program.function(self.function);
        let body = function.ir.body.as_deref()?;
        let is_here = |id: ExprId| {
            let expr = body.expr(id);
            let start = match &expr.kind {
                ExprKind::MethodCall(call) => call.name_range.start,
                _ => expr.range.start,
            };
            self.site == Span::new(function.file, TextRange { start, end: expr.range.end })
        };
        // all that a macro of the file's own stands for has the place of its invocation
        let reads_so = |id: ExprId| match &body.expr(id).kind {
            ExprKind::MethodCall(call) => self.call.ends_with(call.name.as_str()),
            _ => false,
        };
        let here: Vec<_> = function.types.callees.iter().filter(|(id, _)| is_here(*id)).collect();
        let found = here.iter().find(|(id, _)| reads_so(*id)).or(here.first())?;
        Some(&found.1)
    }
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
    /// a request that only reads: it shows where a key goes, and is told of no more than that
    Reading,
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
    /// it looks at the method of a request before it sends that again
    pub by_method: bool,
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
    /// made in front of an inner scope that repeats the dispatch: it holds over that one, and only over that one
    pub kept_over: bool,
    /// a collection in the memory of the process keeps it, for as long as that lives
    pub remembered: bool,
    /// what differs between attempts is a part of something that was serialised, beside parts that name the intent
    pub payload: bool,
    /// how many characters it has at least, as far as its expression shows, and the expression that is that long
    pub least_length: Option<(u32, Span)>,
    /// where it is cut so short that a part of what it is put together from never is in it
    pub cut: Option<Span>,
}

/// One key for several operations or intents.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SharedKey {
    /// the second dispatch, or the loop's dispatch, or where the key is fixed on a client
    pub site: Span,
    /// the first dispatch, or the loop
    pub other: Span,
    /// the function
    pub function: FnId,
    /// how it is shared
    pub how: Sharing,
    /// where the key was made, and its way
    pub path: Vec<(Span, String)>,
    /// how sure
    pub confidence: Confidence,
}

/// How a key is shared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sharing {
    /// two operations on one way through a function
    Operations,
    /// one operation twice on one way through a function, with other contents
    Contents,
    /// every round of a loop over different intents
    Intents,
    /// everything that is sent through a client
    Client,
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OriginKind {
    /// fixed in the source; the text if it is one
    Constant(Option<Name>),
    /// from a parameter of a root function: its path, e.g. `invoice.id`
    Input(Name),
    /// read from a store
    Stored,
    /// journaled or seeded by an engine
    Durable,
    /// made anew each time
    Fresh(FreshKind),
    /// differs between attempts: count, delivery-id, lease, token
    Attempt(Name),
    /// the empty value
    Empty,
    /// no key at all on this path
    Absent,
    /// could not be followed, with the reason
    Opaque(Name),
}
