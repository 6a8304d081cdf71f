//! Order on structured code: an event is before another if it stands before it and no branch keeps them apart.

use crate::flow::{EventFact, FunctionEvents, Outcomes, Role};
use crate::source::Span;

/// Whether two events stand on different arms of one branch, so that no run sees both.
pub fn exclusive(a: &EventFact, b: &EventFact) -> bool {
    a.branches.iter().any(|(at, arm)| b.branches.iter().any(|(other, taken)| at == other && arm != taken))
}

/// Whether the event at `first` has happened in every run that comes to the one at `second`.
pub fn surely_before(function: &FunctionEvents, first: usize, second: usize) -> bool {
    let (a, b) = (&function.events[first], &function.events[second]);
    first < second && a.branches.iter().all(|branch| b.branches.contains(branch)) && regions_hold(a, b)
}

/// Whether a run that has come to the event at `first` may still come to the one at `second`.
pub fn may_follow(function: &FunctionEvents, first: usize, second: usize) -> bool {
    let (a, b) = (&function.events[first], &function.events[second]);
    let again = a
        .regions
        .iter()
        .any(|(at, role)| matches!(role, Role::Retry | Role::Each) && b.regions.iter().any(|(other, _)| at == other));
    (first < second || again) && !exclusive(a, b)
}

/// Regions around `a` that may not have run when `b` does: loops over nothing, detached bodies.
fn regions_hold(a: &EventFact, b: &EventFact) -> bool {
    a.regions.iter().all(|region| {
        b.regions.contains(region)
            || !matches!(region.1, Role::Each | Role::Spawned { .. } | Role::Closure | Role::Race)
    })
}

/// What is left of the outcomes of the dispatch at `site` where an event stands.
pub fn outcomes_at(function: &FunctionEvents, event: &EventFact, site: Span) -> Outcomes {
    let mut left = Outcomes::ALL;
    for condition in &function.conditions {
        if condition.about.contains(&site) && event.branches.contains(&condition.branch) {
            left = left.and(condition.outcomes);
        }
    }
    left
}
