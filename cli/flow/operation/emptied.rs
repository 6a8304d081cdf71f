//! Lists of the process that are emptied behind a loop over what was in them.
//!
//! In: a call that empties a collection. Out: the loops of the body that went through the same collection before. It follows
//! names: locks, guards and iterators on the way are the collection itself.

use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::flow::events::{EventKind, Usage};
use crate::ir::{ExprId, ExprKind, LocalId, LoopKind, Name};
use crate::source::Span;

/// Calls and fields between a collection and what is asked of it.
const MAX_RECEIVER: usize = 16;

/// Records that a list which outlives the call is emptied, by the loops over it.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let empties = eval.engine.catalog.words.emptying_calls.iter().any(|name| name == site.name.as_str());
    let Some((receiver, _)) = site.receiver.as_ref().filter(|_| empties) else {
        return;
    };
    let Some(list) = list(eval, *receiver).filter(|list| list.outlives) else {
        return;
    };
    let end = eval.body.expr(site.id).range.start;
    let over = |id: ExprId| -> Option<Span> {
        let expr = eval.body.expr(id);
        let ExprKind::Loop(repeat) = &expr.kind else {
            return None;
        };
        let LoopKind::For { iterable, .. } = repeat.kind else {
            return None;
        };
        // `for item in list.drain(..)`: the loop itself takes them out.
        let takes_out = eval.body.expr(iterable).range.covers(eval.body.expr(site.id).range);
        let before = expr.range.end <= end;
        let same = || self::list(eval, iterable).is_some_and(|other| other.path == list.path);
        ((takes_out || before) && same()).then(|| eval.span_of(id))
    };
    let rounds: Vec<Span> = (0..eval.body.exprs.len()).filter_map(|at| over(ExprId(at as u32))).collect();
    if !rounds.is_empty() {
        eval.event(EventKind::Emptied { rounds }, site.span, site.name, Usage::Used);
    }
}

/// A collection, by the way to it.
struct List {
    path: (Option<LocalId>, Vec<Name>),
    /// others reach it too, or it stays when the function ends
    outlives: bool,
}

fn list(eval: &Eval<'_, '_>, id: ExprId) -> Option<List> {
    let words = &eval.engine.catalog.words;
    let mut path = Vec::new();
    let mut outlives = false;
    let mut at = id;
    for _ in 0..MAX_RECEIVER {
        at = match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                let name = call.name.as_str();
                outlives |= name == "read" || words.lock_calls.iter().any(|lock| lock == name);
                let empties = words.emptying_calls.iter().any(|known| known == name);
                if !call.args.is_empty() && !empties {
                    return None;
                }
                call.receiver
            }
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Field { base, name } => {
                path.push(*name);
                *base
            }
            ExprKind::Path(known) => {
                path.extend(known.segments.iter().rev().map(|segment| segment.name));
                return Some(List { path: (None, path), outlives: true });
            }
            ExprKind::Local(local) => match eval.body.bound(*local) {
                Some(value) if leads_on(eval, value) => value,
                _ => {
                    let own = eval.body.locals[local.0 as usize].name.as_str() == "self";
                    return Some(List { path: (Some(*local), path), outlives: outlives || own });
                }
            },
            _ => return None,
        };
    }
    None
}

/// Whether what a local is bound to is a collection of somebody else: a guard, a handle, a part.
fn leads_on(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    matches!(
        eval.body.expr(id).kind,
        ExprKind::MethodCall(_) | ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Deref(_) | ExprKind::Field { .. }
    )
}
