//! Events and conditions as later stages see them: without the values of the evaluation, with what they say.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::call::is_surroundings;
use super::engine::{Engine, Summary};
use super::events::{Event, EventKind};
use super::handed;
use super::handlers;
use super::limits;
use super::outcome::Condition;
use super::report::Writers;
use super::sources::{Source, Sources};
use super::turns::Turns;
use super::value::{FieldPath, Kind};
use super::{OriginKind, RepeatScope};
use crate::catalog::FreshKind;
use crate::ir::{Function, LocalId, Name};
use crate::resolve::{FnId, FunctionInfo};
use crate::source::Span;

pub use super::events::{Defaulted, Role, Usage};
pub use super::outcome::{HANDED_ON, Outcomes};

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

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct EventFact {
    /// what
    pub kind: EventFactKind,
    /// the call, from its name on
    pub span: Span,
    /// how it reads
    pub name: Name,
    /// the function in which it stands
    pub function: FnId,
    /// branches around it: where the branching expression stands, and which arm
    pub branches: Arc<[(Span, u32)]>,
    /// those of them that it is in because the other arms leave: whoever gets past the branch comes here
    pub passed: Arc<[(Span, u32)]>,
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
    /// the whole expression, receiver included
    pub whole: Span,
    /// where an error of it is taken for an empty or default value
    pub defaulted: Option<Defaulted>,
    /// the local that its result, or what is made of it, is bound to
    pub bound: Option<Name>,
    /// a call that leads to it may mean one of several functions: which one, the source does not say
    pub chosen: bool,
    /// of what a store is asked here or one call below, or a provider: the branches of this function that its answer decides
    pub turns: Vec<Turn>,
}

