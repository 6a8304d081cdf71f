//! Numbers the items of a module and puts their names into its scope.
//!
//! In: the items of one module or of one function's body. Out: entries in the [`World`]; paths and types are filled in
//! later, once names mean something.

use super::defs::{
    AliasId, AliasSide, ConstSide, Def, FnSide, ImplSide, Import, MacroId, MacroSide, MacroUse, Ns, Origin, TraitSide,
    World,
};
use super::signatures::signatures;
use super::tree::{define, new_module};
use super::{
    BodyTypes, ConstId, ConstInfo, FnId, FunctionInfo, ModuleId, TableInfo, TraitId, TraitInfo, Ty, TypeId, TypeInfo,
    join_path,
};
use crate::ir::{Const, Function, Impl, Items, MacroItem, Name, Trait, TypeDecl, Variant};
use crate::source::TextRange;

/// Takes over all items of a module; `mod x;` declarations are the tree's business.
pub(super) fn collect_items(world: &mut World, module: ModuleId, items: Items, place: Origin) {
    for import in items.uses {
        world.imports.push(Import {
            module,
            absolute: import.absolute,
            path: import.path,
            alias: import.alias,
            private: !import.public,
        });
    }
    for function in items.functions {
        let name = function.name;
        let closure = function.closure.is_some();
        let id = add_function(world, module, function, place, None, None);
        if !closure {
            define(world, module, Ns::Value, name, Def::Function(id));
        }
    }
    for declaration in items.types {
        add_type(world, module, declaration, place);
    }
    for declaration in items.traits {
        add_trait(world, module, declaration, place);
    }
    for alias in items.aliases {
        let id = AliasId(world.aliases.len() as u32);
        define(world, module, Ns::Type, alias.name, Def::Alias(id));
        // the alias of a tuple struct makes values, too
        define(world, module, Ns::Value, alias.name, Def::Alias(id));
        world.aliases.push(AliasSide { ir: alias, module });
    }
    for constant in items.consts {
        let name = constant.name;
        let id = add_const(world, module, constant, place, None, None);
        define(world, module, Ns::Value, name, Def::Const(id));
    }
    for definition in items.macro_rules {
        let id = MacroId(world.macros.len() as u32);
        let krate = world.modules[module.0 as usize].krate;
        define(world, module, Ns::Macro, definition.name, Def::Macro(id));
        world.crate_macros.entry((krate, definition.name)).or_default().push(id);
        let path = join_path(world.modules[module.0 as usize].path, definition.name);
        world.macros.push(MacroSide { ir: definition, file: place.file, path });
    }
    for table in items.tables.into_iter().filter(|_| !place.test) {
        let path = world.modules[module.0 as usize].path.as_str();
        let module = path.rsplit("::").next().filter(|_| table.by_module);
        world.program.tables.push(TableInfo { module: module.map(Name::new), ir: table });
    }
    for block in items.impls {
        add_impl(world, module, block, place);
    }
    for call in items.macro_calls {
        world.modules[module.0 as usize].opaque_items |= !declares_modules(&call);
        world.macro_uses.push(MacroUse { ir: call, module, place });
    }
}

/// Whether a macro is one of those that declare modules only, as its path is written.
fn declares_modules(call: &MacroItem) -> bool {
    let table = signatures();
    let written = call.path.segments.iter().map(|segment| segment.name);
    let Some(path) = written.reduce(join_path) else {
        return false;
    };
    table.modules.contains(table.macros.get(&path).unwrap_or(&path))
}

/// Numbers a function and the items in its body.
pub(super) fn add_function(
    world: &mut World,
    module: ModuleId,
    mut function: Function,
    place: Origin,
    impl_: Option<usize>,
    decl: Option<TraitId>,
) -> FnId {
    let id = FnId(world.program.functions.len() as u32);
    let test = place.test || function.test;
    let inner = function.inner.take();
    let name = function.name;
    world.program.functions.push(FunctionInfo {
        ir: function,
        file: place.file,
        package: place.package,
        module,
        path: name,
        self_ty: Ty::Unknown,
        trait_: None,
        trait_path: None,
        test,
        example: place.example,
        attribute_paths: Vec::new(),
        macro_path: None,
        params: Vec::new(),
        ret: Ty::Unknown,
        types: BodyTypes::default(),
    });
    world.fn_side.push(FnSide { scope: module, impl_, decl });
    if let Some(inner) = inner {
        let krate = world.modules[module.0 as usize].krate;
        let block = new_module(world, Some(module), krate, name, false);
        world.modules[block.0 as usize].block = true;
        world.fn_side[id.0 as usize].scope = block;
        collect_items(world, block, *inner, Origin { test, ..place });
    }
    id
}

