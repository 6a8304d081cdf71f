//! `ack-before-persist`: a task is acknowledged before its result is durable.

mod acked_uncommitted;
mod held_in_memory;
mod moved_cursor;
mod only_queued;

use super::scene::{NEAR, here, named, named_at, step, violation, works};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role};
use crate::operations::{FunctionOps, may_follow, meets, side_by_side, surely_before};
use crate::resolve::Ty;
use crate::source::Span;
use crate::sql::{Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "ack-before-persist",
    group: Group::Ack,
    default_level: Level::Deny,
    summary: "a task is acknowledged before its result is durable",
    doc: include_str!("ack_before_persist.md"),
    check,
    contract_error: false,
};

pub(super) const HELP: &str =
    "acknowledge last: after the result is stored, or after the task itself is stored somewhere durable";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    moved_cursor::check(facts, sink);
    for function in &facts.operations.functions {
        held_in_memory::check(facts, function, sink);
        held_in_memory::acknowledged(facts, function, sink);
        for (at, event) in function.events() {
            marked_unanswered(facts, function, at, sink);
            only_queued::check(facts, function, at, sink);
            match event.kind {
                EventFactKind::Ack { up_to, .. } => {
                    acknowledged_first(facts, function, at, sink);
                    acked_uncommitted::check(facts, function, at, sink);
                    if up_to {
                        acknowledged_over(facts, function, at, sink);
                    }
                }
                EventFactKind::AutoAck => acknowledged_anyway(facts, function, at, sink),
                _ => {}
            }
        }
    }
}

/// A task that is marked as done when what it sends is only queued: nobody waits for the target's own answer.
fn marked_unanswered(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let dispatch = function.event(at);
    let unheard = match dispatch.kind {
        EventFactKind::Dispatch { unanswered, called_back, .. } => unanswered || called_back,
        _ => false,
    };
    if !unheard {
        return;
    }
    let columns = &facts.catalog.words.marker_columns;
    let marks = |statement: &Statement| {
        statement.kind == Kind::Update && statement.set.iter().any(|set| columns.contains(&set.column))
    };
    let marked = function.writes().find(|(later, write)| {
        *later > at
            && meets(dispatch, write)
            && may_follow(&function.facts, at, *later)
            && function.statements(*later).iter().any(marks)
    });
    let Some((_, mark)) = marked else {
        return;
    };
    let message = format!(
        "the task is marked as done when {} has only been queued in this process: what is lost before the target has it is \
         never sent again",
        named(dispatch)
    );
    let help = "await the target's own answer, and mark the task then";
    let mut steps = step(dispatch, "it is queued here");
    steps.extend(step(mark, "and marked here"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(mark), (message, help), steps));
}

fn acknowledged_first(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let ack = function.event(at);
    if function
        .events()
        .any(|(before, _)| is_result(facts, function, before) && surely_before(&function.facts, before, at))
    {
        return;
    }
    let beside = |event: &EventFact| side_by_side(&function.facts, ack, event);
    let later = function.events().find(|(later, event)| {
        (*later > at && may_follow(&function.facts, at, *later) || beside(event))
            && is_result(facts, function, *later)
            && meets(ack, event)
            && (beside(event) || same_work(ack, event))
    });
    let Some((later_at, later)) = later else {
        return;
    };
    // On some ways the work may have come first.
    if function.events().any(|(before, event)| {
        before < at && is_result(facts, function, before) && event.span == later.span && !beside(event)
    }) {
        return;
    }
    let what = named_at(function, later_at);
    let (message, when) = match beside(later) {
        true => (
            format!(
                "the task is acknowledged while {what} is still being done: if that fails, nobody delivers it again"
            ),
            "the result becomes durable in a future beside it",
        ),
        false => (
            format!(
                "the task is acknowledged before {what}: a crash in between loses it, for nobody delivers it again"
            ),
            "the result becomes durable only here",
        ),
    };
    let mut steps = step(ack, "acknowledged here");
    steps.extend(step(later, when));
    let own_task = |region: &(Span, Role)| matches!(region.1, Role::Spawned { .. }) && !ack.regions.contains(region);
    let sure = ack.via.is_empty() && !works(facts, later) && !later.regions.iter().any(own_task);
    let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
    sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, HELP), steps));
}

/// An offset of one of many that are done at once covers those before it that are still being done.
fn acknowledged_over(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let ack = function.event(at);
    let own = |region: &Span| function.facts.body.covers(*region);
    let regions = || ack.regions.iter().rev();
    // Of loops in loops the innermost one gives what is acknowledged; a task of its own for each has no order, either.
    let each = regions().position(|(_, role)| matches!(role, Role::Each { .. }));
    let Some((many, role)) = each.and_then(|each| regions().nth(each)) else {
        return;
    };
    let spawned = regions().take(each.unwrap_or_default()).any(|(_, role)| matches!(role, Role::Spawned { .. }));
    let unordered = matches!(role, Role::Each { unordered: true, .. });
    if !(own(many) && (unordered || spawned && matches!(role, Role::Each { endless: true, .. }))) {
        return;
    }
    let message =
        "the offset of whichever is done first is acknowledged here, and with it all before it: a crash loses those \
                   that are still being done"
            .to_owned();
    let help = "keep the order (`buffered`), or acknowledge only up to the first that is not done";
    let steps = vec![(*many, "many are done at once here, and end in any order".to_owned())];
    sink.report(violation(facts, function, RULE.name, Confidence::Certain, here(ack), (message, help), steps));
}

