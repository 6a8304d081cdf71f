//! Answers of HTTP of which nobody looks at the status.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{ConditionFact, EventFactKind, Outcomes, Usage};
use crate::operations::{FunctionOps, exclusive, meets};
use crate::rules::scene::{confirms, here, is_success, named, named_at, states_only, step, sure, violation};
use crate::rules::{Facts, Sink};

/// A bare HTTP answer of which only a transport error is looked at: an error page counts as done.
pub(super) fn status_unread(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) -> bool {
    let dispatch = function.event(at);
    let bare = matches!(dispatch.kind, EventFactKind::Dispatch { bare: true, .. });
    let looked =
        function.facts.conditions.iter().any(|condition| condition.named && condition.about.contains(&dispatch.span));
    if !bare || looked || !dispatch.via.is_empty() || dispatch.usage != Usage::Checked {
        return false;
    }
    let message =
        format!("the status of {} is never looked at: an answer of 400 or 500 counts as done", named(dispatch));
    let help = "look at the status, as `error_for_status` does, and treat a 5xx as unknown";
    let stated = if states_only(facts, dispatch) { Confidence::Possible } else { Confidence::Likely };
    let confidence = sure(function, dispatch).min(stated);
    let done = function.events().find(|(later, event)| {
        let decides = function.is_write(*later) || event.via.is_empty() && is_success(event);
        *later > at && decides && !exclusive(&function.facts, dispatch, event)
    });
    let steps = done.map(|(_, event)| (here(event), "it counts as done here".to_owned())).into_iter().collect();
    sink.report(violation(facts, function, RULE.name, confidence, dispatch.span, (message, help), steps));
    true
}

/// A confirmed state where all that is known of a bare HTTP answer is that there is one.
pub(super) fn confirmed_unread(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let dispatch = function.event(at);
    let EventFactKind::Dispatch { bare: true, .. } = dispatch.kind else {
        return;
    };
    let about = |condition: &&ConditionFact| condition.about.contains(&dispatch.span);
    let conditions = || function.facts.conditions.iter().filter(about);
    for (later, event) in function.events().filter(|(later, _)| *later > at) {
        let mut around = conditions().filter(|condition| event.branches.contains(&condition.branch));
        let Some(blind) = around.next().filter(|only| only.outcomes.has(Outcomes::UNREAD)) else {
            continue;
        };
        // Whoever has looked at the status before may well have left; whoever looks in between knows.
        let looked = conditions()
            .take_while(|known| known.branch != blind.branch)
            .any(|known| known.named && known.branch.0 != blind.branch.0);
        if looked || around.next().is_some() || !confirms(facts, function, later) || !meets(event, dispatch) {
            continue;
        }
        let message = format!(
            "{} is decided here for every answer of {} that has a status, an error page among them: what was refused or never \
             done counts as done",
            named_at(function, later),
            named(dispatch)
        );
        let help = "look at the status, as `error_for_status` does, and treat a 5xx as unknown";
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((blind.place, "any answer comes this way, whatever its status".to_owned()));
        steps.extend(step(event, "and counts as done here"));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, help), steps));
        return;
    }
}
