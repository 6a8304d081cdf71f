//! The list of terminal states: `[confirmed, rejected = ChargeState::Declined, reconciled = "settled"]`.

use super::{text, word};
use crate::cursor::Cursor;
use crate::grammar::Parsed;
use crate::{tokens_text, Error, Mapped, State, Terminal};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;

// Nobody reads more of them, and the list may be of any size.
const MOST_FAULTS: usize = 100;

pub(crate) fn terminal(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let span = cursor.span();
    let Some(group) = cursor.take_group(Delimiter::Bracket) else {
        return Err(Error::at(span, "expected a list of states, as in `[confirmed, rejected, reconciled]`"));
    };
    let mut inside = Cursor::inside(&group);
    let mut states = Vec::new();
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    while !inside.is_empty() {
        let place = inside.span();
        match terminal_entry(&mut inside, &mut parsed.extras.terminal) {
            Ok(entry) => {
                if !seen.insert((entry.state, format!("{:?}", entry.mapped))) {
                    let message = format!("the terminal state `{}` is listed twice", entry.state);
                    faults.push(Error::at(place, message));
                }
                states.push(entry);
            }
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
    if !faults.is_empty() {
        faults.truncate(MOST_FAULTS);
        parsed.errors.append(&mut faults);
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

fn terminal_entry(cursor: &mut Cursor, variants: &mut Vec<(State, TokenStream)>) -> Result<Terminal, Error> {
    let span = cursor.span();
    let state = word(cursor, "a state", State::parse)?;
    if !state.can_be_terminal() {
        return Err(Error::at(
            span,
            format!("`{state}` cannot be terminal: it is where an effect begins, before anything is sent"),
        ));
    }
    if cursor.take_punct('=').is_none() {
        return Ok(Terminal { state, mapped: None });
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
    Ok(Terminal { state, mapped: Some(mapped) })
}
