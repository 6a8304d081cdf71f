//! Everything about items that needs names but no bodies: what an `impl` is for, signatures, field types, paths, and
//! the tables in which methods are found.
//!
//! In: a [`World`] with imports resolved. Out: the same, complete but for bodies.

use rustc_hash::FxHashMap;

use super::defs::{Def, ImplSide, MAX_MEANINGS, Ns, Sig, TypeKey, World};
use super::known::known;
use super::scope::Scopes;
use super::written::{Bound, Site, closed};
use super::{ConstId, FnId, ModuleId, TraitId, Ty, TypeId, TypeInfo, ValueDef, join_path, ty};
use crate::ir::{Name, TypeDecl, TypeIr};
use crate::parallel;
use crate::source::FileId;

/// Fills in everything that items say about themselves.
pub(super) fn fill(world: &mut World, threads: usize) {
    self_types(world);
    supertraits(world);
    tables(world);
    super::lent::fill(world);
    fields(world, threads);
    signatures(world, threads);
    constants(world);
    dereferences(world);
    derivers(world);
    attributes(world, threads);
    paths(world);
    trait_lists(world);
}

/// What each `impl` is for.
fn self_types(world: &mut World) {
    let mut made: FxHashMap<(FileId, &str), TypeId> = FxHashMap::default();
    let mut synthetic: Vec<(usize, Ty)> = Vec::new();
    let mut types: Vec<TypeInfo> = Vec::new();
    for (number, side) in world.impls.iter().enumerate() {
        let (TypeIr::Opaque, Some(heads)) = (&side.ir.self_ty, side.ir.macro_heads.as_deref()) else {
            continue;
        };
        let id = *made.entry((side.file, heads)).or_insert_with(|| {
            let id = TypeId((world.program.types.len() + types.len()) as u32);
            types.push(synthetic_type(world, side, heads));
            id
        });
        synthetic.push((number, Ty::Adt(id, Vec::new())));
    }
    let scopes = Scopes::of(world);
    let named: Vec<Option<Ty>> = types
        .iter()
        .map(|info| {
            let defs = scopes.lookup(info.module, Ns::Type, info.ir.name);
            defs.iter().find_map(|def| match def {
                Def::Type(id) => Some(Ty::Adt(*id, Vec::new())),
                _ => None,
            })
        })
        .collect();
    // `connector: Stripe` most likely speaks of the type of that name: what the macro's own functions lack is found there
    for (info, target) in types.iter_mut().zip(named) {
        info.deref = target;
    }
    world.program.types.extend(types);
    for (number, ty) in synthetic {
        world.impls[number].self_ty = ty;
    }
    let mut found = Vec::with_capacity(world.impls.len());
    {
        let scopes = Scopes::of(world);
        for side in &world.impls {
            let mut site = Site { scopes: &scopes, scope: side.module, generics: &[], self_ty: &Ty::Unknown };
            let generics = super::written::open_generics(&side.ir.generics);
            site.generics = &generics;
            let self_ty = match side.self_ty {
                Ty::Unknown => site.ty(&side.ir.self_ty),
                _ => side.self_ty.clone(),
            };
            site.self_ty = &self_ty;
            let bound = match &side.ir.trait_path {
                Some(path) => site.bound(path),
                None => Bound::Nothing,
            };
            let args = match (&bound, &side.ir.trait_path) {
                (Bound::Workspace(_), Some(path)) => path
                    .segments
                    .last()
                    .map(|last| last.args.iter().map(|arg| site.ty(arg)).collect())
                    .unwrap_or_default(),
                _ => Vec::new(),
            };
            found.push((self_ty, bound, args));
        }
    }
    for (side, (self_ty, bound, args)) in world.impls.iter_mut().zip(found) {
        side.self_ty = self_ty;
        match bound {
            Bound::Workspace(id) => {
                side.trait_ = Some(id);
                side.trait_path = Some(world.program.traits[id.0 as usize].path);
                side.trait_args = args;
            }
            Bound::External(path, args) => {
                side.trait_path = Some(path);
                side.trait_args = args;
            }
            Bound::Nothing => {
                side.trait_path = side.ir.trait_path.as_ref().map(|path| {
                    let names: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
                    Name::new(&names.join("::"))
                });
            }
        }
    }
}

