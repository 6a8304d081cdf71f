//! Keys that an error takes away: what cannot be made goes out without one.
//!
//! `let key = match render(..) { Ok(key) => Some(key), Err(_) => None }`, and the request is given `key` as it is.

use crate::ir::{Arm, Body, ExprId, ExprKind, LocalId, PatKind};
use crate::rules::Facts;
use crate::rules::named_keys::{self, Part};
use crate::rules::scene::has_any;
use crate::source::Span;

/// Where an error becomes no key, and the function in which it does.
pub(super) fn lost<'a>(facts: &Facts<'a>) -> Vec<(Span, &'a str)> {
    let branches = |_: &_, body: &Body, id| lost_in(body, id).is_some();
    let found = named_keys::all(facts, &branches).into_iter().filter(|part| is_sent(facts, part));
    found
        .filter_map(|part| {
            let at = part.body.expr(lost_in(part.body, part.id)?).range;
            Some((Span::new(part.function.file, at), part.function.path.as_str()))
        })
        .collect()
}

/// The arm for the error of a `match` that gives something otherwise, where it gives nothing.
fn lost_in(body: &Body, id: ExprId) -> Option<ExprId> {
    let ExprKind::Match { arms, .. } = &body.expr(id).kind else {
        return None;
    };
    let is_error = |arm: &&Arm| match &body.pat(arm.pat).kind {
        PatKind::TupleStruct { path, .. } => path.of_option_or_result() == Some("Err"),
        _ => false,
    };
    let nothing = |id: ExprId| match &body.expr(id).kind {
        ExprKind::Path(path) => path.of_option_or_result() == Some("None"),
        _ => false,
    };
    let value = |arm: &Arm| match &body.expr(arm.body).kind {
        ExprKind::Block(block) => block.tail,
        _ => Some(arm.body),
    };
    let lost = arms.iter().find(is_error).and_then(value).filter(|&id| nothing(id))?;
    arms.iter().filter_map(value).any(|id| !nothing(id)).then_some(lost)
}

/// Whether the local that takes the key is put into a request as it is: a field or a method with the name of a key is given it.
fn is_sent(facts: &Facts<'_>, part: &Part<'_>) -> bool {
    let keys = part.keys(facts);
    let names = &facts.catalog.words.key_names;
    let is_key = |id: ExprId| match &part.body.expr(id).kind {
        ExprKind::Local(local) => keys.contains(local),
        ExprKind::MethodCall(call) => is_copy(part.body, call.receiver, &keys) && call.name.as_str() == "clone",
        _ => false,
    };
    part.body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Struct(literal) => {
            literal.fields.iter().any(|(name, value)| has_any(name.as_str(), names) && is_key(*value))
        }
        ExprKind::MethodCall(call) => has_any(call.name.as_str(), names) && call.args.iter().any(|&id| is_key(id)),
        _ => false,
    })
}

fn is_copy(body: &Body, id: ExprId, keys: &[LocalId]) -> bool {
    matches!(&body.expr(id).kind, ExprKind::Local(local) if keys.contains(local))
}
