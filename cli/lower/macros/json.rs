//! `json!`: objects and arrays written out.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, LitStr, Token, token};

use super::Call;
use crate::ir::{ExprId, ExprKind, MapKey};
use crate::lower::body::Lowerer;
use crate::source::TextRange;

/// A JSON value, parsed.
enum Json {
    Object(Vec<(Key, Json)>, TextRange),
    Array(Vec<Json>, TextRange),
    Null(proc_macro2::Span),
    Value(Box<Expr>),
}

enum Key {
    Text(String),
    Value(Box<Expr>),
}

impl Lowerer<'_, '_> {
    /// `json!(…)`; `None` if it is not JSON.
    pub(super) fn json(&mut self, call: Call<'_>) -> Option<ExprId> {
        let cut = self.cut;
        let range = |span: &proc_macro2::extra::DelimSpan| cut.between(span.open(), span.close());
        let parser = |input: ParseStream<'_>| value(input, &range);
        let json = parser.parse2(call.node.tokens.clone()).ok()?;
        // a value alone is serialised, not shown: this stays a call
        if let Json::Value(value) = json {
            let argument = self.expr(&value);
            if matches!(*value, Expr::Lit(_)) {
                return Some(argument);
            }
            return Some(self.macro_expr(call, [argument].into(), true));
        }
        Some(self.json_value(&json))
    }

    /// `doc! { … }`: an object whose braces are those of the macro.
    pub(super) fn document(&mut self, call: Call<'_>) -> Option<ExprId> {
        let cut = self.cut;
        let range = |span: &proc_macro2::extra::DelimSpan| cut.between(span.open(), span.close());
        let mut object = Group::new(Delimiter::Brace, call.node.tokens.clone());
        object.set_span(call.node.delimiter.span().join());
        let parser = |input: ParseStream<'_>| value(input, &range);
        let json = parser.parse2(TokenStream::from(TokenTree::Group(object))).ok()?;
        Some(self.json_value(&json))
    }

    /// `params! { "order" => id, name }`: values by the names that a statement has for them. One that goes by the name of its
    /// variable is written alone.
    pub(super) fn named_list(&mut self, call: Call<'_>) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| {
            let mut entries = Vec::new();
            while !input.is_empty() {
                let name: Expr = input.parse()?;
                let entry = match (&name, input.parse::<Option<Token![=>]>>()?) {
                    (_, Some(_)) => (Key::Value(Box::new(name)), input.parse()?),
                    (Expr::Path(path), None) => (Key::Text(path.path.require_ident()?.to_string()), name),
                    _ => return Err(input.error("a value without a name")),
                };
                entries.push((entry.0, Json::Value(Box::new(entry.1))));
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(entries)
        };
        let entries = parser.parse2(call.node.tokens.clone()).ok()?;
        Some(self.json_value(&Json::Object(entries, call.range)))
    }

    fn json_value(&mut self, json: &Json) -> ExprId {
        match json {
            Json::Object(entries, range) => {
                let mut out = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = match key {
                        Key::Text(text) => MapKey::Text(text.as_str().into()),
                        Key::Value(key) => MapKey::Value(self.expr(key)),
                    };
                    let value = self.json_value(value);
                    out.push((key, value));
                }
                self.add(ExprKind::Map(out.into_boxed_slice()), *range)
            }
            Json::Array(values, range) => {
                let values = values.iter().map(|value| self.json_value(value)).collect();
                self.add(ExprKind::Array(values), *range)
            }
            // what `()` is serialised to
            Json::Null(span) => self.add(ExprKind::Tuple(Box::default()), self.cut.range(*span)),
            Json::Value(value) => self.expr(value),
        }
    }
}

fn value(input: ParseStream<'_>, range: &dyn Fn(&proc_macro2::extra::DelimSpan) -> TextRange) -> syn::Result<Json> {
    if input.peek(token::Brace) {
        let content;
        let brace = syn::braced!(content in input);
        let mut entries = Vec::new();
        while !content.is_empty() {
            let key = key(&content)?;
            content.parse::<Token![:]>()?;
            entries.push((key, value(&content, range)?));
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        return Ok(Json::Object(entries, range(&brace.span)));
    }
    if input.peek(token::Bracket) {
        let content;
        let bracket = syn::bracketed!(content in input);
        let mut values = Vec::new();
        while !content.is_empty() {
            values.push(value(&content, range)?);
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        // `[a, b].concat()` is an expression
        if input.is_empty() || input.peek(Token![,]) {
            return Ok(Json::Array(values, range(&bracket.span)));
        }
        return Err(input.error("an expression that starts with an array"));
    }
    let expr: Expr = input.parse()?;
    Ok(match &expr {
        Expr::Path(path) if path.path.is_ident("null") => Json::Null(path.path.segments[0].ident.span()),
        _ => Json::Value(Box::new(expr)),
    })
}

fn key(input: ParseStream<'_>) -> syn::Result<Key> {
    if input.peek(LitStr) && input.peek2(Token![:]) {
        return Ok(Key::Text(input.parse::<LitStr>()?.value()));
    }
    let mut tokens = TokenStream::new();
    while !input.is_empty() && (!input.peek(Token![:]) || input.peek(Token![::])) {
        if input.peek(Token![::]) {
            let colons: Token![::] = input.parse()?;
            let mut colon = proc_macro2::Punct::new(':', proc_macro2::Spacing::Joint);
            colon.set_span(colons.spans[0]);
            let mut last = proc_macro2::Punct::new(':', proc_macro2::Spacing::Alone);
            last.set_span(colons.spans[1]);
            tokens.extend([TokenTree::Punct(colon), TokenTree::Punct(last)]);
        } else {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
    }
    Ok(Key::Value(Box::new(syn::parse2(tokens)?)))
}
