//! The fields of a contract as data: their names, their values in one neutral form, and how one layer lends a field to
//! another.
//!
//! In: contracts of the model. Out: names and JSON values, the same words that `effects.toml` reads. What a field means
//! is not known here.

use effect_contracts_grammar::{Contract, Delivery, KeyTemplate, Mapped, Remedy, Terminal, Window, duration};
use serde_json::{Value, json};

/// A field of a contract. `bind`, `contract` and `crate` are the macro's own business, `allow` is a list of
/// suppressions: none of them is a fact about the effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the words are those of the attribute")]
pub enum Field {
    IntentKey,
    Provider,
    ProviderWindow,
    Mechanism,
    Terminal,
    ReplayHorizon,
    Delivery,
    Boundary,
    Record,
    Dispatch,
    Reconcile,
    Compensate,
    Irreversible,
    Compensates,
    EvidenceRetention,
    Operator,
    Fence,
    Effect,
    Name,
    Kind,
}

impl Field {
    /// All fields, in the order in which tables show them.
    pub const ALL: [Self; 20] = [
        Self::IntentKey,
        Self::Provider,
        Self::ProviderWindow,
        Self::Mechanism,
        Self::Terminal,
        Self::ReplayHorizon,
        Self::Delivery,
        Self::Boundary,
        Self::Record,
        Self::Dispatch,
        Self::Reconcile,
        Self::Compensate,
        Self::Irreversible,
        Self::Compensates,
        Self::EvidenceRetention,
        Self::Operator,
        Self::Fence,
        Self::Effect,
        Self::Name,
        Self::Kind,
    ];

    /// The field's name in the attribute and in `effects.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::IntentKey => "intent_key",
            Self::Provider => "provider",
            Self::ProviderWindow => "provider_window",
            Self::Mechanism => "mechanism",
            Self::Terminal => "terminal",
            Self::ReplayHorizon => "replay_horizon",
            Self::Delivery => "delivery",
            Self::Boundary => "boundary",
            Self::Record => "record",
            Self::Dispatch => "dispatch",
            Self::Reconcile => "reconcile",
            Self::Compensate => "compensate",
            Self::Irreversible => "irreversible",
            Self::Compensates => "compensates",
            Self::EvidenceRetention => "evidence_retention",
            Self::Operator => "operator",
            Self::Fence => "fence",
            Self::Effect => "effect",
            Self::Name => "name",
            Self::Kind => "kind",
        }
    }

    /// The field of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// The field's value in the words of `effects.toml`; `None` where nobody gave one.
    pub fn value(self, contract: &Contract) -> Option<Value> {
        let text = |value: &Option<String>| value.as_deref().map(Value::from);
        match self {
            Self::IntentKey => contract.intent_key.as_ref().map(|key| match key {
                KeyTemplate::Template { text, .. } | KeyTemplate::Expression(text) => text.as_str().into(),
            }),
            Self::Provider => text(&contract.provider),
            Self::ProviderWindow => contract.provider_window.as_ref().map(window),
            Self::Mechanism => contract.mechanism.map(|it| it.as_str().into()),
            Self::Terminal => contract.terminal.as_ref().map(|states| states.iter().map(terminal).collect()),
            Self::ReplayHorizon => contract.replay_horizon.map(|it| duration::display(it).into()),
            Self::Delivery => contract.delivery.as_ref().map(delivery),
            Self::Boundary => text(&contract.boundary),
            Self::Record => text(&contract.record),
            Self::Dispatch => (!contract.dispatch.is_empty()).then(|| Value::from(contract.dispatch.clone())),
            Self::Reconcile => contract.reconcile.as_ref().map(remedy),
            Self::Compensate => contract.compensate.as_ref().map(remedy),
            Self::Irreversible => contract.irreversible.map(Value::from),
            Self::Compensates => text(&contract.compensates),
            Self::EvidenceRetention => contract.evidence_retention.map(|it| duration::display(it).into()),
            Self::Operator => text(&contract.operator),
            Self::Fence => text(&contract.fence),
            Self::Effect => text(&contract.effect),
            Self::Name => text(&contract.name),
            Self::Kind => contract.kind.map(|it| it.as_str().into()),
        }
    }

    /// Whether somebody gave the field.
    pub fn is_given(self, contract: &Contract) -> bool {
        self.value(contract).is_some()
    }

    /// Copies the field's value from one contract to another.
    pub(super) fn lend(self, from: &Contract, to: &mut Contract) {
        match self {
            Self::IntentKey => to.intent_key.clone_from(&from.intent_key),
            Self::Provider => to.provider.clone_from(&from.provider),
            Self::ProviderWindow => to.provider_window.clone_from(&from.provider_window),
            Self::Mechanism => to.mechanism = from.mechanism,
            Self::Terminal => to.terminal.clone_from(&from.terminal),
            Self::ReplayHorizon => to.replay_horizon = from.replay_horizon,
            Self::Delivery => to.delivery.clone_from(&from.delivery),
            Self::Boundary => to.boundary.clone_from(&from.boundary),
            Self::Record => to.record.clone_from(&from.record),
            Self::Dispatch => to.dispatch.clone_from(&from.dispatch),
            Self::Reconcile => to.reconcile.clone_from(&from.reconcile),
            Self::Compensate => to.compensate.clone_from(&from.compensate),
            Self::Irreversible => to.irreversible = from.irreversible,
            Self::Compensates => to.compensates.clone_from(&from.compensates),
            Self::EvidenceRetention => to.evidence_retention = from.evidence_retention,
            Self::Operator => to.operator.clone_from(&from.operator),
            Self::Fence => to.fence.clone_from(&from.fence),
            Self::Effect => to.effect.clone_from(&from.effect),
            Self::Name => to.name.clone_from(&from.name),
            Self::Kind => to.kind = from.kind,
        }
    }
}