/// Functions found in one kind of macro invocation share a `Self` nobody can see; it gets a type of its own.
fn synthetic_type(world: &World, side: &ImplSide, heads: &str) -> TypeInfo {
    let name = Name::new(heads);
    TypeInfo {
        ir: TypeDecl {
            name,
            is_enum: false,
            generics: Vec::new(),
            attributes: Vec::new(),
            variants: Vec::new(),
            name_range: side.ir.range,
            range: side.ir.range,
        },
        file: side.file,
        module: side.module,
        path: join_path(world.modules[side.module.0 as usize].path, name),
        fields: Vec::new(),
        deref: None,
        derived_by: None,
        synthetic: true,
        defaults: Vec::new(),
    }
}

fn supertraits(world: &mut World) {
    let mut supers = Vec::with_capacity(world.traits.len());
    {
        let scopes = Scopes::of(world);
        for side in &world.traits {
            let site = Site { scopes: &scopes, scope: side.module, generics: &[], self_ty: &Ty::Unknown };
            let found = side.ir.supers.iter().filter_map(|path| match site.bound(path) {
                Bound::Workspace(id) => Some(id),
                _ => None,
            });
            supers.push(found.collect());
        }
    }
    for (info, supers) in world.program.traits.iter_mut().zip(supers) {
        info.supers = supers;
    }
}

/// Files functions, constants and traits under the type they belong to.
fn tables(world: &mut World) {
    let methods = &mut world.methods;
    let functions = &world.program.functions;
    for (number, side) in world.impls.iter().enumerate() {
        if let Some(id) = side.trait_ {
            for &function in &side.functions {
                let name = functions[function.0 as usize].ir.name;
                methods.implemented.entry((id, name)).or_default().push(function);
            }
        }
        let Some(key) = ty::key(&side.self_ty) else {
            if matches!(side.self_ty, Ty::Param(_)) {
                if let Some(id) = side.trait_ {
                    if !methods.blanket.contains(&id) {
                        methods.blanket.push(id);
                    }
                    for &function in &side.functions {
                        let name = functions[function.0 as usize].ir.name;
                        methods.blanket_fns.entry(name).or_default().push(function);
                        methods.extensions.entry(name).or_default().push(function);
                    }
                }
            }
            continue;
        };
        methods.impls.entry(key).or_default().push(number);
        let inherent = side.ir.trait_path.is_none();
        for &function in &side.functions {
            let name = functions[function.0 as usize].ir.name;
            let table = if inherent { &mut methods.inherent } else { &mut methods.of_traits };
            let known = table.entry((key, name)).or_default();
            // `impl From<A> for T` and its like are told apart by their arguments
            if !inherent || known.len() < MAX_MEANINGS {
                known.push(function);
            }
            if side.trait_.is_some() && matches!(key, TypeKey::External(_)) {
                methods.extensions.entry(name).or_default().push(function);
            }
        }
        for &constant in &side.consts {
            let name = world.program.consts[constant.0 as usize].ir.name;
            methods.consts.entry((key, name)).or_default().push(constant);
        }
        if let Some(id) = side.trait_ {
            let traits = methods.traits.entry(key).or_default();
            if !traits.contains(&id) {
                traits.push(id);
            }
        }
    }
    for (number, info) in world.program.traits.iter().enumerate() {
        let id = TraitId(number as u32);
        for &(name, function) in &info.methods {
            methods.declared.insert((id, name), function);
        }
        for &constant in &world.traits[number].consts {
            let name = world.program.consts[constant.0 as usize].ir.name;
            methods.trait_consts.entry((id, name)).or_default().push(constant);
        }
    }
}

fn fields(world: &mut World, threads: usize) {
    let found = {
        let world = &*world;
        parallel::map(
            world.program.types.len(),
            threads,
            || Scopes::of(world),
            |scopes, number| {
                let info = &world.program.types[number];
                let open = super::written::open_generics(&info.ir.generics);
                let self_args = open.iter().map(|generic| Ty::Param(generic.0)).collect();
                let self_ty = Ty::Adt(TypeId(number as u32), self_args);
                let site = Site { scopes, scope: info.module, generics: &open, self_ty: &self_ty };
                let variants = info.ir.variants.iter().map(|variant| {
                    let fields = variant.fields.iter().map(|field| site.ty(&field.ty));
                    fields.collect::<Vec<Ty>>()
                });
                (variants.collect::<Vec<Vec<Ty>>>(), defaults(scopes, info))
            },
        )
    };
    for (info, (fields, defaults)) in world.program.types.iter_mut().zip(found) {
        info.fields = fields;
        info.defaults = defaults;
    }
}

