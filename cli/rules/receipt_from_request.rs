//! `receipt-from-request`: the stored receipt is the request's own id.

mod looked_up;
mod made_up;

use super::scene::{has_any, here, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, ValueFact};
use crate::ir::Name;
use crate::operations::{FunctionOps, may_follow, outcomes_at};
use crate::source::Span;
use crate::sql::Set;

pub(super) const RULE: Rule = Rule {
    name: "receipt-from-request",
    group: Group::Unknown,
    default_level: Level::Warn,
    summary: "the stored receipt is the request's own id",
    doc: include_str!("receipt_from_request.md"),
    check,
    contract_error: false,
};

const HELP: &str =
    "take the receipt from the provider's answer; where the answer has none, ask the provider for it by the key";

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        // What is put together in place of an answer is told there, and not once more where it is stored.
        let mut made = false;
        for (at, event) in function.events() {
            let own = event.via.is_empty();
            match &event.kind {
                EventFactKind::Made { path, fields } if own => {
                    let Some(field) = fields.iter().find(|(name, value)| {
                        let echoed = has_any(name, &facts.catalog.words.echoed_fields);
                        let instead = || stands_for_answer(function, event, name, value);
                        !echoed
                            && instead().is_some_and(|known| {
                                let by_name = identifies(facts, name) && is_known_by(facts, function, name, known);
                                is_request(known) && (by_name || made_up::is_key_under(facts, function, name, known))
                            })
                            || is_request(value)
                                && (!echoed
                                    && (identifies(facts, name)
                                        || is_key(function, value)
                                        || is_identifier(facts, value))
                                    && is_answer_elsewhere(function, at, path, name)
                                    || is_key_again(facts, function, name, value) && answers(function, fields)
                                    || identifies(facts, name)
                                        && made_up::sent_under_another_name(function, name, value)
                                        && made_up::is_answer_otherwise(facts, function, at, path, fields))
                    }) else {
                        continue;
                    };
                    // A variant without names for its fields goes by its own.
                    let unnamed = field.0.bytes().all(|byte| byte.is_ascii_digit());
                    let variant = path.rsplit("::").next().unwrap_or(path);
                    report(facts, function, here(event), if unnamed { variant } else { &field.0 }, sink);
                    made = true;
                }
                EventFactKind::Sql { binds, places, .. } if !made => {
                    if let Some((column, number)) = receipt_column(facts, function, at, binds) {
                        let place = places.get(number).filter(|_| own).copied().unwrap_or(here(event));
                        report(facts, function, place, &column, sink);
                    }
                }
                _ => {}
            }
        }
        for (place, field) in looked_up::filled(facts, function) {
            report(facts, function, place, &field, sink);
        }
    }
}

fn report(facts: &Facts<'_>, function: &FunctionOps, place: Span, field: &str, sink: &mut Sink) {
    let message = format!(
        "`{field}` is to hold what the provider answered, and holds what was sent to it: it was known before the call, so it \
            neither shows that the provider acted nor finds the effect there"
    );
    // Of what may be repeated without harm a receipt is kept, too.
    let acts = function.events().map(|(_, event)| event);
    let acts = acts.filter(|event| matches!(event.kind, EventFactKind::Dispatch { .. })).collect::<Vec<_>>();
    let asked = |dispatch: &&EventFact| (here(dispatch), "the provider is asked to act here".to_owned());
    let steps = acts.iter().take(1).map(asked).collect();
    // What one of several implementations answers with, another one may have from the provider.
    let one_of_several = acts.iter().all(|dispatch| dispatch.chosen.is_open());
    let confidence = if one_of_several { Confidence::Possible } else { Confidence::Likely };
    sink.report(violation(facts, function, RULE.name, confidence, place, (message, HELP), steps));
}

/// Whether a value comes from the inputs alone.
fn is_request(value: &ValueFact) -> bool {
    let inputs = value.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_)));
    inputs
        && value.replies.is_empty()
        && value.origins.iter().all(|origin| matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_)))
}

/// Whether a value comes from the inputs and from what was read before the provider was asked.
fn is_known_before(function: &FunctionOps, at: usize, value: &ValueFact) -> bool {
    let known =
        |origin: &OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Stored | OriginKind::Constant(_));
    value.replies.is_empty()
        && value.origins.iter().all(known)
        && value.origins.iter().any(|origin| !matches!(origin, OriginKind::Constant(_)))
        && (!value.origins.contains(&OriginKind::Stored) || !is_asked_since(function, at))
}

