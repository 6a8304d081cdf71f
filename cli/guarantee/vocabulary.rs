//! Words for screens of operators, one list a layer: a workflow can be retrying while its payment is already confirmed,
//! and one undifferentiated flag hides that.

use effect_contracts_grammar::{Contract, Delivery, Mapped, Remedy, State, Terminal};

/// The words that this effect's screens need, by layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// what the service itself has accepted
    pub workflow: Vec<&'static str>,
    /// how the task travels
    pub delivery: Vec<&'static str>,
    /// what the provider did
    pub effect: Vec<EffectWord>,
}

/// A state of the effect as this application calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EffectWord {
    /// the state
    pub state: State,
    /// the application's own variant or stored text
    pub mapped: Option<String>,
    /// nothing more happens in it
    pub terminal: bool,
}

impl EffectWord {
    /// The state's word.
    pub fn word(&self) -> &'static str {
        self.state.as_str()
    }
}

pub(super) fn words(contract: &Contract) -> Vocabulary {
    let terminal = contract.terminal.as_deref().unwrap_or_default();
    let effect = states(contract)
        .into_iter()
        .map(|state| {
            let given = terminal.iter().find(|given| given.state == state);
            EffectWord { state, mapped: given.and_then(mapped), terminal: given.is_some() }
        })
        .collect();
    let mut workflow = match contract.delivery {
        Some(Delivery::AtMostOnce) => vec!["accepted", "running", "completed", "failed"],
        _ => vec!["accepted", "running", "retrying", "completed", "failed"],
    };
    if contract.fence.is_some() {
        workflow.push("fenced");
    }
    let delivery = match contract.delivery {
        Some(Delivery::AtMostOnce) => vec!["queued", "delivered", "lost"],
        Some(Delivery::ExactlyOnceWithin(_)) => vec!["queued", "delivered", "committed"],
        Some(Delivery::AtLeastOnce | Delivery::ExactlyOnce) | None => {
            vec!["queued", "delivered", "redelivered", "acknowledged", "dead-lettered"]
        }
    };
    Vocabulary { workflow, delivery, effect }
}

/// The states that an effect with this contract can be in.
pub fn states(contract: &Contract) -> Vec<State> {
    let declared =
        |state: State| contract.terminal.as_deref().unwrap_or_default().iter().any(|given| given.state == state);
    let present = |remedy: &Option<Remedy>| matches!(remedy, Some(Remedy::Path(_) | Remedy::Unchecked(_)));
    let mut states = vec![State::Prepared, State::Confirmed, State::Rejected, State::Unknown];
    if present(&contract.reconcile) || declared(State::Reconciled) {
        states.push(State::Reconciled);
    }
    if present(&contract.compensate) || declared(State::Compensated) {
        states.push(State::Compensated);
    }
    states
}

fn mapped(terminal: &Terminal) -> Option<String> {
    terminal.mapped.as_ref().map(|mapped| match mapped {
        Mapped::Variant(text) | Mapped::Text(text) => text.clone(),
    })
}
