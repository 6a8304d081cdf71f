//! Fields of what a handler is handed that serde makes itself where they are missing: `#[serde(default = "Uuid::new_v4")]`.

use super::engine::Engine;
use super::value::{Atom, Entered, FieldPath, Kind, Regions, Trail, Value, made};
use crate::catalog::{Call, Gives};
use crate::resolve::{FunctionInfo, Ty, TypeId, ValueDef};
use crate::source::Span;

/// A part of a parameter that is read anew for each attempt: itself, or what is made where it was not sent.
pub(super) fn read(engine: &mut Engine<'_>, info: &FunctionInfo, index: u32, path: FieldPath) -> Option<Value> {
    let program = engine.program;
    let mut ty = info.params.get(index as usize)?.clone();
    for &name in path.iter() {
        let default = owner(&ty).and_then(|id| {
            let of = program.type_(id);
            let (_, default) = of.defaults.iter().find(|(field, _)| *field == name)?;
            let range =
                of.ir.variants.iter().flat_map(|variant| &variant.fields).find(|field| field.name == name)?.range;
            Some((default, Span::new(of.file, range)))
        });
        if let Some((kind, at)) = default.and_then(|(default, at)| Some((mints(engine, default)?, at))) {
            let trail = Trail::start(at, "it is made anew for a request that lacks it");
            let entered = Entered::Here(Regions::new(&[]));
            let sent = Value::atom(Atom::new(Kind::Param(index, path), Entered::Elsewhere, Trail::default()));
            return Some(sent.join(&Value::atom(Atom::new(kind, entered, trail))));
        }
        ty = program.field_ty(&ty, name);
        if ty == Ty::Unknown {
            return None;
        }
    }
    None
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
