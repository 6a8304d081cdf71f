//! `handler!`: the same contract on a closure, which is left a closure.

use crate::check;
use crate::errors::compile_errors;
use crate::function::prefixed;
use crate::parameters::Parameters;
use effect_contracts_grammar::{parse_handler, Error};
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};

pub(crate) fn expand(arguments: TokenStream) -> TokenStream {
    let mut parsed = parse_handler(arguments);
    let Some(tokens) = parsed.closure.take() else {
        return compile_errors(&parsed.errors);
    };
    let Some(closure) = Closure::read(tokens.clone()) else {
        parsed.errors.push(Error::at(
            tokens
                .into_iter()
                .next()
                .map_or_else(Span::call_site, |token| token.span()),
            "expected a closure after the fields, as in `|task| async move { .. }`",
        ));
        return compile_errors(&parsed.errors);
    };
    let contradicted = check::contradicted(&parsed);
    parsed.errors.extend(contradicted);
    if let Some(contract) = &parsed.extras.contract {
        parsed.errors.push(Error::at(
            contract.span(),
            "`contract` makes a constant beside a function, and a closure has no such place; drop it",
        ));
    }
    let prefix = if parsed.errors.is_empty() {
        check::prefix(&parsed, &closure.parameters)
    } else {
        // Inside the body, since a macro in expression position may be one expression only.
        compile_errors(&parsed.errors)
    };
    closure.with(prefix)
}

/// A closure, taken apart before its body.
struct Closure {
    head: Vec<TokenTree>,
    parameters: Parameters,
    body: Vec<TokenTree>,
}

impl Closure {
    fn read(tokens: TokenStream) -> Option<Self> {
        let mut head: Vec<TokenTree> = tokens.into_iter().collect();
        let open = head.iter().position(is_bar)?;
        let empty = matches!(&head[open], TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint)
            && head.get(open + 1).is_some_and(is_bar);
        let close = if empty {
            open + 1
        } else {
            open + 1 + head[open + 1..].iter().position(is_bar)?
        };
        let parameters = Parameters::read(
            head[open + 1..close.max(open + 1)]
                .iter()
                .cloned()
                .collect(),
        );
        let arrow = matches!(head.get(close + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == '-')
            && matches!(head.get(close + 2), Some(TokenTree::Punct(punct)) if punct.as_char() == '>');
        // A return type is followed by a block, which is the last token.
        let end = if arrow { head.len() - 1 } else { close + 1 };
        let body = head.split_off(end);
        (!body.is_empty()).then_some(Self {
            head,
            parameters,
            body,
        })
    }

    fn with(self, prefix: TokenStream) -> TokenStream {
        let mut out: TokenStream = self.head.into_iter().collect();
        let block = match self.body.as_slice() {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => group.clone(),
            body => {
                let mut group = Group::new(Delimiter::Brace, body.iter().cloned().collect());
                group.set_span(body.first().map_or_else(Span::mixed_site, TokenTree::span));
                group
            }
        };
        out.extend([TokenTree::Group(prefixed(&block, prefix))]);
        out
    }
}

fn is_bar(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '|')
}
