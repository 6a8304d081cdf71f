//! Wrappers of the workspace that run what they are handed in a transaction of their own.

use super::super::engine::ParamCall;
use super::super::eval::{Eval, Region};
use super::super::events::{Event, EventKind, Role};
use super::super::sources::Sources;
use super::super::value::Kind;
use super::Site;
use crate::source::Span;

/// The transaction around what is called now, if this function has begun it: a closure that runs in one, or one that is
/// begun for sure and not ended yet.
pub(super) fn transaction(eval: &Eval<'_, '_>) -> Option<Span> {
    // What runs in a task, or later, is not waited for.
    let apart = |role: &Role| matches!(role, Role::Spawned { .. } | Role::Closure { later: true, .. });
    let inner = eval.regions.iter().rev().take_while(|region| !apart(&region.role));
    let closed = inner.into_iter().find(|region| region.role == Role::Transaction);
    closed.map(|region| eval.span_of(region.id)).or_else(|| begun(eval))
}

fn begun(eval: &Eval<'_, '_>) -> Option<Span> {
    let (branches, regions) = (eval.branch_marks(), eval.region_marks());
    let is_open = |event: &&Event| {
        matches!(event.kind, EventKind::Begin)
            && branches.starts_with(&event.branches)
            && *regions == *event.regions
            && !eval.events.iter().any(|end| ends(end, event.span))
    };
    eval.events.iter().rev().find(is_open).map(|event| event.span)
}

/// Whether an event ends the transaction that begins at a place.
fn ends(event: &Event, begin: Span) -> bool {
    match &event.kind {
        EventKind::Commit { transaction } | EventKind::Rollback { transaction } => is(transaction, begin),
        _ => false,
    }
}

fn is(transaction: &Sources, begin: Span) -> bool {
    transaction.iter().any(|part| matches!(part.kind(), Kind::Transaction(at) if *at == begin))
}

/// At the end of a function: of the calls of its parameters, those are in a transaction of its own that it commits, too.
pub(crate) fn settle(calls: &mut [ParamCall], events: &[Event]) {
    let begins = |begin: Span| events.iter().any(|at| matches!(at.kind, EventKind::Begin) && at.span == begin);
    let commits = |begin: Span| {
        let mut ends = events.iter().filter(|event| matches!(event.kind, EventKind::Commit { .. }));
        ends.any(|event| self::ends(event, begin))
    };
    for call in calls {
        // What ends with a closure is committed there.
        call.transaction = call.transaction.filter(|&begin| !begins(begin) || commits(begin));
    }
}

/// Runs what a function calls of its parameters: in a transaction here, if that function begins one around it.
pub(super) fn run<T>(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    call: &ParamCall,
    run: impl FnOnce(&mut Eval<'_, '_>) -> T,
) -> T {
    if call.transaction.is_some() {
        eval.push_region(Region { id: site.id, repeat: None, role: Role::Transaction });
    }
    let out = run(eval);
    if call.transaction.is_some() {
        eval.pop_region();
    }
    out
}