/// Whether an event belongs to the work that is acknowledged: the same round of the same loop, the same task, or one that is
/// started for what this round has taken.
fn same_work(ack: &EventFact, event: &EventFact) -> bool {
    let round = ack.regions.iter().any(|(_, role)| matches!(role, Role::Each { .. }));
    let apart = |region: &(Span, Role)| {
        let elsewhere = match region.1 {
            Role::Spawned { .. } => !round,
            Role::Race | Role::Closure { next: false, .. } | Role::Retry => true,
            _ => false,
        };
        elsewhere && !ack.regions.contains(region)
    };
    ack.regions.iter().all(|region| event.regions.contains(region)) && !event.regions.iter().any(apart)
}

/// The client acknowledges by itself what it hands out, and nobody tells it when the work is done.
fn acknowledged_anyway(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    if function.events().any(|(_, event)| matches!(event.kind, EventFactKind::Ack { .. })) {
        return;
    }
    // The work of the consumer that is configured here, rather than of some other part of the program.
    let ack = function.event(at);
    let work = function.events().find(|(later, work)| {
        let looped = work.regions.iter().any(|(_, role)| matches!(role, Role::Each { .. } | Role::Retry));
        let here = looped && ack.via.len() <= 1 || goes_through(work, ack);
        // What is handed one delivery after the other is told of where the client is set up.
        let handed =
            !ack.via.is_empty() && work.through.iter().filter_map(|&id| facts.operations.function(id)).any(consumes);
        *later > at && here && !handed && work.via.len() <= NEAR && is_result(facts, function, *later)
    });
    let Some((work_at, work)) = work else {
        return forgotten_by_delegates(facts, function, at, sink);
    };
    let message = format!(
        "the client acknowledges by itself what it hands out: a crash before {} is done loses it",
        named_at(function, work_at)
    );
    let help = "switch that off, and acknowledge each task, or store its offset, after its work is durable";
    let mut steps = step(ack, "acknowledging is left to the client here");
    steps.extend(step(work, "the result becomes durable here"));
    let sure = ack.via.len() <= 1 && !works(facts, work);
    let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
    sink.report(violation(facts, function, RULE.name, confidence, here(ack), (message, help), steps));
}

/// Whether work is done for each of what a client gives that is set up by helpers of helpers.
fn goes_through(work: &EventFact, client: &EventFact) -> bool {
    let round = |region: &Span| client.turns.iter().any(|round| round.branch == *region);
    work.regions.iter().any(|(region, role)| matches!(role, Role::Each { .. }) && round(region))
}

/// A consumer that is set up here to forget what it hands out, while what it hands it to works elsewhere in the package.
fn forgotten_by_delegates(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let setting = function.event(at);
    if !setting.via.is_empty() || !forgets(facts, function) {
        return;
    }
    let handed = consumers(facts, function).find_map(|consumer| {
        let work = consumer.events().find(|(at, _)| is_result(facts, consumer, *at))?;
        Some((consumer, work))
    });
    let Some((delegate, work)) = handed.or_else(|| goes_round(facts, function)) else {
        return;
    };
    let what = named_at(delegate, work.0);
    let message = format!(
        "the broker forgets each message when it is handed out: a crash before {what} is done, or an error of it, loses the \
         message"
    );
    let steps = vec![(here(work.1), "the result becomes durable here".to_owned())];
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(setting), (message, HELP), steps));
}

/// What the object that is set up here does in a loop of its own that goes on and on: it takes one delivery after the other.
fn goes_round<'a>(facts: &'a Facts<'_>, function: &FunctionOps) -> Option<(&'a FunctionOps, (usize, &'a EventFact))> {
    let object = |of: &FunctionOps| match facts.program.function(of.facts.function).self_ty {
        Ty::Adt(id, _) => Some(id),
        _ => None,
    };
    let own = object(function)?;
    let methods = facts.operations.functions.iter().filter(|other| object(other) == Some(own));
    methods.into_iter().find_map(|method| {
        let works = |(at, event): &(usize, &EventFact)| {
            let round = |(_, role): &(Span, Role)| matches!(role, Role::Each { endless: true, .. });
            event.via.is_empty() && event.regions.iter().any(round) && is_result(facts, method, *at)
        };
        Some((method, method.events().find(works)?))
    })
}

/// Whether all consumers of a package leave it to the client to acknowledge: nothing comes to them a second time.
pub(super) fn forgets(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let own = |other: &&FunctionOps| is_beside(facts, function, other);
    let has = |is: fn(&EventFactKind) -> bool| {
        facts.operations.functions.iter().filter(own).any(|other| other.events().any(|(_, event)| is(&event.kind)))
    };
    has(|kind| matches!(kind, EventFactKind::AutoAck)) && !has(|kind| matches!(kind, EventFactKind::Ack { .. }))
}

/// The functions of a package that are handed one delivery each.
fn consumers<'a>(facts: &'a Facts<'_>, function: &'a FunctionOps) -> impl Iterator<Item = &'a FunctionOps> {
    let all = facts.operations.functions.iter();
    all.filter(move |other| is_beside(facts, function, other) && consumes(other))
}

/// Whether a function is handed one delivery.
pub(super) fn consumes(function: &FunctionOps) -> bool {
    function.facts.handler.as_ref().is_some_and(|handler| handler.kind == "consumer")
}

fn is_beside(facts: &Facts<'_>, one: &FunctionOps, other: &FunctionOps) -> bool {
    let package = |of: &FunctionOps| facts.program.function(of.facts.function).package;
    package(one) == package(other)
}

/// Whether an event makes a result durable, here or at a provider, or does by its name.
fn is_result(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    function.is_write(at) || matches!(event.kind, EventFactKind::Dispatch { .. }) || works(facts, event)
}
