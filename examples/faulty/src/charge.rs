//! Charges invoices, sometimes twice.

use effect_contracts::effect;
use reqwest::{Client, Error};
use uuid::Uuid;

/// An invoice.
pub struct Invoice {
    /// its number
    pub id: u64,
    /// how much
    pub cents: u64,
}

/// Charges an invoice.
#[effect(
    name = "Charge an invoice",
    kind = payment,
    intent_key = "invoice/{invoice.id}/charge",
    provider = "stripe-v1",
    provider_window = at_least("24h"),
    terminal = [confirmed, rejected],
    replay_horizon = "7d",
    delivery = at_least_once,
    boundary = "postgres: charges",
    record = "charges",
    reconcile = none("nobody has looked for one"),
    evidence_retention = "400d",
    operator = "runbooks/charge.md",
)]
pub async fn charge_invoice(http: &Client, invoice: &Invoice) -> Result<(), Error> {
    let mut attempt = 0;
    loop {
        let sent = http
            .post("https://api.stripe.com/v1/payment_intents")
            .header("Idempotency-Key", Uuid::new_v4().to_string())
            .body(format!("amount={}", invoice.cents))
            .send()
            .await;
        match sent.and_then(|answer| answer.error_for_status()) {
            Ok(_) => return Ok(()),
            Err(error) if attempt == 3 => return Err(error),
            Err(_) => attempt += 1,
        }
    }
}

/// Reserves an amount at a gateway without keys.
#[effect(
    name = "Reserve an amount",
    kind = payment,
    intent_key = "invoice/{invoice.id}/reserve",
    provider = "old-gateway",
    provider_window = none,
    terminal = [confirmed, rejected, compensated],
    replay_horizon = "1d",
    delivery = at_least_once,
    boundary = "postgres: reservations",
    record = "reservations",
    compensate = release,
    evidence_retention = "400d",
    operator = "runbooks/reserve.md",
)]
pub async fn reserve(http: &Client, invoice: &Invoice) -> Result<(), Error> {
    let body = format!("invoice={}&amount={}", invoice.id, invoice.cents);
    let answer = http.post("https://gateway.example/reserve").body(body);
    answer.send().await?.error_for_status()?;
    Ok(())
}

/// Gives a reserved amount back.
pub async fn release(http: &Client, invoice: &Invoice) -> Result<(), Error> {
    let body = format!("invoice={}", invoice.id);
    let answer = http.post("https://gateway.example/release").body(body);
    answer.send().await?.error_for_status()?;
    Ok(())
}
