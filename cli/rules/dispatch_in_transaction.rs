//! `dispatch-in-transaction`: a provider is asked to act between begin and commit.

use super::scene::{begins, here, meets_tx, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::EventFactKind;
use crate::operations::open_at;

pub(super) const RULE: Rule = Rule {
    name: "dispatch-in-transaction",
    group: Group::Persist,
    default_level: Level::Deny,
    summary: "a provider is called between begin and commit",
    doc: include_str!("dispatch_in_transaction.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let dispatches = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Dispatch { .. }));
        for (at, dispatch) in dispatches {
            let Some(open) = open_at(function, at) else {
                continue;
            };
            // What is written through the transaction itself is a row of it, such as a job that is enqueued.
            if function.transaction(at) == Some(open.begin) && carries(function, at)
                || !meets_tx(function, dispatch, open)
            {
                continue;
            }
            let message = format!(
                "{} acts while a transaction is open: if the commit fails, the effect stands and nothing here \
                 knows of it",
                named(dispatch)
            );
            let help = "write the command into the transaction (an outbox row), commit, and send it afterwards";
            let begin = open.at.map_or_else(|| begins(function, open.begin), |at| here(function.event(at)));
            let mut steps = vec![(begin, "the transaction begins here".to_owned())];
            steps.extend(step(dispatch, "the provider is asked to act here"));
            if let Some(commit) = open.commit {
                steps.push((here(function.event(commit)), "and is committed only here".to_owned()));
            }
            // What states a result can be stated again; after a rollback it is only left over.
            let confidence = match dispatch.kind {
                EventFactKind::Dispatch { harmless: true, .. } => Confidence::Possible,
                _ => sure(function, dispatch),
            };
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether the transaction is handed to the dispatch.
fn carries(function: &crate::operations::FunctionOps, at: usize) -> bool {
    match &function.event(at).kind {
        EventFactKind::Dispatch { args, .. } => args.transaction.is_some(),
        _ => false,
    }
}
