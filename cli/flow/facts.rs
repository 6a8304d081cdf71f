//! Events and conditions as later stages see them: without the values of the evaluation, with what they say.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::next_state::Next;
use super::{Chosen, OriginKind, RepeatScope, is_mutation, names_effect};
use crate::catalog::{FreshKind, Words};
use crate::ir::{LocalId, Name};
use crate::resolve::FnId;
use crate::source::{Span, TextRange};

pub use super::events::{Defaulted, Role, Usage};
pub use super::outcome::{Doubts, HANDED_ON, Outcomes};

/// What one function does, its callees included, in the order in which it happens.
#[derive(Clone, Debug)]
pub struct FunctionEvents {
    /// the function
    pub function: FnId,
    /// why it can run again, if it is an attempt scope
    pub handler: Option<HandlerFact>,
    /// its text
    pub body: Span,
    /// nobody outside test code calls it
    pub is_root: bool,
    /// events, in order
    pub events: Vec<EventFact>,
    /// what is left of outcomes in the branches of the function and of its callees
    pub conditions: Vec<ConditionFact>,
    /// arms that are left for good, by their branch
    pub ended: Vec<EndedArm>,
    /// futures that run side by side until all of them are done, by the places where these are awaited together
    pub joined: Vec<Vec<Span>>,
}

impl FunctionEvents {
    /// The arm of a branch, if it is left for good.
    pub fn ended_arm(&self, branch: &(Span, u32)) -> Option<&EndedArm> {
        let at = self.ended.binary_search_by_key(branch, |arm| arm.branch).ok()?;
        self.ended.get(at)
    }
}

/// An arm whose every way ends the function, or the closure, async block or round of a loop around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndedArm {
    /// the branch and the number of the arm
    pub branch: (Span, u32),
    /// the text of what is left
    pub within: TextRange,
    /// of a loop only a round is left, and the next one begins
    pub again: bool,
}

/// An attempt scope.
#[derive(Clone, Debug)]
pub struct HandlerFact {
    /// for people
    pub scope: RepeatScope,
    /// declared by a contract
    pub contract: bool,
    /// job, workflow, consumer, webhook; empty where only a contract declares it
    pub kind: String,
    /// returned values that mean "run me again"
    pub again: Vec<String>,
    /// inputs that differ between attempts
    pub per_attempt: Vec<String>,
    /// how late the same task may come again, where that is declared
    pub horizon: Option<Duration>,
}

/// What is the same of an event for all functions from which it is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happening {
    /// the call, from its name on
    pub span: Span,
    /// how it reads
    pub name: Name,
    /// the function in which it stands
    pub function: FnId,
    /// the branches around it that it is in because the other arms leave: whoever gets past the branch comes here
    pub passed: Arc<[(Span, u32)]>,
    /// the whole expression, receiver included
    pub whole: Span,
    /// the local that its result, or what is made of it, is bound to
    pub bound: Option<Name>,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct EventFact {
    /// what
    pub kind: EventFactKind,
    /// where, read as the event's own
    pub own: Arc<Happening>,
    /// branches around it: where the branching expression stands, and which arm
    pub branches: Arc<[(Span, u32)]>,
    /// regions around it, outermost first
    pub regions: Arc<[(Span, Role)]>,
    /// calls from the function that looks, outermost first
    pub via: Arc<[Span]>,
    /// the functions that these calls lead into
    pub through: Arc<[FnId]>,
    /// what becomes of its result
    pub usage: Usage,
    /// where nobody looks at what came of it: the call itself, or one that leads to it
    pub dropped: Option<Span>,
    /// the call by which a function is asked whose answer it is, where nobody looks at that
    pub unread: Option<Span>,
    /// where an error of it is taken for an empty or default value
    pub defaulted: Option<Defaulted>,
    /// a call that leads to it may mean one of several functions: which one, the source does not say
    pub chosen: Chosen,
    /// the calls from the one whose name says, for all of these functions, that it acts, on
    pub below: u32,
    /// where nobody looks at its result: the call whose effect it takes back
    pub takes_back: Option<Span>,
    /// of an operation of a store: a pool runs it, in no transaction
    pub pooled: bool,
    /// of what a store is asked here or one call below, or a provider: the branches of this function that its answer decides; of
    /// a client that is set up, the loops over what that gives
    pub turns: Vec<Turn>,
    /// of what a store is asked here or one call below: the columns, by name or place, that this function takes of the answer;
    /// none where all of it goes on
    pub taken: Option<Vec<Name>>,
    /// of a store: what it gives is asked whether something is in it
    pub recalled: bool,
}

/// What an `Err` is said to be that holds the very error which was answered.
pub const HEARD: &str = "heard";

impl EventFact {
    /// The calls between the function that looks and the one that says what is done.
    pub fn distance(&self) -> usize {
        self.via.len().saturating_sub(self.below as usize)
    }

    /// Whether what a dispatch sends says itself that something is changed there.
    pub fn says_change(&self, words: &Words) -> bool {
        let says = |text: &str| is_mutation(text) || names_effect(words, text);
        matches!(&self.kind, EventFactKind::Dispatch { args, .. } if args.texts().any(says))
    }

