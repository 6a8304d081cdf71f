//! Fields of what a handler is handed or reads that serde makes itself where they are missing:
//! `#[serde(default = "Uuid::new_v4")]`.

use super::call::Site;
use super::engine::Engine;
use super::eval::Eval;
use super::value::{Atom, Entered, FieldPath, Kind, Regions, Trail, Value, made};
use crate::catalog::{Call, Gives};
use crate::ir::Name;
use crate::resolve::{FunctionInfo, Ty, TypeId, ValueDef};
use crate::source::Span;

/// A part of a parameter that is read anew for each attempt: itself, or what is made where it was not sent.
pub(super) fn read(engine: &mut Engine<'_>, info: &FunctionInfo, index: u32, path: FieldPath) -> Option<Value> {
    let program = engine.program;
    let mut ty = info.params.get(index as usize)?.clone();
    for &name in path.iter() {
        if let Some(made) = owner(&ty).and_then(|id| made_for(engine, id, name, Entered::Here(Regions::new(&[])))) {
            let sent = Value::atom(Atom::new(Kind::Param(index, path), Entered::Elsewhere, Trail::default()));
            return Some(sent.join(&Value::atom(made)));
        }
        ty = program.field_ty(&ty, name);
        if ty == Ty::Unknown {
            return None;
        }
    }
    None
}

/// What is read by a call from a text: where that lacks a field, serde puts in what it makes.
pub(super) fn parsed(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: Value) -> Value {
    let ty = match eval.ty(site.id) {
        Ty::External(_, held) => held.first().and_then(owner),
        ty => owner(ty),
    };
    let Some(id) = ty else {
        return value;
    };
    let fields: Vec<Name> = eval.engine.program.type_(id).defaults.iter().map(|(field, _)| *field).collect();
    fields.into_iter().fold(value, |value, field| match made_for(eval.engine, id, field, eval.here()) {
        Some(made) => value.with_field(&[field], &value.field(field).join(&Value::atom(made))),
        None => value,
    })
}

/// What serde makes anew for a field that was not sent.
fn made_for(engine: &mut Engine<'_>, owner: TypeId, name: Name, entered: Entered) -> Option<Atom> {
    let of = engine.program.type_(owner);
    let (_, default) = of.defaults.iter().find(|(field, _)| *field == name)?;
    let range = of.ir.variants.iter().flat_map(|variant| &variant.fields).find(|field| field.name == name)?.range;
    let kind = mints(engine, default)?;
    let trail = Trail::start(Span::new(of.file, range), "it is made anew for a request that lacks it");
    Some(Atom::new(kind, entered, trail))
}

/// The type of the workspace whose fields are read, also through what wraps it: `web::Json<TopUp>`.
fn owner(ty: &Ty) -> Option<TypeId> {
    match ty {
        Ty::Adt(id, _) => Some(*id),
        Ty::External(_, held) => match held.as_slice() {
            [Ty::Adt(id, _)] => Some(*id),
            _ => None,
        },
        _ => None,
    }
}

/// What a function makes that is another thing each time.
fn mints(engine: &mut Engine<'_>, default: &ValueDef) -> Option<Kind> {
    match default {
        ValueDef::External(path) => match engine.matcher.origin(&Call::External(path.as_str()))?.gives {
            Gives::Fresh(kind) => Some(Kind::Fresh(kind)),
            _ => None,
        },
        ValueDef::Functions(ids) => {
            let summary = engine.summary(*ids.first()?);
            summary.ret.flat().atoms().find(|atom| made(&atom.kind)).map(|atom| atom.kind)
        }
        _ => None,
    }
}
