//! `misplaced-marker`: the processed-marker stands on the wrong side of what it marks.

mod marked_first;
mod marker_write;

use super::scene::{
    harmful, here, in_doubt, is_keyed, is_success, named, named_at, redelivered, related, step, violation,
};
use super::swallowed::{is_local, swallowed_before, swallowed_in};
use super::whole_batch_retried::{batch, failing};
use super::{Facts, Group, Rule, Sink, kept_marker};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role, Usage, ValueFact};
use crate::operations::{FunctionOps, exclusive, meets, surely_before};
use crate::source::Span;
use crate::sql::{Assignment, Conflict, Kind, Set, Statement};
use marked_first::new_arm;
use marker_write::marker;

pub(super) const RULE: Rule = Rule {
    name: "misplaced-marker",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "the processed-marker is on the wrong side of the effect",
    doc: include_str!("misplaced_marker.md"),
    check,
    contract_error: false,
};

/// Calls between a function that keeps an error to itself and the work.
const NEAR: usize = 2;

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        marked_and_left(facts, function, sink);
        kept_marker::check(facts, function, sink);
        marked_first::check(facts, function, sink);
        for (at, _) in function.writes() {
            if let Some(declared) = marker(facts, function, at) {
                after_a_failure(facts, function, at, declared, sink);
                before_the_work(facts, function, at, declared, sink);
            }
        }
    }
}

/// In a loop over items: an item is marked, and an error of its effect ends the loop. The item counts as done and is not,
/// and the rest waits.
fn marked_and_left(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, dispatch) in function.dispatches() {
        let Some(batch) = batch(function, dispatch).filter(|_| !is_keyed(dispatch)) else {
            continue;
        };
        let Some((_, fail)) = failing(function, dispatch, batch) else {
            continue;
        };
        let marked = function.writes().find(|(before, write)| {
            let inside = write.regions.iter().any(|(region, _)| *region == batch);
            let kept = swallowed_in(function, *before).is_none();
            // What may fail unheard marks nothing.
            inside
                && kept
                && meets(write, dispatch)
                && surely_before(&function.facts, *before, at)
                && related(write, dispatch)
        });
        let Some((mark_at, mark)) = marked else {
            continue;
        };
        // Where the error takes the mark back, the item is done anew.
        let tables = function.changed_tables(mark_at);
        let taken_back = function.writes().any(|(later, write)| {
            later > at
                && function.changed_tables(later) == tables
                && in_doubt(&function.facts, write, dispatch).is_some()
        });
        if taken_back {
            continue;
        }
        let message = format!(
            "the item is marked before {}, whose first error ends the loop: this item counts as done and is not, and the rest is \
             left",
            named(dispatch)
        );
        let help = "mark an item when its effect is confirmed, and go on with the rest when one fails";
        let mut steps = step(mark, "the item is marked here");
        steps.extend(step(dispatch, "the provider is asked to act here"));
        steps.push((fail.span, "the first error ends the loop".to_owned()));
        let confidence = harmful(facts, function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
    }
}

/// Work before the marker whose failure nobody hears of: the marker is written all the same.
fn after_a_failure(facts: &Facts<'_>, function: &FunctionOps, at: usize, declared: bool, sink: &mut Sink) {
    let mark = function.event(at);
    for (work_at, work) in function.events() {
        // Of what cannot be followed, a change that a row makes of itself is thrown away where its answer is.
        let stores = work.via.is_empty() && work.dropped.is_some() && stores(facts, work, mark);
        let acts =
            matches!(work.kind, EventFactKind::Dispatch { .. }) || is_other_write(function, work_at, at) || stores;
        // One of several is marked by its own work, not by what was done for all of them before.
        let each = |region: &&(Span, Role)| matches!(region.1, Role::Each { .. });
        let of_another = mark.regions.iter().filter(each).any(|round| !work.regions.contains(round));
        if !acts || of_another || work_at >= at || !meets(work, mark) || exclusive(&function.facts, work, mark) {
            continue;
        }
        // What only helpers of helpers keep to themselves is no part of what is marked: a trace, a clean-up.
        let near = |lost: &Span| is_local(function, *lost) || work.via.len() <= NEAR;
        let Some(swallowed) = swallowed_before(function, work_at, mark).filter(near) else {
            continue;
        };
        let message = format!(
            "the task is marked as processed although {} may have failed: the next delivery is taken for a repeat and dropped",
            named_at(function, work_at)
        );
        let help = "write the marker in the transaction of the change, or only after the work has succeeded";
        let mut steps = step(work, "the work is done here");
        steps.push((swallowed, "its error goes no further than this".to_owned()));
        steps.extend(step(mark, "and the marker is written in any case"));
        let confidence = if declared { Confidence::Certain } else { Confidence::Likely };
        sink.report(violation(facts, function, RULE.name, confidence, here(mark), (message, help), steps));
        return;
    }
}

