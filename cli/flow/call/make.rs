//! Structs, maps and pairs.

use super::super::eval::Eval;
use super::super::events::{EventKind, Usage};
use super::super::value::{Alt, Atom, Kind, Note, Record, Shape, Trail, Value};
use super::super::words::normal;
use super::super::{dispatch, operation, settings};
use super::Site;
use crate::ir::{Attribute, ExprId, ExprKind, FieldDecl, Name};
use crate::resolve::{StructDef, Ty, TypeId};
use crate::source::{Span, TextRange};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Structs in structs whose defaults are looked at.
const MAX_DEFAULT: usize = 3;

/// A struct literal.
pub(crate) fn structure(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    fields: BTreeMap<Name, Value>,
    rest: Option<Value>,
) -> Value {
    let ExprKind::Struct(literal) = &eval.body.expr(id).kind else {
        return Value::bottom();
    };
    let places: BTreeMap<Name, Span> =
        literal.fields.iter().map(|&(name, value)| (name, eval.span_of(value))).collect();
    let mut record = Record { path: None, fields, rest, places: Arc::new(places) };
    for (name, value) in &mut record.fields {
        if let Some(&place) = record.places.get(name) {
            *value = value.step(place, &format!("stored in the field `{name}`"));
        }
    }
    match eval.types.structure(id) {
        Some(StructDef::Local(ty, variant)) => {
            let info = eval.engine.program.type_(*ty);
            record.path = Some(match info.ir.is_enum {
                true => match info.ir.variants.get(*variant as usize) {
                    Some(variant) => Name::new(&format!("{}::{}", info.path, variant.name)),
                    None => info.path,
                },
                false => info.path,
            });
            name_key(eval, &mut record, info.ir.fields());
            eval.literals.push((*ty, record.clone()));
            eval.state_variant(*ty, *variant, eval.span_of(id), &record.fields.values().collect::<Vec<_>>());
            operation::made(eval, id, &record);
            eval.made_up(*ty, id, &literal.fields);
            let declared = info.ir.variants.get(*variant as usize);
            dispatch::record(eval, id, &record, declared.map(|variant| (&info.ir, variant)));
        }
        Some(StructDef::External(path) | StructDef::Unresolved(path)) => {
            record.path = Some(*path);
            settings::switched(eval, id, &record);
            operation::made(eval, id, &record);
            dispatch::record(eval, id, &record, None);
        }
        _ => dispatch::record(eval, id, &record, None),
    }
    Value::alt(Alt { atoms: Arc::default(), shape: Shape::Record(Arc::new(record)) })
}

/// The field of a struct that carries a key where it is serialised, by its name in Rust and on the wire.
pub(super) fn key_field(eval: &Eval<'_, '_>, fields: &[FieldDecl]) -> Option<(Name, Name)> {
    let is_key = |name: Name| dispatch::is_key_name(eval, name.as_str());
    let sent = fields.iter().filter(|field| !field.serde_skip);
    let mut keys = sent.filter(|field| is_key(field.name) || is_key(field.serde_name));
    keys.next().map(|field| (field.name, if is_key(field.name) { field.name } else { field.serde_name }))
}

/// Names a key by what it is called on the wire, too.
pub(super) fn name_key(eval: &Eval<'_, '_>, record: &mut Record, fields: &[FieldDecl]) {
    let Some((name, wire)) = key_field(eval, fields).filter(|(name, wire)| name != wire) else {
        return;
    };
    let value = match (record.fields.get(&name), &record.rest) {
        (Some(value), _) => value.clone(),
        (None, Some(rest)) => rest.field(wire),
        (None, None) => return,
    };
    if let Some(&place) = record.places.get(&name) {
        Arc::make_mut(&mut record.places).insert(wire, place);
    }
    record.fields.insert(wire, value);
}

pub(super) fn constructed(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    ty: crate::resolve::TypeId,
    variant: u32,
    fields: BTreeMap<Name, Value>,
) -> Value {
    let info = eval.engine.program.type_(ty);
    let single = fields.len() == 1 && !info.ir.is_enum;
    let path = match info.ir.is_enum {
        true => {
            info.ir.variants.get(variant as usize).map(|variant| Name::new(&format!("{}::{}", info.path, variant.name)))
        }
        false => Some(info.path),
    };
    let record = Record { path, fields, ..Record::default() };
    if !single || !record.fields.is_empty() {
        eval.literals.push((ty, record.clone()));
    }
    // A wrapper of one value is that value.
    if !single {
        operation::made(eval, id, &record);
    }
    Value::alt(Alt { atoms: Arc::default(), shape: Shape::Record(Arc::new(record)) })
}

