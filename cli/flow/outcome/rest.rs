//! Arms for everything that no arm before them names.

use super::pattern::{is_of_sort, is_wild};
use crate::flow::eval::Eval;
use crate::ir::{Arm, ExprId, ExprKind, LocalId, PatId, PatKind};

/// Whether an arm takes all that is left of an enum that tells what became of something.
pub(crate) fn takes_rest(eval: &Eval<'_, '_>, id: ExprId, arms: &[Arm], number: u32) -> bool {
    let Some((arm, before)) = arms[..=number as usize].split_last() else {
        return false;
    };
    let sorts = |pat: PatId| match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => choices.first().is_some_and(|&first| is_of_sort(eval, first)),
        _ => is_of_sort(eval, pat),
    };
    arm.guard.is_none()
        && is_wild(eval, arm.pat)
        && !before.iter().any(|arm| sorts(arm.pat))
        && !is_asked_before(eval, id)
}

/// Whether what a `match` takes apart was asked something before, such as `is_final()`: what that has let through, the arms
/// do not say.
fn is_asked_before(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let ExprKind::Match { value, .. } = &eval.body.expr(id).kind else {
        return false;
    };
    let Some(local) = local_of(eval, *value) else {
        return false;
    };
    let from = eval.body.expr(id).range.start;
    eval.body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => {
            expr.range.end <= from
                && call.args.is_empty()
                && call.name.as_str().starts_with("is_")
                && local_of(eval, call.receiver) == Some(local)
        }
        _ => false,
    })
}

/// The local of which a value is, or is a part.
fn local_of(eval: &Eval<'_, '_>, mut id: ExprId) -> Option<LocalId> {
    loop {
        id = match &eval.body.expr(id).kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Deref(inner) => *inner,
            ExprKind::Field { base, .. } => *base,
            _ => return None,
        };
    }
}
