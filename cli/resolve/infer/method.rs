//! Method calls: which function a method is, from the type of its receiver.

use super::Infer;
use super::assoc::receiver_name;
use super::call::sig_of;
use crate::ir::{ExprId, ExprKind, MethodCall, Name};
use crate::resolve::defs::{Sig, TypeKey};
use crate::resolve::known::known;
use crate::resolve::signatures::signatures;
use crate::resolve::{Callee, FnId, TraitId, Ty, ty};

/// How many wrappers a receiver is looked through.
const MAX_DEREFS: u32 = 8;

/// What a method is.
enum Method {
    Functions(Vec<FnId>, Ty),
    Signature(&'static Sig, Ty),
    Foreign(Name, Ty),
    Unknown,
}

impl Infer<'_> {
    /// `x.f(a, b)`
    pub(super) fn method_call(&mut self, id: ExprId, call: &MethodCall, expected: &Ty) -> Ty {
        let known = known();
        let hint = self.receiver_hint(call, expected);
        let receiver = self.expr(call.receiver, &hint);
        let turbofish = self.turbofish(&call.turbofish);
        if call.args.is_empty() {
            if let Some((callee, ty)) = self.conversion(call, &receiver, &turbofish, expected) {
                self.called(id, callee);
                return ty;
            }
        }
        let found = match self.is_delegated(call, &receiver) {
            true => self.foreign_method(&receiver, call.name),
            false => self.method(&receiver, call.name),
        };
        match found {
            Method::Functions(functions, through) => {
                let (chosen, ty) = self.method_arguments(&functions, &through, &turbofish, &call.args, expected);
                self.called(id, Callee::Functions(chosen));
                ty
            }
            Method::Signature(sig, through) => {
                let ty = self.signature_call(sig, &through, &turbofish, call, expected);
                let callee = match receiver_name(&through) {
                    Some(receiver) => Callee::ExternalMethod { receiver, method: call.name },
                    None => self.foreign_callee(&receiver, call.name),
                };
                self.called(id, callee);
                self.teach(call, &receiver);
                if call.name == known.collect {
                    return collected(&receiver, &turbofish, expected);
                }
                ty
            }
            Method::Foreign(path, through) => {
                let wanted = self.handed_on(call, &through);
                for &arg in call.args.iter() {
                    self.expr(arg, &wanted);
                }
                self.called(id, Callee::ExternalMethod { receiver: path, method: call.name });
                if call.name == known.collect {
                    return collected(&receiver, &turbofish, expected);
                }
                match self.is_built(call.receiver) && self.is_unseen(&receiver) {
                    true => receiver,
                    // What comes of it is of the crate behind a wrapper, not of the wrapper's.
                    false => self.foreign_result(&through),
                }
            }
            Method::Unknown => {
                self.all_free(&call.args);
                let callee = match self.imported(&receiver, call.name) {
                    Some(receiver) => Callee::ExternalMethod { receiver, method: call.name },
                    None => Callee::UnknownMethod(call.name),
                };
                self.called(id, callee);
                if call.name == known.to_string {
                    return Ty::External(known.string, Vec::new());
                }
                if call.name == known.collect {
                    return collected(&receiver, &turbofish, expected);
                }
                Ty::Unknown
            }
        }
    }

    /// What is expected of a receiver, where the method only unwraps it.
    fn receiver_hint(&self, call: &MethodCall, expected: &Ty) -> Ty {
        let known = known();
        if *expected == Ty::Unknown {
            return Ty::Unknown;
        }
        let is_call = matches!(
            self.body.exprs.get(call.receiver.0 as usize).map(|expr| &expr.kind),
            Some(ExprKind::MethodCall(_) | ExprKind::Call { .. })
        );
        if !is_call {
            return Ty::Unknown;
        }
        if call.name == known.unwrap || call.name == known.expect {
            return ty::result(expected.clone(), Ty::Unknown);
        }
        if call.name == known.map_err {
            if let Ty::External(path, args) = expected {
                if *path == known.result {
                    let ok = args.first().cloned().unwrap_or_default();
                    return ty::result(ok, Ty::Unknown);
                }
            }
        }
        Ty::Unknown
    }

