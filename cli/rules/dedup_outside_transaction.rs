//! `dedup-outside-transaction`: check and act are two steps, between which another run fits.

mod asked_set;
mod kept_out;
mod lock_let_go;
mod own_inbox;

use super::raced::{fills, is_mark, overwrites, races};
use super::scene::{harmful, has_any, here, is_keyed, named, step, surely_related, violation, works};
use super::{Facts, Group, Rule, Sink, made_anew};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, Role, Usage, asks};
use crate::operations::{FunctionOps, TableRole, may_follow, meets, outcomes_at};
use crate::source::Span;
use crate::sql::{Conflict, Set, Statement};
use kept_out::{is_kept_out, is_of_found};

pub(super) const RULE: Rule = Rule {
    name: "dedup-outside-transaction",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "check and mutation are not one atomic step",
    doc: include_str!("dedup_outside_transaction.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    own_inbox::check(facts, sink);
    for function in &facts.operations.functions {
        asked_set::check(facts, function, sink);
        in_a_cache(facts, function, sink);
        lock_let_go::check(facts, function, sink);
        made_anew::unseen(facts, function, sink);
        for (at, read) in function.events().filter(|(at, _)| function.is_read(*at)) {
            for checked in function.statements(at).iter().filter(|statement| !statement.for_update) {
                let Some((write_at, confidence)) = acted_on(facts, function, at, checked) else {
                    continue;
                };
                let write = function.event(write_at);
                let table = checked.table.as_deref().unwrap_or("a table");
                let message = format!(
                    "`{table}` is read here to decide whether to go on, and changed only later: of two runs at once both read \
                        the old state, and both go on"
                );
                let help = "make the check the claim: insert under a unique key with on conflict do nothing, or update with \
                    the old state as a condition, and look at the number of rows";
                let together =
                    function.transaction(at).is_some() && function.transaction(at) == function.transaction(write_at);
                let change = match together {
                    true => "the change, in the same transaction: that alone does not keep the other run from reading",
                    false => "the change, in a step of its own",
                };
                let mut steps = step(read, "the check");
                let changed = |name: &str| function.sets(write_at, name);
                let decides = read.turns.iter().find(|turn| turn.field.is_some_and(|field| changed(field.as_str())));
                steps.extend(decides.map(|turn| (turn.branch, "what it says decides here".to_owned())));
                steps.extend(step(write, change));
                sink.report(violation(facts, function, RULE.name, confidence, here(read), (message, help), steps));
            }
        }
    }
}

/// A key of a key-value store that is asked in one step and set in another, with the work in between.
fn in_a_cache(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let key = |event: &EventFact| match &event.kind {
        EventFactKind::Store { args, executor, .. } => {
            let key = args.get(1).filter(|key| key.origins != executor.origins)?;
            let says = |origin: &OriginKind| !matches!(origin, OriginKind::Constant(_) | OriginKind::Opaque(_));
            key.origins.iter().any(says).then(|| key.origins.clone())
        }
        _ => None,
    };
    let executor = |event: &EventFact| match &event.kind {
        EventFactKind::Store { args, .. } => args.first().map(|executor| executor.origins.clone()),
        _ => None,
    };
    let near = |event: &EventFact| event.via.len() <= 1;
    // Whoever watches a key finds out when another run sets it.
    if function.events().any(|(_, event)| matches!(event.kind, EventFactKind::Store { .. }) && event.name == "watch") {
        return;
    }
    for (at, read) in function.events().filter(|(at, event)| function.is_read(*at) && near(event)) {
        let Some(asked) = key(read) else {
            continue;
        };
        let told = function.writes().find(|(later, write)| {
            *later > at && near(write) && key(write).is_some_and(|told| told == asked) && meets(read, write)
        });
        let Some((write_at, write)) = told.filter(|(later, _)| !function.is_claim(*later)) else {
            continue;
        };
        // One key for all that a loop goes through holds a list, which is read before: its key asks after none of them.
        let each = |(_, role): &&(Span, Role)| matches!(role, Role::Each { .. });
        if write.regions.iter().filter(each).any(|region| !read.regions.contains(region)) {
            continue;
        }
        // What is taken away at the end says that something was done only to whoever asks whether it is still there: by what
        // it says one finds the way, as by an entry of a register.
        let taken_away = matches!(&write.kind, EventFactKind::Store { op, .. } if op == "delete");
        if taken_away && !read.turns.iter().any(|turn| turn.presence) {
            continue;
        }
        let between = |other: usize| other > at && other < write_at;
        // What is set in a pipeline of its own takes place together with the mark in it.
        let one_way = executor(read) == executor(write);
        let claimed = function.events().any(|(other, _)| other < write_at && function.is_claim(other));
        let work = function.events().find(|(other, event)| {
            let acts = matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. }) && !is_keyed(event);
            let elsewhere = executor(event).is_none_or(|other| Some(other) != executor(read));
            let same = key(event).as_ref() == Some(&asked);
            between(*other)
                && elsewhere
                && !same
                && !function.dispatches().any(|(_, dispatch)| dispatch.span == event.span && is_keyed(dispatch))
                && (acts || one_way && function.is_write(*other) || works(facts, event))
        });
        let Some((_, work)) = work.filter(|_| decides(function, at, write_at, false) && !claimed) else {
            continue;
        };
        let message = format!(
            "a key is asked here whether this was done before, and set only after {}: two runs at once both find nothing, and \
             both go on",
            named(work)
        );
        let help =
            "make the check the claim: set the key on the condition that it is not there, and look at the answer";
        let mut steps = step(read, "the check");
        steps.extend(step(work, "the work"));
        steps.extend(step(write, "the mark, in a step of its own"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(read), (message, help), steps));
    }
}

