//! `error-after-effect`: the attempt fails for another reason after its effect, so its runner repeats it.

use super::scene::{handled, harmful, is_keyed, is_own_failure, named, redelivered, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, exclusive, surely_before};

pub(super) const RULE: Rule = Rule {
    name: "error-after-effect",
    group: Group::Persist,
    default_level: Level::Warn,
    summary: "an attempt fails after its effect, and is run again",
    doc: include_str!("error_after_effect.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let Some(handler) = redelivered(facts, function) else {
            continue;
        };
        for (at, dispatch) in function.dispatches() {
            let detached = dispatch.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. } | Role::Step));
            if is_keyed(dispatch) || detached {
                continue;
            }
            let Some((_, fail)) =
                function.events().find(|(fail_at, _)| fails_for_another_reason(function, at, *fail_at))
            else {
                continue;
            };
            let message = format!(
                "the attempt fails here after {} has acted: {} runs again, and acts again",
                named(dispatch),
                handler.scope.what
            );
            let help = "record what was done before anything can fail, so that the next attempt skips it, or send it under a key";
            let steps = step(dispatch, "the provider is asked to act here");
            let confidence = match fail.name.as_str() {
                // said out loud, where the effect has surely happened
                "return" if surely_before(&function.facts, at, position(function, fail)) => sure(function, dispatch),
                _ => sure(function, dispatch).min(Confidence::Likely),
            };
            let confidence = confidence.min(handled(Some(handler))).min(harmful(function, dispatch));
            sink.report(violation(facts, function, RULE.name, confidence, fail.span, (message, help), steps));
        }
    }
}

fn position(function: &FunctionOps, event: &EventFact) -> usize {
    function.events().find(|(_, other)| other.span == event.span && other.name == event.name).map_or(0, |(at, _)| at)
}

/// A failure of the function itself behind the dispatch, that is not the dispatch's own.
fn fails_for_another_reason(function: &FunctionOps, at: usize, fail_at: usize) -> bool {
    let (dispatch, fail) = (function.event(at), function.event(fail_at));
    let EventFactKind::Fail { error } = &fail.kind else {
        return false;
    };
    let own = is_own_failure(function, dispatch, fail);
    let answered = !matches!(error.as_deref(), None | Some("unknown"));
    // Where nothing was stored before, `dispatch-before-persist` tells of a write that fails.
    let write_fails =
        fail.name == "?" && !function.writes().any(|(write, _)| surely_before(&function.facts, write, at));
    fail_at > at && fail.via.is_empty() && !own && !answered && !write_fails && !exclusive(dispatch, fail)
}