    /// `into`, `try_into` and `parse`: the expected type says whose conversion it is.
    fn conversion(&self, call: &MethodCall, receiver: &Ty, turbofish: &[Ty], expected: &Ty) -> Option<(Callee, Ty)> {
        let known = known();
        let foreign = || self.foreign_callee(receiver, call.name);
        if call.name == known.parse {
            let given = turbofish.first().cloned();
            let target = given.unwrap_or_else(|| match expected {
                Ty::External(path, args) if *path == known.result => args.first().cloned().unwrap_or_default(),
                _ => Ty::Unknown,
            });
            let key = match &target {
                Ty::Adt(id, _) => TypeKey::Adt(*id),
                _ => return None,
            };
            let functions = self.world.methods.of_traits.get(&(key, known.from_str));
            let callee = match functions {
                Some(functions) => Callee::Functions(functions.clone()),
                None => foreign(),
            };
            return Some((callee, ty::result(target, Ty::Unknown)));
        }
        let by = if call.name == known.into {
            known.from
        } else if call.name == known.try_into {
            known.try_from
        } else {
            return None;
        };
        if let Ty::External(path, args) = receiver {
            // `x: impl Into<T>` says what it becomes
            if *path == known.into_trait {
                return Some((foreign(), args.first().cloned().unwrap_or_default()));
            }
        }
        let inherent = ty::key(receiver).is_some_and(|key| self.world.methods.inherent.contains_key(&(key, call.name)));
        if inherent {
            return None;
        }
        let (callee, ty) = self.convert(by, receiver, expected);
        Some((callee.unwrap_or_else(foreign), ty))
    }

    /// What a closure is given that goes through what a stream of another crate holds, as that crate made it:
    /// `consumer.stream().try_for_each(|message| ..)`.
    fn handed_on(&self, call: &MethodCall, stream: &Ty) -> Ty {
        let table = signatures();
        if !table.hands.contains(&call.name) {
            return Ty::Unknown;
        }
        let mut at = call.receiver;
        while let Some(ExprKind::MethodCall(before)) = self.body.exprs.get(at.0 as usize).map(|expr| &expr.kind) {
            if table.hands.contains(&before.name) {
                return Ty::Unknown;
            }
            at = before.receiver;
        }
        match self.foreign_result(stream) {
            Ty::SomeOf(made_by) if !table.carries.contains(&made_by) => {
                Ty::External(known().fn_, vec![Ty::SomeOf(made_by), Ty::Unknown])
            }
            _ => Ty::Unknown,
        }
    }

    fn foreign_callee(&self, receiver: &Ty, method: Name) -> Callee {
        let named = match receiver {
            Ty::Adt(id, _) => Some(self.world.program.type_(*id).path),
            Ty::Traits(traits) => traits.first().map(|id| self.world.program.traits[id.0 as usize].path),
            other => receiver_name(other),
        };
        match named {
            Some(receiver) => Callee::ExternalMethod { receiver, method },
            None => Callee::UnknownMethod(method),
        }
    }

    /// Finds a method by the receiver's type, through wrappers.
    fn method(&self, receiver: &Ty, name: Name) -> Method {
        let mut at = receiver.clone();
        let mut through = receiver.clone();
        for _ in 0..MAX_DEREFS {
            if let Some(found) = self.method_here(&at, name) {
                return found;
            }
            let Some(next) = self.unwrapped(&at, name) else {
                break;
            };
            if matches!(&at, Ty::External(path, _) if signatures().derefs.contains(path)) {
                through = next.clone();
            }
            at = next;
        }
        let receiver = &through;
        if matches!(receiver, Ty::Unknown) {
            return Method::Unknown;
        }
        if let Some(functions) = self.extension(receiver, name) {
            return Method::Functions(functions, receiver.clone());
        }
        self.foreign_method(receiver, name)
    }

