//! `window-below-replay`: the provider forgets the key before the last replay, and nobody asks.

use effect_contracts_grammar::{Window, duration};

use super::on_contract::{at_field, provider_name, step, steps};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::Field;
use crate::findings::Level;
use crate::guarantee::has_lookup;

pub(super) const RULE: Rule = Rule {
    name: "window-below-replay",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "the provider forgets the key before the last possible replay, and there is no lookup",
    doc: include_str!("window_below_replay.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for (contract, guarantee) in facts.contracts.iter().zip(facts.guarantees) {
        let given = &contract.contract;
        let (Some(window), Some(horizon)) = (&given.provider_window, given.replay_horizon) else {
            continue;
        };
        // where nothing deduplicates there is no window that could be short
        if *window == Window::None || !guarantee.promise.is_key_like() {
            continue;
        }
        let Some(bound) = window.lower_bound().filter(|bound| *bound < horizon) else {
            continue;
        };
        if has_lookup(given) || guarantee.proofs.lookup {
            continue;
        }
        let provider = provider_name(contract);
        let remembered = if *window == Window::Unpublished {
            format!("{provider} publishes no window for the key")
        } else {
            format!("{provider} remembers the key for {}", duration::display(bound))
        };
        let mut violation = at_field(
            RULE.name,
            contract,
            Field::ProviderWindow,
            format!(
                "{remembered}, but the intent can come again until {} and nothing asks before it is sent again: a late \
                 replay is a second effect",
                duration::display(horizon)
            ),
            "name a lookup as `reconcile` and ask it before dispatching again, or shorten what can replay the intent"
                .into(),
        );
        violation.detail.push(("window", duration::display(bound)));
        violation.detail.push(("horizon", duration::display(horizon)));
        violation.path = steps(
            &violation.place,
            [step(
                contract,
                Field::ReplayHorizon,
                format!("the intent can come again until {} after first dispatch", duration::display(horizon)),
            )],
        );
        sink.report(violation);
    }
}
