//! Where what a store of answers gave under the key of a request is answered again: a claim or a call that cannot be followed
//! hands back what was answered before, and had nothing but the key in hand.

use super::stored_answer::{answers, is_part_of, refused_above};
use crate::flow::{EventFact, EventFactKind, OriginKind, Usage, ValueFact, any, asks};
use crate::ir::{Body, ExprId, ExprKind};
use crate::operations::{FunctionOps, exclusive, may_follow};
use crate::rules::Facts;
use crate::rules::scene::is_success;
use crate::source::Span;

/// The earlier answer that is given to whoever sends the key which is asked for at a position, while a new request is worked on
/// with all that it says.
pub(super) fn answer<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a EventFact> {
    let asked = function.event(at);
    // A claim that gives something back gives what was answered; a read or a call of which nothing is known may give anything.
    let claims = match &asked.kind {
        EventFactKind::Store { op, .. } if op == "claim" || op == "query" => op == "claim",
        EventFactKind::Call { awaited: true, .. } => false,
        _ => return None,
    };
    let key = key_alone(facts, asked).filter(|_| asked.via.is_empty() && asked.usage == Usage::Used)?;
    let (answer_at, answer, _) = answers(function, at).find(|(_, event, value)| {
        gave(asked, value, key) && is_success(event) && !value.origins.iter().any(|origin| is_more(origin, key))
    })?;
    let body = facts.program.function(function.facts.function).ir.body.as_deref()?;
    let branch = answer.branches.last().filter(|branch| !asked.branches.contains(branch))?;
    let says_more = |value: &ValueFact| value.origins.iter().any(|origin| is_more(origin, key));
    let (work_at, _) = function.events().find(|(later, event)| {
        let acts = match &event.kind {
            EventFactKind::Dispatch { harmless: false, args, .. } => says_more(args),
            EventFactKind::Sql { binds, .. } => function.is_write(*later) && binds.iter().any(says_more),
            // What is told to the store of answers is what it keeps.
            EventFactKind::Call { awaited: true, args } if !args.first().is_some_and(|on| comes_of(on, asked)) => {
                !asks(&facts.catalog.words, &event.name) && args.iter().skip(1).any(says_more)
            }
            EventFactKind::Store { args, .. } => function.is_write(*later) && args.iter().skip(1).any(says_more),
            _ => false,
        };
        let new = *later > at && may_follow(&function.facts, at, *later) && exclusive(&function.facts, answer, event);
        acts && new
    })?;
    // That answers are kept there is told by what is put there behind the work.
    let kept = || {
        function.events().any(|(later, event)| {
            let puts = match &event.kind {
                EventFactKind::Call { awaited: true, .. } => !asks(&facts.catalog.words, &event.name),
                EventFactKind::Store { .. } => function.is_write(later),
                _ => false,
            };
            let args = handed(event);
            let on_it = args.first().is_some_and(|on| comes_of(on, asked) || is_beside(on, args, asked, key));
            later > work_at && puts && on_it && args.len() > 1
        })
    };
    let compared = is_guarded(body, *branch) || is_refused(function, (at, asked), (answer_at, answer));
    ((claims || kept()) && !compared && !refused_above(facts, function, at)).then_some(answer)
}

/// The key of a request, where that is all of it that is asked by.
fn key_alone<'a>(facts: &Facts<'_>, asked: &'a EventFact) -> Option<&'a str> {
    let words = &facts.catalog.words;
    let is_key = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        words.key_names.iter().chain(&words.request_key_columns).any(|known| known == last)
    };
    let mut key = None;
    for origin in handed(asked).iter().skip(1).flat_map(|value| &value.origins) {
        match origin {
            OriginKind::Input(name) if is_key(name.as_str()) && key.is_none_or(|known| known == name.as_str()) => {
                key = Some(name.as_str());
            }
            OriginKind::Constant(_) => {}
            _ => return None,
        }
    }
    key
}

