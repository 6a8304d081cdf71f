//! Middleware of the workspace that repeats requests: a loop of attempts around the rest of the chain.

use rustc_hash::FxHashSet;

use super::call::Site;
use super::eval::Eval;
use super::scope::loop_scope;
use super::walk;
use crate::catalog::Words;
use crate::ir::{Body, ExprId, ExprKind, Literal};
use crate::resolve::{Callee, FunctionInfo, Program, Ty, TypeId};

/// The types that stand in front of what sends, and hand one request on several times whatever it asks for.
pub(crate) fn types(program: &Program, words: &Words) -> FxHashSet<TypeId> {
    let functions = program.functions.iter().filter(|function| !function.test && function.ir.has_self);
    let layers = functions.filter_map(|function| {
        let Ty::Adt(id, _) = function.self_ty else {
            return None;
        };
        let layer = function.params.iter().any(|ty| ty.is_one_of(&words.middleware_types));
        (layer && repeats(function, words)).then_some(id)
    });
    layers.collect()
}

/// Whether a function hands its request on in a loop of attempts, and asks it nothing that could keep it from that.
fn repeats(function: &FunctionInfo, words: &Words) -> bool {
    let Some(body) = function.ir.body.as_deref() else {
        return false;
    };
    let forwards = |id: ExprId| match function.types.callee(id) {
        Some(Callee::ExternalMethod { receiver, method }) => {
            words.forwarding_calls.iter().any(|name| name == method.as_str())
                && words.middleware_types.iter().any(|name| name == receiver.as_str())
        }
        _ => false,
    };
    let ids = (0..body.exprs.len()).map(|at| ExprId(at as u32));
    let mut loops = ids.filter(|&id| match &body.expr(id).kind {
        ExprKind::Loop(repeat) => {
            walk::any(body, repeat.body, &forwards) && loop_scope(body, function.file, id, repeat, words).is_some()
        }
        _ => false,
    });
    loops.next().is_some() && !picks(body, words)
}

/// Whether it looks which request it is.
pub(super) fn picks(body: &Body, words: &Words) -> bool {
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => words.operation_names.iter().any(|name| name == call.name.as_str()),
        ExprKind::Literal(Literal::Str(text)) => words.key_headers.iter().any(|name| name.eq_ignore_ascii_case(text)),
        _ => false,
    })
}

/// Whether a call attaches one of them.
pub(crate) fn attaches(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let repeating = eval.engine.repeating();
    let is_one = |ty: &Ty| match ty {
        Ty::Adt(id, _) => repeating.contains(id),
        Ty::External(_, held) => matches!(held.as_slice(), [Ty::Adt(id, _)] if repeating.contains(id)),
        _ => false,
    };
    !repeating.is_empty() && site.arg_ids.iter().any(|&id| is_one(eval.ty(id)))
}
