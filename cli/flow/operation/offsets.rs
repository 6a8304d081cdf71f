//! Acknowledgements that cover everything before them: an offset, whatever of what came earlier is still being done.

use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::flow::walk::bound_by;
use crate::ir::{Body, ExprId, ExprKind, LocalId, LoopKind, Statement};

/// Parts of what is acknowledged that are looked at.
const MAX_PARTS: usize = 64;
/// Expressions of a body in which loops are looked for.
const MAX_BODY: usize = 20_000;

/// Whether what a call acknowledges is the element that a loop or closure was just given, rather than a mark that somebody
/// keeps of what is done so far.
pub(crate) fn is_of_element(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let body = eval.body;
    let intake = &eval.engine.catalog.words.intake_calls;
    let mut elements = None;
    let mut work: Vec<ExprId> = site.arg_ids.clone();
    for _ in 0..MAX_PARTS {
        let Some(at) = work.pop() else {
            return false;
        };
        match &body.expr(at).kind {
            ExprKind::MethodCall(call) if intake.iter().any(|name| name == call.name.as_str()) => return true,
            ExprKind::MethodCall(call) if call.args.is_empty() => work.push(call.receiver),
            ExprKind::Call { args, .. } => work.extend(args),
            ExprKind::Field { base: inner, .. }
            | ExprKind::Await(inner)
            | ExprKind::Try(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Cast { value: inner, .. }
            | ExprKind::Binary { left: inner, .. } => work.push(*inner),
            ExprKind::Tuple(items) | ExprKind::Array(items) => work.extend(items),
            ExprKind::Local(local) => {
                let elements = elements.get_or_insert_with(|| given(body));
                if elements.contains(local) {
                    return true;
                }
                work.extend(body.bound(*local));
            }
            _ => {}
        }
    }
    false
}

/// The locals that loops and closures are given.
fn given(body: &Body) -> Vec<LocalId> {
    let mut locals = Vec::new();
    for at in 0..body.exprs.len().min(MAX_BODY) {
        match &body.expr(ExprId(at as u32)).kind {
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::For { pat, .. } => bound_by(body, pat, &mut locals),
                LoopKind::While(condition) => {
                    if let ExprKind::Let { pat, .. } = body.expr(condition).kind {
                        bound_by(body, pat, &mut locals);
                    }
                }
                LoopKind::Loop => {}
            },
            ExprKind::Closure(closure) => closure.params.iter().for_each(|(pat, _)| bound_by(body, *pat, &mut locals)),
            _ => {}
        }
    }
    // What is taken out of them: `let Ok(msg) = msg else { … }`, `if let Ok(msg) = msg`, the arms of a match.
    let is_given = |locals: &[LocalId], value: ExprId| matches!(body.expr(value).kind, ExprKind::Local(local) if locals.contains(&local));
    for at in 0..body.exprs.len().min(MAX_BODY) {
        match &body.expr(ExprId(at as u32)).kind {
            ExprKind::Block(block) => {
                for statement in &block.statements {
                    if let Statement::Let { pat, value: Some(value), .. } = statement {
                        if is_given(&locals, *value) {
                            bound_by(body, *pat, &mut locals);
                        }
                    }
                }
            }
            ExprKind::Let { pat, value } if is_given(&locals, *value) => bound_by(body, *pat, &mut locals),
            ExprKind::Match { value, arms } if is_given(&locals, *value) => {
                arms.iter().for_each(|arm| bound_by(body, arm.pat, &mut locals));
            }
            _ => {}
        }
    }
    locals
}
