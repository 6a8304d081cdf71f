//! `nondeterministic-workflow`: replayed code takes another way than the run that it replays.

use std::collections::BTreeSet;

use super::scene::{handled, here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::FunctionOps;
use crate::resolve::FnId;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "nondeterministic-workflow",
    group: Group::Replay,
    default_level: Level::Deny,
    summary: "clock, random, environment or map order in replayed workflow code",
    doc: include_str!("nondeterministic_workflow.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let engines: BTreeSet<&str> = facts.catalog.steps.iter().filter_map(|step| engine(&step.call.0)).collect();
    // The engine itself, whose sources may stand in the same workspace.
    let is_engine = |function: FnId| {
        engine(facts.program.function(function).path.as_str()).is_some_and(|package| engines.contains(package))
    };
    for function in &facts.operations.functions {
        let Some(handler) = function.facts.handler.as_ref().filter(|handler| handler.kind == "workflow") else {
            continue;
        };
        if is_engine(function.facts.function) {
            continue;
        }
        for (at, event) in function.events() {
            let EventFactKind::Fresh { kind } = &event.kind else {
                continue;
            };
            // What the engine reads behind its own calls is in its journal.
            if event.through.iter().any(|&through| is_engine(through)) {
                continue;
            }
            let journaled = event.regions.iter().any(|(_, role)| *role == Role::Step);
            if journaled || *kind == FreshKind::MapOrder && !loops_over_steps(function, at) {
                continue;
            }
            let message = format!(
                "{} in replayed code: {} takes another way when it is replayed than when it ran",
                word(*kind),
                handler.scope.what
            );
            let help = "take it inside a durable step, or from the engine's own source of time and randomness";
            // A clock is often read for a metric only.
            let own = match kind {
                FreshKind::Clock => Confidence::Likely,
                // Another worker, or this one after a restart, has other settings: what they decide goes another way then.
                FreshKind::Process if decides(function, at) => Confidence::Likely,
                // Whether what was read matters, nobody sees here.
                FreshKind::Process => Confidence::Possible,
                _ => Confidence::Certain,
            };
            let confidence = handled(Some(handler)).min(own);
            let steps = step(event, "read here");
            sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, help), steps));
        }
    }
}

/// The package that a path or pattern begins with, where that is one of others: an application's own is `crate`.
fn engine(path: &str) -> Option<&str> {
    let (package, _) = path.split_once("::")?;
    (!matches!(package, "crate" | "_")).then_some(package)
}

/// Whether a loop over a map, or a closure that is run for each thing in it, has something done by the engine in each round,
/// or waits for something.
fn loops_over_steps(function: &FunctionOps, at: usize) -> bool {
    let order = function.event(at);
    let within = |event: &EventFact| {
        event.regions.iter().any(|(region, role)| match role {
            Role::Each { .. } | Role::Retry => covers(*region, order.span),
            Role::Closure { .. } => covers(order.span, *region),
            _ => false,
        })
    };
    function.events().any(|(later, event)| {
        let acts = matches!(
            event.kind,
            EventFactKind::Call { awaited: true, .. }
                | EventFactKind::Dispatch { .. }
                | EventFactKind::Fail { .. }
                | EventFactKind::Scheduled
        );
        later > at && acts && within(event)
    })
}

fn covers(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.range.covers(inner.range)
}

/// Whether the way that the code goes, steps that are waited for among it, is decided by the process or its environment
/// after it was asked.
fn decides(function: &FunctionOps, read: usize) -> bool {
    function.events().any(|(at, event)| at > read && matches!(event.kind, EventFactKind::Decides))
}

fn word(kind: FreshKind) -> &'static str {
    match kind {
        FreshKind::Random => "a random value is made",
        FreshKind::Clock => "the clock is read",
        FreshKind::Counter => "a counter of this process is read",
        FreshKind::Process => "the process or its environment is asked",
        FreshKind::Address => "an address in memory is taken",
        FreshKind::MapOrder => "a hash map is iterated, whose order differs from run to run,",
    }
}
