//! Name resolution and syntactic types: which item a path or method call means.
//!
//! In: the workspace and its lowered files. Out: a [`Program`]. What the source alone cannot tell stays external or
//! unknown; nothing here guesses, and nothing here knows what an effect is.

mod collect;
mod defs;
mod expand;
mod headers;
mod implied;
mod imports;
mod infer;
mod known;
mod lent;
mod prelude;
mod query;
mod scope;
mod signatures;
mod tree;
mod ty;
mod written;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

pub use query::{behind, matches_path};

use crate::ir::{Attribute, Body, ExprId, FileIr, Function, Interned, LocalId, Name, PatId, TableDecl};
use crate::source::{FileId, PackageId, TextRange, Workspace};

/// Resolves a workspace: modules, names, signatures, and the types and callees in every body. The result is the same
/// for any number of threads.
pub fn resolve(workspace: &Workspace, files: Vec<FileIr>, threads: usize) -> Program {
    let mut world = tree::build(workspace, files);
    imports::resolve_imports(&mut world, threads);
    headers::fill(&mut world, threads);
    let (functions, constants) = infer::bodies(&world, threads);
    let mut program = world.program;
    for (info, types) in program.functions.iter_mut().zip(functions) {
        info.types = types;
    }
    for (info, types) in program.consts.iter_mut().zip(constants) {
        info.types = types;
    }
    program
}

/// `base::name`.
fn join_path(base: Name, name: Name) -> Name {
    let (base, name) = (base.as_str(), name.as_str());
    let mut path = String::with_capacity(base.len() + name.len() + 2);
    path.push_str(base);
    path.push_str("::");
    path.push_str(name);
    Name::new(&path)
}

/// A table that code declares.
#[derive(Debug)]
pub struct TableInfo {
    /// the module by whose name queries speak of it, if they do
    pub module: Option<Name>,
    /// what is declared
    pub ir: TableDecl,
}

/// A module of a crate, in the order of discovery (crates by package and target, then source order).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ModuleId(pub u32);

/// A function, method, trait method or `handler!` closure of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FnId(pub u32);

/// A struct, enum or union of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// A trait of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraitId(pub u32);

/// A constant or static of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstId(pub u32);

/// A type as far as syntax tells. References, `Box`, `Arc`, `Rc`, `Pin`, `Cow` and mutex guards are looked through.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ty {
    /// nothing is known
    #[default]
    Unknown,
    /// a type of the workspace
    Adt(TypeId, Vec<Ty>),
    /// a type of an external crate by canonical path, `reqwest::Client`; std paths as written in std (`core` and
    /// `alloc` become `std`): `std::option::Option`, `std::result::Result`, `std::string::String`. Also a path that
    /// leads nowhere, `crate::chain::Chain`; a single trait with type arguments, `std::iter::Iterator` with its item;
    /// and what can be called, `std::ops::Fn` with its parameters, result last.
    External(Name, Vec<Ty>),
    /// some type of this external crate, which one is unknown: what a method of an external type returns
    SomeOf(Name),
    /// `impl Trait` or `dyn Trait` of workspace traits, or a generic parameter with such bounds
    Traits(Vec<TraitId>),
    /// `impl`/`dyn` of external traits by canonical path
    ExternalTraits(Vec<Name>),
    /// a tuple
    Tuple(Vec<Ty>),
    /// a slice, array or `Vec`
    Sequence(Box<Ty>),
    /// a future that yields this (an `async fn` call, an async block)
    Future(Box<Ty>),
    /// a closure made in this body, or a function item
    Callable(Callable),
    /// an integer, float, bool, char or str by its keyword; `{integer}` and `{float}` for a bare literal
    Primitive(Name),
    /// a generic parameter of the item it is found in: only in [`TypeInfo::fields`] and [`TypeInfo::deref`], which
    /// [`Program::field_ty`] fills in
    Param(Name),
}

/// Something that can be called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callable {
    /// a closure expression of the same body
    Closure(ExprId),
    /// functions of the workspace
    Functions(Vec<FnId>),
}

