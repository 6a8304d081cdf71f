//! `relative-write`: a change by a difference, which a repeat applies twice.

mod amounts;
mod marks;

use super::scene::{NEAR, handled, has_any, here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Violation};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role, Usage};
use crate::operations::{FunctionOps, TableRole, may_follow, meets, surely_before};
use crate::source::Span;
use crate::sql::{Conflict, Kind, Set, Statement};
use amounts::{counts_quantity, counts_runs, is_given, is_state, is_told};
use marks::{is_made_anew, is_overlooked};

pub(super) const RULE: Rule = Rule {
    name: "relative-write",
    group: Group::Write,
    default_level: Level::Deny,
    summary: "a balance, quota or stock is changed by a delta that a repeat applies twice",
    doc: include_str!("relative_write.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    // A change is told of once, by the function that is surest that it is repeated.
    let mut found: Vec<(Span, Confidence, Violation)> = Vec::new();
    for function in &facts.operations.functions {
        for (at, event) in function.writes().filter(|(at, event)| is_own(function, event) || is_reached(function, *at))
        {
            let Some(column) = delta(function, at) else {
                continue;
            };
            let below = || marked_elsewhere(facts, event);
            if is_marked(facts, function, at)
                || is_taken_before(function, at)
                || is_marked_by_caller(facts, event)
                || !is_own(function, event) && below()
            {
                continue;
            }
            let Some((confidence, why)) = repeats(facts, function, at, column.as_deref()) else {
                continue;
            };
            let what =
                column.map_or_else(|| format!("`{}` changes", event.name), |column| format!("`{column}` is changed"));
            let message = format!("{what} by a difference, and {why}: a repeat applies it twice");
            let help = "write a row for each command under a unique key in the same transaction and change only if it is new, or \
                set an absolute value";
            let place = if is_own(function, event) { here(event) } else { event.span };
            let steps = step(event, "the change");
            let told = violation(facts, function, RULE.name, confidence, place, (message, help), steps);
            match found.iter_mut().find(|known| known.0 == place) {
                Some(known) if known.1 < confidence => *known = (place, confidence, told),
                Some(_) => {}
                None => found.push((place, confidence, told)),
            }
        }
    }
    found.into_iter().for_each(|(_, _, told)| sink.report(told));
}

/// Whether a change is judged where it stands.
fn is_own(function: &FunctionOps, event: &EventFact) -> bool {
    event.via.is_empty() || repeated(function, event)
}

/// Whether a change is below a function that is run again for the same task.
fn is_reached(function: &FunctionOps, at: usize) -> bool {
    let again = function.facts.handler.as_ref().is_some_and(|handler| !handler.again.is_empty());
    (again || is_acknowledged(function, at)) && (1..=NEAR).contains(&function.event(at).via.len())
}

/// Whether the task of a change is acknowledged after it: where that is lost, it comes again.
fn is_acknowledged(function: &FunctionOps, at: usize) -> bool {
    let change = function.event(at);
    function.events().any(|(later, event)| {
        matches!(event.kind, EventFactKind::Ack { .. })
            && later > at
            && event.via.len() <= 1
            && meets(change, event)
            && may_follow(&function.facts, at, later)
    })
}

/// Whether any function in which a change is seen puts a mark beside it.
fn marked_elsewhere(facts: &Facts<'_>, change: &EventFact) -> bool {
    facts.operations.seen(change.span).any(|(function, at)| {
        let id = function.facts.function;
        (id == change.function || change.through.contains(&id))
            && function.is_write(at)
            && is_marked(facts, function, at)
    })
}

/// The column that an event changes by a difference; none where the method itself adds.
fn delta(function: &FunctionOps, at: usize) -> Option<Option<String>> {
    if matches!(&function.event(at).kind, EventFactKind::Store { op, .. } if op == "increment") {
        return Some(None);
    }
    let updates =
        || function.statements(at).iter().filter(|statement| matches!(statement.kind, Kind::Update | Kind::Insert));
    // What goes by the rows that the same statement has moved on takes place once.
    let moved = |statement: &Statement| {
        statement.kind == Kind::Update && statement.moves_on() && !statement.returning.is_empty()
    };
    if function.statements(at).iter().any(moved) {
        return None;
    }
    let by_statement = updates().find_map(Statement::delta).map(|assignment| Some(assignment.column.clone()));
    by_statement.or_else(|| updates().find_map(|update| read_and_changed(function, at, update)).map(Some))
}

/// The column that is read, changed here and written back, with nothing that keeps a change in between out.
fn read_and_changed(function: &FunctionOps, at: usize, update: &Statement) -> Option<String> {
    let EventFactKind::Sql { binds, .. } = &function.event(at).kind else {
        return None;
    };
    let (below, arms) = (&function.event(at).via, &function.event(at).branches);
    if update.kind != Kind::Update || below.len() > 1 {
        return None;
    }
    update.set.iter().find_map(|set| {
        let Set::Placeholder(number) = set.value else {
            return None;
        };
        let written = &binds.get(number)?.origins;
        let asks = update.conditions.iter().any(|condition| condition.column == set.column);
        let read = function.events().take(at).find(|(before, event)| {
            let EventFactKind::Sql { binds: asked, .. } = &event.kind else {
                return false;
            };
            let reads = |statement: &Statement| {
                statement.kind == Kind::Select
                    && statement.table == update.table
                    && statement.columns == [set.column.clone()]
                    && statement.row() == update.row()
            };
            // What was read carries what it was asked by.
            let known = written.contains(&OriginKind::Stored)
                || asked.iter().flat_map(|bind| &bind.origins).all(|origin| written.contains(origin));
            let more = |origin: &OriginKind| {
                matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_))
                    && !asked.iter().any(|bind| bind.origins.contains(origin))
            };
            // What goes into a list only where it is not in it yet goes in once.
            let lacks = event.turns.iter().any(|turn| turn.among && arms.iter().any(|arm| arm.0 == turn.branch));
            event.via == *below
                && !lacks
                && known
                && !asked.is_empty()
                && written.iter().any(more)
                && function.statements(*before).iter().any(reads)
        });
        (!asks && read.is_some()).then(|| set.column.clone())
    })
}

