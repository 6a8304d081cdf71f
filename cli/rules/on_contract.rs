//! Violations that stand on a contract: the place is a field where it was given.

use crate::contracts::{Field, HandlerContract};
use crate::findings::{Confidence, Place, Step, Violation};

/// A violation at a field of a contract.
pub(super) fn at_field(
    rule: &'static str,
    contract: &HandlerContract,
    field: Field,
    message: String,
    help: String,
) -> Violation {
    Violation {
        rule,
        confidence: Confidence::Certain,
        message,
        help,
        place: contract.place_of(field),
        path: Vec::new(),
        handler: Some(contract.handler.clone()),
        detail: vec![("effect", contract.title().to_owned())],
    }
}

/// A step at a field of a contract, with a note.
pub(super) fn step(contract: &HandlerContract, field: Field, note: impl Into<String>) -> Step {
    Step { place: contract.place_of(field), note: note.into() }
}

/// A step that adds nothing to the primary place is left out.
pub(super) fn steps(primary: &Place, steps: impl IntoIterator<Item = Step>) -> Vec<Step> {
    steps.into_iter().filter(|step| step.place != *primary).collect()
}

/// The provider as messages name it.
pub(super) fn provider_name(contract: &HandlerContract) -> &str {
    contract.contract.provider.as_deref().unwrap_or("the provider")
}

/// Whether `compensates = "…"` of another contract means this one: by its effect id, or by the handler's path.
pub(super) fn is_compensated_by(contract: &HandlerContract, other: &HandlerContract) -> bool {
    other
        .contract
        .compensates
        .as_deref()
        .is_some_and(|id| contract.contract.effect.as_deref() == Some(id) || contract.handler == id)
}
