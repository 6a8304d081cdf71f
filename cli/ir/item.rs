//! Items: what a file declares.

use super::{Body, LocalId, Name, PatId};
use crate::source::{FileId, TextRange};

/// One lowered file: its modules, the file's own first.
#[derive(Clone, Debug)]
pub struct FileIr {
    /// which file
    pub file: FileId,
    /// the file itself at 0, then inline modules in source order
    pub modules: Vec<ModuleIr>,
    /// what could not be read
    pub problems: Vec<Problem>,
}

/// Something that could not be read; becomes an `unparsed-source` finding.
#[derive(Clone, Debug)]
pub struct Problem {
    /// where
    pub range: TextRange,
    /// what is wrong, lower case, no full stop
    pub message: String,
}

/// A file's own module, or an inline `mod name { … }`.
#[derive(Clone, Debug, Default)]
pub struct ModuleIr {
    /// enclosing module in the same file; `None` for the file itself
    pub parent: Option<usize>,
    /// name of an inline module; `None` for the file itself
    pub name: Option<Name>,
    /// `#[path]` on an inline module: a folder
    pub path_attr: Option<String>,
    /// under `#[cfg(test)]` here or above (within this file), or in a module such a cfg guards
    pub test: bool,
    /// all items of the module
    pub items: Items,
}

/// The items of one module (or of one function body, or found inside one macro invocation).
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// one entry a leaf of a use tree
    pub uses: Vec<Use>,
    /// `mod name;`
    pub mods: Vec<ModDecl>,
    /// free functions
    pub functions: Vec<Function>,
    /// `impl` blocks
    pub impls: Vec<Impl>,
    /// traits
    pub traits: Vec<Trait>,
    /// structs, enums, unions
    pub types: Vec<TypeDecl>,
    /// `type X = …;`
    pub aliases: Vec<Alias>,
    /// `const` and `static`
    pub consts: Vec<Const>,
    /// `macro_rules!` definitions
    pub macro_rules: Vec<MacroRules>,
    /// item-position macro invocations
    pub macro_calls: Vec<MacroItem>,
    /// tables that a macro or a model declares
    pub tables: Vec<TableDecl>,
}

/// A table as the code declares it. Indexes are declared elsewhere: other columns may be unique, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDecl {
    /// its name in the database, lower case
    pub name: Box<str>,
    /// sets of columns that are unique, lower case; the primary key comes first
    pub unique: Vec<Vec<Box<str>>>,
    /// queries name it by the module that it is declared in
    pub by_module: bool,
}

/// One leaf of a `use` tree: `use a::{b as c, d::*}` is two of these. `extern crate a as b;` is one, too.
#[derive(Clone, Debug)]
pub struct Use {
    /// whether the path starts with `::`
    pub absolute: bool,
    /// all segments; for a glob those before the star; `self` at the end already dropped
    pub path: Vec<Name>,
    /// the name it is in scope under; `None` for a glob; `_` for `as _`
    pub alias: Option<Name>,
    /// visible outside the module (any `pub…`)
    pub public: bool,
    /// where
    pub range: TextRange,
}

/// `mod name;`
#[derive(Clone, Debug)]
pub struct ModDecl {
    /// its name
    pub name: Name,
    /// `#[path = "…"]`, also one behind `cfg_attr`; several for cfg twins come as several declarations
    pub path_attr: Option<String>,
    /// under `#[cfg(test)]`
    pub test: bool,
    /// where
    pub range: TextRange,
}

/// An attribute, as text: `path` without spaces, `tokens` as written between the delimiters or after `=`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// `effect`, `tracing::instrument`, `doc` …; attributes behind `cfg_attr` are listed like the others
    pub path: Box<str>,
    /// the source text of the argument, delimiters and a leading `=` dropped
    pub args: Box<str>,
    /// the whole attribute
    pub range: TextRange,
    /// the range of `args` in the file
    pub args_range: TextRange,
}

