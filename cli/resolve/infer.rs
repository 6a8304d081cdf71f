//! What the expressions of each body are: one pass from the root, types flowing up and expectations down.
//!
//! In: a complete [`World`]. Out: [`BodyTypes`] for every function and constant. Each body stands alone, so they are
//! done in parallel.

mod assoc;
mod call;
mod delegated;
mod expr;
mod method;
mod pattern;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::defs::{FnSide, MAX_MEANINGS, Sig, World};
use super::known::known;
use super::scope::Scopes;
use super::written::Site;
use super::{BodyTypes, Callable, Callee, FnId, ModuleId, StructDef, Ty, ValueDef, ty};
use crate::ir::{Body, ExprId, Interned, Interner, Name, PatId, TypeIr};
use crate::parallel;

/// Nesting at which inference stops; lowering gates bodies far below.
const MAX_DEPTH: u32 = 2_000;

/// Parts of types that one body may keep: so many, and so many more for each expression. Real bodies have two or three
/// an expression.
const ROOM: usize = 1 << 14;
const ROOM_EACH: usize = 8;

/// Types and callees of all bodies: functions first, then constants.
pub(super) fn bodies(world: &World, threads: usize) -> (Vec<BodyTypes>, Vec<BodyTypes>) {
    let functions = world.program.functions.len();
    let mut all = parallel::map(
        functions + world.program.consts.len(),
        threads,
        || Scopes::of(world),
        |scopes, number| {
            if number < functions {
                function(world, scopes, FnId(number as u32))
            } else {
                constant(world, scopes, number - functions)
            }
        },
    );
    let constants = all.split_off(functions);
    (all, constants)
}

fn function(world: &World, scopes: &Scopes<'_>, id: FnId) -> BodyTypes {
    let info = world.program.function(id);
    let Some(body) = info.ir.body.as_deref() else {
        return BodyTypes::default();
    };
    let FnSide { scope, .. } = world.fn_side[id.0 as usize];
    let generics: &[(Name, Ty)] = match &world.sigs[id.0 as usize] {
        Some(sig) => &sig.generics,
        None => &[],
    };
    let mut infer = Infer::new(world, scopes, body, scope, generics, &info.self_ty, &info.ret);
    infer.own = Some(id);
    for (param, ty) in info.ir.params.iter().zip(&info.params) {
        if let Some(pat) = param.pat {
            infer.bind(pat, ty);
        }
    }
    infer.run()
}

fn constant(world: &World, scopes: &Scopes<'_>, number: usize) -> BodyTypes {
    let info = &world.program.consts[number];
    let Some(body) = info.ir.body.as_deref() else {
        return BodyTypes::default();
    };
    let self_ty = match world.const_side[number].impl_ {
        Some(block) => ty::erase(&world.impls[block].self_ty, &[]),
        None => Ty::Unknown,
    };
    Infer::new(world, scopes, body, info.module, &[], &self_ty, &info.ty).run()
}

/// Inference of one body.
struct Infer<'a> {
    world: &'a World,
    scopes: &'a Scopes<'a>,
    body: &'a Body,
    scope: ModuleId,
    /// open parameters that written types may name
    generics: &'a [(Name, Ty)],
    self_ty: &'a Ty,
    /// the function whose body it is
    own: Option<FnId>,
    /// what `return` gives
    ret: Ty,
    exprs: Vec<Ty>,
    locals: Vec<Ty>,
    callees: Vec<(ExprId, Callee)>,
    paths: Vec<(ExprId, ValueDef)>,
    structs: Vec<(ExprId, StructDef)>,
    patterns: Vec<(PatId, StructDef)>,
    /// what each closure returns
    returns: FxHashMap<ExprId, Ty>,
    /// label and value of the loops around
    loops: Vec<(Option<Name>, Ty)>,
    depth: u32,
    /// parts of types that may still be kept
    room: usize,
}

impl<'a> Infer<'a> {
    fn new(
        world: &'a World,
        scopes: &'a Scopes<'a>,
        body: &'a Body,
        scope: ModuleId,
        generics: &'a [(Name, Ty)],
        self_ty: &'a Ty,
        ret: &Ty,
    ) -> Self {
        Self {
            world,
            scopes,
            body,
            scope,
            generics,
            self_ty,
            own: None,
            ret: ret.clone(),
            exprs: vec![Ty::Unknown; body.exprs.len()],
            locals: vec![Ty::Unknown; body.locals.len()],
            callees: Vec::new(),
            paths: Vec::new(),
            structs: Vec::new(),
            patterns: Vec::new(),
            returns: FxHashMap::default(),
            loops: Vec::new(),
            depth: 0,
            room: ROOM + ROOM_EACH * body.exprs.len(),
        }
    }

