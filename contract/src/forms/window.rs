//! Windows in the attribute: `"24h"`, `at_least("24h")`, `configurable("24h", max = "72h")`, and bare words.

use super::{at, duration, finish};
use crate::cursor::Cursor;
use crate::words::unknown_word;
use crate::{window, Error, Window};
use proc_macro2::{Delimiter, Group};

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
            return Err(Error::at(span, "expected `max = \"..\"`, the greatest value that can be configured"));
        }
        max = Some(duration(&mut inside)?);
    }
    finish(&mut inside, "`configurable` takes a duration and `max = \"..\"`")?;
    Window::configurable(value, max).map_err(at(group.span()))
}
