//! Whether anybody asks what became of a dispatch, before something is made of its outcome.

use super::Facts;
use super::scene::in_branch;
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact, asks};
use crate::operations::FunctionOps;
use crate::source::Span;

/// Whether a provider is asked what happened to a dispatch, in a branch, before the event at a position: by a lookup, or by
/// a call of which nothing is known but that it asks by the key of the dispatch.
pub(super) fn asks_before(
    facts: &Facts<'_>,
    function: &FunctionOps,
    dispatch: &EventFact,
    branch: (Span, u32),
    at: usize,
) -> bool {
    let known = |origin: &&OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Stored);
    let key: Vec<&OriginKind> = match &dispatch.kind {
        EventFactKind::Dispatch { key, .. } => key.origins.iter().filter(known).collect(),
        _ => Vec::new(),
    };
    let by_key = |arg: &ValueFact| key.iter().any(|origin| arg.origins.contains(origin));
    in_branch(function, branch).any(|(asked, event)| {
        asked < at
            && match &event.kind {
                EventFactKind::Lookup { .. } => true,
                // By what else is a matter of its own.
                EventFactKind::Asked { by } => by_key(by) || by.origins.iter().any(|origin| is_beside(origin, &key)),
                EventFactKind::Call { awaited: true, args } => {
                    asks(&facts.catalog.words, &event.name) && args.iter().any(by_key)
                }
                _ => false,
            }
    })
}

/// Whether an input is another part of what a key is a part of: `payout.landlord` beside `payout.reference`.
pub(super) fn is_beside(origin: &OriginKind, key: &[&OriginKind]) -> bool {
    let root = |origin: &OriginKind| match origin {
        OriginKind::Input(path) => path.as_str().split_once('.').map(|(root, _)| root.to_owned()),
        _ => None,
    };
    let own = root(origin).filter(|root| root != "self");
    own.is_some() && key.iter().any(|known| root(known) == own)
}
