//! Keys in headers that the caller hands over: `put(headers, payload)` sends what is in `headers` there.

use super::super::address;
use super::super::call::Site;
use super::super::eval::Eval;
use super::super::uses::Use;
use super::super::value::{Alt, Atom, BuildStep, Entered, Kind, Shape, Trail, Value};
use super::key::{body_key, in_value, is_key_header, set_in};
use crate::catalog::{Dispatch, KeyPosition, Words};
use crate::ir::Name;
use crate::resolve::Ty;

/// Parts of the names of types that carry headers, or are a message on which a key is set.
const CARRIERS: [&str; 7] = ["Header", "Message", "Metadata", "Properties", "Publish", "Record", "Request"];
const ELSEWHERE: &str = "headers that are put together elsewhere";

/// The arguments of a call that come from the caller as they are and may carry the key, in a header or set by a method.
pub(super) fn of_call(eval: &Eval<'_, '_>, site: &Site<'_>, row: &Dispatch) -> Vec<Value> {
    if !row.keys.iter().any(|key| matches!(key, KeyPosition::Header(_) | KeyPosition::Method(_))) {
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

/// The headers that a step takes from a field of the object itself: whoever makes that puts them together.
pub(super) fn of_object(eval: &Eval<'_, '_>, step: &BuildStep) -> Option<Value> {
    let has_self = eval.function.is_some_and(|id| eval.engine.program.function(id).ir.has_self);
    let [all] = step.args.as_slice() else {
        return None;
    };
    let own = matches!(all.as_parameter(), Some((0, path)) if !path.is_empty());
    (has_self && own).then(|| all.clone())
}

/// The key that headers hold which the maker of an object has put together.
pub(crate) fn found_in_object(words: &Words, known: &mut Use, carried: &[Value]) {
    let is_key = |text: &str| words.key_headers.iter().any(|header| header.eq_ignore_ascii_case(text));
    let found: Option<Vec<_>> = carried.iter().map(|value| in_value(value, &is_key, 0)).collect();
    if let Some([found]) = found.as_deref() {
        known.key = found.value.clone();
        known.position = Some(found.position);
        known.carried.clear();
    }
}

/// The bodies of a request that come from the caller as they are and may carry the key in a field: of a generic client it
/// is the caller who says what it sends.
pub(super) fn bodies(eval: &Eval<'_, '_>, row: &Dispatch, steps: &[&BuildStep]) -> Vec<Value> {
    if !row.keys.iter().any(|key| matches!(key, KeyPosition::Body(_))) {
        return Vec::new();
    }
    let calls = &eval.engine.catalog.words.body_calls;
    let given =
        steps.iter().filter(|step| calls.iter().any(|name| name == step.name.as_str())).flat_map(|step| &step.args);
    given.filter(|value| is_open(value) && is_of_any_type(eval, value)).cloned().collect()
}

/// Whether a request is given a content.
pub(super) fn is_filled(eval: &Eval<'_, '_>, steps: &[&BuildStep]) -> bool {
    let calls = &eval.engine.catalog.words.body_calls;
    steps.iter().any(|step| calls.iter().any(|name| name == step.name.as_str()))
}

/// Whether a body is a query of GraphQL, which asks and changes nothing.
pub(super) fn is_question(body: &Value) -> bool {
    body.alts.iter().any(|alt| document(alt).and_then(Value::text).is_some_and(address::is_query))
}

/// The document of GraphQL that a body holds.
fn document(body: &Alt) -> Option<&Value> {
    match &body.shape {
        Shape::Record(record) => record.fields.get(&Name::new("query")),
        _ => None,
    }
}

/// The name of the procedure that a body of JSON-RPC asks for, or the document of GraphQL that its caller gives.
pub(super) fn procedure(body: &Value) -> Option<Value> {
    if let Some(name) = body.text().and_then(procedure_in) {
        return Some(Value::atom(Atom::new(Kind::Constant(Some(name)), Entered::Elsewhere, Trail::default())));
    }
    let mut out = Value::bottom();
    for alt in body.alts.iter() {
        let Shape::Record(record) = &alt.shape else {
            return None;
        };
        if let Some(document) = document(alt).filter(|document| is_open(document)) {
            out = out.join(document);
            continue;
        }
        let has = |name: &str| record.fields.contains_key(&Name::new(name));
        if !has("params") && !has("jsonrpc") {
            return None;
        }
        out = out.join(record.fields.get(&Name::new("method"))?);
    }
    (!out.is_bottom()).then_some(out)
}

/// The procedure that a body asks for which is written out as text.
fn procedure_in(text: &str) -> Option<Name> {
    let body: serde_json::Value = serde_json::from_str(text).ok()?;
    let speaks = body.get("params").is_some() || body.get("jsonrpc").is_some();
    body.get("method").filter(|_| speaks)?.as_str().map(Name::new)
}

/// Whether a value is a parameter that may be of many types: `impl Serialize`, a value of JSON.
fn is_of_any_type(eval: &Eval<'_, '_>, value: &Value) -> bool {
    let Some(info) = eval.function.map(|id| eval.engine.program.function(id)) else {
        return false;
    };
    value.atoms().any(|atom| match &atom.kind {
        Kind::Param(at, path) if path.is_empty() => match info.params.get(*at as usize) {
            Some(Ty::External(path, _)) => path.as_str() == "serde_json::Value",
            Some(ty) => matches!(ty, Ty::ExternalTraits(_) | Ty::Traits(_) | Ty::Param(..) | Ty::Unknown),
            None => false,
        },
        _ => false,
    })
}

/// What a caller's arguments tell of a key that is still looked for.
pub(crate) fn settle(eval: &Eval<'_, '_>, known: &mut Use) {
    in_body(eval, known);
    if !known.carried.is_empty() {
        in_headers(eval, known);
    }
}

fn in_body(eval: &Eval<'_, '_>, known: &mut Use) {
    let Some(row) = known.row.map(|row| &eval.engine.catalog.dispatches[row as usize]) else {
        return;
    };
    let bodies = std::mem::take(&mut known.bodies);
    let found = bodies.iter().find_map(|value| row.keys.iter().find_map(|key| body_key(eval, key, value, known.site)));
    match found {
        Some(found) => {
            known.key = found.value;
            known.position = Some(found.position);
        }
        None => known.bodies = bodies.into_iter().filter(is_open).collect(),
    }
}

fn in_headers(eval: &Eval<'_, '_>, known: &mut Use) {
    let row = known.row.map(|row| &eval.engine.catalog.dispatches[row as usize]);
    let carried = std::mem::take(&mut known.carried);
    let found = row.iter().flat_map(|row| &row.keys).find_map(|key| match key {
        KeyPosition::Header(name) => {
            let is_key = |text: &str| match name.as_str() {
                "*" => is_key_header(eval, text),
                name => text.eq_ignore_ascii_case(name),
            };
            carried.iter().find_map(|value| in_value(value, &is_key, 0))
        }
        KeyPosition::Method(name) => carried.iter().find_map(|value| set_in(value, name)),
        _ => None,
    });
    if let Some(found) = found {
        known.key = found.value;
        known.position = Some(found.position);
        return;
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
