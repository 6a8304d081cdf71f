//! How the values of fields are written in the attribute.

use crate::cursor::Cursor;
use crate::grammar::{Error, Key, Parsed, Placeholder};
use crate::words::unknown_word;
use crate::{
    date, template, tokens_text, window, Allow, Delivery, EffectKind, Invalid, KeyPart,
    KeyTemplate, Mapped, Mechanism, Remedy, State, Terminal, Window,
};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
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
        return Err(Error::at(
            span,
            format!("`{field}` takes a text in quotation marks"),
        ));
    };
    if text.trim().is_empty() {
        return Err(Error::at(
            span,
            format!("`{field}` is empty; say it, or leave the field out"),
        ));
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
        return Err(Error::at(
            span,
            "expected a duration in quotation marks, as in `\"24h\"`",
        ));
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

pub(crate) fn window(cursor: &mut Cursor) -> Result<Window, Error> {
    let Some(word) = cursor.take_ident() else {
        return duration(cursor).map(Window::Exact);
    };
    let text = word.to_string();
    if let Some(window) = Window::word(&text) {
        return Ok(window);
    }
    match (text.as_str(), cursor.take_group(Delimiter::Parenthesis)) {
        ("at_least", Some(group)) => {
            let mut inside = Cursor::inside(&group);
            let window = duration(&mut inside).map(Window::AtLeast)?;
            finish(&mut inside, "`at_least` takes one duration")?;
            Ok(window)
        }
        ("configurable", Some(group)) => configurable(&group),
        ("at_least", None) => Err(Error::at(word.span(), "say how long: `at_least(\"24h\")`")),
        ("configurable", None) => Err(Error::at(
            word.span(),
            "say the value in force and the greatest one: `configurable(\"24h\", max = \"72h\")`",
        )),
        _ => {
            let words: Vec<&str> = window::attribute_words().collect();
            Err(at(word.span())(unknown_word(&text, "a window", &words)))
        }
    }
}

fn configurable(group: &Group) -> Result<Window, Error> {
    let mut inside = Cursor::inside(group);
    let value = duration(&mut inside)?;
    let mut max = None;
    if inside.take_punct(',').is_some() && !inside.is_empty() {
        let span = inside.span();
        let named = inside.take_ident().is_some_and(|name| name == "max");
        if !named || inside.take_punct('=').is_none() {
            return Err(Error::at(
                span,
                "expected `max = \"..\"`, the greatest value that can be configured",
            ));
        }
        max = Some(duration(&mut inside)?);
    }
    finish(
        &mut inside,
        "`configurable` takes a duration and `max = \"..\"`",
    )?;
    Window::configurable(value, max).map_err(at(group.span()))
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
fn word<T>(
    cursor: &mut Cursor,
    what: &str,
    parse: fn(&str) -> Result<T, Invalid>,
) -> Result<T, Error> {
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
    let within =
        matches!(cursor.peek(), Some(TokenTree::Ident(word)) if word == "exactly_once_within");
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
    finish(
        &mut inside,
        "`exactly_once_within` takes the name of one boundary",
    )?;
    Delivery::within(&boundary).map_err(at(group.span()))
}

pub(crate) fn name(cursor: &mut Cursor, example: &str) -> Result<Ident, Error> {
    let span = cursor.span();
    match cursor.take_ident() {
        Some(name) if !is_keyword(&name.to_string()) => Ok(name),
        _ => Err(Error::at(
            span,
            format!("expected a name, as in `{example}`"),
        )),
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "_" | "self" | "Self" | "super" | "crate" | "true" | "false"
    )
}

pub(crate) fn intent_key(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let span = cursor.span();
    let mut tokens = cursor.expression()?;
    if let [TokenTree::Group(group)] = tokens.as_slice() {
        // A fragment of `macro_rules!`.
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        if group.delimiter() == Delimiter::None
            && matches!(inside.as_slice(), [TokenTree::Literal(_)])
        {
            tokens = inside;
        }
    }
    let [TokenTree::Literal(literal)] = tokens.as_slice() else {
        parsed.contract.intent_key =
            Some(KeyTemplate::Expression(tokens_text(tokens.iter().cloned())));
        parsed.extras.key = Some(Key::Expression(tokens.into_iter().collect()));
        return Ok(());
    };
    let Some(text) = string(literal) else {
        return Err(Error::at(
            span,
            "`intent_key` takes a template in quotation marks, as in `\"invoice/{invoice.id}/charge\"`, or an expression",
        ));
    };
    let key = KeyTemplate::parse(&text).map_err(at(span))?;
    let mut placeholders = Vec::new();
    if let KeyTemplate::Template { parts, .. } = &key {
        for part in parts {
            if let KeyPart::Placeholder(text) = part {
                let tokens = template::lex(text).map_err(at(span))?;
                placeholders.push(Placeholder {
                    text: text.clone(),
                    tokens,
                });
            }
        }
    }
    parsed.contract.intent_key = Some(key);
    parsed.extras.key = Some(Key::Template {
        literal: literal.span(),
        placeholders,
    });
    Ok(())
}

pub(crate) fn terminal(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let span = cursor.span();
    let Some(group) = cursor.take_group(Delimiter::Bracket) else {
        return Err(Error::at(
            span,
            "expected a list of states, as in `[confirmed, rejected, reconciled]`",
        ));
    };
    let mut inside = Cursor::inside(&group);
    let mut states = Vec::new();
    let mut faults = Vec::new();
    while !inside.is_empty() {
        match terminal_entry(&mut inside, &mut parsed.extras.terminal) {
            Ok(entry) if states.contains(&entry) => faults.push(Error::at(
                group.span(),
                format!("the terminal state `{}` is listed twice", entry.state),
            )),
            Ok(entry) => states.push(entry),
            Err(fault) => {
                faults.push(fault);
                inside.skip_field();
            }
        }
        if inside.take_punct(',').is_none() && !inside.is_empty() {
            faults.push(Error::at(inside.span(), "expected `,` between states"));
            inside.skip_field();
            inside.take_punct(',');
        }
    }
    let mut faults = faults.into_iter();
    if let Some(first) = faults.next() {
        parsed.errors.extend(std::iter::once(first).chain(faults));
        return Ok(());
    }
    if states.is_empty() {
        return Err(Error::at(
            span,
            "no terminal state: an effect that never ends cannot be reviewed; list at least `confirmed`",
        ));
    }
    parsed.contract.terminal = Some(states);
    Ok(())
}

fn terminal_entry(
    cursor: &mut Cursor,
    variants: &mut Vec<(State, TokenStream)>,
) -> Result<Terminal, Error> {
    let span = cursor.span();
    let state = word(cursor, "a state", State::parse)?;
    if !state.can_be_terminal() {
        return Err(Error::at(
            span,
            format!("`{state}` cannot be terminal: it is where an effect begins, before anything is sent"),
        ));
    }
    if cursor.take_punct('=').is_none() {
        return Ok(Terminal {
            state,
            mapped: None,
        });
    }
    cursor.open_invisible();
    let mapped = if let Some(TokenTree::Literal(_)) = cursor.peek() {
        Mapped::Text(text(cursor, state.as_str())?)
    } else {
        let path = cursor.path()?;
        let text = tokens_text(path.iter().cloned());
        variants.push((state, path.into_iter().collect()));
        Mapped::Variant(text)
    };
    Ok(Terminal {
        state,
        mapped: Some(mapped),
    })
}

pub(crate) fn dispatch(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    cursor.open_invisible();
    unquoted(cursor, "dispatch")?;
    let receiver = matches!(cursor.peek(), Some(TokenTree::Ident(word)) if word == "_");
    let path = if receiver {
        cursor.expression()?
    } else {
        cursor.path()?
    };
    parsed.contract.dispatch.push(tokens_text(path));
    Ok(())
}

fn unquoted(cursor: &Cursor, field: &str) -> Result<(), Error> {
    match cursor.peek() {
        Some(TokenTree::Literal(_)) => Err(Error::at(
            cursor.span(),
            format!("`{field}` takes a path; write it without quotation marks"),
        )),
        _ => Ok(()),
    }
}

/// A remedy, and its path if that is to be checked by the compiler.
pub(crate) fn remedy(
    cursor: &mut Cursor,
    field: &str,
) -> Result<(Remedy, Option<TokenStream>), Error> {
    cursor.open_invisible();
    if let Some(TokenTree::Literal(_)) = cursor.peek() {
        return Err(Error::at(
            cursor.span(),
            format!("`{field}` takes a path; write it without quotation marks, or as `unchecked(\"..\")`"),
        ));
    }
    let span = cursor.span();
    let path = cursor.path()?;
    let word = tokens_text(path.iter().cloned());
    match (word.as_str(), cursor.take_group(Delimiter::Parenthesis)) {
        ("none", Some(group)) => {
            let mut inside = Cursor::inside(&group);
            let reason = text(&mut inside, "none")?;
            finish(&mut inside, "`none` takes one reason")?;
            Ok((Remedy::None(reason), None))
        }
        ("none", None) => Err(Error::at(
            span,
            "say why there is none: `none(\"the provider has no search\")`",
        )),
        ("unchecked", Some(group)) => {
            let mut inside = Cursor::inside(&group);
            let span = inside.span();
            let path = text(&mut inside, "unchecked")?;
            finish(&mut inside, "`unchecked` takes one path")?;
            Ok((Remedy::Unchecked(path_of_text(&path, span)?), None))
        }
        ("unchecked", None) => Err(Error::at(
            span,
            "give the path: `unchecked(\"Stripe::find\")`",
        )),
        (_, Some(group)) => Err(Error::at(
            group.span(),
            format!(
                "`{field}` takes the path of a function, not a call; leave the parentheses out"
            ),
        )),
        (_, None) => Ok((Remedy::Path(word), Some(path.into_iter().collect()))),
    }
}

fn path_of_text(text: &str, span: Span) -> Result<String, Error> {
    let fault = || {
        Error::at(
            span,
            format!("{text:?} is not a path, as in \"Stripe::find\""),
        )
    };
    let mut cursor = Cursor::new(text.parse().map_err(|_| fault())?, span);
    let path = cursor.path().map_err(|_| fault())?;
    if cursor.is_empty() {
        Ok(tokens_text(path))
    } else {
        Err(fault())
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

pub(crate) fn allow(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let Some(group) = cursor.take_group(Delimiter::Parenthesis) else {
        return Err(Error::at(
            cursor.span(),
            "expected `allow(rule, reason = \"..\")`",
        ));
    };
    let mut inside = Cursor::inside(&group);
    let span = inside.span();
    let Some(rule) = inside.take_ident() else {
        return Err(Error::at(
            span,
            "`allow` begins with the rule in snake case, as in `allow(missing_key, ..)`",
        ));
    };
    let mut allow = Allow {
        rule: rule.to_string().replace('_', "-"),
        reason: String::new(),
        until: None,
        owner: None,
    };
    while inside.take_punct(',').is_some() && !inside.is_empty() {
        allow_argument(&mut inside, &mut allow)?;
    }
    finish(&mut inside, "expected `,` between the arguments of `allow`")?;
    if allow.reason.is_empty() {
        return Err(Error::at(
            group.span(),
            format!("`allow({rule})` has no reason; add `reason = \"..\"`, which reviews and tables show"),
        ));
    }
    parsed.contract.allow.push(allow);
    Ok(())
}

fn allow_argument(cursor: &mut Cursor, allow: &mut Allow) -> Result<(), Error> {
    let span = cursor.span();
    let name = cursor
        .take_ident()
        .map(|name| name.to_string())
        .unwrap_or_default();
    let known = ["reason", "until", "owner"];
    if !known.contains(&name.as_str()) {
        return Err(at(span)(unknown_word(
            &name,
            "an argument of `allow`",
            &known,
        )));
    }
    if cursor.take_punct('=').is_none() {
        return Err(Error::at(
            cursor.span(),
            format!("expected `{name} = \"..\"`"),
        ));
    }
    let place = cursor.span();
    let value = text(cursor, &name)?;
    match name.as_str() {
        "reason" => allow.reason = value,
        "owner" => allow.owner = Some(value),
        _ => {
            date::check(&value).map_err(at(place))?;
            allow.until = Some(value);
        }
    }
    Ok(())
}
