//! The claim table: the first row that matches is the guarantee.

use effect_contracts_grammar::{Contract, Delivery, Mechanism};

use super::{KeyState, Promise, Proofs, Reach};
use crate::contracts::lookup_of;

/// A row of the claim table, from the strongest to the weakest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// an absolute write
    Harmless,
    /// the window covers the replay horizon
    WholeHorizon,
    /// the window is shorter, and the code asks before it dispatches again
    WindowThenLookup,
    /// the window is shorter, and a lookup is declared
    WindowThenRepeat,
    /// no promised window, but the code asks before it dispatches again
    LookupOnly,
    /// no mechanism, but the code asks before it dispatches again
    NarrowedByLookup,
    /// distinct intents share a key
    Swallowed,
    /// never delivered again
    AtMostOnce,
    /// anything else
    AtLeastOnce,
}

impl Claim {
    /// All rows, in their order.
    pub const ALL: [Self; 9] = [
        Self::Harmless,
        Self::WholeHorizon,
        Self::WindowThenLookup,
        Self::WindowThenRepeat,
        Self::LookupOnly,
        Self::NarrowedByLookup,
        Self::Swallowed,
        Self::AtMostOnce,
        Self::AtLeastOnce,
    ];

    /// The row with these words.
    pub fn by_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|claim| claim.text() == text)
    }

    /// The words of the table.
    pub fn text(self) -> &'static str {
        match self {
            Self::Harmless => "repeats are harmless",
            Self::WholeHorizon => "effectively once for the horizon",
            Self::WindowThenLookup => "effectively once for the window; later only after asking",
            Self::WindowThenRepeat => "effectively once for the window; later it can repeat",
            Self::LookupOnly => "no promised window; repeats only if the lookup is inconclusive",
            Self::NarrowedByLookup => "at least once, narrowed by the lookup",
            Self::Swallowed => "distinct intents can be swallowed",
            Self::AtMostOnce => "at most once; can be lost",
            Self::AtLeastOnce => "at least once; duplicates possible",
        }
    }
}

/// The first row that matches.
pub(super) fn claim(contract: &Contract, promise: &Promise, key: &KeyState, proofs: Proofs) -> Claim {
    if promise.mechanism == Mechanism::AbsoluteWrite && proofs.absolute_write {
        return Claim::Harmless;
    }
    let key_like = promise.is_key_like();
    match key {
        // what could not be followed is never counted as proven, for or against
        KeyState::Unproven(_) => return Claim::AtLeastOnce,
        KeyState::Stable if key_like => match promise.reach {
            Reach::Whole => return Claim::WholeHorizon,
            Reach::Part if proofs.lookup => return Claim::WindowThenLookup,
            Reach::Part if has_lookup(contract) => return Claim::WindowThenRepeat,
            Reach::Nothing if proofs.lookup => return Claim::LookupOnly,
            Reach::Part | Reach::Nothing => {}
        },
        KeyState::Stable if counts_as_none(promise.mechanism) && proofs.lookup && proofs.intent_persisted => {
            return Claim::NarrowedByLookup;
        }
        KeyState::Coarse if key_like => return Claim::Swallowed,
        _ => {}
    }
    if contract.delivery == Some(Delivery::AtMostOnce) && !proofs.retry_scope {
        return Claim::AtMostOnce;
    }
    Claim::AtLeastOnce
}

/// Whether the contract names a lookup.
pub fn has_lookup(contract: &Contract) -> bool {
    lookup_of(contract).is_some()
}

fn counts_as_none(mechanism: Mechanism) -> bool {
    matches!(mechanism, Mechanism::None | Mechanism::Lock | Mechanism::Coalesce | Mechanism::Heuristic)
}
