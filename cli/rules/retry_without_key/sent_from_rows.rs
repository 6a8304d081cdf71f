//! Rows that are sent one by one and stay until that works: the next round sends them again.

use std::collections::HashSet;

use super::RULE;
use super::offered_again::is_keyless;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::{FunctionOps, asked, meets};
use crate::rules::scene::{NEAR, here, named, step, violation};
use crate::rules::taken_off::{holds_work, round};
use crate::rules::{Facts, Sink};
use crate::source::Span;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let keyless: HashSet<Span> =
        facts.flow.dispatches.iter().filter(|dispatch| is_keyless(dispatch)).map(|dispatch| dispatch.site).collect();
    for function in &facts.operations.functions {
        for (at, dispatch) in function.dispatches().filter(|(_, event)| keyless.contains(&event.span)) {
            let http = matches!(dispatch.kind, EventFactKind::Dispatch { http: true, provider: None, .. });
            let Some(round) = round(function, dispatch).filter(|_| http && dispatch.via.len() < NEAR) else {
                continue;
            };
            let Some((read, done)) = kept_until_sent(facts, function, at, round) else {
                continue;
            };
            let table = function.changed_tables(done).first().copied().unwrap_or("a table").to_owned();
            let message = format!(
                "a row of `{table}` stays until {} has worked, and is sent again after a lost answer: nothing in the request that is \
                 seen here tells the receiver that it is the same one",
                named(dispatch)
            );
            let help = "send the id of the row along, in a header that receivers tell repeats by (`webhook-id`, \
                        `Idempotency-Key`)";
            let mut steps = step(function.event(read), "the rows are read here");
            steps.extend(step(function.event(done), "and one is done only here"));
            let confidence = Confidence::Possible;
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Where the rows are read that are gone through, and where one is done behind the answer, if they are work that waits.
fn kept_until_sent(facts: &Facts<'_>, function: &FunctionOps, at: usize, round: Span) -> Option<(usize, usize)> {
    let dispatch = function.event(at);
    let inside = |event: &EventFact| event.regions.iter().any(|(region, _)| *region == round);
    let (done, _) = function.writes().find(|(later, write)| {
        *later > at && inside(write) && meets(dispatch, write) && asked(&function.facts, write, dispatch.span).is_some()
    })?;
    let changed = function.changed_tables(done).into_iter().find(|table| holds_work(facts, table))?;
    let read = function.events().find(|(before, read)| {
        *before < at && !inside(read) && function.is_read(*before) && function.read_tables(*before).contains(&changed)
    });
    read.map(|(read, _)| (read, done))
}
