//! Lists in memory of what is still to be sent, emptied although sending some of it may have failed.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::FunctionOps;
use crate::rules::scene::{here, in_branch, named, step, sure, violation};
use crate::rules::swallowed::{is_local, lost_in};
use crate::rules::{Facts, Sink};
use crate::source::Span;

const HELP: &str = "take out of the list only what was sent, and leave what failed for the next round";

/// Reports a dispatch in a loop over a list that is emptied, where an error of it goes no further.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (_, emptied) in function.events() {
        let EventFactKind::Emptied { rounds } = &emptied.kind else {
            continue;
        };
        let work = function.events().filter(|(_, event)| is_sent(facts, event)).find_map(|(at, dispatch)| {
            let inside = dispatch.regions.iter().any(|(region, _)| rounds.contains(region));
            let lost = lost_in(function, at).filter(|_| inside && dispatch.via.len() <= 1)?;
            // What failed is put aside, to be put back.
            let kept = |branch: (Span, u32)| {
                in_branch(function, branch).any(|(_, event)| {
                    matches!(
                        event.kind,
                        EventFactKind::Collected | EventFactKind::Remembered { insert: true, named: true, .. }
                    )
                })
            };
            let away = is_local(function, lost.place) && !lost.branch.is_some_and(kept);
            away.then_some((dispatch, lost.place))
        });
        let Some((dispatch, place)) = work else {
            continue;
        };
        let message = format!(
            "an error of {} goes no further than this, and the list that it is sent from is emptied all the same: what failed is \
             gone",
            named(dispatch)
        );
        let mut steps = vec![(place, "an error goes no further than this".to_owned())];
        steps.extend(step(emptied, "the list is emptied here"));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, HELP), steps));
    }
}

/// Whether something is sent. A message that may be sent twice is lost like any other.
fn is_sent(facts: &Facts<'_>, event: &EventFact) -> bool {
    match &event.kind {
        EventFactKind::Dispatch { harmless: true, system, .. } => {
            let messages = &facts.catalog.words.message_systems;
            system.is_some_and(|system| messages.iter().any(|kind| kind == system.as_str()))
        }
        kind => matches!(kind, EventFactKind::Dispatch { .. }),
    }
}
