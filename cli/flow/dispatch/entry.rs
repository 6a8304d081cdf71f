//! What is put into a map where it has nothing of that name: `headers.entry(NAME).or_insert(key)`.

use super::super::call::{Site, changed_local};
use super::super::eval::Eval;
use super::super::value::{Alt, BuildStep, Builder, Kind, Shape, Value, same_value};
use super::key::{begun, in_value};
use crate::ir::{ExprId, ExprKind, Name};
use std::sync::Arc;

/// Calls between a map's entry and what fills it: `map.try_entry(NAME)?.or_insert(key)`.
const MAX_CHAIN: usize = 4;

/// Names what a call puts into the entry of a map in the map itself, as `insert` would. What is there already stays.
pub(crate) fn entered(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: &Value) {
    let fills = site.name.as_str().starts_with("or_insert") && site.args.len() == 1;
    let Some((of, there)) = site.receiver.as_ref().filter(|_| fills) else {
        return;
    };
    let Some((map, name)) = entry(eval, *of) else {
        return;
    };
    let (Some(local), written) = (changed_local(eval.body, map), eval.eval(name)) else {
        return;
    };
    let Some(text) = written.text() else {
        return;
    };
    // What the map may hold already stands beside what is given, and is not what is given.
    let stood =
        |alt: &Alt| there.alts.iter().any(|known| same_value(&Value::alt(known.clone()), &Value::alt(alt.clone())));
    let given = value.filter_map(|alt| (!stood(alt)).then(|| alt.clone()));
    let step = |value: Value| BuildStep {
        arg_spans: vec![eval.span_of(name), eval.span_of(site.arg_ids[0])],
        ..BuildStep::plain(Name::new("insert"), vec![written.clone(), value], site.span)
    };
    let slot = local.0 as usize;
    let new = eval.state.locals[slot].filter_map(|alt| {
        let old = Value::alt(alt.clone());
        if in_value(&old, &|known| known.eq_ignore_ascii_case(text), 0).is_some() {
            return Some(alt.clone());
        }
        let value = if is_whole(alt) { given.clone() } else { old.field(Name::new(text)).join(&given) };
        let mut builder = match &alt.shape {
            Shape::Builder(builder) => Builder::clone(builder),
            _ => Builder { root: old, steps: Vec::new() },
        };
        builder.steps.push(step(value));
        Some(Alt { atoms: alt.atoms.clone(), shape: Shape::Builder(Arc::new(builder)) })
    });
    eval.state.locals[slot] = new;
}

/// The map and the name whose entry a chain of calls goes on with. The name is one that can be read twice.
fn entry(eval: &Eval<'_, '_>, id: ExprId) -> Option<(ExprId, ExprId)> {
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        at = match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) => match (call.name.as_str(), &*call.args) {
                ("entry" | "try_entry", &[name]) => return is_plain(eval, name).then_some((call.receiver, name)),
                ("unwrap" | "expect" | "and_modify", _) => call.receiver,
                _ => return None,
            },
            ExprKind::Try(inner) => *inner,
            ExprKind::Local(local) => eval.body.bound(*local)?,
            _ => return None,
        };
    }
    None
}

/// Whether an expression is a name that is written down: a text, a constant, or made of one.
fn is_plain(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    match &eval.body.expr(id).kind {
        ExprKind::Literal(_) | ExprKind::Path(_) | ExprKind::Local(_) => true,
        ExprKind::Call { args, .. } => {
            matches!(**args, [arg] if matches!(eval.body.expr(arg).kind, ExprKind::Literal(_) | ExprKind::Path(_)))
        }
        ExprKind::MethodCall(call) => {
            call.args.is_empty() && matches!(eval.body.expr(call.receiver).kind, ExprKind::Literal(_))
        }
        _ => false,
    }
}

/// Whether a map begins here, so that all it holds is known.
fn is_whole(alt: &Alt) -> bool {
    begun(alt).is_some() || matches!(alt.shape, Shape::Plain) && alt.atoms.iter().all(|atom| atom.kind == Kind::Empty)
}
