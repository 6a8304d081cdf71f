//! The grammar of one cut: more lenient than a compiler's, since a cut is known to be an item.
//!
//! In: a cut's text. Out: the parser's nodes, or why there are none. Headers come with an empty body. What a header
//! says that no later stage reads (safety, defaultness, constness) is skipped.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Expr, Generics, Ident, Path, Signature, Stmt, Token, Type, TypeParamBound, Visibility,
    WhereClause, braced, token,
};

use super::gate;

/// Why a cut could not be parsed.
pub(super) struct Failure {
    /// the parser's words
    pub(super) message: String,
    /// where
    pub(super) span: Span,
    /// it may be right, but is not read
    pub(super) unread: bool,
}

impl Failure {
    /// A recursive parser would need more stack than there is.
    pub(super) fn too_deep() -> Self {
        Self { message: "it nests deeper than can be read safely".to_owned(), span: Span::call_site(), unread: true }
    }
}

impl From<syn::Error> for Failure {
    fn from(error: syn::Error) -> Self {
        Self { message: error.to_string(), span: error.span(), unread: false }
    }
}

/// Parses a text, unless it nests too deeply for a recursive parser.
pub(super) fn parse<T>(text: &str, parser: impl FnOnce(ParseStream<'_>) -> syn::Result<T>) -> Result<T, Failure> {
    let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| Failure {
        message: "it holds a character or literal that is no Rust token".to_owned(),
        span: error.span(),
        unread: false,
    })?;
    // Each level takes a byte at least: what is short cannot be deep.
    if text.len() > gate::LIMIT && gate::too_deep(&tokens) {
        return Err(Failure::too_deep());
    }
    Ok(parser.parse2(tokens)?)
}

/// A function, with or without body.
pub(super) struct FnItem {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) sig: Signature,
    pub(super) block: Option<Block>,
}

/// `fn f() { … }` or `fn f();`
pub(super) fn function(input: ParseStream<'_>) -> syn::Result<FnItem> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis = input.parse()?;
    modifiers(input)?;
    // in a foreign block
    if input.peek(Token![safe]) {
        input.parse::<Token![safe]>()?;
    }
    let sig = input.parse()?;
    let block = if input.peek(token::Brace) {
        let content;
        let brace_token = braced!(content in input);
        content.call(Attribute::parse_inner)?;
        let stmts: Vec<Stmt> = content.call(Block::parse_within)?;
        Some(Block { brace_token, stmts })
    } else {
        input.parse::<Option<Token![;]>>()?;
        None
    };
    Ok(FnItem { attrs, vis, sig, block })
}

/// `default` and `final`, unless they are names.
fn modifiers(input: ParseStream<'_>) -> syn::Result<()> {
    let modifier = input.peek(Token![default]) || input.peek(Token![final]);
    if modifier && !input.peek2(Token![:]) && !input.peek2(Token![=]) {
        input.call(Ident::parse_any)?;
    }
    Ok(())
}

/// A constant or static.
pub(super) struct ConstItem {
    pub(super) ident: Ident,
    pub(super) ty: Option<Type>,
    pub(super) value: Option<Expr>,
}

/// `const X: T = e;`, `static mut X: T = e;`, and the `static ref X: T = e;` of `lazy_static!`.
pub(super) fn constant(input: ParseStream<'_>) -> syn::Result<ConstItem> {
    input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    modifiers(input)?;
    input.parse::<Option<Token![unsafe]>>()?;
    if input.peek(Token![const]) {
        input.parse::<Token![const]>()?;
    } else {
        input.parse::<Token![static]>()?;
    }
    if input.peek(Token![mut]) || input.peek(Token![ref]) {
        input.call(Ident::parse_any)?;
    }
    let ident = input.call(Ident::parse_any)?;
    if input.peek(Token![<]) {
        input.parse::<Generics>()?;
    }
    let ty = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    let value = match input.parse::<Option<Token![=]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    rest(input)?;
    Ok(ConstItem { ident, ty, value })
}

/// `type X<T> = U;`
pub(super) struct AliasItem {
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) ty: Option<Type>,
}

