//! Calls of paths, locals and whatever else can be called.

use super::Infer;
use super::assoc::{SigRef, Value};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::known::known;
use crate::resolve::signatures::signatures;
use crate::resolve::{Callee, FnId, Ty, TypeId, ty};
use crate::source::TextRange;

/// Functions of one name among which the nearest to a call is looked for; more stand in no code that people write.
const MAX_HELPERS: usize = 16;

impl Infer<'_> {
    /// `f(a, b)`
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], expected: &Ty) -> Ty {
        let body = self.body;
        let kind = body.exprs.get(callee.0 as usize).map(|expr| &expr.kind);
        match kind {
            Some(ExprKind::Path(path)) => {
                let value = self.value(path, expected);
                self.note_path(callee, &value);
                let fn_ty = self.value_ty(&value, expected);
                if let Some(slot) = self.exprs.get_mut(callee.0 as usize) {
                    *slot = fn_ty;
                }
                let last = path.segments.last();
                let turbofish = last.map_or(&[][..], |segment| &segment.args);
                let turbofish = self.turbofish(turbofish);
                self.call_value(id, value, &turbofish, args, expected)
            }
            Some(ExprKind::Local(local)) => {
                let of = self.free(callee);
                self.called(id, Callee::Local(*local));
                self.call_ty(&of, args, expected)
            }
            _ => {
                let of = self.free(callee);
                self.called(id, Callee::Unknown);
                self.call_ty(&of, args, expected)
            }
        }
    }

    /// A call of something of which only the type is known.
    fn call_ty(&mut self, of: &Ty, args: &[ExprId], expected: &Ty) -> Ty {
        match of {
            Ty::Callable(callable) => match callable {
                crate::resolve::Callable::Functions(functions) => {
                    let functions = functions.clone();
                    self.arguments_of(&functions, &Ty::Unknown, &[], args, expected).1
                }
                closure => {
                    let found = self.returned(closure);
                    self.all_free(args);
                    found.unwrap_or_default()
                }
            },
            Ty::External(path, types) if *path == known().fn_ => {
                for (number, &arg) in args.iter().enumerate() {
                    let wanted = match types.get(number) {
                        Some(wanted) if number + 1 < types.len() => wanted.clone(),
                        _ => Ty::Unknown,
                    };
                    self.expr(arg, &wanted);
                }
                types.last().cloned().unwrap_or_default()
            }
            _ => {
                self.all_free(args);
                Ty::Unknown
            }
        }
    }

    pub(super) fn all_free(&mut self, args: &[ExprId]) {
        for &arg in args {
            self.free(arg);
        }
    }

    fn call_value(&mut self, id: ExprId, value: Value, turbofish: &[Ty], args: &[ExprId], expected: &Ty) -> Ty {
        match value {
            Value::Functions(functions, base) => {
                let functions = self.nearest(id, functions);
                let (chosen, ty) = self.arguments_of(&functions, &base, turbofish, args, expected);
                self.called(id, Callee::Functions(chosen));
                ty
            }
            Value::Perhaps(functions, base, path) => {
                let types: Vec<Ty> = args.iter().map(|&arg| self.free(arg)).collect();
                let decided = types.iter().all(|ty| *ty != Ty::Unknown);
                let fitting = if decided { self.fitting(&functions, &types) } else { Vec::new() };
                if fitting.is_empty() {
                    self.called(id, Callee::External(path));
                    return self.external_result(path, &base, turbofish, &types, expected);
                }
                let ty = self.declared_return(fitting[0]);
                self.called(id, Callee::Functions(fitting));
                ty
            }
            Value::OfTrait(of, name) => {
                let first = match args.split_first() {
                    Some((&first, _)) => self.free(first),
                    None => expected.clone(),
                };
                let rest = args.get(1..).unwrap_or_default();
                let own = ty::key(&first).and_then(|key| {
                    let functions = self.world.methods.of_traits.get(&(key, name))?;
                    let functions: Vec<FnId> = functions
                        .iter()
                        .copied()
                        .filter(|&function| self.world.program.function(function).trait_ == Some(of))
                        .collect();
                    (!functions.is_empty()).then_some(functions)
                });
                let functions = own.unwrap_or_else(|| self.of_traits(&[of], name));
                if functions.is_empty() {
                    self.all_free(rest);
                    let path = self.world.program.traits[of.0 as usize].path;
                    let path = self.scopes.join(path, name);
                    self.called(id, Callee::Unresolved(path));
                    return Ty::Unknown;
                }
                let has_self = self.world.program.function(functions[0]).ir.has_self;
                let ty = if has_self {
                    self.method_arguments(&functions, &first, turbofish, rest, expected).1
                } else {
                    self.all_free(rest);
                    self.declared_return(functions[0])
                };
                self.called(id, Callee::Functions(functions));
                ty
            }
            Value::Constructor(owner, variant, made) => {
                let ty = self.construct(owner, variant, &made, args, expected);
                self.called(id, Callee::Constructor(owner, variant));
                ty
            }
            Value::External(path, base) => self.call_external(id, path, &base, turbofish, args, expected),
            Value::Consts(constants) => {
                let of = constants.first().map(|id| self.world.program.consts[id.0 as usize].ty.clone());
                self.called(id, Callee::Unknown);
                self.call_ty(&of.unwrap_or_default(), args, expected)
            }
            Value::Unresolved(path) => {
                self.all_free(args);
                self.called(id, Callee::Unresolved(path));
                self.convention(path, &Ty::Unknown)
            }
            Value::Made(path, by) => {
                self.all_free(args);
                self.called(id, Callee::Unresolved(path));
                Ty::SomeOf(by)
            }
            Value::Nothing => {
                self.all_free(args);
                let callee = match self.body.exprs.get(id.0 as usize).map(|expr| &expr.kind) {
                    Some(ExprKind::Call { callee, .. }) => self.as_written(*callee),
                    _ => None,
                };
                let callee = callee.map_or(Callee::Unknown, Callee::Unresolved);
                self.called(id, callee);
                Ty::Unknown
            }
        }
    }

    fn as_written(&self, callee: ExprId) -> Option<Name> {
        match self.body.exprs.get(callee.0 as usize).map(|expr| &expr.kind) {
            Some(ExprKind::Path(path)) if path.qself.is_none() => {
                let parts: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
                Some(Name::new(&parts.join("::")))
            }
            _ => None,
        }
    }

    fn call_external(
        &mut self,
        id: ExprId,
        path: Name,
        base: &Ty,
        turbofish: &[Ty],
        args: &[ExprId],
        expected: &Ty,
    ) -> Ty {
        let known = known();
        // `Default::default()` and `T::default()` of a type that has one in the workspace
        if path == known.default_default {
            let of = match base {
                Ty::Adt(..) => base.clone(),
                _ => expected.clone(),
            };
            self.all_free(args);
            let own = match ty::key(&of) {
                Some(key) => self.world.methods.of_traits.get(&(key, known.default)),
                None => None,
            };
            let callee = match own {
                Some(functions) if matches!(of, Ty::Adt(..)) => Callee::Functions(functions.clone()),
                _ => Callee::External(path),
            };
            self.called(id, callee);
            return of;
        }
        let conversion = if path == known.from_from || path == known.into_into {
            Some(known.from)
        } else if path == known.try_from_try_from || path == known.try_into_try_into {
            Some(known.try_from)
        } else {
            None
        };
        if let (Some(by), [source]) = (conversion, args) {
            let source = self.free(*source);
            let (callee, ty) = self.convert(by, &source, expected);
            self.called(id, callee.unwrap_or(Callee::External(path)));
            return ty;
        }
        match signatures().function(path) {
            Some(sig) => {
                let ty = self.arguments(ty::Bindings::new(), sig.into(), None, turbofish, args, expected);
                self.called(id, Callee::External(path));
                ty
            }
            None => {
                // arms may be constructors of `Some` and friends, whose arguments have no expectation of their own
                let types: Vec<Ty> = args.iter().map(|&arg| self.free(arg)).collect();
                self.called(id, Callee::External(path));
                self.external_result(path, base, turbofish, &types, expected)
            }
        }
    }

    fn external_result(&self, path: Name, base: &Ty, turbofish: &[Ty], types: &[Ty], expected: &Ty) -> Ty {
        if let Some(sig) = signatures().function(path) {
            let mut bindings = ty::Bindings::new();
            for (generic, given) in sig.generics.iter().zip(turbofish) {
                bindings.push((generic.0, given.clone()));
            }
            for (template, found) in sig.params.iter().zip(types) {
                self.unify(template, found, &sig.generics, &mut bindings);
            }
            self.unify(&sig.ret, expected, &sig.generics, &mut bindings);
            return ty::erase(&ty::substitute(&sig.ret, &bindings), &[]);
        }
        self.convention(path, base)
    }

    /// By convention `new` and `default` make a value of the type they belong to, and what reads one from bytes or rows makes
    /// one or an error; what else a foreign function makes is some type of its crate.
    fn convention(&self, path: Name, base: &Ty) -> Ty {
        let text = path.as_str();
        let Some((front, last)) = text.rsplit_once("::") else {
            return Ty::Unknown;
        };
        let reads_own = signatures().reads.contains(last);
        let makes_own = reads_own || last == "new" || last == "default";
        let is_type =
            front.rsplit("::").next().is_some_and(|name| name.starts_with(|first: char| first.is_uppercase()));
        if makes_own && is_type {
            let own = match base {
                Ty::Unknown => {
                    let front = Name::new(front);
                    match self.world.program.type_paths.get(&front) {
                        Some(&id) => Ty::Adt(id, Vec::new()),
                        None => crate::resolve::written::external(front, Vec::new()),
                    }
                }
                known => known.clone(),
            };
            return if reads_own { ty::result(own, Ty::Unknown) } else { own };
        }
        match self.some_of(path) {
            Ty::SomeOf(root) if root == known().std || !self.foreign(root) => Ty::Unknown,
            other => other,
        }
    }

    /// Whether a first segment is another crate, not one of the workspace or a mere type name.
    pub(super) fn foreign(&self, root: Name) -> bool {
        let lower = root.as_str().starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        lower
            && !self.world.libraries.contains_key(&root)
            && !crate::resolve::prelude::is_primitive(root)
            && !self.world.crates.iter().any(|krate| krate.name == root)
    }

    /// Infers the arguments of a call to one of several functions; those that fit, and what the call yields.
    pub(super) fn arguments_of(
        &mut self,
        functions: &[FnId],
        base: &Ty,
        turbofish: &[Ty],
        args: &[ExprId],
        expected: &Ty,
    ) -> (Vec<FnId>, Ty) {
        match functions {
            [only] => {
                let ty = self.arguments_of_one(*only, Some(base), turbofish, args, expected);
                (vec![*only], ty)
            }
            _ => {
                let types: Vec<Ty> = args.iter().map(|&arg| self.free(arg)).collect();
                let fitting = self.fitting(functions, &types);
                let chosen = if fitting.is_empty() { functions.to_vec() } else { fitting };
                let ty = self.common_return(&chosen, base, &types);
                (chosen, ty)
            }
        }
    }

    fn arguments_of_one(
        &mut self,
        id: FnId,
        base: Option<&Ty>,
        turbofish: &[Ty],
        args: &[ExprId],
        expected: &Ty,
    ) -> Ty {
        let world = self.world;
        let asynchronous = world.program.function(id).ir.is_async;
        let sig = sig_of(world, id);
        let wanted = match (asynchronous, expected) {
            (true, Ty::Future(of)) => of,
            (true, _) => &Ty::Unknown,
            (false, other) => other,
        };
        let ty = self.arguments(ty::Bindings::new(), sig, base, turbofish, args, wanted);
        if asynchronous { Ty::Future(Box::new(ty)) } else { ty }
    }

    /// Infers arguments against a signature, some of whose parameters may be known from elsewhere, and returns what it yields
    /// for them.
    pub(super) fn arguments(
        &mut self,
        mut bindings: ty::Bindings,
        sig: SigRef<'_>,
        base: Option<&Ty>,
        turbofish: &[Ty],
        args: &[ExprId],
        expected: &Ty,
    ) -> Ty {
        if let Some(base) = base {
            self.unify(sig.self_ty, base, sig.generics, &mut bindings);
        }
        let own = sig.generics.get(sig.outer..).unwrap_or_default();
        for (generic, given) in own.iter().zip(turbofish) {
            if *given != Ty::Unknown {
                bindings.push((generic.0, given.clone()));
            }
        }
        // what the arguments say stands; the expectation only fills what they leave open
        let mut hoped = ty::Bindings::new();
        if ty::is_open(sig.ret) {
            self.unify(sig.ret, expected, &[], &mut hoped);
        }
        for (number, &arg) in args.iter().enumerate() {
            match sig.params.get(number) {
                Some(template) => {
                    let wanted = wanted(template, sig.generics, &bindings, &hoped);
                    let found = self.expr(arg, &wanted);
                    self.unify(template, &found, sig.generics, &mut bindings);
                }
                None => {
                    self.free(arg);
                }
            }
        }
        if ty::is_open(sig.ret) {
            fill(&mut bindings, &hoped);
            return ty::erase(&ty::substitute(sig.ret, &bindings), sig.generics);
        }
        sig.ret.clone()
    }

    /// Of several functions of one name, those of the innermost block around a call, where they stand in blocks of this body.
    fn nearest(&self, call: ExprId, functions: Vec<FnId>) -> Vec<FnId> {
        if !(2..=MAX_HELPERS).contains(&functions.len()) {
            return functions;
        }
        let own = self.body.expr(self.body.root).range;
        let place = self.body.expr(call).range;
        let blocks = || {
            let exprs = self.body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Block(_)));
            exprs.map(|expr| expr.range)
        };
        let length = |range: &TextRange| range.end.saturating_sub(range.start);
        let stands_in = |id: &FnId| {
            let info = self.world.program.function(*id);
            let name = info.ir.name_range;
            if info.module != self.scope || !own.covers(name) {
                return None;
            }
            let block = blocks().filter(|block| block.covers(name)).min_by_key(length)?;
            block.covers(place).then_some(block)
        };
        let around: Vec<Option<TextRange>> = functions.iter().map(stands_in).collect();
        match around.iter().flatten().min_by_key(|range| length(range)) {
            Some(nearest) => {
                let here = functions.into_iter().zip(&around).filter(|(_, block)| block.as_ref() == Some(nearest));
                here.map(|(id, _)| id).collect()
            }
            None => functions,
        }
    }

    /// Functions whose parameters can take arguments of these types.
    pub(super) fn fitting(&self, functions: &[FnId], types: &[Ty]) -> Vec<FnId> {
        let fits = |id: &FnId| {
            let info = self.world.program.function(*id);
            info.params.len() == types.len()
                && info.params.iter().zip(types).all(|(param, ty)| ty::compatible(param, ty))
        };
        functions.iter().copied().filter(fits).collect()
    }

    /// What a call of several functions yields, as far as they agree.
    pub(super) fn common_return(&self, functions: &[FnId], base: &Ty, types: &[Ty]) -> Ty {
        let mut common: Option<Ty> = None;
        for &id in functions {
            let sig = sig_of(self.world, id);
            let mut bindings = self.of_trait(id, base);
            self.unify(sig.self_ty, base, sig.generics, &mut bindings);
            for (template, found) in sig.params.iter().zip(types) {
                self.unify(template, found, sig.generics, &mut bindings);
            }
            let mut ret = ty::erase(&ty::substitute(sig.ret, &bindings), sig.generics);
            if self.world.program.function(id).ir.is_async {
                ret = Ty::Future(Box::new(ret));
            }
            common = Some(match common {
                None => ret,
                Some(so_far) if ty::compatible(&so_far, &ret) => ty::join(&so_far, &ret),
                Some(_) => return Ty::Unknown,
            });
        }
        common.unwrap_or_default()
    }

    /// `P(a, b)`: a tuple struct or variant.
    fn construct(&mut self, owner: TypeId, variant: u32, made: &Ty, args: &[ExprId], expected: &Ty) -> Ty {
        let world = self.world;
        let info = world.program.type_(owner);
        let like = match expected {
            Ty::Adt(id, _) if *id == owner => ty::join(made, expected),
            _ => made.clone(),
        };
        let fields = info.fields.get(variant as usize);
        let mut bindings = ty::Bindings::new();
        for (number, &arg) in args.iter().enumerate() {
            let template = fields.and_then(|fields| fields.get(number));
            let wanted = template.map_or(Ty::Unknown, |field| self.instantiated(owner, field, &like));
            let found = self.expr(arg, &wanted);
            if let Some(template) = template {
                self.unify(template, &found, &[], &mut bindings);
            }
        }
        if info.ir.generics.is_empty() {
            return Ty::Adt(owner, Vec::new());
        }
        let found = info
            .ir
            .generics
            .iter()
            .map(|generic| ty::erase(&ty::substitute(&Ty::Param(generic.name), &bindings), &[]))
            .collect();
        ty::join(&like, &Ty::Adt(owner, found))
    }

    /// A conversion to the expected type: the workspace's own where there is one, else what the standard library does.
    pub(super) fn convert(&self, by: Name, source: &Ty, expected: &Ty) -> (Option<Callee>, Ty) {
        let known = known();
        let fallible = by == known.try_from;
        let target = match expected {
            Ty::External(path, args) if fallible && *path == known.result => args.first().cloned().unwrap_or_default(),
            _ if fallible => Ty::Unknown,
            other => other.clone(),
        };
        let methods = &self.world.methods;
        let mut functions: Vec<FnId> = Vec::new();
        if let Some(key) = ty::key(&target) {
            if let Some(all) = methods.of_traits.get(&(key, by)) {
                functions = self.fitting(all, std::slice::from_ref(source));
                if *source == Ty::Unknown && !matches!(target, Ty::Adt(..)) {
                    functions.clear();
                }
            }
        }
        if functions.is_empty() {
            let into = if fallible { known.try_into } else { known.into };
            if let Some(key) = ty::key(source) {
                if let Some(all) = methods.of_traits.get(&(key, into)) {
                    let fits = |id: &FnId| ty::compatible(&self.world.program.function(*id).ret, expected);
                    functions = all.iter().copied().filter(fits).collect();
                }
            }
        }
        let ty = if fallible { ty::result(target, Ty::Unknown) } else { target };
        match functions.first() {
            Some(&first) => {
                let declared = self.declared_return(first);
                let ty = if functions.len() == 1 { ty::join(&ty, &declared) } else { ty };
                (Some(Callee::Functions(functions)), ty)
            }
            None => (None, ty),
        }
    }
}