/// A marker before work that can fail, in another transaction: what failed is never done.
fn before_the_work(facts: &Facts<'_>, function: &FunctionOps, at: usize, declared: bool, sink: &mut Sink) {
    let mark = function.event(at);
    let taken = hands_out(function, at);
    let comes_again = comes_again(function, at);
    let expected = comes_again || drops_repeats(function, at);
    let runs_again = redelivered(facts, function).is_some() || taken;
    if !runs_again && !expected {
        return;
    }
    let work = function.events().find(|(work_at, work)| {
        // Of a claim alone nobody knows but that an effect outside is to take place once at the most.
        let new = comes_again || new_arm(mark, work).is_some();
        if !(runs_again || work.pooled && new && is_other_write(function, *work_at, at)) {
            return false;
        }
        // Of rows that are handed out for it, sending them is the work.
        if taken && !(matches!(work.kind, EventFactKind::Dispatch { .. }) && related(mark, work)) {
            return false;
        }
        let acts = matches!(work.kind, EventFactKind::Dispatch { .. }) || is_other_write(function, *work_at, at);
        let together = function.transaction(at).is_some() && function.transaction(at) == function.transaction(*work_at);
        acts && surely_before(&function.facts, at, *work_at) && meets(work, mark) && !together
    });
    let Some((work_at, work)) = work else {
        return;
    };
    let tables = function.changed_tables(at);
    let undone = function.writes().any(|(later, _)| {
        later > at && function.changed_tables(later) == tables && !only_empties_others(function, later, at)
    });
    if undone && !expected {
        return;
    }
    let message = match taken {
        _ if undone => format!(
            "the task is marked as processed before {}, and only an error that is seen takes the mark back: after a crash in \
             between, the next delivery is taken for a repeat and dropped",
            named_at(function, work_at)
        ),
        true => format!(
            "rows are marked as done where they are taken, before {}: what fails then is never taken again",
            named_at(function, work_at)
        ),
        false => format!(
            "the task is marked as processed before {}: if that fails, the next delivery is taken for a repeat and dropped",
            named_at(function, work_at)
        ),
    };
    let help =
        "write the marker in the transaction of the work, or mark it as started and finish the mark when it is done";
    let mut steps = step(mark, "the marker is written here");
    steps.extend(step(work, "the work is done here"));
    let confidence = match undone {
        true => Confidence::Possible,
        false if declared => Confidence::Certain,
        false => Confidence::Likely,
    };
    sink.report(violation(facts, function, RULE.name, confidence, here(mark), (message, help), steps));
}

/// Whether a write only empties columns of a row of which the marker is none, as of data that nobody needs any more: that
/// neither takes the mark back nor says more.
fn only_empties_others(function: &FunctionOps, at: usize, marker: usize) -> bool {
    let other = |set: &Assignment| set.value == Set::Null && !function.sets(marker, &set.column);
    let mut statements = function.statements(at).iter().peekable();
    let empties = |statement: &Statement| {
        statement.kind == Kind::Update && !statement.set.is_empty() && statement.set.iter().all(other)
    };
    statements.peek().is_some() && statements.all(empties)
}

/// Whether a marker is put in unless it is there, and the function ends well where it is: somebody delivers again what it
/// is handed. On a connection that it was given the transaction may be the caller's.
fn drops_repeats(function: &FunctionOps, at: usize) -> bool {
    let claim = function.event(at);
    let put_in = |statement: &Statement| statement.kind == Kind::Insert && statement.conflict == Conflict::Nothing;
    let asked = |branch: &(Span, u32)| {
        let mut conditions = function.facts.conditions.iter();
        conditions.any(|known| known.branch == *branch && known.about.contains(&claim.span))
    };
    // It ends so on the arm of what was there before, or whichever was taken.
    let ends_well = |event: &EventFact| {
        let old = event.branches.last().is_some_and(asked) && new_arm(claim, event).is_none();
        is_success(event) && event.via.is_empty() && event.passed.is_empty() && (old || event.branches.is_empty())
    };
    claim.pooled
        && claim.via.len() <= 1
        && claim.usage == Usage::Used
        && function.statements(at).iter().any(put_in)
        && function.events().any(|(later, event)| later > at && ends_well(event))
}

/// Whether a marker that is there already is an error of its own here, so that somebody delivers again what this is handed.
fn comes_again(function: &FunctionOps, at: usize) -> bool {
    let mark = function.event(at);
    let refuses = |statement: &Statement| statement.kind == Kind::Insert && statement.conflict != Conflict::Nothing;
    mark.pooled && mark.turns.iter().any(|turn| turn.again) && function.statements(at).iter().any(refuses)
}

/// Whether a marker is set on rows that the statement hands out in the same breath: to be sent, as an outbox does.
fn hands_out(function: &FunctionOps, at: usize) -> bool {
    let mut updates = function.statements(at).iter().filter(|statement| statement.kind == Kind::Update);
    updates.any(|update| !update.returning.is_empty())
}

/// Whether an event is a call that cannot be followed and that keeps something, by its name, where the marker is kept, too.
fn stores(facts: &Facts<'_>, event: &EventFact, mark: &EventFact) -> bool {
    let (EventFactKind::Call { awaited: true, args }, EventFactKind::Sql { executor, .. }) = (&event.kind, &mark.kind)
    else {
        return false;
    };
    let same = |arg: &ValueFact| !arg.origins.is_empty() && arg.origins == executor.origins;
    facts.catalog.words.storing_verbs.iter().any(|verb| verb == event.name.as_str()) && args.iter().any(same)
}

fn is_other_write(function: &FunctionOps, at: usize, marker: usize) -> bool {
    function.is_write(at) && function.changed_tables(at) != function.changed_tables(marker)
}
