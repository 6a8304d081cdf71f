//! Leases that are rows: given up or prolonged by whoever, or held under a name that several go by.

use std::collections::{BTreeMap, BTreeSet};

use super::RULE;
use super::lease_owner::shared_name;
use super::lease_release;
use crate::findings::Confidence;
use crate::flow::{ENVIRONMENT, EventFact, EventFactKind, OriginKind, Role, ValueFact};
use crate::operations::{FunctionOps, LeaseTable, is_called_a_lock, runs_out, taken_where_run_out};
use crate::resolve::FnId;
use crate::rules::fenced::lasts;
use crate::rules::scene::{has_any, here, is_status, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::{FileId, Span};
use crate::sql::{Assignment, Conflict, Kind, Set, Statement};

/// Where leases are given up or prolonged that was told of.
pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) -> BTreeSet<Span> {
    if facts.operations.leases.is_empty() {
        return BTreeSet::new();
    }
    let taken = files_that_take(facts);
    let mut shared: Vec<(&FunctionOps, Shared<'_>)> = Vec::new();
    // Whoever takes what anybody holds needs no name for it.
    let mut told: BTreeSet<Span> = BTreeSet::new();
    for function in &facts.operations.functions {
        for (at, event) in function.events() {
            if event.via.is_empty() && changed_by_anyone(facts, function, at, &taken, sink) {
                told.insert(event.span);
            }
            shared.extend(owner(facts, function, at).map(|found| (function, found)));
        }
    }
    // Told where the name is given: whoever calls that function hands on the same one.
    let at: BTreeSet<(Span, FnId)> =
        shared.iter().map(|(function, found)| (found.event.span, function.facts.function)).collect();
    for (function, Shared { event, place, message, steps }) in shared {
        let nearer = event.through.iter().any(|&nearer| at.contains(&(event.span, nearer)));
        if !nearer && !told.contains(&event.span) {
            let text = (message.to_owned(), "use a random owner, made once for each acquisition");
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, text, steps));
        }
    }
    told
}

/// The files in which rows of leases are taken, with the table, and whether what takes one there is called a lock.
fn files_that_take<'a>(facts: &'a Facts<'_>) -> BTreeMap<(FileId, &'a str), bool> {
    let functions = facts.operations.functions.iter();
    let events = functions.flat_map(|function| function.events().map(move |(at, event)| (function, at, event)));
    let own = events.filter(|(_, _, event)| event.via.is_empty());
    let taken = own.flat_map(|(function, at, event)| {
        let takes = leases(facts, function, at).filter(|(statement, lease)| lease.is_taken(statement));
        takes.filter_map(move |(statement, _)| {
            let table = statement.table.as_deref()?;
            Some(((event.span.file, table), lease_release::is_called_a_lock(facts, event, Some(table))))
        })
    });
    let mut files = BTreeMap::new();
    taken.for_each(|(file, lock)| *files.entry(file).or_default() |= lock);
    files
}

/// Whether a function is there to give up one lease of a table, taken beside it: the row is there for nothing but the lock, as
/// what takes it is called, or is left without a holder. That it gives up says its name, or whoever takes a lease first and
/// calls it then.
fn gives_up(facts: &Facts<'_>, function: &FunctionOps, at: usize, lock: bool, ends: &Statement) -> bool {
    let words = &facts.catalog.words;
    let name = facts.program.function(function.facts.function).ir.name;
    let ends_one = || lock && lease_release::is_taken_above(facts, function.event(at), ends);
    let asks = || function.events().any(|(at, _)| function.is_read(at));
    let lock = lock || ends.kind == Kind::Update;
    let one =
        ends.either.is_empty() && ends.conditions.iter().all(|condition| condition.equal) && !ends.row().is_empty();
    lock && one && (has_any(&name, &words.unlock_verbs) || ends_one()) && !asks_state(facts, ends) && !asks()
}

/// A lease that is given up or prolonged without a look at who holds it: whether that was told.
fn changed_by_anyone(
    facts: &Facts<'_>,
    function: &FunctionOps,
    at: usize,
    taken: &BTreeMap<(FileId, &str), bool>,
    sink: &mut Sink,
) -> bool {
    let event = function.event(at);
    let mut told = false;
    for (statement, lease) in leases(facts, function, at) {
        let renews = set_in(statement, &lease.until).is_some_and(|until| lasts(facts, until));
        let takes = |(before, _): &(usize, &EventFact)| {
            *before < at
                && function
                    .statements(*before)
                    .iter()
                    .any(|other| other.table == statement.table && lease.is_taken(other))
        };
        let ends = statement.kind == Kind::Delete || owner_is_cleared(lease, statement);
        if lease.is_held(statement) {
            continue;
        }
        let beside = |table: &str| {
            let lock = taken.get(&(event.span.file, table));
            lock.is_some_and(|&lock| gives_up(facts, function, at, lock, statement))
        };
        let is_given_up = || {
            lease.declared
                || function.writes().any(|write| takes(&write))
                || statement.table.as_deref().is_some_and(beside)
        };
        let (message, help) = if ends && is_given_up() {
            (
                "the lease is given up whoever holds it: a run that has lost it frees that of the present holder",
                match lease.token.is_empty() {
                    true => "keep a random holder in the row, and make it a condition of the statement",
                    false => "make the holder a condition of the statement",
                },
            )
        } else if statement.kind == Kind::Update && renews && !asks_state(facts, statement) {
            (
                "the lease is prolonged whoever holds it: a run that has lost it takes it from the present holder",
                "make the holder a condition of the update, and stop when no row was changed",
            )
        } else {
            continue;
        };
        let text = (message.to_owned(), help);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), text, Vec::new()));
        told = true;
    }
    told
}

