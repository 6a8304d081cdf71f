//! Errors that go no further: where one of a dispatch ends without a trace.

use super::Facts;
use super::scene::{here, in_branch, is_success};
use crate::flow::{ConditionFact, EventFact, EventFactKind, HANDED_ON, Outcomes, Role};
use crate::operations::{FunctionOps, exclusive};
use crate::resolve::FnId;
use crate::source::Span;

/// The branch in which an error of the dispatch at a position ends without a trace: no return, no failure, no state, no
/// other way out. Where nobody looks at the result at all, the dispatch itself.
pub(super) fn swallowed_in(function: &FunctionOps, at: usize) -> Option<Span> {
    lost_in(function, at).map(|lost| lost.place)
}

/// Where an error of the dispatch at a position ends without a trace on the way to a later event: one that stands on another
/// arm than the error takes, or is for those that were done, is about the others.
pub(super) fn swallowed_before(function: &FunctionOps, at: usize, later: &EventFact) -> Option<Span> {
    let beside = |(branch, arm): (Span, u32)| later.branches.iter().any(|(at, taken)| *at == branch && *taken != arm);
    let apart = |branch| only_done_are_kept(function, function.event(at), later, branch);
    let lost = lost_in(function, at)?;
    (!lost.branch.is_some_and(|branch| beside(branch) || apart(branch))).then_some(lost.place)
}

