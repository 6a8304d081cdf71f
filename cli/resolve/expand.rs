//! Calls of the workspace's own `macro_rules!` among items: the `impl`s they declare.
//!
//! In: a [`World`] with imports resolved. Out: the same with the macro's `impl`s added for the type each call names, so
//! that a `Default` made by a macro is found like one written out.

use super::collect::{add_impl, add_implied};
use super::defs::{Binding, Def, MacroUse, Ns, Origin, World};
use super::known::known;
use super::scope::Scopes;
use super::tree::new_module;
use crate::ir::{Impl, Name, TypeIr};

/// Instantiates the `impl`s of every understood macro call.
pub(super) fn expand_macros(world: &mut World) {
    let uses = std::mem::take(&mut world.macro_uses);
    for call in &uses {
        expand(world, call);
    }
    world.macro_uses = uses;
}

fn expand(world: &mut World, call: &MacroUse) {
    let names: Vec<Name> = call.ir.path.segments.iter().map(|part| part.name).collect();
    let scopes = Scopes::of(world);
    let found = scopes.resolve(call.module, call.ir.path.absolute, &names, Ns::Macro, false);
    let Some(definition) = found.defs.iter().find_map(|def| match def {
        Def::Macro(id) => Some(&world.macros[id.0 as usize]),
        _ => None,
    }) else {
        return;
    };
    let argument = definition
        .ir
        .self_argument
        .and_then(|number| call.ir.arguments.get(number).copied())
        .filter(|name| !name.as_str().is_empty());
    let blocks: Vec<Impl> = definition.ir.impls.clone();
    if blocks.is_empty() {
        return;
    }
    let place = Origin { file: definition.file, ..call.place };
    let undeclared = argument
        .filter(|name| scopes.lookup(call.module, Ns::Type, *name).is_empty())
        .filter(|_| blocks.iter().any(|block| variable_of(block).is_some()));
    // the metavariable's name stands for the argument wherever the macro's functions mention it
    let mut stand_ins: Vec<(Ns, Name, Vec<Def>)> = Vec::new();
    for block in &blocks {
        let (Some(variable), Some(argument)) = (variable_of(block), argument) else {
            continue;
        };
        for ns in [Ns::Type, Ns::Value] {
            let own = scopes.lookup(call.module, ns, variable);
            let defs = scopes.lookup(call.module, ns, argument);
            if own.is_empty() && !defs.is_empty() {
                stand_ins.push((ns, variable, defs.to_vec()));
            }
        }
    }
    if let Some(name) = undeclared {
        // the macro declares the type, too
        let id = add_implied(world, call.module, name, call.place, call.ir.range);
        for ns in [Ns::Type, Ns::Value] {
            for block in &blocks {
                if let Some(variable) = variable_of(block) {
                    let def = match ns {
                        Ns::Value => Def::Variant(id, 0),
                        _ => Def::Type(id),
                    };
                    stand_ins.push((ns, variable, vec![def]));
                }
            }
        }
    }
    let krate = world.modules[call.module.0 as usize].krate;
    let scope = new_module(world, Some(call.module), krate, known().underscore, false);
    let module = &mut world.modules[scope.0 as usize];
    module.block = true;
    for (ns, name, defs) in stand_ins {
        let bindings = defs.into_iter().map(|def| Binding { def, private: false });
        module.names.insert((ns, name), bindings.collect());
    }
    for block in blocks {
        add_impl(world, scope, block, place);
    }
}

/// The single name that a macro's `impl` is for.
fn variable_of(block: &Impl) -> Option<Name> {
    let TypeIr::Path(path) = &block.self_ty else {
        return None;
    };
    match path.segments.as_slice() {
        [only] if path.qself.is_none() && only.args.is_empty() => Some(only.name),
        _ => None,
    }
}