/// A holder's name that others go by, too.
struct Shared<'a> {
    event: &'a EventFact,
    place: Span,
    message: &'static str,
    steps: Vec<(Span, String)>,
}

/// The name under which a statement takes a lease, where it is no one holder's own.
fn owner<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<Shared<'a>> {
    let event = function.event(at);
    let EventFactKind::Sql { binds, places, .. } = &event.kind else {
        return None;
    };
    leases(facts, function, at).find_map(|(statement, lease)| {
        set_in(statement, &lease.until)?;
        let Set::Placeholder(number) = set_in(statement, &lease.token)?.value else {
            return None;
        };
        let bound = binds.get(number)?;
        let message = if is_one_for_all(function, event, bound) {
            "all tasks that are started here hold leases under one name: each passes for the holder of what another has \
             taken, and gives it up"
        } else {
            shared_name(bound)?
        };
        let made = bound.fresh.iter().map(|(_, at)| at).chain(&bound.surroundings);
        let mut steps: Vec<_> = made.map(|at| (*at, "the name is made here".to_owned())).collect();
        let place = match event.via.is_empty() {
            true => places.get(number).copied().unwrap_or_else(|| here(event)),
            false => {
                steps.extend(step(event, "the lease is taken under it"));
                here(event)
            }
        };
        Some(Shared { event, place, message, steps })
    })
}

/// The table of leases, by its name or by what is asked of the row, of which a statement takes one row for a time: at once, and
/// not with the commit of what else is done.
pub(super) fn named<'a>(facts: &'a Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a str> {
    if !function.event(at).pooled {
        return None;
    }
    let words = &facts.catalog.words;
    leases(facts, function, at).find_map(|(statement, lease)| {
        let table = statement.table.as_deref()?;
        let takes = lease.is_taken(statement) && set_in(statement, &lease.until).is_some();
        let for_a_time = || {
            is_called_a_lock(&words.lock_names, table)
                || taken_where_run_out(words, statement).is_some()
                || statement.conflict == Conflict::Update && runs_out(&lease.until, statement)
        };
        (takes && for_a_time()).then_some(table)
    })
}

/// Whether a lease that is a row is prolonged in each round of some work, or in a task beside it.
pub(super) fn is_prolonged(
    facts: &Facts<'_>,
    function: &FunctionOps,
    taken: usize,
    table: &str,
    work: &EventFact,
) -> bool {
    function.events().any(|(at, event)| {
        let beside = |(region, role): &(Span, Role)| match role {
            Role::Each { .. } => work.regions.iter().any(|(around, _)| around == region),
            _ => matches!(role, Role::Spawned { .. } | Role::Race),
        };
        let sets = |(statement, lease): (&Statement, &LeaseTable)| {
            statement.table.as_deref() == Some(table)
                && set_in(statement, &lease.until).is_some_and(|until| lasts(facts, until))
        };
        at != taken && event.regions.iter().any(beside) && leases(facts, function, at).any(sets)
    })
}

/// The statements of an event that are about leases.
fn leases<'a>(
    facts: &'a Facts<'_>,
    function: &'a FunctionOps,
    at: usize,
) -> impl Iterator<Item = (&'a Statement, &'a LeaseTable)> {
    let known = |table: &str| facts.operations.leases.get(table);
    function.statements(at).iter().filter_map(move |statement| Some((statement, known(statement.table.as_deref()?)?)))
}

/// What a statement sets one of some columns to.
fn set_in<'a>(statement: &'a Statement, columns: &[String]) -> Option<&'a Assignment> {
    statement.set.iter().find(|set| columns.contains(&set.column))
}

/// Whether several tasks are started in a loop of this function that all bring the same value along: it is made in front of
/// the loop.
fn is_one_for_all(function: &FunctionOps, event: &EventFact, value: &ValueFact) -> bool {
    let own = |at: &Span| function.facts.body.covers(*at);
    let each = event.regions.iter().position(|(at, role)| own(at) && matches!(role, Role::Each { .. }));
    let Some((each, rest)) = each.and_then(|at| Some((event.regions.get(at)?.0, event.regions.get(at + 1..)?))) else {
        return false;
    };
    let spawned = rest.iter().any(|(at, role)| each.covers(*at) && matches!(role, Role::Spawned { .. }));
    let of_process = |origin: &OriginKind| match origin {
        OriginKind::Input(name) => *name == ENVIRONMENT,
        origin => matches!(origin, OriginKind::Constant(_) | OriginKind::Fresh(_)),
    };
    let followed = !value.origins.is_empty() && value.origins.iter().all(of_process);
    spawned && followed && !value.fresh.iter().any(|(_, at)| each.covers(*at))
}

/// Whether a statement takes the holder out of a row.
fn owner_is_cleared(lease: &LeaseTable, statement: &Statement) -> bool {
    let cleared = |set: &Assignment| lease.token.contains(&set.column) && set.value == Set::Null;
    statement.kind == Kind::Update && statement.set.iter().any(cleared)
}

/// Whether a statement picks rows by their state: whoever takes new work does.
fn asks_state(facts: &Facts<'_>, statement: &Statement) -> bool {
    let table = statement.table.as_deref();
    statement.conditions.iter().any(|condition| is_status(facts, table, &condition.column))
}
