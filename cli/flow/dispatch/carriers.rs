//! Strategies, options and clients that carry a key along, on each of the ways by which one may have been chosen.

use super::super::value::{Alt, Atom, BuildStep, Entered, Kind, Shape, Trail, Value};
use super::key::{Found, MAX_SEARCH};
use crate::catalog::{Catalog, WithoutKey};
use crate::ir::Name;
use crate::source::Span;

/// What is not known of a strategy.
const ELSEWHERE: &str = "a strategy that is put together elsewhere";

/// One way by which a dispatch may get its key.
enum Way {
    /// the carrier gives this key
    Key(Found),
    /// the carrier makes one of its own, there where it is made
    Minted(Found),
    /// the carrier gives none, and this is what the library does then
    Keyless(WithoutKey, Span),
    /// a client with no carrier on it
    Plain,
    /// it may be any carrier
    Unknown,
}

/// What the library does without a key, as the strategy or client that is used decides; none where no carrier is in sight.
pub(super) fn without_key(catalog: &Catalog, value: &Value) -> Option<WithoutKey> {
    let does = |way: &Way| match way {
        Way::Minted(_) => WithoutKey::MintedPerCall,
        Way::Keyless(does, _) => *does,
        _ => WithoutKey::Nothing,
    };
    let ways = of_client(catalog, value);
    // A way without any key counts for more than one on which somebody makes it.
    let (keyless, minted): (Vec<_>, Vec<_>) = ways.iter().partition(|way| matches!(way, Way::Keyless(..) | Way::Plain));
    keyless.into_iter().chain(minted).map(does).next()
}

/// Whether a carrier in a value says which key is sent, or makes one.
pub(super) fn fixes_key(catalog: &Catalog, value: &Value) -> bool {
    of_client(catalog, value).iter().any(|way| matches!(way, Way::Key(_) | Way::Minted(_)))
}

/// The key that a client carries on some way; on the others it is what the carrier makes there, or none.
pub(super) fn key_of_client(catalog: &Catalog, client: &Value) -> Option<Found> {
    joined(of_client(catalog, client))
}

/// The same of a strategy that is handed to one request.
pub(super) fn key_of_strategy(catalog: &Catalog, strategy: &Value) -> Option<Found> {
    joined(ways(catalog, strategy, 0, || Way::Unknown))
}

fn joined(ways: Vec<Way>) -> Option<Found> {
    let position = ways.iter().find_map(|way| match way {
        Way::Key(found) => Some(found.position),
        _ => None,
    })?;
    let atom = |kind, trail| Found { value: Value::atom(Atom::new(kind, Entered::Elsewhere, trail)), position };
    let none = |at| atom(Kind::Absent, Trail::start(at, "sent without a key"));
    let found = ways.into_iter().map(|way| match way {
        Way::Key(found) | Way::Minted(found) => found,
        Way::Keyless(_, at) => none(at),
        Way::Plain => none(position),
        Way::Unknown => atom(Kind::Opaque(Name::new(ELSEWHERE)), Trail::start(position, ELSEWHERE)),
    });
    found.reduce(Found::or).map(|found| Found { position, ..found })
}

fn of_client(catalog: &Catalog, client: &Value) -> Vec<Way> {
    ways(catalog, client, 0, || Way::Plain)
}

/// The ways by which a value carries a key; none at all where no carrier is in sight on any of them.
fn ways(catalog: &Catalog, value: &Value, depth: usize, nothing: fn() -> Way) -> Vec<Way> {
    if depth > MAX_SEARCH {
        return Vec::new();
    }
    let each: Vec<Vec<Way>> = value.alts.iter().map(|alt| of_alt(catalog, alt, depth)).collect();
    if each.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let known = each.into_iter().map(|ways| if ways.is_empty() { vec![nothing()] } else { ways });
    known.flatten().collect()
}

fn of_alt(catalog: &Catalog, alt: &Alt, depth: usize) -> Vec<Way> {
    let strategy =
        |value: &Value| Some(ways(catalog, value, depth + 1, || Way::Unknown)).filter(|ways| !ways.is_empty());
    match &alt.shape {
        Shape::Builder(builder) => {
            for step in builder.steps.iter().rev() {
                if let Some(way) = of_step(catalog, step) {
                    return vec![way];
                }
                if let Some(ways) = step.args.iter().find_map(strategy) {
                    return ways;
                }
            }
            ways(catalog, &builder.root, depth + 1, || Way::Plain)
        }
        Shape::Record(record) => record.fields.values().find_map(strategy).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A call that makes a carrier.
fn of_step(catalog: &Catalog, step: &BuildStep) -> Option<Way> {
    let carrier = &catalog.carriers[step.carries? as usize];
    let given = |number: usize| {
        let position = *step.arg_spans.get(number)?;
        Some(Found { value: step.args.get(number)?.clone(), position })
    };
    Some(match (carrier.key, carrier.without_key) {
        (Some(number), _) => given(number as usize).map_or(Way::Unknown, Way::Key),
        // The last that it holds is what it made.
        (None, WithoutKey::MintedPerCall) => {
            step.args.len().checked_sub(1).and_then(given).map_or(Way::Unknown, Way::Minted)
        }
        (None, does) => Way::Keyless(does, step.span),
    })
}
