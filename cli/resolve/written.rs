//! Types as written become types that mean something.
//!
//! In: a type of the representation and the scope it is written in. Out: a [`Ty`] with aliases expanded and generic
//! parameters open.

use std::cell::Cell;

use super::defs::{Def, Ns, Sig};
use super::known::known;
use super::scope::Scopes;
use super::signatures::signatures;
use super::ty::{self, Bindings};
use super::{ModuleId, TraitId, Ty, TypeId};
use crate::ir::{Generic, Name, PathIr, TypeIr};

/// How many aliases and associated types one type may go through.
const MAX_EXPANSIONS: u32 = 16;

/// Steps for one type as written, through all aliases: `type A = (B, B); type B = (C, C);` and so on has no end that
/// anybody would wait for.
const MAX_STEPS: u32 = 1_024;

/// Where a type is written.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) scopes: &'a Scopes<'a>,
    pub(super) scope: ModuleId,
    /// parameters in scope
    pub(super) generics: &'a [(Name, Ty)],
    pub(super) self_ty: &'a Ty,
}

/// One type being read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    site: Site<'a>,
    /// expansions so far
    depth: u32,
    /// steps left
    left: &'a Cell<u32>,
}

/// What a bound says.
pub(super) enum Bound {
    Workspace(TraitId),
    External(Name, Vec<Ty>),
    Nothing,
}

impl Site<'_> {
    /// The meaning of a written type.
    pub(super) fn ty(&self, written: &TypeIr) -> Ty {
        self.read(|reading| reading.ty(written))
    }

    /// What a list of bounds says about a type: workspace traits first, then traits with a shape of their own.
    pub(super) fn bounds(&self, bounds: &[PathIr]) -> Ty {
        self.read(|reading| reading.bounds(bounds))
    }

    /// The type behind a name; of the arms of a cfg the first that is one.
    pub(super) fn of_defs(&self, defs: &[Def], args: Vec<Ty>) -> Ty {
        self.read(|reading| reading.of_defs(defs, args))
    }

    /// `T::Name`, where an `impl` of `T` says what it is.
    pub(super) fn associated(&self, base: &Ty, name: Name) -> Ty {
        self.read(|reading| reading.associated(base, name))
    }

    /// What one bound names.
    pub(super) fn bound(&self, bound: &PathIr) -> Bound {
        let left = Cell::new(MAX_STEPS);
        match (Reading { site: *self, depth: 0, left: &left }).bound(bound) {
            Bound::External(path, args) => Bound::External(path, args.into_iter().map(ty::bounded).collect()),
            other => other,
        }
    }

    fn read(&self, read: impl FnOnce(Reading<'_>) -> Ty) -> Ty {
        let left = Cell::new(MAX_STEPS);
        let ty = read(Reading { site: *self, depth: 0, left: &left });
        if left.get() == 0 { Ty::Unknown } else { ty::bounded(ty) }
    }
}

