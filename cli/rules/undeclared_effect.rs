//! `undeclared-effect`: an effect that no contract speaks of.

use std::collections::BTreeSet;

use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level, Place, Violation};
use crate::flow::{DispatchFact, Recognition, undeclared};
use crate::resolve::Callee;

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
        let function = facts.program.function(fact.function);
        sink.report(Violation {
            rule: RULE.name,
            confidence: confidence(fact),
            message: format!(
                "{}, and no contract says what holds when it is repeated or its answer is lost",
                performs(facts, fact)
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

/// What acts, told apart from others of its name by where it goes or whose it is.
fn performs(facts: &Facts<'_>, fact: &DispatchFact) -> String {
    let call = &fact.call;
    if call.is_empty() {
        return "a request that is not in sight carries the key that is set here".to_owned();
    }
    let name = match fact.callee(facts.program) {
        Some(Callee::External(path)) => path.to_string(),
        Some(Callee::ExternalMethod { receiver, method }) => {
            let ty = receiver.as_str();
            format!("{}::{method}", ty.rsplit("::").next().unwrap_or(ty))
        }
        _ => call.clone(),
    };
    match (&fact.provider, &fact.address) {
        (Some(provider), _) => format!("`{name}` performs an effect at {provider}"),
        (None, Some(address)) => format!("`{call}` to `{address}` performs an effect"),
        (None, None) => format!("`{name}` performs an effect"),
    }
}

fn confidence(fact: &DispatchFact) -> Confidence {
    match fact.recognition {
        // That something is posted is seen, that it does something there is not.
        Recognition::Catalog if fact.bare => Confidence::Likely,
        Recognition::Declared | Recognition::Catalog => Confidence::Certain,
        Recognition::Presumed(signs) if signs > 1 => Confidence::Likely,
        Recognition::Presumed(_) => Confidence::Possible,
        Recognition::FreeStanding | Recognition::Reading => Confidence::Likely,
    }
}