/// A function, method, trait method, or the closure of a `handler!` invocation.
#[derive(Clone, Debug)]
pub struct Function {
    /// its name
    pub name: Name,
    /// attributes, doc comments left out (for types, variants and the rest, too)
    pub attributes: Vec<Attribute>,
    /// generic parameters with their bounds, where clauses merged in
    pub generics: Vec<Generic>,
    /// the receiver, if any, is the first of `params`
    pub has_self: bool,
    /// the receiver is `&mut self`: while the function runs, nobody else reaches what the object owns
    pub alone_with_self: bool,
    /// parameters
    pub params: Vec<Param>,
    /// declared return type; `()` where absent. For an `async fn` this is the type the future yields.
    pub ret: TypeIr,
    /// `async fn` (awaiting the call yields `ret`)
    pub is_async: bool,
    /// `pub`, `pub(crate)` …
    pub public: bool,
    /// the body; `None` for a trait method without one, for foreign functions, and where it was not selected
    pub body: Option<Box<Body>>,
    /// items declared inside the body
    pub inner: Option<Box<Items>>,
    /// `#[test]`-like attribute, or inside test code
    pub test: bool,
    /// the name's place
    pub name_range: TextRange,
    /// the whole item, attributes included
    pub range: TextRange,
    /// for a function found inside a macro invocation: the macro's last path segment, then its `ident: value` heads
    /// whose value is a plain path, separated by spaces, e.g. `implementation connector:Stripe`; tells twins apart
    pub macro_heads: Option<Box<str>>,
    /// for the closure of a `handler!` invocation: where the closure stands. The body around it holds the same closure
    /// once more, as an expression of this range.
    pub closure: Option<TextRange>,
    /// for such a closure: variables of its body that are bound outside of it
    pub captures: Vec<LocalId>,
}

/// A generic parameter.
#[derive(Clone, Debug)]
pub struct Generic {
    /// its name (type and const parameters; lifetimes are dropped)
    pub name: Name,
    /// its bounds: trait paths
    pub bounds: Vec<PathIr>,
    /// what it is where a path leaves it out
    pub default: Option<Box<TypeIr>>,
}

/// A parameter. `self` is a binding pattern named `self` whose type is `Self` (references dropped).
#[derive(Clone, Debug)]
pub struct Param {
    /// pattern, in the function's body arena; `None` for functions without body
    pub pat: Option<PatId>,
    /// name if the pattern is a plain binding
    pub name: Option<Name>,
    /// declared type
    pub ty: TypeIr,
    /// declared as a reference, which `ty` does not tell
    pub borrowed: bool,
    /// where
    pub range: TextRange,
}

/// An `impl` block.
#[derive(Clone, Debug)]
pub struct Impl {
    /// generic parameters
    pub generics: Vec<Generic>,
    /// the trait, if any
    pub trait_path: Option<PathIr>,
    /// the type; for functions found in an unknown macro invocation `TypeIr::Opaque`
    pub self_ty: TypeIr,
    /// attributes
    pub attributes: Vec<Attribute>,
    /// methods and associated functions
    pub functions: Vec<Function>,
    /// associated constants
    pub consts: Vec<Const>,
    /// associated types
    pub types: Vec<Alias>,
    /// where
    pub range: TextRange,
    /// for functions found in a macro invocation: the value of the head that its invocations in this file have in common,
    /// e.g. `Stripe` of `connector: Stripe`; equal ones in a file share a `Self`. The macro's name where it has no heads.
    pub macro_heads: Option<Box<str>>,
}

/// A trait.
#[derive(Clone, Debug)]
pub struct Trait {
    /// its name
    pub name: Name,
    /// generic parameters
    pub generics: Vec<Generic>,
    /// supertraits
    pub supers: Vec<PathIr>,
    /// attributes
    pub attributes: Vec<Attribute>,
    /// methods, with or without body
    pub functions: Vec<Function>,
    /// associated constants
    pub consts: Vec<Const>,
    /// where
    pub range: TextRange,
}

/// A struct, enum or union. A struct has one variant with its own name.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// its name
    pub name: Name,
    /// whether it is an enum
    pub is_enum: bool,
    /// generic parameters
    pub generics: Vec<Generic>,
    /// attributes (`derive` among them)
    pub attributes: Vec<Attribute>,
    /// variants, or the one field list of a struct
    pub variants: Vec<Variant>,
    /// the name's place
    pub name_range: TextRange,
    /// where
    pub range: TextRange,
}

impl TypeDecl {
    /// Whether it derives a trait of this name.
    pub fn derives(&self, name: &str) -> bool {
        self.attributes.iter().any(|attribute| &*attribute.path == "derive" && attribute.args.contains(name))
    }

    /// The fields of a struct; an enum has none of its own.
    pub fn fields(&self) -> &[FieldDecl] {
        self.variants.first().filter(|_| !self.is_enum).map_or(&[], |only| &only.fields)
    }
}

/// A variant, or a struct's field list.
#[derive(Clone, Debug)]
pub struct Variant {
    /// its name
    pub name: Name,
    /// its name when serialised (`rename`, `rename_all` applied)
    pub serde_name: Name,
    /// attributes
    pub attributes: Vec<Attribute>,
    /// fields; tuple fields are named `0`, `1`, …
    pub fields: Vec<FieldDecl>,
    /// where
    pub range: TextRange,
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// its name in Rust
    pub name: Name,
    /// its name when serialised (`#[serde(rename)]`, `rename_all` applied); equal to `name` where nothing says otherwise
    pub serde_name: Name,
    /// `#[serde(skip)]` or `skip_serializing`
    pub serde_skip: bool,
    /// the function of `#[serde(default = "path")]`, as it is written
    pub serde_default: Option<Name>,
    /// `#[deref]`: what a derived `Deref` of several fields goes to
    pub deref: bool,
    /// declared type
    pub ty: TypeIr,
    /// where
    pub range: TextRange,
}

