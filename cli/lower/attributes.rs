//! Attributes: as text with ranges for those who interpret them, and serde's renaming applied.
//!
//! In: the parser's attributes. Out: [`Attribute`]s, those behind `cfg_attr` among them; names as serialised.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::Meta;

use super::text::Cut;
use super::types;
use crate::ir::{Attribute, Name};
use crate::source::TextRange;

/// All attributes but doc comments.
pub(super) fn attributes(attributes: &[syn::Attribute], cut: Cut<'_, '_>) -> Vec<Attribute> {
    let mut out = Vec::new();
    for attribute in attributes {
        let range = cut.between(attribute.pound_token.spans[0], attribute.bracket_token.span.close());
        let path = path_text(attribute.path());
        match &attribute.meta {
            Meta::List(list) if path == "cfg_attr" => conditional(&list.tokens, range, cut, 0, &mut out),
            Meta::List(list) => {
                let span = list.delimiter.span();
                let args = inside(cut.range(span.open()), cut.range(span.close()));
                out.push(made(&path, args, range, cut));
            }
            Meta::NameValue(pair) if path != "doc" => {
                let args = TextRange {
                    start: cut.end(pair.eq_token.spans[0]),
                    end: cut.start(attribute.bracket_token.span.close()),
                };
                out.push(made(&path, args, range, cut));
            }
            Meta::NameValue(_) => {}
            Meta::Path(_) => out.push(made(&path, end_of(range), range, cut)),
        }
    }
    out
}

