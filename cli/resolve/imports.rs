//! Gives every `use` its meaning.
//!
//! In: a [`World`] with declared names. Out: the same with imported names. A fixpoint over rounds, each of which
//! resolves what the rounds before made resolvable; what is left then leads to other crates or nowhere, and says so.

use rustc_hash::FxHashSet;

use super::ModuleId;
use super::defs::{Binding, Def, Glob, GlobImport, Import, NAMESPACES, Ns, World};
use super::known::known;
use super::scope::{Certainty, Found, Joins, Scopes};
use super::{expand, implied};
use crate::ir::Name;

/// Rounds before imports that still wait are given up; real chains are shorter than ten.
const MAX_ROUNDS: usize = 64;

/// Resolves all imports.
pub(super) fn resolve_imports(world: &mut World) {
    let mut imports = std::mem::take(&mut world.imports);
    let mut waiting: Vec<usize> = (0..imports.len()).collect();
    let mut level = Certainty::Found;
    let joins = Joins::default();
    let mut declared = false;
    for _ in 0..MAX_ROUNDS {
        let before = waiting.len();
        let expected: FxHashSet<(ModuleId, Name)> = if level == Certainty::Found {
            FxHashSet::default()
        } else {
            let names = waiting.iter().map(|&number| &imports[number]);
            names.filter_map(|import| Some((import.module, import.alias?))).collect()
        };
        waiting.retain(|&number| {
            let import = &imports[number];
            let first = import.path.first().copied();
            let depends =
                first.is_some_and(|first| import.alias != Some(first) && expected.contains(&(import.module, first)));
            depends || !resolve_import(world, &joins, import, level)
        });
        if waiting.len() == before && level == Certainty::Found && !declared {
            // before anything is taken for foreign: what macros and derives evidently declare
            declared = true;
            expand::expand_macros(world);
            let names = imports.iter().filter_map(|import| Some((import.module, import.alias?))).collect();
            implied::declare(world, &names);
            let more = std::mem::take(&mut world.imports);
            waiting.extend(imports.len()..imports.len() + more.len());
            imports.extend(more);
            continue;
        }
        level = match (waiting.len() < before, level) {
            (true, _) => Certainty::Found,
            (false, _) if waiting.is_empty() => break,
            (false, Certainty::Found) => Certainty::ForeignCrate,
            (false, Certainty::ForeignCrate) => Certainty::Elsewhere,
            (false, Certainty::Elsewhere) => break,
        };
    }
    // a name that was a type in an early round may have become a value, too
    for import in &imports {
        if import.alias.is_some() && import.alias != import.path.first().copied() {
            resolve_import(world, &joins, import, Certainty::Found);
        }
    }
    world.imports = imports;
}

/// Tries one import; true if it now has a meaning.
fn resolve_import(world: &mut World, joins: &Joins, import: &Import, level: Certainty) -> bool {
    let resolve = |world: &World, ns: Ns| -> Option<Found> {
        let found = Scopes::joining(world, joins).resolve(import.module, import.absolute, &import.path, ns, true);
        let whole = found.used >= import.path.len() && !found.defs.is_empty();
        (whole && found.certainty <= level).then_some(found)
    };
    let Some(alias) = import.alias else {
        if import.path.is_empty() {
            return true;
        }
        let Some(found) = resolve(world, Ns::Type) else {
            return false;
        };
        for &def in found.defs.iter() {
            let target = match def {
                Def::Module(module) if module == import.module => continue,
                Def::Module(module) => Glob::Module(module),
                Def::Type(owner) => Glob::Variants(owner),
                Def::External(path) => Glob::External(path),
                _ => Glob::Missing,
            };
            let glob = GlobImport { target, private: import.private };
            let globs = &mut world.modules[import.module.0 as usize].globs;
            if !globs.contains(&glob) {
                globs.push(glob);
            }
        }
        return true;
    };
    let mut any = false;
    for ns in NAMESPACES {
        let Some(found) = resolve(world, ns) else {
            continue;
        };
        any = true;
        if alias == known().underscore {
            let anonymous = &mut world.modules[import.module.0 as usize].anonymous;
            anonymous.extend(found.defs.iter().filter(|def| matches!(def, Def::Trait(_) | Def::External(_))));
            continue;
        }
        for &def in found.defs.iter() {
            // `use anyhow::anyhow` imports a macro, not a second name for the crate
            let shadows_crate = ns == Ns::Type
                && matches!(def, Def::External(_))
                && import.path.len() > 1
                && import.path.first() == Some(&alias);
            if shadows_crate {
                continue;
            }
            let bindings = world.modules[import.module.0 as usize].names.entry((ns, alias)).or_default();
            if !bindings.iter().any(|binding| binding.def == def) {
                bindings.push(Binding { def, private: import.private });
            }
        }
    }
    any
}
