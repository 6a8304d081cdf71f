//! Adaptors that yield pairs: `iter.enumerate()`, `keys.iter().zip(parts)`. Each part of a pair keeps to itself.

use super::super::eval::Eval;
use super::super::value::{Alt, Kind, Record, Shape, Value, made};
use super::Site;
use super::sorted::element;
use crate::ir::Name;
use std::sync::Arc;

/// The sequence of pairs that a call makes of what it is given, if it is one that does.
pub(super) fn paired(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let (first, second) = match (site.name.as_str(), &site.receiver, &*site.args) {
        ("enumerate", Some((_, all)), []) | ("enumerate", None, [all]) => return Some(numbered(eval, all)),
        ("zip" | "zip_eq" | "cartesian_product", Some((_, first)), [second])
        | ("zip" | "zip_eq", None, [first, second]) => (first, second),
        ("tuple_windows" | "tuples", Some((_, all)), []) => (all, all),
        _ => return None,
    };
    let (other, _) = element(eval, second);
    let beside: Vec<_> = second.alts.iter().flat_map(|alt| alt.atoms.iter().cloned()).collect();
    let pairs = first.filter_map(|alt| Some(pair(alt, element(eval, &Value::alt(alt.clone())).0, other.clone())));
    Some(pairs.with_atoms(&beside))
}

/// Each element behind its number, which is none of the values in the sequence, and goes by their order.
fn numbered(eval: &Eval<'_, '_>, all: &Value) -> Value {
    let zero = Name::new("0");
    let number = |alt: &Alt| {
        let of = Value::alt(Alt { atoms: alt.atoms.clone(), shape: Shape::Plain }).field(zero);
        let known = of.filter_map(|alt| {
            let atoms: Vec<_> = alt.atoms.iter().filter(|atom| !made(&atom.kind)).cloned().collect();
            (!atoms.is_empty()).then(|| Alt { atoms: atoms.into(), shape: Shape::Plain })
        });
        if known.is_bottom() { eval.constant(None) } else { known }
    };
    let each = |alt: &Alt| {
        let (one, order) = element(eval, &Value::alt(alt.clone()));
        pair(alt, number(alt).with_atoms(order.as_slice()), one)
    };
    all.filter_map(|alt| match alt.atoms.iter().any(|atom| atom.kind == Kind::Absent) {
        true => Some(alt.clone()),
        false => Some(each(alt)),
    })
}

/// A sequence of pairs in the place of one that is told by `of`.
fn pair(of: &Alt, first: Value, second: Value) -> Alt {
    let fields = [(Name::new("0"), first), (Name::new("1"), second)].into_iter().collect();
    let record = Record { fields, ..Record::default() };
    Alt { atoms: of.atoms.clone(), shape: Shape::Record(Arc::new(record)) }
}
