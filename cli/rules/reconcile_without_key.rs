//! `reconcile-without-key`: what happened is looked up by something that many intents have in common.

mod reconcile_by_amount;
mod reconcile_pick;

use std::collections::BTreeSet;

use super::scene::{confirms, has_any, here, in_doubt, is_beside, is_status, named, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, ValueFact};
use crate::ir::Name;
use crate::operations::FunctionOps;
use crate::resolve::{Ty, TypeId};
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

pub(super) const HELP: &str = "look up by the intent key, which the provider was given and gives back";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let keys = key_fields(facts);
    for function in &facts.operations.functions {
        newest_of_others(facts, function, &keys, sink);
        reconcile_pick::check(facts, function, sink);
        asked_by_others(facts, function, sink);
        for (at, event) in function.events().filter(|(_, event)| event.via.len() <= 1) {
            let own = event.via.is_empty();
            let (what, confidence) = match &event.kind {
                EventFactKind::Lookup { key, .. } if own && is_coarse(facts, key) => {
                    ("the provider is asked".to_owned(), Confidence::Certain)
                }
                EventFactKind::Sql { .. } => match reconcile_by_amount::by_amount(facts, function, at) {
                    Some((table, confidence)) => (format!("a row of `{table}` is looked for"), confidence),
                    None => continue,
                },
                _ => continue,
            };
            let message = format!(
                "{what} by values that several intents have in common: another one's row may be taken for this one's"
            );
            let steps = step(event, "the lookup");
            sink.report(violation(facts, function, RULE.name, confidence, event.span, (message, HELP), steps));
        }
    }
}

/// In doubt of a dispatch, somebody is asked by other values than its key, and what comes back is taken for it.
fn asked_by_others(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::Asked { by } = &event.kind else {
            continue;
        };
        let by_amount = is_by_amount(facts, by);
        let shared = |dispatch: &EventFact| match &dispatch.kind {
            EventFactKind::Dispatch { key, keyed: true, .. } => {
                let key: Vec<&OriginKind> = key.origins.iter().filter(|origin| is_input(origin)).collect();
                let mut by = by.origins.iter().filter(|origin| is_input(origin));
                let by_key = by.clone().any(|origin| key.contains(&origin));
                !key.is_empty() && !by_key && (by.any(|origin| is_beside(origin, &key)) || by_amount)
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
            let confirmed = match &state.kind {
                EventFactKind::State { means } => means == "confirmed",
                // The first of those that have the same amount.
                EventFactKind::Picked { alike: false, .. } => by_amount,
                _ => false,
            };
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
        if !event.via.is_empty() {
            steps.push((here(event), "and asked what happened here".to_owned()));
        }
        steps.push((event.whole, "it is asked by these values".to_owned()));
        steps.extend(step(decided, "what comes back is taken for it"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
    }
}

/// Whether somebody is asked by an amount, and by nothing that names one thing.
fn is_by_amount(facts: &Facts<'_>, by: &ValueFact) -> bool {
    let words = &facts.catalog.words;
    let named = |list: &[String]| {
        by.origins.iter().any(|origin| match origin {
            OriginKind::Input(path) => path.as_str().rsplit('.').next().is_some_and(|name| has_any(name, list)),
            _ => false,
        })
    };
    named(&words.amount_columns) && !named(&words.identity_names) && !named(&words.key_names)
}

fn is_input(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(_))
}

/// The fields by which requests for a type go out under a key.
type KeyFields = BTreeSet<(TypeId, Name)>;

fn key_fields(facts: &Facts<'_>) -> KeyFields {
    let mut fields = KeyFields::new();
    for function in &facts.operations.functions {
        for (_, dispatch) in function.dispatches().filter(|(_, dispatch)| dispatch.via.is_empty()) {
            if let EventFactKind::Dispatch { key, keyed: true, .. } = &dispatch.kind {
                fields.extend(key.origins.iter().filter_map(|origin| field_of(facts, function, origin)));
            }
        }
    }
    fields
}

/// The type of a parameter, and the field of it that an input is.
fn field_of(facts: &Facts<'_>, function: &FunctionOps, origin: &OriginKind) -> Option<(TypeId, Name)> {
    let OriginKind::Input(path) = origin else {
        return None;
    };
    let (root, field) = path.as_str().split_once('.')?;
    let info = facts.program.function(function.facts.function);
    let at = info.ir.params.iter().position(|param| param.name.is_some_and(|name| name.as_str() == root))?;
    match info.params.get(at) {
        Some(Ty::Adt(ty, _)) => Some((*ty, Name::new(field))),
        _ => None,
    }
}

/// What is stored as unknown is confirmed by the newest, or any one, of those that a provider has for other values than the
/// key under which the request went out.
fn newest_of_others(facts: &Facts<'_>, function: &FunctionOps, keys: &KeyFields, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::Asked { .. } = &event.kind else {
            continue;
        };
        let nearest = event.through.last().copied().unwrap_or(function.facts.function);
        let Some(nearest) = facts.operations.function(nearest) else {
            continue;
        };
        let own = nearest.events().find(|(_, own)| own.span == event.span && own.via.is_empty());
        let Some((_, EventFact { kind: EventFactKind::Asked { by }, .. })) = own else {
            continue;
        };
        let picks = function.events().any(|(later, picked)| {
            let one = matches!(picked.kind, EventFactKind::Picked { alike: false, .. });
            one && later > at && picked.via.first() == event.via.first()
        });
        let of_others = asked_of_others(facts, nearest, by, keys);
        if !of_others || !(picks || asks_for_one(facts, by)) {
            continue;
        }
        let works_off = works_off_doubts(facts, function, at);
        let confirmed = function.events().find(|(later, _)| {
            // A change that asks for a row in doubt says so itself.
            let in_doubt = || function.statements(*later).iter().any(|statement| asks_unknown(facts, statement));
            *later > at && confirms(facts, function, *later) && (works_off || in_doubt())
        });
        let Some((_, confirmed)) = confirmed else {
            continue;
        };
        // What is asked for stands where the request begins, and not where it is sent.
        let place = if event.via.is_empty() { event.whole } else { here(event) };
        let message =
            "what is stored as unknown is confirmed by any one of those that are asked for here by other values than \
                       its key: another intent's may be taken for this one's"
                .to_owned();
        let mut steps = step(event, "the provider is asked what happened here");
        steps.extend(step(confirmed, "and what it answers with is taken for it"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, (message, HELP), steps));
    }
}