/// Numbers a type that a macro or derive declares; its fields are unknown.
pub(super) fn add_implied(world: &mut World, module: ModuleId, name: Name, place: Origin, range: TextRange) -> TypeId {
    let declaration = TypeDecl {
        name,
        is_enum: false,
        generics: Vec::new(),
        attributes: Vec::new(),
        // one variant like any struct, so that its constructor has a number
        variants: vec![Variant { name, serde_name: name, attributes: Vec::new(), fields: Vec::new(), range }],
        name_range: range,
        range,
    };
    add_type(world, module, declaration, place)
}

fn add_type(world: &mut World, module: ModuleId, declaration: TypeDecl, place: Origin) -> TypeId {
    let id = TypeId(world.program.types.len() as u32);
    let name = declaration.name;
    define(world, module, Ns::Type, name, Def::Type(id));
    if !declaration.is_enum {
        define(world, module, Ns::Value, name, Def::Variant(id, 0));
    }
    let path = join_path(world.modules[module.0 as usize].path, name);
    world.program.types.push(TypeInfo {
        ir: declaration,
        file: place.file,
        module,
        path,
        fields: Vec::new(),
        deref: None,
        derived_by: None,
        synthetic: false,
        defaults: Vec::new(),
    });
    world.program.type_paths.entry(path).or_insert(id);
    id
}

fn add_trait(world: &mut World, module: ModuleId, mut declaration: Trait, place: Origin) {
    let id = TraitId(world.program.traits.len() as u32);
    let path = join_path(world.modules[module.0 as usize].path, declaration.name);
    define(world, module, Ns::Type, declaration.name, Def::Trait(id));
    world.program.traits.push(TraitInfo {
        path,
        file: place.file,
        methods: Vec::new(),
        impls: Vec::new(),
        supers: Vec::new(),
    });
    let functions = std::mem::take(&mut declaration.functions);
    let constants = std::mem::take(&mut declaration.consts);
    world.traits.push(TraitSide { ir: declaration, module, consts: Vec::new() });
    let mut methods: Vec<(Name, FnId)> = functions
        .into_iter()
        .map(|function| {
            let name = function.name;
            (name, add_function(world, module, function, place, None, Some(id)))
        })
        .collect();
    methods.sort();
    world.program.traits[id.0 as usize].methods = methods;
    for constant in constants {
        let constant = add_const(world, module, constant, place, None, Some(id));
        world.traits[id.0 as usize].consts.push(constant);
    }
}

/// Numbers an `impl` block and what is in it.
pub(super) fn add_impl(world: &mut World, module: ModuleId, mut block: Impl, place: Origin) {
    let number = world.impls.len();
    let functions = std::mem::take(&mut block.functions);
    let constants = std::mem::take(&mut block.consts);
    world.impls.push(ImplSide {
        ir: block,
        module,
        file: place.file,
        functions: Vec::new(),
        consts: Vec::new(),
        self_ty: Ty::Unknown,
        trait_: None,
        trait_path: None,
        trait_args: Vec::new(),
    });
    let functions = functions
        .into_iter()
        .map(|function| add_function(world, module, function, place, Some(number), None))
        .collect();
    let constants =
        constants.into_iter().map(|constant| add_const(world, module, constant, place, Some(number), None)).collect();
    let side = &mut world.impls[number];
    side.functions = functions;
    side.consts = constants;
}

fn add_const(
    world: &mut World,
    module: ModuleId,
    constant: Const,
    place: Origin,
    impl_: Option<usize>,
    decl: Option<TraitId>,
) -> ConstId {
    let id = ConstId(world.program.consts.len() as u32);
    world.program.consts.push(ConstInfo {
        path: constant.name,
        ir: constant,
        file: place.file,
        module,
        ty: Ty::Unknown,
        types: BodyTypes::default(),
    });
    world.const_side.push(ConstSide { impl_, decl });
    id
}
