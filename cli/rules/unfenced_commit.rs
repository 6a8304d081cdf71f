//! `unfenced-commit`: completion is written without the lease token that the contract names.

use std::collections::BTreeSet;

use super::scene::{has_any, here, named, step, violation, written};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Usage};
use crate::operations::{FunctionOps, LeaseTable, may_follow, meets};
use crate::source::Span;
use crate::sql::{Kind, Set, Statement};

pub(super) const RULE: Rule = Rule {
    name: "unfenced-commit",
    group: Group::Write,
    default_level: Level::Deny,
    summary: "completion is written without lease token or version",
    doc: include_str!("unfenced_commit.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let functions = &facts.operations.functions;
    let told: BTreeSet<Span> = functions.iter().flat_map(|function| without_the_lease(facts, function, sink)).collect();
    for function in functions {
        beside_the_holder(facts, function, &told, sink);
        let id = function.facts.function;
        let mut contracts = facts.contracts.iter().filter(|contract| contract.bodies.contains(&id));
        let Some(fence) = contracts.find_map(|contract| contract.contract.fence.clone()) else {
            continue;
        };
        for (dispatch_at, dispatch) in function.dispatches() {
            let unfenced = function.writes().find(|(at, event)| {
                let EventFactKind::Sql { binds, .. } = &event.kind else {
                    return false;
                };
                let updates = function.statements(*at).iter().any(|statement| statement.kind == Kind::Update);
                let bound = binds.iter().any(|bind| bind.is_input(&fence));
                *at > dispatch_at && updates && !bound && may_follow(&function.facts, dispatch_at, *at)
            });
            let Some((_, write)) = unfenced else {
                continue;
            };
            let message = format!(
                "the outcome of {} is written without `{fence}`: a run whose lease was lost overwrites what the present holder wrote",
                named(dispatch)
            );
            let help = "make the fence a condition of the update, and stop when no row was changed";
            let steps = step(dispatch, "the provider is asked to act here");
            sink.report(violation(
                facts,
                function,
                RULE.name,
                Confidence::Certain,
                here(write),
                (message, help),
                steps,
            ));
        }
    }
}

/// A result that is written to a row that is worked on under a lease, without asking whether the lease still holds: where the
/// statements of which that was told stand.
fn without_the_lease(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) -> Vec<Span> {
    let mut told = Vec::new();
    for (at, write) in function.writes() {
        for statement in function.statements(at) {
            let Some((table, lease)) = leased(facts, statement) else {
                continue;
            };
            let ends = is_final(facts, write, statement);
            if statement.kind != Kind::Update || !ends || lease.is_held(statement) || lease.is_taken(statement) {
                continue;
            }
            let taken = function.writes().find(|(before, _)| {
                let takes = |other: &Statement| other.table.as_deref() == Some(table) && lease.is_taken(other);
                *before < at && function.statements(*before).iter().any(takes)
            });
            // Where nobody takes the lease in sight, its holder may be told elsewhere; what is declared is declared.
            if taken.is_none() && !(lease.declared && write.via.is_empty()) {
                continue;
            }
            let token = lease.token.first().map_or("the lease's token", String::as_str);
            let message = format!(
                "the end of the work is written to `{table}` without `{token}`: a run whose lease was lost overwrites what the \
                 present holder wrote"
            );
            let help = "make the token of the lease a condition of the update, and stop when no row was changed";
            let mut steps = taken.map(|(_, taken)| step(taken, "the lease is taken here")).unwrap_or_default();
            steps.extend(step(write, "and its work is written here, whoever holds it"));
            let place = (message, help);
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(write), place, steps));
            told.push(write.span);
        }
    }
    told
}