/// The functions that serde calls for fields that are missing.
fn defaults(scopes: &Scopes<'_>, info: &TypeInfo) -> Vec<(Name, ValueDef)> {
    let fields = info.ir.variants.iter().flat_map(|variant| &variant.fields);
    let written = fields.filter_map(|field| Some((field.name, field.serde_default?)));
    let named = written.filter_map(|(field, path)| {
        let path: Vec<Name> = path.as_str().split("::").map(Name::new).collect();
        let found = scopes.resolve(info.module, false, &path, Ns::Value, false);
        let def = found.defs.iter().find_map(|def| match *def {
            Def::External(path) => Some(ValueDef::External(path)),
            Def::Function(id) if found.used == path.len() => Some(ValueDef::Functions(vec![id])),
            _ => None,
        });
        Some((field, def?))
    });
    named.collect()
}

fn signatures(world: &mut World, threads: usize) {
    let found = {
        let world = &*world;
        parallel::map(
            world.program.functions.len(),
            threads,
            || Scopes::of(world),
            |scopes, number| signature(world, scopes, FnId(number as u32)),
        )
    };
    world.sigs.reserve(found.len());
    for (number, sig) in found.into_iter().enumerate() {
        let side = &world.fn_side[number];
        let (trait_, trait_path) = match (side.impl_, side.decl) {
            (Some(block), _) => (world.impls[block].trait_, world.impls[block].trait_path),
            (None, Some(id)) => (Some(id), Some(world.program.traits[id.0 as usize].path)),
            (None, None) => (None, None),
        };
        let info = &mut world.program.functions[number];
        info.trait_ = trait_;
        info.trait_path = trait_path;
        (info.self_ty, info.params, info.ret) = closed(&sig);
        let open = !sig.generics.is_empty();
        world.sigs.push(open.then(|| Box::new(sig)));
    }
}

/// The open signature of a function.
fn signature(world: &World, scopes: &Scopes<'_>, id: FnId) -> Sig {
    let side = &world.fn_side[id.0 as usize];
    let ir = &world.program.functions[id.0 as usize].ir;
    let known = known();
    let mut open: Vec<(Name, Ty)> = Vec::new();
    let mut self_ty = Ty::Unknown;
    let mut outer: &[crate::ir::Generic] = &[];
    if let Some(block) = side.impl_ {
        self_ty = world.impls[block].self_ty.clone();
        outer = &world.impls[block].ir.generics;
    } else if let Some(id) = side.decl {
        self_ty = Ty::Param(known.self_type);
        open.push((known.self_type, Ty::Traits(vec![id])));
        outer = &world.traits[id.0 as usize].ir.generics;
    }
    let all = || outer.iter().chain(&ir.generics);
    open.extend(all().map(|generic| (generic.name, Ty::Unknown)));
    let site = Site { scopes, scope: side.scope, generics: &open, self_ty: &self_ty };
    let bounds: Vec<Ty> = all().map(|generic| site.bounds(&generic.bounds)).collect();
    let params = ir.params.iter().map(|param| site.ty(&param.ty)).collect();
    let ret = site.ty(&ir.ret);
    let first = open.len() - bounds.len();
    for (generic, bound) in open[first..].iter_mut().zip(bounds) {
        generic.1 = bound;
    }
    let outer = open.len() - ir.generics.len();
    Sig { generics: open, outer, self_ty, params, ret }
}

/// What types dereference to, and the attributes of functions by what their paths mean.
fn dereferences(world: &mut World) {
    let known = known();
    let mut found: Vec<(TypeId, Ty)> = Vec::new();
    {
        let scopes = Scopes::of(world);
        for side in &world.impls {
            let (Ty::Adt(id, args), true) = (&side.self_ty, side.trait_path == Some(known.deref_trait)) else {
                continue;
            };
            let Some(target) = side.ir.types.iter().find(|alias| alias.name == known.target) else {
                continue;
            };
            let generics = super::written::open_generics(&side.ir.generics);
            let site = Site { scopes: &scopes, scope: side.module, generics: &generics, self_ty: &side.self_ty };
            // the `impl` may name the parameters differently from the declaration
            let declared = &world.program.types[id.0 as usize].ir.generics;
            let names: Vec<(Name, Ty)> = args
                .iter()
                .zip(declared)
                .filter_map(|(arg, generic)| match arg {
                    Ty::Param(name) => Some((*name, Ty::Param(generic.name))),
                    _ => None,
                })
                .collect();
            found.push((*id, ty::substitute(&site.ty(&target.ty), &names)));
        }
    }
    for (id, target) in found {
        world.program.types[id.0 as usize].deref = Some(target);
    }
    for info in &mut world.program.types {
        if info.deref.is_none() {
            info.deref = derived_deref(info);
        }
    }
}

