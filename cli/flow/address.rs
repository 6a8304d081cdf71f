//! Addresses of requests, as far as their text is fixed.

use super::value::{Alt, Kind, Value};
use crate::catalog::Words;

/// Letters of an address that are shown.
const SHOWN: usize = 48;

/// Whether an address says by its last part that it answers questions, on every way on which it is put together.
pub(crate) fn asks(words: &Words, address: &Value) -> bool {
    let address = address.flat();
    let is_question = |text: &str| {
        let last = path(text).rsplit_once('/').map_or("", |(_, last)| last);
        let last = last.split('.').next().unwrap_or(last);
        words.query_paths.iter().any(|known| known == last)
    };
    !address.alts.is_empty() && address.alts.iter().all(|alt| end(alt).is_some_and(is_question))
}

/// The fixed end of an address, for people: `/v1/charges`, `/orders/…/cancel`. Only where it is one on every way.
pub(crate) fn shown(address: &Value) -> Option<String> {
    let address = address.flat();
    let mut ends: Vec<&str> = address.alts.iter().filter_map(end).collect();
    ends.dedup();
    let [text] = ends.as_slice() else {
        return None;
    };
    let path = path(text);
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.find('/').map(|at| &rest[at..])?,
        None => &path[path.find('/')?..],
    };
    let path = path.replace('\u{0}', "…");
    let plain = path.chars().all(|letter| letter == '…' || letter.is_ascii_graphic() && letter != '`');
    (plain && path.len() > 1 && path.len() <= SHOWN).then_some(path)
}

/// The last text in an address that is put together.
fn end(alt: &Alt) -> Option<&str> {
    alt.atoms.iter().rev().find_map(|atom| match &atom.kind {
        Kind::Constant(Some(text)) => Some(text.as_str()),
        _ => None,
    })
}

/// An address without what is asked of it.
fn path(text: &str) -> &str {
    text.split(['?', '#']).next().unwrap_or(text).trim_end_matches('/')
}
