//! The contract as a constant, for applications that want to read their own guarantees.

use crate::EffectState;
use core::time::Duration;

macro_rules! record {
    ($($(#[$doc:meta])+ $field:ident: $type:ty = $absent:expr,)+) => {
        /// A handler's contract, as `contract = NAME` in the `effect` attribute emits it.
        ///
        /// It holds what the attribute says. What only a configuration file says is not in it.
        ///
        /// ```
        /// use effect_contracts::{effect, Window};
        /// use std::time::Duration;
        ///
        /// #[effect(
        ///     intent_key = "invoice/{invoice}/charge",
        ///     provider_window = at_least("24h"),
        ///     terminal = [confirmed, rejected],
        ///     replay_horizon = "7d",
        ///     contract = CHARGE,
        /// )]
        /// fn charge(invoice: u64) {}
        ///
        /// assert_eq!(CHARGE.provider_window, Window::AtLeast(Duration::from_secs(86_400)));
        /// assert!(CHARGE.replay_horizon > CHARGE.provider_window.lower_bound());
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct ContractRecord {
            $($(#[$doc])+ pub $field: $type,)+
        }

        /// Puts a record together in a constant. The macro's business: not part of the public interface.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        pub struct RecordBuilder(ContractRecord);

        #[doc(hidden)]
        #[allow(missing_docs)] // hidden
        #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use, clippy::new_without_default)] // called by the macro only
        impl RecordBuilder {
            pub const fn new() -> Self {
                Self(ContractRecord { $($field: $absent,)+ })
            }

            $(pub const fn $field(mut self, value: $type) -> Self {
                self.0.$field = value;
                self
            })+

            pub const fn build(self) -> ContractRecord {
                self.0
            }
        }
    };
}

record! {
    /// the module and name of the function
    handler: &'static str = "",
    /// business identity of the effect, as written
    intent_key: &'static str = "",
    /// how long the provider deduplicates
    provider_window: Window = Window::Unpublished,
    /// states in which nothing more happens
    terminal: &'static [TerminalState] = &[],
    /// id in the provider catalog
    provider: Option<&'static str> = None,
    /// how a repeat is neutralised
    mechanism: &'static str = "key",
    /// longest time after first dispatch at which the intent can be delivered again
    replay_horizon: Option<Duration> = None,
    /// how the task reaches the handler
    delivery: Option<Delivery> = None,
    /// the internal transaction
    boundary: Option<&'static str> = None,
    /// the system of record
    record: Option<&'static str> = None,
    /// the calls that perform the effect
    dispatch: &'static [&'static str] = &[],
    /// the lookup for an unknown outcome
    reconcile: Option<Remedy> = None,
    /// the undo
    compensate: Option<Remedy> = None,
    /// whether it cannot be undone
    irreversible: bool = false,
    /// the effect that this handler undoes
    compensates: Option<&'static str> = None,
    /// how long ledger and inbox rows are kept
    evidence_retention: Option<Duration> = None,
    /// who decides an unknown outcome that stays unknown
    operator: Option<&'static str> = None,
    /// lease token or version checked at commit
    fence: Option<&'static str> = None,
    /// id shared by handlers of one intent
    effect: Option<&'static str> = None,
    /// name for tables
    name: Option<&'static str> = None,
    /// what sort of effect
    kind: Option<&'static str> = None,
}

/// How long a provider remembers a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// exactly this long
    Exact(Duration),
    /// this long or longer
    AtLeast(Duration),
    /// set by the operator
    Configurable {
        /// the value in force
        value: Duration,
        /// the greatest value
        max: Option<Duration>,
    },
    /// without end
    Forever,
    /// the provider does not say
    Unpublished,
    /// not at all
    None,
}

impl Window {
    /// The time for which deduplication can be relied on; `None` is without end.
    #[must_use]
    pub const fn lower_bound(self) -> Option<Duration> {
        match self {
            Self::Exact(value) | Self::AtLeast(value) | Self::Configurable { value, .. } => Some(value),
            Self::Forever => None,
            Self::Unpublished | Self::None => Some(Duration::ZERO),
        }
    }
}

/// How a task reaches its handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// duplicates are possible
    AtLeastOnce,
    /// loss is possible
    AtMostOnce,
    /// once, inside the named boundary
    ExactlyOnceWithin(&'static str),
    /// once, with no boundary named
    ExactlyOnce,
}

/// The lookup or the undo of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// the path of a function
    Function(&'static str),
    /// there is none, for this reason
    None(&'static str),
}

/// A state in which nothing more happens, and what the application calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalState {
    /// which state
    pub state: EffectState,
    /// path of the application's variant, or the stored text
    pub mapped: Option<&'static str>,
}
