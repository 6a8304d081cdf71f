//! `error-after-effect`: the attempt fails for another reason after its effect, so its runner repeats it.

use super::scene::{
    NEAR, handled, harmful, has_any, here, is_keyed, is_own_failure, named, redelivered, step, sure, violation,
};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, HEARD, HandlerFact, Role, Usage, asks};
use crate::ir::ExprKind;
use crate::operations::{FunctionOps, exclusive, surely_before};
use crate::source::Span;

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
            if is_keyed(dispatch) || detached || is_acknowledged(function, at) {
                continue;
            }
            let message = format!(
                "the attempt fails here after {} has acted: {} runs again, and acts again",
                named(dispatch),
                handler.scope.what
            );
            if let Some(kept) = kept_error(facts, function, dispatch) {
                let help = "look at what may have failed before anything is sent";
                let confidence = sure(function, dispatch).min(Confidence::Likely).min(handled(Some(handler)));
                let confidence = confidence.min(harmful(facts, function, dispatch));
                let steps = step(dispatch, "the provider is asked to act here");
                sink.report(violation(facts, function, RULE.name, confidence, kept, (message, help), steps));
                continue;
            }
            let Some(Failure { function, at, fail }) = failure(facts, function, at, handler) else {
                continue;
            };
            let help = "record what was done before anything can fail, so that the next attempt skips it, or send it under a key";
            let dispatch = function.event(at);
            let steps = step(dispatch, "the provider is asked to act here");
            let confidence = match fail.name.as_str() {
                // said out loud, where the effect has surely happened
                "return" if surely_before(&function.facts, at, position(function, fail)) => sure(function, dispatch),
                _ => sure(function, dispatch).min(Confidence::Likely),
            };
            let confidence = confidence.min(handled(Some(handler))).min(harmful(facts, function, dispatch));
            sink.report(violation(facts, function, RULE.name, confidence, fail.span, (message, help), steps));
        }
    }
}

/// Where a result that was there before a dispatch is what the function answers with, and nobody has looked at it before.
fn kept_error(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact) -> Option<Span> {
    let info = facts.program.function(function.facts.function);
    let call = here(dispatch);
    let body = info.ir.body.as_deref().filter(|_| info.ir.ret.as_result().is_some() && info.file == call.file)?;
    let ExprKind::Block(block) = &body.expr(body.root).kind else {
        return None;
    };
    let tail = block.tail?;
    let ExprKind::Local(local) = body.expr(tail).kind else {
        return None;
    };
    let mentions = body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Local(other) if other == local));
    let before = body.bound(local).is_some_and(|value| body.expr(value).range.end < call.range.start);
    let place = Span::new(info.file, body.expr(tail).range);
    let comes_to = function.events().any(|(at, event)| {
        let ends = matches!(event.kind, EventFactKind::Return { .. }) && event.via.is_empty();
        ends && !exclusive(&function.facts, dispatch, event) && !is_acknowledged(function, at)
    });
    (before && comes_to && mentions.count() == 1).then_some(place)
}

/// Whether the task is acknowledged in every run that comes to an event, so that it does not come again.
fn is_acknowledged(function: &FunctionOps, at: usize) -> bool {
    let place = function.event(at).span;
    function.events().any(|(ack, event)| {
        let acknowledges = matches!(event.kind, EventFactKind::Ack { .. });
        // What fails may be the acknowledgement itself.
        acknowledges && surely_before(&function.facts, ack, at) && !place.covers(here(event))
    })
}

/// A failure behind a dispatch, in the function in which the two meet.
struct Failure<'a> {
    function: &'a FunctionOps,
    /// the dispatch there
    at: usize,
    fail: &'a EventFact,
}

/// The failure of an attempt behind a dispatch: of the function itself, or of one below it whose failure is its own.
fn failure<'a>(
    facts: &'a Facts<'_>,
    function: &'a FunctionOps,
    at: usize,
    handler: &HandlerFact,
) -> Option<Failure<'a>> {
    let (mut function, mut at) = (function, at);
    for _ in 0..NEAR {
        let another = |fail_at| fails_for_another_reason(facts, function, at, fail_at, handler);
        let fail = function.events().find(|(fail_at, _)| another(*fail_at));
        if let Some((_, fail)) = fail {
            return Some(Failure { function, at, fail });
        }
        let dispatch = function.event(at);
        (function, at) = facts.operations.one_below(dispatch).filter(|_| hands_on(function, dispatch))?;
    }
    None
}

/// Whether a function fails when the call fails that leads to a dispatch: by `?`, or because it returns what that gives.
fn hands_on(function: &FunctionOps, dispatch: &EventFact) -> bool {
    let call = here(dispatch);
    function.events().filter(|(_, event)| event.via.is_empty()).any(|(_, event)| match &event.kind {
        EventFactKind::Fail { .. } => event.name == "?" && event.span.covers(call),
        EventFactKind::Return { answer: None, value } => {
            value.replies.contains(&dispatch.span) && event.span.covers(call)
        }
        _ => false,
    })
}

fn position(function: &FunctionOps, event: &EventFact) -> usize {
    function.events().find(|(_, other)| other.span == event.span && other.name == event.name).map_or(0, |(at, _)| at)
}

/// A failure of the function itself behind the dispatch, that is not the dispatch's own.
fn fails_for_another_reason(
    facts: &Facts<'_>,
    function: &FunctionOps,
    at: usize,
    fail_at: usize,
    handler: &HandlerFact,
) -> bool {
    let (dispatch, fail) = (function.event(at), function.event(fail_at));
    let EventFactKind::Fail { error } = &fail.kind else {
        return false;
    };
    let own = is_own_failure(function, dispatch, fail);
    // What a call below answers for, its own failures tell.
    let of_call = fail.name == "?" && !dispatch.via.is_empty() && fail.span.covers(here(dispatch));
    // A runner's own handler says nothing of an answer that nobody has looked at, whatever its error is called.
    let unheard = dispatch.usage == Usage::Dropped && handler.kind != "webhook";
    let answered = !matches!(error.as_deref(), None | Some("unknown" | HEARD)) && !unheard;
    // By this error no runner runs it again.
    let over = error.as_deref() == Some("final");
    // Where nothing was stored before, `dispatch-before-persist` tells of a write that fails.
    let write_fails = fail.name == "?"
        && !asks_another(facts, function, dispatch, fail)
        && !function.writes().any(|(write, _)| surely_before(&function.facts, write, at));
    fail_at > at
        && fail.via.is_empty()
        && !own
        && !of_call
        && !answered
        && !over
        && !write_fails
        && !is_acknowledged(function, fail_at)
        && !exclusive(&function.facts, dispatch, fail)
}

/// Whether what fails is a call of somebody else's, other than the dispatch, and no write to a store.
fn asks_another(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, fail: &EventFact) -> bool {
    if fail.span.covers(here(dispatch)) || harmful(facts, function, dispatch) < Confidence::Likely {
        return false;
    }
    let mut within = function.events().filter(|(_, event)| fail.span.covers(here(event))).peekable();
    within.peek().is_some()
        && within.all(|(at, event)| match event.kind {
            // What stores a result by its name is a write to a store that nobody sees.
            EventFactKind::Call { awaited, .. } => {
                let words = &facts.catalog.words;
                awaited && !asks(words, &event.name) && !has_any(&event.name, &words.result_verbs)
            }
            EventFactKind::Dispatch { .. } | EventFactKind::Lookup { .. } => true,
            _ => !function.is_write(at) && !function.is_read(at),
        })
}
