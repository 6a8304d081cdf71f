//! The attribute's grammar: tokens in; a contract, the places of its fields and all errors out.
//!
//! It goes from field to field and recovers at the next one after a fault. What a field's value looks like is the
//! business of the field table.

use crate::cursor::Cursor;
use crate::fields::{self, Field, Need, Shape, FIELDS};
use crate::{suggest, Contract, State};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// All that an attribute says.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// the facts; a field with an error is absent
    pub contract: Contract,
    /// which fields were given where, in the order of the source, those with errors included
    pub given: Vec<Given>,
    /// what only the macro or a reader of the body needs
    pub extras: Extras,
    /// the closure of a `handler!`
    pub closure: Option<TokenStream>,
    /// everything that is wrong, in the order of the source; absent fields last
    pub errors: Vec<Error>,
}

impl Parsed {
    /// The first place where a field was given.
    pub fn given(&self, field: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.field == field)
    }
}

/// A field in the source.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// which field
    pub field: &'static str,
    /// place of its name
    pub name: Span,
    /// place of the first token of its value; of a flag, its name
    pub first: Span,
    /// place of the last token of its value
    pub last: Span,
}

/// What an attribute holds besides the contract: tokens, and names for the function's body.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// the intent key's tokens
    pub key: Option<Key>,
    /// the name under which the body finds the key
    pub bind: Option<Ident>,
    /// the constant to emit
    pub contract: Option<Ident>,
    /// the path of the crate `effect-contracts`
    pub crate_path: Option<TokenStream>,
    /// the variants that terminal states are mapped to
    pub terminal: Vec<(State, TokenStream)>,
    /// the path of the lookup, if it is to be checked
    pub reconcile: Option<TokenStream>,
    /// the path of the undo, if it is to be checked
    pub compensate: Option<TokenStream>,
    /// the lease token or version, if given as an expression
    pub fence: Option<TokenStream>,
}

/// The tokens of an intent key.
#[derive(Clone, Debug)]
pub enum Key {
    /// a template in a string literal
    Template {
        /// place of the literal
        literal: Span,
        /// its placeholders, in order
        placeholders: Vec<Placeholder>,
    },
    /// any other expression
    Expression(TokenStream),
}

/// A placeholder of a key template.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// its expression as written
    pub text: String,
    /// its tokens, without places of their own
    pub tokens: TokenStream,
}

/// A fault of an attribute.
#[derive(Clone, Debug)]
pub struct Error {
    /// place of the first token concerned
    pub first: Span,
    /// place of the last token concerned
    pub last: Span,
    /// what is wrong and what to do: lower case, without a full stop
    pub message: String,
}

impl Error {
    /// A fault at one place.
    pub fn at(span: Span, message: impl Into<String>) -> Self {
        Self { first: span, last: span, message: message.into() }
    }

    /// A fault of several tokens in a row.
    pub fn across(tokens: &[TokenTree], fallback: Span, message: impl Into<String>) -> Self {
        Self {
            first: tokens.first().map_or(fallback, TokenTree::span),
            last: tokens.last().map_or(fallback, TokenTree::span),
            message: message.into(),
        }
    }
}

/// Reads the arguments of an attribute: what stands between the parentheses of `#[effect(..)]`.
pub fn parse_arguments(arguments: TokenStream) -> Parsed {
    let mut parsed = Parsed::default();
    let mut cursor = Cursor::new(arguments, Span::call_site());
    read_fields(&mut cursor, &mut parsed, None);
    parsed
}

/// Reads the arguments of `handler!(..)`: the same fields, then a closure.
pub fn parse_handler(arguments: TokenStream) -> Parsed {
    let mut parsed = Parsed::default();
    let mut cursor = Cursor::new(arguments, Span::call_site());
    let mut closure = None;
    read_fields(&mut cursor, &mut parsed, Some(&mut closure));
    if closure.is_none() {
        parsed.errors.push(Error::at(
            Span::call_site(),
            "the handler's closure is missing; put it after the fields, as in `|task| async move { .. }`",
        ));
    }
    parsed.closure = closure;
    parsed
}

/// Reads the text between the parentheses of an attribute. Places in the result are places in this text.
pub fn parse_arguments_text(text: &str) -> Parsed {
    match text.parse() {
        Ok(tokens) => parse_arguments(tokens),
        Err(error) => lex_error(&error),
    }
}

/// Reads an attribute from its text: `#[effect(..)]`, `effect(..)`, or the same under any path.
///
/// Places in the result are places in this text.
pub fn parse_attribute_text(text: &str) -> Parsed {
    read_invocation(text, "the attribute has no arguments; write `#[effect(intent_key = .., ..)]`", parse_arguments)
}

/// Reads a `handler!(..)` from its text, also under another path. Places in the result are places in this text.
pub fn parse_handler_text(text: &str) -> Parsed {
    read_invocation(text, "the macro has no arguments; write `handler!(name = .., .., |task| ..)`", parse_handler)
}

fn read_invocation(text: &str, empty: &str, parse: fn(TokenStream) -> Parsed) -> Parsed {
    match text.parse::<TokenStream>() {
        Ok(tokens) => match arguments_of(tokens) {
            Some(arguments) => parse(arguments),
            None => Parsed { errors: vec![Error::at(Span::call_site(), empty)], ..Parsed::default() },
        },
        Err(error) => lex_error(&error),
    }
}

