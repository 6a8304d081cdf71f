//! How the values of fields are written in the attribute: one function for each form.

mod allow;
mod key;
mod remedy;
mod terminal;
mod window;

pub(crate) use allow::allow;
pub(crate) use key::intent_key;
pub(crate) use remedy::remedy;
pub(crate) use terminal::terminal;
pub(crate) use window::window;

use crate::cursor::Cursor;
use crate::grammar::{Error, Parsed};
use crate::{tokens_text, Delivery, EffectKind, Invalid, Mechanism};
use proc_macro2::{Delimiter, Ident, Literal, Span, TokenTree};
use std::time::Duration;

/// The text of a string literal, or nothing for any other literal.
fn string(literal: &Literal) -> Option<String> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

fn at(span: Span) -> impl Fn(Invalid) -> Error {
    move |invalid| Error::at(span, invalid.message())
}

/// A string literal that is not blank.
pub(crate) fn text(cursor: &mut Cursor, field: &str) -> Result<String, Error> {
    let span = cursor.span();
    let Some(text) = cursor.take_literal().as_ref().and_then(string) else {
        return Err(Error::at(span, format!("`{field}` takes a text in quotation marks")));
    };
    if text.trim().is_empty() {
        return Err(Error::at(span, format!("`{field}` is empty; say it, or leave the field out")));
    }
    Ok(text)
}

pub(crate) fn text_or_path(cursor: &mut Cursor, field: &str) -> Result<String, Error> {
    cursor.open_invisible();
    match cursor.peek() {
        Some(TokenTree::Literal(_)) => text(cursor, field),
        _ => cursor.path().map(tokens_text),
    }
}

pub(crate) fn duration(cursor: &mut Cursor) -> Result<Duration, Error> {
    let span = cursor.span();
    let Some(literal) = cursor.take_literal() else {
        return Err(Error::at(span, "expected a duration in quotation marks, as in `\"24h\"`"));
    };
    match string(&literal) {
        Some(text) => crate::duration::parse(&text).map_err(at(span)),
        // `24h` without quotation marks lexes as one literal.
        None => {
            let bare = literal.to_string();
            let message = if crate::duration::parse(&bare).is_ok() {
                format!("a duration stands in quotation marks; write `\"{bare}\"`")
            } else {
                format!("`{bare}` is not a duration; write a number and a unit in quotation marks, as in `\"24h\"`")
            };
            Err(Error::at(span, message))
        }
    }
}

/// Nothing but a trailing comma may be left.
fn finish(cursor: &mut Cursor, message: &str) -> Result<(), Error> {
    cursor.take_punct(',');
    if cursor.is_empty() {
        Ok(())
    } else {
        Err(Error::at(cursor.span(), message))
    }
}

/// A word of a closed list; quotation marks round it are answered with the bare word.
fn word<T>(cursor: &mut Cursor, what: &str, parse: fn(&str) -> Result<T, Invalid>) -> Result<T, Error> {
    let span = cursor.span();
    if let Some(word) = cursor.take_ident() {
        return parse(&word.to_string()).map_err(at(span));
    }
    let quoted = cursor.take_literal().as_ref().and_then(string);
    let message = match quoted {
        Some(text) if parse(&text).is_ok() => {
            format!("{what} is a bare word; write `{text}` without quotation marks")
        }
        _ => format!("expected {what}, a bare word"),
    };
    Err(Error::at(span, message))
}

pub(crate) fn mechanism(cursor: &mut Cursor) -> Result<Mechanism, Error> {
    word(cursor, "a mechanism", Mechanism::parse)
}

pub(crate) fn kind(cursor: &mut Cursor) -> Result<EffectKind, Error> {
    word(cursor, "a kind of effect", EffectKind::parse)
}

pub(crate) fn delivery(cursor: &mut Cursor) -> Result<Delivery, Error> {
    cursor.open_invisible();
    let within = matches!(cursor.peek(), Some(TokenTree::Ident(word)) if word == "exactly_once_within");
    if !within {
        return word(cursor, "a delivery", Delivery::parse);
    }
    let span = cursor.span();
    cursor.bump();
    let Some(group) = cursor.take_group(Delimiter::Parenthesis) else {
        return Err(Error::at(
            span,
            "name the boundary inside which it holds: `exactly_once_within(\"kafka: transaction\")`",
        ));
    };
    let mut inside = Cursor::inside(&group);
    let boundary = text(&mut inside, "exactly_once_within")?;
    finish(&mut inside, "`exactly_once_within` takes the name of one boundary")?;
    Delivery::within(&boundary).map_err(at(group.span()))
}

pub(crate) fn name(cursor: &mut Cursor, example: &str) -> Result<Ident, Error> {
    let span = cursor.span();
    match cursor.take_ident() {
        Some(name) if !is_keyword(&name.to_string()) => Ok(name),
        _ => Err(Error::at(span, format!("expected a name, as in `{example}`"))),
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "_" | "self" | "Self" | "super" | "crate" | "true" | "false")
}

pub(crate) fn dispatch(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    cursor.open_invisible();
    unquoted(cursor, "dispatch")?;
    let receiver = matches!(cursor.peek(), Some(TokenTree::Ident(word)) if word == "_");
    let path = if receiver { cursor.expression()? } else { cursor.path()? };
    parsed.contract.dispatch.push(tokens_text(path));
    Ok(())
}

fn unquoted(cursor: &Cursor, field: &str) -> Result<(), Error> {
    match cursor.peek() {
        Some(TokenTree::Literal(_)) => {
            Err(Error::at(cursor.span(), format!("`{field}` takes a path; write it without quotation marks")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn fence(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    cursor.open_invisible();
    if let Some(TokenTree::Literal(_)) = cursor.peek() {
        parsed.contract.fence = Some(text(cursor, "fence")?);
        return Ok(());
    }
    let tokens = cursor.expression()?;
    parsed.contract.fence = Some(tokens_text(tokens.iter().cloned()));
    parsed.extras.fence = Some(tokens.into_iter().collect());
    Ok(())
}
