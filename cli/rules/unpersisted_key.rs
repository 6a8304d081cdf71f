//! `unpersisted-key`: a fresh key that lives only as long as one run of its handler.

use super::dispatches::{about_key, named, origin_of};
use super::scene::{here, in_doubt, named as named_event, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, KeyVerdict, OriginKind, ValueFact};
use crate::operations::{FunctionOps, surely_before};
use crate::sql::{Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "unpersisted-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a fresh key that is kept only in memory, so that the next run of the handler makes another",
    doc: include_str!("unpersisted_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    facts.operations.functions.iter().for_each(|function| taken_back(facts, function, sink));
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        if key.verdict != KeyVerdict::PerAttempt || !key.kept_over {
            continue;
        }
        let from = origin_of(key);
        let scope = key.scope.as_ref().map_or_else(String::new, |scope| format!(" when {} runs again", scope.what));
        let until = match key.remembered {
            true => format!(
                "it is the same as long as this process lives, but{scope} after a restart or in another process"
            ),
            false => format!("it outlives the inner retries, but{scope}"),
        };
        let message = format!(
            "the key of {} comes from {from} and is kept only in memory: {until} the provider sees another key",
            named(dispatch)
        );
        let help = "store the key with the intent before the dispatch and read it back, or derive it from the intent";
        sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
    }
}

/// A key that only a row keeps which an error deletes, its id or what was minted for it: the next run stores another row,
/// and sends another key.
fn taken_back(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, dispatch) in function.dispatches() {
        let EventFactKind::Dispatch { keyed: true, key, .. } = &dispatch.kind else {
            continue;
        };
        let of_row = |origin: &OriginKind| matches!(origin, OriginKind::Stored | OriginKind::Constant(_));
        let is_id = key.origins.iter().all(of_row);
        if !key.origins.contains(&OriginKind::Stored) {
            continue;
        }
        let deleted = function.events().find_map(|(later, event)| {
            let deletes = function.statements(later).iter().find(|statement| statement.kind == Kind::Delete)?;
            let table = deletes.table.as_deref()?;
            let stored = function.events().find(|(before, _)| {
                let stores =
                    |statement: &Statement| statement.kind == Kind::Insert && statement.table.as_deref() == Some(table);
                let kept = is_id || keeps(function.event(*before), key) || claims(function, *before, key);
                kept && function.statements(*before).iter().any(stores) && surely_before(&function.facts, *before, at)
            })?;
            in_doubt(&function.facts, event, dispatch).map(|_| (event, stored.1))
        });
        let Some((deleted, stored)) = deleted else {
            continue;
        };
        let message = format!(
            "the key of {} is kept only in a row that an error deletes: the next run stores another row, and the provider sees another key",
            named_event(dispatch)
        );
        let help = "keep the row with its outcome unknown, or derive the key from the intent";
        let mut steps = step(stored, "the row is stored here");
        steps.extend(step(deleted, "and deleted here, where the outcome may be unknown"));
        let confidence = Confidence::Likely;
        sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
    }
}

/// Whether a statement stores what is fresh in a key.
fn keeps(event: &EventFact, key: &ValueFact) -> bool {
    match &event.kind {
        EventFactKind::Sql { binds, .. } => {
            binds.iter().flat_map(|bind| &bind.fresh).any(|(_, at)| key.fresh.iter().any(|(_, made)| made == at))
        }
        _ => false,
    }
}

/// Whether a statement stores something fresh and answers with the row that is there from then on, and a key is what was
/// read from it.
fn claims(function: &FunctionOps, at: usize, key: &ValueFact) -> bool {
    let EventFactKind::Sql { binds, .. } = &function.event(at).kind else {
        return false;
    };
    let bound = |origin: &OriginKind| binds.iter().any(|bind| bind.origins.contains(origin));
    function.statements(at).iter().any(|statement| statement.claims_by().is_some())
        && binds.iter().any(|bind| !bind.fresh.is_empty())
        && key.origins.iter().all(|origin| *origin == OriginKind::Stored || bound(origin))
}
