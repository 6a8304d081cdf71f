//! Charges invoices at a payment provider.
//!
//! The provider acts, and the ledger records that it did; no transaction spans both. [`charge_invoice`] states what holds
//! nevertheless, and keeps it: the intent is on disk before anything is sent, the key is derived from the invoice, and an
//! unknown outcome is asked about before anything is sent again.

mod charge;
mod gateway;
mod ledger;

pub use charge::{ChargeError, Invoice, charge_invoice, decide};
pub use gateway::{CallError, Gateway, Receipt};
pub use ledger::{ChargeState, Entry, Ledger, LedgerError};
