//! Paths in a contract: which functions of the workspace `dispatch`, `reconcile` and `compensate` name.

use crate::resolve::{FnId, Program};

/// The functions that a path in a contract names, seen from its handler. A path of the configuration begins with the
/// crate; one of the attribute is relative to the handler's scope, where imports may have shortened it. A trait's method
/// stands for its implementations, too.
pub fn functions_named(program: &Program, handler: FnId, path: &str) -> Vec<FnId> {
    let path = without_arguments(path);
    let mut found = program.find_functions(&path);
    if found.is_empty() {
        found = relative(program, handler, &path);
    }
    let implementations: Vec<FnId> = found.iter().flat_map(|id| implementations(program, *id)).collect();
    found.extend(implementations);
    found.sort_unstable();
    found.dedup();
    found
}

/// What implements a trait's method; nothing for any other function.
pub fn implementations(program: &Program, id: FnId) -> Vec<FnId> {
    let function = program.function(id);
    let Some(trait_) = function.trait_ else {
        return Vec::new();
    };
    let trait_ = &program.traits[trait_.0 as usize];
    if !trait_.methods.iter().any(|(_, method)| *method == id) {
        return Vec::new();
    }
    let named = trait_.impls.iter().filter(|(name, _)| *name == function.ir.name);
    named.flat_map(|(_, functions)| functions).copied().collect()
}

/// Functions whose path ends in the given one: those of the handler's own package, else of any.
fn relative(program: &Program, handler: FnId, path: &str) -> Vec<FnId> {
    let function = program.function(handler);
    let own_type = function.path.as_str().rsplit_once("::").map(|(front, _)| front);
    let tail = match (path.strip_prefix("Self::"), own_type) {
        (Some(rest), Some(own_type)) => format!("{own_type}::{rest}"),
        _ => without_scope(path).to_owned(),
    };
    let ends = |id: &FnId| {
        let known = program.function(*id).path.as_str();
        known == tail || known.strip_suffix(tail.as_str()).is_some_and(|front| front.ends_with("::"))
    };
    let all = || (0..).map(FnId).take(program.functions.len());
    let own: Vec<FnId> = all().filter(|id| program.function(*id).package == function.package).filter(ends).collect();
    if own.is_empty() { all().filter(ends).collect() } else { own }
}

/// The path without `crate`, `self` and `super` in front.
fn without_scope(path: &str) -> &str {
    let mut rest = path;
    while let Some(shorter) = ["crate::", "self::", "super::", "::"].iter().find_map(|scope| rest.strip_prefix(scope)) {
        rest = shorter;
    }
    rest
}

/// `find::<A, B>` as `find`, `<T as Charge>::find` as `Charge::find`.
fn without_arguments(path: &str) -> String {
    let path = path.trim();
    if let Some((of, rest)) = path.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
        let of = of.split_once(" as ").map_or(of, |(_, named)| named);
        return format!("{}::{rest}", without_arguments(of));
    }
    let mut depth = 0usize;
    let bare: String = path
        .chars()
        .filter(|c| {
            match c {
                '<' => depth += 1,
                '>' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect();
    bare.replace("::::", "::").trim_end_matches("::").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_no_part_of_a_name() {
        assert_eq!(without_arguments("find::<A, B>"), "find");
        assert_eq!(without_arguments("Vec::<A<B>>::find"), "Vec::find");
        assert_eq!(without_arguments("<T as Charge<A>>::find"), "Charge::find");
        assert_eq!(without_arguments("<Stripe>::find"), "Stripe::find");
        assert_eq!(without_arguments("crate::a::find"), "crate::a::find");
    }

    #[test]
    fn scopes_are_dropped_from_the_front() {
        assert_eq!(without_scope("super::super::a::b"), "a::b");
        assert_eq!(without_scope("crate::a::b"), "a::b");
        assert_eq!(without_scope("::krate::a"), "krate::a");
    }
}
