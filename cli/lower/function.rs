//! Functions: signature, parameters, body.

use syn::FnArg;

use super::attributes::attributes;
use super::body::Lowerer;
use super::macros::Definitions;
use super::parse::FnItem;
use super::text::Cut;
use super::types;
use crate::ir::{Body, ExprKind, Function, Items, Name, Param, PatKind, PathIr, Segment, TypeIr};
use crate::source::TextRange;

/// What the index knows of a function.
pub(super) struct Context {
    /// the whole item
    pub(super) range: TextRange,
    /// in test code
    pub(super) test: bool,
    /// heads of the macro invocation around it
    pub(super) macro_heads: Option<Box<str>>,
    /// the body exists, though it was not given to the parser, and this is why
    pub(super) opaque: Option<(TextRange, &'static str)>,
}

/// Lowers a function.
pub(super) fn function<'s, 'a>(
    item: &FnItem,
    context: Context,
    cut: Cut<'s, 'a>,
    macros: &'s Definitions<'s, 'a>,
) -> Function {
    let mut lowerer = Lowerer::new(cut, macros);
    let has_body = item.block.is_some() || context.opaque.is_some();
    let params: Vec<Param> = item
        .sig
        .inputs
        .iter()
        .map(|input| match input {
            FnArg::Receiver(receiver) => self_param(receiver, &mut lowerer),
            FnArg::Typed(typed) => param(typed, &mut lowerer),
        })
        .map(|param| Param { pat: param.pat.filter(|_| has_body), ..param })
        .collect();
    let mut handlers = Vec::new();
    let body = match (&context.opaque, &item.block) {
        (Some((range, reason)), _) => Some(opaque(lowerer, *range, reason)),
        (None, Some(block)) => {
            let root = lowerer.plain_block(block);
            handlers = std::mem::take(&mut lowerer.handlers);
            for handler in &mut handlers {
                handler.test = context.test;
            }
            Some(lowerer.finish(root.id))
        }
        (None, None) => None,
    };
    Function {
        name: types::name(&item.sig.ident),
        attributes: attributes(&item.attrs, cut),
        generics: types::generics(&item.sig.generics),
        has_self: item.sig.receiver().is_some(),
        alone_with_self: item
            .sig
            .receiver()
            .is_some_and(|receiver| matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)))),
        params,
        ret: types::return_type(&item.sig.output),
        is_async: item.sig.asyncness.is_some(),
        public: !matches!(item.vis, syn::Visibility::Inherited),
        body: body.map(Box::new),
        inner: (!handlers.is_empty()).then(|| Box::new(Items { functions: handlers, ..Items::default() })),
        test: context.test,
        name_range: cut.range(item.sig.ident.span()),
        range: context.range,
        macro_heads: context.macro_heads,
        closure: None,
        captures: Vec::new(),
    }
}

fn opaque(mut lowerer: Lowerer<'_, '_>, range: TextRange, reason: &'static str) -> Body {
    let root = lowerer.add(ExprKind::Opaque(reason), range);
    lowerer.finish(root)
}

fn self_param(receiver: &syn::Receiver, lowerer: &mut Lowerer<'_, '_>) -> Param {
    let name = Name::new("self");
    let own = lowerer.cut.range(receiver.self_token.span);
    let mutable = receiver.mutability.map(|token| token.span);
    let (first, last) = match &receiver.kind {
        syn::ReceiverKind::Reference(and, ..) => (Some(and.spans[0]), None),
        syn::ReceiverKind::Typed(_, ty) => (mutable, Some(types::type_end(ty))),
        _ => (mutable, None),
    };
    let local = lowerer.bind(name, own);
    let pat = lowerer.add_pat(PatKind::Bind { local, inner: None }, own);
    Param {
        pat: Some(pat),
        name: Some(name),
        ty: match &receiver.kind {
            syn::ReceiverKind::Typed(_, ty) => types::ty(ty),
            _ => self_type(),
        },
        borrowed: matches!(receiver.kind, syn::ReceiverKind::Reference(..)),
        range: TextRange {
            start: first.map_or(own.start, |first| lowerer.cut.start(first)),
            end: last.map_or(own.end, |last| lowerer.cut.end(last)),
        },
    }
}

fn self_type() -> TypeIr {
    TypeIr::Path(PathIr { segments: vec![Segment { name: Name::new("Self"), args: Vec::new() }], ..PathIr::default() })
}

fn param(typed: &syn::PatType, lowerer: &mut Lowerer<'_, '_>) -> Param {
    let pat = lowerer.pattern(&typed.pat);
    let start = lowerer.body.pat(pat).range.start;
    let name = match lowerer.body.pat(pat).kind {
        PatKind::Bind { local, inner: None } => Some(lowerer.body.locals[local.0 as usize].name),
        _ => None,
    };
    Param {
        pat: Some(pat),
        name,
        ty: types::ty(&typed.ty),
        borrowed: types::is_reference(&typed.ty),
        range: TextRange { start, end: lowerer.cut.end(types::type_end(&typed.ty)) },
    }
}
