//! `reconcile-without-key`: what happened is looked up by something that many intents have in common.

use super::scene::{has_any, here, in_doubt, is_beside, is_status, named, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind};
use crate::operations::{FunctionOps, TableRole};
use crate::sql::{Kind, Set, Statement};

pub(super) const RULE: Rule = Rule {
    name: "reconcile-without-key",
    group: Group::Unknown,
    default_level: Level::Warn,
    summary: "a lookup goes by amount, date or the like",
    doc: include_str!("reconcile_without_key.md"),
    check,
    contract_error: false,
};

const HELP: &str = "look up by the intent key, which the provider was given and gives back";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        picked(facts, function, sink);
        asked_by_others(facts, function, sink);
        for (at, event) in function.events().filter(|(_, event)| event.via.is_empty()) {
            let (what, confidence) = match &event.kind {
                EventFactKind::Lookup { key, .. } if is_coarse(facts, key) => {
                    ("the provider is asked".to_owned(), Confidence::Certain)
                }
                EventFactKind::Sql { .. } => match by_amount(facts, function, at) {
                    Some((table, confidence)) => (format!("a row of `{table}` is looked for"), confidence),
                    None => continue,
                },
                _ => continue,
            };
            let message = format!(
                "{what} by values that several intents have in common: another one's row may be taken for this one's"
            );
            let steps = step(event, "the lookup");
            sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
        }
    }
}

/// One of several picked by amount, where the outcome of a dispatch is in doubt, and the several were not asked for by what
/// the dispatch is known by.
fn picked(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (_, event) in function.events() {
        let EventFactKind::Picked { from } = &event.kind else {
            continue;
        };
        let dispatch = function.dispatches().find(|(_, dispatch)| {
            let known_by = match &dispatch.kind {
                EventFactKind::Dispatch { key, .. } => key.origins.as_slice(),
                _ => &[],
            };
            let by_key =
                known_by.iter().any(|origin| matches!(origin, OriginKind::Input(_)) && from.origins.contains(origin));
            !by_key && in_doubt(&function.facts, event, dispatch).is_some()
        });
        let Some((_, dispatch)) = dispatch else {
            doubts_settled(facts, function, event, sink);
            continue;
        };
        let message = format!(
            "what became of {} is taken from the first of several with the same amount: another intent's may be taken for this one's",
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.extend(step(event, "one of several is picked here"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
    }
}

/// In doubt of a dispatch, somebody is asked by other values than its key, and what comes back is taken for it.
fn asked_by_others(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::Asked { by } = &event.kind else {
            continue;
        };
        let shared = |dispatch: &EventFact| match &dispatch.kind {
            EventFactKind::Dispatch { key, keyed: true, .. } => {
                let key: Vec<&OriginKind> = key.origins.iter().filter(|origin| is_input(origin)).collect();
                let mut by = by.origins.iter().filter(|origin| is_input(origin));
                let by_key = by.clone().any(|origin| key.contains(&origin));
                !key.is_empty() && !by_key && by.any(|origin| is_beside(origin, &key))
            }
            _ => false,
        };
        let dispatch = function
            .dispatches()
            .find(|(_, dispatch)| shared(dispatch) && in_doubt(&function.facts, event, dispatch).is_some());
        let Some((_, dispatch)) = dispatch else {
            continue;
        };
        let decided = function.events().find(|(later, state)| {
            let confirmed = matches!(&state.kind, EventFactKind::State { means } if means == "confirmed");
            *later > at && confirmed && in_doubt(&function.facts, state, dispatch).is_some()
        });
        let Some((_, decided)) = decided else {
            continue;
        };
        let message = format!(
            "where the outcome of {} is not known, it is asked for by other values than its key, which several intents may \
             have in common: another one's answer may be taken for this one's",
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.extend(step(event, "and asked what happened here"));
        steps.extend(step(decided, "what comes back is taken for it"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
    }
}

fn is_input(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(_))
}

/// One of several picked by amount, by which a row is settled that is stored as unknown.
fn doubts_settled(facts: &Facts<'_>, function: &FunctionOps, picked: &EventFact, sink: &mut Sink) {
    let unknown = |statement: &Statement| {
        statement.kind == Kind::Update
            && statement.conditions.iter().any(|condition| {
                let word =
                    matches!(&condition.against, Set::Text(text) if facts.operations.means(text) == Some("unknown"));
                word && is_status(facts, statement.table.as_deref(), &condition.column)
            })
    };
    let settled = function.writes().find(|(at, _)| function.statements(*at).iter().any(unknown));
    let Some((_, settled)) = settled else {
        return;
    };
    let message =
        "what is stored as unknown is settled by the first of several with the same amount: another intent's may be taken for \
         this one's"
            .to_owned();
    let mut steps = step(picked, "one of several is picked here");
    steps.extend(step(settled, "and settles the row here"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(picked), (message, HELP), steps));
}

/// Whether a lookup's key is made of amounts, dates and the like only.
fn is_coarse(facts: &Facts<'_>, key: &crate::flow::ValueFact) -> bool {
    let words = &facts.catalog.words;
    let inputs: Vec<&str> = key
        .origins
        .iter()
        .filter_map(|origin| match origin {
            OriginKind::Input(path) => path.as_str().rsplit('.').next(),
            _ => None,
        })
        .collect();
    let other = key
        .origins
        .iter()
        .any(|origin| !matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_) | OriginKind::Fresh(_)));
    let common =
        |name: &&str| has_any(name, &words.amount_columns) || words.weak_columns.iter().any(|word| word == name);
    !other && inputs.iter().any(|name| has_any(name, &words.amount_columns)) && inputs.iter().all(common)
}

/// The table in which a row is picked by amount, to be changed afterwards.
fn by_amount(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> Option<(String, Confidence)> {
    let changed =
        |table: &str| function.writes().any(|(later, _)| later > at && function.changed_tables(later).contains(&table));
    function.statements(at).iter().filter(|statement| statement.kind == Kind::Select).find_map(|statement| {
        let table = statement.table.as_deref()?;
        let columns = &statement.conditions;
        let words = &facts.catalog.words;
        let common = |column: &str| {
            has_any(column, &words.amount_columns) || words.weak_columns.iter().any(|word| word == column)
        };
        let amount =
            columns.iter().any(|condition| condition.equal && has_any(&condition.column, &words.amount_columns));
        let identity = columns.iter().any(|condition| condition.equal && !common(&condition.column));
        (amount && !identity && picks_one(statement) && changed(table)).then(|| {
            let declared = facts.operations.tables.role(table).is_some_and(|known| known == (TableRole::Ledger, true));
            (table.to_owned(), if declared { Confidence::Certain } else { Confidence::Likely })
        })
    })
}

/// Whether a query takes one row of perhaps several.
fn picks_one(statement: &Statement) -> bool {
    !statement.exists
}