/// `#[derive(Deref)]`, from whichever crate, goes to the only field or to the one marked `#[deref]`.
fn derived_deref(info: &TypeInfo) -> Option<Ty> {
    let derives = |attribute: &crate::ir::Attribute| {
        &*attribute.path == "derive"
            && attribute.args.split(',').any(|name| name.trim().rsplit("::").next() == Some("Deref"))
    };
    if info.ir.is_enum || !info.ir.attributes.iter().any(derives) {
        return None;
    }
    match info.fields.first()?.as_slice() {
        [only] => Some(only.clone()),
        several => several.get(info.ir.fields().iter().position(|field| field.deref)?).cloned(),
    }
}

/// The crate whose derives give a type functions that no source shows. A type that a derive made itself asks the derives
/// around it.
fn derivers(world: &mut World) {
    let quiet = &super::signatures::signatures().quiet;
    let mut found: Vec<Vec<Name>> = Vec::with_capacity(world.program.types.len());
    let mut around: FxHashMap<ModuleId, Vec<Name>> = FxHashMap::default();
    {
        let scopes = Scopes::of(world);
        for info in &world.program.types {
            let mut crates: Vec<Name> = Vec::new();
            let derives = info.ir.attributes.iter().filter(|attribute| &*attribute.path == "derive");
            for name in derives.flat_map(|attribute| attribute.args.split(',')) {
                let name = name.trim();
                if name.is_empty() {
                    continue;
                }
                let path = canonical_macro(world, &scopes, info.module, name);
                let Some((root, _)) = path.as_str().split_once("::") else {
                    continue;
                };
                let root = Name::new(root);
                let foreign = root != known().crate_ && !world.libraries.contains_key(&root);
                if foreign && !quiet.contains(&root) && !crates.contains(&root) {
                    crates.push(root);
                }
            }
            let all = around.entry(info.module).or_default();
            for &by in &crates {
                if !all.contains(&by) {
                    all.push(by);
                }
            }
            found.push(crates);
        }
    }
    for (info, crates) in world.program.types.iter_mut().zip(found) {
        let implied = info.ir.range == info.ir.name_range && !info.synthetic;
        let crates = match around.get(&info.module) {
            Some(all) if implied => all,
            _ => &crates,
        };
        info.derived_by = match crates.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
    }
}

fn attributes(world: &mut World, threads: usize) {
    let found = {
        let world = &*world;
        parallel::map(
            world.program.functions.len(),
            threads,
            || Scopes::of(world),
            |scopes, number| {
                let info = &world.program.functions[number];
                let paths = info
                    .ir
                    .attributes
                    .iter()
                    .map(|attribute| canonical_macro(world, scopes, info.module, &attribute.path));
                paths.collect::<Vec<Name>>()
            },
        )
    };
    for (info, paths) in world.program.functions.iter_mut().zip(found) {
        info.attribute_paths = paths;
    }
}

/// The canonical path of a macro or attribute; as written where nothing in scope has that name.
pub(super) fn canonical_macro(world: &World, scopes: &Scopes<'_>, module: ModuleId, written: &str) -> Name {
    if super::prelude::is_attribute(written) {
        return Name::new(written);
    }
    let absolute = written.starts_with("::");
    let names: Vec<Name> = written.trim_start_matches("::").split("::").map(|part| Name::new(part.trim())).collect();
    let found = scopes.resolve(module, absolute, &names, Ns::Macro, false);
    let def = found.defs.iter().find_map(|def| match def {
        Def::External(path) | Def::Missing(path) | Def::Made(path, _) => Some(*path),
        Def::Macro(id) => Some(world.macros[id.0 as usize].path),
        // an attribute macro of the workspace is a function there
        _ => None,
    });
    def.unwrap_or_else(|| Name::new(written))
}

