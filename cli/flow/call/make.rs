//! Structs, maps and pairs.

use super::super::eval::Eval;
use super::super::value::{Alt, Record, Shape, Value};
use super::super::{dispatch, operation};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::StructDef;
use crate::source::{Span, TextRange};
use std::collections::BTreeMap;
use std::sync::Arc;

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
    let mut record = Record { path: None, fields, rest, places };
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
            eval.literals.push((*ty, record.clone()));
            eval.state_variant(*ty, *variant, eval.span_of(id));
            operation::made(eval, id, &record);
            let declared = info.ir.variants.get(*variant as usize);
            dispatch::record(eval, id, &record, declared.map(|variant| (&info.ir, variant)));
        }
        Some(StructDef::External(path) | StructDef::Unresolved(path)) => {
            record.path = Some(*path);
            operation::switched(eval, id, &record);
            operation::made(eval, id, &record);
            dispatch::record(eval, id, &record, None);
        }
        _ => dispatch::record(eval, id, &record, None),
    }
    Value::alt(Alt { atoms: Vec::new(), shape: Shape::Record(Arc::new(record)) })
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
    Value::alt(Alt { atoms: Vec::new(), shape: Shape::Record(Arc::new(record)) })
}

/// A map written out, as in `json!`.
pub(crate) fn map_literal(eval: &mut Eval<'_, '_>, id: ExprId, mut record: Record) -> Value {
    if let ExprKind::Map(entries) = &eval.body.expr(id).kind {
        for (key, value) in entries {
            if let crate::ir::MapKey::Text(text) = key {
                record.places.insert(Name::new(text), eval.span_of(*value));
            }
        }
    }
    dispatch::record(eval, id, &record, None);
    Value::alt(Alt { atoms: Vec::new(), shape: Shape::Record(Arc::new(record)) })
}

/// A tuple or array: `("Idempotency-Key", key)` is a header.
pub(crate) fn pairs(eval: &mut Eval<'_, '_>, items: &[ExprId], values: &[Value]) {
    if let ([_, item], [name, value]) = (items, values) {
        let span = eval.span_of(*item);
        dispatch::header_pair(eval, name, value, span);
    }
}

/// `request.idempotency_key = key`.
pub(crate) fn field_set(eval: &mut Eval<'_, '_>, target: ExprId, field: Name, value: &Value, range: TextRange) {
    let _ = target;
    let span = eval.span(range);
    dispatch::field(eval, field, value, span);
}
