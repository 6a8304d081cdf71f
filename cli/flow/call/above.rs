//! What the callers of a handler hand it as a key. Where a handler is called for each attempt, the way of its key ends with
//! it: whatever is made in front of it is made once. An empty key is empty all the same.

use super::super::engine::Summary;
use super::super::eval::Eval;
use super::super::handlers;
use super::super::uses::{HandedKey, Use, Way};
use super::super::value::CallContext;
use crate::resolve::FnId;
use crate::source::Span;

/// Dispatches below handlers that one function is told of, at most.
const MAX_HANDED: usize = 32;

/// Takes over the dispatches below a handler that is called, or below one that is called there.
pub(super) fn take_over(eval: &mut Eval<'_, '_>, at: Span, callee: FnId, summary: &Summary, context: &CallContext) {
    // Where it was empty before, that is told there.
    let asked = |known: &&Use| known.is_open() && !known.loose && !known.may_be_empty();
    let way = Way { at, heard: true, chosen: false, asks: false };
    let lift = |handler: FnId, known: &Use| HandedKey { handler, below: known.lift(context, way, &[], &[]) };
    let taken: Vec<HandedKey> = match handlers::is_handler(eval.engine, callee) {
        true => summary.uses.iter().filter(asked).map(|known| lift(callee, known)).collect(),
        false => {
            let below = summary.handed_keys.iter().filter(|known| asked(&&known.below));
            below.map(|known| lift(known.handler, &known.below)).collect()
        }
    };
    let room = MAX_HANDED.saturating_sub(eval.handed_keys.len());
    eval.handed_keys.extend(taken.into_iter().take(room));
}
