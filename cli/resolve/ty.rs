//! Operations on types: filling in parameters, matching, merging.
//!
//! In and out: [`Ty`]. Nothing here looks names up.

use super::defs::TypeKey;
use super::known::known;
use super::{Callable, Ty};
use crate::ir::Name;

/// How deep types are walked; written types are far shallower, inferred ones could grow in a loop.
const MAX_DEPTH: u32 = 24;

/// What generic parameters stand for.
pub(super) type Bindings = Vec<(Name, Ty)>;

pub(super) fn option(of: Ty) -> Ty {
    Ty::External(known().option, vec![of])
}

pub(super) fn result(ok: Ty, err: Ty) -> Ty {
    Ty::External(known().result, vec![ok, err])
}

pub(super) fn primitive(name: Name) -> Ty {
    Ty::Primitive(name)
}

pub(super) fn unit() -> Ty {
    Ty::Tuple(Vec::new())
}

/// Replaces generic parameters by what they are bound to.
pub(super) fn substitute(ty: &Ty, bindings: &[(Name, Ty)]) -> Ty {
    if bindings.is_empty() {
        return ty.clone();
    }
    map(ty, 0, &mut |name| bindings.iter().find(|binding| binding.0 == name).map(|binding| binding.1.clone()))
}

/// Replaces generic parameters by their bounds: a parameter `T: Gateway` is some type with that trait.
pub(super) fn erase(ty: &Ty, generics: &[(Name, Ty)]) -> Ty {
    erase_below(ty, generics, 0)
}

fn erase_below(ty: &Ty, generics: &[(Name, Ty)], depth: u32) -> Ty {
    map(ty, depth, &mut |name| {
        let bound = generics.iter().find(|generic| generic.0 == name);
        Some(match bound {
            Some((_, bound)) if depth < 4 => erase_below(bound, generics, depth + 1),
            _ => Ty::Unknown,
        })
    })
}

/// Whether a generic parameter is left anywhere.
pub(super) fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::Param(_) => true,
        Ty::Adt(_, args) | Ty::External(_, args) | Ty::Tuple(args) => args.iter().any(is_open),
        Ty::Sequence(of) | Ty::Future(of) => is_open(of),
        _ => false,
    }
}

fn map(ty: &Ty, depth: u32, replace: &mut dyn FnMut(Name) -> Option<Ty>) -> Ty {
    if depth > MAX_DEPTH {
        return Ty::Unknown;
    }
    let mut all = |args: &[Ty]| -> Vec<Ty> { args.iter().map(|arg| map(arg, depth + 1, &mut *replace)).collect() };
    match ty {
        Ty::Param(name) => replace(*name).unwrap_or_else(|| ty.clone()),
        Ty::Adt(id, args) => Ty::Adt(*id, all(args)),
        Ty::External(path, args) => Ty::External(*path, all(args)),
        Ty::Tuple(items) => Ty::Tuple(all(items)),
        Ty::Sequence(of) => Ty::Sequence(Box::new(map(of, depth + 1, replace))),
        Ty::Future(of) => Ty::Future(Box::new(map(of, depth + 1, replace))),
        other => other.clone(),
    }
}

/// What a closure of this body returns, by its expression.
pub(super) type ClosureReturns<'a> = &'a dyn Fn(&Callable) -> Option<Ty>;

