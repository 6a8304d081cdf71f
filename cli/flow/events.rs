//! What a function does to the world, in order: the raw material of the operation graph.
//!
//! The evaluation of a body meets calls in the order in which they run; an [`Event`] says what a call does there, in which
//! branches and regions it stands, and what becomes of its result. A caller takes the events of its callees over.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::dispatch::method::{self, Asked};
use super::facts::Happening;
use super::interfaces::Chosen;
use super::next_state::Next;
use super::sources::{Arguments, Sources};
pub(crate) use super::usage::is_answer;
use super::usage::{
    hands_all_on, is_flag_told, is_for_each_of_many, is_only_told, is_taken_out, is_unit, of_local, tells_error_only,
};
use super::value::Kind;
use super::{combinators, prepared, walk};
use crate::catalog::FreshKind;
use crate::ir::{Body, ExprId, ExprKind, LocalId, Name, PatId, PatKind, Statement};
use crate::resolve::FnId;
use crate::source::Span;

/// Events below one function that are kept.
pub(crate) const MAX_EVENTS: usize = 240;
/// Calls over which a dispatch is taken over by its callers.
pub(crate) const MAX_VIA: usize = 6;

/// A branch of the whole program: where the branching expression stands, and which arm.
pub(crate) type Branch = (Span, u32);

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: EventKind,
    /// where, read as the event's own
    pub(crate) own: Arc<Happening>,
    /// branches around it, outermost first, those of the callers in front
    pub(crate) branches: Arc<[Branch]>,
    /// regions around it, outermost first
    pub(crate) regions: Arc<[RegionMark]>,
    /// calls that lead to it, outermost first
    pub(crate) via: Arc<[Span]>,
    /// the functions that these calls lead into
    pub(crate) through: Arc<[FnId]>,
    /// what becomes of the result, in the function where it stands
    pub(crate) usage: Usage,
    /// where nobody looks at what came of it: the call itself, or one that leads to it
    pub(crate) dropped: Option<Span>,
    /// what it gives, a number or yes or no, is what the function answers with
    pub(crate) answers: bool,
    /// the call by which a function is asked that answers so, where nobody looks at its answer
    pub(crate) unread: Option<Span>,
    /// where an error of it is taken for an empty or default value
    pub(crate) defaulted: Option<Defaulted>,
    /// the calls that lead to it answer with something: of a function without a result nobody hears what came of it
    pub(crate) told: bool,
    /// a call that leads to it may mean one of several functions: which one, the source does not say
    pub(crate) chosen: Chosen,
    /// the calls from the one whose name says, for all of these functions, that it acts, on
    pub(crate) below: u32,
    /// where nobody looks at its result: the call whose effect it takes back
    pub(crate) takes_back: Option<Span>,
    /// of an operation of a store: a pool runs it, in no transaction
    pub(crate) pooled: bool,
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum EventKind {
    /// a provider is asked to act
    Dispatch {
        provider: Option<Name>,
        keyed: bool,
        harmless: bool,
        /// whether it is harmless is a caller's to say
        asked: Option<Arc<Asked>>,
        /// a presumed dispatch
        presumed: bool,
        key: Sources,
        /// what kind of system acts, by row or provider
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
        /// the name of the procedure that is asked for
        procedure: Sources,
        /// everything that is handed over, the transaction of an enqueueing call included
        args: Sources,
        /// of a message: what its content is told from others by
        own_id: Sources,
        /// how long it may take by the client's own timeout, where that is in sight
        lasts: Sources,
    },
    /// a provider is asked what happened
    Lookup { provider: Option<Name>, key: Sources },
    /// somebody is asked over HTTP, by these values
    Asked { by: Sources },
    /// SQL or a query builder, as text; the values bound to it
    Sql { texts: Vec<Name>, binds: Vec<Sources>, places: Arc<[Span]>, executor: Sources },
    /// another operation of a store, by the catalog's word; what is kept `by_key` is no statement, whatever it says
    Store { op: Name, table: Option<Name>, args: Vec<Sources>, executor: Sources, by_key: bool },
    /// a transaction begins here; its identity is the place of this event
    Begin,
    /// it ends
    Commit { transaction: Sources },
    /// it is undone
    Rollback { transaction: Sources },
    /// a task is acknowledged; with it all that came before, where that is an offset; by what is given
    Ack { up_to: bool, by: Sources },
    /// a call of which nothing but its name is known
    Call { awaited: bool, args: Vec<Sources> },
    /// the attempt fails here: `?`, `return Err`, a tail that is an `Err`, `expect`
    Fail { error: Option<Name> },
    /// the function ends here, with this answer where it is one of the catalog's words (`StatusCode::OK`)
    Return { answer: Option<Name>, value: Sources },
    /// a value of another run than the last one: random, clock, environment, the order of a map
    Fresh { kind: FreshKind },
    /// an `Err` is put together
    Error,
    /// a digest is taken
    Digest { value: Sources },
    /// a lease is acquired, renewed, released; how long it holds, and what a bare number of that counts
    Lease { op: Name, args: Vec<Sources>, lasts: Sources, unit: Option<Name> },
    /// what is waited for may take so long
    Limit { lasts: Sources },
    /// something is handed to another task of the process, or back to the function that started this one
    Handed { args: Vec<Sources>, back: bool },
    /// a collection in memory is asked for a key that tells repeats, or takes it in
    Remembered { insert: bool, value: Sources, held: Option<LocalId>, named: bool },
    /// a list of the process is emptied, behind these loops over what was in it
    Emptied { rounds: Vec<Span> },
    /// tasks are acknowledged by the client itself from here on
    AutoAck,
    /// the round of a loop ends that goes on to the next one until one answers; the calls by which these are asked
    NextRound { asked: Vec<Span> },
    /// one thing is picked out of several: by values that many have in common, or whichever it is
    Picked { from: Sources, alike: bool },
    /// where the outcome of a dispatch is looked at, something is put into a variable that the function answers with
    Noted,
    /// values that are stored or handed on here, of which one way gives what was answered, and another what was known
    /// before: the name or number of each, what was known before, and all of it
    Instead { values: Vec<(Name, Sources, Sources)> },
    /// something is put aside in the round of a loop
    Collected,
    /// a branch that is taken by what the process or its environment says
    Decides,
    /// the context of replayed code is asked for something, which gets its place in the journal here
    Scheduled,
    /// a request is handed on to what stands behind a middleware
    Forwarded { request: Sources },
    /// a value of the workspace's own type is put together
    Made { path: Name, fields: Vec<(Name, Sources)> },
    /// this branch is taken by whatever error a call has that was awaited: one step among others, as far as its form shows,
    /// and nothing is called in it but what tells of it
    Errs { step: bool, quiet: bool },
    /// of a task that ran here only whether it came to its end is looked at, and not what it says of its work
    Unasked,
    /// a word or variant that means a state is written down here
    State { means: Name },
    /// another state of a machine is chosen as the next one
    Next(Next),
}