/// The write by which a check is acted on without anything that keeps another run out.
fn acted_on(facts: &Facts<'_>, function: &FunctionOps, at: usize, checked: &Statement) -> Option<(usize, Confidence)> {
    let read = function.event(at);
    let table = checked.table.as_deref()?;
    let adds_between = |mark: usize| {
        let changed = |event: usize| !function.changed_tables(event).contains(&table);
        let mut events = function.events().take(mark).skip(at + 1);
        events.any(|(between, _)| {
            adds_up(function, between) && changed(between) && may_follow(&function.facts, between, mark)
        })
    };
    let (write_at, write) = function.writes().find(|(write_at, write)| {
        // A read and a write of some store far below speak of whatever their callers put in.
        let near = read.via.len() <= 1 && write.via.len() <= 1;
        *write_at > at
            && near
            && surely_related(read, write)
            && meets(read, write)
            && may_follow(&function.facts, at, *write_at)
            && !is_of_failure(function, at, *write_at)
            && !is_of_found(function, at, *write_at)
            && function.statements(*write_at).iter().any(|statement| {
                // That a row is there says nothing of what was done to it.
                let marked_late = || match statement.conflict {
                    Conflict::Nothing => {
                        (write.usage != Usage::Used || write.unread.is_some()) && adds_between(*write_at)
                    }
                    Conflict::Fail => stays_done(facts, function, at, *write_at),
                    Conflict::Update => false,
                };
                let races = races(facts, statement, checked, (read, write))
                    || is_mark(facts, statement, checked, (read, write)) && marked_late();
                // Whether a row was found says all where it was asked for by what it lacks.
                let found = fills(statement, checked, write) && decides(function, at, *write_at, false);
                found || races && decides(function, at, *write_at, overwrites(statement))
            })
    })?;
    if is_kept_out(facts, function, at, write_at) {
        return None;
    }
    let harm = function.events().any(|(between, event)| {
        let acts = matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. }) && !is_keyed(event);
        // A row that only says "done" is told beside what it speaks of; one that changes is told twice in vain.
        let told_beside = function.is_insert(write_at)
            && asks_existence(checked)
            && function.is_write(between)
            && function.transaction(write_at).is_some()
            && function.transaction(between) == function.transaction(write_at);
        let changes = (adds_up(function, between) || told_beside) && !function.changed_tables(between).contains(&table);
        let works = works(facts, event) || between < write_at && is_done_for(facts, event, (read, write));
        between > at && between != write_at && (acts || changes || works)
    });
    let confidence = match facts.operations.tables.role(table) {
        Some((TableRole::Inbox, true)) => Confidence::Certain,
        Some((TableRole::Inbox, false)) => Confidence::Likely,
        _ if harm || is_work(facts, function, write_at, table) => Confidence::Likely,
        _ if function.statements(write_at).iter().any(|statement| fills(statement, checked, write)) => {
            Confidence::Likely
        }
        _ => Confidence::Possible,
    };
    Some((write_at, confidence))
}

