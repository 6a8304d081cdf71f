//! Whether anybody asks what became of a dispatch, before something is made of its outcome, or can still do so later.

use super::{in_branch, written};
use crate::flow::{EventFact, EventFactKind, FunctionEvents, OriginKind, ValueFact, asks};
use crate::operations::{FunctionOps, surely_before};
use crate::rules::Facts;
use crate::source::Span;
use crate::sql::{Assignment, Set, Statement};

/// Whether a provider is asked what happened to a dispatch, in a branch, before the event at a position: by a lookup, or by
/// a call of which nothing is known but that it asks by the key of the dispatch.
pub(in crate::rules) fn asks_before(
    facts: &Facts<'_>,
    function: &FunctionOps,
    dispatch: &EventFact,
    branch: (Span, u32),
    at: usize,
) -> bool {
    let known = |origin: &&OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Stored);
    let key: Vec<&OriginKind> = match &dispatch.kind {
        EventFactKind::Dispatch { key, .. } => key.origins.iter().filter(known).collect(),
        _ => Vec::new(),
    };
    let by_key = |arg: &ValueFact| key.iter().any(|origin| arg.origins.contains(origin));
    in_branch(function, branch).any(|(asked, event)| {
        asked < at
            && match &event.kind {
                EventFactKind::Lookup { .. } => true,
                // By what else is a matter of its own.
                EventFactKind::Asked { by } => by_key(by) || by.origins.iter().any(|origin| is_beside(origin, &key)),
                EventFactKind::Call { awaited: true, args } => {
                    asks(&facts.catalog.words, &event.name) && args.iter().any(by_key)
                }
                _ => false,
            }
    })
}

/// Whether an input is another part of what a key is a part of: `payout.landlord` beside `payout.reference`.
pub(in crate::rules) fn is_beside(origin: &OriginKind, key: &[&OriginKind]) -> bool {
    let root = |origin: &OriginKind| match origin {
        OriginKind::Input(path) => path.as_str().split_once('.').map(|(root, _)| root.to_owned()),
        _ => None,
    };
    let own = root(origin).filter(|root| root != "self");
    own.is_some() && key.iter().any(|known| root(known) == own)
}

/// Whether the row of a dispatch says that its outcome is not known from before it on, and still does where nobody says
/// anything of an error: whoever works off such rows takes it up.
pub(in crate::rules) fn stays_in_doubt(facts: &Facts<'_>, function: &FunctionOps, at: usize, silent: Span) -> bool {
    let unknown = |write: usize| {
        let event = function.event(write);
        let statement = function.statements(write).iter().find(|statement| {
            statement.set.iter().any(|assignment| match written(facts, event, statement, assignment).as_slice() {
                &[Some(text)] => facts.operations.means(text) == Some("unknown"),
                _ => false,
            })
        });
        statement.and_then(|statement| statement.table.as_deref())
    };
    let before = function.writes().filter(|(write, _)| surely_before(&function.facts, *write, at));
    let Some(table) = before.filter_map(|(write, _)| unknown(write)).last() else {
        return false;
    };
    let Some(branch) = function.facts.conditions.iter().find(|known| known.place == silent).map(|known| known.branch)
    else {
        return false;
    };
    let leaves = in_branch(function, branch)
        .any(|(_, event)| event.via.is_empty() && matches!(event.kind, EventFactKind::Return { .. }));
    let comes_to = |event: &EventFact| !event.branches.iter().any(|(of, arm)| *of == branch.0 && *arm != branch.1);
    // A write of the very call whose error is passed over has failed, was never come to, or told the outcome by itself.
    let call = function.event(at).via.first();
    let within = |event: &EventFact| call.is_some() && event.via.first() == call;
    let mut later = function.writes().filter(|(write, event)| *write > at && comes_to(event) && !within(event));
    leaves || !later.any(|(write, _)| function.changed_tables(write).contains(&table))
}

/// Whether a state that means "done" is decided or written down.
pub(in crate::rules) fn confirms(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    if let EventFactKind::State { means } = &event.kind {
        return means == "confirmed";
    }
    function.statements(at).iter().any(|statement| {
        let mut set = statement.set.iter().chain(&statement.conflict_set);
        set.any(|set| sets_done(facts, event, statement, set))
    })
}

/// Whether a statement says by itself that something is done.
pub(in crate::rules) fn says_done(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let done = |set: &Assignment| match &set.value {
        Set::Text(text) => facts.operations.means(text) == Some("confirmed"),
        _ => false,
    };
    function.statements(at).iter().any(|statement| statement.set.iter().any(done))
}

/// Whether a column is set to a word for "done".
pub(in crate::rules) fn sets_done(
    facts: &Facts<'_>,
    event: &EventFact,
    statement: &Statement,
    set: &Assignment,
) -> bool {
    match written(facts, event, statement, set).as_slice() {
        &[Some(text)] => facts.operations.means(text) == Some("confirmed"),
        _ => false,
    }
}

/// Whether an event is what a function below makes of a dispatch of its own: of another one, that says nothing.
pub(in crate::rules) fn decides_its_own(function: &FunctionEvents, event: &EventFact) -> bool {
    let beside = |other: &EventFact| {
        matches!(other.kind, EventFactKind::Dispatch { .. }) && other.via.first() == event.via.first()
    };
    let asks = |other: &EventFact| {
        function.conditions.iter().any(|condition| {
            !function.body.covers(condition.branch.0)
                && condition.about.contains(&other.span)
                && event.branches.contains(&condition.branch)
        })
    };
    !event.via.is_empty() && function.events.iter().any(|other| beside(other) && asks(other))
}
