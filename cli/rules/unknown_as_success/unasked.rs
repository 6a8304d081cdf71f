//! Tasks that are waited for, of whose work nobody hears: that they came to their end says nothing of it.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::EventFactKind;
use crate::operations::{FunctionOps, may_follow};
use crate::rules::scene::{NEAR, here, is_success, step, violation};
use crate::rules::{Facts, Sink};

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, task) in function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Unasked)) {
        let after = |later: usize| later > at && may_follow(&function.facts, at, later);
        let stored = function.writes().find(|(later, write)| after(*later) && write.via.len() < NEAR);
        let ended = || function.events().find(|(later, end)| after(*later) && is_success(end) && end.via.is_empty());
        let Some((_, goes_on)) = stored.or_else(ended) else {
            continue;
        };
        let message = format!(
            "`{}` gives a result of its own inside the one that is looked at here, which says only that the task did not panic: an \
             error of its work counts as done",
            task.name
        );
        let help = "look at the inner result, too: `spawn(..).await??`";
        let mut steps = step(task, "the task is waited for here");
        steps.extend(step(goes_on, "and this goes on as if its work was done"));
        let confidence = if stored.is_some() { Confidence::Likely } else { Confidence::Possible };
        sink.report(violation(facts, function, RULE.name, confidence, here(task), (message, help), steps));
    }
}