/// A change to a row that others are held to be the holder for: it is the end of the work, or it goes on where one that asks for
/// the holder may have found nothing.
fn beside_the_holder(facts: &Facts<'_>, function: &FunctionOps, told: &BTreeSet<Span>, sink: &mut Sink) {
    for (at, write) in function.writes() {
        let written_below =
            facts.operations.one_below(write).is_some_and(|(below, at)| !below.statements(at).is_empty());
        for statement in function.statements(at) {
            let Some((table, lease)) = leased(facts, statement).filter(|(_, lease)| lease.asked) else {
                continue;
            };
            let changes = matches!(statement.kind, Kind::Update | Kind::Delete) && !statement.row().is_empty();
            if !changes || lease.is_held(statement) || lease.is_taken(statement) {
                continue;
            }
            let before = function.events().filter(|(before, _)| {
                let held = |other: &Statement| other.table.as_deref() == Some(table) && lease.names_holder(other);
                *before < at && function.statements(*before).iter().any(held)
            });
            let before: Vec<_> = before.collect();
            // Whoever looked what the holder's statement found knows that it is still the holder.
            let looked = |event: &EventFact| event.usage == Usage::Used && event.unread.is_none();
            if before.iter().any(|(before, event)| looked(event) || function.is_read(*before)) {
                continue;
            }
            let token = lease.token.first().map_or("the lease's token", String::as_str);
            let behind =
                before.iter().find(|(before, held)| may_follow(&function.facts, *before, at) && meets(held, write));
            let (message, steps) = match behind {
                Some((_, held)) if statement.kind == Kind::Update => (
                    format!(
                        "`{table}` is changed without `{token}` behind a statement that asks for it, and of which nobody looks \
                         whether it changed anything: the row of another holder is changed"
                    ),
                    step(held, "the holder is asked for here"),
                ),
                // Told where the statement is written down.
                _ if !written_below && !told.contains(&write.span) && ends_work(facts, function, write, statement) => (
                    format!(
                        "the work is ended in `{table}` without `{token}`, which others ask for: a run that has lost the row ends \
                         it under the hands of its present holder"
                    ),
                    Vec::new(),
                ),
                _ => continue,
            };
            let help = "make the holder a condition of the statement, and stop when no row was changed";
            let steps = steps.into_iter().chain(step(write, "and the row is changed here, whoever holds it")).collect();
            let text = (message, help);
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(write), text, steps));
        }
    }
}

/// Whether a statement is the good end of the work on a row: it says so, or a function of that name takes the row away.
fn ends_work(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact, statement: &Statement) -> bool {
    let words = &facts.catalog.words.completing_words;
    let name = facts.program.function(function.facts.function).ir.name;
    let is_good = |text: &str| facts.operations.means(text) == Some("confirmed");
    let says = statement.set.iter().any(|set| written(facts, event, statement, set).into_iter().flatten().any(is_good));
    says || statement.kind == Kind::Update && stores_result(facts, statement)
        || statement.kind == Kind::Delete && has_any(&name, words)
}

/// The table of leases that a statement changes.
fn leased<'a>(facts: &'a Facts<'_>, statement: &'a Statement) -> Option<(&'a str, &'a LeaseTable)> {
    let table = statement.table.as_deref()?;
    facts.operations.leases.get(table).map(|lease| (table, lease))
}

/// Whether a statement says that the work has come to its end.
fn is_final(facts: &Facts<'_>, event: &EventFact, statement: &Statement) -> bool {
    let ends = |text: &str| {
        let means = facts.operations.means(text);
        means.is_some_and(|means| matches!(means, "confirmed" | "rejected" | "terminal"))
    };
    statement.set.iter().any(|set| written(facts, event, statement, set).into_iter().flatten().any(ends))
        || stores_result(facts, statement)
}

/// Whether a statement stores what the work came to, in the column that is declared for that.
fn stores_result(facts: &Facts<'_>, statement: &Statement) -> bool {
    let declared =
        statement.table.as_deref().map_or(&[][..], |table| facts.operations.tables.columns(table, "receipt"));
    statement.set.iter().any(|set| declared.contains(&set.column) && set.value != Set::Null)
}