/// Binds the open parameters of a template so that it reads like the actual type, as far as both are known.
pub(super) fn unify(
    template: &Ty,
    actual: &Ty,
    generics: &[(Name, Ty)],
    bindings: &mut Bindings,
    returns: ClosureReturns<'_>,
    depth: u32,
) {
    if depth > MAX_DEPTH || matches!(actual, Ty::Unknown) {
        return;
    }
    match (template, actual) {
        (Ty::Param(name), _) => {
            if let Some(bound) = bindings.iter_mut().find(|binding| binding.0 == *name) {
                bound.1 = join(&bound.1, actual);
                return;
            }
            bindings.push((*name, actual.clone()));
            if let Some((_, bound)) = generics.iter().find(|generic| generic.0 == *name) {
                unify(bound, actual, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::External(path, args), Ty::Callable(callable)) if *path == known().fn_ => {
            if let (Some(ret), Some(found)) = (args.last(), returns(callable)) {
                unify(ret, &found, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::Adt(left, left_args), Ty::Adt(right, right_args)) if left == right => {
            for (left, right) in left_args.iter().zip(right_args) {
                unify(left, right, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::External(left, left_args), Ty::External(right, right_args)) if left == right => {
            for (left, right) in left_args.iter().zip(right_args) {
                unify(left, right, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::External(path, args), Ty::Sequence(of)) if *path == known().iterator || *path == known().into_iterator => {
            if let Some(item) = args.last() {
                unify(item, of, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::External(left, left_args), Ty::External(right, right_args))
            if *left == known().into_iterator && *right == known().iterator =>
        {
            for (left, right) in left_args.iter().zip(right_args) {
                unify(left, right, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::Tuple(left), Ty::Tuple(right)) => {
            for (left, right) in left.iter().zip(right) {
                unify(left, right, generics, bindings, returns, depth + 1);
            }
        }
        (Ty::Sequence(left), Ty::Sequence(right)) | (Ty::Future(left), Ty::Future(right)) => {
            unify(left, right, generics, bindings, returns, depth + 1);
        }
        // what a foreign future yields is of its crate
        (Ty::Future(left), Ty::SomeOf(_)) => {
            unify(left, actual, generics, bindings, returns, depth + 1);
        }
        _ => {}
    }
}

/// The better known of two readings of one type.
pub(super) fn join(left: &Ty, right: &Ty) -> Ty {
    join_below(left, right, 0)
}

fn join_below(left: &Ty, right: &Ty, depth: u32) -> Ty {
    if depth > MAX_DEPTH {
        return Ty::Unknown;
    }
    let all = |left: &[Ty], right: &[Ty]| -> Vec<Ty> {
        (0..left.len().max(right.len()))
            .map(|number| match (left.get(number), right.get(number)) {
                (Some(left), Some(right)) => join_below(left, right, depth + 1),
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (None, None) => Ty::Unknown,
            })
            .collect()
    };
    match (left, right) {
        (Ty::Unknown, other) | (other, Ty::Unknown) => other.clone(),
        (Ty::Adt(a, left), Ty::Adt(b, right)) if a == b => Ty::Adt(*a, all(left, right)),
        (Ty::External(a, left), Ty::External(b, right)) if a == b => Ty::External(*a, all(left, right)),
        (Ty::Tuple(left), Ty::Tuple(right)) if left.len() == right.len() => Ty::Tuple(all(left, right)),
        (Ty::Sequence(left), Ty::Sequence(right)) => Ty::Sequence(Box::new(join_below(left, right, depth + 1))),
        (Ty::Future(left), Ty::Future(right)) => Ty::Future(Box::new(join_below(left, right, depth + 1))),
        // a block that never ends has the unit type here: the other arm says more
        (Ty::Tuple(items), other) | (other, Ty::Tuple(items)) if items.is_empty() => other.clone(),
        (Ty::SomeOf(_), Ty::External(..) | Ty::Adt(..)) => right.clone(),
        _ => left.clone(),
    }
}

/// Whether two types can be the same, as far as both are known.
pub(super) fn compatible(left: &Ty, right: &Ty) -> bool {
    compatible_below(left, right, 0)
}

fn compatible_below(left: &Ty, right: &Ty, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    let all = |left: &[Ty], right: &[Ty]| {
        left.iter().zip(right).all(|(left, right)| compatible_below(left, right, depth + 1))
    };
    let known = known();
    match (left, right) {
        (Ty::Adt(a, left), Ty::Adt(b, right)) => a == b && all(left, right),
        (Ty::External(a, left), Ty::External(b, right)) => a == b && all(left, right),
        (Ty::Tuple(left), Ty::Tuple(right)) => left.len() == right.len() && all(left, right),
        (Ty::Sequence(left), Ty::Sequence(right)) | (Ty::Future(left), Ty::Future(right)) => {
            compatible_below(left, right, depth + 1)
        }
        (Ty::Primitive(a), Ty::Primitive(b)) => {
            a == b
                || (*a == known.int || *b == known.int) && *a != known.str_ && *b != known.str_
                || (*a == known.float || *b == known.float) && *a != known.str_ && *b != known.str_
        }
        (Ty::Adt(..), Ty::External(..) | Ty::Primitive(_) | Ty::Tuple(_) | Ty::Sequence(_))
        | (Ty::External(..) | Ty::Primitive(_) | Ty::Tuple(_) | Ty::Sequence(_), Ty::Adt(..))
        | (Ty::Primitive(_), Ty::External(..) | Ty::Tuple(_) | Ty::Sequence(_))
        | (Ty::External(..) | Ty::Tuple(_) | Ty::Sequence(_), Ty::Primitive(_))
        | (Ty::Tuple(_), Ty::External(..) | Ty::Sequence(_))
        | (Ty::External(..) | Ty::Sequence(_), Ty::Tuple(_))
        | (Ty::Adt(..), Ty::SomeOf(_))
        | (Ty::SomeOf(_), Ty::Adt(..)) => false,
        _ => true,
    }
}

/// Under which key the methods of a type are kept.
pub(super) fn key(ty: &Ty) -> Option<TypeKey> {
    Some(match ty {
        Ty::Adt(id, _) => TypeKey::Adt(*id),
        Ty::External(path, _) => TypeKey::External(*path),
        Ty::Primitive(name) => TypeKey::Primitive(*name),
        Ty::Sequence(_) => TypeKey::Sequence,
        Ty::Tuple(_) => TypeKey::Tuple,
        Ty::Traits(traits) => TypeKey::Dyn(*traits.first()?),
        Ty::ExternalTraits(traits) => TypeKey::External(*traits.first()?),
        _ => return None,
    })
}