/// Whether something is done between a check and its mark that stays done where the mark is refused, since another run was
/// first: outside, or by a pool, which no transaction undoes.
fn stays_done(facts: &Facts<'_>, function: &FunctionOps, check: usize, mark: usize) -> bool {
    let inbox = |table: &str| facts.operations.tables.is(table, TableRole::Inbox);
    let tables = function.changed_tables(mark);
    let meant = || tables.iter().any(|table| inbox(table));
    function.events().take(mark).skip(check + 1).any(|(at, event)| {
        let acts = || {
            matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. })
                && !is_keyed(event)
                && (meant() || harmful(facts, function, event) >= Confidence::Likely)
        };
        let adds = || event.pooled && adds_up(function, at) && function.changed_tables(at) != tables;
        (acts() || adds()) && meets(event, function.event(mark)) && may_follow(&function.facts, at, mark)
    })
}

/// Whether a write stands where what was done behind the check has failed: that is no mark of its having been done.
fn is_of_failure(function: &FunctionOps, check: usize, mark: usize) -> bool {
    let mark_event = function.event(mark);
    let mut between = function.dispatches().filter(|(at, _)| (check + 1..mark).contains(at));
    between.any(|(_, done)| {
        let left = outcomes_at(&function.facts, mark_event, done.span);
        !left.is_empty() && !left.has(Outcomes::CONFIRMED)
    })
}

/// Whether a call that cannot be followed is made for what it does, with that of which the check and the mark speak: nobody
/// keeps its answer, and it is no check itself.
fn is_done_for(facts: &Facts<'_>, event: &EventFact, (read, write): (&EventFact, &EventFact)) -> bool {
    let words = &facts.catalog.words;
    let EventFactKind::Call { args, .. } = &event.kind else {
        return false;
    };
    let spoken_of = |origin: &OriginKind| {
        let holds = |event: &EventFact| event.handed_to_store().iter().any(|value| value.origins.contains(origin));
        matches!(origin, OriginKind::Input(_)) && holds(read) && holds(write)
    };
    let guards = || words.guarding_verbs.iter().any(|verb| event.name.split('_').next() == Some(verb.as_str()));
    event.usage == Usage::Checked
        && event.via.is_empty()
        && args.iter().skip(1).any(|arg| arg.origins.iter().any(spoken_of))
        && !asks(words, &event.name)
        && !guards()
}

/// Whether a row is put in that somebody will work on, and nothing known of its table keeps a second one out.
fn is_work(facts: &Facts<'_>, function: &FunctionOps, at: usize, table: &str) -> bool {
    function.is_insert(at)
        && facts.operations.tables.has_schema(table)
        && has_any(table, &facts.catalog.words.work_tables)
}

/// Whether what a check answered decides if the function comes to the mark: the mark stands in a branch that the answer
/// takes, or one leaves before it. Of a row that is to be changed something must be looked at.
pub(super) fn decides(function: &FunctionOps, check: usize, mark: usize, looks: bool) -> bool {
    let turns = &function.event(check).turns;
    let decided = |event: &EventFact| {
        turns
            .iter()
            .filter(|turn| !(looks && turn.presence))
            .any(|turn| event.branches.iter().any(|(at, _)| *at == turn.branch))
    };
    let leaves = |event: &EventFact| {
        matches!(event.kind, EventFactKind::Return { .. } | EventFactKind::Fail { .. })
            && event.via.is_empty()
            && matches!(event.name.as_str(), "return" | "?")
    };
    decided(function.event(mark))
        || function.events().any(|(at, event)| check < at && at < mark && leaves(event) && decided(event))
}

/// Whether a read asks only whether a row is there: for a count, or for the columns it is asked by.
fn asks_existence(checked: &Statement) -> bool {
    let asked = |column: &String| checked.conditions.iter().any(|condition| condition.column == *column);
    checked.exists || checked.columns.iter().all(asked)
}

/// Whether a second run of a write makes a further difference. A further row is what most code adds that asks first.
fn adds_up(function: &FunctionOps, at: usize) -> bool {
    let set = function.statements(at).iter().flat_map(|statement| statement.set.iter().chain(&statement.conflict_set));
    set.into_iter().any(|set| matches!(set.value, Set::Delta { .. }))
        || matches!(&function.event(at).kind, EventFactKind::Store { op, .. } if op == "increment")
}