/// The arguments of an attribute or macro call: the last bracketed tokens, behind `#[` if that comes first.
fn arguments_of(tokens: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let hash = matches!(tokens.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
    let group = tokens.into_iter().rev().find_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    })?;
    if !hash {
        return Some(group.stream());
    }
    group.stream().into_iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => Some(group.stream()),
        _ => None,
    })
}

fn lex_error(error: &proc_macro2::LexError) -> Parsed {
    let error = Error::at(error.span(), "these are no Rust tokens: a quotation mark or bracket is not closed");
    Parsed { errors: vec![error], ..Parsed::default() }
}

// Nobody reads more of them, and the text may be of any size.
const MOST_ERRORS: usize = 100;

fn read_fields(cursor: &mut Cursor, parsed: &mut Parsed, mut closure: Option<&mut Option<TokenStream>>) {
    let mut misspelt = Vec::new();
    loop {
        cursor.open_invisible();
        if cursor.is_empty() {
            break;
        }
        if parsed.errors.len() >= MOST_ERRORS {
            let message = "this attribute has too many faults; the rest of it is not read";
            parsed.errors.push(Error::at(cursor.span(), message));
            return;
        }
        if let Some(closure) = closure.as_deref_mut() {
            if at_closure(cursor) {
                *closure = Some(without_trailing_comma(cursor.rest()));
                break;
            }
        }
        match read_field(cursor, parsed, &mut misspelt) {
            Ok(()) => {}
            Err(error) => {
                parsed.errors.push(error);
                cursor.skip_field();
            }
        }
        if cursor.take_punct(',').is_none() && !cursor.is_empty() {
            parsed.errors.push(Error::at(cursor.span(), "expected `,` between fields"));
            if !cursor.at_field() {
                cursor.skip_field();
                cursor.take_punct(',');
            }
        }
    }
    let needs_name = closure.is_some();
    report_absent(parsed, &misspelt, needs_name);
}

fn report_absent(parsed: &mut Parsed, misspelt: &[&str], needs_name: bool) {
    // A closure has no name of its own by which a report could call it.
    let needed = |field: &&Field| field.need == Need::Always || needs_name && field.name == "name";
    for field in FIELDS.iter().filter(needed) {
        if parsed.given(field.name).is_none() && !misspelt.contains(&field.name) {
            parsed.errors.push(Error::at(
                Span::call_site(),
                format!("missing field `{}`: {}, as in `{}`", field.name, field.says, field.example),
            ));
        }
    }
}

fn read_field(cursor: &mut Cursor, parsed: &mut Parsed, misspelt: &mut Vec<&'static str>) -> Result<(), Error> {
    let Some(name) = cursor.take_ident() else {
        return Err(Error::at(cursor.span(), "expected a field, as in `provider = \"stripe-v1\"`"));
    };
    let word = name.to_string();
    let Some(field) = FIELDS.iter().find(|field| field.name == word) else {
        let names = FIELDS.iter().map(|field| field.name);
        misspelt.extend(suggest::nearest(&word, names.clone()));
        let advice = suggest::clause(&word, names);
        let advice = if advice.is_empty() { format!("; the fields are {}", fields::list()) } else { advice };
        return Err(Error::at(name.span(), format!("unknown field `{word}`{advice}")));
    };
    let repeated = !field.repeatable && parsed.given(field.name).is_some();
    let mut given = Given { field: field.name, name: name.span(), first: name.span(), last: name.span() };
    let start = enter_value(cursor, field, name.span());
    let result = start.and_then(|()| {
        let position = cursor.position();
        let result = (field.read)(cursor, parsed);
        if let [first, .., last] | [first @ last] = cursor.since(position) {
            given.first = first.span();
            given.last = last.span();
        }
        result
    });
    parsed.given.push(given);
    if repeated {
        parsed.errors.push(Error::at(name.span(), format!("`{word}` is given twice; one effect has one {word}")));
    }
    result
}

/// Goes past the `=` of a value; leaves the parentheses of a call and the end of a flag in place.
fn enter_value(cursor: &mut Cursor, field: &Field, name: Span) -> Result<(), Error> {
    let ends = cursor.is_empty() || cursor.is_punct(',');
    let called = matches!(cursor.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let fits = match field.shape {
        Shape::Value => cursor.take_punct('=').is_some(),
        Shape::Flag => ends,
        Shape::Call => called,
    };
    if fits && !(field.shape == Shape::Value && (cursor.is_empty() || cursor.is_punct(','))) {
        return Ok(());
    }
    Err(Error::at(name, format!("`{}` is written `{}`", field.name, field.example)))
}

/// Whether a closure begins here: `|`, or a word before it that no field has.
fn at_closure(cursor: &Cursor) -> bool {
    match cursor.peek() {
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '|' | '#'),
        Some(TokenTree::Ident(ident)) => {
            !cursor.at_field() && ["move", "async", "static", "for"].iter().any(|word| ident == word)
        }
        _ => false,
    }
}

fn without_trailing_comma(mut tokens: Vec<TokenTree>) -> TokenStream {
    if matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == ',') {
        tokens.pop();
    }
    tokens.into_iter().collect()
}
