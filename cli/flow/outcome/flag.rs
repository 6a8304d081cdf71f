//! Flags: a `bool` that was set where the answer of a dispatch was looked at, and is asked later.

use super::Outcomes;
use crate::flow::eval::Eval;
use crate::flow::walk;
use crate::ir::{ExprId, ExprKind, Literal, LocalId};
use crate::source::Span;

/// Branches around the place where a flag is set that are looked at.
const MAX_AROUND: usize = 64;

/// The dispatches that a flag tells of, what is left of their outcomes where it is set, and what where it is not.
pub(super) fn of_flag(eval: &Eval<'_, '_>, flag: LocalId) -> Option<(Vec<Span>, Outcomes, Outcomes)> {
    if eval.conditions.is_empty() {
        return None;
    }
    let mut about: Vec<Span> = Vec::new();
    // for `false` and for `true`: what is left where it becomes that, anything where nobody asked before
    let mut left = [Outcomes::NONE; 2];
    for (at, truth) in settings(eval, flag) {
        let slot = &mut left[usize::from(truth)];
        match asked_around(eval, at) {
            Some((sites, outcomes)) => {
                about.extend(sites.into_iter().filter(|site| !about.contains(site)).collect::<Vec<_>>());
                *slot = slot.or(outcomes);
            }
            None => *slot = Outcomes::ALL,
        }
    }
    let [no, yes] = left;
    let tells = yes != Outcomes::ALL || no != Outcomes::ALL;
    (tells && !about.is_empty() && !yes.is_empty() && !no.is_empty()).then_some((about, yes, no))
}

/// The places at which a local becomes `true` or `false`: all of them, or none where it also becomes something else.
fn settings(eval: &Eval<'_, '_>, flag: LocalId) -> Vec<(ExprId, bool)> {
    let body = eval.body;
    let mut values: Vec<ExprId> = body.bound(flag).into_iter().collect();
    walk::visit(body, body.root, &mut |at| {
        match &body.expr(at).kind {
            ExprKind::Assign { target, value } if is_local(eval, *target, flag) => values.push(*value),
            ExprKind::AssignOp { target, value, .. } if is_local(eval, *target, flag) => values.push(*value),
            _ => {}
        }
        true
    });
    let mut found = Vec::new();
    while let Some(at) = values.pop() {
        match &body.expr(at).kind {
            ExprKind::Literal(Literal::Bool(truth)) => found.push((at, *truth)),
            ExprKind::Block(block) => match block.tail {
                Some(tail) => values.push(tail),
                // a block without a value does not come back
                None => continue,
            },
            ExprKind::Match { arms, .. } => values.extend(arms.iter().map(|arm| arm.body)),
            ExprKind::If { then, otherwise: Some(otherwise), .. } => values.extend([*then, *otherwise]),
            ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. } => {}
            _ => return Vec::new(),
        }
    }
    found
}

fn is_local(eval: &Eval<'_, '_>, id: ExprId, local: LocalId) -> bool {
    matches!(eval.body.expr(id).kind, ExprKind::Local(known) if known == local)
}

/// What is left of the outcomes of dispatches at a place, by the innermost branch around it that asks about some.
fn asked_around(eval: &Eval<'_, '_>, at: ExprId) -> Option<(Vec<Span>, Outcomes)> {
    let mut inner = at;
    for _ in 0..MAX_AROUND {
        let outer = eval.parents[inner.0 as usize]?;
        let arm = match &eval.body.expr(outer).kind {
            ExprKind::Match { arms, .. } => arms.iter().position(|arm| arm.body == inner),
            ExprKind::If { then, otherwise, .. } => {
                [Some(*then), *otherwise].iter().position(|part| *part == Some(inner))
            }
            _ => None,
        };
        let branch = arm.map(|arm| (eval.span_of(outer), arm as u32));
        let asked = eval.conditions.iter().find(|known| Some(known.branch) == branch && !known.about.is_empty());
        if let Some(asked) = asked {
            return Some((asked.about.clone(), asked.outcomes));
        }
        inner = outer;
    }
    None
}
