//! What names stand for, and the tables that resolution fills before any body is looked at.
//!
//! In: nothing (these are types). Nothing here outlives resolution except the [`Program`] in it.

use rustc_hash::FxHashMap;

use super::{ConstId, FnId, ModuleId, Program, TraitId, Ty, TypeId};
use crate::ir::{Alias, Impl, MacroItem, MacroRules, Name, Trait};
use crate::source::{FileId, PackageId};

/// A `type X = …;`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct AliasId(pub(super) u32);

/// A `macro_rules!` definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct MacroId(pub(super) u32);

/// How many functions one name or call is given, at most. More is no program that anybody builds, or says nothing: who
/// followed hundreds of bodies for one call would know nothing about any of them.
pub(super) const MAX_MEANINGS: usize = 64;

/// What one name stands for. A name can stand for several: the arms of a `cfg`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Def {
    Module(ModuleId),
    Type(TypeId),
    Variant(TypeId, u32),
    Trait(TraitId),
    Alias(AliasId),
    Function(FnId),
    Const(ConstId),
    Macro(MacroId),
    /// a keyword type
    Primitive(Name),
    /// an item of another crate, by canonical path
    External(Name),
    /// a path that leads nowhere, canonical as far as it goes: `crate::chain::Chain`
    Missing(Name),
    /// such a path into a module whose items a macro of another crate makes: the path, and that crate
    Made(Name, Name),
}

/// The three worlds of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ns {
    Type,
    Value,
    Macro,
}

pub(super) const NAMESPACES: [Ns; 3] = [Ns::Type, Ns::Value, Ns::Macro];

/// A name in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Binding {
    pub(super) def: Def,
    /// a `use` without `pub`: globs from elsewhere do not see it
    pub(super) private: bool,
}

/// Where a glob import leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Glob {
    Module(ModuleId),
    Variants(TypeId),
    External(Name),
    Missing,
}

/// A glob import of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GlobImport {
    pub(super) target: Glob,
    pub(super) private: bool,
}

/// A crate: one target of one package.
#[derive(Debug)]
pub(super) struct Crate {
    pub(super) package: PackageId,
    pub(super) name: Name,
    pub(super) root: ModuleId,
    pub(super) edition: u16,
    /// crates that paths may start with
    pub(super) externs: FxHashMap<Name, Def>,
    /// those of them that the manifest lists
    pub(super) listed: Vec<Name>,
}

/// A module, an inline module, or the items in a function's body.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) parent: Option<ModuleId>,
    /// index of its crate
    pub(super) krate: usize,
    pub(super) path: Name,
    /// the items of a function's body: names fall through to the module around it
    pub(super) block: bool,
    pub(super) names: FxHashMap<(Ns, Name), Vec<Binding>>,
    pub(super) globs: Vec<GlobImport>,
    /// traits imported `as _`, of the workspace and of other crates
    pub(super) anonymous: Vec<Def>,
    /// a macro invocation here may declare names nobody sees
    pub(super) opaque_items: bool,
    /// the crates whose macros these are
    pub(super) makers: Vec<Name>,
}

/// A `use` leaf waiting for its meaning.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) module: ModuleId,
    pub(super) absolute: bool,
    pub(super) path: Vec<Name>,
    pub(super) alias: Option<Name>,
    pub(super) private: bool,
}

/// What a function stands in.
#[derive(Clone, Debug)]
pub(super) struct FnSide {
    /// where its body's names are looked up
    pub(super) scope: ModuleId,
    /// the `impl` around it
    pub(super) impl_: Option<usize>,
    /// the trait that declares it
    pub(super) decl: Option<TraitId>,
}

/// An `impl` whose functions moved to the [`Program`].
#[derive(Debug)]
pub(super) struct ImplSide {
    pub(super) ir: Impl,
    pub(super) module: ModuleId,
    pub(super) file: FileId,
    pub(super) functions: Vec<FnId>,
    pub(super) consts: Vec<ConstId>,
    /// the type, generic parameters as [`Ty::Param`]
    pub(super) self_ty: Ty,
    pub(super) trait_: Option<TraitId>,
    pub(super) trait_path: Option<Name>,
    pub(super) trait_args: Vec<Ty>,
}

