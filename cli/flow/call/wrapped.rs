//! Requests that a function of another crate is handed before they are sent, and gives back with more in them: a body, a
//! signature, the context of a trace.

use super::super::eval::Eval;
use super::super::value::{Alt, BuildStep, Shape, Value};
use super::super::{dispatch, walk};
use super::Site;
use crate::ir::ExprKind;
use crate::resolve::Callee;

/// The request that such a function gives, where it is handed one: one that is waited for may have sent it.
pub(super) fn request(eval: &Eval<'_, '_>, site: &Site<'_>, step: &BuildStep) -> Option<Value> {
    let Some(Callee::External(path)) = site.callee else {
        return None;
    };
    let waited_for =
        walk::parent(&eval.parents, site.id).is_some_and(|id| matches!(eval.body.expr(id).kind, ExprKind::Await(_)));
    if site.is_macro || waited_for || path.as_str().starts_with("std::") {
        return None;
    }
    let catalog = eval.engine.catalog;
    let is_request = |value: &Value| value.alts.iter().any(|alt| dispatch::is_unsent(catalog, alt));
    let (at, request) = site.args.iter().enumerate().find(|(_, value)| is_request(value))?;
    let others = |list: &[Value]| -> Vec<Value> {
        list.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, value)| value.clone()).collect()
    };
    let spans = step.arg_spans.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, span)| *span).collect();
    let step = BuildStep { args: others(&step.args), arg_spans: spans, foreign: true, ..step.clone() };
    Some(request.filter_map(|alt| match &alt.shape {
        Shape::Builder(builder) if dispatch::is_unsent(catalog, alt) => {
            Some(Alt { atoms: alt.atoms.clone(), shape: builder.followed_by(step.clone()) })
        }
        _ => None,
    }))
}