    fn run(mut self) -> BodyTypes {
        if !self.body.exprs.is_empty() {
            let expected = self.ret.clone();
            self.expr(self.body.root, &expected);
        }
        BodyTypes {
            exprs: self.exprs.into_iter().map(interned).collect(),
            locals: self.locals.into_iter().map(interned).collect(),
            callees: sorted(self.callees),
            paths: sorted(self.paths),
            structs: sorted(self.structs),
            patterns: sorted(self.patterns),
        }
    }

    /// A type written in this body, open parameters replaced by their bounds.
    fn written(&self, written: &TypeIr) -> Ty {
        let site = self.site();
        let ty = site.ty(written);
        if self.generics.is_empty() { ty } else { ty::erase(&ty, self.generics) }
    }

    fn site(&self) -> Site<'a> {
        Site { scopes: self.scopes, scope: self.scope, generics: self.generics, self_ty: self.self_ty }
    }

    /// Notes what a call means.
    fn called(&mut self, id: ExprId, mut callee: Callee) {
        if let Callee::Functions(functions) = &mut callee {
            functions.truncate(MAX_MEANINGS);
        }
        self.callees.push((id, callee));
    }

    /// What calling something yields.
    fn returned(&self, callable: &Callable) -> Option<Ty> {
        match callable {
            Callable::Closure(id) => self.returns.get(id).cloned(),
            Callable::Functions(functions) => {
                let &first = functions.first()?;
                Some(self.declared_return(first))
            }
        }
    }

    /// The closed return type of a function, as its call yields it.
    fn declared_return(&self, id: FnId) -> Ty {
        let info = self.world.program.function(id);
        if info.ir.is_async { Ty::Future(Box::new(info.ret.clone())) } else { info.ret.clone() }
    }

    fn unify(&self, template: &Ty, actual: &Ty, generics: &[(Name, Ty)], bindings: &mut ty::Bindings) {
        let returns = |callable: &Callable| self.returned(callable);
        ty::unify(template, actual, generics, bindings, &returns, 0);
    }

    /// What one step of a loop over this type yields.
    fn item(&self, of: &Ty) -> Ty {
        let known = known();
        match of {
            Ty::Sequence(item) => (**item).clone(),
            Ty::External(path, args) if *path == known.iterator || *path == known.into_iterator => {
                args.last().cloned().unwrap_or_default()
            }
            Ty::Adt(..) => {
                let item = self.site().associated(of, known.item);
                if item == Ty::Unknown {
                    self.world.program.dereferenced(of).map_or(Ty::Unknown, |target| match target {
                        Ty::Adt(..) => Ty::Unknown,
                        other => self.item(&other),
                    })
                } else {
                    ty::erase(&item, &[])
                }
            }
            Ty::SomeOf(_) => of.clone(),
            other => match super::signatures::signatures().method(other, known.into_iter) {
                Some(sig) => {
                    let iterator = self.applied(sig, other);
                    match iterator {
                        Ty::External(_, args) => args.last().cloned().unwrap_or_default(),
                        _ => Ty::Unknown,
                    }
                }
                None => Ty::Unknown,
            },
        }
    }

    /// The return type of a signature for a receiver alone.
    fn applied(&self, sig: &Sig, receiver: &Ty) -> Ty {
        let mut bindings = ty::Bindings::new();
        self.unify(&sig.self_ty, receiver, &sig.generics, &mut bindings);
        ty::erase(&ty::substitute(&sig.ret, &bindings), &[])
    }
}

/// The one copy of a type: expressions by the hundred thousand share a few thousand of them.
fn interned(ty: Ty) -> Interned<Ty> {
    static TYPES: LazyLock<Interner<Ty>> = LazyLock::new(Interner::default);
    static UNKNOWN: LazyLock<Interned<Ty>> =
        LazyLock::new(|| TYPES.get(&Ty::Unknown, || Box::leak(Box::new(Ty::Unknown))));
    if ty == Ty::Unknown {
        return *UNKNOWN;
    }
    TYPES.get(&ty, || Box::leak(Box::new(ty.clone())))
}

/// Sorted by key; of two entries the later one.
fn sorted<K: Ord + Copy, V>(mut entries: Vec<(K, V)>) -> Vec<(K, V)> {
    entries.reverse();
    entries.sort_by_key(|entry| entry.0);
    entries.dedup_by_key(|entry| entry.0);
    entries
}
