//! Locks of the application's own: one function takes a key on the condition that nobody has it, another removes it whoever
//! has it by then.

use std::collections::BTreeSet;

use super::{RULE, acquired};
use crate::catalog::FreshKind;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, state_word};
use crate::operations::{self, FunctionOps, may_follow, meets};
use crate::resolve::{FnId, Ty};
use crate::rules::scene::{has_any, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;
use crate::sql::{Assignment, Condition, Conflict, Kind, Set, Statement};

/// Where locks are removed that was told of.
pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) -> BTreeSet<Span> {
    let mut told = BTreeSet::new();
    let taken: Vec<Taken<'_>> = own(facts).filter_map(|(function, at)| taken(facts, function, at)).collect();
    if taken.is_empty() {
        return told;
    }
    let words = &facts.catalog.words.unlock_verbs;
    for (function, at) in own(facts) {
        let release = function.event(at);
        let gives_up = || has_any(facts.program.function(function.facts.function).ir.name.as_str(), words);
        // As a rule all operations of a lock stand together.
        let is_same = |lease: &&Taken<'_>| {
            lease.event.span.file == release.span.file && removes(facts, function, at, lease.table)
        };
        let Some(lease) = taken.iter().find(is_same).filter(|_| gives_up() && !asks_first(function)) else {
            continue;
        };
        // In one function it is told of the one key that both have.
        if lease.function == function.facts.function {
            continue;
        }
        let message =
            "the lock is released whoever holds it: after it ran out, this frees the one that another run has taken";
        let help = match lease.table {
            None => {
                "store a random owner with the lock, hand it to whoever gives it up, and remove it by a script that \
                 compares the owner first"
            }
            Some(_) => {
                "store a random owner with the lock, hand it to whoever gives it up, and make it a condition under which \
                 the lock is removed"
            }
        };
        let mut steps = step(lease.event, "the lock is taken here");
        steps.extend(step(release, "and removed here, without asking whose it is"));
        let text = (message.to_owned(), help);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, release.whole, text, steps));
        told.insert(release.span);
    }
    told
}

/// A lock that a function takes.
struct Taken<'f> {
    function: FnId,
    event: &'f EventFact,
    /// a row of this table, rather than a key
    table: Option<&'f str>,
}

/// The lock that an event takes: a key under a condition, or a new row that says until when, or since when and under which name,
/// made for this one time, it is held.
fn taken<'f>(facts: &Facts<'_>, function: &'f FunctionOps, at: usize) -> Option<Taken<'f>> {
    let event = function.event(at);
    let words = &facts.catalog.words;
    let sets =
        |statement: &Statement, columns: &[String]| statement.set.iter().any(|set| columns.contains(&set.column));
    let named = |statement: &Statement| {
        let of_holder = |set: &&Assignment| words.lease_token_columns.contains(&set.column);
        statement.set.iter().filter(of_holder).any(|set| is_random(event, set))
    };
    // A second row of the name is refused, or left out.
    let new = |statement: &&Statement| {
        let skips = statement.conflict == Conflict::Nothing || !statement.either.is_empty();
        let timed = sets(statement, &words.lease_until_columns);
        let since = || statement.set.iter().any(|set| has_any(&set.column, &words.since_words));
        let held = || named(statement) && (timed || since());
        statement.kind == Kind::Insert && !statement.many && (skips && timed || held())
    };
    let table = match acquired(event) {
        Some(_) => None,
        None => Some(function.statements(at).iter().find(new)?.table.as_deref()?),
    };
    is_called_a_lock(facts, event, table).then_some(Taken { function: function.facts.function, event, table })
}

/// Whether a random value is bound to a column.
fn is_random(event: &EventFact, set: &Assignment) -> bool {
    match (&set.value, &event.kind) {
        (Set::Placeholder(number), EventFactKind::Sql { binds, .. }) => {
            binds.get(*number).is_some_and(|bound| bound.fresh.iter().any(|(kind, _)| *kind == FreshKind::Random))
        }
        _ => false,
    }
}

/// What functions do by themselves.
fn own<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f FunctionOps, usize)> {
    let functions = facts.operations.functions.iter();
    functions
        .flat_map(|function| function.events().map(move |(at, event)| (function, at, event)))
        .filter(|(_, _, event)| event.via.is_empty())
        .map(|(function, at, _)| (function, at))
}

/// Whether a key of a key-value store is removed, or a row of a table, whatever it holds.
fn removes(facts: &Facts<'_>, function: &FunctionOps, at: usize, table: Option<&str>) -> bool {
    let words = &facts.catalog.words;
    match (&function.event(at).kind, table) {
        (EventFactKind::Store { op, args, executor, .. }, None) => {
            op == "delete" && args.get(1).is_some_and(|key| key.origins != executor.origins)
        }
        // Of tables that say who holds a lease it is told with these.
        (EventFactKind::Sql { .. }, Some(table)) if !facts.operations.leases.contains_key(table) => {
            let of_name = |condition: &Condition| {
                condition.equal
                    && !words.lease_token_columns.contains(&condition.column)
                    && !words.lease_until_columns.contains(&condition.column)
            };
            function.statements(at).iter().any(|statement| {
                statement.kind == Kind::Delete
                    && statement.table.as_deref() == Some(table)
                    && !statement.conditions.is_empty()
                    && statement.conditions.iter().all(of_name)
                    && statement.either.is_empty()
            })
        }
        _ => false,
    }
}

/// Whether a function looks at what is in the store, or takes something itself, before it removes it.
fn asks_first(function: &FunctionOps) -> bool {
    function.events().any(|(at, event)| function.is_read(at) || acquired(event).is_some())
}

/// Whether what takes a key or a row is a lock by the name of the function, of its type, of the key or of the table: of others
/// it may be a mark.
pub(super) fn is_called_a_lock(facts: &Facts<'_>, event: &EventFact, table: Option<&str>) -> bool {
    let words = &facts.catalog.words.lock_names;
    let info = facts.program.function(event.function);
    let named = |name: &str| has_any(&state_word(name), words);
    let of_type = match &info.self_ty {
        Ty::Adt(id, _) => facts.program.type_(*id).path.as_str().rsplit("::").next().is_some_and(named),
        _ => false,
    };
    let key = acquired(event).and_then(|args| args.first());
    let in_key = |text: &str| {
        text.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| words.iter().any(|known| known == word))
    };
    named(info.ir.name.as_str())
        || of_type
        || table.is_some_and(|table| operations::is_called_a_lock(words, table))
        || key.is_some_and(|key| key.texts().any(in_key))
}

/// Whether a function takes a lease of a table by one call, and by a later one comes to where a row of it ends.
pub(super) fn is_taken_above(facts: &Facts<'_>, end: &EventFact, ends: &Statement) -> bool {
    let Some((table, lease)) = ends.table.as_deref().and_then(|table| facts.operations.leases.get_key_value(table))
    else {
        return false;
    };
    facts.operations.seen(end.span).filter(|(above, at)| above.event(*at).via.len() == 1).any(|(above, at)| {
        above.writes().any(|(before, taken)| {
            let takes = |statement: &Statement| statement.table.as_ref() == Some(table) && lease.is_taken(statement);
            before < at
                && taken.via.len() <= 1
                && above.statements(before).iter().any(takes)
                && meets(taken, above.event(at))
                && may_follow(&above.facts, before, at)
        })
    })
}
