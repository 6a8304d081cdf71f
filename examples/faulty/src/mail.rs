//! Mails receipts, and believes in the message id.

use effect_contracts::effect;
use reqwest::{Client, Error};

/// Mails a receipt.
#[effect(
    name = "Mail a receipt",
    kind = email,
    intent_key = "receipt/{invoice}/mail",
    provider = "smtp",
    provider_window = at_least("24h"),
    terminal = [confirmed, rejected],
    replay_horizon = "3d",
    delivery = at_least_once,
    boundary = "postgres: mails",
    record = "mails",
    reconcile = none("a relay cannot be asked"),
    evidence_retention = "90d",
    operator = "runbooks/mail.md",
)]
pub async fn mail_receipt(http: &Client, invoice: u64, text: String) -> Result<(), Error> {
    let relay = http
        .post("http://relay.internal/send")
        .header("Message-ID", format!("receipt/{invoice}/mail"))
        .body(text);
    relay.send().await?.error_for_status()?;
    Ok(())
}
