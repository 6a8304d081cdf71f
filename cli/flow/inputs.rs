//! What inputs are called: the names that a function's own code has for them.

use crate::ir::{Body, Function, Name, PatKind};

/// Patterns inside patterns that are looked into.
const MAX_DEPTH: usize = 8;

/// The way to an input from a parameter: `invoice.id`; of one that is taken apart (`Json(request)`) from the variable
/// that holds the part.
pub(crate) fn name(function: &Function, index: u32, path: &[Name]) -> String {
    let param = function.params.get(index as usize);
    let (base, rest) = match param.map(|param| (param.name, param.pat)) {
        Some((Some(name), _)) => (name.as_str(), path),
        Some((None, Some(pat))) => match function.body.as_deref().and_then(|body| bound(body, pat, path)) {
            Some((name, rest)) => (name.as_str(), rest),
            None => ("argument", path),
        },
        _ => ("argument", path),
    };
    let mut text = base.to_owned();
    for part in rest {
        text.push('.');
        text.push_str(part.as_str());
    }
    text
}

/// The names that a parameter's pattern gives to what it takes.
pub(crate) fn bound_names(function: &Function, param: &crate::ir::Param) -> Vec<String> {
    let (Some(pat), Some(body)) = (param.pat, function.body.as_deref()) else {
        return Vec::new();
    };
    let mut locals = Vec::new();
    super::walk::bound_by(body, pat, &mut locals);
    locals.into_iter().map(|local| body.locals[local.0 as usize].name.to_string()).collect()
}

/// The variable of a pattern that holds the part at a path, and what is left of the path.
fn bound<'a>(body: &Body, pat: crate::ir::PatId, path: &'a [Name]) -> Option<(Name, &'a [Name])> {
    let (mut pat, mut rest) = (pat, path);
    for _ in 0..MAX_DEPTH {
        let numbered = |elements: &[crate::ir::PatId]| {
            let number: usize = rest.first()?.as_str().parse().ok()?;
            elements.get(number).copied()
        };
        let next = match &body.pat(pat).kind {
            PatKind::Bind { local, .. } => return Some((body.locals[local.0 as usize].name, rest)),
            PatKind::TupleStruct { elements, .. } | PatKind::Tuple(elements) => numbered(elements)?,
            PatKind::Struct { fields, .. } => {
                let first = rest.first()?;
                fields.iter().find(|(name, _)| name == first)?.1
            }
            _ => return None,
        };
        (pat, rest) = (next, &rest[1..]);
    }
    None
}
