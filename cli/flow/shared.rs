//! Keys that stand for more than one thing: two operations in one function, every round of a loop.

use super::uses::Use;
use super::value::{Atom, Entered, Kind, Value, made, same_value};
use super::{Recognition, SharedKey, Sharing};
use crate::findings::Confidence;
use crate::ir::{Body, ExprId, ExprKind, LoopKind, Name};
use crate::resolve::FnId;
use crate::source::Span;
use std::collections::BTreeSet;

/// What the dispatches of one function share.
pub(crate) fn shared_keys(function: FnId, body: Option<&Body>, uses: &[Use]) -> Vec<SharedKey> {
    let mut out = Vec::new();
    for (at, second) in uses.iter().enumerate() {
        for first in &uses[..at] {
            if let Some(found) = operations(function, first, second) {
                out.push(found);
            }
        }
        if let Some(found) = intents(function, body, second) {
            out.push(found);
        }
    }
    out
}

/// One key for two operations that can both happen on one way.
fn operations(function: FnId, first: &Use, second: &Use) -> Option<SharedKey> {
    let acts =
        |known: &Use| known.recognition != Recognition::FreeStanding && !known.harmless && !is_its_own_key(known);
    if !acts(first) || !acts(second) || place(first) == place(second) || exclusive(first, second) {
        return None;
    }
    // What a declared dispatch does below is that dispatch.
    if first.calls.contains(&second.site) || second.calls.contains(&first.site) {
        return None;
    }
    let (a, b) = (first.key.flat(), second.key.flat());
    if !tells(&a) || !same_value(&a, &b) {
        return None;
    }
    let (first_op, second_op) = (first.operation.get().flat(), second.operation.get().flat());
    if first_op.is_bottom() || second_op.is_bottom() {
        return None;
    }
    let how = match same_value(&first_op, &second_op) {
        true if sends_other(first, second) => Sharing::Contents,
        true => return None,
        // One call at two addresses that only inputs tell apart asks two providers for the same.
        false if first.site == second.site && fixed_parts(&first_op) == fixed_parts(&second_op) => return None,
        false => Sharing::Operations,
    };
    let (first, second) = if place(first) <= place(second) { (first, second) } else { (second, first) };
    // Where a function of its own acts, the place is only the call of that.
    let below = [first, second].into_iter().filter(|known| !known.calls.is_empty());
    let below = below.map(|known| (known.site, format!("`{}` sends it here", known.call)));
    let set = second.position.filter(|at| first.position == Some(*at));
    let fixed = |value: &Value| value.atoms().any(|atom| matches!(atom.kind, Kind::Constant(Some(_))));
    let known = how == Sharing::Operations && fixed(&first_op) && fixed(&second_op);
    Some(SharedKey {
        site: place(second),
        other: place(first),
        function,
        how,
        path: a
            .atoms()
            .find(|atom| made(&atom.kind))
            .map(|atom| atom.trail.steps())
            .unwrap_or_default()
            .into_iter()
            .chain(set.map(|at| (at, "both get the key here".to_owned())))
            .chain(below)
            .collect(),
        confidence: if known { Confidence::Certain } else { Confidence::Likely }.min(sure(first)).min(sure(second)),
    })
}

/// Whether two dispatches through one client, of which both happen, send what is not the same.
fn sends_other(first: &Use, second: &Use) -> bool {
    let of = |known: &Use| -> BTreeSet<Kind> {
        let given = |kind: &Kind| matches!(kind, Kind::Param(..) | Kind::Stored | Kind::Input(_));
        known.sent.get().flat().atoms().map(|atom| atom.kind).filter(given).collect()
    };
    let (a, b) = (of(first), of(second));
    let both = || first.branches == second.branches && same_value(first.receiver.get(), second.receiver.get());
    // Who sends less the second time may only correct the first.
    both() && a.difference(&b).next().is_some() && b.difference(&a).next().is_some()
}

/// Whether what is sent is known again by itself, be it that each round or operation sends its own: its key came into being where
/// it is sent.
fn is_its_own_key(known: &Use) -> bool {
    let here =
        |atom: &Atom| atom.kind == Kind::Durable && atom.trail.steps().first().map(|step| step.0) == known.position;
    let key = known.key.flat();
    !key.is_bottom() && key.atoms().all(here)
}

/// What of an operation is written in the source.
fn fixed_parts(operation: &Value) -> BTreeSet<Name> {
    let parts = operation.atoms().filter_map(|atom| match atom.kind {
        Kind::Constant(text) => text,
        _ => None,
    });
    parts.collect()
}

fn sure(known: &Use) -> Confidence {
    match known.recognition {
        Recognition::Declared | Recognition::Catalog => Confidence::Certain,
        _ => Confidence::Likely,
    }
}

