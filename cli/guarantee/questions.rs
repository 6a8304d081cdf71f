//! The four questions: can the state transition commit twice, can the task be delivered again, can the handler run
//! again, can the external effect repeat.

use effect_contracts_grammar::{Contract, Delivery};

use super::{Claim, KeyState, Promise, Proofs, Reach};
use crate::contracts::duration;

/// The four answers. Each begins with `yes`, `no`, `only` or `not proven`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Questions {
    /// can the internal state transition commit twice
    pub commit_twice: String,
    /// can the task be delivered again
    pub delivered_again: String,
    /// can the handler run again
    pub run_again: String,
    /// can the external effect repeat
    pub effect_repeats: String,
}

impl Questions {
    /// The questions as people read them, with their answers.
    pub fn pairs(&self) -> [(&'static str, &str); 4] {
        [
            ("Can the state transition commit twice?", &self.commit_twice),
            ("Can the task be delivered again?", &self.delivered_again),
            ("Can the handler run again?", &self.run_again),
            ("Can the external effect repeat?", &self.effect_repeats),
        ]
    }
}

pub(super) fn answer(
    contract: &Contract,
    claim: Claim,
    promise: &Promise,
    key: &KeyState,
    proofs: Proofs,
) -> Questions {
    Questions {
        commit_twice: commit_twice(contract, proofs),
        delivered_again: delivered_again(contract),
        run_again: run_again(contract, proofs),
        effect_repeats: effect_repeats(claim, promise, key),
    }
}

fn commit_twice(contract: &Contract, proofs: Proofs) -> String {
    match (&contract.fence, &contract.boundary) {
        (Some(fence), _) if proofs.fence => {
            format!("no: the commit checks the fence `{fence}`")
        }
        (Some(fence), _) => {
            format!("not proven: the fence `{fence}` is declared, not shown to be checked")
        }
        (None, Some(boundary)) => {
            format!("yes: no fence is declared, so a stale attempt can commit in `{boundary}`")
        }
        (None, None) => "yes: neither a boundary nor a fence is declared".into(),
    }
}

fn delivered_again(contract: &Contract) -> String {
    let until = contract.replay_horizon.map_or_else(
        || "without a declared end".into(),
        |horizon| format!("until {} after first dispatch", duration(horizon)),
    );
    match &contract.delivery {
        Some(Delivery::AtLeastOnce) => format!("yes: delivery is at least once, {until}"),
        Some(Delivery::AtMostOnce) => {
            "no: delivery is at most once, and the task can be lost".into()
        }
        Some(Delivery::ExactlyOnceWithin(boundary)) => {
            format!("only outside `{boundary}`, {until}")
        }
        Some(Delivery::ExactlyOnce) => {
            format!("yes: exactly once is claimed without a boundary, which nothing backs, {until}")
        }
        None => format!("yes: nothing is declared about delivery, {until}"),
    }
}

fn run_again(contract: &Contract, proofs: Proofs) -> String {
    match (&contract.delivery, proofs.retry_scope) {
        (_, true) => "yes: the code repeats the dispatch".into(),
        (Some(Delivery::AtMostOnce), false) => {
            "no: the task comes at most once, and no retry was found".into()
        }
        _ => "yes: with every further delivery, and after a crash before the result is recorded"
            .into(),
    }
}

fn effect_repeats(claim: Claim, promise: &Promise, key: &KeyState) -> String {
    match claim {
        Claim::Harmless => "yes, and it does no harm: the write is absolute".into(),
        Claim::WholeHorizon => "no: the key is remembered for the whole replay horizon".into(),
        Claim::WindowThenLookup => {
            "only after the window, and only if the lookup is inconclusive".into()
        }
        Claim::WindowThenRepeat => {
            "only after the window: the lookup is declared, not shown to come first".into()
        }
        Claim::LookupOnly | Claim::NarrowedByLookup => "only if the lookup is inconclusive".into(),
        Claim::Swallowed => "no, but a distinct intent can be taken for a repeat".into(),
        Claim::AtMostOnce => "no, but it can be lost".into(),
        Claim::AtLeastOnce => match key {
            KeyState::Unproven(reason) => format!("not proven: the key is unproven, {reason}"),
            _ => format!("yes: {}", why_repeats(promise, key)),
        },
    }
}

/// Why an effect of the last row can repeat.
pub(super) fn why_repeats(promise: &Promise, key: &KeyState) -> String {
    let provider = promise.provider.as_deref().unwrap_or("the provider");
    match key {
        KeyState::Unproven(reason) => format!("the key is unproven, {reason}"),
        KeyState::PerAttempt => "each attempt sends another key".into(),
        KeyState::RandomFallback => "on some path the key is replaced by a fresh one".into(),
        KeyState::Missing => "on some path no key is sent".into(),
        KeyState::MayBeEmpty => "on some path the key is empty".into(),
        KeyState::NotCarried => "the call carries no key".into(),
        KeyState::Stable | KeyState::Coarse if !promise.is_key_like() => {
            format!("{provider} does not deduplicate by a key")
        }
        KeyState::Stable | KeyState::Coarse => match promise.reach {
            Reach::Nothing => {
                format!("{provider} promises no window, and nothing is asked before a repeat")
            }
            _ => "the intent can come again after the window, and nothing is asked first".into(),
        },
    }
}
