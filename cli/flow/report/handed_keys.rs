//! Keys that handlers are handed by functions of the program itself, where these are empty.

use std::collections::BTreeSet;

use super::{MAX_FOLLOWED, Writers, fact};
use crate::flow::DispatchFact;
use crate::flow::KeyVerdict;
use crate::flow::engine::{Analysis, Engine};
use crate::flow::uses::Use;
use crate::flow::{handlers, schedule};
use crate::resolve::FnId;

/// Who calls handlers by themselves, and hands them what becomes a key.
pub(super) fn callers<'p>(analysis: &'p Analysis<'p>, looked_at: &[FnId], threads: usize) -> Vec<FnId> {
    let engine = &mut Engine::new(analysis);
    let mut above: BTreeSet<FnId> = BTreeSet::new();
    let handlers = looked_at.iter().copied().filter(|&id| handlers::is_handler(engine, id)).collect::<Vec<_>>();
    let mut next: Vec<FnId> =
        handlers.into_iter().filter(|&id| engine.summary(id).uses.iter().any(Use::is_open)).collect();
    for _ in 0..MAX_FOLLOWED {
        let callers: BTreeSet<FnId> = next.iter().flat_map(|&id| engine.callers(id)).copied().collect();
        next = callers.into_iter().filter(|&id| above.insert(id)).collect();
        schedule::evaluate(analysis, &next, threads);
    }
    above.into_iter().collect()
}

/// The dispatches below handlers that a function hands an empty key.
pub(super) fn empty(engine: &mut Engine<'_>, writers: &Writers, id: FnId) -> Vec<DispatchFact> {
    let summary = engine.summary(id);
    let handed = summary.handed_keys.iter().filter(|known| known.below.may_be_empty());
    let facts = handed.map(|known| DispatchFact {
        handler: Some(known.handler),
        ..fact(engine, writers, id, None, known.below.clone())
    });
    facts.filter(|fact| fact.key.verdict == KeyVerdict::MayBeEmpty).collect()
}