/// `Default::default()` of a struct that derives it: each field is what its type starts with.
pub(super) fn derived_default(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let asked = site.name.as_str() == "default" && site.receiver.is_none() && site.args.is_empty();
    let ty = eval.ty(site.id);
    (asked && matches!(ty, Ty::Adt(..))).then(|| default_of(eval, ty, site.span, 0)).flatten()
}

/// The default that stands in for what is missing where nothing but what is there tells the type: each record of it is of
/// that type.
pub(super) fn default_beside(eval: &mut Eval<'_, '_>, there: &Value, span: Span) -> Option<Value> {
    let path = there.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Record(record) => record.path,
        _ => None,
    })?;
    let program = eval.engine.program;
    let known = program.type_paths.get(&path).filter(|&&id| !program.type_(id).ir.is_enum)?;
    default_of(eval, &Ty::Adt(*known, Vec::new()), span, 0)
}

fn default_of(eval: &mut Eval<'_, '_>, ty: &Ty, span: Span, depth: usize) -> Option<Value> {
    let here = eval.here();
    let atom = |kind, note| Some(Value::atom(Atom::new(kind, here, Trail::start(span, note))));
    match ty {
        Ty::Primitive(_) => Some(eval.constant(None)),
        Ty::Sequence(_) => atom(Kind::Empty, "an empty value is made here"),
        Ty::External(path, _) if path.as_str() == "std::string::String" => {
            atom(Kind::Empty, "an empty value is made here")
        }
        Ty::External(path, _) if path.as_str() == "std::option::Option" => atom(Kind::Absent, "no value here"),
        Ty::Adt(id, _) if depth < MAX_DEFAULT => {
            let info = eval.engine.program.type_(*id);
            let derives = |attribute: &Attribute| &*attribute.path == "derive" && has_word(&attribute.args, "Default");
            if info.ir.is_enum || !info.ir.attributes.iter().any(derives) {
                let own = eval.engine.default_of(*id)?;
                let context = eval.context(Vec::new(), Some((span, Note::Words("made by its `Default`"))));
                return Some(own.substitute(&context));
            }
            let declared = info.ir.fields();
            let mut fields = BTreeMap::new();
            for (field, ty) in declared.iter().zip(info.fields.first()?) {
                let value = default_of(eval, ty, span, depth + 1);
                let unknown = || eval.opaque("a default of a type that is not known", span);
                fields.insert(field.name, value.unwrap_or_else(unknown));
            }
            let mut record = Record { path: Some(info.path), fields, ..Record::default() };
            name_key(eval, &mut record, declared);
            Some(Value::alt(Alt { atoms: Arc::default(), shape: Shape::Record(Arc::new(record)) }))
        }
        _ => None,
    }
}

/// Whether a list in an attribute holds a name.
fn has_word(list: &str, word: &str) -> bool {
    list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// A map written out, as in `json!`.
pub(crate) fn map_literal(eval: &mut Eval<'_, '_>, id: ExprId, mut record: Record) -> Value {
    if let ExprKind::Map(entries) = &eval.body.expr(id).kind {
        let places = Arc::make_mut(&mut record.places);
        for (key, value) in entries {
            if let crate::ir::MapKey::Text(text) = key {
                places.insert(Name::new(text), eval.span_of(*value));
            }
        }
    }
    dispatch::record(eval, id, &record, None);
    Value::alt(Alt { atoms: Arc::default(), shape: Shape::Record(Arc::new(record)) })
}

/// A tuple or array: `("Idempotency-Key", key)` is a header. Where the key stands, if it is one.
pub(crate) fn header_pair(eval: &mut Eval<'_, '_>, items: &[ExprId], values: &[Value]) -> Option<Span> {
    let ([_, item], [name, value]) = (items, values) else {
        return None;
    };
    let span = eval.span_of(*item);
    dispatch::header_pair(eval, name, value, span).then_some(span)
}

/// `request.idempotency_key = key`.
pub(crate) fn field_set(eval: &mut Eval<'_, '_>, target: ExprId, field: Name, value: &Value, range: TextRange) {
    let span = eval.span(range);
    dispatch::field(eval, field, value, span);
    settings::switched_one(eval, target, (field, value), span);
}

/// A variant with fields that have no names, put together after a dispatch, by whose name something is to be tried again.
pub(crate) fn offered(eval: &mut Eval<'_, '_>, id: ExprId, (ty, variant): (TypeId, u32)) {
    let Some(path) = eval.variant_path(ty, variant) else {
        return;
    };
    let name = normal(path.as_str().rsplit("::").next().unwrap_or_default());
    let again = eval.engine.catalog.words.passing_kinds.iter().any(|word| super::super::has_word(&name, word));
    if again && eval.events.iter().any(|event| matches!(event.kind, EventKind::Dispatch { harmless: false, .. })) {
        eval.calling = None;
        eval.event(EventKind::Made { path, fields: Vec::new() }, eval.span_of(id), path, Usage::Used);
    }
}
