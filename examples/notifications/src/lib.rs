//! Mails receipts.
//!
//! A mail relay neither recognises a repeat nor can be asked what became of a message. So a receipt whose answer is lost
//! stays unknown: [`mail_receipt`] does not send it again, and an operator decides. Customers read a receipt late rather
//! than twice.

mod journal;
mod receipt;

pub use journal::{Entry, Journal, MailState};
pub use receipt::{Decision, MailError, Receipt, Relay, SendError, decide, mail_receipt};
