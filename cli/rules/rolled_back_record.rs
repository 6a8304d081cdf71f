//! `rolled-back-record`: what was written down about an attempt is undone when the attempt fails.

mod rolled_back_receipt;

use super::scene::{begins, here, in_branch, in_doubt, named, step, sure, violation, written};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, meets, surely_before};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "rolled-back-record",
    group: Group::Persist,
    default_level: Level::Deny,
    summary: "the record of an attempt is undone by an early return or a rollback",
    doc: include_str!("rolled_back_record.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (asked, dispatch) in function.dispatches() {
            undone_below(facts, function, (asked, dispatch), sink);
            rolled_back_receipt::check(facts, function, (asked, dispatch), sink);
            for (at, write) in function.writes() {
                let Some(begin) = function.transaction(at) else {
                    continue;
                };
                let failed = match in_doubt(&function.facts, write, dispatch) {
                    Some(branch) => undone_in(function, at, begin, branch),
                    None if asked < at && tells_unknown(facts, function, at) => {
                        left_open(function, at, begin, |event| match event.name.as_str() {
                            "?" => is_of_answer(function, dispatch, event),
                            _ => in_doubt(&function.facts, event, dispatch).is_some(),
                        })
                    }
                    None => None,
                };
                let Some(failed) = failed else {
                    continue;
                };
                let message = format!(
                    "what is written here about {} is undone: the transaction is dropped with the error, and nothing says that \
                        the attempt was made",
                    named(dispatch)
                );
                let help = "commit the record before returning the error, or write it on a connection of its own";
                let mut steps = vec![(begins(function, begin), "the transaction begins here".to_owned())];
                steps.extend(step(dispatch, "the provider is asked to act here"));
                steps.push((failed, "and is rolled back here".to_owned()));
                let confidence = sure(function, dispatch).min(Confidence::Likely);
                sink.report(violation(facts, function, RULE.name, confidence, here(write), (message, help), steps));
            }
        }
    }
}

/// Where a branch leaves a transaction behind a write in it, without a commit.
fn undone_in(function: &FunctionOps, at: usize, begin: Span, branch: (Span, u32)) -> Option<Span> {
    let ends = |kind: &EventFactKind| match kind {
        EventFactKind::Commit { transaction } => transaction.transaction == Some(begin),
        _ => false,
    };
    if in_branch(function, branch).any(|(later, event)| later > at && ends(&event.kind)) {
        return None;
    }
    let failed = in_branch(function, branch).find(|(later, event)| {
        let undone = matches!(event.kind, EventFactKind::Fail { .. }) && event.name != "?";
        *later > at
            && is_open_at(function.event(at), event)
            && (undone || matches!(event.kind, EventFactKind::Rollback { .. }))
            && meets(function.event(at), event)
    });
    failed.map(|(_, failed)| failed.span)
}

/// Whether the transaction of a write may still be open at a later event: one around a closure ends with the closure.
fn is_open_at(write: &EventFact, later: &EventFact) -> bool {
    let mut around = write.regions.iter().filter(|(_, role)| *role == Role::Transaction);
    around.all(|region| later.regions.contains(region))
}

/// Whether a write may store that the outcome is unknown: it stores the outcome, whatever that is.
fn tells_unknown(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    let unknown = |text: &str| facts.operations.means(text) == Some("unknown");
    function.statements(at).iter().any(|statement| {
        let mut set = statement.set.iter().chain(&statement.conflict_set);
        set.any(|assignment| written(facts, event, statement, assignment).into_iter().flatten().any(unknown))
    })
}

/// The same in a function that is called to write down what is not known: it begins a transaction, and leaves before the
/// commit.
fn undone_below(facts: &Facts<'_>, function: &FunctionOps, (asked, dispatch): (usize, &EventFact), sink: &mut Sink) {
    let mut told: Vec<Span> = Vec::new();
    for (number, write) in function.writes() {
        let [call, ..] = &write.via[..] else {
            continue;
        };
        let doubted = in_doubt(&function.facts, write, dispatch).is_some();
        if !doubted && (number < asked || !tells_unknown(facts, function, number)) {
            continue;
        }
        // A function that is handed the answer, whatever that is, ends with its error.
        let leaves = |event: &EventFact| match event.name.as_str() {
            "?" => is_of_answer(function, dispatch, event),
            _ => doubted,
        };
        let undone = facts.operations.one_below(write).and_then(|(below, at)| {
            let begin = below.transaction(at)?;
            Some((begin, begins(below, begin), left_open(below, at, begin, leaves)?))
        });
        let Some((begin, begun, failed)) = undone.filter(|(begin, ..)| !told.contains(begin)) else {
            continue;
        };
        told.push(begin);
        let message = format!(
            "what is written here about {} is undone: the transaction is dropped with the error, and nothing says that the \
                attempt was made",
            named(dispatch)
        );
        let help = "commit the record before returning the error, or write it on a connection of its own";
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((*call, "what is not known is written down from here".to_owned()));
        steps.push((begun, "the transaction begins here".to_owned()));
        steps.push((failed, "and is rolled back here".to_owned()));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, write.span, (message, help), steps));
    }
}

/// Whether a `?` hands on the error of a dispatch, and of nothing that was done since.
fn is_of_answer(function: &FunctionOps, dispatch: &EventFact, fail: &EventFact) -> bool {
    function.facts.conditions.iter().any(|condition| {
        condition.about.contains(&dispatch.span)
            && fail.branches.contains(&condition.branch)
            && condition.branch.0.file == fail.span.file
            && condition.branch.0.range.start == fail.span.range.start
    })
}

/// Where a function leaves a transaction behind a write, on its own account, before it commits.
pub(super) fn left_open(
    function: &FunctionOps,
    write: usize,
    begin: Span,
    there: impl Fn(&EventFact) -> bool,
) -> Option<Span> {
    let commits = |end: usize| {
        function.events().any(|(at, event)| {
            let commits =
                matches!(&event.kind, EventFactKind::Commit { transaction } if transaction.transaction == Some(begin));
            commits && write < at && at < end && surely_before(&function.facts, at, end)
        })
    };
    // A write that is given the answer fails by itself, and not with that.
    let works = |fail: &EventFact| {
        function.events().any(|(_, event)| {
            let ends = matches!(event.kind, EventFactKind::Commit { .. } | EventFactKind::Rollback { .. });
            let works = ends || matches!(event.kind, EventFactKind::Sql { .. } | EventFactKind::Store { .. });
            works && fail.span.covers(here(event))
        })
    };
    let mut after = function.events().filter(|(at, event)| {
        let fails = matches!(event.kind, EventFactKind::Fail { .. }) && !(event.name == "?" && works(event));
        let undoes =
            matches!(&event.kind, EventFactKind::Rollback { transaction } if transaction.transaction == Some(begin));
        let open = is_open_at(function.event(write), event);
        *at > write && event.via.is_empty() && open && (fails || undoes) && there(event)
    });
    let left = after.find(|(at, _)| surely_before(&function.facts, write, *at) && !commits(*at));
    left.map(|(_, event)| event.span)
}
