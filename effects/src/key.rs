//! The identity of an intent, as a type that cannot be made up on the spot.

use alloc::string::String;
use core::fmt;

/// The stable identity of an intent: what the provider gets as its idempotency key.
///
/// There is no way to make one from any text that is at hand: no `new`, no `From`, no `Default`. The `effect` attribute
/// makes it from the contract's template (`bind = name`), and [`from_stored`](Self::from_stored) takes it back from the
/// service's own ledger. So a key that reaches the provider is either derived from the command or was recorded before.
///
/// ```
/// use effect_contracts::effect;
///
/// struct Invoice { id: u64 }
///
/// #[effect(
///     intent_key = "invoice/{invoice.id}/charge",
///     provider_window = at_least("24h"),
///     terminal = [confirmed, rejected],
///     bind = key,
/// )]
/// fn charge(invoice: &Invoice) -> String {
///     key.as_str().to_owned()
/// }
///
/// assert_eq!(charge(&Invoice { id: 17 }), "invoice/17/charge");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentKey(String);

impl IntentKey {
    /// Takes back a key that was stored with the intent's record.
    ///
    /// Give it nothing but what an earlier attempt has written: a text made in this attempt is another identity.
    #[must_use]
    pub fn from_stored(stored: impl Into<String>) -> Self {
        Self(stored.into())
    }

    /// The text that goes to the provider and into the ledger.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, given up.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    pub(crate) fn from_template(arguments: fmt::Arguments<'_>) -> Self {
        Self(alloc::fmt::format(arguments))
    }
}

impl fmt::Display for IntentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for IntentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("IntentKey").field(&self.0).finish()
    }
}

impl AsRef<str> for IntentKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