impl EventFact {
    /// Whether it is a write of a store to which all of some origins are handed.
    pub fn stores(&self, parts: &[OriginKind]) -> bool {
        let values: &[ValueFact] = match &self.kind {
            EventFactKind::Sql { binds, .. } => binds,
            EventFactKind::Store { args, .. } => args,
            _ => return false,
        };
        parts.iter().all(|part| values.iter().any(|value| value.origins.contains(part)))
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
        /// the answer is a bare one of HTTP, whose status is still to be looked at
        bare: bool,
        /// an HTTP client is asked
        http: bool,
        /// everything that is handed over
        args: ValueFact,
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
    /// something is put aside in the round of a loop
    Collected,
    /// a branch that is taken by what the process or its environment says
    Decides,
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
    /// a word or variant that means a state is made here
    State {
        /// the catalog's word: rejected, confirmed, unknown …
        means: Name,
    },
}

/// What is known of a value. Callers of a function and the events in it speak of the same values again and again, so there is
/// one copy.
#[derive(Clone, Debug, Default)]
pub struct ValueFact(Option<Arc<ValueParts>>);

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
    /// one that says "nobody knows" is among those that the pattern takes
    pub doubts: bool,
    /// it takes whatever error there is, and tells none from another
    pub any_error: bool,
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

/// The facts of one function.
pub(crate) fn of_function(
    engine: &mut Engine<'_>,
    writers: &Writers,
    kept: &mut Kept,
    function: FnId,
    summary: &Summary,
) -> FunctionEvents {
    let handler = handlers::handler(engine, function).map(|handler| HandlerFact {
        scope: RepeatScope::clone(&handler.scope),
        contract: handler.contract,
        kind: handler.rule.map(|rule| rule.kind.clone()).unwrap_or_default(),
        again: handler.rule.map(|rule| rule.again.clone()).unwrap_or_default(),
        per_attempt: handler.rule.map(|rule| rule.per_attempt.clone()).unwrap_or_default(),
        horizon: handler.rule.and_then(|rule| rule.horizon),
    });
    // How long it takes matters where something is held meanwhile.
    let holds = summary.events.iter().any(|event| takes_lease(&event.kind));
    let info = engine.program.function(function);
    let mut values = Values::new(&info.ir, kept);
    let mut events: Vec<EventFact> = Vec::with_capacity(summary.events.len());
    for event in &summary.events {
        let mut fact = event_fact(&mut values, event);
        let limit = if holds { limits::of_fields(engine, writers, function, event) } else { None };
        if let (EventFactKind::Dispatch { lasts, .. }, Some(limit)) = (&mut fact.kind, limit) {
            *lasts = values.value(&limit);
        }
        events.push(fact);
    }
    add_turns(engine, function, &mut events);
    FunctionEvents {
        function,
        handler,
        body: Span::new(info.file, info.ir.range),
        is_root: engine.is_root(function),
        events,
        conditions: summary.conditions.iter().map(|condition| condition_fact(info, condition)).collect(),
    }
}

/// Whether something is taken for this run alone, as a rule for a time.
fn takes_lease(kind: &EventKind) -> bool {
    match kind {
        EventKind::Lease { op, .. } => op.as_str() == "acquire",
        EventKind::Store { op, .. } => op.as_str() == "claim",
        _ => false,
    }
}

/// Adds what the answers of stores decide.
fn add_turns(engine: &Engine<'_>, function: FnId, events: &mut [EventFact]) {
    let info = engine.program.function(function);
    let Some(body) = info.ir.body.as_deref() else {
        return;
    };
    let of_store = |event: &EventFact| {
        matches!(event.kind, EventFactKind::Sql { .. } | EventFactKind::Store { .. }) && event.via.len() <= 1
    };
    let of_provider =
        |event: &EventFact| matches!(event.kind, EventFactKind::Lookup { .. } | EventFactKind::Asked { .. });
    // One operation alone is no check of another.
    let stores = events.iter().filter(|event| of_store(event)).count() > 1;
    let acts = events.iter().any(|event| matches!(event.kind, EventFactKind::Dispatch { .. }));
    let asks = |event: &EventFact| stores && of_store(event) || acts && of_provider(event);
    if !events.iter().any(asks) {
        return;
    }
    let known = Turns::new(body, info.file);
    for event in events.iter_mut().filter(|event| asks(event)) {
        event.turns = known.of(event.via.first().copied().unwrap_or(event.span));
    }
}

fn event_fact(values: &mut Values<'_>, event: &Event) -> EventFact {
    let mut value = |sources: &Sources| values.fact(sources);
    let kind = match &event.kind {
        EventKind::Dispatch {
            provider,
            keyed,
            harmless,
            presumed,
            key,
            args,
            lasts,
            bare,
            http,
            system,
            unanswered,
            procedure: _,
        } => EventFactKind::Dispatch {
            system: *system,
            bare: *bare,
            http: *http,
            unanswered: *unanswered,
            args: value(args),
            lasts: value(lasts),
            provider: *provider,
            keyed: *keyed,
            harmless: *harmless,
            presumed: *presumed,
            key: value(key),
        },
        EventKind::Lookup { provider, key } => EventFactKind::Lookup { provider: *provider, key: value(key) },
        EventKind::Asked { by } => EventFactKind::Asked { by: value(by) },
        EventKind::Sql { texts, binds, places, executor } => EventFactKind::Sql {
            places: places.clone(),
            texts: texts.clone(),
            binds: binds.iter().map(&mut value).collect(),
            executor: value(executor),
        },
        EventKind::Store { op, table, args, executor } => EventFactKind::Store {
            op: *op,
            table: *table,
            args: args.iter().map(&mut value).collect(),
            executor: value(executor),
        },
        EventKind::Begin => EventFactKind::Begin,
        EventKind::Commit { transaction } => EventFactKind::Commit { transaction: value(transaction) },
        EventKind::Rollback { transaction } => EventFactKind::Rollback { transaction: value(transaction) },
        EventKind::Ack { up_to } => EventFactKind::Ack { up_to: *up_to },
        EventKind::Call { awaited, args } => {
            EventFactKind::Call { awaited: *awaited, args: args.iter().map(&mut value).collect() }
        }
        EventKind::Fail { error } => EventFactKind::Fail { error: *error },
        EventKind::Return { answer, value: given } => EventFactKind::Return { answer: *answer, value: value(given) },
        EventKind::Fresh { kind } => EventFactKind::Fresh { kind: *kind },
        EventKind::Digest { value: taken } => EventFactKind::Digest { value: value(taken) },
        EventKind::Lease { op, args, lasts, unit } => EventFactKind::Lease {
            op: *op,
            args: args.iter().map(&mut value).collect(),
            lasts: value(lasts),
            unit: *unit,
        },
        EventKind::Limit { lasts } => EventFactKind::Limit { lasts: value(lasts) },
        EventKind::Handed { args, back } => {
            EventFactKind::Handed { args: args.iter().map(&mut value).collect(), back: *back }
        }
        EventKind::Remembered { insert, value: given, held } => {
            EventFactKind::Remembered { insert: *insert, value: value(given), held: *held }
        }
        EventKind::AutoAck => EventFactKind::AutoAck,
        EventKind::NextRound { asked } => EventFactKind::NextRound { asked: asked.clone() },
        EventKind::Picked { from, alike } => EventFactKind::Picked { from: value(from), alike: *alike },
        EventKind::Forwarded { request } => EventFactKind::Forwarded { request: value(request) },
        EventKind::Noted => EventFactKind::Noted,
        EventKind::Collected => EventFactKind::Collected,
        EventKind::Decides => EventFactKind::Decides,
        EventKind::Error => EventFactKind::Error,
        EventKind::Made { path, fields } => EventFactKind::Made {
            path: *path,
            fields: fields.iter().map(|(name, given)| (*name, value(given))).collect(),
        },
        EventKind::State { means } => EventFactKind::State { means: *means },
    };
    EventFact {
        kind,
        span: event.span,
        name: event.name,
        function: event.function,
        branches: event.branches.clone(),
        passed: event.passed.clone(),
        regions: event.regions.clone(),
        via: event.via.clone(),
        through: event.through.clone(),
        usage: event.usage,
        dropped: event.dropped,
        unread: event.unread,
        whole: event.whole,
        defaulted: event.defaulted,
        bound: event.bound,
        chosen: event.chosen,
        turns: Vec::new(),
    }
}

/// A condition without the places of the function's own parameters: of whom their answers are, only callers know.
fn condition_fact(info: &FunctionInfo, condition: &Condition) -> ConditionFact {
    let about = condition.about.iter().copied().filter(|&at| !handed::is_place(info, at));
    ConditionFact {
        branch: condition.branch,
        place: condition.place,
        about: about.collect(),
        outcomes: condition.outcomes,
        named: condition.named,
        doubts: condition.doubts,
        any_error: condition.any_error,
    }
}

/// What one thread has told of values: functions speak of the same ones again and again.
#[derive(Default)]
pub(crate) struct Kept {
    origins: FxHashMap<Source, OriginKind>,
    /// without parameters, which each function has its own names for; by their sources, which summaries hold
    facts: FxHashMap<*const Source, ValueFact>,
}

/// The values of one function as later stages see them.
struct Values<'e> {
    ir: &'e Function,
    kept: &'e mut Kept,
    /// the names of inputs
    names: FxHashMap<(u32, FieldPath), Name>,
    /// by their sources, which the summary holds
    known: FxHashMap<*const Source, ValueFact>,
}