/// What a call or method call invokes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// functions of the workspace: several for cfg twins and for all impls behind a trait or `dyn`
    Functions(Vec<FnId>),
    /// an external function or associated function by canonical path: `uuid::Uuid::new_v4`, `std::time::SystemTime::now`
    External(Name),
    /// a method on an external type: its canonical path (`reqwest::RequestBuilder`) or only its crate (`reqwest`).
    /// Also a method that a derive or an external trait gives a type of the workspace, whose path is then the receiver.
    ExternalMethod {
        /// type path, or crate name alone where the type is unknown
        receiver: Name,
        /// method
        method: Name,
    },
    /// a method on a receiver of unknown type
    UnknownMethod(Name),
    /// the constructor of a tuple struct or tuple variant of the workspace (variant number; 0 for structs)
    Constructor(TypeId, u32),
    /// a call of a local value: closure, function pointer, parameter
    Local(LocalId),
    /// a path that names nothing known, as written with imports applied: `crate::chain::Chain::new`
    Unresolved(Name),
    /// anything else
    Unknown,
}

/// What a path expression stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// functions of the workspace
    Functions(Vec<FnId>),
    /// constants (cfg twins side by side)
    Consts(Vec<ConstId>),
    /// a unit struct or unit variant (or a tuple constructor as a value)
    Variant(TypeId, u32),
    /// an external path, canonical
    External(Name),
    /// names nothing known, with imports applied
    Unresolved(Name),
}

/// A function together with where it stands.
#[derive(Debug)]
pub struct FunctionInfo {
    /// the lowered function
    pub ir: Function,
    /// its file
    pub file: FileId,
    /// its package
    pub package: PackageId,
    /// its module
    pub module: ModuleId,
    /// path for people and for matching configuration: `shop::billing::Stripe::create_charge`
    pub path: Name,
    /// the type it is implemented on
    pub self_ty: Ty,
    /// the workspace trait it implements or is declared in
    pub trait_: Option<TraitId>,
    /// canonical path of the trait it implements, workspace or external: `crates_io_worker::BackgroundJob`
    pub trait_path: Option<Name>,
    /// in a test module, test target, bench target, or test-like itself
    pub test: bool,
    /// in a cargo example target
    pub example: bool,
    /// canonical path of each of `ir.attributes`, in order, with imports, renames and re-exports applied
    /// (`effect_contracts::effect`); as written where nothing in scope has that name
    pub attribute_paths: Vec<Name>,
    /// for the closure of a `handler!`: canonical path of that macro, in the same way
    pub macro_path: Option<Name>,
    /// parameter types
    pub params: Vec<Ty>,
    /// return type (what awaiting yields for an `async fn`)
    pub ret: Ty,
    /// types and callees of its body; empty if there is none
    pub types: BodyTypes,
}

impl FunctionInfo {
    /// The type of what it is handed at a position; what `self` is comes first, if there is one.
    pub fn param(&self, at: usize) -> Option<&Ty> {
        match at {
            0 if self.ir.has_self => Some(&self.self_ty),
            at => self.params.get(at),
        }
    }
}

/// What inference found in one body.
#[derive(Clone, Debug, Default)]
pub struct BodyTypes {
    /// type of each expression, by [`ExprId`]
    exprs: Box<[Interned<Ty>]>,
    /// type of each local, by [`LocalId`]
    locals: Box<[Interned<Ty>]>,
    /// callee of each `Call`, `MethodCall` and `Macro`, sorted by expression
    pub callees: Vec<(ExprId, Callee)>,
    /// what each `Path` expression means, sorted by expression
    pub paths: Vec<(ExprId, ValueDef)>,
    /// the struct or variant of each `Struct` expression, sorted by expression; external ones by path
    pub structs: Vec<(ExprId, StructDef)>,
    /// the variant of each `TupleStruct`, `Struct`, `Path` pattern, sorted by pattern
    pub patterns: Vec<(PatId, StructDef)>,
}

/// A struct or variant that a literal or pattern names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StructDef {
    /// of the workspace: type and variant number (0 for structs)
    Local(TypeId, u32),
    /// external, canonical path (`std::result::Result::Ok` for `Ok`, `std::option::Option::None` for `None`)
    External(Name),
    /// names nothing known, with imports applied
    Unresolved(Name),
    /// a constant in a pattern
    Const(ConstId),
}

impl BodyTypes {
    /// The callee of a call expression.
    pub fn callee(&self, id: ExprId) -> Option<&Callee> {
        find(&self.callees, id)
    }

    /// What a path expression means.
    pub fn path(&self, id: ExprId) -> Option<&ValueDef> {
        find(&self.paths, id)
    }

    /// What a struct literal makes.
    pub fn structure(&self, id: ExprId) -> Option<&StructDef> {
        find(&self.structs, id)
    }

    /// What a pattern names.
    pub fn pattern(&self, id: PatId) -> Option<&StructDef> {
        find(&self.patterns, id)
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> &'static Ty {
        self.exprs.get(id.0 as usize).map_or(&Ty::Unknown, |ty| ty.value())
    }

