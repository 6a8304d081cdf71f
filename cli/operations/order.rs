//! Order on structured code: an event is before another if it stands before it and no branch keeps them apart.

use crate::flow::{EventFact, FunctionEvents, Outcomes, Role};
use crate::source::Span;

/// Whether no run sees both of two events: they stand on different arms of one branch, or one on an arm that is left before
/// the other could come.
pub fn exclusive(function: &FunctionEvents, a: &EventFact, b: &EventFact) -> bool {
    let apart = a.branches.iter().any(|(at, arm)| b.branches.iter().any(|(other, taken)| at == other && arm != taken));
    apart || is_left_before(function, a, b) || is_left_before(function, b, a)
}

/// Whether an event stands on an arm that is left for good, and another one in what is left, behind the branch.
fn is_left_before(function: &FunctionEvents, event: &EventFact, later: &EventFact) -> bool {
    let place = later.via.first().copied().unwrap_or(later.span);
    event.branches.iter().any(|branch| {
        let behind = place.file == branch.0.file && place.range.start >= branch.0.range.end;
        behind && function.ended_arm(branch).is_some_and(|arm| arm.within.covers(place.range))
    })
}

/// Whether the event at `first` has happened in every run that comes to the one at `second`.
pub fn surely_before(function: &FunctionEvents, first: usize, second: usize) -> bool {
    let (a, b) = (&function.events[first], &function.events[second]);
    let taken = |branch: &(Span, u32)| b.branches.contains(branch) || a.passed.contains(branch);
    first < second && a.branches.iter().all(taken) && regions_hold(a, b) && !side_by_side(function, a, b)
}

/// Whether two events stand in futures that run side by side: either may come first, and an error of one leaves the other
/// as far as it has come.
pub fn side_by_side(function: &FunctionEvents, a: &EventFact, b: &EventFact) -> bool {
    let place = |event: &EventFact| event.via.first().copied().unwrap_or(event.span);
    let within = |futures: &[Span], event: &EventFact| futures.iter().position(|future| future.covers(place(event)));
    function.joined.iter().any(|futures| match (within(futures, a), within(futures, b)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    })
}

/// Whether a run that has come to the event at `first` may still come to the one at `second`.
pub fn may_follow(function: &FunctionEvents, first: usize, second: usize) -> bool {
    let (a, b) = (&function.events[first], &function.events[second]);
    let again = a.regions.iter().any(|(at, role)| {
        matches!(role, Role::Retry | Role::Each { .. }) && b.regions.iter().any(|(other, _)| at == other)
    });
    (first < second || again) && !exclusive(function, a, b)
}

/// Regions around `a` that may not have run when `b` does: loops over nothing, detached bodies.
fn regions_hold(a: &EventFact, b: &EventFact) -> bool {
    a.regions.iter().all(|region| {
        b.regions.contains(region)
            // a closure that is handed over is taken to run: that is what it is handed over for
            || !matches!(region.1, Role::Each { .. } | Role::Spawned { .. } | Role::Race)
    })
}

/// Whether two events meet in this function: no single call in it leads to both, and one is in order with the other.
pub fn meets(a: &EventFact, b: &EventFact) -> bool {
    let one_call = a.via.first().is_some_and(|call| b.via.first() == Some(call));
    !one_call && !are_apart(a, b)
}

/// Whether two events stand in bodies of their own, at least one of which is a task: neither waits for the other.
fn are_apart(a: &EventFact, b: &EventFact) -> bool {
    let own = |one: &EventFact, other: &EventFact, task: bool| {
        one.regions.iter().any(|region| {
            let body = match region.1 {
                Role::Spawned { .. } | Role::Closure { later: true, .. } => true,
                Role::Closure { later: false, .. } => !task,
                _ => false,
            };
            body && !other.regions.contains(region)
        })
    };
    own(a, b, true) && own(b, a, false) || own(b, a, true) && own(a, b, false)
}

/// What is left of the outcomes of the dispatch at `site` where an event stands.
pub fn outcomes_at(function: &FunctionEvents, event: &EventFact, site: Span) -> Outcomes {
    asked(function, event, site).map_or(Outcomes::ALL, |asked| asked.outcomes)
}

/// What the branches around an event leave of the outcomes of a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// what is left
    pub outcomes: Outcomes,
    /// the innermost branch that narrows it
    pub branch: (Span, u32),
    /// a word or variant says so
    pub named: bool,
}

/// What is left where some branch around an event asks about the dispatch at `site`.
pub fn asked(function: &FunctionEvents, event: &EventFact, site: Span) -> Option<Asked> {
    let mut found: Option<Asked> = None;
    for condition in &function.conditions {
        if condition.about.contains(&site) && event.branches.contains(&condition.branch) {
            let before = found.map_or(Outcomes::ALL, |found| found.outcomes);
            found = Some(Asked {
                outcomes: before.and(condition.outcomes),
                branch: condition.branch,
                named: condition.named || found.is_some_and(|found| found.named),
            });
        }
    }
    found
}