/// What a parameter expects, as far as earlier arguments, bounds and the hoped-for result tell.
fn wanted(template: &Ty, generics: &[(Name, Ty)], bindings: &ty::Bindings, hoped: &ty::Bindings) -> Ty {
    if !ty::is_open(template) {
        return template.clone();
    }
    let mut bindings = bindings.clone();
    fill(&mut bindings, hoped);
    if let Ty::Param(name) = template {
        if !bindings.iter().any(|binding| binding.0 == *name) {
            if let Some((_, bound)) = generics.iter().find(|generic| generic.0 == *name) {
                return ty::erase(&ty::substitute(bound, &bindings), generics);
            }
        }
    }
    ty::erase(&ty::substitute(template, &bindings), generics)
}

/// Adds what is not bound yet.
fn fill(bindings: &mut ty::Bindings, more: &ty::Bindings) {
    for (name, ty) in more {
        if !bindings.iter().any(|binding| binding.0 == *name) {
            bindings.push((*name, ty.clone()));
        }
    }
}

/// The open signature of a function, borrowed from the world alone.
pub(super) fn sig_of(world: &crate::resolve::defs::World, id: FnId) -> SigRef<'_> {
    let info = world.program.function(id);
    match world.sigs.get(id.0 as usize) {
        Some(Some(sig)) => (&**sig).into(),
        _ => SigRef { generics: &[], outer: 0, self_ty: &info.self_ty, params: &info.params, ret: &info.ret },
    }
}
