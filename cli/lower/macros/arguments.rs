//! Macros that nobody knows: what can be read of their arguments.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::{Block, Expr, Stmt, Token, Type};

use super::Call;
use crate::ir::{BlockKind, ExprId, ExprKind, MacroCall, MapKey};
use crate::lower::body::Lowerer;
use crate::lower::{parse, types};
use crate::source::TextRange;

/// Groups nested deeper than this are not walked any more.
const DEPTH: usize = 32;

impl Lowerer<'_, '_> {
    /// An invocation with these arguments.
    pub(super) fn macro_expr(&mut self, call: Call<'_>, args: Box<[ExprId]>, complete: bool) -> ExprId {
        let path = types::path(&call.node.path);
        let call_ir = MacroCall { path, args, complete };
        self.add(ExprKind::Macro(Box::new(call_ir)), call.range)
    }

    /// Any macro: arguments, a block, a map, or what expressions are found in it.
    pub(super) fn any_macro(&mut self, call: Call<'_>) -> ExprId {
        let tokens = &call.node.tokens;
        let mut args = Vec::new();
        let complete = self.arguments(tokens, self.delimited(call.node.delimiter.span()), 0, &mut args);
        // a map of which every key and value was read
        if let (true, [only]) = (complete, &args[..]) {
            if matches!(self.body.expr(*only).kind, ExprKind::Map(_)) {
                return *only;
            }
        }
        self.include_statements(&args);
        self.macro_expr(call, args.into_boxed_slice(), complete)
    }

    /// Reads tokens as arguments. Whether all of them were understood.
    fn arguments(&mut self, tokens: &TokenStream, range: TextRange, depth: usize, out: &mut Vec<ExprId>) -> bool {
        if tokens.is_empty() {
            return true;
        }
        if let Ok(args) = parse::commas.parse2(tokens.clone()) {
            for arg in &args {
                let value = self.argument(arg);
                out.push(value);
            }
            return true;
        }
        if let Some(statements) = statements(tokens) {
            out.push(self.statements(BlockKind::Plain, None, &statements, range).id);
            return true;
        }
        if let Ok(entries) = entries.parse2(tokens.clone()) {
            let mut map = Vec::with_capacity(entries.len());
            for (key, value) in &entries {
                let key = match key {
                    Expr::Lit(lit) => match &lit.lit {
                        syn::Lit::Str(text) => MapKey::Text(text.value().into()),
                        _ => MapKey::Value(self.expr(key)),
                    },
                    key => MapKey::Value(self.expr(key)),
                };
                let value = self.expr(value);
                map.push((key, value));
            }
            out.push(self.add(ExprKind::Map(map.into_boxed_slice()), range));
            return true;
        }
        let mut complete = true;
        for piece in pieces(tokens) {
            complete &= self.piece(&piece, depth, out);
        }
        complete
    }

    /// One argument: the value of `name = value`, which names a parameter of the macro and assigns nothing.
    fn argument(&mut self, arg: &Expr) -> ExprId {
        match arg {
            Expr::Assign(named) if matches!(&*named.left, Expr::Path(path) if path.path.get_ident().is_some()) => {
                self.expr(&named.right)
            }
            arg => self.expr(arg),
        }
    }

    /// One argument as tokens, if arguments as a whole could not be parsed.
    fn piece(&mut self, tokens: &[TokenTree], depth: usize, out: &mut Vec<ExprId>) -> bool {
        // `name: value`
        let value = match tokens {
            [TokenTree::Ident(_), TokenTree::Punct(colon), value @ ..] if colon.as_char() == ':' && !joint(colon) => {
                value
            }
            value => value,
        };
        let stream: TokenStream = value.iter().cloned().collect();
        if let Ok(arg) = syn::parse2::<Expr>(stream.clone()) {
            let value = self.argument(&arg);
            out.push(value);
            return true;
        }
        if let Ok(Type::Path(ty)) = syn::parse2::<Type>(stream) {
            let range = self.path_range(ty.qself.as_ref(), &ty.path);
            let path = types::qualified_path(ty.qself.as_ref(), &ty.path);
            out.push(self.add(ExprKind::Path(Box::new(path)), range));
            return true;
        }
        if depth < DEPTH {
            for token in value {
                if let TokenTree::Group(group) = token {
                    let range = self.cut.between(group.span_open(), group.span_close());
                    self.arguments(&group.stream(), range, depth + 1, out);
                }
            }
        }
        false
    }
}

fn joint(colon: &proc_macro2::Punct) -> bool {
    colon.spacing() == proc_macro2::Spacing::Joint
}

/// Statements, also with the `for await` of asynchronous streams.
fn statements(tokens: &TokenStream) -> Option<Vec<Stmt>> {
    let parse = |tokens: TokenStream| Block::parse_within.parse2(tokens).ok();
    parse(tokens.clone()).or_else(|| parse(without_for_await(tokens, 0)?))
}

/// The tokens without each `await` that follows a `for`; `None` if there is none.
fn without_for_await(tokens: &TokenStream, depth: usize) -> Option<TokenStream> {
    let mut found = false;
    let mut after_for = false;
    let mut out = Vec::new();
    for token in tokens.clone() {
        let was_for = std::mem::take(&mut after_for);
        match token {
            TokenTree::Ident(ident) if was_for && ident == "await" => found = true,
            TokenTree::Group(group) if depth < DEPTH => match without_for_await(&group.stream(), depth + 1) {
                Some(inner) => {
                    found = true;
                    out.push(TokenTree::Group(regrouped(&group, inner)));
                }
                None => out.push(TokenTree::Group(group)),
            },
            token => {
                after_for = matches!(&token, TokenTree::Ident(ident) if ident == "for");
                out.push(token);
            }
        }
    }
    found.then(|| out.into_iter().collect())
}

/// A group with other tokens in it. Its brackets keep the place of the opening one at least.
fn regrouped(group: &Group, inner: TokenStream) -> Group {
    let mut out = Group::new(group.delimiter(), inner);
    out.set_span(group.span());
    out
}

/// `key => value, …`
fn entries(input: ParseStream<'_>) -> syn::Result<Vec<(Expr, Expr)>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        let key = input.parse()?;
        input.parse::<Token![=>]>()?;
        out.push((key, input.parse()?));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(out)
}

/// Splits tokens at `,`, `;` and `=>`.
fn pieces(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let mut out = vec![Vec::new()];
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let arrow = |next: Option<&TokenTree>| matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == '>');
        let ends = match &token {
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' | ';' => true,
                '=' if arrow(tokens.peek()) => {
                    tokens.next();
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if ends {
            out.push(Vec::new());
        } else if let Some(piece) = out.last_mut() {
            piece.push(token);
        }
    }
    out.retain(|piece| !piece.is_empty());
    out
}