/// `type X<T> = U;`, or without value.
pub(super) fn alias(input: ParseStream<'_>) -> syn::Result<AliasItem> {
    input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    modifiers(input)?;
    input.parse::<Token![type]>()?;
    let ident = input.parse()?;
    let mut generics: Generics = input.parse()?;
    if input.parse::<Option<Token![:]>>()?.is_some() {
        bounds(input)?;
    }
    generics.where_clause = input.parse()?;
    let ty = match input.parse::<Option<Token![=]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    rest(input)?;
    Ok(AliasItem { ident, generics, ty })
}

/// The head of an `impl`.
pub(super) struct ImplHead {
    pub(super) attrs: Vec<Attribute>,
    pub(super) generics: Generics,
    pub(super) trait_path: Option<Path>,
    pub(super) self_ty: Type,
}

/// `impl<T> A for B where … {}`
pub(super) fn implementation(input: ParseStream<'_>) -> syn::Result<ImplHead> {
    let attrs = input.call(Attribute::parse_outer)?;
    modifiers(input)?;
    input.parse::<Option<Token![unsafe]>>()?;
    input.parse::<Token![impl]>()?;
    // `impl <T as A>::B {}` starts like generics and is none
    let mut generics = if input.peek(Token![<]) && input.fork().parse::<Generics>().is_ok() {
        input.parse()?
    } else {
        Generics::default()
    };
    input.parse::<Option<Token![const]>>()?;
    input.parse::<Option<Token![!]>>()?;
    let first: Type = input.parse()?;
    let (trait_path, self_ty) = match input.parse::<Option<Token![for]>>()? {
        Some(_) => (path_of(&first), input.parse()?),
        None => (None, first),
    };
    generics.where_clause = input.parse()?;
    rest(input)?;
    Ok(ImplHead { attrs, generics, trait_path, self_ty })
}

fn path_of(ty: &Type) -> Option<Path> {
    match ty {
        Type::Path(path) => Some(path.path.clone()),
        Type::Group(inner) => path_of(&inner.elem),
        _ => None,
    }
}

/// The head of a trait.
pub(super) struct TraitHead {
    pub(super) attrs: Vec<Attribute>,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) supers: Vec<TypeParamBound>,
}

/// `trait A<T>: B where … {}`, also `trait A = B;`
pub(super) fn trait_head(input: ParseStream<'_>) -> syn::Result<TraitHead> {
    let attrs = input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    // `unsafe`, `const`, `auto`
    while !input.peek(Token![trait]) {
        input.call(Ident::parse_any)?;
    }
    input.parse::<Token![trait]>()?;
    let ident = input.parse()?;
    let mut generics: Generics = input.parse()?;
    let mut supers = Vec::new();
    if input.peek(Token![:]) || input.peek(Token![=]) {
        if input.parse::<Option<Token![:]>>()?.is_none() {
            input.parse::<Token![=]>()?;
        }
        supers = bounds(input)?;
    }
    generics.where_clause = input.parse::<Option<WhereClause>>()?;
    rest(input)?;
    Ok(TraitHead { attrs, ident, generics, supers })
}

fn bounds(input: ParseStream<'_>) -> syn::Result<Vec<TypeParamBound>> {
    let mut out = Vec::new();
    while !(input.is_empty()
        || input.peek(Token![where])
        || input.peek(token::Brace)
        || input.peek(Token![=])
        || input.peek(Token![;]))
    {
        out.push(input.parse()?);
        if input.parse::<Option<Token![+]>>()?.is_none() {
            break;
        }
    }
    Ok(out)
}

/// Attributes alone.
pub(super) fn attributes(input: ParseStream<'_>) -> syn::Result<Vec<Attribute>> {
    let attrs = input.call(Attribute::parse_outer)?;
    rest(input)?;
    Ok(attrs)
}

/// Comma-separated expressions.
pub(super) fn commas(input: ParseStream<'_>) -> syn::Result<Punctuated<Expr, Token![,]>> {
    Punctuated::parse_terminated(input)
}

/// Skips what is left.
pub(super) fn rest(input: ParseStream<'_>) -> syn::Result<()> {
    input.parse::<TokenStream>().map(drop)
}
