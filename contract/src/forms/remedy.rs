//! A lookup or an undo: a path, `unchecked("path")` or `none("reason")`.

use super::{finish, text};
use crate::cursor::Cursor;
use crate::{tokens_text, Error, Remedy};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// A remedy, and its path if that is to be checked by the compiler.
pub(crate) fn remedy(cursor: &mut Cursor, field: &str) -> Result<(Remedy, Option<TokenStream>), Error> {
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
        ("none", None) => Err(Error::at(span, "say why there is none: `none(\"the provider has no search\")`")),
        ("unchecked", Some(group)) => {
            let mut inside = Cursor::inside(&group);
            let span = inside.span();
            let path = text(&mut inside, "unchecked")?;
            finish(&mut inside, "`unchecked` takes one path")?;
            Ok((Remedy::Unchecked(path_of_text(&path, span)?), None))
        }
        ("unchecked", None) => Err(Error::at(span, "give the path: `unchecked(\"Stripe::find\")`")),
        (_, Some(group)) => Err(Error::at(
            group.span(),
            format!("`{field}` takes the path of a function, not a call; leave the parentheses out"),
        )),
        (_, None) => Ok((Remedy::Path(word), Some(path.into_iter().collect()))),
    }
}

fn path_of_text(text: &str, span: Span) -> Result<String, Error> {
    let fault = || Error::at(span, format!("{text:?} is not a path, as in \"Stripe::find\""));
    let mut cursor = Cursor::new(text.parse().map_err(|_| fault())?, span);
    let path = cursor.path().map_err(|_| fault())?;
    if cursor.is_empty() {
        Ok(tokens_text(path))
    } else {
        Err(fault())
    }
}