impl<'e> Values<'e> {
    fn new(ir: &'e Function, kept: &'e mut Kept) -> Self {
        Self { ir, kept, names: FxHashMap::default(), known: FxHashMap::default() }
    }

    fn fact(&mut self, sources: &Sources) -> ValueFact {
        let Some(place) = sources.place() else {
            return ValueFact::default();
        };
        if let Some(known) = self.kept.facts.get(&place).or_else(|| self.known.get(&place)) {
            return known.clone();
        }
        let fact = self.value(sources);
        let own = sources.iter().any(|source| matches!(source.kind(), Kind::Param(..)));
        let known = if own { &mut self.known } else { &mut self.kept.facts };
        known.insert(place, fact.clone());
        fact
    }

    fn value(&mut self, sources: &Sources) -> ValueFact {
        let mut fact = ValueParts { origins: Vec::with_capacity(sources.iter().count()), ..ValueParts::default() };
        for source in sources.iter() {
            match source.kind() {
                Kind::Transaction(at) => fact.transaction = Some(*at),
                Kind::Reply(at, _) if !fact.replies.contains(at) => fact.replies.push(*at),
                Kind::Fresh(kind) => fact.fresh.extend(source.at().map(|at| (*kind, at))),
                Kind::Input(name) if is_surroundings(*name) => fact.surroundings.extend(source.at()),
                _ => {}
            }
            let origin = self.origin(source);
            if !fact.origins.contains(&origin) {
                fact.origins.push(origin);
            }
        }
        ValueFact(Some(Arc::new(fact)))
    }

    fn origin(&mut self, source: Source) -> OriginKind {
        match source.kind() {
            Kind::Param(index, path) => {
                let name = || Name::new(&super::inputs::name(self.ir, *index, path));
                OriginKind::Input(*self.names.entry((*index, *path)).or_insert_with(name))
            }
            kind => *self.kept.origins.entry(source).or_insert_with(|| super::report::kind_of(kind)),
        }
    }
}
