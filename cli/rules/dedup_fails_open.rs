//! `dedup-fails-open`: the read that decides "already done" takes an error for "not done".

mod taken_for_absent;

use super::scene::{has_any, here, is_same_entry, is_success, named_at, related, stands_aside, step, violation};
use super::{Facts, Group, Rule, Sink, made_anew};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role};
use crate::operations::{FunctionOps, TableRole, may_follow, meets};
use crate::resolve::FnId;
use crate::source::Span;
use crate::sql::{Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "dedup-fails-open",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "the read that decides whether it was done before defaults on error",
    doc: include_str!("dedup_fails_open.md"),
    check,
    contract_error: false,
};

/// Helpers between a function and a read whose names say what is read.
const NEAR: usize = 2;

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    taken_for_absent::check(facts, sink);
    for function in &facts.operations.functions {
        for (at, read) in function.events() {
            let Some(defaulted) = read.defaulted else {
                continue;
            };
            let reads = function.is_read(at) && defaulted.found_nothing;
            // That a row could not be moved on says who works only where the answer is asked for just that.
            let takes = function.takes_row(at) && defaulted.written;
            let claims = (function.is_claim(at) || takes) && defaulted.got;
            let decides = match (reads, claims) {
                (true, _) => decides(facts, function, at),
                // Whoever takes something for this run alone asks whether it was taken before.
                (_, true) => Some(Confidence::Likely),
                _ => None,
            };
            if let (true, None) = (reads, &decides) {
                made_anew::check(facts, function, at, defaulted, sink);
            }
            let recorded = match reads && decides.is_none() {
                true => recorded(function, at),
                false => not_found(function, at),
            };
            let Some(confidence) = decides.or(recorded.map(|_| Confidence::Likely)) else {
                continue;
            };
            let work = function.events().find(|(later, event)| {
                if recorded.is_some() {
                    return recorded == Some(*later);
                }
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
            let confidence = if claims && stands_aside(read, work) { Confidence::Possible } else { confidence };
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
            let help = "hand the error on, so that the run is tried again when there is an answer";
            let mut steps = vec![(defaulted.at, "an error becomes the default here".to_owned())];
            steps.extend(step(work, "and this runs again"));
            // What is claimed for a caller is claimed where the error is swallowed, and what a helper swallows is mended there.
            let below = !read.via.is_empty() && !function.facts.body.covers(defaulted.at);
            steps.extend(below.then(|| (here(read), "what was done before is asked here".to_owned())));
            let place = match (claims, below) {
                (true, _) => read.span,
                (_, true) => defaulted.at,
                _ => here(read),
            };
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
    let words = &facts.catalog.words;
    // A helper that answers with nothing keeps to itself what it has read.
    let silent = |&id: &FnId| facts.program.function(id).ir.ret.is_unit();
    if function.event(at).through.iter().any(silent) {
        return None;
    }
    let asks = |name: &str| has_any(name, &words.dedup_names) || has_any(name, &words.repeat_questions);
    let by_name = || {
        let read = function.event(at);
        // What the answer is kept in here says it, and so do the helpers that answer with it: who calls these for something
        // else as well does not.
        let near = read.through.iter().filter(|_| read.through.len() <= NEAR);
        let helpers = near.map(|&id| facts.program.function(id).ir.name.as_str());
        let mut names = read.bound.as_deref().into_iter().chain(helpers);
        names.any(asks).then_some(Confidence::Likely)
    };
    let by_table = function.read_tables(at).iter().find_map(|table| {
        let (role, declared) = facts.operations.tables.role(table)?;
        match role {
            TableRole::Inbox | TableRole::Ledger if declared => Some(Confidence::Certain),
            // What helpers of helpers read goes into whatever they answer.
            TableRole::Inbox if function.event(at).via.len() < NEAR => Some(Confidence::Likely),
            _ => None,
        }
    });
    by_table.or_else(by_name)
}

/// The work that a read decides on by asking for the row that is inserted when it is done: where the row is there already,
/// the function ends well and does nothing else.
fn recorded(function: &FunctionOps, at: usize) -> Option<usize> {
    let read = function.event(at);
    let tables = function.read_tables(at);
    let same = |later: usize| function.changed_tables(later).iter().any(|table| tables.contains(table));
    let near = |event: &EventFact| event.via.len() <= 1 && !event.chosen.is_open();
    let depends = |event: &EventFact| {
        let mut turned = read.turns.iter().filter_map(|turn| Some((turn.branch, turn.nothing?)));
        turned.any(|taken| {
            let passes = || ends_well_beside(function, taken) || goes_on_beside(function, read, taken);
            event.branches.contains(&taken) && passes()
        })
    };
    if !near(read) {
        return None;
    }
    if let Some(work) = recorded_each(function, at) {
        return Some(work);
    }
    let marks = |(later, mark): &(usize, &EventFact)| {
        let notes = || function.is_insert(*later) && same(*later) && related(read, mark);
        *later > at && near(mark) && (notes() || function.is_write(*later) && is_same_entry(read, mark))
    };
    let (mark_at, _) = function.events().filter(marks).last()?;
    let work = function.events().find(|(work_at, work)| {
        let acts = matches!(work.kind, EventFactKind::Dispatch { harmless: false, .. });
        let changes = function.is_write(*work_at) && !same(*work_at);
        at < *work_at && *work_at < mark_at && (acts || changes) && depends(work)
    });
    work.map(|(at, _)| at)
}

/// Whether the round of a loop does nothing on the other arms of a branch: it goes on to the next thing.
fn goes_on_beside(function: &FunctionOps, read: &EventFact, (branch, taken): (Span, u32)) -> bool {
    let round = |(_, role): &(Span, Role)| matches!(role, Role::Each { .. });
    let beside = |event: &EventFact| event.branches.iter().any(|(at, arm)| *at == branch && *arm != taken);
    read.regions.iter().any(round) && !function.events().any(|(_, event)| beside(event))
}

/// The work on each of several things that is noted, behind it, in the very column of which all was read before.
fn recorded_each(function: &FunctionOps, at: usize) -> Option<usize> {
    if !function.event(at).recalled {
        return None;
    }
    let whole = |statement: &&Statement| {
        statement.kind == Kind::Select
            && statement.conditions.is_empty()
            && !statement.limit
            && statement.columns.len() == 1
    };
    let reads: Vec<&Statement> = function.statements(at).iter().filter(whole).collect();
    let each = |region: &&(Span, Role)| matches!(region.1, Role::Each { .. });
    let notes = |later: usize| {
        function.statements(later).iter().any(|insert| {
            let same = |read: &&Statement| read.table.is_some() && read.table == insert.table;
            let holds = |read: &&Statement| insert.set.iter().any(|set| read.columns.contains(&set.column));
            insert.kind == Kind::Insert && reads.iter().any(|read| same(read) && holds(read))
        })
    };
    let inside = |event: &EventFact, round: &(Span, Role)| {
        event.regions.contains(round) && !function.event(at).regions.contains(round)
    };
    function.events().filter(|(later, mark)| *later > at && mark.via.len() <= 1 && notes(*later)).find_map(
        |(noted, mark)| {
            let round = mark.regions.iter().rev().find(each)?;
            let work = function.dispatches().find(|(work_at, work)| {
                let acts = matches!(work.kind, EventFactKind::Dispatch { harmless: false, .. });
                at < *work_at && *work_at < noted && acts && inside(work, round)
            });
            work.map(|(work_at, _)| work_at)
        },
    )
}

/// The dispatch that a provider is asked about first: where it knows of one, the function ends well without another.
fn not_found(function: &FunctionOps, at: usize) -> Option<usize> {
    let asked = function.event(at);
    let by = match &asked.kind {
        EventFactKind::Lookup { key: by, .. } | EventFactKind::Asked { by } => by,
        _ => return None,
    };
    if !asked.defaulted.is_some_and(|defaulted| defaulted.found_nothing) {
        return None;
    }
    // The reference, and not what the object asks everybody with.
    let named = |origin: &OriginKind| match origin {
        OriginKind::Input(name) => !name.as_str().starts_with("self."),
        _ => false,
    };
    let about_it = |dispatch: &EventFact| match &dispatch.kind {
        EventFactKind::Dispatch { harmless: false, key, args, .. } => {
            let given = |origin: &OriginKind| key.origins.contains(origin) || args.origins.contains(origin);
            by.origins.iter().any(|origin| named(origin) && given(origin))
        }
        _ => false,
    };
    let sent = |event: &EventFact, (branch, nothing): (Span, u32)| {
        let beside = |other: &EventFact| other.branches.iter().any(|(at, arm)| *at == branch && *arm != nothing);
        let found: Vec<&EventFact> = function.events().map(|(_, other)| other).filter(|other| beside(other)).collect();
        event.branches.contains(&(branch, nothing))
            && !found.iter().any(|other| matches!(other.kind, EventFactKind::Dispatch { .. }))
            && found.iter().any(|other| is_success(other) && other.via.is_empty())
    };
    let taken: Vec<(Span, u32)> = asked.turns.iter().filter_map(|turn| Some((turn.branch, turn.nothing?))).collect();
    let work = function.events().find(|(later, event)| {
        *later > at && meets(asked, event) && about_it(event) && taken.iter().any(|&turn| sent(event, turn))
    });
    work.map(|(at, _)| at)
}

/// Whether a function ends well, and does nothing else, on another arm of a branch than the one that is taken.
pub(super) fn ends_well_beside(function: &FunctionOps, (branch, taken): (Span, u32)) -> bool {
    let arm =
        |event: &EventFact| event.branches.iter().find(|(at, arm)| *at == branch && *arm != taken).map(|(_, arm)| *arm);
    let ends = function.events().filter(|(_, event)| is_success(event) && event.via.is_empty());
    let mut arms = ends.filter_map(|(_, event)| arm(event));
    arms.any(|beside| {
        !function.events().any(|(at, event)| {
            let acts = function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { .. });
            acts && arm(event) == Some(beside)
        })
    })
}
