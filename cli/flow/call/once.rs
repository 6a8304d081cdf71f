//! Parameters by which a caller says that nothing is tried again: `if !retry || state.is_spent() { break Err(error) }`.

use super::super::eval::Eval;
use super::super::scope;
use super::super::value::Value;
use crate::ir::{BinaryOp, Body, ExprId, ExprKind};

/// Conditions in a chain of `||` that are looked at.
const MAX_OPERANDS: usize = 16;
/// Expressions of a body in which conditions are looked for.
const MAX_BODY: usize = 5_000;

/// The parameters that end the loop around a call after its first round, each with the truth that does so.
pub(super) fn asked(eval: &Eval<'_, '_>) -> Vec<(u32, bool)> {
    let body = eval.body;
    let repeat = eval.regions.iter().rev().find(|region| region.repeat.is_some()).map(|region| body.expr(region.id));
    let Some(repeat) = repeat.filter(|expr| matches!(expr.kind, ExprKind::Loop(_)) && body.exprs.len() <= MAX_BODY)
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for expr in body.exprs.iter().filter(|expr| repeat.range.covers(expr.range)) {
        match expr.kind {
            ExprKind::If { condition, then, .. } if scope::leaves(body, then) => {
                found.extend(operands(body, condition).into_iter().filter_map(|asked| truth(eval, asked)));
            }
            _ => {}
        }
    }
    found
}

/// Whether a call says so.
pub(super) fn is_said(unless: &[(u32, bool)], args: &[Value]) -> bool {
    unless.iter().any(|&(param, truth)| {
        let given = args.get(param as usize).and_then(Value::text);
        given == Some(if truth { "true" } else { "false" })
    })
}

/// The conditions any of which is enough.
fn operands(body: &Body, condition: ExprId) -> Vec<ExprId> {
    let mut out = Vec::new();
    let mut work = vec![condition];
    while let Some(id) = work.pop().filter(|_| out.len() < MAX_OPERANDS) {
        match body.expr(id).kind {
            ExprKind::Binary { op: BinaryOp::Or, left, right } => work.extend([left, right]),
            _ => out.push(id),
        }
    }
    out
}

/// The parameter that a condition asks, and the truth under which it holds.
fn truth(eval: &Eval<'_, '_>, condition: ExprId) -> Option<(u32, bool)> {
    let (asked, truth) = match eval.body.expr(condition).kind {
        ExprKind::Not(inner) => (inner, false),
        _ => (condition, true),
    };
    let ExprKind::Local(local) = eval.body.expr(asked).kind else {
        return None;
    };
    let (param, path) = eval.state.locals[local.0 as usize].as_parameter()?;
    path.is_empty().then_some((param, truth))
}