    /// The type of a local.
    pub fn local(&self, id: LocalId) -> &'static Ty {
        self.locals.get(id.0 as usize).map_or(&Ty::Unknown, |ty| ty.value())
    }
}

fn find<K: Ord + Copy, V>(sorted: &[(K, V)], key: K) -> Option<&V> {
    sorted.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| &sorted[at].1)
}

/// A struct or enum together with where it stands.
#[derive(Debug)]
pub struct TypeInfo {
    /// the lowered declaration
    pub ir: crate::ir::TypeDecl,
    /// its file
    pub file: FileId,
    /// its module
    pub module: ModuleId,
    /// `shop::billing::ChargeState`
    pub path: Name,
    /// field types by variant, in the order of the declaration
    pub fields: Vec<Vec<Ty>>,
    /// what makes the value of a field that is missing where the type is read (`#[serde(default = "…")]`), by the field's name
    pub defaults: Vec<(Name, ValueDef)>,
    /// what it dereferences to, where the workspace says so
    pub deref: Option<Ty>,
    /// the one crate whose derives give it functions nobody sees, if it is one
    pub derived_by: Option<Name>,
    /// not declared anywhere: the `Self` of functions that are written inside macro invocations with equal heads
    pub synthetic: bool,
}

/// A constant together with where it stands.
#[derive(Debug)]
pub struct ConstInfo {
    /// the lowered declaration
    pub ir: crate::ir::Const,
    /// its file
    pub file: FileId,
    /// its module
    pub module: ModuleId,
    /// `shop::headers::IDEMPOTENCY_KEY`
    pub path: Name,
    /// its declared type
    pub ty: Ty,
    /// types and callees of its value
    pub types: BodyTypes,
}

/// A trait together with where it stands.
#[derive(Debug)]
pub struct TraitInfo {
    /// `shop::gateway::Gateway`
    pub path: Name,
    /// its file
    pub file: FileId,
    /// declared methods (with and without body), by name
    pub methods: Vec<(Name, FnId)>,
    /// for each method name, the implementations in the workspace
    pub impls: Vec<(Name, Vec<FnId>)>,
    /// workspace traits it extends
    pub supers: Vec<TraitId>,
}

/// An `impl` block together with where it stands.
#[derive(Debug)]
pub struct ImplInfo {
    /// what it is for
    pub self_ty: Ty,
    /// the workspace trait, if it is one
    pub trait_: Option<TraitId>,
    /// canonical path of the trait, workspace or external; `None` for an inherent `impl`
    pub trait_path: Option<Name>,
    /// the trait's type arguments: the `T` of `impl From<T> for …`
    pub trait_args: Vec<Ty>,
    /// its functions, in source order
    pub functions: Vec<FnId>,
    /// its constants, in source order
    pub consts: Vec<ConstId>,
    /// its attributes
    pub attributes: Vec<Attribute>,
    /// its file
    pub file: FileId,
    /// its module
    pub module: ModuleId,
    /// where
    pub range: TextRange,
}

/// The resolved workspace. All vectors are in a fixed order that depends on the source alone.
#[derive(Debug, Default)]
pub struct Program {
    /// functions
    pub functions: Vec<FunctionInfo>,
    /// structs, enums, unions
    pub types: Vec<TypeInfo>,
    /// constants and statics
    pub consts: Vec<ConstInfo>,
    /// traits
    pub traits: Vec<TraitInfo>,
    /// tables that code outside tests declares
    pub tables: Vec<TableInfo>,
    /// `impl` blocks, those made by the workspace's own macros included
    pub impls: Vec<ImplInfo>,
    /// numbers of them by what their self type is, as far as that tells
    impls_by_type: FxHashMap<defs::TypeKey, Vec<u32>>,
    /// types by path; of cfg twins the first
    pub type_paths: FxHashMap<Name, TypeId>,
    /// module paths: `shop::billing`
    pub modules: Vec<Name>,
    /// unparsed items and files, by file
    pub problems: Vec<(FileId, crate::ir::Problem)>,
}

impl Program {
    /// The function behind an id.
    pub fn function(&self, id: FnId) -> &FunctionInfo {
        &self.functions[id.0 as usize]
    }

    /// The type behind an id.
    pub fn type_(&self, id: TypeId) -> &TypeInfo {
        &self.types[id.0 as usize]
    }

    /// The body of a function, if it has one.
    pub fn body(&self, id: FnId) -> Option<&Body> {
        self.function(id).ir.body.as_deref()
    }
}