/// Whether something that can be there only once goes with the change: a claim, or a row under a unique key, in the same
/// transaction.
fn is_marked(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let transaction = function.transaction(at);
    function.writes().any(|(other, _)| {
        let together = transaction.is_some() && function.transaction(other) == transaction;
        if other == at || !together || is_overlooked(function, other) {
            return false;
        }
        let inbox = |table: &&str| {
            facts.operations.tables.is(table, TableRole::Inbox) && holds_key(facts, function, other, table)
        };
        function.is_claim(other)
            || function.is_insert(other) && function.changed_tables(other).iter().any(inbox)
            || function.statements(other).iter().any(|statement| {
                // An id that is made for the row tells no repeat.
                let set = statement.set.iter().filter(|set| !is_made_anew(function, other, set));
                let columns: Vec<String> = set.map(|set| set.column.clone()).collect();
                let table = statement.table.as_deref().unwrap_or_default();
                statement.kind == Kind::Insert
                    && statement.conflict != Conflict::Update
                    && facts.operations.tables.is_unique(table, &columns)
            })
    })
}

/// Whether a row for a table has the columns by which that is said to tell repeats. One without them is a line of a log.
fn holds_key(facts: &Facts<'_>, function: &FunctionOps, at: usize, table: &str) -> bool {
    let key = facts.operations.tables.columns(table, "key");
    let insert = function.statements(at).iter().find(|statement| {
        statement.kind == Kind::Insert && statement.table.as_deref() == Some(table) && !statement.set.is_empty()
    });
    // What a builder or a whole model puts in is not always in sight.
    insert.is_none_or(|insert| key.iter().all(|column| insert.set.iter().any(|set| set.column == *column)))
}