    /// Where what is done is said: the event, or the call whose name says it for all of several functions.
    pub fn site(&self) -> Span {
        self.via.get(self.distance()).copied().unwrap_or(self.span)
    }
}

impl Deref for EventFact {
    type Target = Happening;

    fn deref(&self) -> &Happening {
        &self.own
    }
}

impl EventFact {
    /// What a store is handed.
    pub fn handed_to_store(&self) -> &[ValueFact] {
        match &self.kind {
            EventFactKind::Sql { binds, .. } => binds,
            EventFactKind::Store { args, .. } => args,
            _ => &[],
        }
    }

    /// Whether a store is handed all of some origins, of which there is one at least.
    pub fn stores(&self, parts: &[OriginKind]) -> bool {
        let values = self.handed_to_store();
        !parts.is_empty() && parts.iter().all(|part| values.iter().any(|value| value.origins.contains(part)))
    }

    /// Whether a store is handed the answer to a dispatch.
    pub fn stores_answer(&self, dispatch: &EventFact) -> bool {
        self.handed_to_store().iter().any(|value| value.replies.contains(&dispatch.span))
    }
}

/// A branch that is taken by what a call answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// where the branching expression stands
    pub branch: Span,
    /// it asks only whether there was something
    pub presence: bool,
    /// the arm that is taken where there was nothing
    pub nothing: Option<u32>,
    /// the field of it that is looked at
    pub field: Option<Name>,
    /// it asks whether the same was there before: a violated unique index
    pub again: bool,
    /// it asks whether something is among what there was: `contains`
    pub among: bool,
    /// nothing there is an error at once: `ok_or(..)?`
    pub refused: bool,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum EventFactKind {
    /// a provider is asked to act
    Dispatch {
        /// provider id
        provider: Option<Name>,
        /// a key goes with it on every path
        keyed: bool,
        /// a repeat does no harm
        harmless: bool,
        /// only names say that it acts
        presumed: bool,
        /// its key
        key: ValueFact,
        /// what kind of system acts: payment, queue, email … by row or provider
        system: Option<Name>,
        /// the answer that tells that the target has it is never waited for
        unanswered: bool,
        /// a callback of the client is told that answer, and nobody here waits for it
        called_back: bool,
        /// the part of the answer that says which of many were refused, where nobody takes the answer
        refused_in: Option<Name>,
        /// the answer is a bare one of HTTP, whose status is still to be looked at
        bare: bool,
        /// an HTTP client is asked
        http: bool,
        /// everything that is handed over
        args: ValueFact,
        /// of a message: what its content is told from others by
        own_id: ValueFact,
        /// how long it may take by the client's own timeout, where that is in sight
        lasts: ValueFact,
    },
    /// a provider is asked what happened
    Lookup {
        /// who is asked
        provider: Option<Name>,
        /// what it is asked by
        key: ValueFact,
    },
    /// somebody is asked over HTTP
    Asked {
        /// address, query and whatever else goes along
        by: ValueFact,
    },
    /// SQL
    Sql {
        /// the texts it may be
        texts: Vec<Name>,
        /// what is bound, in order
        binds: Vec<ValueFact>,
        /// where each of it is bound, if that is known
        places: Arc<[Span]>,
        /// what runs it
        executor: ValueFact,
    },
    /// another operation of a store, by the catalog's word
    Store {
        /// query, execute, claim, conditional_update …
        op: Name,
        /// its table, if the call fixes it
        table: Option<Name>,
        /// arguments, the receiver first
        args: Vec<ValueFact>,
        /// what runs it
        executor: ValueFact,
    },
    /// a transaction begins
    Begin,
    /// it is committed
    Commit {
        /// which
        transaction: ValueFact,
    },
    /// it is undone
    Rollback {
        /// which
        transaction: ValueFact,
    },
    /// a task is acknowledged
    Ack {
        /// and with it all that came before
        up_to: bool,
        /// what the call is given, a transaction that it runs in included
        by: ValueFact,
    },
    /// a call of which nothing but its name is known
    Call {
        /// it is awaited
        awaited: bool,
        /// arguments, the receiver first
        args: Vec<ValueFact>,
    },
    /// the function fails: `?`, `return Err(..)`
    Fail {
        /// the state that the error means, by the catalog's word
        error: Option<Name>,
    },
    /// the function returns
    Return {
        /// the catalog's word for the answer: confirmed for 2xx, rejected for 4xx, unknown for 5xx
        answer: Option<Name>,
        /// what is returned
        value: ValueFact,
    },
    /// a value of another run than the last one
    Fresh {
        /// what makes it so
        kind: FreshKind,
    },
    /// an `Err` is put together, to be handed on as a value
    Error,
    /// a digest is taken
    Digest {
        /// of this
        value: ValueFact,
    },
    /// a lease changes hands
    Lease {
        /// acquire, renew, release
        op: Name,
        /// arguments, the receiver first
        args: Vec<ValueFact>,
        /// how long it holds
        lasts: ValueFact,
        /// what a bare number of that counts
        unit: Option<Name>,
    },
    /// what is waited for may take so long
    Limit {
        /// how long
        lasts: ValueFact,
    },
    /// something is handed to another task of the process
    Handed {
        /// arguments, the receiver first
        args: Vec<ValueFact>,
        /// the function that started the task reads the other end
        back: bool,
    },
    /// a collection in memory is asked for a key that tells repeats, or takes it in
    Remembered {
        /// it takes it in
        insert: bool,
        /// the key
        value: ValueFact,
        /// the variable that nobody else reaches it by meanwhile: a guard of its lock, or the collection itself
        held: Option<LocalId>,
        /// its name, or the key, says that it tells repeats; elsewhere a caller's key may
        named: bool,
    },
    /// a list of the process is emptied
    Emptied {
        /// the loops over it, in front of that or around it
        rounds: Vec<Span>,
    },
    /// tasks are acknowledged by the client itself
    AutoAck,
    /// the round of a loop ends that goes on to the next one until one answers
    NextRound {
        /// the calls by which these are asked
        asked: Vec<Span>,
    },
    /// one thing is picked out of several
    Picked {
        /// those out of which it is picked
        from: ValueFact,
        /// by values that many have in common, rather than whichever it is
        alike: bool,
    },
    /// where the outcome of a dispatch is looked at, something is put into a variable that the function answers with
    Noted,
    /// values that are stored or handed on here, of which one way gives what was answered, and another what was known before
    Instead {
        /// the name or number of each, what was known before, and all of it
        values: Vec<(Name, ValueFact, ValueFact)>,
    },
    /// something is put aside in the round of a loop
    Collected,
    /// a branch that is taken by what the process or its environment says
    Decides,
    /// the context of replayed code is asked for something, which gets its place in the journal here
    Scheduled,
    /// this branch is taken by whatever error a call has that was awaited
    Errs {
        /// one step among others, as far as its form shows
        step: bool,
        /// nothing is called in it but what tells of it
        quiet: bool,
    },
    /// a request is handed on to what stands behind a middleware
    Forwarded {
        /// it
        request: ValueFact,
    },
    /// a value of the workspace's own type is put together
    Made {
        /// its type or variant
        path: Name,
        /// its fields
        fields: Vec<(Name, ValueFact)>,
    },
    /// of a task that ran here only whether it came to its end is looked at, and not what it says of its work
    Unasked,
    /// a word or variant that means a state is made here
    State {
        /// the catalog's word: rejected, confirmed, unknown …
        means: Name,
    },
    /// another state of a machine is chosen as the next one
    Next(Next),
}

