//! Rows that are read, changed in their fields and written back as a whole.

use super::MAX_DEPTH;
use super::write::{Assigned, Build};
use crate::flow::eval::Eval;
use crate::flow::walk::{any, bound_by, stands_for};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, LocalId, PatId, PatKind, PathIr, Statement, TypeIr};
use crate::resolve::Callee;

/// Expressions of a body in which changes are looked for.
const MAX_BODY: usize = 20_000;

/// The changes of the fields of a row that a local holds, as those of the statement that writes it back; `is_read` tells
/// whether an expression reads the row from where it is written to.
pub(super) fn changes(body: &Body, local: LocalId, build: &mut Build, is_read: impl Fn(ExprId) -> bool) {
    if body.exprs.len() > MAX_BODY || !given(body, local).is_some_and(|value| reads(body, value, &is_read)) {
        return;
    }
    let all = || (0..body.exprs.len()).map(|at| ExprId(at as u32));
    let rows = same_row(body, local);
    let own = |id: ExprId| rows.iter().find_map(|&row| field_of(body, row, id));
    let mut set = Vec::new();
    let mut targets = Vec::new();
    for id in all() {
        match &body.expr(id).kind {
            ExprKind::AssignOp { op, target, value } => {
                if let Some(field) = own(*target) {
                    targets.push(*target);
                    set.push((
                        field.to_owned(),
                        match op {
                            BinaryOp::Add | BinaryOp::Sub => Assigned::Delta(*value),
                            _ => Assigned::Value(*value),
                        },
                    ));
                }
            }
            ExprKind::Assign { target, value } => {
                if let Some(field) = own(*target) {
                    targets.push(*target);
                    let is_own = |at: ExprId| own(at) == Some(field);
                    let by = difference(body, resolved(body, *value), &|id| any(body, id, &is_own));
                    set.push((field.to_owned(), by.map_or_else(|| super::plain(body, *value), Assigned::Delta)));
                }
            }
            _ => {}
        }
    }
    // What else is changed and looked at may be the mark by which a repeat is told: a last one, a list of what was done.
    let counted = |field: &str| set.iter().any(|(known, by)| known == field && matches!(by, Assigned::Delta(_)));
    let marked = all().any(|id| {
        let Some(field) = own(id).filter(|field| !counted(field) && !targets.contains(&id)) else {
            return false;
        };
        set.iter().any(|(known, _)| known == field) || is_told(body, id)
    });
    let plain = |by: Assigned| match by {
        Assigned::Delta(by) if marked => Assigned::Value(by),
        by => by,
    };
    build.set.extend(set.into_iter().map(|(field, by)| (field, plain(by))));
}

/// The locals that hold one row: what was read, and what that was made into.
fn same_row(body: &Body, local: LocalId) -> Vec<LocalId> {
    let mut rows = vec![local];
    let mut at = body.bound(local);
    for _ in 0..4 * MAX_DEPTH {
        at = match at.map(|at| &body.expr(at).kind) {
            Some(ExprKind::MethodCall(call)) if call.args.is_empty() => Some(call.receiver),
            Some(ExprKind::Call { args, .. }) if args.len() == 1 => args.first().copied(),
            Some(ExprKind::Local(other)) => {
                rows.push(*other);
                body.bound(*other)
            }
            _ => break,
        };
    }
    rows
}

/// The value in `Set(value)`, of a local what it is given.
fn resolved(body: &Body, value: ExprId) -> ExprId {
    stands_for(body, super::inside(body, value))
}

/// By how much a value differs from a field of a row that was read: `row.points + by`, `row.map_or(0, |r| r.points) + by`.
pub(super) fn by_difference(
    body: &Body,
    field: &str,
    mut value: ExprId,
    is_read: &impl Fn(ExprId) -> bool,
) -> Option<ExprId> {
    value = super::inside(body, value);
    while let ExprKind::Local(local) = body.expr(value).kind {
        value = body.bound(local)?;
    }
    difference(body, value, &|id| {
        let is_field =
            |at: ExprId| matches!(&body.expr(at).kind, ExprKind::Field { name, .. } if name.as_str() == field);
        any(body, id, &is_field) && given_by(body, id).is_some_and(|row| reads(body, row, is_read))
    })
}

/// Where the chain of calls and fields begins that an expression is: what its first local is given.
fn given_by(body: &Body, mut at: ExprId) -> Option<ExprId> {
    for _ in 0..4 * MAX_DEPTH {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Field { base: inner, .. }
            | ExprKind::Await(inner)
            | ExprKind::Try(inner)
            | ExprKind::Deref(inner) => *inner,
            ExprKind::Local(local) => return given(body, *local),
            _ => return None,
        };
    }
    None
}

