//! `dedup-by-delivery`: repeats are told by the delivery's id instead of the command's.

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::scene::{here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact};
use crate::operations::FunctionOps;
use crate::resolve::FnId;
use crate::sql::{Conflict, Set};

pub(super) const RULE: Rule = Rule {
    name: "dedup-by-delivery",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "repeats are told by a delivery or message id instead of the business command",
    doc: include_str!("dedup_by_delivery.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, claim) in function.events().filter(|(at, _)| function.is_claim(*at)) {
            let key = key(function, at);
            let is_of_delivery = |value: &&ValueFact| {
                is_of_delivery(facts, function, value, &[]) || is_of_message(facts, function, claim, value)
            };
            if key.is_empty() || !key.iter().all(is_of_delivery) {
                continue;
            }
            let message = "this is claimed under the id of the delivery: the same command in another delivery has \
                           another id, and is done again"
                .to_owned();
            let help = "claim under the id of the business command, which all its deliveries have in common";
            let steps = step(claim, "the claim is made here");
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(claim), (message, help), steps));
        }
    }
}

/// The values that a claim is made under: those of the columns that conflict, of a statement that names none its first
/// column; the key of a key-value store.
fn key(function: &FunctionOps, at: usize) -> Vec<&ValueFact> {
    let binds = match &function.event(at).kind {
        EventFactKind::Sql { binds, .. } => binds,
        EventFactKind::Store { args, .. } => return args.get(1).into_iter().collect(),
        _ => return Vec::new(),
    };
    let inserts = function.statements(at).iter().filter(|statement| statement.conflict == Conflict::Nothing);
    let columns = inserts.flat_map(|insert| {
        let target = &insert.conflict_target;
        let named = insert.set.iter().filter(move |set| target.contains(&set.column));
        named.chain(insert.set.first().filter(|_| target.is_empty()))
    });
    let bound = columns.filter_map(|set| match set.value {
        Set::Placeholder(number) => binds.get(number),
        _ => None,
    });
    bound.collect()
}

/// Whether nothing but the id of a delivery is in a value.
fn is_of_delivery(facts: &Facts<'_>, function: &FunctionOps, value: &ValueFact, further: &[String]) -> bool {
    let told = function.facts.handler.as_ref().map_or(&[][..], |handler| &handler.per_attempt);
    let of_delivery = |origin: &OriginKind| match origin {
        OriginKind::Attempt(what) => *what == "delivery-id",
        OriginKind::Input(path) => {
            let path = path.as_str();
            let last = path.rsplit('.').next().unwrap_or_default();
            let mut names = facts.catalog.words.delivery_names.iter().chain(further);
            names.any(|name| name == last) || told.iter().any(|name| name == path)
        }
        _ => false,
    };
    // Where a message stands says nothing of what it asks for, either.
    let places = &facts.catalog.words.place_names;
    let fixed = |origin: &OriginKind| match origin {
        OriginKind::Constant(_) | OriginKind::Empty => true,
        OriginKind::Input(path) => places.iter().any(|name| path.as_str().rsplit('.').next() == Some(name)),
        _ => false,
    };
    value.origins.iter().any(of_delivery) && value.origins.iter().all(|origin| of_delivery(origin) || fixed(origin))
}

/// Whether nothing but the id of a message is in a value, where the contract names another identity: whoever sends the
/// command again sends another message. Without a contract a message may well be the command.
fn is_of_message(facts: &Facts<'_>, function: &FunctionOps, claim: &EventFact, value: &ValueFact) -> bool {
    // The handler may be told the identity by whoever takes the message.
    let inside = |body: &FnId| *body == function.facts.function || claim.through.contains(body);
    let mut contracts = facts.contracts.iter().filter(|contract| contract.bodies.iter().any(inside));
    let (Some(contract), None) = (contracts.next(), contracts.next()) else {
        return false;
    };
    let Some(KeyTemplate::Template { parts, .. }) = &contract.contract.intent_key else {
        return false;
    };
    let names = &facts.catalog.words.message_names;
    let declared = parts.iter().filter_map(|part| match part {
        KeyPart::Placeholder(expression) => Some(expression.as_str()),
        _ => None,
    });
    let told_by_message = |path: &str| names.iter().any(|name| path.rsplit('.').next() == Some(name));
    let mut declared = declared.peekable();
    declared.peek().is_some() && !declared.any(told_by_message) && is_of_delivery(facts, function, value, names)
}
