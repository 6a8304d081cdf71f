//! The payment provider, as far as this service needs it.

use std::future::Future;

/// The provider's own identifier of a charge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt(pub String);

/// How a call can fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// the provider has refused: nothing was charged, and nothing will be
    Refused(String),
    /// no answer, or one that says nothing: the charge may exist
    NoAnswer,
}

/// The provider's interface.
pub trait Gateway {
    /// Charges an amount. A repeat with the same key within a day gets the first answer again.
    fn create_charge(&self, key: &str, cents: u64) -> impl Future<Output = Result<Receipt, CallError>> + Send;

    /// Looks a charge up by the key it was sent with.
    fn find_charge(&self, key: &str) -> impl Future<Output = Result<Option<Receipt>, CallError>> + Send;
}
