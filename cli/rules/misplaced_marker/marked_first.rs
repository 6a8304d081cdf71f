//! A row that tells repeats is put in before the work, and whoever brings the task is told that it is done only behind both:
//! what fails in between comes again, is taken for a repeat, and is acknowledged without having been done.

use super::{RULE, is_other_write};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Usage};
use crate::operations::{FunctionOps, meets};
use crate::rules::scene::{NEAR, always_follows, here, is_status, named_at, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;
use crate::sql::{Assignment, Conflict, Kind, Set, Statement};

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, claim) in function.events().filter(|(at, event)| event.via.len() <= 1 && puts_in(facts, function, *at)) {
        if claim.usage != Usage::Used || claim.turns.is_empty() || function.transaction(at).is_some() {
            continue;
        }
        // A row of a connection that was handed in may be of the caller's transaction.
        let acts = |later: usize, event: &EventFact| {
            matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. })
                || claim.pooled && event.pooled && is_other_write(function, later, at)
        };
        let mut behind =
            function.events().filter(|(later, event)| *later > at && acts(*later, event) && meets(claim, event));
        let Some((work_at, work, new)) = behind.find_map(|(at, event)| Some((at, event, new_arm(claim, event)?)))
        else {
            continue;
        };
        // What is done is noted in the row, or the row is taken back.
        let tables = function.changed_tables(at);
        let noted = function.writes().any(|(later, _)| later > at && function.changed_tables(later) == tables);
        let Some(ack) = acknowledged(facts, claim, work, new).filter(|_| !noted) else {
            continue;
        };
        let message = format!(
            "the task is marked as processed before {}: if that fails, the task comes again, is taken for a repeat and \
             acknowledged without having been done",
            named_at(function, work_at)
        );
        let help = "write the marker in the transaction of the work, or mark it as started and finish the mark when it is done";
        let mut steps = step(claim, "the marker is written here");
        steps.extend(step(work, "the work is done here"));
        steps.push((here(ack), "and only then is the task acknowledged".to_owned()));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(claim), (message, help), steps));
    }
}

/// The branch around an event that is taken where the row of a claim was new.
pub(super) fn new_arm(claim: &EventFact, event: &EventFact) -> Option<(Span, u32)> {
    let new = |(branch, arm): &&(Span, u32)| {
        claim.turns.iter().any(|turn| *branch == turn.branch && turn.nothing != Some(*arm))
    };
    event.branches.iter().find(new).copied()
}

/// Whether an event puts in a row unless it is there, and the row says nothing but that.
fn puts_in(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let begun = |insert: &Statement| {
        let states = |column: &str| is_status(facts, insert.table.as_deref(), column);
        insert.set.iter().any(|set| matches!(set.value, Set::Text(_)) && states(&set.column))
    };
    function.is_claim(at)
        && function.statements(at).iter().any(|statement| {
            statement.kind == Kind::Insert && statement.conflict == Conflict::Nothing && !begun(statement)
        })
}

/// Whether an event puts in a row unless it is there that names what somebody delivered and says no more than that it came.
pub(super) fn names_delivery(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let words = &facts.catalog.words;
    let mut inserts = function.statements(at).iter().filter(|insert| insert.kind == Kind::Insert);
    inserts.any(|insert| {
        let named = |set: &Assignment| {
            let names = words.delivered_columns.iter().chain(&words.message_names);
            names.into_iter().any(|name| *name == set.column)
        };
        let told = |set: &Assignment| insert.conflict_target.contains(&set.column) || set.column.ends_with("_at");
        insert.conflict == Conflict::Nothing
            && insert.set.iter().any(named)
            && insert.set.iter().all(|set| named(set) || told(set))
    })
}

/// Where the task is acknowledged behind both by a function in sight of them, if it is acknowledged where the row was not new,
/// too.
fn acknowledged<'a>(
    facts: &'a Facts<'_>,
    claim: &EventFact,
    work: &EventFact,
    new: (Span, u32),
) -> Option<&'a EventFact> {
    facts.operations.functions.iter().find_map(|above| {
        let acks = || above.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. }));
        acks().find(|(_, ack)| !ack.branches.contains(&new))?;
        let of = |place: &EventFact, from: usize| {
            above.events().skip(from).find(|(_, event)| event.span == place.span && event.via.len() <= NEAR)
        };
        let (claim_at, claim) = of(claim, 0)?;
        let (work_at, _) = of(work, claim_at)?;
        // Of a row in a transaction nobody knows before its end.
        let open = above.transaction(claim_at).is_some()
            || above.events().take(claim_at).any(|(_, event)| matches!(event.kind, EventFactKind::Begin));
        let mut behind = acks().filter(|(at, ack)| *at > work_at && always_follows(&above.facts, claim, ack));
        behind.next().filter(|_| !open).map(|(_, ack)| ack)
    })
}
