//! Handlers that only the call shows by which they are handed to a runner: `build_fn(send_receipt)`, and a closure that does
//! nothing but call one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{HandlerRule, HandlerShape, Matcher};
use crate::flow::rows::calls;
use crate::ir::{Body, ExprId, ExprKind, Name, PatKind};
use crate::resolve::{BodyTypes, Callee, FnId, FunctionInfo, Program, ValueDef};

/// Blocks and calls around what a closure calls.
const MAX_AROUND: usize = 8;

/// The functions that are registered in the workspace, outside test code, each with its rule.
pub(super) fn registered<'p>(program: &'p Program, matcher: &'p Matcher<'p>) -> Vec<(FnId, &'p HandlerRule)> {
    let handlers = matcher.catalog().handlers.iter();
    let names: FxHashSet<Name> = handlers
        .filter_map(|rule| match &rule.shape {
            HandlerShape::Call { call, .. } => call.0.rsplit("::").next().map(Name::new),
            _ => None,
        })
        .collect();
    // The same paths are called again and again.
    let mut paths: FxHashMap<Name, bool> = FxHashMap::default();
    let mut is_named = |callee: &Callee| match callee {
        Callee::ExternalMethod { method, .. } | Callee::UnknownMethod(method) => names.contains(method),
        Callee::External(path) | Callee::Unresolved(path) => *paths.entry(*path).or_insert_with(|| {
            let last = path.as_str().rsplit("::").next().unwrap_or_default();
            names.iter().any(|name| name.as_str() == last)
        }),
        _ => false,
    };
    let mut found = Vec::new();
    for function in program.functions.iter().filter(|function| !function.test && !function.example) {
        for (id, callee) in function.types.callees.iter().filter(|(_, callee)| is_named(callee)) {
            found.extend(by_call(program, matcher, function, *id, callee));
        }
    }
    found
}

/// What a call registers.
fn by_call<'p>(
    program: &'p Program,
    matcher: &'p Matcher<'p>,
    function: &FunctionInfo,
    id: ExprId,
    callee: &Callee,
) -> Option<(FnId, &'p HandlerRule)> {
    let body = function.ir.body.as_deref()?;
    let known = calls(program, Some(callee), false, &[], Some(function.package));
    let (rule, argument) = known.iter().find_map(|call| matcher.registration(call))?;
    let args = match &body.expr(id).kind {
        ExprKind::MethodCall(call) => &call.args,
        ExprKind::Call { args, .. } => args,
        _ => return None,
    };
    let registered = handed(body, &function.types, *args.get(argument as usize)?)?;
    program.body(registered).is_some().then_some((registered, rule))
}

/// The function that an expression is, or that a closure hands its own argument on to.
fn handed(body: &Body, types: &BodyTypes, id: ExprId) -> Option<FnId> {
    let ExprKind::Closure(closure) = &body.expr(id).kind else {
        return match types.path(id)? {
            ValueDef::Functions(ids) => only(ids),
            _ => None,
        };
    };
    let given = |arg: &ExprId| match body.expr(*arg).kind {
        ExprKind::Local(local) => closure
            .params
            .iter()
            .any(|(pat, _)| matches!(body.pat(*pat).kind, PatKind::Bind { local: own, inner: None } if own == local)),
        _ => false,
    };
    let mut at = closure.body;
    for _ in 0..MAX_AROUND {
        let args = match &body.expr(at).kind {
            ExprKind::Block(block) if block.statements.is_empty() => {
                at = block.tail?;
                continue;
            }
            ExprKind::Await(inner) => {
                at = *inner;
                continue;
            }
            ExprKind::Call { args, .. } => args,
            ExprKind::MethodCall(call) => &call.args,
            _ => return None,
        };
        return match types.callee(at)? {
            Callee::Functions(ids) if args.iter().any(given) => only(ids),
            _ => None,
        };
    }
    None
}

fn only(ids: &[FnId]) -> Option<FnId> {
    match ids {
        &[id] => Some(id),
        _ => None,
    }
}
