//! The intent key as code: a check that is compiled and never runs, or the value that `bind` binds.

use crate::parameters::Parameters;
use effect_contracts_grammar::{suggest, Error, Key, KeyPart, KeyTemplate, Placeholder};
use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use std::collections::BTreeSet;

/// The key's functions and its format arguments.
///
/// Every placeholder passes through a function of its own whose name says which placeholder it is, since the compiler
/// names the function when the value has no `Display`; a place inside the string literal cannot be given.
pub(crate) struct KeyCode {
    functions: TokenStream,
    arguments: TokenStream,
    span: Span,
}

impl KeyCode {
    pub(crate) fn new(key: &Key, template: &KeyTemplate, parameters: &Parameters) -> Self {
        match (key, template) {
            (Key::Template { literal, placeholders }, KeyTemplate::Template { parts, .. }) => {
                Self::template(*literal, parts, placeholders, parameters)
            }
            (Key::Template { literal, .. }, KeyTemplate::Expression(_)) => {
                Self { functions: TokenStream::new(), arguments: TokenStream::new(), span: *literal }
            }
            (Key::Expression(expression), _) => Self::expression(expression),
        }
    }

    fn template(literal: Span, parts: &[KeyPart], placeholders: &[Placeholder], parameters: &Parameters) -> Self {
        let span = literal.resolved_at(Span::mixed_site());
        let mut functions = TokenStream::new();
        let mut values = TokenStream::new();
        let mut defined = BTreeSet::new();
        for placeholder in placeholders {
            let name = function_name(&placeholder.text);
            let function = Ident::new(&name, span);
            if defined.insert(name) {
                functions.extend(displayed(&function, span));
            }
            let expression = respan(placeholder.tokens.clone(), literal, parameters);
            values.extend(quote_spanned!(span=> , #function(&&(#expression))));
        }
        let mut format = Literal::string(&format_string(parts));
        format.set_span(span);
        Self { functions, arguments: quote_spanned!(span=> #format #values), span }
    }

    fn expression(expression: &TokenStream) -> Self {
        let first = expression.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let span = first.resolved_at(Span::mixed_site());
        let function = Ident::new("intent_key_is_displayed", span);
        let functions = displayed(&function, span);
        let arguments = quote_spanned!(span=> "{}", #function(&&(#expression)));
        Self { functions, arguments, span }
    }

    /// A closure that nobody calls: it borrows what it names, for the length of one statement.
    pub(crate) fn check(&self) -> TokenStream {
        let Self { functions, arguments, span } = self;
        quote_spanned! {*span=>
            let _ = || {
                #functions
                let _ = ::core::format_args!(#arguments);
            };
        }
    }

    /// The statement that binds the key.
    pub(crate) fn bind(&self, name: &Ident, crate_path: &TokenStream) -> TokenStream {
        let Self { functions, arguments, span } = self;
        quote_spanned! {*span=>
            let #name: #crate_path::IntentKey = {
                #functions
                #crate_path::__intent_key!(::core::format_args!(#arguments))
            };
        }
    }
}

/// A function that takes what can be displayed and gives something that certainly can be, so that the compiler has one
/// thing to say about a value that cannot.
fn displayed(name: &Ident, span: Span) -> TokenStream {
    quote_spanned! {span=>
        fn #name<'a, T: ::core::fmt::Display + ?::core::marker::Sized>(value: &'a &T) -> &'a dyn ::core::fmt::Display {
            value
        }
    }
}

fn function_name(placeholder: &str) -> String {
    let mut name = "placeholder".to_owned();
    for word in placeholder.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
    {
        name.push('_');
        name.push_str(&word.to_ascii_lowercase());
    }
    name + "_is_displayed"
}

/// The template as a format string: its texts with braces doubled, `{}` for every placeholder.
fn format_string(parts: &[KeyPart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            KeyPart::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            KeyPart::Placeholder(_) => "{}".to_owned(),
        })
        .collect()
}

/// Places a placeholder's tokens at the string literal. A word that names a parameter takes over the parameter's
/// hygiene: inside `macro_rules!` the two may come from different places, and would not find each other.
fn respan(tokens: TokenStream, literal: Span, parameters: &Parameters) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            match &mut token {
                TokenTree::Group(group) => {
                    let inside = respan(group.stream(), literal, parameters);
                    let mut placed = Group::new(group.delimiter(), inside);
                    placed.set_span(literal);
                    *group = placed;
                }
                TokenTree::Ident(ident) => {
                    let parameter = parameters.get(&ident.to_string());
                    ident.set_span(parameter.map_or(literal, |named| literal.resolved_at(named.span())));
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => token.set_span(literal),
            }
            token
        })
        .collect()
}

/// The placeholders of a function's key that begin with a name which no parameter has.
pub(crate) fn unknown_names(key: &Key, parameters: &Parameters, function: &Ident) -> Vec<Error> {
    let Key::Template { literal, placeholders } = key else {
        return Vec::new();
    };
    placeholders
        .iter()
        .filter_map(|placeholder| {
            let name = plain_name(&placeholder.tokens)?;
            parameters.get(&name).is_none().then(|| {
                let text = &placeholder.text;
                let advice = advice(&name, parameters);
                let message = format!("the placeholder `{{{text}}}` names no parameter of `{function}`; {advice}");
                Error::at(*literal, message)
            })
        })
        .collect()
}

fn advice(name: &str, parameters: &Parameters) -> String {
    if parameters.is_rewritten() {
        return "`#[async_trait]` has replaced a pattern among the parameters by a name of its own: bind that parameter \
                by name and take it apart in the body"
            .to_owned();
    }
    let names: Vec<String> = parameters.names().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match (suggest::nearest(name, names.iter().copied()), names.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "it has none that has a name".to_owned(),
        (None, names) => format!("its parameters are `{}`", names.join("`, `")),
    }
}

/// The first word of an expression, if it can be nothing but a variable: no path, call, macro or constant.
fn plain_name(tokens: &TokenStream) -> Option<String> {
    let mut tokens = tokens.clone().into_iter();
    let Some(TokenTree::Ident(first)) = tokens.next() else {
        return None;
    };
    let word = first.to_string();
    let goes_on = match tokens.next() {
        None => false,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ':' | '!'),
        Some(TokenTree::Ident(next)) => next != "as",
        Some(TokenTree::Group(group)) => group.delimiter() != proc_macro2::Delimiter::Bracket,
        Some(TokenTree::Literal(_)) => true,
    };
    let keyword = matches!(word.as_str(), "if" | "match" | "unsafe" | "true" | "false" | "loop" | "const");
    let constant = !word.chars().any(char::is_lowercase) || word.starts_with(char::is_uppercase);
    (!goes_on && !keyword && !constant).then_some(word)
}
