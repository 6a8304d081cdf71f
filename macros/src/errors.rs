//! Faults as `compile_error!` calls, at the place of the fault.

use effect_contracts_grammar::Error;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// One `compile_error!` for each fault, fit to stand beside items, in traits and impls, and as statements.
pub(crate) fn compile_errors(errors: &[Error]) -> TokenStream {
    errors.iter().flat_map(compile_error).collect()
}

/// `::core::compile_error! { "…" }`. The compiler underlines from the first token's place to the last token's.
fn compile_error(error: &Error) -> impl Iterator<Item = TokenTree> {
    let (first, last) = (error.first, error.last);
    let mut message = Literal::string(&error.message);
    message.set_span(last);
    let mut braces = Group::new(Delimiter::Brace, TokenTree::Literal(message).into());
    braces.set_span(last);
    let colon = |spacing| TokenTree::Punct(punct(':', spacing, first));
    [
        colon(Spacing::Joint),
        colon(Spacing::Alone),
        TokenTree::Ident(Ident::new("core", first)),
        colon(Spacing::Joint),
        colon(Spacing::Alone),
        TokenTree::Ident(Ident::new("compile_error", first)),
        TokenTree::Punct(punct('!', Spacing::Alone, first)),
        TokenTree::Group(braces),
    ]
    .into_iter()
}

fn punct(character: char, spacing: Spacing, span: Span) -> Punct {
    let mut punct = Punct::new(character, spacing);
    punct.set_span(span);
    punct
}

/// The messages of all `compile_error!` calls in an expansion.
#[cfg(test)]
pub(crate) fn messages(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut called = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if called => {
                let literal: syn::LitStr = syn::parse2(group.stream()).unwrap();
                found.push(literal.value());
                called = false;
            }
            TokenTree::Group(group) => found.extend(messages(group.stream())),
            TokenTree::Ident(ident) => called = ident == "compile_error",
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}