/// Whether a method takes something in on a field: `row.applied.push(id)`.
fn is_told(body: &Body, field: ExprId) -> bool {
    (0..body.exprs.len()).any(|at| {
        matches!(&body.expr(ExprId(at as u32)).kind, ExprKind::MethodCall(call)
            if call.receiver == field && matches!(call.name.as_str(), "push" | "insert" | "extend" | "replace"))
    })
}

/// The field of a local that an expression is.
fn field_of(body: &Body, local: LocalId, id: ExprId) -> Option<&str> {
    let ExprKind::Field { base, name } = &body.expr(id).kind else {
        return None;
    };
    let base = match body.expr(*base).kind {
        ExprKind::Deref(inner) => inner,
        _ => *base,
    };
    matches!(body.expr(base).kind, ExprKind::Local(other) if other == local).then_some(name.as_str())
}

/// By how much a value differs from what it is told of: `row.left - by`, also `row.left.saturating_sub(by)`.
fn difference(body: &Body, value: ExprId, own: &dyn Fn(ExprId) -> bool) -> Option<ExprId> {
    // what it was may have been kept by a name
    let own = |id: ExprId| match body.expr(id).kind {
        ExprKind::Local(local) => own(id) || body.bound(local).is_some_and(own),
        _ => own(id),
    };
    match &body.expr(value).kind {
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => match (own(*left), own(*right)) {
            (true, _) => Some(*right),
            (_, true) => Some(*left),
            _ => None,
        },
        ExprKind::MethodCall(call)
            if own(call.receiver) && (call.name.as_str().ends_with("_add") || call.name.as_str().ends_with("_sub")) =>
        {
            call.args.first().copied()
        }
        _ => None,
    }
}

/// What a local is given where it is bound, by a `let` or in a pattern.
pub(super) fn given(body: &Body, local: LocalId) -> Option<ExprId> {
    if let Some(value) = body.bound(local) {
        return Some(value);
    }
    let binds = |pat: PatId| {
        let mut locals = Vec::new();
        bound_by(body, pat, &mut locals);
        locals.contains(&local)
    };
    (0..body.exprs.len()).find_map(|at| match &body.expr(ExprId(at as u32)).kind {
        ExprKind::Block(block) => block.statements.iter().find_map(|statement| match statement {
            Statement::Let { pat, value: Some(value), .. } => binds(*pat).then_some(*value),
            _ => None,
        }),
        ExprKind::Let { pat, value } => binds(*pat).then_some(*value),
        ExprKind::Match { value, arms } => arms.iter().any(|arm| binds(arm.pat)).then_some(*value),
        _ => None,
    })
}

/// The type that is written down where a local is bound.
pub(super) fn written_type(body: &Body, local: LocalId) -> Option<&PathIr> {
    body.statements().find_map(|statement| match statement {
        Statement::Let { pat, ty: Some(ty), .. } => match (&body.pat(*pat).kind, &**ty) {
            (PatKind::Bind { local: bound, .. }, TypeIr::Path(path)) if *bound == local => Some(path),
            _ => None,
        },
        _ => None,
    })
}

/// The module of what is called by a name that was imported.
pub(super) fn imported(eval: &Eval<'_, '_>, call: ExprId) -> Option<String> {
    match eval.types.callee(call)? {
        Callee::External(path) | Callee::Unresolved(path) => path.as_str().rsplit("::").nth(2).map(str::to_owned),
        _ => None,
    }
}

/// The row that each of many is like: of those that a closure makes of other things, the one that it makes; of those that are
/// written out, the first.
pub(super) fn like_each(body: &Body, mut at: ExprId) -> Option<ExprId> {
    for _ in 0..4 * MAX_DEPTH {
        at = match &body.expr(at).kind {
            ExprKind::Struct(_) => return Some(at),
            ExprKind::Array(rows) => *rows.first()?,
            ExprKind::Local(local) => body.bound(*local)?,
            ExprKind::Block(block) => block.tail?,
            ExprKind::MethodCall(call) => match call.args[..] {
                [] => call.receiver,
                [made] => match &body.expr(made).kind {
                    ExprKind::Closure(closure) => closure.body,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// Whether a chain of calls goes back to one that reads.
fn reads(body: &Body, mut at: ExprId, is_read: &impl Fn(ExprId) -> bool) -> bool {
    for _ in 0..4 * MAX_DEPTH {
        if is_read(at) {
            return true;
        }
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Call { args, .. } if args.len() == 1 => args[0],
            ExprKind::Local(local) => match given(body, *local) {
                Some(value) => value,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}
