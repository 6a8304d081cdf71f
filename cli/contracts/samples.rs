//! Contracts for tests.

use std::collections::BTreeMap;
use std::time::Duration;

use effect_contracts_grammar::{Contract, Delivery, KeyPart, KeyTemplate, Remedy, State, Terminal, Window};

use super::{Defaults, GivenBy, HandlerContract, Layer, merge};
use crate::findings::Place;
use crate::resolve::FnId;
use crate::source::{FileId, Span, TextRange};

/// An hour.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
/// A day.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// The example of the design card.
pub(crate) fn card() -> Contract {
    Contract {
        intent_key: Some(KeyTemplate::Template {
            text: "invoice/{invoice.id}/charge".into(),
            parts: vec![
                KeyPart::Text("invoice/".into()),
                KeyPart::Placeholder("invoice.id".into()),
                KeyPart::Text("/charge".into()),
            ],
        }),
        provider: Some("stripe-v1".into()),
        provider_window: Some(Window::AtLeast(DAY)),
        terminal: Some(vec![Terminal { state: State::Confirmed, mapped: None }]),
        replay_horizon: Some(7 * DAY),
        delivery: Some(Delivery::AtLeastOnce),
        boundary: Some("postgres: effect_ledger".into()),
        reconcile: Some(Remedy::Path("Stripe::find_charge_by_key".into())),
        operator: Some("runbooks/charge.md".into()),
        ..Contract::default()
    }
}

/// A handler that carries a contract as its attribute.
pub(crate) fn handler(contract: Contract) -> HandlerContract {
    let place = Place::Text { path: "effects.toml".into(), range: TextRange::default() };
    let layer = Layer { contract, from: GivenBy::Attribute, place: place.clone(), places: BTreeMap::new() };
    let merged = merge(Some(&layer), None, "shop", &Defaults::default(), &|_, _| false);
    HandlerContract {
        function: FnId(0),
        bodies: vec![FnId(0)],
        handler: "shop::charge".into(),
        contract: merged.contract,
        given: merged.given,
        place,
        name_span: Span::new(FileId(0), TextRange::default()),
        bind: None,
        conflicts: Vec::new(),
        allows: Vec::new(),
        problems: Vec::new(),
    }
}