    /// A method of a type of another crate.
    fn foreign_method(&self, receiver: &Ty, name: Name) -> Method {
        let signatures = signatures();
        if let Some(sig) = signatures.method(receiver, name).or_else(|| signatures.any(name)) {
            return Method::Signature(sig, receiver.clone());
        }
        match self.foreign_callee(receiver, name) {
            Callee::ExternalMethod { receiver: path, .. } => Method::Foreign(path, receiver.clone()),
            _ => Method::Unknown,
        }
    }

    fn method_here(&self, of: &Ty, name: Name) -> Option<Method> {
        if let Ty::Traits(traits) = of {
            let functions = self.of_traits(traits, name);
            if !functions.is_empty() {
                return Some(Method::Functions(functions, of.clone()));
            }
        }
        if let Some(key) = ty::key(of) {
            if let Some(functions) = self.methods_of(key, name) {
                return Some(Method::Functions(self.in_scope(functions), of.clone()));
            }
        }
        let sig = signatures().method(of, name)?;
        Some(Method::Signature(sig, of.clone()))
    }

    /// What a wrapper dereferences to, where that can have the method.
    fn unwrapped(&self, of: &Ty, name: Name) -> Option<Ty> {
        match of {
            Ty::Adt(..) => self.world.program.dereferenced(of),
            // what is only there to be looked through, and has next to no methods of its own
            Ty::External(path, args) if signatures().derefs.contains(path) && name != known().clone => {
                args.first().filter(|inner| **inner != Ty::Unknown).cloned()
            }
            // a foreign wrapper around one type of the workspace which has such a method: `web::Data<AppState>`
            Ty::External(_, args) => match args.as_slice() {
                [inner @ (Ty::Adt(..) | Ty::Traits(_))] => {
                    let known = known();
                    let of_both = name == known.clone
                        || name == known.into
                        || matches!(of, Ty::External(path, _) if *path == known.option || *path == known.result);
                    if of_both {
                        return None;
                    }
                    self.has_method(inner, name).then(|| inner.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a type of the workspace has a method, through what it dereferences to.
    fn has_method(&self, of: &Ty, name: Name) -> bool {
        let mut at = of.clone();
        for _ in 0..MAX_DEREFS {
            if self.method_here(&at, name).is_some() {
                return true;
            }
            match self.world.program.dereferenced(&at) {
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    }

    /// Methods that workspace traits add to types of any kind, where such a trait is in scope.
    fn extension(&self, receiver: &Ty, name: Name) -> Option<Vec<FnId>> {
        let candidates = match receiver {
            Ty::SomeOf(_) => self.world.methods.extensions.get(&name)?.clone(),
            _ => self.blanket(name)?,
        };
        let local = matches!(receiver, Ty::Adt(..) | Ty::Traits(_));
        let visible: Vec<FnId> = candidates
            .into_iter()
            .filter(|&id| {
                let of = self.world.program.function(id).trait_;
                local || of.is_some_and(|of| self.trait_in_scope(of))
            })
            .collect();
        (!visible.is_empty()).then_some(visible)
    }

    /// Of what trait of another crate a method is, where nothing is known of the receiver but that such a trait was imported:
    /// nobody imports a trait but for its methods.
    fn imported(&self, receiver: &Ty, name: Name) -> Option<Name> {
        let traits = signatures().extensions.get(&name).filter(|_| *receiver == Ty::Unknown)?;
        traits.iter().copied().find(|&of| self.scopes.sees_foreign_trait(self.scope, of))
    }

    /// Of methods of several traits those that can be called here, if any trait is in scope.
    fn in_scope(&self, functions: Vec<FnId>) -> Vec<FnId> {
        let program = &self.world.program;
        let seen = |id: &FnId| program.function(*id).trait_.is_none_or(|of| self.trait_in_scope(of));
        match functions.len() > 1 && functions.iter().any(seen) {
            true => functions.into_iter().filter(seen).collect(),
            false => functions,
        }
    }

    fn trait_in_scope(&self, id: TraitId) -> bool {
        self.scopes.sees_trait(self.scope, id)
    }

    /// Infers the arguments of a method; the functions that fit, and what the call yields.
    pub(super) fn method_arguments(
        &mut self,
        functions: &[FnId],
        receiver: &Ty,
        turbofish: &[Ty],
        args: &[ExprId],
        expected: &Ty,
    ) -> (Vec<FnId>, Ty) {
        let world = self.world;
        if let [only] = functions {
            let info = world.program.function(*only);
            let mut sig = sig_of(world, *only);
            let wanted = match (info.ir.is_async, expected) {
                (true, Ty::Future(of)) => of,
                (true, _) => &Ty::Unknown,
                (false, other) => other,
            };
            if info.ir.has_self {
                sig.params = sig.params.get(1..).unwrap_or_default();
            }
            let known = self.of_trait(*only, receiver);
            let ty = self.arguments(known, sig, Some(receiver), turbofish, args, wanted);
            let ty = if info.ir.is_async { Ty::Future(Box::new(ty)) } else { ty };
            return (vec![*only], ty);
        }
        // parameters that all candidates share tell closures what they get
        let shared = functions.iter().find(|id| world.program.function(**id).ir.body.is_none()).or(functions.first());
        let mut types = vec![receiver.clone()];
        for (number, &arg) in args.iter().enumerate() {
            let wanted = shared
                .and_then(|id| world.program.function(*id).params.get(number + 1))
                .filter(|ty| matches!(ty, Ty::External(path, _) if *path == known().fn_))
                .cloned()
                .unwrap_or_default();
            types.push(self.expr(arg, &wanted));
        }
        let fitting = self.fitting(functions, &types);
        let chosen = if fitting.is_empty() { functions.to_vec() } else { fitting };
        let ty = self.common_return(&chosen, receiver, &types);
        (chosen, ty)
    }

    /// What the parameters of a trait are, for a method that it provides: what the `impl` for the receiver's type says.
    pub(super) fn of_trait(&self, method: FnId, receiver: &Ty) -> ty::Bindings {
        let world = self.world;
        let provides = |of: &TraitId| {
            let methods = &world.program.traits[of.0 as usize].methods;
            methods.iter().any(|(_, id)| *id == method)
        };
        let Some(of) = world.program.function(method).trait_.filter(provides) else {
            return ty::Bindings::new();
        };
        let numbers = ty::key(receiver).and_then(|key| world.program.impls_by_type.get(&key));
        let mut sides = numbers.into_iter().flatten().map(|&number| &world.impls[number as usize]);
        let Some(side) = sides.find(|side| side.trait_ == Some(of)) else {
            return ty::Bindings::new();
        };
        let mut own = ty::Bindings::new();
        self.unify(&side.self_ty, receiver, &[], &mut own);
        let given = side.trait_args.iter().map(|arg| ty::erase(&ty::substitute(arg, &own), &[]));
        let names = world.traits[of.0 as usize].ir.generics.iter().map(|generic| generic.name);
        names.zip(given).filter(|(_, given)| *given != Ty::Unknown).collect()
    }

    fn signature_call(
        &mut self,
        sig: &'static Sig,
        receiver: &Ty,
        turbofish: &[Ty],
        call: &MethodCall,
        expected: &Ty,
    ) -> Ty {
        let mut open: super::assoc::SigRef<'_> = sig.into();
        open.params = open.params.get(1..).unwrap_or_default();
        self.arguments(ty::Bindings::new(), open, Some(receiver), turbofish, &call.args, expected)
    }

    /// What a method of a foreign type yields: some type of that crate, unless a type of the workspace could hide in it.
    fn foreign_result(&self, receiver: &Ty) -> Ty {
        match receiver {
            Ty::SomeOf(_) => receiver.clone(),
            Ty::Adt(id, _) => match self.world.program.type_(*id).derived_by {
                Some(by) => Ty::SomeOf(by),
                None => Ty::Unknown,
            },
            Ty::External(path, args) => {
                let root = self.some_of(*path);
                let hides = root == Ty::SomeOf(known().std) && args.iter().any(|arg| !matches!(arg, Ty::Primitive(_)));
                if hides { Ty::Unknown } else { root }
            }
            Ty::ExternalTraits(paths) => match paths.first() {
                Some(path) if self.some_of(*path) != Ty::SomeOf(known().std) => self.some_of(*path),
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// Whether a chain of methods starts at a function of a type: `Request::new(id).amount(5)`.
    fn is_built(&self, id: ExprId) -> bool {
        let mut at = id;
        loop {
            match self.body.exprs.get(at.0 as usize).map(|expr| &expr.kind) {
                Some(ExprKind::MethodCall(call)) => at = call.receiver,
                Some(ExprKind::Call { callee, .. }) => {
                    let path = match self.body.exprs.get(callee.0 as usize).map(|expr| &expr.kind) {
                        Some(ExprKind::Path(path)) => path,
                        _ => return false,
                    };
                    let owner = path.segments.iter().rev().nth(1);
                    return owner.is_some_and(|owner| owner.name.as_str().starts_with(char::is_uppercase));
                }
                _ => return false,
            }
        }
    }

    /// A type of the workspace whose source is not there: generated code. What is called on one that is being built is
    /// by convention one more step.
    fn is_unseen(&self, receiver: &Ty) -> bool {
        matches!(receiver, Ty::External(path, _) if path.as_str().split("::").next() == Some("crate"))
    }

    /// `v.push(x)` tells what an empty `v` holds.
    fn teach(&mut self, call: &MethodCall, receiver: &Ty) {
        let known = known();
        if call.name != known.push && call.name != known.insert {
            return;
        }
        let types: Vec<Ty> =
            call.args.iter().map(|arg| self.exprs.get(arg.0 as usize).cloned().unwrap_or_default()).collect();
        let learned = match (receiver, types.as_slice()) {
            (Ty::Sequence(of), [.., last]) if **of == Ty::Unknown => Ty::Sequence(Box::new(last.clone())),
            (Ty::External(path, args), _) if args.len() == types.len() && args.contains(&Ty::Unknown) => {
                Ty::External(*path, types)
            }
            _ => return,
        };
        self.learn(call.receiver, &learned);
    }
}

/// What `collect` makes: the named collection, holes filled from the items.
fn collected(receiver: &Ty, turbofish: &[Ty], expected: &Ty) -> Ty {
    let known = known();
    let target = turbofish.first().unwrap_or(expected);
    let Ty::External(path, args) = receiver else {
        return target.clone();
    };
    let Some(item) = args.last().filter(|_| *path == known.iterator || *path == known.stream) else {
        return target.clone();
    };
    filled(target, item, 0)
}

fn filled(target: &Ty, item: &Ty, depth: u32) -> Ty {
    let known = known();
    if depth > 4 {
        return target.clone();
    }
    match target {
        Ty::Sequence(of) => Ty::Sequence(Box::new(ty::join(of, item))),
        Ty::Future(of) => Ty::Future(Box::new(filled(of, item, depth + 1))),
        Ty::External(path, args) if *path == known.result || *path == known.option => {
            let (Ty::External(inner, inner_args), Some(first)) = (item, args.first()) else {
                return target.clone();
            };
            if inner != path {
                return target.clone();
            }
            let Some(inner_item) = inner_args.first() else {
                return target.clone();
            };
            let mut args = args.clone();
            args[0] = filled(first, inner_item, depth + 1);
            Ty::External(*path, args)
        }
        Ty::External(path, args) if args.len() == 1 => Ty::External(*path, vec![ty::join(&args[0], item)]),
        Ty::External(path, args) if args.len() == 2 => match item {
            Ty::Tuple(items) if items.len() == 2 => {
                Ty::External(*path, vec![ty::join(&args[0], &items[0]), ty::join(&args[1], &items[1])])
            }
            _ => target.clone(),
        },
        other => other.clone(),
    }
}