/// Whether somebody is asked or read from between the first dispatch and an event.
fn is_asked_since(function: &FunctionOps, at: usize) -> bool {
    let acted = function.dispatches().map(|(dispatch, _)| dispatch).find(|dispatch| *dispatch < at);
    let asks = |between: usize| {
        let kind = &function.event(between).kind;
        matches!(kind, EventFactKind::Lookup { .. } | EventFactKind::Asked { .. }) || function.is_read(between)
    };
    acted.is_some_and(|acted| (acted..at).any(asks))
}

/// Whether the same field of the same type holds what the provider answered elsewhere in the function. What is told of an
/// error is no receipt.
fn is_answer_elsewhere(function: &FunctionOps, at: usize, path: &str, field: &str) -> bool {
    let answered = |other: &EventFact, site: &Span| {
        let acted = function.dispatches().find(|(_, dispatch)| dispatch.span == *site);
        let after = acted.is_some_and(|(before, _)| may_follow(&function.facts, before, at));
        after && outcomes_at(&function.facts, other, *site).has(Outcomes::CONFIRMED)
    };
    function.events().any(|(_, other)| match &other.kind {
        EventFactKind::Made { path: known, fields } => {
            known == path
                && fields
                    .iter()
                    .any(|(name, value)| name == field && value.replies.iter().any(|site| answered(other, site)))
        }
        _ => false,
    })
}

/// Whether the provider is asked in this very function, or by one that it calls for that: what has been made of the answer
/// further down, others answer for.
fn is_direct(function: &FunctionOps, at: usize) -> bool {
    function.dispatches().any(|(dispatch, event)| dispatch < at && event.via.len() <= 1)
}

/// Of a value that one way fills with a provider's answer: what another one fills it with that was known before. It goes by
/// its name where it is stored; of what another function stores, it is the only argument of its origins.
fn stands_for_answer<'f>(
    function: &'f FunctionOps,
    event: &EventFact,
    name: &str,
    value: &ValueFact,
) -> Option<&'f ValueFact> {
    let acted = |site: &Span| function.dispatches().any(|(_, dispatch)| dispatch.span == *site);
    let own = event.via.is_empty();
    let values = function.events().find_map(|(_, other)| match &other.kind {
        EventFactKind::Instead { values } if other.span == here(event) => Some(values),
        _ => None,
    })?;
    let is_it = |(at, _, whole): &&(Name, ValueFact, ValueFact)| {
        let same = if own { **at == *name } else { same_origins(whole, value) };
        same && whole.replies.iter().any(acted)
    };
    let mut found = values.iter().filter(is_it);
    let (_, known, _) = found.next()?;
    found.next().is_none().then_some(known)
}

fn same_origins(one: &ValueFact, other: &ValueFact) -> bool {
    let within = |one: &ValueFact, other: &ValueFact| one.origins.iter().all(|origin| other.origins.contains(origin));
    within(one, other) && within(other, one)
}

/// Whether a field or column is named after an identifier that somebody else gives, and holds the key that was sent.
fn is_key_again(facts: &Facts<'_>, function: &FunctionOps, name: &str, value: &ValueFact) -> bool {
    let words = &facts.catalog.words;
    let identifies = identifies(facts, name);
    let is_receipt = |name: &str| words.receipt_columns.iter().any(|known| known == name);
    // `bank_receipt` says whose it is.
    let foreign = is_receipt(name)
        || name.rsplit_once('_').is_some_and(|(whose, what)| is_receipt(what) && has_any(whose, &words.issuer_names))
        || identifies && has_any(name, &words.issuer_names);
    foreign && is_key(function, value)
}

/// Whether a field or column is named after an identifier.
fn identifies(facts: &Facts<'_>, name: &str) -> bool {
    has_any(name, &facts.catalog.words.identity_names) || matches!(name.rsplit('_').next(), Some("no" | "ref"))
}

