//! The macros of `effect-contracts`. Depend on that crate, which re-exports them.

mod case;
mod check;
mod docs;
mod effect;
mod errors;
mod function;
mod handler;
#[cfg(test)]
mod hostile;
mod key;
mod parameters;
mod record;

use proc_macro::TokenStream;

/// Records the guarantee contract of the function that performs an external effect.
///
/// ```text
/// #[effect(
///     intent_key = "invoice/{invoice.id}/charge",
///     provider_window = at_least("24h"),
///     terminal = [confirmed, rejected, reconciled],
/// )]
/// async fn charge_invoice(stripe: &Stripe, invoice: &Invoice) -> Result<Receipt, ChargeError> { … }
/// ```
///
/// It works on functions and methods of every sort, also in traits, under `#[async_trait]`, above and below
/// `#[tracing::instrument]` and inside `macro_rules!`. The function's own tokens are kept; a check is put in front of its
/// body which is compiled and never runs.
///
/// # Needed
///
/// | field | value |
/// | --- | --- |
/// | `intent_key` | a template with `{expression}` over the parameters, or any expression: the business identity |
/// | `provider_window` | how long the provider deduplicates: `"24h"`, `at_least("24h")`, `configurable("24h", max = "72h")`, `forever`, `unpublished`, `none` |
/// | `terminal` | the states in which nothing more happens: `[confirmed, rejected = ChargeState::Declined, reconciled = "settled"]` |
///
/// # Given here or in `effects.toml`
///
/// | field | value |
/// | --- | --- |
/// | `provider` | id in the provider catalog, or a new name |
/// | `mechanism` | `key` (default), `dedup_id`, `natural_key`, `sequence_number`, `precondition`, `transaction`, `lock`, `coalesce`, `heuristic`, `absolute_write`, `none` |
/// | `replay_horizon` | the longest time after which the intent can be delivered again, as in `"7d"` |
/// | `delivery` | `at_least_once`, `at_most_once`, `exactly_once_within("boundary")` |
/// | `boundary`, `record` | the internal transaction, the system of record |
/// | `dispatch` | path of the call that performs the effect; may be repeated |
/// | `reconcile` | path of the lookup for an unknown outcome, `unchecked("path")` where its types cannot be inferred, or `none("reason")` |
/// | `compensate` | path of the undo, likewise |
/// | `irreversible` | a flag: the effect cannot be undone |
/// | `compensates` | id of the effect that this handler undoes |
/// | `evidence_retention` | how long ledger and inbox rows are kept |
/// | `operator` | text or path: who decides an unknown outcome that stays unknown |
/// | `fence` | the lease token or version checked at commit |
/// | `effect`, `name`, `kind` | id shared by handlers of one intent; for the tables |
/// | `allow(rule, reason = "…", until = "2027-06-30", owner = "…")` | suppresses one rule here; may be repeated |
///
/// # For the macro
///
/// | field | value |
/// | --- | --- |
/// | `bind` | name under which the body finds the key, as an `IntentKey`; it is made when the function is called |
/// | `contract` | name of a constant that holds the contract; for free functions and inherent methods |
/// | `crate` | path of the crate `effect-contracts` under another name |
#[proc_macro_attribute]
pub fn effect(arguments: TokenStream, item: TokenStream) -> TokenStream {
    effect::expand(arguments.into(), item.into()).into()
}

/// Records the guarantee contract of a closure that performs an external effect, and is that closure.
///
/// It takes the fields of [`macro@effect`], `name` among them, and then the closure:
///
/// ```text
/// engine.register(handler!(
///     name = "charge",
///     intent_key = "invoice/{task.invoice}/charge",
///     provider_window = at_least("24h"),
///     terminal = [confirmed, rejected],
///     |task: Task| async move { charge(task).await },
/// ));
/// ```
///
/// Bound by `let` before it is called, it needs typed parameters, like any closure.
#[proc_macro]
pub fn handler(arguments: TokenStream) -> TokenStream {
    handler::expand(arguments.into()).into()
}

/// Says that a test proves one failure case of a handler's contract.
///
/// ```text
/// #[effect_case(billing::charge_invoice, killed_after_accept)]
/// #[tokio::test]
/// async fn a_killed_worker_does_not_charge_twice() { … }
/// ```
///
/// The cases are `killed_after_accept`, `delivered_twice`, `two_workers_race`, `lease_expired_while_running`,
/// `acknowledgement_delayed`, `retried_after_window`, `retried_after_deploy`, `payload_changed` and
/// `reconcile_inconclusive`. The test itself is left as it is.
#[proc_macro_attribute]
pub fn effect_case(arguments: TokenStream, item: TokenStream) -> TokenStream {
    case::expand(arguments.into(), item.into()).into()
}
