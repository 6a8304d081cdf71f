//! Requests whose rest is their default on one way, and on the others something that has the key.
//!
//! `match action { A => Order { kind, ..keyed }, B => Order { kind, ..Order::default() } }`: what is not written there has no
//! key, though the same request has one beside it.

use crate::ir::{Body, ExprId, ExprKind, Name, PathIr, StructExpr};
use crate::resolve::{FunctionInfo, StructDef, Ty, TypeId};
use crate::rules::Facts;
use crate::rules::named_keys;
use crate::rules::scene::has_any;
use crate::source::Span;

/// Values inside blocks and wrappers on the way to a literal.
const MAX_INSIDE: usize = 8;

/// Where the rest that has no key stands, and the function in which it does.
pub(super) fn left_out<'a>(facts: &Facts<'a>) -> Vec<(Span, &'a str)> {
    let branches =
        |_: &FunctionInfo, body: &Body, id| matches!(body.expr(id).kind, ExprKind::Match { .. } | ExprKind::If { .. });
    let mut found = Vec::new();
    for part in named_keys::all(facts, &branches) {
        let ways: Vec<ExprId> =
            ways(part.body, part.id).into_iter().filter_map(|way| literal(part.body, way)).collect();
        for &way in &ways {
            let Some((ty, rest)) = defaulted(facts, part.function, part.body, way) else {
                continue;
            };
            let keyed = |other: &ExprId| of(part.function, *other) == Some(ty) && is_keyed(facts, part.body, *other);
            if ways.iter().any(keyed) {
                let place = Span::new(part.function.file, part.body.expr(rest).range);
                found.push((place, part.function.path.as_str()));
            }
        }
    }
    found
}

/// What the arms of a `match` or the branches of an `if` give.
fn ways(body: &Body, id: ExprId) -> Vec<ExprId> {
    match &body.expr(id).kind {
        ExprKind::Match { arms, .. } => arms.iter().map(|arm| arm.body).collect(),
        ExprKind::If { then, otherwise, .. } => [Some(*then), *otherwise].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// The struct literal that a value is, behind blocks and wrappers.
fn literal(body: &Body, value: ExprId) -> Option<ExprId> {
    let mut at = value;
    for _ in 0..MAX_INSIDE {
        at = match &body.expr(at).kind {
            ExprKind::Struct(_) => return Some(at),
            ExprKind::Block(block) => block.tail?,
            ExprKind::Call { callee, args } => match (&body.expr(*callee).kind, &args[..]) {
                (ExprKind::Path(path), [only]) if path.of_option_or_result().is_some() => *only,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The type of a literal that is given no key and takes its rest from a default without one; and that rest.
fn defaulted(facts: &Facts<'_>, function: &FunctionInfo, body: &Body, id: ExprId) -> Option<(TypeId, ExprId)> {
    let ty = of(function, id)?;
    let info = facts.program.type_(ty);
    let (written, words) = (written(body, id)?, &facts.catalog.words);
    let rest = written.rest.filter(|&rest| is_default(body, rest))?;
    let stored = words.row_derives.iter().any(|name| info.ir.derives(name));
    let mut fields = info.ir.fields().iter().zip(info.fields.first()?);
    let optional = |ty: &Ty| matches!(ty, Ty::External(path, _) if path.as_str() == "std::option::Option");
    let key = fields.any(|(field, ty)| is_key(facts, field.name) && optional(ty));
    let given = written.fields.iter().any(|(name, _)| is_key(facts, *name));
    (key && !given && !stored && info.ir.derives("Default")).then_some((ty, rest))
}

/// Whether a literal is given a key, by itself or by the literal that a local stands for from which it takes its rest.
fn is_keyed(facts: &Facts<'_>, body: &Body, id: ExprId) -> bool {
    let gives = |written: &StructExpr| {
        let mut keys = written.fields.iter().filter(|(name, _)| is_key(facts, *name));
        keys.any(|(_, value)| !is_nothing(body, *value))
    };
    let Some(own) = written(body, id) else {
        return false;
    };
    let base = own.rest.and_then(|rest| match body.expr(rest).kind {
        ExprKind::Local(local) => written(body, body.bound(local)?),
        _ => None,
    });
    gives(own) || base.is_some_and(gives)
}

fn written(body: &Body, id: ExprId) -> Option<&StructExpr> {
    match &body.expr(id).kind {
        ExprKind::Struct(literal) => Some(literal),
        _ => None,
    }
}

fn of(function: &FunctionInfo, id: ExprId) -> Option<TypeId> {
    match function.types.structure(id)? {
        StructDef::Local(ty, _) => Some(*ty),
        _ => None,
    }
}

fn is_key(facts: &Facts<'_>, field: Name) -> bool {
    let words = &facts.catalog.words;
    let label = words.label_names.iter().any(|label| label == field.as_str());
    has_any(field.as_str(), &words.key_names)
        || !label && words.request_key_columns.iter().any(|name| name == field.as_str())
}

fn is_default(body: &Body, id: ExprId) -> bool {
    let ExprKind::Call { callee, args } = &body.expr(id).kind else {
        return false;
    };
    let named = |path: &PathIr| path.segments.last().is_some_and(|last| last.name.as_str() == "default");
    args.is_empty() && matches!(&body.expr(*callee).kind, ExprKind::Path(path) if named(path))
}

fn is_nothing(body: &Body, id: ExprId) -> bool {
    matches!(&body.expr(id).kind, ExprKind::Path(path) if path.of_option_or_result() == Some("None"))
}
