//! A suppression: `allow(rule, reason = "..", until = "..", owner = "..")`.

use super::{at, finish, text};
use crate::cursor::Cursor;
use crate::grammar::Parsed;
use crate::words::unknown_word;
use crate::{date, Allow, Error};
use proc_macro2::Delimiter;

pub(crate) fn allow(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let Some(group) = cursor.take_group(Delimiter::Parenthesis) else {
        return Err(Error::at(cursor.span(), "expected `allow(rule, reason = \"..\")`"));
    };
    let mut inside = Cursor::inside(&group);
    let span = inside.span();
    let Some(rule) = inside.take_ident() else {
        return Err(Error::at(span, "`allow` begins with the rule in snake case, as in `allow(missing_key, ..)`"));
    };
    let mut allow = Allow { rule: rule.to_string().replace('_', "-"), reason: String::new(), until: None, owner: None };
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
    let name = cursor.take_ident().map(|name| name.to_string()).unwrap_or_default();
    let known = ["reason", "until", "owner"];
    if !known.contains(&name.as_str()) {
        return Err(at(span)(unknown_word(&name, "an argument of `allow`", &known)));
    }
    if cursor.take_punct('=').is_none() {
        return Err(Error::at(cursor.span(), format!("expected `{name} = \"..\"`")));
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
