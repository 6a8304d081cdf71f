//! `window-exceeds-provider`: the contract counts on more than the provider promises.

use effect_contracts_grammar::duration;

use super::on_contract::{at_field, provider_name};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;
use crate::guarantee::{is_key_like, longest, provider_of};

pub(super) const RULE: Rule = Rule {
    name: "window-exceeds-provider",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "the declared window is longer than what the provider promises",
    doc: include_str!("window_exceeds_provider.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let Some(provider) = provider_of(contract, facts.catalog) else {
            continue;
        };
        // a provider that deduplicates nothing is the fault `provider-without-dedup`
        if !is_key_like(provider.mechanism) {
            continue;
        }
        let (Some(window), Some(promised)) = (&contract.contract.provider_window, longest(provider)) else {
            continue;
        };
        let declared = window.lower_bound();
        if declared.is_some_and(|declared| declared <= promised) {
            continue;
        }
        let name = provider_name(contract);
        let declared = declared.map_or_else(|| "forever".into(), duration::display);
        let promise = if promised.is_zero() {
            format!("{name} publishes no window at all")
        } else {
            format!("{name} promises no more than {}", duration::display(promised))
        };
        let read = match (&provider.read_on, provider.sources.first()) {
            (Some(month), Some(source)) => format!(" (read {month} at {source})"),
            (None, Some(source)) => format!(" (read at {source})"),
            _ => String::new(),
        };
        let mut violation = at_field(
            RULE.name,
            contract,
            Field::ProviderWindow,
            format!("the declared window is {declared}, but {promise}: a repeat after that is a second effect"),
            format!(
                "declare what the provider promises{read}, or correct its `[[provider]]` entry if your agreement says more"
            ),
        );
        violation.detail.push(("declared", declared));
        violation.detail.push(("promised", duration::display(promised)));
        sink.report(violation);
    }
}
