//! What is evidently declared although no declaration is in sight.
//!
//! In: a [`World`] whose plain imports stand. Out: the same with the types that derives must have made, and with the
//! crates whose macros make a module's items.

use rustc_hash::FxHashSet;

use super::ModuleId;
use super::collect::add_implied;
use super::defs::{Def, MacroUse, Ns, Origin, World};
use super::known::known;
use super::scope::Scopes;
use crate::ir::{Name, TypeIr};
use crate::source::{FileId, TextRange};

/// Adds what can be told.
///
/// `imported` are the names that a module imports from somewhere, found or not: those are declared elsewhere.
pub(super) fn declare(world: &mut World, imported: &FxHashSet<(ModuleId, Name)>) {
    types(world, imported);
    makers(world);
}

/// An inherent `impl`, or one of a foreign trait, must stand in the crate of its type. If nothing in scope has the
/// type's name, then a derive or macro in that very module declares it: an entity's `Entity` and `ActiveModel`.
fn types(world: &mut World, imported: &FxHashSet<(ModuleId, Name)>) {
    let mut missing: Vec<(ModuleId, FileId, Name, TextRange)> = Vec::new();
    {
        let scopes = Scopes::of(world);
        for side in &world.impls {
            let TypeIr::Path(path) = &side.ir.self_ty else {
                continue;
            };
            let [only] = path.segments.as_slice() else {
                continue;
            };
            let generic = side.ir.generics.iter().any(|generic| generic.name == only.name);
            if path.qself.is_some() || path.absolute || generic || only.name == known().self_type {
                continue;
            }
            let local = match &side.ir.trait_path {
                None => true,
                Some(of) => {
                    let plain = of.segments.iter().all(|segment| segment.args.is_empty());
                    let names: Vec<Name> = of.segments.iter().map(|part| part.name).collect();
                    let found = scopes.resolve(side.module, of.absolute, &names, Ns::Type, false);
                    plain && matches!(found.defs.first(), Some(Def::External(_)))
                }
            };
            if imported.contains(&(side.module, only.name)) {
                continue;
            }
            if local && scopes.lookup(side.module, Ns::Type, only.name).is_empty() {
                missing.push((side.module, side.file, only.name, side.ir.range));
            }
        }
    }
    for (module, file, name, range) in missing {
        let known = world.modules[module.0 as usize].names.contains_key(&(Ns::Type, name));
        if known {
            continue;
        }
        let place = Origin {
            file,
            package: world.crates[world.modules[module.0 as usize].krate].package,
            test: false,
            example: false,
        };
        add_implied(world, module, name, place, range);
    }
}

/// The crates whose macros make the items of a module, so that a name found nowhere else is theirs.
fn makers(world: &mut World) {
    let uses: Vec<MacroUse> = std::mem::take(&mut world.macro_uses);
    for call in &uses {
        let names: Vec<Name> = call.ir.path.segments.iter().map(|part| part.name).collect();
        let found = Scopes::of(world).resolve(call.module, call.ir.path.absolute, &names, Ns::Macro, false);
        let Some(Def::External(path)) = found.defs.first() else {
            continue;
        };
        let text = path.as_str();
        let by = Name::new(text.split("::").next().unwrap_or(text));
        if by == known().std {
            continue;
        }
        let makers = &mut world.modules[call.module.0 as usize].makers;
        if !makers.contains(&by) {
            makers.push(by);
        }
    }
    world.macro_uses = uses;
}