/// One key, made in front of a loop over different things, for the dispatch in each round.
fn intents(function: FnId, body: Option<&Body>, known: &Use) -> Option<SharedKey> {
    let &outermost = known.each.first()?;
    if known.recognition == Recognition::FreeStanding
        || known.harmless
        || known.repeat.is_some()
        || is_its_own_key(known)
    {
        return None;
    }
    let key = known.key.flat();
    let varies = |value: &Value, around: ExprId| value.atoms().any(|atom| is_of_round(atom, around));
    // Whoever sends one thing to several takes the same key to each.
    let is_one = |around: ExprId| {
        ![&key, &known.operation.get().flat(), &known.receiver.get().flat()].iter().any(|part| varies(part, around))
    };
    // A key of inputs alone may name the intent of the whole loop; one that was minted for it does not name its rounds.
    let minted = key.alts.len() == 1 && key.atoms().any(|atom| made(&atom.kind));
    let same = minted && !varies(&key, outermost) && !varies(&known.operation.get().flat(), outermost);
    // Nor does any other under which each round sends its own thing.
    let over_things = |around: ExprId| body.is_some_and(|body| is_over_things(body, around));
    let thing = |atom: &Atom| matches!(atom.kind, Kind::Param(..) | Kind::Stored);
    let sends = |around: ExprId| known.sent.get().atoms().any(|atom| thing(atom) && is_of_round(atom, around));
    let other =
        || tells(&key) && known.each.iter().any(|&around| over_things(around) && is_one(around) && sends(around));
    if !same && !other() {
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

/// Whether something came into being in the round of a loop, or is what the round is about.
fn is_of_round(atom: &Atom, around: ExprId) -> bool {
    matches!(&atom.entered, Entered::Here(regions) if regions.contains(&around))
}

/// Whether a loop goes over things that it was given: a `for`, or a closure that is run for each.
fn is_over_things(body: &Body, around: ExprId) -> bool {
    match &body.expr(around).kind {
        ExprKind::Loop(repeat) => matches!(repeat.kind, LoopKind::For { .. }),
        ExprKind::MethodCall(_) => true,
        _ => false,
    }
}

/// Whether a key says enough to be compared: it exists, and more than a constant or an unknown is in it.
fn tells(key: &Value) -> bool {
    !key.is_bottom()
        && key.atoms().all(|atom| !atom.kind.is_absent() && !matches!(atom.kind, Kind::Opaque(_)))
        && key.atoms().any(|atom| !matches!(atom.kind, Kind::Constant(_) | Kind::Empty))
}

/// Where the dispatch stands in the function that looks.
fn place(known: &Use) -> Span {
    known.calls.first().copied().unwrap_or(known.site)
}

/// Of ways to one dispatch on different arms of a branch, some with a key and some without: those without one have likely been
/// forgotten, for what is asked heeds keys.
pub(crate) fn mark_ways(uses: &mut [Use]) {
    for at in 0..uses.len() {
        let known = &uses[at];
        // Without a key there is no place for one.
        let beside = |other: &Use| known.position.is_none() || other.position == known.position;
        let keyed = |other: &Use| other.site == known.site && beside(other) && tells(&other.key);
        let forgotten = known.recognition != Recognition::FreeStanding
            && !known.calls.is_empty()
            && known.is_keyless()
            && uses.iter().any(|other| keyed(other) && exclusive(known, other));
        uses[at].sibling_keyed |= forgotten || is_odd_one_out(uses, known);
    }
}

/// Whether a dispatch is the only one without a key among those on all arms of a branch that one client sends to one base,
/// each to a place of its own. Of two nobody knows whether the other needs none: what calls off needs no key.
fn is_odd_one_out(uses: &[Use], known: &Use) -> bool {
    let base = own_parts(&known.operation.get().flat());
    if base.is_empty() || known.recognition != Recognition::Catalog || !known.is_keyless() {
        return false;
    }
    let alike = |other: &&Use| {
        other.site != known.site
            && other.row == known.row
            && exclusive(known, other)
            && own_parts(&other.operation.get().flat()) == base
    };
    let others: Vec<&Use> = uses.iter().filter(alike).collect();
    others.len() > 1 && others.iter().all(|other| tells(&other.key))
}

/// The fields of the object itself that went into a value, each once.
fn own_parts(value: &Value) -> BTreeSet<Kind> {
    let own = |atom: &&Atom| matches!(&atom.kind, Kind::Param(0, path) if !path.is_empty());
    value.atoms().filter(own).map(|atom| atom.kind).collect()
}

/// Whether two dispatches stand on different arms of one branch.
fn exclusive(first: &Use, second: &Use) -> bool {
    first.branches.iter().any(|(at, arm)| second.branches.iter().any(|(other, taken)| at == other && arm != taken))
}