/// Whether somebody is asked by parts of a thing none of which is what its requests are known by, nor an identity by its name.
fn asked_of_others(facts: &Facts<'_>, function: &FunctionOps, by: &ValueFact, keys: &KeyFields) -> bool {
    let words = &facts.catalog.words.identity_names;
    let asked: Vec<(TypeId, Name)> = by.origins.iter().filter_map(|origin| field_of(facts, function, origin)).collect();
    let whole =
        by.origins.iter().any(|origin| matches!(origin, OriginKind::Input(path) if !path.as_str().contains('.')));
    let known = |ty: TypeId| keys.iter().any(|(of, _)| *of == ty);
    let names = |(_, name): &(TypeId, Name)| has_any(name.as_str(), words);
    let amount = |(_, name): &(TypeId, Name)| has_any(name.as_str(), &facts.catalog.words.amount_columns);
    let common = asked.iter().any(|field| known(field.0) || amount(field));
    !whole && common && !asked.iter().any(|field| keys.contains(field) || names(field))
}

/// Whether a request says that one is enough: `limit=1`.
fn asks_for_one(facts: &Facts<'_>, by: &ValueFact) -> bool {
    let words = &facts.catalog.words.page_size_names;
    let is_limit = |text: &str| words.iter().any(|word| word == text);
    let one = by.texts().any(|text| text == "1");
    by.texts().any(|text| {
        let mut pairs = text.split(['?', '&']).filter_map(|pair| pair.split_once('='));
        one && is_limit(text) || pairs.any(|(name, value)| is_limit(name) && value == "1")
    })
}

/// Whether an operation is one on rows that are stored as unknown: they were read before, or an arm for them is around it.
pub(super) fn works_off_doubts(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let read = (0..at).any(|before| {
        function
            .statements(before)
            .iter()
            .any(|statement| statement.kind == Kind::Select && asks_unknown(facts, statement))
    });
    let doubts = function.facts.conditions.iter().filter(|known| known.named && known.outcomes == Outcomes::UNKNOWN);
    read || doubts
        .into_iter()
        .any(|known| known.about.is_empty() && function.event(at).branches.contains(&known.branch))
}

/// Whether a statement picks rows that are stored as unknown.
pub(super) fn asks_unknown(facts: &Facts<'_>, statement: &Statement) -> bool {
    statement.conditions.iter().any(|condition| {
        let word = matches!(&condition.against, Set::Text(text) if facts.operations.means(text) == Some("unknown"));
        word && is_status(facts, statement.table.as_deref(), &condition.column)
    })
}

/// Whether a lookup's key is made of amounts, dates and the like only.
fn is_coarse(facts: &Facts<'_>, key: &ValueFact) -> bool {
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
