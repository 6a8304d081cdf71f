//! What the shape of a type means for the values in it.

use super::call::Site;
use super::eval::Eval;
use crate::resolve::{Program, Ty};

/// Fields inside fields that are looked at.
const MAX_DEPTH: usize = 4;

/// Whether an argument, serialised, comes out in another order each time: there is a hash map in it.
pub(crate) fn is_unordered(eval: &Eval<'_, '_>, site: &Site<'_>, number: i32) -> bool {
    let Some(id) = site.argument_id(number) else {
        return false;
    };
    holds_hash_map(eval.engine.program, eval.ty(id), 0)
}

/// Whether a type is a hash map or set, or has one among its fields.
pub(crate) fn holds_hash_map(program: &Program, ty: &Ty, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match ty {
        Ty::External(path, arguments) => {
            is_hash_map(path.as_str()) || arguments.iter().any(|ty| holds_hash_map(program, ty, depth + 1))
        }
        Ty::Tuple(types) => types.iter().any(|ty| holds_hash_map(program, ty, depth + 1)),
        Ty::Sequence(ty) => holds_hash_map(program, ty, depth + 1),
        Ty::Adt(id, _) => {
            let fields = program.type_(*id).fields.iter().flatten();
            fields.into_iter().any(|ty| holds_hash_map(program, ty, depth + 1))
        }
        _ => false,
    }
}

/// Hash maps and sets by their path: types whose order differs from run to run.
pub(crate) fn is_hash_map(path: &str) -> bool {
    matches!(path.rsplit("::").next(), Some("HashMap" | "HashSet" | "AHashMap" | "AHashSet" | "DashMap" | "DashSet"))
}

/// Whether a collection finds each of its elements by a key, whichever came first.
pub(crate) fn finds_by_key(ty: &Ty) -> bool {
    let is_ordered = |path: &str| matches!(path.rsplit("::").next(), Some("BTreeMap" | "BTreeSet"));
    matches!(ty, Ty::External(path, _) if is_hash_map(path.as_str()) || is_ordered(path.as_str()))
}
