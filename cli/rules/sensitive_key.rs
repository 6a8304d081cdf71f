//! `sensitive-key`: personal or secret data in a key that providers log and show.

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::on_contract::at_field;
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "sensitive-key",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "the intent key holds personal or secret data",
    doc: include_str!("sensitive_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let words = &facts.catalog.words.sensitive_names;
    for contract in facts.contracts {
        let Some(key) = &contract.contract.intent_key else {
            continue;
        };
        let found = expressions(key).into_iter().find_map(|expression| {
            let name = plain_name(expression)?;
            sensitive(name, words).then_some((expression, name))
        });
        let Some((expression, name)) = found else {
            continue;
        };
        let mut violation = at_field(
            RULE.name,
            contract,
            Field::IntentKey,
            format!(
                "the intent key holds `{expression}`: keys are logged and kept by everybody on the way, and `{name}` is \
                 personal or secret"
            ),
            "use the identifier of the row that holds it, or a hash that only you can make".into(),
        );
        violation.detail.push(("name", name.to_owned()));
        sink.report(violation);
    }
}

fn expressions(key: &KeyTemplate) -> Vec<&str> {
    match key {
        KeyTemplate::Template { parts, .. } => parts
            .iter()
            .filter_map(|part| match part {
                KeyPart::Placeholder(expression) => Some(expression.as_str()),
                KeyPart::Text(_) => None,
            })
            .collect(),
        KeyTemplate::Expression(text) => vec![text],
    }
}

/// What a path of fields and accessors ends in: `user.email()` is `email`. Anything with an argument or an operator may
/// hash or look up, and is not judged by a name in it.
fn plain_name(expression: &str) -> Option<&str> {
    let mut last = None;
    for segment in expression.split('.') {
        let segment = segment.trim();
        let name = segment.strip_suffix("()").unwrap_or(segment);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return None;
        }
        // `email.as_str()` still shows the address
        if !(segment.ends_with("()") && keeps_its_receiver(name)) {
            last = Some(name);
        }
    }
    last
}

fn keeps_its_receiver(method: &str) -> bool {
    method == "clone" || method == "trim" || ["as_", "to_", "into_"].iter().any(|prefix| method.starts_with(prefix))
}

/// Whether a name is one of the words, or ends in one: `billing_email`.
fn sensitive(name: &str, words: &[String]) -> bool {
    words.iter().any(|word| name == word || name.strip_suffix(word.as_str()).is_some_and(|head| head.ends_with('_')))
}