/// A trait whose functions moved to the [`Program`].
#[derive(Debug)]
pub(super) struct TraitSide {
    pub(super) ir: Trait,
    pub(super) module: ModuleId,
    pub(super) consts: Vec<ConstId>,
}

/// An alias and where it stands.
#[derive(Debug)]
pub(super) struct AliasSide {
    pub(super) ir: Alias,
    pub(super) module: ModuleId,
}

/// A macro definition and where it stands.
#[derive(Debug)]
pub(super) struct MacroSide {
    pub(super) ir: MacroRules,
    pub(super) file: FileId,
    pub(super) path: Name,
}

/// A macro invocation among items.
#[derive(Debug)]
pub(super) struct MacroUse {
    pub(super) ir: MacroItem,
    pub(super) module: ModuleId,
    pub(super) place: Origin,
}

/// What the items of a module inherit from where they stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) file: FileId,
    pub(super) package: PackageId,
    pub(super) test: bool,
    pub(super) example: bool,
}

/// A signature with generic parameters left open.
#[derive(Clone, Debug, Default)]
pub(super) struct Sig {
    /// parameters in scope with what their bounds say; [`Ty::Unknown`] for none
    pub(super) generics: Vec<(Name, Ty)>,
    /// how many of the first are those of the `impl` or trait
    pub(super) outer: usize,
    pub(super) self_ty: Ty,
    pub(super) params: Vec<Ty>,
    pub(super) ret: Ty,
}

/// What the type of a receiver looks like from afar: the key of the method tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TypeKey {
    Adt(TypeId),
    External(Name),
    Primitive(Name),
    Dyn(TraitId),
    Sequence,
    Tuple,
}

/// Everything resolution knows, shared by all bodies.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) program: Program,
    pub(super) crates: Vec<Crate>,
    /// library crates of the workspace: one that a manifest forgets is still that crate
    pub(super) libraries: FxHashMap<Name, ModuleId>,
    pub(super) modules: Vec<Module>,
    pub(super) imports: Vec<Import>,
    pub(super) fn_side: Vec<FnSide>,
    /// open signatures of generic functions; [`None`] where the closed one says it all
    pub(super) sigs: Vec<Option<Box<Sig>>>,
    pub(super) impls: Vec<ImplSide>,
    pub(super) traits: Vec<TraitSide>,
    pub(super) aliases: Vec<AliasSide>,
    pub(super) macros: Vec<MacroSide>,
    pub(super) macro_uses: Vec<MacroUse>,
    /// the `impl` or trait of an associated constant
    pub(super) const_side: Vec<ConstSide>,
    /// macros by crate and name: textual scope reaches everywhere below
    pub(super) crate_macros: FxHashMap<(usize, Name), Vec<MacroId>>,
    pub(super) methods: Methods,
}

/// What a constant stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstSide {
    pub(super) impl_: Option<usize>,
    pub(super) decl: Option<TraitId>,
}

/// Functions and traits by the type they belong to.
#[derive(Debug, Default)]
pub(super) struct Methods {
    pub(super) inherent: FxHashMap<(TypeKey, Name), Vec<FnId>>,
    pub(super) of_traits: FxHashMap<(TypeKey, Name), Vec<FnId>>,
    /// workspace traits implemented for a type
    pub(super) traits: FxHashMap<TypeKey, Vec<TraitId>>,
    /// workspace traits that an attribute of a type implements for it
    pub(super) lent: FxHashMap<TypeKey, Vec<TraitId>>,
    pub(super) consts: FxHashMap<(TypeKey, Name), Vec<ConstId>>,
    /// `impl`s of a type, for associated types
    pub(super) impls: FxHashMap<TypeKey, Vec<usize>>,
    /// workspace traits with `impl<T> Trait for T`
    pub(super) blanket: Vec<TraitId>,
    /// blanket functions by name
    pub(super) blanket_fns: FxHashMap<Name, Vec<FnId>>,
    /// functions of workspace traits for foreign types and for all types, by name
    pub(super) extensions: FxHashMap<Name, Vec<FnId>>,
    /// methods a workspace trait declares
    pub(super) declared: FxHashMap<(TraitId, Name), FnId>,
    /// functions of all `impl`s of a workspace trait
    pub(super) implemented: FxHashMap<(TraitId, Name), Vec<FnId>>,
    pub(super) trait_consts: FxHashMap<(TraitId, Name), Vec<ConstId>>,
}
