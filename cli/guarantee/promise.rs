//! What a provider promises, as far as contract and catalog agree: a mechanism, and a window against the replay horizon.

use std::time::Duration;

use effect_contracts_grammar::{Mechanism, Window};

use crate::catalog::Provider;
use crate::contracts::{Field, HandlerContract};

/// What can be relied on.
#[derive(Clone, Debug)]
pub struct Promise {
    /// the provider as the contract names it
    pub provider: Option<String>,
    /// how a repeat is neutralised
    pub mechanism: Mechanism,
    /// the window that can be relied on: the declared one, cut to what the catalog says
    pub window: Window,
    /// from when the window counts, where that is not the first dispatch; in words that follow a duration
    pub anchor: Option<String>,
    /// the longest time after first dispatch at which the intent can come again; `None` is without end
    pub horizon: Option<Duration>,
    /// window against horizon
    pub reach: Reach,
}

/// Window against replay horizon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// the window is as long as the horizon, or longer
    Whole,
    /// some window, shorter than the horizon
    Part,
    /// no promised window
    Nothing,
}

impl Promise {
    /// What contract and catalog promise together. Where both speak, the weaker word counts: a claim must not rest on
    /// what the provider does not say.
    pub fn new(contract: &HandlerContract, provider: Option<&Provider>) -> Self {
        let facts = &contract.contract;
        let declared = facts.mechanism.filter(|_| contract.is_declared(Field::Mechanism));
        let mechanism = match (declared, provider) {
            (Some(declared), Some(provider)) if is_key_like(declared) && !is_key_like(provider.mechanism) => {
                provider.mechanism
            }
            (Some(declared), _) => declared,
            (None, Some(provider)) => provider.mechanism,
            (None, None) => facts.mechanism.unwrap_or(Mechanism::Key),
        };
        let window = match (&facts.provider_window, provider) {
            (Some(declared), Some(provider)) => weaker(declared, provider),
            (Some(declared), None) => declared.clone(),
            (None, Some(provider)) => provider.window.clone(),
            (None, None) => Window::None,
        };
        let horizon = facts.replay_horizon;
        Self {
            provider: facts.provider.clone(),
            mechanism,
            reach: reach(&window, horizon),
            window,
            anchor: provider
                .and_then(|provider| provider.window_anchor.clone())
                .filter(|anchor| !anchor.contains("first")),
            horizon,
        }
    }

    /// Whether the mechanism works like a key.
    pub fn is_key_like(&self) -> bool {
        is_key_like(self.mechanism)
    }
}

/// Mechanisms by which the provider recognises a repeat. A lock, coalescing or a heuristic may let one through.
pub fn is_key_like(mechanism: Mechanism) -> bool {
    match mechanism {
        Mechanism::Key
        | Mechanism::DedupId
        | Mechanism::NaturalKey
        | Mechanism::SequenceNumber
        | Mechanism::Precondition
        | Mechanism::Transaction => true,
        Mechanism::Lock | Mechanism::Coalesce | Mechanism::Heuristic | Mechanism::AbsoluteWrite | Mechanism::None => {
            false
        }
    }
}

/// The longest window that a provider lets one declare; `None` is without end. It is the upper limit where the window
/// is configurable, else what is promised.
pub fn longest(provider: &Provider) -> Option<Duration> {
    match &provider.window {
        // a setting without a known upper limit excludes no value
        Window::Configurable { max, .. } => max.or(provider.window_max),
        window => window.lower_bound(),
    }
}

fn weaker(declared: &Window, provider: &Provider) -> Window {
    let Some(longest) = longest(provider) else {
        return declared.clone();
    };
    match declared.lower_bound() {
        Some(bound) if bound <= longest => declared.clone(),
        // the catalog's own words, which may also be that nothing is published
        _ => match &provider.window {
            Window::Configurable { .. } => Window::AtLeast(longest),
            window => window.clone(),
        },
    }
}

fn reach(window: &Window, horizon: Option<Duration>) -> Reach {
    match (window.lower_bound(), horizon) {
        (None, _) => Reach::Whole,
        (Some(Duration::ZERO), _) => Reach::Nothing,
        (Some(window), Some(horizon)) if window >= horizon => Reach::Whole,
        _ => Reach::Part,
    }
}