/// The attributes in the argument of `cfg_attr`; the condition is not evaluated.
fn conditional(tokens: &TokenStream, range: TextRange, cut: Cut<'_, '_>, depth: usize, out: &mut Vec<Attribute>) {
    // one `cfg_attr` inside another is rare, a tower of them is no attribute
    if depth > 8 {
        return;
    }
    for piece in split(tokens).into_iter().skip(1) {
        let mut path = String::new();
        let mut args = None;
        for (at, token) in piece.iter().enumerate() {
            match token {
                TokenTree::Ident(ident) => path.push_str(&ident.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == ':' => path.push(':'),
                TokenTree::Punct(punct) if punct.as_char() == '=' => {
                    let last = piece.last().map_or_else(Span::call_site, TokenTree::span);
                    args = piece.get(at + 1).map(|first| cut.between(first.span(), last));
                    break;
                }
                TokenTree::Group(group) => {
                    if path == "cfg_attr" {
                        conditional(&group.stream(), range, cut, depth + 1, out);
                    }
                    args = Some(inside(cut.range(group.span_open()), cut.range(group.span_close())));
                    break;
                }
                _ => break,
            }
        }
        if !path.is_empty() && path != "cfg_attr" && path != "doc" {
            out.push(made(&path, args.unwrap_or(end_of(range)), range, cut));
        }
    }
}

/// Splits tokens at commas; a comma at the end makes no empty piece.
pub(super) fn split(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let mut pieces = vec![Vec::new()];
    for token in tokens.clone() {
        match (&token, pieces.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => pieces.push(Vec::new()),
            (_, Some(piece)) => piece.push(token),
            (_, None) => {}
        }
    }
    if pieces.last().is_some_and(Vec::is_empty) {
        pieces.pop();
    }
    pieces
}

fn made(path: &str, args: TextRange, range: TextRange, cut: Cut<'_, '_>) -> Attribute {
    let text = cut.source.slice(args);
    let left = text.trim_start();
    let trimmed = left.trim_end();
    let start = args.start + (text.len() - left.len()) as u32;
    Attribute {
        path: path.into(),
        args: trimmed.into(),
        range,
        args_range: TextRange { start, end: start + trimmed.len() as u32 },
    }
}

fn inside(open: TextRange, close: TextRange) -> TextRange {
    TextRange { start: open.end, end: close.start }
}

fn end_of(range: TextRange) -> TextRange {
    TextRange { start: range.end, end: range.end }
}

fn path_text(path: &syn::Path) -> String {
    let segments: Vec<_> = path.segments.iter().map(|segment| types::name(&segment.ident).as_str()).collect();
    segments.join("::")
}

/// What serde attributes say about a container, variant or field.
#[derive(Default)]
pub(super) struct Serde {
    /// `rename = "…"`, `rename(serialize = "…")`
    pub(super) rename: Option<String>,
    /// `rename_all`: for fields of a struct, variants of an enum, fields of a variant
    pub(super) rename_all: Option<String>,
    /// `rename_all_fields` of an enum
    pub(super) rename_all_fields: Option<String>,
    /// `skip`, `skip_serializing`
    pub(super) skip: bool,
    /// `default = "path"`
    pub(super) default: Option<String>,
}

/// Reads the serde attributes.
pub(super) fn serde(attributes: &[syn::Attribute]) -> Serde {
    let mut out = Serde::default();
    for attribute in attributes {
        let Meta::List(list) = &attribute.meta else {
            continue;
        };
        if list.path.is_ident("serde") {
            serde_argument(&list.tokens, &mut out);
        } else if list.path.is_ident("cfg_attr") {
            for piece in split(&list.tokens).into_iter().skip(1) {
                if let [TokenTree::Ident(ident), TokenTree::Group(group)] = &piece[..] {
                    if ident == "serde" {
                        serde_argument(&group.stream(), &mut out);
                    }
                }
            }
        }
    }
    out
}

fn serde_argument(tokens: &TokenStream, out: &mut Serde) {
    for piece in split(tokens) {
        let Some(TokenTree::Ident(key)) = piece.first() else {
            continue;
        };
        let value = match &piece[1..] {
            [TokenTree::Punct(equals), TokenTree::Literal(value)] if equals.as_char() == '=' => text(value),
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => serialize(&group.stream()),
            _ => None,
        };
        match key.to_string().as_str() {
            "rename" => out.rename = value.or(out.rename.take()),
            "rename_all" => out.rename_all = value.or(out.rename_all.take()),
            "rename_all_fields" => out.rename_all_fields = value.or(out.rename_all_fields.take()),
            "skip" | "skip_serializing" => out.skip = true,
            "default" => out.default = value.or(out.default.take()),
            _ => {}
        }
    }
}

/// The `serialize` of `rename(serialize = "…", deserialize = "…")`.
fn serialize(tokens: &TokenStream) -> Option<String> {
    split(tokens).into_iter().find_map(|piece| match &piece[..] {
        [TokenTree::Ident(key), TokenTree::Punct(_), TokenTree::Literal(value)] if key == "serialize" => text(value),
        _ => None,
    })
}

/// What a literal of text says.
pub(super) fn text(literal: &proc_macro2::Literal) -> Option<String> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

/// The name of a field as serialised under a `rename_all` rule.
pub(super) fn renamed_field(name: Name, rule: Option<&str>) -> Name {
    let text = name.as_str();
    // serde's own rules for fields: `_` separates words, and the snake and lower case rules change nothing
    let out = match rule {
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => text.to_ascii_uppercase(),
        Some("kebab-case") => text.replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => text.to_ascii_uppercase().replace('_', "-"),
        Some("PascalCase") => pascal(text),
        Some("camelCase") => lower_first(&pascal(text)),
        _ => return name,
    };
    Name::new(&out)
}

/// The name of a variant as serialised under a `rename_all` rule.
pub(super) fn renamed_variant(name: Name, rule: Option<&str>) -> Name {
    let text = name.as_str();
    let out = match rule {
        Some("lowercase") => text.to_ascii_lowercase(),
        Some("UPPERCASE") => text.to_ascii_uppercase(),
        Some("camelCase") => lower_first(text),
        Some("snake_case") => snake(text),
        Some("SCREAMING_SNAKE_CASE") => snake(text).to_ascii_uppercase(),
        Some("kebab-case") => snake(text).replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => snake(text).to_ascii_uppercase().replace('_', "-"),
        _ => return name,
    };
    Name::new(&out)
}

fn pascal(snake: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in snake.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.push(c.to_ascii_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

fn snake(pascal: &str) -> String {
    let mut out = String::new();
    for (at, c) in pascal.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}
