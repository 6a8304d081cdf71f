//! `undeclared-effect`: an effect that no contract speaks of.

use std::collections::BTreeSet;

use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Violation};
use crate::flow::{Recognition, undeclared};

pub(super) const RULE: Rule = Rule {
    name: "undeclared-effect",
    group: Group::Coverage,
    default_level: Level::Note,
    summary: "a recognised dispatch in no declared handler",
    doc: include_str!("undeclared_effect.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let mut seen = BTreeSet::new();
    for fact in undeclared(facts.program, facts.contracts, facts.flow) {
        if !seen.insert(fact.site) {
            continue;
        }
        let provider = fact.provider.as_deref().map_or_else(String::new, |id| format!(" at {id}"));
        let function = facts.program.function(fact.function);
        sink.report(Violation {
            rule: RULE.name,
            confidence: confidence(fact.recognition),
            message: format!(
                "{} performs an effect{provider}, and no contract says what holds when it is repeated or its answer \
                 is lost",
                call_name(&fact.call)
            ),
            help: format!(
                "put `#[effect(…)]` on the handler around it, or an `[[effect]]` for `{}` in `effects.toml`; `cargo \
                 effects init` proposes both",
                function.path
            ),
            place: Place::Source(fact.site),
            path: Vec::new(),
            handler: Some(function.path.to_string()),
            detail: vec![("call", fact.call.clone())],
        });
    }
}

/// The call, or that only its key is in sight.
fn call_name(call: &str) -> String {
    if call.is_empty() { "the request that carries this key".into() } else { format!("`{call}`") }
}

fn confidence(recognition: Recognition) -> Confidence {
    match recognition {
        Recognition::Declared | Recognition::Catalog => Confidence::Certain,
        Recognition::Presumed(signs) if signs > 1 => Confidence::Likely,
        Recognition::Presumed(_) => Confidence::Possible,
        Recognition::FreeStanding => Confidence::Likely,
    }
}
