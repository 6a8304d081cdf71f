//! Numbers of attempts that a loop counts itself: `pass += 1` where only an error comes round again.

use crate::flow::scope::leaves_with_success;
use crate::flow::walk::{is_deferred, visit};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, LocalId, Loop};
use crate::source::TextRange;

/// The locals from in front of a loop that each of its rounds counts up, and where. Rounds that a success ends as well
/// count what was done instead.
pub(crate) fn attempts(body: &Body, id: ExprId, repeat: &Loop) -> Vec<(LocalId, TextRange)> {
    if !leaves_with_success(body, repeat.body) {
        return Vec::new();
    }
    let start = body.expr(id).range.start;
    let mut found: Vec<(LocalId, TextRange)> = Vec::new();
    visit(body, repeat.body, &mut |at| {
        let expr = body.expr(at);
        if let Some(local) = counted_up(body, at).filter(|local| body.locals[local.0 as usize].range.end <= start) {
            found.push((local, expr.range));
        }
        !matches!(expr.kind, ExprKind::Loop(_)) && !is_deferred(body, at)
    });
    found
}

/// The local that an expression adds a fixed number to.
fn counted_up(body: &Body, id: ExprId) -> Option<LocalId> {
    let local = |id: ExprId| match body.expr(id).kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    };
    let number = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Literal(Literal::Int(_)));
    match body.expr(id).kind {
        ExprKind::AssignOp { op: BinaryOp::Add, target, value } if number(value) => local(target),
        ExprKind::Assign { target, value } => match body.expr(value).kind {
            ExprKind::Binary { op: BinaryOp::Add, left, right } if number(right) => {
                local(target).filter(|target| local(left) == Some(*target))
            }
            _ => None,
        },
        _ => None,
    }
}
