//! Operations on types: filling in parameters, matching, merging.
//!
//! In and out: [`Ty`]. Nothing here looks names up.

use super::defs::TypeKey;
use super::known::known;
use super::{Callable, Ty};
use crate::ir::Name;

/// How deep types are walked; written types are far shallower, inferred ones could grow in a loop.
const MAX_DEPTH: u32 = 24;

/// Parts of one type, as a tree. Written types have a dozen; one that grows beyond, as by `let x = (x, x);` again and
/// again, counts as unknown. Whatever makes a type keeps to this, so that no walk over one takes long.
pub(super) const MAX_PARTS: usize = 256;

/// What generic parameters stand for.
pub(super) type Bindings = Vec<(Name, Ty)>;

impl Ty {
    /// Whether a type of another crate of which this says yes is it or stands in it, by canonical path.
    pub fn mentions(&self, is: &mut dyn FnMut(&str) -> bool) -> bool {
        match self {
            Self::External(path, args) => is(path.as_str()) || args.iter().any(|arg| arg.mentions(is)),
            Self::Adt(_, args) | Self::Tuple(args) => args.iter().any(|arg| arg.mentions(is)),
            Self::Sequence(of) | Self::Future(of) => of.mentions(is),
            _ => false,
        }
    }

    /// Whether it is one of some types of other crates, by canonical path.
    pub fn is_one_of(&self, types: &[String]) -> bool {
        matches!(self, Self::External(path, _) if types.iter().any(|known| known == path.as_str()))
    }
}

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

/// Counts the parts of a type, up to some limit: less is left afterwards, nothing where there are too many.
pub(super) fn count(ty: &Ty, left: &mut usize) {
    let own = match ty {
        Ty::Traits(traits) => traits.len(),
        Ty::ExternalTraits(traits) => traits.len(),
        Ty::Callable(Callable::Functions(functions)) => functions.len(),
        _ => 1,
    };
    *left = left.saturating_sub(own.max(1));
    let args: &[Ty] = match ty {
        Ty::Adt(_, args) | Ty::External(_, args) | Ty::Tuple(args) => args,
        Ty::Sequence(of) | Ty::Future(of) => std::slice::from_ref(of),
        _ => &[],
    };
    for arg in args {
        if *left == 0 {
            return;
        }
        count(arg, left);
    }
}

/// The type, or nothing known where it has too many parts.
pub(super) fn bounded(ty: Ty) -> Ty {
    let mut left = MAX_PARTS + 1;
    count(&ty, &mut left);
    if left == 0 { Ty::Unknown } else { ty }
}

/// Replaces generic parameters by what they are bound to.
pub(super) fn substitute(ty: &Ty, bindings: &[(Name, Ty)]) -> Ty {
    if bindings.is_empty() {
        return ty.clone();
    }
    mapped(ty, &mut |name, _| bindings.iter().find(|binding| binding.0 == name).map(|binding| binding.1.clone()))
}

/// Replaces generic parameters by their bounds: a parameter `T: Gateway` is some type with that trait.
pub(super) fn erase(ty: &Ty, generics: &[(Name, Ty)]) -> Ty {
    mapped(ty, &mut |name, left| Some(erased(name, generics, 0, left)))
}

fn erased(name: Name, generics: &[(Name, Ty)], depth: u32, left: &mut usize) -> Ty {
    match generics.iter().find(|generic| generic.0 == name) {
        Some((_, bound)) if depth < 4 => {
            map(bound, depth, left, &mut |name, left| Some(erased(name, generics, depth + 1, left)))
        }
        _ => Ty::Unknown,
    }
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

/// What stands for a parameter; how many parts the type may still get goes along.
type Replace<'a> = &'a mut dyn FnMut(Name, &mut usize) -> Option<Ty>;

fn mapped(ty: &Ty, replace: Replace<'_>) -> Ty {
    let mut left = MAX_PARTS + 1;
    let ty = map(ty, 0, &mut left, replace);
    if left == 0 { Ty::Unknown } else { ty }
}

fn map(ty: &Ty, depth: u32, left: &mut usize, replace: Replace<'_>) -> Ty {
    if depth > MAX_DEPTH || *left == 0 {
        return Ty::Unknown;
    }
    let mut all = |args: &[Ty], left: &mut usize| -> Vec<Ty> {
        *left = left.saturating_sub(1);
        args.iter().map(|arg| map(arg, depth + 1, left, &mut *replace)).collect()
    };
    match ty {
        Ty::Adt(id, args) => Ty::Adt(*id, all(args, left)),
        Ty::External(path, args) => Ty::External(*path, all(args, left)),
        Ty::Tuple(items) => Ty::Tuple(all(items, left)),
        Ty::Sequence(of) => {
            *left = left.saturating_sub(1);
            Ty::Sequence(Box::new(map(of, depth + 1, left, replace)))
        }
        Ty::Future(of) => {
            *left = left.saturating_sub(1);
            Ty::Future(Box::new(map(of, depth + 1, left, replace)))
        }
        Ty::Param(name) => {
            let ty = replace(*name, left).unwrap_or_else(|| ty.clone());
            count(&ty, left);
            ty
        }
        other => {
            count(other, left);
            other.clone()
        }
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
    bounded(join_below(left, right, 0))
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
