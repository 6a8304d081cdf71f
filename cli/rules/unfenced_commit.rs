//! `unfenced-commit`: completion is written without the lease token that the contract names.

use super::scene::{here, named, step, violation, written};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind};
use crate::operations::{FunctionOps, LeaseTable, may_follow};
use crate::sql::{Kind, Statement};

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
    for function in &facts.operations.functions {
        without_the_lease(facts, function, sink);
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

/// A result that is written to a row that is worked on under a lease, without asking whether the lease still holds.
fn without_the_lease(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
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
        }
    }
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
}
