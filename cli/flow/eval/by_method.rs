//! Loops of which the method of the request says how often they go round: `for attempt in 0..tries_for(&request)`. Whoever
//! asks it knows that not every request may be sent again.

use super::Eval;
use crate::flow::RepeatScope;
use crate::flow::walk::{is_deferred, visit};
use crate::ir::{Body, ExprId, ExprKind, Loop, LoopKind};
use crate::resolve::{BodyTypes, Callee, Ty};

/// Functions that are asked whether they look at a method, at most.
const MAX_ASKED: usize = 16;

/// The scope that a loop makes, which says whether it goes by the method.
pub(crate) fn asked(eval: &Eval<'_, '_>, repeat: &Loop, scope: RepeatScope) -> RepeatScope {
    RepeatScope { by_method: goes_by_method(eval, repeat), ..scope }
}

/// Whether what ends a loop, or leads out of a round of it, looks at the method of a request, itself or in a function that it
/// calls.
fn goes_by_method(eval: &Eval<'_, '_>, repeat: &Loop) -> bool {
    let mut asked = deciding(eval.body, repeat);
    asked.extend(match repeat.kind {
        LoopKind::For { iterable, .. } => Some(iterable),
        LoopKind::While(condition) => Some(condition),
        LoopKind::Loop => None,
    });
    let mut called = Vec::new();
    for id in asked {
        if looks(eval.types, eval.body, id) {
            return true;
        }
        visit(eval.body, id, &mut |at| {
            if sends(eval.body, at) {
                return false;
            }
            if let Some(Callee::Functions(found)) = eval.types.callee(at) {
                called.extend(found.iter().copied());
            }
            called.len() < MAX_ASKED
        });
    }
    called.into_iter().take(MAX_ASKED).any(|function| {
        let info = eval.engine.program.function(function);
        info.ir.body.as_deref().is_some_and(|body| looks(&info.types, body, body.root))
    })
}

/// What the branches in a loop go by.
fn deciding(body: &Body, repeat: &Loop) -> Vec<ExprId> {
    let mut found = Vec::new();
    visit(body, repeat.body, &mut |at| {
        match &body.expr(at).kind {
            ExprKind::If { condition, .. } => found.push(*condition),
            ExprKind::Match { value, arms } => {
                found.push(*value);
                found.extend(arms.iter().filter_map(|arm| arm.guard));
            }
            _ => {}
        }
        !is_deferred(body, at)
    });
    found
}

/// Whether an expression looks at the method of a request. What is sent has one as well, and is not asked for it.
fn looks(types: &BodyTypes, body: &Body, id: ExprId) -> bool {
    let is_method = |ty: &Ty| matches!(ty, Ty::External(path, _) if path.as_str().ends_with("::Method"));
    let mut found = false;
    visit(body, id, &mut |at| {
        found |= match types.callee(at) {
            Some(Callee::ExternalMethod { method, .. }) if method.as_str() == "method" => true,
            _ => matches!(body.expr(at).kind, ExprKind::Local(_) | ExprKind::Field { .. }) && is_method(types.ty(at)),
        };
        !found && !sends(body, at)
    });
    found
}

/// Whether something is waited for: what is handed to it is not looked at here.
fn sends(body: &Body, id: ExprId) -> bool {
    matches!(body.expr(id).kind, ExprKind::Await(_))
}