impl Reading<'_> {
    fn ty(&self, written: &TypeIr) -> Ty {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left == 0 {
            return Ty::Unknown;
        }
        match written {
            TypeIr::Path(path) => self.path(path),
            TypeIr::Tuple(items) => Ty::Tuple(self.all(items)),
            TypeIr::Slice(of) => Ty::Sequence(Box::new(self.ty(of))),
            TypeIr::Fn(params, ret) => {
                let mut args = self.all(params);
                args.push(self.ty(ret));
                Ty::External(known().fn_, args)
            }
            TypeIr::Impl(bounds) | TypeIr::Dyn(bounds) => self.bounds(bounds),
            TypeIr::Infer | TypeIr::Never | TypeIr::Opaque => Ty::Unknown,
        }
    }

    /// Where an alias or associated type is declared.
    fn further<'b>(&'b self, scope: ModuleId, generics: &'b [(Name, Ty)], self_ty: &'b Ty) -> Reading<'b> {
        let site = Site { scopes: self.site.scopes, scope, generics, self_ty };
        Reading { site, depth: self.depth + 1, left: self.left }
    }

    fn all(&self, written: &[TypeIr]) -> Vec<Ty> {
        written.iter().map(|ty| self.ty(ty)).collect()
    }

    fn bounds(&self, bounds: &[PathIr]) -> Ty {
        let known = known();
        let mut traits: Vec<TraitId> = Vec::new();
        let mut shaped: Option<Ty> = None;
        let mut names: Vec<Name> = Vec::new();
        for bound in bounds {
            match self.bound(bound) {
                Bound::Workspace(id) => traits.push(id),
                Bound::External(path, args) => {
                    if path == known.future {
                        shaped = shaped.or(Some(Ty::Future(Box::new(args.last().cloned().unwrap_or_default()))));
                    } else if path == known.stream && bound.segments.last().is_some_and(|last| last.args.len() == 1)
                        || path == known.iterator
                        || path == known.fn_
                        || !args.is_empty()
                    {
                        shaped = shaped.or(Some(Ty::External(path, args)));
                    } else {
                        names.push(path);
                    }
                }
                Bound::Nothing => {}
            }
        }
        if !traits.is_empty() {
            traits.sort();
            traits.dedup();
            return Ty::Traits(traits);
        }
        match shaped {
            Some(ty) => ty,
            None if names.is_empty() => Ty::Unknown,
            None => {
                names.sort();
                names.dedup();
                Ty::ExternalTraits(names)
            }
        }
    }

    fn bound(&self, bound: &PathIr) -> Bound {
        let names: Vec<Name> = bound.segments.iter().map(|segment| segment.name).collect();
        let found = self.site.scopes.resolve(self.site.scope, bound.absolute, &names, Ns::Type, false);
        let args = || bound.segments.last().map(|last| self.all(&last.args)).unwrap_or_default();
        for def in found.defs.iter() {
            match *def {
                Def::Trait(id) if found.used >= names.len() => return Bound::Workspace(id),
                Def::External(path) | Def::Missing(path) | Def::Made(path, _) => {
                    return Bound::External(usual(path), args());
                }
                _ => {}
            }
        }
        Bound::Nothing
    }

    fn path(&self, path: &PathIr) -> Ty {
        if let Some(written) = &path.qself {
            let base = self.ty(written);
            return match path.segments.get(path.trait_segments as usize) {
                Some(segment) => self.associated(&base, segment.name),
                None => base,
            };
        }
        let Some(first) = path.segments.first() else {
            return Ty::Unknown;
        };
        let head = if path.absolute {
            None
        } else if first.name == known().self_type {
            Some(self.site.self_ty.clone())
        } else if self.site.generics.iter().any(|generic| generic.0 == first.name) {
            Some(Ty::Param(first.name))
        } else {
            None
        };
        if let Some(head) = head {
            return match path.segments.get(1) {
                None => head,
                Some(segment) => self.associated(&head, segment.name),
            };
        }
        let names: Vec<Name> = path.segments.iter().map(|segment| segment.name).collect();
        let found = self.site.scopes.resolve(self.site.scope, path.absolute, &names, Ns::Type, false);
        let used = found.used.min(names.len());
        let args = match path.segments.get(used.wrapping_sub(1)) {
            Some(segment) => self.all(&segment.args),
            None => Vec::new(),
        };
        let base = self.of_defs(&found.defs, args);
        match names.get(used) {
            None => base,
            Some(&name) => self.associated(&base, name),
        }
    }

    fn of_defs(&self, defs: &[Def], args: Vec<Ty>) -> Ty {
        for &def in defs {
            match def {
                Def::Type(id) | Def::Variant(id, _) => return Ty::Adt(id, self.with_defaults(id, args)),
                Def::Trait(id) => return Ty::Traits(vec![id]),
                Def::Primitive(name) => return Ty::Primitive(name),
                Def::External(path) | Def::Missing(path) => return external(path, args),
                Def::Made(_, by) => return Ty::SomeOf(by),
                Def::Alias(id) => {
                    if self.depth >= MAX_EXPANSIONS {
                        return Ty::Unknown;
                    }
                    let alias = &self.site.scopes.world.aliases[id.0 as usize];
                    let generics = open_generics(&alias.ir.generics);
                    let ty = self.further(alias.module, &generics, &Ty::Unknown).ty(&alias.ir.ty);
                    let bindings: Bindings = generics
                        .iter()
                        .enumerate()
                        .map(|(number, generic)| (generic.0, args.get(number).cloned().unwrap_or_default()))
                        .collect();
                    return ty::substitute(&ty, &bindings);
                }
                Def::Module(_) | Def::Function(_) | Def::Const(_) | Def::Macro(_) => {}
            }
        }
        Ty::Unknown
    }

    /// The arguments of a type, and for those that are left out what its declaration says.
    fn with_defaults(&self, id: TypeId, mut args: Vec<Ty>) -> Vec<Ty> {
        let info = &self.site.scopes.world.program.types[id.0 as usize];
        let left_out = info.ir.generics.iter().skip(args.len());
        for default in left_out.map_while(|generic| generic.default.as_deref()) {
            if self.depth >= MAX_EXPANSIONS {
                break;
            }
            args.push(self.further(info.module, &[], &Ty::Unknown).ty(default));
        }
        args
    }

    fn associated(&self, base: &Ty, name: Name) -> Ty {
        let world = self.site.scopes.world;
        if self.depth >= MAX_EXPANSIONS {
            return Ty::Unknown;
        }
        let Some(key) = ty::key(base) else {
            return Ty::Unknown;
        };
        let Some(impls) = world.methods.impls.get(&key) else {
            return Ty::Unknown;
        };
        for &number in impls {
            let side = &world.impls[number];
            let Some(alias) = side.ir.types.iter().find(|alias| alias.name == name) else {
                continue;
            };
            let generics = open_generics(&side.ir.generics);
            let ty = self.further(side.module, &generics, &side.self_ty).ty(&alias.ty);
            let mut bindings = Bindings::new();
            ty::unify(&side.self_ty, base, &[], &mut bindings, &|_| None, 0);
            return ty::substitute(&ty, &bindings);
        }
        Ty::Unknown
    }
}

