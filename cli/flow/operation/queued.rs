//! Batches of commands that are queued one by one and run together: what is done is told where each is queued.

use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::ir::{ExprId, ExprKind, LocalId};

/// Calls in front of the last one of a chain that are looked at.
const MAX_CHAIN: usize = 16;

/// Whether a call only runs what was queued: `pipe.query_async(connection)` behind `pipe.xadd(..)`.
pub(super) fn runs(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let Some((receiver, _)) = &site.receiver else {
        return false;
    };
    if runs_chain(eval, *receiver) {
        return true;
    }
    let Some(batch) = batch(eval, *receiver) else {
        return false;
    };
    eval.body.exprs.iter().zip(0u32..).any(|(expr, at)| match &expr.kind {
        ExprKind::MethodCall(call) => {
            ExprId(at) != site.id && is_queued(eval, ExprId(at)) && local(eval, call.receiver) == Some(batch)
        }
        _ => false,
    })
}

/// The local that holds a batch.
fn batch(eval: &Eval<'_, '_>, id: ExprId) -> Option<LocalId> {
    let held = local(eval, id)?;
    is_start(eval, eval.body.bound(held)?).then_some(held)
}

/// Whether an expression begins a batch: `redis::pipe()`.
fn is_start(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let starts = &eval.engine.catalog.words.batch_starts;
    let ExprKind::Call { callee, .. } = eval.body.expr(id).kind else {
        return false;
    };
    let starting = |name: &str| starts.iter().any(|word| name == word.as_str());
    match &eval.body.expr(callee).kind {
        ExprKind::Path(path) => path.segments.iter().any(|segment| starting(segment.name.as_str())),
        _ => false,
    }
}

/// Whether a chain begins a batch and queues something: `redis::pipe().xack(..).xdel(..)`.
fn runs_chain(eval: &Eval<'_, '_>, mut id: ExprId) -> bool {
    let mut queues = false;
    for _ in 0..MAX_CHAIN {
        let ExprKind::MethodCall(call) = &eval.body.expr(id).kind else {
            return queues && is_start(eval, id);
        };
        queues |= is_queued(eval, id);
        id = call.receiver;
    }
    false
}

/// The local at the start of a chain.
fn local(eval: &Eval<'_, '_>, mut id: ExprId) -> Option<LocalId> {
    for _ in 0..MAX_CHAIN {
        id = match &eval.body.expr(id).kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Deref(inner) => *inner,
            _ => return None,
        };
    }
    None
}

/// Whether the catalog knows what a call does.
fn is_queued(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let rows = eval.engine.rows.of(eval.types.callee(id), false, &[], None);
    rows.dispatch.is_some() || rows.store.is_some() || rows.ack.is_some()
}
