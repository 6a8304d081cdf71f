//! Paths, types and generic parameters.
//!
//! In: the parser's nodes. Out: the representation's, with lifetimes, references and parentheses dropped; and the
//! extent of such nodes in the source, which the parser itself only tells for tokens.

use proc_macro2::Span;
use syn::{GenericArgument, GenericParam, PathArguments, ReturnType, Type, TypeParamBound, WherePredicate};

use crate::ir::{Generic, Name, PathIr, Segment, TypeIr};

/// Types nested deeper than this become opaque: comparing and cloning them recurses in later stages.
const DEPTH: usize = 64;

/// A path of more segments names nothing: each step of its resolution makes another name.
pub(super) const SEGMENTS: usize = 32;

/// The name of an identifier; `r#type` is `type`.
pub(super) fn name(ident: &syn::Ident) -> Name {
    let text = ident.to_string();
    Name::new(text.strip_prefix("r#").unwrap_or(&text))
}

/// A path without a qualified self.
pub(super) fn path(path: &syn::Path) -> PathIr {
    qualified_path(None, path)
}

/// A path, maybe with a qualified self.
pub(super) fn qualified_path(qself: Option<&syn::QSelf>, path: &syn::Path) -> PathIr {
    path_at(qself, path, 0)
}

fn path_at(qself: Option<&syn::QSelf>, path: &syn::Path, depth: usize) -> PathIr {
    if path.segments.len() > SEGMENTS {
        return PathIr::default();
    }
    PathIr {
        absolute: qself.is_none() && path.leading_colon.is_some(),
        qself: qself.map(|qself| Box::new(type_at(&qself.ty, depth + 1))),
        trait_segments: qself.map_or(0, |qself| qself.position.min(u8::MAX as usize) as u8),
        segments: path
            .segments
            .iter()
            .map(|segment| Segment { name: name(&segment.ident), args: arguments(&segment.arguments, depth + 1) })
            .collect(),
    }
}

/// The types of `::<…>`.
pub(super) fn turbofish(arguments: &syn::AngleBracketedGenericArguments) -> Vec<TypeIr> {
    generic_arguments(&arguments.args, 0)
}

fn arguments(arguments: &PathArguments, depth: usize) -> Vec<TypeIr> {
    match arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(arguments) => generic_arguments(&arguments.args, depth),
        PathArguments::Parenthesized(arguments) => {
            let inputs = arguments.inputs.iter().map(|input| type_at(&input.ty, depth));
            inputs.chain([return_at(&arguments.output, depth)]).collect()
        }
    }
}

fn generic_arguments<'a>(arguments: impl IntoIterator<Item = &'a GenericArgument>, depth: usize) -> Vec<TypeIr> {
    let types = arguments.into_iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(type_at(ty, depth)),
        GenericArgument::AssocType(binding) => Some(type_at(&binding.ty, depth)),
        GenericArgument::Constraint(constraint) => Some(TypeIr::Impl(bounds_at(&constraint.bounds, depth))),
        _ => None,
    });
    types.collect()
}

/// The declared return type, `()` where absent.
pub(super) fn return_type(output: &ReturnType) -> TypeIr {
    return_at(output, 0)
}

fn return_at(output: &ReturnType, depth: usize) -> TypeIr {
    match output {
        ReturnType::Default => TypeIr::Tuple(Vec::new()),
        ReturnType::Type(_, ty) => type_at(ty, depth),
    }
}

/// A type.
pub(super) fn ty(ty: &Type) -> TypeIr {
    type_at(ty, 0)
}

fn type_at(ty: &Type, depth: usize) -> TypeIr {
    if depth > DEPTH {
        return TypeIr::Opaque;
    }
    // what is looked through does not nest in the result, so a loop keeps the stack flat
    let mut ty = ty;
    let ty = loop {
        ty = match ty {
            Type::Group(inner) => &inner.elem,
            Type::Paren(inner) => &inner.elem,
            Type::Reference(inner) => &inner.elem,
            Type::Ptr(inner) => &inner.elem,
            other => break other,
        }
    };
    match ty {
        Type::Array(array) => TypeIr::Slice(Box::new(type_at(&array.elem, depth + 1))),
        Type::Slice(slice) => TypeIr::Slice(Box::new(type_at(&slice.elem, depth + 1))),
        Type::FnPtr(function) => {
            let inputs = function.inputs.iter().map(|input| type_at(&input.ty, depth + 1));
            TypeIr::Fn(inputs.collect(), Box::new(return_at(&function.output, depth + 1)))
        }
        Type::ImplTrait(bounds) => TypeIr::Impl(bounds_at(&bounds.bounds, depth + 1)),
        Type::TraitObject(bounds) => TypeIr::Dyn(bounds_at(&bounds.bounds, depth + 1)),
        Type::Infer(_) => TypeIr::Infer,
        Type::Never(_) => TypeIr::Never,
        Type::Path(path) => TypeIr::Path(path_at(path.qself.as_ref(), &path.path, depth)),
        Type::Tuple(tuple) => TypeIr::Tuple(tuple.elems.iter().map(|elem| type_at(elem, depth + 1)).collect()),
        _ => TypeIr::Opaque,
    }
}

/// Trait bounds; lifetimes and `?Sized` are dropped.
pub(super) fn bounds<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>) -> Vec<PathIr> {
    bounds_at(bounds, 0)
}

fn bounds_at<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>, depth: usize) -> Vec<PathIr> {
    let paths = bounds.into_iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) if bound.maybe.is_none() => Some(path_at(None, &bound.path, depth)),
        _ => None,
    });
    paths.collect()
}