/// Parameters without their bounds: enough to tell that a name is one.
pub(super) fn open_generics(generics: &[Generic]) -> Vec<(Name, Ty)> {
    generics.iter().map(|generic| (generic.name, Ty::Unknown)).collect()
}

/// The usual path of a thing that has several.
pub(super) fn usual(path: Name) -> Name {
    signatures().same.get(&path).copied().unwrap_or(path)
}

/// A type of another crate; what is only a wrapper is looked through.
pub(super) fn external(path: Name, mut args: Vec<Ty>) -> Ty {
    let table = signatures();
    let path = usual(path);
    if table.transparent.contains(&path) {
        return args.into_iter().next_back().unwrap_or_default();
    }
    if table.sequences.contains(&path) {
        return Ty::Sequence(Box::new(args.into_iter().next().unwrap_or_default()));
    }
    if table.futures.contains(&path) || path == known().future {
        return Ty::Future(Box::new(args.into_iter().next().unwrap_or_default()));
    }
    if path != known().result {
        // by convention a crate's `Result` is the standard one with the crate's error; so is a `RedisResult<T>`, while a
        // `PgQueryResult` is what came of a query
        let alias = |base: &str| base.ends_with("::") || base.contains("::") && !args.is_empty();
        if let Some(base) = path.as_str().strip_suffix("Result").filter(|base| alias(base)) {
            let root = base.split("::").next().unwrap_or(base);
            let ok = if args.is_empty() { ty::unit() } else { args.remove(0) };
            let err = args.into_iter().next().unwrap_or_else(|| Ty::SomeOf(Name::new(root)));
            return ty::result(ok, err);
        }
    }
    Ty::External(path, args)
}

/// A signature with every open parameter replaced by its bound.
pub(super) fn closed(sig: &Sig) -> (Ty, Vec<Ty>, Ty) {
    (
        ty::erase(&sig.self_ty, &sig.generics),
        sig.params.iter().map(|param| ty::erase(param, &sig.generics)).collect(),
        ty::erase(&sig.ret, &sig.generics),
    )
}
