//! `handler!(name = "…", …, |ctx| async move { … })`: a closure that is a handler of its own.
//!
//! The invocation stays in the body around it, with the closure as its argument; the closure becomes a function, too, so
//! that a contract can be attached to it as to any other.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{Expr, ExprClosure, Macro, ReturnType};

use super::body::Lowerer;
use super::types;
use crate::ir::{Attribute, BlockKind, ExprId, ExprKind, Function, MacroCall, Name, Param, PatKind, TypeIr};
use crate::source::TextRange;

impl Lowerer<'_, '_> {
    /// `handler!`; `None` if there is no closure at its end.
    pub(super) fn handler(&mut self, node: &Macro, range: TextRange) -> Option<ExprId> {
        let (fields, closure) = split(&node.tokens)?;
        // apart from the body around it: what is bound there is captured here
        let mut inner = Lowerer::new(self.cut, self.macros);
        inner.outer = self.visible();
        let mut function = inner.handler_function(node, &fields, &closure, range);
        let lowered = self.expr(&Expr::Closure(closure));
        function.closure = Some(self.body.expr(lowered).range);
        self.handlers.push(function);
        let call = MacroCall { path: types::path(&node.path), args: [lowered].into(), complete: true };
        Some(self.add(ExprKind::Macro(Box::new(call)), range))
    }

    fn handler_function(
        mut self,
        node: &Macro,
        fields: &[TokenTree],
        closure: &ExprClosure,
        range: TextRange,
    ) -> Function {
        let params = closure.inputs.iter().map(|input| self.closure_param(input)).collect();
        let (root, is_async) = match &*closure.body {
            Expr::Async(block) => {
                let root = self.block(BlockKind::Plain, None, block.async_token.span, &block.block);
                (root, true)
            }
            body => (self.lower(body), closure.asyncness.is_some()),
        };
        let captures = self.captures.values().copied().collect();
        let path: Vec<_> = node.path.segments.iter().map(|segment| types::name(&segment.ident).as_str()).collect();
        let args_range = match (fields.first(), fields.last()) {
            (Some(first), Some(last)) => self.cut.between(first.span(), last.span()),
            _ => TextRange { start: range.end, end: range.end },
        };
        let attribute = Attribute {
            path: path.join("::").into(),
            args: self.cut.source.slice(args_range).into(),
            range,
            args_range,
        };
        let (name, name_range) = match name(fields) {
            Some((text, span)) => (Name::new(&text), self.cut.range(span)),
            None => (Name::new("handler"), self.path_range(None, &node.path)),
        };
        Function {
            name,
            attributes: vec![attribute],
            generics: Vec::new(),
            has_self: false,
            alone_with_self: false,
            params,
            ret: match &closure.output {
                ReturnType::Default => TypeIr::Infer,
                ReturnType::Type(_, ty) => types::ty(ty),
            },
            is_async,
            public: false,
            body: Some(Box::new(self.finish(root.id))),
            inner: None,
            test: false,
            name_range,
            range,
            macro_heads: None,
            closure: None,
            captures,
        }
    }

    fn closure_param(&mut self, input: &syn::Pat) -> Param {
        let (pat, ty) = match input {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&typed.ty)),
            pat => (pat, None),
        };
        let pat = self.pattern(pat);
        let range = self.body.pat(pat).range;
        let name = match self.body.pat(pat).kind {
            PatKind::Bind { local, inner: None } => Some(self.body.locals[local.0 as usize].name),
            _ => None,
        };
        Param {
            pat: Some(pat),
            name,
            ty: ty.map_or(TypeIr::Infer, |ty| types::ty(ty)),
            borrowed: ty.is_some_and(|ty| types::is_reference(ty)),
            range: TextRange { end: ty.map_or(range.end, |ty| self.cut.end(types::type_end(ty))), ..range },
        }
    }
}

/// The tokens of the fields, without the last comma, and the closure behind them.
fn split(tokens: &TokenStream) -> Option<(Vec<TokenTree>, ExprClosure)> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let starts = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Ident(ident) => ident == "move" || ident == "async",
        _ => false,
    };
    let at = (0..tokens.len()).find(|&at| starts(&tokens[at]) && (at == 0 || is_comma(&tokens[at - 1])))?;
    let mut closure = &tokens[at..];
    if closure.last().is_some_and(is_comma) {
        closure = &closure[..closure.len() - 1];
    }
    let Ok(Expr::Closure(closure)) = syn::parse2(closure.iter().cloned().collect()) else {
        return None;
    };
    Some((tokens[..at.saturating_sub(1)].to_vec(), closure))
}

/// The text of `name = "…"` among the fields.
fn name(fields: &[TokenTree]) -> Option<(String, Span)> {
    fields.windows(3).enumerate().find_map(|(at, window)| match window {
        [TokenTree::Ident(key), TokenTree::Punct(equals), TokenTree::Literal(value)]
            if key == "name" && equals.as_char() == '=' && (at == 0 || is_comma(&fields[at - 1])) =>
        {
            match syn::Lit::new(value.clone()) {
                syn::Lit::Str(text) => Some((text.value(), text.span())),
                _ => None,
            }
        }
        _ => None,
    })
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}
