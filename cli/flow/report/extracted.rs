//! What a handler is handed that is made where the request lacks it: by serde, or by an extractor of the workspace's own,
//! `impl FromRequestParts<S> for BookingKey`.

use crate::flow::engine::Engine;
use crate::flow::value::{Atom, Entered, FieldPath, Kind, Regions, Value};
use crate::flow::{filled_in, inputs};
use crate::ir::Name;
use crate::resolve::{FnId, FunctionInfo, Ty};

/// A part of a parameter that is made empty or anew where the request lacks it.
pub(super) fn read(engine: &mut Engine<'_>, info: &FunctionInfo, index: u32, path: FieldPath) -> Option<Value> {
    filled_in::read(engine, info, index, path).or_else(|| by_extractor(engine, info, index, path))
}

/// The same of what an extractor makes. Whatever else it takes from the request is an input like any other.
fn by_extractor(engine: &mut Engine<'_>, info: &FunctionInfo, index: u32, path: FieldPath) -> Option<Value> {
    let ty = info.params.get(index as usize)?;
    let extractor = extractor(engine, ty)?;
    let made = engine.summary(extractor).ret.clone();
    let made = path.iter().fold(made, |value, &name| value.field(name));
    let decisive = |kind: &Kind| matches!(kind, Kind::Empty | Kind::Fresh(_));
    let flat = made.flat();
    if !flat.atoms().any(|atom| decisive(&atom.kind)) {
        return None;
    }
    let input = Kind::Input(Name::new(&inputs::name(&info.ir, index, &path)));
    Some(made.map_atoms(&mut |atom| match &atom.kind {
        Kind::Fresh(_) => Atom { entered: Entered::Here(Regions::new(&[])), ..atom.clone() },
        Kind::Constant(_) | Kind::Empty => atom.clone(),
        _ => Atom { kind: input, entered: Entered::Elsewhere, ..atom.clone() },
    }))
}

/// The function that makes values of a type out of requests.
fn extractor(engine: &Engine<'_>, ty: &Ty) -> Option<FnId> {
    let Ty::Adt(..) = ty else {
        return None;
    };
    let (program, words) = (engine.program, &engine.catalog.words);
    let is = |known: &[String], name: &str| known.iter().any(|word| word == name);
    program.impls_of(ty).find_map(|known| {
        let of = known.trait_path?;
        let extracts = is(&words.extractor_traits, of.as_str().rsplit("::").next().unwrap_or_default());
        let makes = |id: &&FnId| is(&words.extractor_methods, program.function(**id).ir.name.as_str());
        known.functions.iter().filter(|_| extracts).find(makes).copied()
    })
}
