//! What is made anew and kept in a collection of the process: the next attempt in this process finds it, no other does.

use super::super::eval::Eval;
use super::super::remembered::{is_cell, is_collection};
use super::super::value::{Atom, Value, made};
use super::super::walk;
use super::Site;
use super::combine::run_or_self;
use crate::ir::{ExprId, ExprKind};

/// Calls between a collection and the entry of a key, and between a variable and what of it is kept.
const MAX_CHAIN: usize = 6;

/// What a call gives that may keep what it makes: `keys.entry(id).or_insert_with(Uuid::new_v4)`. One that only takes
/// something in marks the variable in which it stays known.
pub(super) fn remembered(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: Value) -> Value {
    let Some((of, _)) = site.receiver.as_ref() else {
        return value;
    };
    let name = site.name.as_str();
    if eval.engine.catalog.words.filling_calls.iter().any(|known| known == name) {
        return if is_cell(eval, *of) { marked(site, &value) } else { value };
    }
    let finds = name.contains("or_insert") || name.contains("get_with");
    if !finds && !is_remembering(eval, name) {
        return value;
    }
    // With one argument only the entry of a key is one of several.
    let keyed = site.args.len() > 1 || finds && is_entry(eval, *of);
    let Some((last, &id)) = site.args.last().zip(site.arg_ids.last()).filter(|_| keyed) else {
        return value;
    };
    if !is_collection(eval, *of) {
        return value;
    }
    if finds {
        let last = last.clone();
        let found = if site.args.len() > 1 { value.join(&run_or_self(eval, site, &last, &[])) } else { value };
        return marked(site, &found);
    }
    if let Some(local) = walk::copied(eval.body, id, MAX_CHAIN) {
        let slot = local.0 as usize;
        eval.state.locals[slot] = marked(site, &eval.state.locals[slot]);
    }
    value
}

fn is_remembering(eval: &Eval<'_, '_>, name: &str) -> bool {
    eval.engine.catalog.words.remembering_calls.iter().any(|known| known == name)
}

/// A value of which the memory of the process keeps what was made anew.
fn marked(site: &Site<'_>, value: &Value) -> Value {
    value.map_atoms(&mut |atom| match made(&atom.kind) {
        true => Atom {
            remembered: true,
            trail: atom.trail.then(site.span, "the memory of this process keeps it"),
            ..atom.clone()
        },
        false => atom.clone(),
    })
}

/// Whether an expression is the entry of a key in a collection.
fn is_entry(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        at = match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) if is_remembering(eval, call.name.as_str()) => return true,
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Local(local) => match eval.body.bound(*local) {
                Some(made) => made,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}
