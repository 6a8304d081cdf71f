//! Tasks that renew a lease while others work under it, and that one failure ends.

use std::cell::LazyCell;

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Role, ends_unheard};
use crate::operations::FunctionOps;
use crate::rules::fenced::prolongs;
use crate::rules::scene::{has_any, here, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let callers = LazyCell::new(|| facts.program.callers());
    for function in &facts.operations.functions {
        for (_, failed) in function.events() {
            let Some(branch) = failed.branches.last().filter(|_| failed.via.is_empty()) else {
                continue;
            };
            let ended = match failed.kind {
                EventFactKind::Errs { quiet: true, .. } => {
                    ends_the_loop(function, branch)
                        && renews(facts, function, failed)
                        && is_task(facts, function, failed)
                }
                EventFactKind::Fail { .. } => {
                    failed.name == "?"
                        && goes_on(function, failed)
                        && renews(facts, function, failed)
                        && ends_unheard(facts.program, &callers[function.facts.function.0 as usize])
                }
                _ => false,
            };
            if !ended {
                continue;
            }
            let message =
                "one failure of the renewal ends it for good, and the work under the lease goes on: when the lease \
                           runs out, another run does the same at the same time"
                    .to_owned();
            let help = "try again at the next tick while the lease still holds, and stop the work when it is lost";
            let steps = vec![(branch.0, "any error leaves the loop".to_owned())];
            let text = (message, help);
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, failed.span, text, steps));
        }
    }
}

/// Whether a place is in a loop that goes on as long as the process runs.
fn goes_on(function: &FunctionOps, event: &EventFact) -> bool {
    let endless = |(region, role): &(Span, Role)| {
        function.facts.body.covers(*region) && matches!(role, Role::Each { endless: true, .. })
    };
    event.regions.iter().any(endless)
}

/// Whether the branch of an error leaves the loop around it, and nothing happens behind that.
fn ends_the_loop(function: &FunctionOps, branch: &(Span, u32)) -> bool {
    let Some(arm) = function.facts.ended_arm(branch).filter(|arm| !arm.again) else {
        return false;
    };
    // A loop of which it is only known that it goes on and on is no region.
    let left = arm.within.covers(branch.0.range) && arm.within != branch.0.range;
    let behind = |event: &EventFact| {
        let acts = matches!(
            event.kind,
            EventFactKind::Call { .. }
                | EventFactKind::Handed { .. }
                | EventFactKind::Sql { .. }
                | EventFactKind::Store { .. }
                | EventFactKind::Dispatch { .. }
        );
        acts && here(event).range.start >= arm.within.end
    };
    left && !function.events().any(|(_, event)| behind(event))
}

/// Whether what failed is the renewal of a lease: a row says for how long, or its name does.
fn renews(facts: &Facts<'_>, function: &FunctionOps, failed: &EventFact) -> bool {
    let words = &facts.catalog.words;
    let named = |name: &str| has_any(name, &words.renewal_verbs);
    let by_row = function.events().any(|(at, event)| {
        let same = event.whole.covers(failed.span) || event.via.first().is_some_and(|call| failed.span.covers(*call));
        let prolongs = || function.statements(at).iter().any(|statement| prolongs(facts, statement));
        // A function of the database by its name.
        let asks_for_it = || match &event.kind {
            EventFactKind::Sql { texts, .. } => texts.iter().any(|text| {
                let mut words = text.as_str().split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
                words.any(&named)
            }),
            _ => false,
        };
        same && (matches!(&event.kind, EventFactKind::Lease { op, .. } if op == "renew") || prolongs() || asks_for_it())
    });
    by_row || named(&failed.name)
}

/// Whether the loop runs in a task of its own, beside the work, and nobody waits for its end.
fn is_task(facts: &Facts<'_>, function: &FunctionOps, failed: &EventFact) -> bool {
    let spawned = |event: &EventFact| event.regions.iter().any(|(_, role)| matches!(role, Role::Spawned { .. }));
    let races = |function: &FunctionOps| {
        function.events().any(|(_, event)| event.regions.iter().any(|(_, role)| *role == Role::Race))
    };
    if spawned(failed) {
        return !races(function);
    }
    let id = function.facts.function;
    let above = |other: &FunctionOps| {
        other.events().any(|(_, event)| event.through.first() == Some(&id) && spawned(event)) && !races(other)
    };
    facts.program.function(id).ir.ret.is_unit() && facts.operations.functions.iter().any(above)
}