/// A region around an event: where it stands, and what it does.
pub(crate) type RegionMark = (Span, Role);

/// What a region does with what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// runs it again for the same intent
    Retry,
    /// runs it for each of several things
    Each {
        /// takes or waits for the next one as long as the process runs
        endless: bool,
        /// whichever is done first comes first
        unordered: bool,
        /// a number of rounds that do not look at which one they are, or of which one that goes well is the last: nothing is
        /// gone through
        rounds: bool,
    },
    /// runs it later, detached; whether somebody holds the handle
    Spawned {
        /// nobody holds the handle
        dropped: bool,
    },
    /// may drop it midway
    Timeout,
    /// one of several that race: the others are dropped
    Race,
    /// journals its result
    Step,
    /// a transaction around a closure
    Transaction,
    /// a closure of which nothing is known
    Closure {
        /// it makes a future, and is handed to a call that nobody waits for: it runs when somebody else says so
        later: bool,
        /// it goes on with what the call before it on the chain gave: `pay().and_then(|receipt| …)`
        next: bool,
    },
}

/// Where an error of an event's call is taken for an empty or default value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaulted {
    /// the call or branch that does so
    pub at: Span,
    /// the branch that the error takes, where it takes one
    pub branch: Option<(Span, u32)>,
    /// as the answer of a read, the default says that nothing was found
    pub found_nothing: bool,
    /// as the answer of a claim, the default says that it was got
    pub got: bool,
    /// that answer is a literal
    pub written: bool,
}

