//! Traits that an attribute of a type implements for it: `#[jsonrpc_client::implement(WalletRpc)]`, `#[enum_dispatch(Shape)]`.
//!
//! In: a [`World`] whose names stand. Out: the traits of the workspace that each type has by an attribute that names them.

use super::defs::{Def, Ns, TypeKey, World};
use super::scope::Scopes;
use super::{TraitId, TypeId};
use crate::ir::Name;

/// Fills in which traits attributes implement. A derive names macros.
pub(super) fn fill(world: &mut World) {
    let mut found: Vec<(TypeKey, TraitId)> = Vec::new();
    {
        let scopes = Scopes::of(world);
        for (number, info) in world.program.types.iter().enumerate() {
            let attributes = info.ir.attributes.iter().filter(|attribute| &*attribute.path != "derive");
            for named in attributes.flat_map(|attribute| attribute.args.split(',')).filter_map(path) {
                let defs = scopes.resolve(info.module, false, &named, Ns::Type, false);
                let traits = defs.defs.iter().filter_map(|def| match def {
                    Def::Trait(id) if defs.used == named.len() => Some(*id),
                    _ => None,
                });
                found.extend(traits.map(|id| (TypeKey::Adt(TypeId(number as u32)), id)));
            }
        }
    }
    for (key, id) in found {
        let traits = world.methods.lent.entry(key).or_default();
        if !traits.contains(&id) {
            traits.push(id);
        }
    }
}

/// An argument that is a path to something that is called like a trait.
fn path(written: &str) -> Option<Vec<Name>> {
    let names: Vec<&str> = written.split("::").map(str::trim).collect();
    let is_name =
        |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_type = |name: &&str| name.starts_with(|first: char| first.is_ascii_uppercase());
    (names.iter().all(is_name) && names.last().is_some_and(is_type)).then(|| names.into_iter().map(Name::new).collect())
}
