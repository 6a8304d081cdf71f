//! `dedup-fails-open`: the read that decides "already done" takes an error for "not done".

use super::scene::{has_any, here, named_at, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind};
use crate::operations::{FunctionOps, TableRole, may_follow, meets};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "dedup-fails-open",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "the read that decides whether it was done before defaults on error",
    doc: include_str!("dedup_fails_open.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, read) in function.events() {
            let Some(defaulted) = read.defaulted else {
                continue;
            };
            let reads = function.is_read(at) && defaulted.found_nothing;
            let claims = function.is_claim(at) && defaulted.got;
            let decides = match (reads, claims) {
                (true, _) => decides(facts, function, at),
                // Whoever takes something for this run alone asks whether it was taken before.
                (_, true) => Some(Confidence::Likely),
                _ => None,
            };
            let Some(confidence) = decides else {
                continue;
            };
            let work = function.events().find(|(later, event)| {
                let acts =
                    matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Call { awaited: true, .. });
                *later > at
                    && meets(read, event)
                    && (acts || function.is_write(*later))
                    && may_follow(&function.facts, at, *later)
                    && defaulted.branch.is_none_or(|branch| is_met(event, branch))
            });
            let Some((work_at, work)) = work else {
                continue;
            };
            let message = match claims {
                true => format!(
                    "an error of the claim that tells a repeat counts as \"this is new\": {} runs again for what was done before",
                    named_at(function, work_at)
                ),
                false => format!(
                    "an error of the read that decides what was done before counts as \"nothing was\": {} runs again for all of it",
                    named_at(function, work_at)
                ),
            };
            let help = "hand the error on, so that the run is tried again when the store answers";
            let mut steps = vec![(defaulted.at, "an error becomes the default here".to_owned())];
            steps.extend(step(work, "and this runs again"));
            // What is claimed for a caller is claimed where the error is swallowed.
            let place = if claims { read.span } else { here(read) };
            sink.report(violation(facts, function, RULE.name, confidence, place, (message, help), steps));
        }
    }
}

/// Whether a run that has taken a branch may come to an event.
fn is_met(event: &EventFact, (at, arm): (Span, u32)) -> bool {
    event.branches.iter().all(|(other, taken)| *other != at || *taken == arm)
}

/// Whether a read tells what was done before.
fn decides(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<Confidence> {
    let by_name = || {
        let names = function.event(at).bound.as_deref().filter(|name| has_any(name, &facts.catalog.words.dedup_names));
        names.map(|_| Confidence::Likely)
    };
    let by_table = function.read_tables(at).iter().find_map(|table| {
        let (role, declared) = facts.operations.tables.role(table)?;
        match role {
            TableRole::Inbox | TableRole::Ledger if declared => Some(Confidence::Certain),
            TableRole::Inbox => Some(Confidence::Likely),
            _ => None,
        }
    });
    by_table.or_else(by_name)
}
