//! What becomes of a result that is kept in a local, or taken apart by patterns: whether more than its error is looked at.

use super::events::{Usage, usage};
use crate::ir::{Body, ExprId, ExprKind, LocalId, PatId, PatKind};

/// Mentions of a local that are looked at.
const MAX_MENTIONS: usize = 16;
/// Expressions of a body in which mentions are looked for.
const MAX_BODY: usize = 20_000;

/// Whether a pattern only tells `Ok` from `Err`: nothing of what came with `Ok` gets a name.
pub(super) fn tells_error_only(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild => true,
        PatKind::TupleStruct { path, elements, .. } => match path.segments.last().map(|last| last.name.as_str()) {
            Some("Err") => true,
            Some("Ok") => elements.iter().all(|&inner| is_nothing(body, inner)),
            _ => false,
        },
        PatKind::Or(choices) => choices.iter().all(|&choice| tells_error_only(body, choice)),
        _ => false,
    }
}

fn is_nothing(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild => true,
        PatKind::Tuple(elements) => elements.is_empty(),
        _ => false,
    }
}

/// What becomes of a result that a local holds: what its mentions make of it.
pub(super) fn of_local(body: &Body, parents: &[Option<ExprId>], local: LocalId) -> Usage {
    if body.exprs.len() > MAX_BODY {
        return Usage::Used;
    }
    let mentions = |expr: &ExprKind| matches!(expr, ExprKind::Local(other) if *other == local);
    let found = (0..body.exprs.len()).map(|at| ExprId(at as u32)).filter(|&id| mentions(&body.expr(id).kind));
    let all: Vec<ExprId> = found.take(MAX_MENTIONS + 1).collect();
    if all.is_empty() || all.len() > MAX_MENTIONS {
        return Usage::Used;
    }
    match all.into_iter().all(|mention| usage(body, parents, mention) == Usage::Checked) {
        true => Usage::Checked,
        false => Usage::Used,
    }
}
