//! Paths that stand for values: functions, constructors, constants, and items associated with a type.

use super::Infer;
use crate::ir::{ExprId, Name, PathIr, TypeIr};
use crate::resolve::defs::{Def, MAX_MEANINGS, Ns, Sig, TypeKey};
use crate::resolve::known::known;
use crate::resolve::signatures::signatures;
use crate::resolve::{Callable, ConstId, FnId, TraitId, Ty, TypeId, ValueDef, ty};

/// Supertraits of one trait that are looked through.
const MAX_SUPERS: usize = 64;

/// What a value path stands for.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// functions, and the type they were named through
    Functions(Vec<FnId>, Ty),
    /// functions of workspace `impl`s for a foreign type, which has functions of its own under that path
    Perhaps(Vec<FnId>, Ty, Name),
    /// `Trait::method`: the first argument decides
    OfTrait(TraitId, Name),
    Consts(Vec<ConstId>),
    Constructor(TypeId, u32, Ty),
    /// canonical path, and the type in front of its last segment where that is known
    External(Name, Ty),
    Unresolved(Name),
    /// what a macro of that crate made
    Made(Name, Name),
    Nothing,
}

impl Infer<'_> {
    /// A path in value position that is not called.
    pub(super) fn path_expr(&mut self, id: ExprId, path: &PathIr, expected: &Ty) -> Ty {
        let value = self.value(path, expected);
        self.note_path(id, &value);
        self.value_ty(&value, expected)
    }

    pub(super) fn note_path(&mut self, id: ExprId, value: &Value) {
        let def = match value {
            Value::Functions(functions, _) => ValueDef::Functions(functions.clone()),
            Value::OfTrait(of, name) => ValueDef::Functions(self.of_traits(&[*of], *name)),
            Value::Consts(constants) => ValueDef::Consts(constants.clone()),
            Value::Constructor(id, variant, _) => ValueDef::Variant(*id, *variant),
            Value::External(path, _) | Value::Perhaps(_, _, path) => ValueDef::External(*path),
            Value::Unresolved(path) | Value::Made(path, _) => ValueDef::Unresolved(*path),
            Value::Nothing => return,
        };
        let def = match def {
            ValueDef::Functions(mut functions) => {
                functions.truncate(MAX_MEANINGS);
                ValueDef::Functions(functions)
            }
            other => other,
        };
        self.paths.push((id, def));
    }

    /// The type of a value path.
    pub(super) fn value_ty(&self, value: &Value, expected: &Ty) -> Ty {
        let known = known();
        match value {
            Value::Functions(functions, _) => Ty::Callable(Callable::Functions(functions.clone())),
            Value::OfTrait(of, name) => {
                let functions = self.of_traits(&[*of], *name);
                Ty::Callable(Callable::Functions(functions))
            }
            Value::Consts(constants) => {
                let types = constants.iter().map(|id| &self.world.program.consts[id.0 as usize].ty);
                types.fold(Ty::Unknown, |all, one| ty::join(&all, one))
            }
            Value::Constructor(id, variant, made) => {
                let info = self.world.program.type_(*id);
                let fields = info.fields.get(*variant as usize);
                match fields {
                    Some(fields) if !fields.is_empty() => {
                        let mut args: Vec<Ty> = fields.iter().map(|field| ty::erase(field, &[])).collect();
                        args.push(made.clone());
                        Ty::External(known.fn_, args)
                    }
                    _ => ty::join(made, &only_adt(expected, *id)),
                }
            }
            Value::External(path, _) | Value::Perhaps(_, _, path) => {
                if *path == known.none {
                    return match expected {
                        Ty::External(owner, _) if *owner == known.option => expected.clone(),
                        _ => ty::option(Ty::Unknown),
                    };
                }
                match signatures().function(*path) {
                    Some(sig) => {
                        let mut args: Vec<Ty> = sig.params.iter().map(|ty| ty::erase(ty, &[])).collect();
                        args.push(ty::erase(&sig.ret, &[]));
                        Ty::External(known.fn_, args)
                    }
                    None => self.constant_of(*path),
                }
            }
            Value::Made(_, by) => Ty::SomeOf(*by),
            Value::Unresolved(_) | Value::Nothing => Ty::Unknown,
        }
    }

    /// A foreign value that is named like a constant or a variant is some type of its crate.
    fn constant_of(&self, path: Name) -> Ty {
        let text = path.as_str();
        let last = text.rsplit("::").next().unwrap_or(text);
        if !last.starts_with(|first: char| first.is_uppercase()) {
            return Ty::Unknown;
        }
        match self.some_of(path) {
            Ty::SomeOf(root) if root != known().std && self.foreign(root) => Ty::SomeOf(root),
            _ => Ty::Unknown,
        }
    }

    /// What a value path stands for.
    pub(super) fn value(&self, path: &PathIr, expected: &Ty) -> Value {
        let known = known();
        let segments = &path.segments;
        let name_at = |number: usize| segments.get(number).map(|segment| segment.name);
        if let Some(written) = &path.qself {
            let base = self.written(written);
            let traits = path.trait_segments as usize;
            let Some(name) = name_at(traits) else {
                return Value::Nothing;
            };
            let of_trait = (traits > 0).then(|| PathIr {
                absolute: path.absolute,
                qself: None,
                trait_segments: 0,
                segments: segments[..traits].to_vec(),
            });
            return self.through_qself(&base, of_trait.as_ref(), name);
        }
        let Some(first) = name_at(0) else {
            return Value::Nothing;
        };
        if !path.absolute {
            if first == known.self_type {
                return match (name_at(1), name_at(2)) {
                    (None, _) => match self.self_ty {
                        Ty::Adt(id, _) => Value::Constructor(*id, 0, self.self_ty.clone()),
                        _ => Value::Nothing,
                    },
                    (Some(name), None) => self.associated_value(self.self_ty, name),
                    (Some(inner), Some(name)) => {
                        let base = self.site().associated(self.self_ty, inner);
                        self.associated_value(&ty::erase(&base, self.generics), name)
                    }
                };
            }
            if let Some((_, bound)) = self.generics.iter().find(|generic| generic.0 == first) {
                return match name_at(1) {
                    Some(name) if segments.len() == 2 => self.associated_value(&ty::erase(bound, self.generics), name),
                    _ => Value::Nothing,
                };
            }
        }
        let names: Vec<Name> = segments.iter().map(|segment| segment.name).collect();
        let found = self.scopes.resolve(self.scope, path.absolute, &names, Ns::Value, false);
        let used = found.used.min(names.len());
        let args = |number: usize| -> Vec<Ty> {
            match segments.get(number) {
                Some(segment) => segment.args.iter().map(|arg| self.written(arg)).collect(),
                None => Vec::new(),
            }
        };
        let whole = used == names.len();
        let mut functions = Vec::new();
        let mut constants = Vec::new();
        for &def in found.defs.iter() {
            match def {
                Def::Function(id) if whole => functions.push(id),
                Def::Const(id) if whole => constants.push(id),
                Def::Variant(id, variant) if whole => {
                    let mut given = args(used.wrapping_sub(1));
                    if given.is_empty() && used >= 2 {
                        given = args(used - 2);
                    }
                    return Value::Constructor(id, variant, Ty::Adt(id, given));
                }
                Def::External(path) => return self.external_value(path, &args, names.len()),
                Def::Missing(path) => return Value::Unresolved(path),
                Def::Made(path, by) => return Value::Made(path, by),
                Def::Trait(id) if used + 1 == names.len() => {
                    return Value::OfTrait(id, names[used]);
                }
                Def::Type(_) | Def::Alias(_) | Def::Primitive(_) => {
                    let base = self.site().of_defs(&[def], args(used.wrapping_sub(1)));
                    let base = ty::erase(&base, self.generics);
                    if whole {
                        // the alias of a tuple struct as its constructor
                        if let Ty::Adt(id, _) = base {
                            return Value::Constructor(id, 0, base);
                        }
                        continue;
                    }
                    if used + 1 == names.len() {
                        let base = ty::join(&base, &self.like(&base, expected));
                        return self.associated_value(&base, names[used]);
                    }
                    let inner = self.site().associated(&base, names[used]);
                    if used + 2 == names.len() {
                        return self.associated_value(&ty::erase(&inner, &[]), names[used + 1]);
                    }
                }
                _ => {}
            }
        }
        if !functions.is_empty() {
            return Value::Functions(functions, Ty::Unknown);
        }
        if !constants.is_empty() {
            return Value::Consts(constants);
        }
        let text: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        Value::Unresolved(Name::new(&text.join("::")))
    }

    /// Type arguments that the expectation knows and the path leaves out.
    fn like(&self, base: &Ty, expected: &Ty) -> Ty {
        match (base, expected) {
            (Ty::Adt(id, args), Ty::Adt(other, _)) if id == other && args.is_empty() => expected.clone(),
            _ => Ty::Unknown,
        }
    }

    fn through_qself(&self, base: &Ty, of_trait: Option<&PathIr>, name: Name) -> Value {
        use crate::resolve::written::Bound;
        let bound = match of_trait {
            Some(path) => self.site().bound(path),
            None => Bound::Nothing,
        };
        match (&bound, ty::key(base)) {
            (Bound::Workspace(id), Some(key)) => {
                let world = self.world;
                let own = world.methods.of_traits.get(&(key, name));
                let own: Vec<FnId> = own
                    .into_iter()
                    .flatten()
                    .copied()
                    .filter(|function| world.program.function(*function).trait_ == Some(*id))
                    .collect();
                if !own.is_empty() {
                    return Value::Functions(own, base.clone());
                }
                match world.methods.declared.get(&(*id, name)) {
                    Some(&declared) if world.program.body(declared).is_some() => {
                        Value::Functions(vec![declared], base.clone())
                    }
                    _ => Value::Functions(self.of_traits(&[*id], name), base.clone()),
                }
            }
            (Bound::Workspace(id), None) => Value::Functions(self.of_traits(&[*id], name), base.clone()),
            (Bound::External(path, _), _) => match self.associated_value(base, name) {
                found @ Value::Functions(..) => found,
                _ => Value::External(self.scopes.join(*path, name), base.clone()),
            },
            (Bound::Nothing, _) => self.associated_value(base, name),
        }
    }

    /// A canonical path of another crate; a workspace trait may add functions to a type there.
    fn external_value(&self, path: Name, args: &dyn Fn(usize) -> Vec<Ty>, segments: usize) -> Value {
        let path = crate::resolve::written::usual(path);
        let Some((front, last)) = path.as_str().rsplit_once("::") else {
            return Value::External(path, Ty::Unknown);
        };
        if segments < 2 {
            return Value::External(path, Ty::Unknown);
        }
        let front = Name::new(front);
        let last = Name::new(last);
        let base = crate::resolve::written::external(front, args(segments - 2));
        if let Some(key) = ty::key(&base) {
            if let Some(functions) = self.world.methods.of_traits.get(&(key, last)) {
                return Value::Perhaps(functions.clone(), base, path);
            }
        }
        Value::External(path, base)
    }

    /// `T::name` for a type that is known.
    pub(super) fn associated_value(&self, base: &Ty, name: Name) -> Value {
        let world = self.world;
        let known = known();
        let key = ty::key(base);
        match base {
            Ty::Adt(id, _) => {
                if let Some(variant) = self.scopes.variant(*id, name) {
                    return Value::Constructor(*id, variant, base.clone());
                }
                let key = TypeKey::Adt(*id);
                if let Some(functions) = self.methods_of(key, name) {
                    return Value::Functions(functions, base.clone());
                }
                if let Some(constants) = self.constants_of(key, name) {
                    return Value::Consts(constants);
                }
                if let Some(functions) = self.blanket(name) {
                    return Value::Functions(functions, base.clone());
                }
                if name == known.default {
                    return Value::External(known.default_default, base.clone());
                }
                let info = world.program.type_(*id);
                let path = self.scopes.join(info.path, name);
                match info.derived_by {
                    Some(by) if name != known.new => Value::Made(path, by),
                    _ => Value::Unresolved(path),
                }
            }
            Ty::Traits(traits) => {
                let functions = self.of_traits(traits, name);
                if !functions.is_empty() {
                    return Value::Functions(functions, base.clone());
                }
                for &id in traits {
                    if let Some(constants) = world.methods.trait_consts.get(&(id, name)) {
                        return Value::Consts(constants.clone());
                    }
                }
                Value::Nothing
            }
            Ty::External(..) | Ty::Primitive(_) | Ty::ExternalTraits(_) | Ty::Sequence(_) => {
                let Some(front) = receiver_name(base) else {
                    return Value::Nothing;
                };
                let path = self.scopes.join(front, name);
                if let Some(functions) = key.and_then(|key| self.methods_of(key, name)) {
                    return Value::Perhaps(functions, base.clone(), path);
                }
                if let Some(constants) = key.and_then(|key| self.constants_of(key, name)) {
                    return Value::Consts(constants);
                }
                Value::External(path, base.clone())
            }
            _ => Value::Nothing,
        }
    }

    fn constants_of(&self, key: TypeKey, name: Name) -> Option<Vec<ConstId>> {
        let world = self.world;
        if let Some(constants) = world.methods.consts.get(&(key, name)) {
            return Some(constants.clone());
        }
        let traits = world.methods.traits.get(&key)?;
        traits.iter().find_map(|&id| world.methods.trait_consts.get(&(id, name)).cloned())
    }

    /// Functions of a type by name: its own, those of its traits, and what those traits provide.
    pub(super) fn methods_of(&self, key: TypeKey, name: Name) -> Option<Vec<FnId>> {
        let methods = &self.world.methods;
        if let Some(functions) = methods.inherent.get(&(key, name)) {
            return Some(functions.clone());
        }
        if let Some(functions) = methods.of_traits.get(&(key, name)) {
            return Some(functions.clone());
        }
        let mut provided: Vec<FnId> = Vec::new();
        for &id in methods.traits.get(&key).into_iter().flatten() {
            if let Some(&function) = methods.declared.get(&(id, name)) {
                if !provided.contains(&function) {
                    provided.push(function);
                }
            }
        }
        if let (true, Some(traits)) = (provided.is_empty(), methods.lent.get(&key)) {
            provided = self.of_traits(traits, name);
        }
        (!provided.is_empty()).then_some(provided)
    }

    /// Functions of `impl<T> Trait for T` by name.
    pub(super) fn blanket(&self, name: Name) -> Option<Vec<FnId>> {
        let methods = &self.world.methods;
        if let Some(functions) = methods.blanket_fns.get(&name) {
            return Some(functions.clone());
        }
        let provided: Vec<FnId> =
            methods.blanket.iter().filter_map(|&id| methods.declared.get(&(id, name)).copied()).collect();
        (!provided.is_empty()).then_some(provided)
    }

    /// What a method of one of these traits can run: all implementations and the provided body.
    pub(super) fn of_traits(&self, traits: &[TraitId], name: Name) -> Vec<FnId> {
        let world = self.world;
        let mut queue: Vec<TraitId> = traits.to_vec();
        let mut at = 0;
        let mut functions = Vec::new();
        while let Some(&id) = queue.get(at) {
            at += 1;
            if let Some(&declared) = world.methods.declared.get(&(id, name)) {
                let own = world.methods.implemented.get(&(id, name));
                // what tests and examples put in its place is not what runs
                let shown = world.program.function(declared).example;
                let runs = |id: &FnId| {
                    let function = world.program.function(*id);
                    !function.test && (shown || !function.example)
                };
                let own: Vec<FnId> = own.into_iter().flatten().copied().filter(runs).collect();
                // the declaration stands for more than can be told apart
                if own.len() > MAX_MEANINGS {
                    functions.push(declared);
                } else {
                    functions.extend_from_slice(&own);
                    if own.is_empty() || world.program.body(declared).is_some() {
                        functions.push(declared);
                    }
                }
            }
            for &above in &world.program.traits[id.0 as usize].supers {
                if queue.len() < MAX_SUPERS && !queue.contains(&above) {
                    queue.push(above);
                }
            }
        }
        functions.sort();
        functions.dedup();
        functions
    }

    /// Type arguments of a turbofish.
    pub(super) fn turbofish(&self, written: &[TypeIr]) -> Vec<Ty> {
        written.iter().map(|ty| self.written(ty)).collect()
    }
}

