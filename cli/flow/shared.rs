//! Keys that stand for more than one thing: two operations in one function, every round of a loop.

use super::uses::Use;
use super::value::{Entered, Kind, Value, made, same_value};
use super::{Recognition, SharedKey, Sharing};
use crate::findings::Confidence;
use crate::resolve::FnId;
use crate::source::Span;

/// What the dispatches of one function share.
pub(crate) fn shared_keys(function: FnId, uses: &[Use]) -> Vec<SharedKey> {
    let mut out = Vec::new();
    for (at, second) in uses.iter().enumerate() {
        for first in &uses[..at] {
            if let Some(found) = operations(function, first, second) {
                out.push(found);
            }
        }
        if let Some(found) = intents(function, second) {
            out.push(found);
        }
    }
    out
}

/// One key for two operations that can both happen on one way.
fn operations(function: FnId, first: &Use, second: &Use) -> Option<SharedKey> {
    let acts = |known: &Use| known.recognition != Recognition::FreeStanding && !known.harmless;
    if !acts(first) || !acts(second) || place(first) == place(second) || exclusive(first, second) {
        return None;
    }
    let (a, b) = (first.key.flat(), second.key.flat());
    if !tells(&a) || !same_value(&a, &b) {
        return None;
    }
    let (first_op, second_op) = (first.operation.flat(), second.operation.flat());
    if same_value(&first_op, &second_op) || first_op.is_bottom() || second_op.is_bottom() {
        return None;
    }
    let (first, second) = if place(first) <= place(second) { (first, second) } else { (second, first) };
    let fixed = |value: &Value| value.atoms().any(|atom| matches!(atom.kind, Kind::Constant(Some(_))));
    let known = fixed(&first_op) && fixed(&second_op);
    Some(SharedKey {
        site: place(second),
        other: place(first),
        function,
        how: Sharing::Operations,
        path: a.atoms().find(|atom| made(&atom.kind)).map(|atom| atom.trail.steps()).unwrap_or_default(),
        confidence: if known { Confidence::Certain } else { Confidence::Likely }.min(sure(first)).min(sure(second)),
    })
}

fn sure(known: &Use) -> Confidence {
    match known.recognition {
        Recognition::Declared | Recognition::Catalog => Confidence::Certain,
        _ => Confidence::Likely,
    }
}

/// One key, made in front of a loop over different things, for the dispatch in each round.
fn intents(function: FnId, known: &Use) -> Option<SharedKey> {
    let &around = known.each.first()?;
    if known.recognition == Recognition::FreeStanding || known.harmless || known.repeat.is_some() {
        return None;
    }
    let key = known.key.flat();
    // A key of inputs alone may name the intent of the whole loop; one that was minted for it does not name its rounds.
    let minted = key.alts.len() == 1 && key.atoms().any(|atom| made(&atom.kind));
    let varies = |value: &Value| {
        value.atoms().any(|atom| matches!(&atom.entered, Entered::Here(regions) if regions.contains(&around)))
    };
    if !minted || varies(&key) || varies(&known.operation.flat()) {
        return None;
    }
    let path = key.atoms().find(|atom| made(&atom.kind)).map(|atom| atom.trail.steps()).unwrap_or_default();
    Some(SharedKey {
        site: place(known),
        other: path.first().map_or(place(known), |step| step.0),
        function,
        how: Sharing::Intents,
        path,
        confidence: Confidence::Likely,
    })
}

/// Whether a key says enough to be compared: it exists, and more than a constant or an unknown is in it.
fn tells(key: &Value) -> bool {
    !key.is_bottom()
        && key.atoms().all(|atom| !matches!(atom.kind, Kind::Opaque(_) | Kind::Absent))
        && key.atoms().any(|atom| !matches!(atom.kind, Kind::Constant(_) | Kind::Empty))
}

/// Where the dispatch stands in the function that looks.
fn place(known: &Use) -> Span {
    known.calls.first().copied().unwrap_or(known.site)
}

/// Whether two dispatches stand on different arms of one branch.
fn exclusive(first: &Use, second: &Use) -> bool {
    first.branches.iter().any(|(at, arm)| second.branches.iter().any(|(other, taken)| at == other && arm != taken))
}
