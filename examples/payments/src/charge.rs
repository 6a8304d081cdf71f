//! The handler.

use std::time::Duration;

use effect_contracts::effect;

use crate::gateway::{CallError, Gateway, Receipt};
use crate::ledger::{ChargeState, Entry, Ledger, LedgerError};

/// How long an answer is waited for. Nothing is known about a charge whose answer has not come by then.
const PATIENCE: Duration = Duration::from_secs(10);

/// An invoice to be charged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invoice {
    /// its number
    pub id: u64,
    /// how much
    pub cents: u64,
}

/// Why a task is not done. The task comes again.
#[derive(Debug)]
pub enum ChargeError {
    /// the outcome is unknown, and the ledger says so
    Unknown,
    /// the ledger refuses
    Ledger(LedgerError),
}

impl From<LedgerError> for ChargeError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

/// Charges an invoice.
#[effect(
    name = "Charge an invoice",
    kind = payment,
    effect = "invoice-charge",
    intent_key = "invoice/{invoice.id}/charge",
    provider = "acme-pay",
    provider_window = at_least("24h"),
    terminal = [
        confirmed = ChargeState::Settled,
        rejected = ChargeState::Declined,
        reconciled = ChargeState::Reconciled,
    ],
    replay_horizon = "7d",
    delivery = at_least_once,
    boundary = "one line of the ledger",
    record = "charges.log",
    dispatch = Gateway::create_charge,
    reconcile = unchecked("Gateway::find_charge"),
    evidence_retention = "400d",
    operator = "examples/payments/runbooks/charge.md",
    bind = key,
)]
pub async fn charge_invoice<G: Gateway>(
    gateway: &G,
    ledger: &Ledger,
    invoice: &Invoice,
) -> Result<ChargeState, ChargeError> {
    let key = key.as_str();
    match ledger.prepare(key, invoice.cents)? {
        Entry::New => {}
        Entry::Existing(state) if state.is_final() => return Ok(state),
        // an earlier attempt may have sent it: the provider knows
        Entry::Existing(_) => match found(gateway, key).await {
            Ok(Some(receipt)) => {
                let state = ChargeState::Reconciled(receipt);
                ledger.record(key, state.clone())?;
                return Ok(state);
            }
            Ok(None) => {}
            Err(_) => {
                ledger.record(key, ChargeState::Unknown)?;
                return Err(ChargeError::Unknown);
            }
        },
    }
    let answer = tokio::time::timeout(PATIENCE, gateway.create_charge(key, invoice.cents)).await;
    let state = match answer {
        Ok(Ok(receipt)) => ChargeState::Settled(receipt),
        Ok(Err(CallError::Refused(reason))) => ChargeState::Declined(reason),
        Ok(Err(CallError::NoAnswer)) | Err(_) => ChargeState::Unknown,
    };
    ledger.record(key, state.clone())?;
    match state {
        ChargeState::Unknown => Err(ChargeError::Unknown),
        state => Ok(state),
    }
}

/// What the provider has recorded under a key.
async fn found<G: Gateway>(gateway: &G, key: &str) -> Result<Option<Receipt>, CallError> {
    match tokio::time::timeout(PATIENCE, gateway.find_charge(key)).await {
        Ok(answer) => answer,
        Err(_) => Err(CallError::NoAnswer),
    }
}

/// An operator decides an outcome that stays unknown: with the provider's receipt, or with the reason why there is none.
pub fn decide(ledger: &Ledger, invoice: u64, decision: Result<Receipt, String>) -> Result<(), LedgerError> {
    let key = format!("invoice/{invoice}/charge");
    let state = match decision {
        Ok(receipt) => ChargeState::Reconciled(receipt),
        Err(reason) => ChargeState::Declined(reason),
    };
    ledger.record(&key, state)
}
