//! `rolled-back-record`: what was written down about an attempt is undone when the attempt fails.

use super::scene::{here, in_branch, in_doubt, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::EventFactKind;
use crate::operations::meets;

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
        for (_, dispatch) in function.dispatches() {
            for (at, write) in function.writes() {
                let (Some(branch), Some(begin)) =
                    (in_doubt(&function.facts, write, dispatch), function.transaction(at))
                else {
                    continue;
                };
                let ends = |kind: &EventFactKind| match kind {
                    EventFactKind::Commit { transaction } => transaction.transaction == Some(begin),
                    _ => false,
                };
                let committed = in_branch(function, branch).any(|(later, event)| later > at && ends(&event.kind));
                let failed = in_branch(function, branch).find(|(later, event)| {
                    let undone = matches!(event.kind, EventFactKind::Fail { .. }) && event.name != "?";
                    *later > at
                        && (undone || matches!(event.kind, EventFactKind::Rollback { .. }))
                        && meets(write, event)
                });
                let (false, Some((_, failed))) = (committed, failed) else {
                    continue;
                };
                let message = format!(
                    "what is written here about {} is undone: the transaction is dropped with the error, and nothing says that \
                        the attempt was made",
                    named(dispatch)
                );
                let help = "commit the record before returning the error, or write it on a connection of its own";
                let mut steps = vec![(begin, "the transaction begins here".to_owned())];
                steps.extend(step(dispatch, "the provider is asked to act here"));
                steps.push((failed.span, "and is rolled back here".to_owned()));
                let confidence = sure(function, dispatch).min(Confidence::Likely);
                sink.report(violation(facts, function, RULE.name, confidence, here(write), (message, help), steps));
            }
        }
    }
}
