//! Keys that dispatches carry, as far as rules ask after them.

use crate::flow::{EventFact, EventFactKind, OriginKind};

/// Whether a key goes along with a dispatch that is the same at the next attempt, so that a second time does no harm.
pub(in crate::rules) fn is_keyed(dispatch: &EventFact) -> bool {
    match &dispatch.kind {
        EventFactKind::Dispatch { keyed, key, .. } => {
            *keyed && !key.origins.iter().any(|origin| matches!(origin, OriginKind::Fresh(_) | OriginKind::Attempt(_)))
        }
        _ => false,
    }
}

/// Whether a key goes along that was followed to its origins, and is the same at the next attempt.
pub(in crate::rules) fn has_known_key(dispatch: &EventFact) -> bool {
    let followed = match &dispatch.kind {
        EventFactKind::Dispatch { key, .. } => {
            !key.origins.iter().any(|origin| matches!(origin, OriginKind::Opaque(_)))
        }
        _ => false,
    };
    followed && is_keyed(dispatch)
}

/// Whether a dispatch is known again by what it sends: a transaction that was signed, a journal of the engine. Nobody put a
/// key in, and nothing beside it needs to be kept for that.
pub(in crate::rules) fn is_same_again(dispatch: &EventFact) -> bool {
    match &dispatch.kind {
        EventFactKind::Dispatch { keyed, key, .. } => {
            *keyed && !key.origins.is_empty() && key.origins.iter().all(|origin| matches!(origin, OriginKind::Durable))
        }
        _ => false,
    }
}