/// Where a function below, which answers with nothing, keeps the error of a dispatch or write at a position to itself.
pub(super) fn swallowed_below(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Span> {
    let event = function.event(at);
    event.through.iter().find_map(|&id| {
        let own = facts.operations.function(id).filter(|_| facts.program.function(id).ir.ret.is_unit())?;
        let (own_at, _) = own.events().find(|(_, known)| known.span == event.span)?;
        swallowed_in(own, own_at)
    })
}

/// Where a function that is handed the answer does nothing about an error but tell of it, and nobody else asks.
pub(super) fn only_told(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Span> {
    let dispatch = function.event(at);
    let about = |condition: &&ConditionFact| condition.about.contains(&dispatch.span) && condition.outcomes.is_error();
    let body = |id: &FnId| facts.operations.function(*id);
    // What is asked on the way to the dispatch is asked of it there.
    let on_the_way =
        |branch: Span| dispatch.through.iter().filter_map(body).any(|known| known.facts.body.covers(branch));
    let handed_on = function.events().any(|(_, event)| match &event.kind {
        EventFactKind::Return { value, .. } => event.via.is_empty() && value.replies.contains(&dispatch.span),
        _ => false,
    });
    let mut asked =
        function.facts.conditions.iter().filter(about).filter(|known| !on_the_way(known.branch.0)).peekable();
    let first = asked.peek().map(|first| first.place)?;
    let silent = asked.all(|known| {
        !is_local(function, known.branch.0) && !in_branch(function, known.branch).any(|(_, event)| speaks(event))
    });
    (silent && !handed_on).then_some(first)
}

/// Where an error is lost.
pub(super) struct Swallowed {
    /// the branch, or the call
    pub(super) place: Span,
    /// the branch that it takes; none where nobody looks at the result
    pub(super) branch: Option<(Span, u32)>,
}

/// Where an error of the dispatch at a position ends without a trace.
pub(super) fn lost_in(function: &FunctionOps, at: usize) -> Option<Swallowed> {
    let dispatch = function.event(at);
    if let Some(place) = dispatch.dropped {
        return Some(Swallowed { place, branch: None });
    }
    let conditions = function.facts.conditions.iter();
    // A branch about a call of its own that leads to the same place, by way of a wrapper, asks what came of that one.
    let of_another = |condition: &ConditionFact| {
        let place = condition.branch.0;
        let asked = |event: &EventFact| {
            event.span == dispatch.span
                && place.covers(here(event))
                && event.branches.iter().all(|(branch, _)| *branch != place)
        };
        let mut asked = function.events().map(|(_, event)| event).filter(|event| asked(event)).peekable();
        asked.peek().is_some() && asked.all(|event| here(event) != here(dispatch))
    };
    let lost = |condition: &ConditionFact| {
        condition.beside && condition.outcomes.has(Outcomes::UNKNOWN) || condition.outcomes.is_error()
    };
    let mut errors = conditions.filter(|condition| {
        condition.about.contains(&dispatch.span)
            && lost(condition)
            && condition.branch.1 < HANDED_ON
            && !of_another(condition)
    });
    let spoken = |branch| in_branch(function, branch).any(|(_, event)| speaks(event));
    let settled =
        |branch| in_branch(function, branch).any(|(_, event)| matches!(event.kind, EventFactKind::State { .. }));
    let below =
        |branch, from| in_branch(function, branch).any(|(_, event)| here(event).range.start > from && speaks(event));
    // What one branch passes over, another one about the same answer has settled before, or takes up later: one further
    // below as well, to which it is handed on.
    let elsewhere = |silent: &ConditionFact| {
        let (from, to) = (silent.branch.0.range.start, silent.branch.0.range.end);
        function.facts.conditions.iter().any(|other| {
            let at = other.branch.0.range;
            let around = other.branch.0.covers(silent.branch.0) && other.branch != silent.branch;
            let taken_up = match is_local(function, other.branch.0) {
                true if around => below(other.branch, to),
                true => at.start > to && spoken(other.branch) || at.end < from && settled(other.branch),
                false => below(other.branch, to),
            };
            other.about.contains(&dispatch.span)
                && !is_of_another(function, dispatch, other)
                && other.outcomes.is_error()
                && silent.outcomes.without(other.outcomes).is_empty()
                && taken_up
        })
    };
    // Who asks which error it is, and hands one kind on, has judged the other one.
    let told_apart = |condition: &ConditionFact| {
        let mut others = function.facts.conditions.iter().filter(|other| {
            other.branch.0 == condition.branch.0 && other.branch.1 != condition.branch.1 && other.outcomes.is_error()
        });
        condition.named && others.any(|other| spoken(other.branch))
    };
    let silent = errors.find(|condition| {
        is_local(function, condition.branch.0)
            && !told_apart(condition)
            && !is_further_below(dispatch, condition.branch.0)
            && !is_of_another(function, dispatch, condition)
            && !spoken(condition.branch)
            && !elsewhere(condition)
    })?;
    Some(Swallowed { place: silent.place, branch: Some(silent.branch) })
}

/// Whether what a branch asks is asked of another call that leads to the same dispatch: one on another arm.
fn is_of_another(function: &FunctionOps, dispatch: &EventFact, asked: &ConditionFact) -> bool {
    let mut inside = in_branch(function, asked.branch).map(|(_, event)| event).peekable();
    inside.peek().is_some() && inside.all(|event| exclusive(&function.facts, event, dispatch))
}

/// Whether a branch is about a step on the way to a dispatch that a function takes which is written inside this one.
fn is_further_below(dispatch: &EventFact, branch: Span) -> bool {
    let mut way = dispatch.via.iter().copied().chain([dispatch.span]);
    !way.next().is_some_and(|call| branch.covers(call)) && way.any(|step| branch.covers(step))
}

/// Whether a branch stands in the function itself rather than in one that it calls.
pub(super) fn is_local(function: &FunctionOps, branch: Span) -> bool {
    function.facts.body.covers(branch)
}

/// Whether an event does something about an error.
pub(super) fn speaks(event: &EventFact) -> bool {
    match &event.kind {
        // one of a batch, by its own name
        EventFactKind::Made { path, .. } => path.rsplit("::").next().is_some_and(|last| last.ends_with("Failure")),
        EventFactKind::Fail { .. }
        | EventFactKind::Error
        | EventFactKind::Noted
        | EventFactKind::State { .. }
        | EventFactKind::Lookup { .. }
        | EventFactKind::Sql { .. }
        | EventFactKind::Store { .. }
        | EventFactKind::Dispatch { .. }
        | EventFactKind::Rollback { .. }
        | EventFactKind::Ack { .. } => true,
        EventFactKind::Call { awaited, .. } => *awaited,
        EventFactKind::Return { .. } => !is_success(event),
        _ => false,
    }
}

/// Whether all that is acknowledged behind a loop was put aside in its rounds, on another arm than the one that an error
/// takes.
fn only_done_are_kept(function: &FunctionOps, work: &EventFact, ack: &EventFact, (branch, arm): (Span, u32)) -> bool {
    let own = |region: &&(Span, Role)| is_local(function, region.0) && matches!(region.1, Role::Each { .. });
    let Some((rounds, _)) = work.regions.iter().find(own) else {
        return false;
    };
    let inside = |event: &EventFact| event.regions.iter().any(|(at, _)| at == rounds);
    let mut kept = function
        .events()
        .filter(|(_, event)| matches!(event.kind, EventFactKind::Collected) && inside(event))
        .peekable();
    let beside = |event: &EventFact| event.branches.iter().any(|(at, taken)| *at == branch && *taken != arm);
    !inside(ack) && kept.peek().is_some() && kept.all(|(_, event)| beside(event))
}
