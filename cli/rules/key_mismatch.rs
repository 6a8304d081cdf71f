//! `key-mismatch`: the key that is sent is not the declared intent key.

use std::collections::BTreeSet;

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::dispatches::{about_key, key_of};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::HandlerContract;
use crate::findings::{Confidence, Level};
use crate::flow::{DispatchFact, KeyVerdict, OriginKind, bound_names};
use crate::resolve::{FunctionInfo, Ty};

pub(super) const RULE: Rule = Rule {
    name: "key-mismatch",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "the key that is sent has other origins than the declared intent key",
    doc: include_str!("key_mismatch.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let Some((said, confidence)) = difference(facts, dispatch) else {
            continue;
        };
        let message = format!(
            "{} {said}: it is not the declared intent key, so the contract speaks of another identity than the provider sees",
            key_of(dispatch)
        );
        let help = "send the declared intent key, or declare the key that is sent";
        sink.report(about_key(
            facts,
            RULE.name,
            dispatch,
            confidence.min(dispatch.key.confidence.max(Confidence::Likely)),
            message,
            help,
        ));
    }
}

/// Whether an input is what a service signs its digests with: the same for all that it does, and no part of an identity.
fn is_secret(facts: &Facts<'_>, path: &str) -> bool {
    let words = &facts.catalog.words;
    let field = path.strip_prefix("self.").map(|rest| rest.rsplit('.').next().unwrap_or(rest));
    field.is_some_and(|field| {
        let last = field.rsplit('_').next().unwrap_or(field);
        words.secret_words.iter().any(|word| word == last) && !words.key_names.iter().any(|name| name == field)
    })
}

/// In what the key that is sent differs from the declared one, and how sure that is.
pub(super) fn difference(facts: &Facts<'_>, dispatch: &DispatchFact) -> Option<(String, Confidence)> {
    let handler = dispatch.handler?;
    let mut contracts = facts.contracts.iter().filter(|contract| contract.bodies.contains(&handler));
    // With several contracts in one function nobody knows which of them the dispatch is.
    let (Some(contract), None) = (contracts.next(), contracts.next()) else {
        return None;
    };
    let (declared, mut sent) = compared(contract, dispatch)?;
    let info = facts.program.function(handler);
    // Of several implementations that a call may mean, this is what another one makes of its own type.
    sent.retain(|path| !is_of_another(facts, info, path) && !is_secret(facts, path));
    let params: Vec<String> = info.ir.params.iter().flat_map(|param| bound_names(&info.ir, param)).collect();
    // What the body takes its values from has other names there: `line.number` is the number of each of `order.lines`.
    let inside = |name: &str| {
        let root = name.split('.').next().unwrap_or(name);
        info.ir.body.is_some() && root != "self" && !params.iter().any(|param| param == root)
    };
    if declared.iter().any(|name| inside(name) && !name.contains('.')) {
        return None;
    }
    let is_field = |name: &str, sent: &str| {
        let field = name.split_once('.').filter(|_| inside(name)).and_then(|(_, field)| sent.strip_suffix(field));
        field.is_some_and(|rest| rest.ends_with('.'))
    };
    let meets = |name: &str, sent: &str| covers(name, sent) || covers(sent, name) || is_field(name, sent);
    let quoted = |name: &String| format!("`{name}`");
    let absent: Vec<_> = declared.iter().filter(|name| !sent.iter().any(|one| meets(name, one))).map(quoted).collect();
    let extra: Vec<_> = sent.iter().filter(|one| !declared.iter().any(|name| meets(name, one))).map(quoted).collect();
    let said = match (absent.is_empty(), extra.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("lacks {}", absent.join(", ")),
        (true, false) => format!("also holds {}", extra.join(", ")),
        (false, false) => format!("lacks {} and holds {} instead", absent.join(", "), extra.join(", ")),
    };
    Some((said, if absent.is_empty() { Confidence::Likely } else { Confidence::Certain }))
}

/// Whether a path leads to a field that what the handler is given has not.
fn is_of_another(facts: &Facts<'_>, info: &FunctionInfo, path: &str) -> bool {
    let mut names = path.split('.');
    let (Some(root), Some(field)) = (names.next(), names.next()) else {
        return false;
    };
    let at = info.ir.params.iter().position(|param| param.name.is_some_and(|name| name.as_str() == root));
    match at.and_then(|at| info.params.get(at)) {
        Some(Ty::Adt(ty, _)) => {
            let fields = facts.program.type_(*ty).ir.fields();
            !fields.is_empty() && fields.iter().all(|known| known.name != field)
        }
        _ => false,
    }
}

/// Whether one path leads to the other or into it: `invoice` and `invoice.id`.
fn covers(path: &str, inner: &str) -> bool {
    path == inner || inner.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
}

/// The inputs of the declared key and those of the one that is sent, where both are known completely.
fn compared(contract: &HandlerContract, dispatch: &DispatchFact) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    if dispatch.key.verdict != KeyVerdict::Stable && dispatch.key.verdict != KeyVerdict::Coarse {
        return None;
    }
    let Some(KeyTemplate::Template { parts, .. }) = &contract.contract.intent_key else {
        return None;
    };
    let mut declared = BTreeSet::new();
    for part in parts {
        if let KeyPart::Placeholder(expression) = part {
            let simple = expression.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.'));
            if !simple {
                return None;
            }
            declared.insert(expression.clone());
        }
    }
    let mut sent = BTreeSet::new();
    for origin in &dispatch.key.origins {
        match &origin.kind {
            OriginKind::Input(name) => {
                sent.insert(name.to_string());
            }
            OriginKind::Constant(_) => {}
            // A stored, journaled or unknown part may well be the declared key under another name.
            _ => return None,
        }
    }
    Some((declared, sent))
}