/// What an operation is handed: first what it is called on.
fn handed(event: &EventFact) -> &[ValueFact] {
    match &event.kind {
        EventFactKind::Call { args, .. } | EventFactKind::Store { args, .. } => args,
        _ => &[],
    }
}

/// Whether a value is what was given to whoever asked: of a store a row under the key, or what its claim handed back.
fn gave(asked: &EventFact, value: &ValueFact, key: &str) -> bool {
    let of_key = |origin: &OriginKind| matches!(origin, OriginKind::Input(name) if name.as_str() == key);
    match asked.kind {
        EventFactKind::Store { .. } => {
            value.replies.contains(&asked.span)
                || value.origins.contains(&OriginKind::Stored) && value.origins.iter().any(of_key)
        }
        _ => comes_of(value, asked),
    }
}

/// Whether a value is made of all that a call was handed: of what it gave.
fn comes_of(value: &ValueFact, asked: &EventFact) -> bool {
    let mut origins = handed(asked).iter().flat_map(|arg| &arg.origins).peekable();
    value.replies.contains(&asked.span)
        || handed(asked).first().is_some_and(|on| !on.origins.is_empty())
            && origins.peek().is_some()
            && origins.all(|origin| value.origins.contains(origin))
}

/// Whether a call goes to the same as the one that asked, with the key.
fn is_beside(on: &ValueFact, args: &[ValueFact], asked: &EventFact, key: &str) -> bool {
    let named = |origin: &OriginKind| matches!(origin, OriginKind::Input(name) if name.as_str() == key);
    handed(asked).first().is_some_and(|first| !first.origins.is_empty() && first.origins == on.origins)
        && args.iter().skip(1).any(|arg| arg.origins.iter().any(named))
}

/// Whether an origin is a part of the request beside its key.
fn is_more(origin: &OriginKind, key: &str) -> bool {
    let OriginKind::Input(name) = origin else {
        return false;
    };
    let whole = key.split_once('.').map_or(key, |(whole, _)| whole);
    let of_request = match key == whole {
        true => !name.as_str().starts_with("self"),
        false => is_part_of(origin, &OriginKind::Input(crate::ir::Name::new(whole))),
    };
    of_request && name.as_str() != key
}

/// Whether more than what was answered decides at a branch, or on the arm of it that answers.
fn is_guarded(body: &Body, (branch, arm): (Span, u32)) -> bool {
    let at = body.exprs.iter().filter(|expr| expr.range == branch.range);
    let arm = at.into_iter().find_map(|expr| match &expr.kind {
        ExprKind::Match { arms, .. } if arms.iter().all(|arm| arm.guard.is_none()) => {
            arms.get(arm as usize).map(|arm| arm.body)
        }
        ExprKind::If { condition, then, otherwise } if matches!(body.expr(*condition).kind, ExprKind::Let { .. }) => {
            if arm == 0 {
                Some(*then)
            } else {
                *otherwise
            }
        }
        _ => None,
    });
    let decides = |id: ExprId| {
        matches!(body.expr(id).kind, ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Binary { .. })
    };
    arm.is_none_or(|arm| any(body, arm, &decides))
}

/// Whether a request is refused on the way from what was asked to the answer: one that is still worked on has an arm of its own.
fn is_refused(
    function: &FunctionOps,
    (at, asked): (usize, &EventFact),
    (answer_at, answer): (usize, &EventFact),
) -> bool {
    let last = answer.branches.last();
    function.events().any(|(between, event)| {
        let fails = matches!(event.kind, EventFactKind::Fail { .. });
        // So does what is in the answer itself and fails where that cannot be read: it has nothing else of the request in hand.
        let of_asking = event.span.covers(asked.span) || event.name == "?" && answer.span.covers(event.span);
        let beside = event.branches.iter().any(|arm| last.is_some_and(|last| arm.0 == last.0 && arm.1 != last.1));
        fails && at < between && between < answer_at && !of_asking && !beside
    })
}
