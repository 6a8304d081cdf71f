//! Keys that name a thing's day and leave out the thing: whoever wants a second one of the same day has the key of the first.

use crate::flow::engine::Engine;
use crate::flow::scope::has_word;
use crate::flow::uses::alternatives;
use crate::flow::value::{FieldPath, Kind, Value};
use crate::ir::Name;
use crate::resolve::{FnId, Ty, TypeId};

/// A part of a key that is a field of something which the function is handed.
struct Part {
    param: u32,
    /// the way to what has the field
    way: FieldPath,
    owner: TypeId,
    field: Name,
    /// it is the day on which the thing came about
    day: bool,
}

/// Whether a key holds nothing but fields of one thing, the day on which it came about among them, though the thing has
/// a number of its own, which would tell it from the next one of that day.
pub(super) fn leaves_out(engine: &Engine<'_>, id: FnId, key: &Value) -> bool {
    let alts = alternatives(key);
    !alts.is_empty()
        && alts.iter().all(|alt| {
            let mut parts = Vec::new();
            for atom in alt.atoms.iter() {
                match &atom.kind {
                    Kind::Constant(_) => {}
                    Kind::Param(param, path) => match part(engine, id, *param, *path) {
                        Some(part) => parts.push(part),
                        None => return false,
                    },
                    _ => return false,
                }
            }
            let Some((first, rest)) = parts.split_first() else {
                return false;
            };
            let of_one = rest.iter().all(|part| (part.param, part.way) == (first.param, first.way));
            of_one
                && parts.iter().any(|part| part.day)
                && !parts.iter().any(|part| identifies(engine, part.owner, part.field))
                && fields(engine, first.owner).any(|field| identifies(engine, first.owner, field))
        })
}

fn part(engine: &Engine<'_>, id: FnId, param: u32, path: FieldPath) -> Option<Part> {
    let mut ty = match engine.program.function(id).param(param as usize)? {
        Ty::Sequence(of) => (**of).clone(),
        ty => ty.clone(),
    };
    let mut found = None;
    let mut way = FieldPath::whole();
    for &name in path.iter() {
        let Ty::Adt(owner, _) = ty else {
            break;
        };
        if !fields(engine, owner).any(|field| field == name) {
            break;
        }
        ty = engine.program.field_ty(&ty, name);
        if let Some((_, before)) = found.replace((owner, name)) {
            way = way.then(before);
        }
    }
    let (owner, field) = found?;
    let words = &engine.catalog.words;
    let cut = || path.iter().any(|name| words.day_calls.iter().any(|word| word == name.as_str()));
    let day = (ty.is_one_of(&words.day_types) || cut())
        && words.happening_names.iter().any(|word| has_word(field.as_str(), word));
    Some(Part { param, way, owner, field, day })
}

/// The fields of a struct.
fn fields<'e>(engine: &'e Engine<'_>, id: TypeId) -> impl Iterator<Item = Name> + 'e {
    let ir = &engine.program.type_(id).ir;
    ir.variants.iter().filter(|_| !ir.is_enum).flat_map(|variant| variant.fields.iter().map(|field| field.name))
}

/// Whether a field tells one thing of its type from all others: its number, or what is called as the type is.
fn identifies(engine: &Engine<'_>, owner: TypeId, field: Name) -> bool {
    let words = &engine.catalog.words.identity_names;
    if words.iter().any(|word| word == field.as_str()) {
        return true;
    }
    let own = field.as_str().split('_').next().unwrap_or_default();
    let rest = field.as_str().strip_prefix(own).unwrap_or_default().trim_start_matches('_');
    (rest.is_empty() || words.iter().any(|word| word == rest))
        && has_word(&crate::flow::words::snake(engine.program.type_(owner).ir.name.as_str()), own)
}