/// A window in the words of `effects.toml`.
pub fn window(value: &Window) -> Value {
    match value {
        Window::Exact(time) => duration::display(*time).into(),
        Window::AtLeast(time) => format!("at_least {}", duration::display(*time)).into(),
        Window::Configurable { value, max: None } => {
            json!({"configurable": duration::display(*value)})
        }
        Window::Configurable { value, max: Some(max) } => {
            json!({"configurable": duration::display(*value), "max": duration::display(*max)})
        }
        Window::Forever => "forever".into(),
        Window::Unpublished => "unpublished".into(),
        Window::None => "none".into(),
    }
}

fn terminal(value: &Terminal) -> Value {
    let word = value.state.as_str();
    match &value.mapped {
        None => word.into(),
        Some(Mapped::Variant(text) | Mapped::Text(text)) => json!({ word: text }),
    }
}

fn delivery(value: &Delivery) -> Value {
    match value {
        Delivery::AtLeastOnce => "at_least_once".into(),
        Delivery::AtMostOnce => "at_most_once".into(),
        Delivery::ExactlyOnceWithin(boundary) => json!({"exactly_once_within": boundary}),
        Delivery::ExactlyOnce => "exactly_once".into(),
    }
}

fn remedy(value: &Remedy) -> Value {
    match value {
        Remedy::Path(path) => path.as_str().into(),
        Remedy::Unchecked(path) => json!({"unchecked": path}),
        Remedy::None(reason) => json!({"none": reason}),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use effect_contracts_grammar::{EffectKind, Mechanism, State};

    use super::*;

    #[test]
    fn every_field_lends_what_it_shows() {
        let full = Contract {
            intent_key: Some(KeyTemplate::Expression("key(x)".into())),
            provider: Some("stripe-v1".into()),
            provider_window: Some(Window::Forever),
            terminal: Some(vec![Terminal { state: State::Confirmed, mapped: Some(Mapped::Text("settled".into())) }]),
            mechanism: Some(Mechanism::DedupId),
            replay_horizon: Some(Duration::from_secs(60)),
            delivery: Some(Delivery::ExactlyOnceWithin("ledger".into())),
            boundary: Some("b".into()),
            record: Some("r".into()),
            dispatch: vec!["d".into()],
            reconcile: Some(Remedy::None("no lookup".into())),
            compensate: Some(Remedy::Unchecked("undo".into())),
            irreversible: Some(true),
            compensates: Some("c".into()),
            evidence_retention: Some(Duration::from_secs(61)),
            operator: Some("o".into()),
            fence: Some("f".into()),
            effect: Some("e".into()),
            name: Some("n".into()),
            kind: Some(EffectKind::Payment),
            allow: Vec::new(),
        };
        let mut copy = Contract::default();
        for field in Field::ALL {
            assert!(!field.is_given(&copy), "{field:?} of an empty contract");
            field.lend(&full, &mut copy);
            assert_eq!(field.value(&copy), field.value(&full));
            assert!(field.is_given(&copy), "{field:?}");
            assert_eq!(Field::by_name(field.name()), Some(field));
        }
        assert_eq!(copy, full);
    }
}
