//! Work that a delivery asks for and that is left where what it needs could not be had: any error counts as nothing to do.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::FunctionOps;
use crate::rules::scene::{handled, here, in_branch, is_success, redelivered, violation, works};
use crate::rules::swallowed::speaks;
use crate::rules::{Facts, Sink};
use crate::source::Span;

const HELP: &str = "hand the error back, so that it is delivered again, and end well only where there is nothing to do";

/// Reports where a handler of deliveries, or a function below it, ends well behind an error of a call that it waited for.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let Some(handler) = redelivered(facts, function).filter(|handler| handler.kind != "job") else {
        return;
    };
    for (_, event) in function.events() {
        if !matches!(event.kind, EventFactKind::Errs { step: false, .. }) || is_apart(event) {
            continue;
        }
        let Some(own) = facts.operations.function(event.function) else {
            continue;
        };
        let found = own.events().find(|(_, known)| known.span == event.span && known.via.is_empty());
        let Some((branch, end)) = found.and_then(|(_, known)| left(facts, own, known)) else {
            continue;
        };
        let message = format!(
            "an error of `{}` ends the work here, and {} ends as if it was done: nobody delivers it again",
            event.name, handler.scope.what
        );
        let steps = vec![(branch, "any error goes this way".to_owned()), (end, "and counts as done here".to_owned())];
        let confidence = handled(Some(handler)).min(Confidence::Likely);
        sink.report(violation(facts, own, RULE.name, confidence, event.span, (message, HELP), steps));
    }
}

/// Whether something happens in a task or round of its own, after which the others go on.
fn is_apart(event: &EventFact) -> bool {
    event
        .regions
        .iter()
        .any(|(_, role)| matches!(role, Role::Spawned { .. } | Role::Each { .. } | Role::Retry | Role::Race))
}

/// The branch of an error that ends well without a trace, and where it does so.
fn left(facts: &Facts<'_>, function: &FunctionOps, error: &EventFact) -> Option<(Span, Span)> {
    let result = facts.program.function(function.facts.function).ir.ret.as_result().is_some();
    let branch = *error.branches.last()?;
    if !result || in_branch(function, branch).any(|(_, event)| speaks(event)) {
        return None;
    }
    let is_end = |event: &EventFact| event.via.is_empty() && is_success(event);
    if let Some((_, end)) = in_branch(function, branch).find(|(_, event)| is_end(event)) {
        return Some((branch.0, end.span));
    }
    // What goes on behind the branch has nothing more to do: all of it was in the other arm.
    let acts = |at: usize| {
        let event = function.event(at);
        function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { .. }) || works(facts, event)
    };
    // What a chain of conditions does behind that for `Ok` stands in the other arm, too.
    let beside = |event: &EventFact| {
        event.branches.iter().any(|(at, arm)| *at == branch.0 && *arm != branch.1) || branch.0.covers(here(event))
    };
    let mut work = function.events().filter(|(at, _)| acts(*at)).peekable();
    let all_beside = work.peek().is_some() && work.all(|(_, event)| beside(event));
    let end = function.events().filter(|(_, event)| is_end(event) && !beside(event)).last()?;
    all_beside.then_some((branch.0, end.1.span))
}