/// A signature by reference.
#[derive(Clone, Copy)]
pub(super) struct SigRef<'s> {
    pub(super) generics: &'s [(Name, Ty)],
    pub(super) outer: usize,
    pub(super) self_ty: &'s Ty,
    pub(super) params: &'s [Ty],
    pub(super) ret: &'s Ty,
}

impl<'s> From<&'s Sig> for SigRef<'s> {
    fn from(sig: &'s Sig) -> Self {
        Self { generics: &sig.generics, outer: sig.outer, self_ty: &sig.self_ty, params: &sig.params, ret: &sig.ret }
    }
}

fn only_adt(ty: &Ty, id: TypeId) -> Ty {
    match ty {
        Ty::Adt(other, _) if *other == id => ty.clone(),
        _ => Ty::Unknown,
    }
}

/// The path under which functions and methods of a foreign type are known.
pub(super) fn receiver_name(ty: &Ty) -> Option<Name> {
    let known = known();
    Some(match ty {
        Ty::External(path, _) => *path,
        Ty::SomeOf(path) => *path,
        Ty::Primitive(name) => *name,
        Ty::ExternalTraits(paths) => *paths.first()?,
        Ty::Sequence(_) => known.vec,
        Ty::Future(_) => known.future,
        Ty::Tuple(_) => known.tuple,
        Ty::Callable(_) => known.fn_,
        _ => return None,
    })
}