/// Whether a value is made of inputs that are named after identifiers, rather than the whole message that was to be sent.
fn is_identifier(facts: &Facts<'_>, value: &ValueFact) -> bool {
    value.origins.iter().all(|origin| match origin {
        OriginKind::Input(path) => identifies(facts, path.rsplit('.').next().unwrap_or(path)),
        _ => true,
    })
}

/// Whether a value is the key that was sent.
pub(super) fn is_key(function: &FunctionOps, value: &ValueFact) -> bool {
    let parts = |value: &ValueFact| {
        let parts = value.origins.iter().filter(|origin| !matches!(origin, OriginKind::Constant(_)));
        parts.cloned().collect::<Vec<_>>()
    };
    let own = parts(value);
    function.dispatches().any(|(_, dispatch)| match &dispatch.kind {
        EventFactKind::Dispatch { key, keyed: true, .. } => parts(key) == own,
        _ => false,
    })
}

/// Whether a value is a part of what was handed to the provider.
pub(super) fn was_sent(function: &FunctionOps, value: &ValueFact) -> bool {
    let within = |whole: &ValueFact, part: &OriginKind| {
        let OriginKind::Input(path) = part else {
            return true;
        };
        whole.origins.iter().any(|origin| match origin {
            OriginKind::Input(known) => {
                path.as_str().strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            _ => false,
        })
    };
    function.dispatches().any(|(_, dispatch)| match &dispatch.kind {
        EventFactKind::Dispatch { args, .. } => value.origins.iter().all(|part| within(args, part)),
        _ => false,
    })
}

/// Whether a value is what the request was to be known by: the key that was sent, or an identifier of another name in what was
/// handed over.
fn is_known_by(facts: &Facts<'_>, function: &FunctionOps, name: &str, value: &ValueFact) -> bool {
    let mut inputs = value.origins.iter().filter_map(|origin| match origin {
        OriginKind::Input(path) => Some(path.as_str()),
        _ => None,
    });
    let (Some(own), None) = (inputs.next(), inputs.next()) else {
        return is_key(function, value);
    };
    let names = own.rsplit_once('.').is_some_and(|(_, last)| last != name && identifies(facts, last));
    is_key(function, value) || names && was_sent(function, value)
}

/// Whether something in it is what the provider answered.
fn answers(function: &FunctionOps, fields: &[(Name, ValueFact)]) -> bool {
    let sites: Vec<_> = function.dispatches().map(|(_, event)| event.span).collect();
    fields.iter().any(|(_, value)| value.replies.iter().any(|reply| sites.contains(reply)))
}

/// The column for receipts that a statement after a dispatch fills from the inputs, and by which of its values.
fn receipt_column(
    facts: &Facts<'_>,
    function: &FunctionOps,
    at: usize,
    binds: &[ValueFact],
) -> Option<(String, usize)> {
    if !function.dispatches().any(|(dispatch, _)| dispatch < at) {
        return None;
    }
    function.statements(at).iter().find_map(|statement| {
        let table = statement.table.as_deref().unwrap_or_default();
        let declared = facts.operations.tables.columns(table, "receipt");
        statement.set.iter().find_map(|assignment| {
            let Set::Placeholder(number) = assignment.value else {
                return None;
            };
            let event = function.event(at);
            let filled = binds.get(number).is_some_and(|bound| {
                let sent = |bound: &ValueFact, direct: bool| {
                    is_request(bound) && declared.contains(&assignment.column)
                        || is_known_before(function, at, bound)
                            && direct
                            && is_key_again(facts, function, &assignment.column, bound)
                };
                let is_named_key = |known: &ValueFact| {
                    identifies(facts, &assignment.column)
                        && is_request(known)
                        && is_known_by(facts, function, &assignment.column, known)
                };
                // The column says what it holds: one way what was answered, another way what was sent.
                let is_named_receipt = |known: &ValueFact| {
                    let handed_over = || !is_asked_since(function, at) && made_up::was_handed_over(function, known);
                    (is_request(known) || handed_over())
                        && has_any(&assignment.column, &facts.catalog.words.receipt_columns)
                        && was_sent(function, known)
                };
                event.via.len() <= 1 && sent(bound, is_direct(function, at))
                    || stands_for_answer(function, event, &number.to_string(), bound)
                        .is_some_and(|known| sent(known, true) || is_named_key(known) || is_named_receipt(known))
            });
            filled.then(|| (assignment.column.clone(), number))
        })
    })
}
