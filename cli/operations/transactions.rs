//! Which transaction is open where.

use super::FunctionOps;
use super::order::{may_follow, surely_before};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role, ValueFact};
use crate::source::Span;

/// A transaction that is open at some event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open {
    /// where it begins
    pub begin: Span,
    /// the position of its beginning; absent where that is a closure
    pub at: Option<usize>,
    /// the position of a commit that follows; absent where a closure's end commits
    pub commit: Option<usize>,
}

/// The transaction that is surely open when the event at a position happens and may be committed after it.
pub fn open_at(function: &FunctionOps, at: usize) -> Option<Open> {
    let event = function.event(at);
    let region = event.regions.iter().rev().find(|(_, role)| *role == Role::Transaction);
    if let Some((begin, _)) = region {
        return Some(Open { begin: *begin, at: None, commit: None });
    }
    let begins = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Begin));
    let facts = &function.facts;
    begins.filter(|(begin, _)| surely_before(facts, *begin, at)).find_map(|(begin, opened)| {
        let own = |end: &usize| *end > begin && !is_of_another(function, begin, *end);
        let mut before = ends(function, opened.span).filter(own);
        let ended = before.any(|end| end < at && surely_before(facts, end, at));
        let mut after = commits(function, opened.span).filter(own);
        let commit = after.find(|commit| *commit > at && may_follow(facts, at, *commit));
        (!ended).then_some(Open { begin: opened.span, at: Some(begin), commit: Some(commit?) })
    })
}

/// Whether an end belongs to another transaction that was begun at the same place since: a function that is called twice, or
/// by helpers with a transaction of their own, begins one each time.
fn is_of_another(function: &FunctionOps, begin: usize, end: usize) -> bool {
    let opened = function.event(begin);
    // How far two events are reached by the same calls.
    let shared = |a: &EventFact, b: &EventFact| a.via.iter().zip(b.via.iter()).take_while(|(a, b)| a == b).count();
    let nearer = |other: &EventFact, end: &EventFact| shared(other, end) > shared(opened, end);
    let mut others = function.events().take(end).skip(begin + 1);
    others.any(|(at, other)| {
        let is_over =
            || ends(function, opened.span).any(|over| (at..end).contains(&over) && nearer(other, function.event(over)));
        let again = matches!(other.kind, EventFactKind::Begin) && other.span == opened.span;
        again && (nearer(other, function.event(end)) || !is_over())
    })
}

impl FunctionOps {
    /// The transaction that an operation of a store runs in, by the place where that begins.
    pub fn transaction(&self, at: usize) -> Option<Span> {
        let event = self.event(at);
        let region = event.regions.iter().rev().find(|(_, role)| *role == Role::Transaction);
        let executor = match &event.kind {
            EventFactKind::Sql { executor, .. } | EventFactKind::Store { executor, .. } => executor.transaction,
            EventFactKind::Dispatch { args, .. } => args.transaction,
            _ => None,
        };
        executor.or(region.map(|(begin, _)| *begin))
    }

    /// The event with which a transaction begins that is known by a place: the event's own, the call that is handed a closure
    /// to run in it, or that of a function which begins it for such a closure.
    pub fn begin_of(&self, transaction: Span) -> Option<&EventFact> {
        let handed = |event: &EventFact| {
            let call = event.via.first().copied().unwrap_or(event.span);
            transaction.covers(call) && transaction.range.end == call.range.end
        };
        let mut begins = self.events().map(|(_, event)| event);
        begins.find(|event| matches!(event.kind, EventFactKind::Begin) && (event.span == transaction || handed(event)))
    }
}

fn commits(function: &FunctionOps, begin: Span) -> impl Iterator<Item = usize> {
    // What runs in a closure is committed where that ends. Whoever ends it does not hand it on.
    let around = |(at, role): &(Span, Role)| *role == Role::Transaction && at.covers(begin);
    let closed =
        function.events().any(|(_, event)| event.regions.iter().any(around)) || ends(function, begin).next().is_some();
    function.events().filter_map(move |(at, event)| match &event.kind {
        EventFactKind::Commit { transaction } => (transaction.transaction == Some(begin)).then_some(at),
        // Whoever is handed what is open commits it; what was read by it may be handed to anybody.
        EventFactKind::Return { value, .. } if event.via.is_empty() && !closed => {
            (value.transaction == Some(begin) && !tells_more(value)).then_some(at)
        }
        _ => None,
    })
}

/// Whether there is more in a value than a transaction: what was handed over, or what somebody answered.
fn tells_more(value: &ValueFact) -> bool {
    !value.replies.is_empty() || value.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_)))
}

fn ends(function: &FunctionOps, begin: Span) -> impl Iterator<Item = usize> {
    function.events().filter_map(move |(at, event)| match &event.kind {
        EventFactKind::Commit { transaction } | EventFactKind::Rollback { transaction } => {
            (transaction.transaction == Some(begin)).then_some(at)
        }
        _ => None,
    })
}
