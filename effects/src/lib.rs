//! Guarantee contracts for handlers of external effects: payments, mail, messages, entitlements.
//!
//! The provider acts, and the service records that it did, in two systems with no transaction over both. Nobody can
//! make that exactly once. What can be done is to say, for every handler, which guarantee is true:
//!
//! ```
//! use effect_contracts::effect;
//! # struct Stripe;
//! # impl Stripe {
//! #     fn create_charge(&self, _key: &str) {}
//! #     fn find_charge_by_key(&self, _key: &str) {}
//! # }
//! # struct Invoice { id: u64 }
//! # enum ChargeState { Settled, Declined }
//! # fn refund_invoice(_: &Stripe, _: &Invoice) {}
//!
//! #[effect(
//!     intent_key = "invoice/{invoice.id}/charge",
//!     provider = "stripe-v1",
//!     provider_window = at_least("24h"),
//!     terminal = [confirmed = ChargeState::Settled, rejected = ChargeState::Declined, reconciled, compensated],
//!     replay_horizon = "7d",
//!     delivery = at_least_once,
//!     reconcile = Stripe::find_charge_by_key,
//!     compensate = refund_invoice,
//!     operator = "runbooks/charge.md",
//!     bind = charge_key,
//! )]
//! async fn charge_invoice(stripe: &Stripe, invoice: &Invoice) {
//!     // `charge_key` is "invoice/17/charge" on the first attempt and on every other.
//!     stripe.create_charge(charge_key.as_str());
//! }
//! ```
//!
//! - [`effect`] puts the contract on a function or method, [`handler!`] on a closure, [`macro@effect_case`] ties a test to a
//!   failure case of a contract. Nothing of it runs at run time, unless `bind` asks for the key.
//! - [`IntentKey`] is the identity that goes to the provider.
//! - [`EffectState`] has the states of an effect and their legal transitions.
//! - [`ContractRecord`] is the contract as a constant.
//!
//! `cargo effects check` reads the same contracts and compares them with the code; it is a tool of its own and no
//! dependency of the application.
//!
//! # Features
//!
//! - `alloc` (default): [`IntentKey`], and with it `bind`. Without it nothing needs an allocator.
//! - `std`: the error types implement `std::error::Error`.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
mod key;
mod record;
mod state;

pub use effect_contracts_macros::{effect, effect_case, handler};
#[cfg(feature = "alloc")]
pub use key::IntentKey;
pub use record::{ContractRecord, Delivery, Remedy, TerminalState, Window};
pub use state::{EffectState, IllegalTransition, UnknownState};

/// What the macros' output refers to. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::record::RecordBuilder;

    /// Makes the key that `bind` binds.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn intent_key(arguments: core::fmt::Arguments<'_>) -> crate::IntentKey {
        crate::IntentKey::from_template(arguments)
    }
}

/// Makes the key that `bind` binds, or says what it lacks. Not part of the public interface.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __intent_key {
    ($($arguments:tt)*) => {
        $crate::__private::intent_key($($arguments)*)
    };
}

/// Makes the key that `bind` binds, or says what it lacks. Not part of the public interface.
#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __intent_key {
    ($($arguments:tt)*) => {
        ::core::compile_error!(
            "`bind` makes a text, which needs the feature `alloc` of effect-contracts; turn it on, or drop `bind`"
        )
    };
}
