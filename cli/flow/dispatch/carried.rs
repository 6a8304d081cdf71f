//! Keys in headers that the caller hands over: `put(headers, payload)` sends what is in `headers` there.

use super::super::call::Site;
use super::super::eval::Eval;
use super::super::uses::Use;
use super::super::value::{Atom, Entered, Kind, Shape, Trail, Value};
use super::key::{in_value, is_key_header};
use crate::catalog::{Dispatch, KeyPosition};
use crate::ir::Name;
use crate::resolve::Ty;

/// Parts of the names of types that carry headers.
const CARRIERS: [&str; 6] = ["Header", "Message", "Metadata", "Properties", "Record", "Request"];
const ELSEWHERE: &str = "headers that are put together elsewhere";

/// The arguments of a call that come from the caller as they are and may carry the key in a header.
pub(super) fn of_call(eval: &Eval<'_, '_>, site: &Site<'_>, row: &Dispatch) -> Vec<Value> {
    if !row.keys.iter().any(|key| matches!(key, KeyPosition::Header(_))) {
        return Vec::new();
    }
    let given = site.args.iter().zip(&site.arg_ids);
    let carries = |id| match eval.ty(id) {
        Ty::External(path, _) => {
            let last = path.as_str().rsplit("::").next().unwrap_or_default();
            CARRIERS.iter().any(|part| last.contains(part))
        }
        _ => false,
    };
    given.filter(|&(value, &id)| is_open(value) && carries(id)).map(|(value, _)| value.clone()).collect()
}

/// What a caller's arguments tell of a key that is still looked for.
pub(crate) fn settle(eval: &Eval<'_, '_>, known: &mut Use) {
    if known.carried.is_empty() {
        return;
    }
    let row = known.row.map(|row| &eval.engine.catalog.dispatches[row as usize]);
    let headers = row.iter().flat_map(|row| &row.keys).filter_map(|key| match key {
        KeyPosition::Header(name) => Some(name.as_str()),
        _ => None,
    });
    let carried = std::mem::take(&mut known.carried);
    for name in headers {
        let is_key = |text: &str| match name {
            "*" => is_key_header(eval, text),
            name => text.eq_ignore_ascii_case(name),
        };
        if let Some(found) = carried.iter().find_map(|value| in_value(value, &is_key, 0)) {
            known.key = found.value;
            known.position = Some(found.position);
            return;
        }
    }
    // A map that is put together in sight, without the key, has none.
    let seen = |value: &Value| value.alts.iter().all(|alt| matches!(alt.shape, Shape::Builder(_) | Shape::Record(_)));
    if carried.iter().any(|value| !is_open(value) && !seen(value)) {
        known.key = unknown(known);
    }
    known.carried = carried.into_iter().filter(is_open).collect();
}

/// The key of a dispatch whose headers nobody was seen to put together.
pub(crate) fn unknown(known: &Use) -> Value {
    let trail = Trail::start(known.site, ELSEWHERE);
    Value::atom(Atom::new(Kind::Opaque(Name::new(ELSEWHERE)), Entered::Elsewhere, trail))
}

/// Whether a value is what a caller hands over, and nothing more is known of it.
fn is_open(value: &Value) -> bool {
    value.alts.iter().any(|alt| {
        matches!(alt.shape, Shape::Plain) && alt.atoms.iter().any(|atom| matches!(atom.kind, Kind::Param(..)))
    })
}