/// Type and const parameters, with the bounds of the where clause.
pub(super) fn generics(generics: &syn::Generics) -> Vec<Generic> {
    let mut out: Vec<Generic> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(Generic {
                name: name(&param.ident),
                bounds: bounds(&param.bounds),
                default: param.default.as_ref().map(|(_, default)| Box::new(ty(default))),
            }),
            GenericParam::Const(param) => Some(Generic { name: name(&param.ident), bounds: Vec::new(), default: None }),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    for predicate in predicates {
        let WherePredicate::Type(predicate) = predicate else {
            continue;
        };
        let Type::Path(bounded) = &predicate.bounded_ty else {
            continue;
        };
        let Some(ident) = bounded.path.get_ident() else {
            continue;
        };
        let bounded = name(ident);
        if let Some(generic) = out.iter_mut().find(|generic| generic.name == bounded) {
            generic.bounds.extend(bounds(&predicate.bounds));
        }
    }
    out
}

/// First token of a path.
pub(super) fn path_start(qself: Option<&syn::QSelf>, path: &syn::Path) -> Span {
    if let Some(qself) = qself {
        return qself.lt_token.spans[0];
    }
    let colon = path.leading_colon.map(|colon| colon.spans[0]);
    let first = path.segments.first().map(|segment| segment.ident.span());
    colon.or(first).unwrap_or_else(Span::call_site)
}

/// Last token of a path.
pub(super) fn path_end(path: &syn::Path) -> Span {
    path.segments.last().map_or_else(Span::call_site, |segment| match &segment.arguments {
        PathArguments::None => segment.ident.span(),
        PathArguments::AngleBracketed(arguments) => arguments.gt_token.spans[0],
        PathArguments::Parenthesized(arguments) => match &arguments.output {
            ReturnType::Default => arguments.paren_token.span.close(),
            ReturnType::Type(_, ty) => type_end(ty),
        },
    })
}

/// Whether a type is written as a reference.
pub(super) fn is_reference(ty: &Type) -> bool {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Group(inner) => &inner.elem,
            Type::Paren(inner) => &inner.elem,
            other => return matches!(other, Type::Reference(_)),
        }
    }
}

/// Last token of a type.
pub(super) fn type_end(ty: &Type) -> Span {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Reference(inner) => &inner.elem,
            Type::Ptr(inner) => &inner.elem,
            Type::Group(inner) => &inner.elem,
            Type::FnPtr(function) => match &function.output {
                ReturnType::Default => return function.paren_token.span.close(),
                ReturnType::Type(_, output) => output,
            },
            Type::Array(array) => return array.bracket_token.span.close(),
            Type::Slice(slice) => return slice.bracket_token.span.close(),
            Type::Tuple(tuple) => return tuple.paren_token.span.close(),
            Type::Paren(paren) => return paren.paren_token.span.close(),
            Type::Infer(infer) => return infer.underscore_token.spans[0],
            Type::Never(never) => return never.bang_token.spans[0],
            Type::Macro(call) => return call.mac.delimiter.span().close(),
            Type::Path(path) => return path_end(&path.path),
            Type::ImplTrait(bounds) => {
                return bounds_end(bounds.bounds.last(), bounds.impl_token.span);
            }
            Type::TraitObject(bounds) => {
                let start = bounds.dyn_token.map_or_else(Span::call_site, |token| token.span);
                return bounds_end(bounds.bounds.last(), start);
            }
            Type::Verbatim(tokens) => {
                let last = tokens.clone().into_iter().last();
                return last.map_or_else(Span::call_site, |token| token.span());
            }
            _ => return Span::call_site(),
        }
    }
}

fn bounds_end(last: Option<&TypeParamBound>, otherwise: Span) -> Span {
    match last {
        Some(TypeParamBound::Trait(bound)) => {
            bound.paren_token.map_or_else(|| path_end(&bound.path), |paren| paren.span.close())
        }
        Some(TypeParamBound::Lifetime(lifetime)) => lifetime.ident.span(),
        Some(TypeParamBound::PreciseCapture(capture)) => capture.gt_token.spans[0],
        _ => otherwise,
    }
}

/// First token of a type.
pub(super) fn type_start(ty: &Type) -> Span {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Group(inner) => &inner.elem,
            Type::Reference(inner) => return inner.and_token.spans[0],
            Type::Ptr(inner) => return inner.star_token.spans[0],
            Type::FnPtr(function) => return function.fn_token.span,
            Type::Array(array) => return array.bracket_token.span.open(),
            Type::Slice(slice) => return slice.bracket_token.span.open(),
            Type::Tuple(tuple) => return tuple.paren_token.span.open(),
            Type::Paren(paren) => return paren.paren_token.span.open(),
            Type::Infer(infer) => return infer.underscore_token.spans[0],
            Type::Never(never) => return never.bang_token.spans[0],
            Type::Macro(call) => return path_start(None, &call.mac.path),
            Type::Path(path) => return path_start(path.qself.as_ref(), &path.path),
            Type::ImplTrait(bounds) => return bounds.impl_token.span,
            Type::TraitObject(bounds) => match (bounds.dyn_token, bounds.bounds.first()) {
                (Some(token), _) => return token.span,
                (None, Some(TypeParamBound::Trait(bound))) => return path_start(None, &bound.path),
                _ => return Span::call_site(),
            },
            Type::Verbatim(tokens) => {
                let first = tokens.clone().into_iter().next();
                return first.map_or_else(Span::call_site, |token| token.span());
            }
            _ => return Span::call_site(),
        }
    }
}