/// `type X = …;`
#[derive(Clone, Debug)]
pub struct Alias {
    /// its name
    pub name: Name,
    /// generic parameters
    pub generics: Vec<Generic>,
    /// what it stands for
    pub ty: TypeIr,
}

/// `const` or `static`, free or associated. The value's body has no parameters; its root is the value.
#[derive(Clone, Debug)]
pub struct Const {
    /// its name
    pub name: Name,
    /// declared type
    pub ty: TypeIr,
    /// the value
    pub body: Option<Box<Body>>,
    /// where
    pub range: TextRange,
}

/// A `macro_rules!` definition: what calling it may declare.
#[derive(Clone, Debug)]
pub struct MacroRules {
    /// its name
    pub name: Name,
    /// functions of `impl`s in its arms, read with `$x` replaced by an identifier; `self_ty` is that identifier where
    /// the arm says `impl … for $x` or `impl $x`
    pub impls: Vec<Impl>,
    /// position among the comma-separated arguments of the metavariable that stands as `self_ty`, if known
    pub self_argument: Option<usize>,
    /// where
    pub range: TextRange,
}

/// An item-position macro invocation `name! { … }`; items found inside it are listed apart.
#[derive(Clone, Debug)]
pub struct MacroItem {
    /// path as written
    pub path: PathIr,
    /// what each comma-separated argument names: its first identifier behind attributes, visibility, `struct`, or a
    /// `name:` of its own (an empty name where there is none)
    pub arguments: Vec<Name>,
    /// where
    pub range: TextRange,
}

/// A path. `<T as Trait>::name` has the type in `qself` and the trait's segments in front.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PathIr {
    /// starts with `::`
    pub absolute: bool,
    /// the `T` of `<T as …>` or `<T>::`
    pub qself: Option<Box<TypeIr>>,
    /// how many segments belong to the trait of `<T as Trait>::…`
    pub trait_segments: u8,
    /// the segments
    pub segments: Vec<Segment>,
}

impl PathIr {
    /// `Some`, `None`, `Ok` or `Err`, where the path names one of these rather than a variant of some other enum.
    pub fn of_option_or_result(&self) -> Option<&'static str> {
        let (last, before) = self.segments.split_last()?;
        let of = before.last().map(|of| of.name.as_str());
        let (name, owner) = match last.name.as_str() {
            "Some" => ("Some", "Option"),
            "None" => ("None", "Option"),
            "Ok" => ("Ok", "Result"),
            "Err" => ("Err", "Result"),
            _ => return None,
        };
        of.is_none_or(|of| of == owner).then_some(name)
    }
}

/// A path segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// the identifier (`self`, `super`, `crate`, `Self` included)
    pub name: Name,
    /// type arguments; lifetimes and consts dropped; `Item = T` bindings kept in order as types
    pub args: Vec<TypeIr>,
}

/// A type as written. References, parentheses and `mut` are dropped: they do not change where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeIr {
    /// `a::B<C>`
    Path(PathIr),
    /// `(A, B)`; `()` is empty
    Tuple(Vec<TypeIr>),
    /// `[T]`, `[T; N]`
    Slice(Box<TypeIr>),
    /// `fn(A) -> B`
    Fn(Vec<TypeIr>, Box<TypeIr>),
    /// `impl A + B`; `Fn(A) -> B` bounds and `Future<Output = T>` keep their arguments in the segment (output last)
    Impl(Vec<PathIr>),
    /// `dyn A + B`
    Dyn(Vec<PathIr>),
    /// `_`
    Infer,
    /// `!`
    Never,
    /// a macro in type position and the like
    Opaque,
}

impl TypeIr {
    /// Whether it is `()`.
    pub fn is_unit(&self) -> bool {
        matches!(self, Self::Tuple(elements) if elements.is_empty())
    }

    /// The arguments of a `Result`, by whatever name that ends so: `anyhow::Result<T>`, `StoreResult<T>`.
    pub fn as_result(&self) -> Option<&[TypeIr]> {
        let Self::Path(path) = self else {
            return None;
        };
        path.segments.last().filter(|last| last.name.as_str().ends_with("Result")).map(|last| &last.args[..])
    }
}
