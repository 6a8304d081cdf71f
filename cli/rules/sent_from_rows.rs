//! Rows that are sent one by one and stay until that works: the next round sends them again.

use std::collections::HashSet;

use super::offered_again::is_keyless;
use super::retry_without_key::RULE;
use super::scene::{NEAR, has_any, here, named, step, violation};
use super::swallowed::is_local;
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, TableRole, asked, meets};
use crate::source::Span;
use crate::sql::Kind;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let keyless: HashSet<Span> =
        facts.flow.dispatches.iter().filter(|dispatch| is_keyless(dispatch)).map(|dispatch| dispatch.site).collect();
    for function in &facts.operations.functions {
        for (at, dispatch) in function.dispatches().filter(|(_, event)| keyless.contains(&event.span)) {
            let http = matches!(dispatch.kind, EventFactKind::Dispatch { http: true, provider: None, .. });
            let round = dispatch
                .regions
                .iter()
                .rev()
                .find(|(region, role)| matches!(role, Role::Each { .. }) && is_local(function, *region));
            let Some((round, _)) = round.filter(|_| http && dispatch.via.len() < NEAR) else {
                continue;
            };
            let Some((read, done)) = kept_until_sent(facts, function, at, *round) else {
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
    let tables = &facts.operations.tables;
    let waits = |table: &&str| tables.is(table, TableRole::Outbox) || has_any(table, &facts.catalog.words.work_tables);
    let inside = |event: &EventFact| event.regions.iter().any(|(region, _)| *region == round);
    let (done, _) = function.writes().find(|(later, write)| {
        *later > at && inside(write) && meets(dispatch, write) && asked(&function.facts, write, dispatch.span).is_some()
    })?;
    let changed = function.changed_tables(done).into_iter().find(|table| waits(table))?;
    let read = function.events().find(|(before, read)| {
        *before < at && !inside(read) && function.is_read(*before) && function.read_tables(*before).contains(&changed)
    });
    read.map(|(read, _)| (read, done))
}

/// Whether a row is taken off beside an arm on which it is put back for later: it was tried as often as it was to be.
pub(super) fn is_given_up(function: &FunctionOps, at: usize, dispatch: &EventFact) -> bool {
    let tables = function.changed_tables(at);
    let asks = |branch: Span| {
        let mut conditions = function.facts.conditions.iter();
        conditions.any(|known| known.branch.0 == branch && known.about.contains(&dispatch.span))
    };
    let mut around = function.event(at).branches.iter().filter(|(branch, _)| !asks(*branch));
    around.any(|(branch, arm)| {
        function.writes().any(|(other, write)| {
            write.branches.iter().any(|(beside, taken)| beside == branch && taken != arm)
                && function.statements(other).iter().any(|statement| statement.kind == Kind::Update)
                && function.changed_tables(other) == tables
        })
    })
}
