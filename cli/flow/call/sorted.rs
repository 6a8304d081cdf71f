//! Where the order of a hash map ends: what is sorted, or collected into an ordered map, comes out the same each time, and
//! so does each element by itself.

use super::super::eval::Eval;
use super::super::value::{Alt, Atom, Kind, Trail, Value};
use super::Site;
use crate::catalog::FreshKind;
use crate::resolve::{Callee, Ty};

/// The value of a call without the order of a map, where the call puts things in order. A method that sorts in place
/// changes its receiver.
pub(super) fn settled(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: Value) -> Value {
    let name = site.name.as_str();
    let returns = name.starts_with("sorted")
        || matches!(name, "collect" | "from_iter") && is_ordered(eval.ty(site.id))
        || makes_ordered(site);
    // What is looked for is the same one wherever it stands, and so is what is counted or the greatest.
    let one = matches!(
        name,
        "all"
            | "any"
            | "contains"
            | "contains_key"
            | "count"
            | "find"
            | "find_map"
            | "is_empty"
            | "len"
            | "max"
            | "max_by"
            | "max_by_key"
            | "min"
            | "min_by"
            | "min_by_key"
            | "product"
            | "sum"
    );
    if (returns || one) && is_unordered(&value) {
        return without_order(eval, &value);
    }
    let in_place = name == "sort" || name.starts_with("sort_");
    if let (true, Some((id, receiver))) = (in_place, &site.receiver) {
        if is_unordered(receiver) {
            let range = eval.body.expr(*id).range;
            let sorted = without_order(eval, receiver);
            eval.assign(*id, sorted, range);
        }
    }
    value
}

/// What one round over a sequence gets: no single element has the order in which they come, which is told beside it.
pub(crate) fn element(eval: &Eval<'_, '_>, sequence: &Value) -> (Value, Option<Atom>) {
    let order = sequence.alts.iter().flat_map(|alt| alt.atoms.iter()).find(|atom| is_order(atom)).cloned();
    match order {
        Some(order) => (eval.yielded(&without_order(eval, sequence)), Some(order)),
        None => (eval.yielded(sequence), None),
    }
}

/// Whether a method of a value of this type is asked for each of its elements, and not for the value as a whole.
pub(super) fn is_sequence(ty: &Ty) -> bool {
    match ty {
        Ty::Sequence(_) => true,
        Ty::External(path, _) => matches!(path.as_str(), "std::iter::Iterator" | "futures::Stream"),
        _ => false,
    }
}

fn is_ordered(ty: &Ty) -> bool {
    matches!(ty, Ty::External(path, _) if is_ordered_path(path.as_str()))
}

fn is_ordered_path(path: &str) -> bool {
    matches!(path.rsplit("::").next(), Some("BTreeMap" | "BTreeSet"))
}

/// `BTreeMap::from_iter(map.iter())`, whose type no declaration in sight tells.
fn makes_ordered(site: &Site<'_>) -> bool {
    let (Some(Callee::External(path) | Callee::Unresolved(path)), "from_iter" | "from") =
        (site.callee, site.name.as_str())
    else {
        return false;
    };
    path.as_str().rsplit_once("::").is_some_and(|(of, _)| is_ordered_path(of))
}

fn is_order(atom: &Atom) -> bool {
    atom.kind == Kind::Fresh(FreshKind::MapOrder)
}

fn is_unordered(value: &Value) -> bool {
    value.alts.iter().any(|alt| alt.atoms.iter().any(is_order))
}

fn without_order(eval: &Eval<'_, '_>, value: &Value) -> Value {
    value.filter_map(|alt| {
        let mut atoms: Vec<Atom> = alt.atoms.iter().filter(|atom| !is_order(atom)).cloned().collect();
        if atoms.is_empty() {
            atoms.push(Atom::new(Kind::Constant(None), eval.here(), Trail::default()));
        }
        Some(Alt { atoms: atoms.into(), shape: alt.shape.clone() })
    })
}
