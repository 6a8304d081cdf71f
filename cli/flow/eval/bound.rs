//! `bind`: the name under which a handler's body finds its own intent key.
//!
//! The attribute puts the binding in front of the body, so no pattern of the body holds it. Its value is the contract's
//! template, made of the handler's parameters when the handler is called.

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::Eval;
use crate::flow::value::Value;
use crate::ir::{ExprId, ExprKind, Name, PatKind};

/// The value of a path that is the bound key of a contract of the function around it.
pub(crate) fn bound_key(eval: &Eval<'_, '_>, id: ExprId) -> Option<Value> {
    let ExprKind::Path(path) = &eval.body.expr(id).kind else {
        return None;
    };
    let [segment] = path.segments.as_slice() else {
        return None;
    };
    let function = eval.function?;
    let contract = eval.engine.contracts.iter().find(|contract| {
        contract.bodies.contains(&function) && contract.bind.as_deref() == Some(segment.name.as_str())
    })?;
    let span = contract.name_span;
    let Some(KeyTemplate::Template { parts, .. }) = &contract.contract.intent_key else {
        return Some(eval.opaque("the intent key is an expression in the attribute", span));
    };
    let parts: Vec<Value> = parts
        .iter()
        .map(|part| match part {
            KeyPart::Text(text) => eval.constant(Some(text)),
            KeyPart::Placeholder(expression) => placeholder(eval, expression)
                .unwrap_or_else(|| eval.opaque("a placeholder of the intent key is not a field path", span)),
        })
        .collect();
    Some(Value::concat(&parts))
}

/// `invoice.id` as the field of a parameter.
fn placeholder(eval: &Eval<'_, '_>, expression: &str) -> Option<Value> {
    let mut segments = expression.split('.').map(str::trim);
    let first = segments.next()?;
    let info = eval.engine.program.function(eval.function?);
    let param = info.ir.params.iter().find(|param| param.name.is_some_and(|name| name.as_str() == first))?;
    let PatKind::Bind { local, .. } = &eval.body.pat(param.pat?).kind else {
        return None;
    };
    let mut value = eval.state.locals.get(local.0 as usize)?.clone();
    for segment in segments {
        let name = segment.strip_suffix("()").unwrap_or(segment);
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        // an accessor gives a part of its receiver, or keeps it
        value = if name == segment { value.field(Name::new(name)) } else { value };
    }
    Some(value)
}