/// What becomes of the result of an event's call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Usage {
    /// nobody looks: `call();`, `let _ = call();`
    Dropped,
    /// only an error is looked at: `call()?;`
    Checked,
    /// somebody looks
    Used,
}

impl EventKind {
    /// What raw HTTP is behind an interface to an application's own state: a write to it.
    pub(crate) fn keep_own(&mut self) {
        if let Self::Dispatch { provider: None, http: true, presumed: false, args, .. } = self {
            let (args, executor) = (vec![std::mem::take(args)], Sources::default());
            *self = Self::Store { op: Name::new("execute"), table: None, args, executor, by_key: false };
        }
    }

    /// The statements among what a call that runs one is given.
    fn statements(&self) -> Vec<Name> {
        let text = |kind: &Kind| match kind {
            Kind::Constant(Some(text)) if prepared::is_sql(text.as_str()) => Some(*text),
            _ => None,
        };
        match self {
            Self::Store { op, args, by_key: false, .. } if matches!(op.as_str(), "query" | "execute") => {
                args.iter().flat_map(Sources::iter).filter_map(|source| text(source.kind())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What runs whichever statement it is given runs that of its caller. Which of the values goes where is not known.
    fn read_text(&mut self) {
        let texts = self.statements();
        if let (Self::Store { args, executor, .. }, false) = (&mut *self, texts.is_empty()) {
            let given = args.iter().fold(Sources::default(), |all, value| all.and(value));
            let executor = std::mem::take(executor);
            *self = Self::Sql { texts, binds: vec![given], places: Arc::from([]), executor };
        }
    }

    /// A request for a procedure that only reads asks.
    pub(crate) fn ask_only(&mut self, reads: impl FnOnce(&Sources) -> bool) {
        match self {
            Self::Dispatch { procedure, args, .. } if reads(procedure) => {
                *self = Self::Asked { by: std::mem::take(args) }
            }
            _ => {}
        }
    }

    /// Whether the catalog knows what the call does, to a store or a queue.
    pub(crate) fn is_operation(&self) -> bool {
        matches!(
            self,
            Self::Lookup { .. }
                | Self::Sql { .. }
                | Self::Store { .. }
                | Self::Begin
                | Self::Commit { .. }
                | Self::Rollback { .. }
                | Self::Ack { .. }
                | Self::Lease { .. }
        )
    }

    fn each_value(&mut self, f: &mut dyn FnMut(&mut Sources)) {
        match self {
            Self::Dispatch { key, procedure, args, lasts, own_id, .. } => {
                [key, own_id, procedure, args, lasts].into_iter().for_each(f);
            }
            Self::Lookup { key: value, .. }
            | Self::Digest { value }
            | Self::Return { value, .. }
            | Self::Remembered { value, .. }
            | Self::Commit { transaction: value }
            | Self::Rollback { transaction: value }
            | Self::Asked { by: value }
            | Self::Forwarded { request: value }
            | Self::Ack { by: value, .. }
            | Self::Picked { from: value, .. } => f(value),
            Self::Instead { values } => values.iter_mut().for_each(|(_, known, whole)| {
                f(known);
                f(whole);
            }),
            Self::Made { fields, .. } => fields.iter_mut().for_each(|(_, value)| f(value)),
            Self::Sql { binds: values, executor, .. } | Self::Store { args: values, executor, .. } => {
                f(executor);
                values.iter_mut().for_each(f);
            }
            Self::Lease { args, lasts, .. } => {
                f(lasts);
                args.iter_mut().for_each(f);
            }
            Self::Limit { lasts } => f(lasts),
            Self::Call { args, .. } | Self::Handed { args, .. } => args.iter_mut().for_each(f),
            Self::Begin
            | Self::AutoAck
            | Self::Error
            | Self::Fail { .. }
            | Self::Fresh { .. }
            | Self::Emptied { .. }
            | Self::NextRound { .. }
            | Self::Noted
            | Self::Collected
            | Self::Decides
            | Self::Scheduled
            | Self::Errs { .. }
            | Self::Unasked
            | Self::Next(_)
            | Self::State { .. } => {}
        }
    }
}

impl Deref for Event {
    type Target = Happening;

    fn deref(&self) -> &Happening {
        &self.own
    }
}

impl Event {
    /// The event as the caller sees it.
    pub(crate) fn lift(&self, arguments: &Arguments<'_>, call: &Lift<'_>) -> Self {
        let mut lifted = self.clone();
        lifted.via = call.via.under(&self.via);
        lifted.through = call.through.under(&self.through);
        lifted.branches = call.branches.under(&self.branches);
        lifted.regions = call.regions.under(&self.regions);
        lifted.kind.each_value(&mut |value| *value = value.substitute(arguments));
        method::take_over(&mut lifted.kind, arguments.call());
        if self.kind.statements().is_empty() {
            lifted.kind.read_text();
        }
        lifted
    }

    /// Whether another event is the same one, met again in the next round of a loop. All that a macro adds stands at one place.
    pub(crate) fn is_again(&self, other: &Self) -> bool {
        self.span == other.span
            && self.name == other.name
            && self.via == other.via
            && std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
    }
}

/// What a call puts in front of the events of its callee.
pub(crate) struct Lift<'a> {
    via: Outer<'a, Span>,
    through: Outer<'a, FnId>,
    branches: Outer<'a, Branch>,
    regions: Outer<'a, RegionMark>,
}

impl<'a> Lift<'a> {
    /// A call at a place, into a function, with what is around it.
    pub(crate) fn new(at: &'a Span, into: &'a FnId, branches: &'a [Branch], regions: &'a [RegionMark]) -> Self {
        Self {
            via: Outer::new(std::slice::from_ref(at)),
            through: Outer::new(std::slice::from_ref(into)),
            branches: Outer::new(branches),
            regions: Outer::new(regions),
        }
    }
}

/// What comes before lists that many events share: what comes of these is shared, too.
struct Outer<'a, T> {
    before: &'a [T],
    known: RefCell<FxHashMap<*const T, Arc<[T]>>>,
}

impl<'a, T: Clone> Outer<'a, T> {
    fn new(before: &'a [T]) -> Self {
        Self { before, known: RefCell::default() }
    }

    /// A list of the callee, which its summary holds, behind this.
    fn under(&self, inner: &Arc<[T]>) -> Arc<[T]> {
        if self.before.is_empty() {
            return inner.clone();
        }
        let mut known = self.known.borrow_mut();
        let joined = || self.before.iter().chain(inner.iter()).cloned().collect();
        // lists without elements may all stand at one place, which does not matter
        known.entry(inner.as_ptr()).or_insert_with(joined).clone()
    }
}

/// The expression around each expression of a body.
pub(crate) fn parents(body: &Body) -> Vec<Option<ExprId>> {
    let mut parents = vec![None; body.exprs.len()];
    for at in 0..body.exprs.len() {
        let id = ExprId(at as u32);
        for child in super::walk::children(body, id) {
            parents[child.0 as usize] = Some(id);
        }
    }
    parents
}

/// What becomes of the value of an expression: adapters that only hand it on (`?`, `.await`, `map_err`) are looked
/// through.
pub(crate) fn usage(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> Usage {
    let mut at = id;
    let mut checked = false;
    loop {
        let Some(parent) = walk::parent(parents, at) else {
            return Usage::Used;
        };
        match &body.expr(parent).kind {
            ExprKind::Await(_) => at = parent,
            ExprKind::Try(_) => {
                checked = true;
                at = parent;
            }
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "unwrap" | "expect" => {
                    checked = true;
                    at = parent;
                }
                name if name == "ok" || combinators::rewords(name) || hands_all_on(name) => at = parent,
                // `unwrap_or(())`: what is left tells nothing, whatever came.
                "unwrap_or" if call.args.iter().any(|&arg| is_unit(body, arg)) => return Usage::Dropped,
                name if combinators::tells_plainly(name) && is_flag_told(body, parents, parent) => {
                    return Usage::Dropped;
                }
                "is_ok" | "is_err" => return Usage::Checked,
                _ => return Usage::Used,
            },
            // One of many, in a closure that is run for each of them: whoever waits for all of them decides.
            _ if is_for_each_of_many(body, parents, parent, at) => at = parent,
            ExprKind::Let { pat, value } if *value == at && tells_error_only(body, parents, *pat) => {
                return Usage::Checked;
            }
            ExprKind::Match { value, arms } if *value == at => {
                let all = arms.iter().all(|arm| arm.guard.is_none() && tells_error_only(body, parents, arm.pat));
                return if all { Usage::Checked } else { Usage::Used };
            }
            ExprKind::Block(block) => {
                for statement in &block.statements {
                    match statement {
                        Statement::Expr(statement) if *statement == at => {
                            return if checked { Usage::Checked } else { Usage::Dropped };
                        }
                        Statement::Let { pat, value: Some(value), .. } if *value == at => {
                            return match dropped(body, *pat) {
                                true if checked => Usage::Checked,
                                true => Usage::Dropped,
                                false => match body.pat(*pat).kind {
                                    PatKind::Bind { local, inner: None } if !checked => of_local(body, parents, local),
                                    PatKind::Bind { local, inner: None } if is_only_told(body, parents, local) => {
                                        Usage::Checked
                                    }
                                    _ => Usage::Used,
                                },
                            };
                        }
                        _ => {}
                    }
                }
                // The value of the block: whoever has the block decides.
                at = parent;
            }
            _ => return Usage::Used,
        }
    }
}

/// How often the value of an expression is awaited where it stands.
pub(crate) fn awaits(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> usize {
    let (mut at, mut count) = (id, 0);
    while let Some(parent) = walk::parent(parents, at) {
        match &body.expr(parent).kind {
            ExprKind::Await(_) => count += 1,
            ExprKind::Try(_) => {}
            ExprKind::MethodCall(call) if call.receiver == at => {}
            _ => break,
        }
        at = parent;
    }
    count
}

/// The local that the value of an expression is bound to: chains of calls on it, `?` and `.await` are looked through.
pub(crate) fn bound(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> Option<Name> {
    let mut at = id;
    loop {
        let parent = walk::parent(parents, at)?;
        match &body.expr(parent).kind {
            ExprKind::Await(_) | ExprKind::Try(_) => at = parent,
            ExprKind::MethodCall(call) if call.receiver == at => at = parent,
            // `match answer { Ok(ids) => ids, Err(_) => … }`
            ExprKind::Match { value, arms } if *value == at && arms.iter().any(|arm| is_taken_out(body, arm)) => {
                at = parent;
            }
            ExprKind::Block(block) => {
                return block.statements.iter().find_map(|statement| match statement {
                    Statement::Let { pat, value: Some(value), .. } if *value == at => match body.pat(*pat).kind {
                        PatKind::Bind { local, .. } => Some(body.locals[local.0 as usize].name),
                        _ => None,
                    },
                    _ => None,
                });
            }
            _ => return None,
        }
    }
}

/// `let _ = …`, `let _guard = …`, `let () = …`.
fn dropped(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild => true,
        PatKind::Tuple(elements) => elements.is_empty(),
        PatKind::Bind { local, inner: None } => {
            let LocalId(number) = *local;
            body.locals[number as usize].name.as_str().starts_with('_') && !is_read(body, *local)
        }
        _ => false,
    }
}

/// Whether a local is mentioned anywhere.
pub(crate) fn is_read(body: &Body, local: LocalId) -> bool {
    body.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Local(other) if other == local))
}
