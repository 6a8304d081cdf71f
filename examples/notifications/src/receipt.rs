//! The handler.

use std::io;

use effect_contracts::effect;

use crate::journal::{Entry, Journal, MailState};

/// A receipt to be mailed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// number of the paid invoice
    pub invoice: u64,
    /// address of the customer
    pub to: String,
    /// text
    pub body: String,
}

/// How sending can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// the relay has refused the message
    Refused,
    /// no connection was made: nothing was sent
    NotSent,
    /// the connection broke while the message was under way
    Broken,
}

/// The mail relay.
pub trait Relay {
    /// Hands a message over. The message id is a label for people; no relay compares it.
    fn send(&self, message_id: &str, to: &str, body: &str) -> Result<(), SendError>;
}

/// Why a task is not done.
#[derive(Debug)]
pub enum MailError {
    /// the relay could not be reached: the task comes again
    NotSent,
    /// the outcome is unknown, and an operator decides
    Unknown,
    /// the disk
    Journal(io::Error),
}

impl From<io::Error> for MailError {
    fn from(error: io::Error) -> Self {
        Self::Journal(error)
    }
}

/// Mails a receipt.
#[effect(
    name = "Mail a receipt",
    kind = email,
    effect = "receipt-mail",
    intent_key = "receipt/{receipt.invoice}/mail",
    provider = "smtp",
    provider_window = none,
    mechanism = none,
    terminal = [
        confirmed = MailState::Accepted,
        rejected = MailState::Refused,
        reconciled = MailState::FoundAccepted,
    ],
    replay_horizon = "3d",
    delivery = at_least_once,
    boundary = "one line of the journal",
    record = "mails.log",
    dispatch = Relay::send,
    reconcile = none("a relay cannot be asked what became of a message"),
    compensate = none("mail cannot be unsent"),
    irreversible,
    evidence_retention = "90d",
    operator = "examples/notifications/runbooks/mail.md",
    bind = key,
)]
pub fn mail_receipt(relay: &dyn Relay, journal: &Journal, receipt: &Receipt) -> Result<MailState, MailError> {
    let key = key.as_str();
    match journal.prepare(key)? {
        Entry::New => {}
        Entry::Existing(state) if state.is_final() => return Ok(state),
        // an earlier attempt may have sent it, and nobody can be asked
        Entry::Existing(_) => return recorded(journal, key, MailState::Unknown),
    }
    let state = match relay.send(key, &receipt.to, &receipt.body) {
        Ok(()) => MailState::Accepted,
        Err(SendError::Refused) => MailState::Refused,
        Err(SendError::NotSent) => MailState::NotSent,
        Err(SendError::Broken) => MailState::Unknown,
    };
    recorded(journal, key, state)
}

fn recorded(journal: &Journal, key: &str, state: MailState) -> Result<MailState, MailError> {
    match journal.record(key, state)? {
        MailState::NotSent => Err(MailError::NotSent),
        state if state.is_final() => Ok(state),
        _ => Err(MailError::Unknown),
    }
}

/// What an operator has found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// the relay's log or the customer says that it was accepted
    WasAccepted,
    /// it was not accepted and need not be
    Drop,
}

/// An operator decides a mail whose outcome stays unknown.
pub fn decide(journal: &Journal, invoice: u64, decision: Decision) -> io::Result<bool> {
    let key = format!("receipt/{invoice}/mail");
    if journal.state(&key) != Some(MailState::Unknown) {
        return Ok(false);
    }
    let state = match decision {
        Decision::WasAccepted => MailState::FoundAccepted,
        Decision::Drop => MailState::Refused,
    };
    Ok(journal.record(&key, state)? == state)
}
