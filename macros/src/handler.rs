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
            tokens.into_iter().next().map_or_else(Span::call_site, |token| token.span()),
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
        let mut errors = compile_errors(&parsed.errors);
        errors.extend(check::stand_in(&parsed));
        errors
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
        let close = if empty { open + 1 } else { open + 1 + head[open + 1..].iter().position(is_bar)? };
        let parameters = Parameters::read(head[open + 1..close.max(open + 1)].iter().cloned().collect());
        let arrow = matches!(head.get(close + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == '-')
            && matches!(head.get(close + 2), Some(TokenTree::Punct(punct)) if punct.as_char() == '>');
        // A return type is followed by a block, which is the last token.
        let end = if arrow { head.len() - 1 } else { close + 1 };
        let body = head.split_off(end);
        (!body.is_empty()).then_some(Self { head, parameters, body })
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

#[cfg(test)]
mod tests {
    use super::expand;
    use crate::errors::messages;

    const CONTRACT: &str = "name = \"n\", intent_key = \"{id}\", provider_window = none, terminal = [confirmed]";

    fn expanded(rest: &str) -> String {
        expand(format!("{CONTRACT}, {rest}").parse().unwrap()).to_string()
    }

    #[test]
    fn the_result_is_one_closure() {
        for (closure, head) in [
            ("|id| id", "| id | {"),
            ("move |id: u64, (a, b): (A, B)| async move { id }", "move | id : u64 , (a , b) : (A , B) | {"),
            ("|| key()", "| | {"),
            ("async move |id| { id }", "async move | id | {"),
            ("|id| -> Map<A, B> { id },", "| id | -> Map < A , B > {"),
            ("for<'a> |id: &'a str| -> u8 { 5 }", "for < 'a > | id : & 'a str | -> u8 {"),
        ] {
            let out = expanded(closure);
            let squeezed = |text: &str| text.replace(' ', "");
            assert!(squeezed(&out).starts_with(&squeezed(head)), "{out}");
            assert!(out.trim_end().ends_with('}'), "{out}");
            assert!(out.contains("placeholder_id_is_displayed"), "{out}");
        }
    }

    #[test]
    fn a_block_gets_the_check_inside_and_anything_else_gets_a_block() {
        let squeezed = |text: &str| expanded(text).replace(' ', "");
        assert!(squeezed("|id| { use a::b; id }").ends_with("};usea::b;id}"));
        assert!(squeezed("|id| async { id }").ends_with("};async{id}}"));
    }

    #[test]
    fn faults_stand_inside_the_body() {
        let out =
            expand(format!("{CONTRACT}, contract = C, irreversible = true, bind = key, |id| key").parse().unwrap());
        assert_eq!(
            messages(out.clone()),
            [
                "`irreversible` is written `irreversible`",
                "`contract` makes a constant beside a function, and a closure has no such place; drop it",
            ]
        );
        let text = out.to_string();
        assert!(text.starts_with("| id | {") || text.starts_with("|id| {"), "{text}");
        assert!(text.contains("let key"), "{text}");
    }

    #[test]
    fn a_missing_or_broken_closure_is_named() {
        let said = |rest: &str| messages(expand(format!("{CONTRACT}, {rest}").parse().unwrap()));
        assert_eq!(
            said(""),
            ["the handler's closure is missing; put it after the fields, as in `|task| async move { .. }`"]
        );
        assert_eq!(said("|id"), ["expected a closure after the fields, as in `|task| async move { .. }`"]);
        assert_eq!(said("|id|"), ["expected a closure after the fields, as in `|task| async move { .. }`"]);
    }
}
