//! The four questions: can the state transition commit twice, can the task be delivered again, can the handler run
//! again, can the external effect repeat.

use effect_contracts_grammar::{Contract, Delivery};

use super::sentence::spaced;
use super::{Claim, KeyState, Promise, Proofs, Reach, Sentence};

/// The four answers. Each begins with `yes`, `no`, `only` or `not proven`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Questions {
    /// can the internal state transition commit twice
    pub commit_twice: Sentence,
    /// can the task be delivered again
    pub delivered_again: Sentence,
    /// can the handler run again
    pub run_again: Sentence,
    /// can the external effect repeat
    pub effect_repeats: Sentence,
}

impl Questions {
    /// The questions as people read them, with their answers.
    pub fn pairs(&self) -> [(&'static str, &Sentence); 4] {
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

fn commit_twice(contract: &Contract, proofs: Proofs) -> Sentence {
    match (&contract.fence, &contract.boundary) {
        (Some(fence), _) if proofs.fence => Sentence::from("no: the commit checks the fence ").code(fence),
        (Some(fence), _) => {
            Sentence::from("not proven: the fence ").code(fence).text(" is declared, not shown to be checked")
        }
        (None, Some(boundary)) => {
            Sentence::from("yes: no fence is declared, so a stale attempt can commit in ").code(boundary)
        }
        (None, None) => Sentence::from("yes: neither a boundary nor a fence is declared"),
    }
}

fn delivered_again(contract: &Contract) -> Sentence {
    let until = contract.replay_horizon.map_or_else(
        || ", without a declared end".into(),
        |horizon| format!(", until {} after first dispatch", spaced(horizon)),
    );
    match &contract.delivery {
        Some(Delivery::AtLeastOnce) => Sentence::from("yes: delivery is at least once").text(until),
        Some(Delivery::AtMostOnce) => Sentence::from("no: delivery is at most once, and the task can be lost"),
        Some(Delivery::ExactlyOnceWithin(boundary)) => Sentence::from("only outside ").code(boundary).text(until),
        Some(Delivery::ExactlyOnce) => {
            Sentence::from("yes: exactly once is claimed without a boundary, which nothing backs").text(until)
        }
        None => Sentence::from("yes: nothing is declared about delivery").text(until),
    }
}

fn run_again(contract: &Contract, proofs: Proofs) -> Sentence {
    Sentence::from(match (&contract.delivery, proofs.retry_scope) {
        (_, true) => "yes: the code repeats the dispatch",
        (Some(Delivery::AtMostOnce), false) => "no: the task comes at most once, and no retry was found",
        _ => "yes: with every further delivery, and after a crash before the result is recorded",
    })
}

fn effect_repeats(claim: Claim, promise: &Promise, key: &KeyState) -> Sentence {
    Sentence::from(match claim {
        Claim::Harmless => "yes, and it does no harm: the write is absolute",
        Claim::WholeHorizon => "no: the key is remembered for the whole replay horizon",
        Claim::WindowThenLookup => "only after the window, and only if the lookup is inconclusive",
        Claim::WindowThenRepeat => "only after the window: the lookup is declared, not shown to come first",
        Claim::LookupOnly | Claim::NarrowedByLookup => "only if the lookup is inconclusive",
        Claim::Swallowed => "no, but a distinct intent can be taken for a repeat",
        Claim::AtMostOnce => "no, but it can be lost",
        Claim::AtLeastOnce => {
            let why = why_repeats(promise, key);
            return match key {
                KeyState::Unproven(_) => Sentence::from("not proven: ").text(why),
                _ => Sentence::from("yes: ").text(why),
            };
        }
    })
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