/// Whether the function has moved a row out of its state before, or taken it out of its table, and looks what that was: the
/// same run again does not come to the change.
fn is_taken_before(function: &FunctionOps, at: usize) -> bool {
    function.writes().any(|(before, event)| {
        let moves = |statement: &Statement| match statement.kind {
            Kind::Update => statement.moves_on(),
            Kind::Delete => !statement.returning.is_empty(),
            _ => false,
        };
        event.usage == Usage::Used
            && function.statements(before).iter().any(moves)
            && surely_before(&function.facts, before, at)
    })
}

/// Whether a function that hands its transaction down puts the mark into it.
fn is_marked_by_caller(facts: &Facts<'_>, change: &EventFact) -> bool {
    let handed = match &change.kind {
        EventFactKind::Sql { executor, .. } | EventFactKind::Store { executor, .. } => {
            executor.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_)))
        }
        _ => false,
    };
    handed
        && facts
            .operations
            .seen(change.span)
            .any(|(caller, at)| !caller.event(at).via.is_empty() && caller.is_write(at) && is_marked(facts, caller, at))
}

fn repeated(function: &FunctionOps, event: &EventFact) -> bool {
    event.regions.iter().any(|(at, role)| *role == Role::Retry && function.facts.body.covers(*at))
}

/// Whether it is the change itself that is tried again: nothing else is done in a round that it could count.
fn is_retried_alone(facts: &Facts<'_>, function: &FunctionOps, at: usize, column: Option<&str>) -> bool {
    let change = function.event(at);
    let round = change.regions.iter().find(|(at, role)| *role == Role::Retry && function.facts.body.covers(*at));
    let words = &facts.catalog.words;
    let waits = |event: &EventFact| has_any(&event.name, &words.pause_calls);
    let other = |event: &EventFact| {
        let acts = matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Call { awaited: true, .. });
        let stores = matches!(event.kind, EventFactKind::Sql { .. } | EventFactKind::Store { .. });
        let own = event.span == change.span || event.via == change.via && event.whole.covers(change.span);
        (acts && !waits(event) || stores) && !own && event.regions.iter().any(|region| Some(region) == round)
    };
    round.is_some()
        && !column.is_some_and(|column| counts_runs(facts, column))
        && !function.events().any(|(_, event)| other(event))
}

/// How sure it is that the change is repeated for one command, and why.
fn repeats(facts: &Facts<'_>, function: &FunctionOps, at: usize, column: Option<&str>) -> Option<(Confidence, String)> {
    let event = function.event(at);
    let words = &facts.catalog.words.quantity_columns;
    // Which column it is, is said elsewhere: what the table holds is known.
    let held = || function.changed_tables(at).iter().any(|table| has_any(table, words));
    let quantity = match column {
        Some(column) => has_any(column, words) || column.starts_with('{') && held(),
        None => counts_quantity(facts, event),
    };
    let amount = quantity || column.is_some_and(|column| is_given(facts, event, column));
    if repeated(function, event) {
        // A counter of attempts counts attempts.
        let confidence = match (quantity, amount) {
            (true, _) => Confidence::Certain,
            (_, true) => Confidence::Likely,
            _ if is_retried_alone(facts, function, at, column) => Confidence::Likely,
            _ => Confidence::Possible,
        };
        return Some((confidence, "it is retried".to_owned()));
    }
    let told = || column.is_some_and(|column| is_told(facts, function, at, column));
    if let Some(handler) = function.facts.handler.as_ref().filter(|handler| !handler.again.is_empty()) {
        let confidence = match amount || is_state(facts, function, at, column) {
            true => handled(Some(handler)),
            false if told() => handled(Some(handler)).min(Confidence::Likely),
            false if event.via.is_empty() => Confidence::Possible,
            // Far from the handler, a number that only its name could tell of is left alone.
            false => return None,
        };
        return Some((confidence, format!("{} runs again for the same task", handler.scope.what)));
    }
    if (amount || is_state(facts, function, at, column) || told()) && is_acknowledged(function, at) {
        return Some((Confidence::Likely, "the task comes again where its acknowledgement is lost".to_owned()));
    }
    (quantity && column.is_some() && event.via.is_empty())
        .then(|| (Confidence::Likely, "nothing tells a second run from a second command".to_owned()))
}
