//! `unfenced-commit`: completion is written without the lease token that the contract names.

use super::scene::{here, named, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFactKind, OriginKind};
use crate::operations::may_follow;
use crate::sql::Kind;

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
                let bound = binds.iter().flat_map(|bind| &bind.origins).any(|origin| match origin {
                    OriginKind::Input(path) => {
                        path == &fence || path.ends_with(&format!(".{fence}")) || fence.ends_with(path.as_str())
                    }
                    _ => false,
                });
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