/// What is known of a value. Callers of a function and the events in it speak of the same values again and again, so there is
/// one copy.
#[derive(Clone, Debug, Default)]
pub struct ValueFact(pub(super) Option<Arc<ValueParts>>);

/// What a value consists of.
#[derive(Debug, Default)]
pub struct ValueParts {
    /// where it comes from
    pub origins: Vec<OriginKind>,
    /// the transaction that it is, by the place where that begins
    pub transaction: Option<Span>,
    /// the dispatches, lookups and writes whose answer is in it
    pub replies: Vec<Span>,
    /// where what is fresh in it is made
    pub fresh: Vec<(FreshKind, Span)>,
    /// where it is read out of the surroundings of the process
    pub surroundings: Vec<Span>,
}

/// What is left of the outcomes of some dispatches in a branch.
#[derive(Clone, Debug)]
pub struct ConditionFact {
    /// the branch
    pub branch: (Span, u32),
    /// the arm or block itself
    pub place: Span,
    /// the dispatches
    pub about: Vec<Span>,
    /// what is left
    pub outcomes: Outcomes,
    /// a name in the pattern says so, rather than `Ok` and `Err`
    pub named: bool,
    /// whether one that says "nobody knows" is among those that the pattern takes
    pub doubts: Doubts,
    /// one that says "done before" is among those that the pattern takes
    pub repeats: bool,
    /// it takes whatever error there is, and tells none from another
    pub any_error: bool,
    /// errors of another sort than the only one that is looked at come here together with good answers
    pub beside: bool,
}

impl Deref for ValueFact {
    type Target = ValueParts;

    fn deref(&self) -> &ValueParts {
        static NOTHING: ValueParts = ValueParts {
            origins: Vec::new(),
            transaction: None,
            replies: Vec::new(),
            fresh: Vec::new(),
            surroundings: Vec::new(),
        };
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl ValueParts {
    /// Whether an input of this path is in it, however much of the path is written.
    pub fn is_input(&self, path: &str) -> bool {
        self.origins.iter().any(|origin| match origin {
            OriginKind::Input(input) => {
                let ends = |whole: &str, end: &str| {
                    whole.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('.'))
                };
                ends(input.as_str(), path) || ends(path, input.as_str())
            }
            _ => false,
        })
    }

    /// The constant texts in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.origins.iter().filter_map(|origin| match origin {
            OriginKind::Constant(Some(text)) => Some(text.as_str()),
            _ => None,
        })
    }
}