fn constants(world: &mut World) {
    let mut types = Vec::with_capacity(world.program.consts.len());
    {
        let scopes = Scopes::of(world);
        for (info, side) in world.program.consts.iter().zip(&world.const_side) {
            let self_ty = match (side.impl_, side.decl) {
                (Some(block), _) => world.impls[block].self_ty.clone(),
                (None, Some(id)) => Ty::Traits(vec![id]),
                (None, None) => Ty::Unknown,
            };
            let site = Site { scopes: &scopes, scope: info.module, generics: &[], self_ty: &self_ty };
            types.push(site.ty(&info.ir.ty));
        }
    }
    for (info, ty) in world.program.consts.iter_mut().zip(types) {
        info.ty = ty;
    }
}

/// The paths under which people and configuration know functions and constants.
fn paths(world: &mut World) {
    let real = |module: ModuleId| {
        let mut at = module;
        while world.modules[at.0 as usize].block {
            match world.modules[at.0 as usize].parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    };
    let path_of = |module: ModuleId| world.modules[module.0 as usize].path;
    let owner = |impl_: Option<usize>, decl: Option<TraitId>, module: ModuleId| {
        if let Some(id) = decl {
            return world.program.traits[id.0 as usize].path;
        }
        let Some(side) = impl_.map(|block| &world.impls[block]) else {
            return path_of(module);
        };
        // a macro's `impl`s stand in a scope of their own inside the module that calls it
        let module = if path_of(module).as_str().ends_with("::_") { real(module) } else { module };
        let inherent = side.ir.trait_path.is_none();
        match &side.self_ty {
            Ty::Adt(id, _) => {
                let info = &world.program.types[id.0 as usize];
                if info.synthetic {
                    path_of(module)
                } else if inherent {
                    info.path
                } else {
                    join_path(path_of(module), info.ir.name)
                }
            }
            other => match last_name(world, other) {
                Some(name) => join_path(path_of(module), name),
                None => path_of(module),
            },
        }
    };
    let functions: Vec<Name> = world
        .program
        .functions
        .iter()
        .zip(&world.fn_side)
        .map(|(info, side)| {
            let module = if info.ir.closure.is_some() { real(info.module) } else { info.module };
            join_path(owner(side.impl_, side.decl, module), info.ir.name)
        })
        .collect();
    let constants: Vec<Name> = world
        .program
        .consts
        .iter()
        .zip(&world.const_side)
        .map(|(info, side)| join_path(owner(side.impl_, side.decl, info.module), info.ir.name))
        .collect();
    for (info, path) in world.program.functions.iter_mut().zip(functions) {
        info.path = path;
    }
    for (info, path) in world.program.consts.iter_mut().zip(constants) {
        info.path = path;
    }
}

fn last_name(world: &World, ty: &Ty) -> Option<Name> {
    let last = |path: Name| Name::new(path.as_str().rsplit("::").next().unwrap_or_default());
    match ty::key(ty) {
        Some(TypeKey::External(path)) => Some(last(path)),
        Some(TypeKey::Primitive(name)) => Some(name),
        Some(TypeKey::Dyn(id)) => Some(last(world.program.traits[id.0 as usize].path)),
        _ => match ty {
            Ty::Param(name) => Some(*name),
            _ => None,
        },
    }
}

/// For each trait the implementations of each of its methods.
fn trait_lists(world: &mut World) {
    for (number, info) in world.program.traits.iter_mut().enumerate() {
        let id = TraitId(number as u32);
        info.impls = info
            .methods
            .iter()
            .filter_map(|&(name, _)| {
                let functions = world.methods.implemented.get(&(id, name))?;
                Some((name, functions.clone()))
            })
            .collect();
    }
    let impls = world.impls.iter().map(|side| super::ImplInfo {
        self_ty: ty::erase(&side.self_ty, &[]),
        trait_: side.trait_,
        trait_path: side.trait_path,
        trait_args: side.trait_args.iter().map(|arg| ty::erase(arg, &[])).collect(),
        functions: side.functions.clone(),
        consts: side.consts.clone(),
        attributes: side.ir.attributes.clone(),
        file: side.file,
        module: side.module,
        range: side.ir.range,
    });
    world.program.impls = impls.collect();
    let mut by_type: FxHashMap<TypeKey, Vec<u32>> = FxHashMap::default();
    for (number, info) in world.program.impls.iter().enumerate() {
        if let Some(key) = ty::key(&info.self_ty) {
            by_type.entry(key).or_default().push(number as u32);
        }
    }
    world.program.impls_by_type = by_type;
}

/// The constants of one type by name; used where a path goes through a type.
pub(super) fn constants_of(world: &World, key: TypeKey, name: Name) -> &[ConstId] {
    world.methods.consts.get(&(key, name)).map_or(&[], Vec::as_slice)
}
