//! What the shape of a type means for the values in it.

use super::call::Site;
use super::engine::Summary;
use super::eval::Eval;
use super::events::{Event, EventKind};
use super::sources::Source;
use super::value::{Atom, Kind, Trail, Value};
use crate::catalog::FreshKind;
use crate::ir::ExprId;
use crate::resolve::{FunctionInfo, Program, Ty};

/// Fields inside fields that are looked at.
const MAX_DEPTH: usize = 4;

/// Whether an argument, serialised, comes out in another order each time: there is a hash map in it.
pub(crate) fn is_unordered(eval: &Eval<'_, '_>, site: &Site<'_>, number: i32) -> bool {
    let Some(id) = site.argument_id(number) else {
        return false;
    };
    holds_hash_map(eval.engine.program, eval.ty(id), 0)
}

/// Which arguments of a call come out in another order each time the callee serialises them, where its own type for them
/// does not say so: those of a generic parameter, or the object itself of a trait's own method.
pub(crate) fn orders(
    eval: &Eval<'_, '_>,
    callee: &FunctionInfo,
    summary: &Summary,
    args: &[ExprId],
) -> Vec<(u32, Value)> {
    if !serializes(summary) {
        return Vec::new();
    }
    let program = eval.engine.program;
    let unordered = |(at, id): (usize, &ExprId)| {
        let hidden = !callee.param(at).is_some_and(|ty| holds_hash_map(program, ty, 0));
        (hidden && holds_hash_map(program, eval.ty(*id), 0)).then(|| {
            let trail = Trail::start(eval.span_of(*id), "the order of a map comes in here");
            (at as u32, Value::atom(Atom::new(Kind::Fresh(FreshKind::MapOrder), eval.here(), trail)))
        })
    };
    args.iter().enumerate().filter_map(unordered).collect()
}

/// Whether a function serialises something that it is handed, as a whole.
fn serializes(summary: &Summary) -> bool {
    let is_whole = |atom: &Atom| atom.payload && matches!(atom.kind, Kind::Param(_, path) if path.is_empty());
    let digests = |event: &Event| match &event.kind {
        EventKind::Digest { value } => value.iter().any(Source::is_serialized),
        _ => false,
    };
    summary.ret.atoms().any(is_whole)
        || summary.events.iter().any(digests)
        || summary.uses.iter().any(|known| known.key.atoms().any(is_whole))
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
