//! The written order: for each field which value promises more than another.
//!
//! | what | from more to less |
//! | --- | --- |
//! | `claim` | the rows of the claim table |
//! | `key` | stable; then whatever else; what is not proven never counts as better than a fault |
//! | `commit_twice`, `run_again` | no; only; not proven; yes |
//! | `provider_window`, `evidence_retention` | longer; shorter; none. A window counts by its lower bound |
//! | `replay_horizon` | shorter; longer; none, which is without end |
//! | `delivery` | `exactly_once_within`; `at_least_once`; `at_most_once`, since a task can be lost; nothing |
//! | `mechanism` | what works like a key; what does not. An absolute write stands beside them |
//! | `terminal` | more exits; fewer. `unknown` is no exit: it counts the other way round |
//! | `reconcile`, `compensate` | a function; none, with or without a reason |
//! | `boundary`, `record`, `operator`, `fence` | named; not named |
//!
//! Every other field, and every other step between two values, is a change without a direction.

use std::collections::BTreeMap;
use std::time::Duration;

use effect_contracts_grammar::{Mechanism, duration};
use serde_json::Value;

use crate::contracts::Field;
use crate::guarantee::{Claim, is_key_like};

/// In which direction a value went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Shift {
    /// it promises less
    Weaker,
    /// it promises something else
    Other,
    /// it promises more
    Stronger,
}

/// How a field changed; nothing if it says the same.
pub(super) fn field(name: &str, before: Option<&Value>, after: Option<&Value>) -> Option<Shift> {
    if before == after {
        return None;
    }
    Some(match Field::by_name(name) {
        Some(Field::ProviderWindow) => numbers(window(before), window(after)),
        Some(Field::EvidenceRetention) => numbers(time(before, Duration::ZERO), time(after, Duration::ZERO)),
        Some(Field::ReplayHorizon) => numbers(time(after, Duration::MAX), time(before, Duration::MAX)),
        Some(Field::Delivery) => by_rank(before.map(delivery), after.map(delivery)),
        Some(Field::Mechanism) => mechanism(before, after),
        Some(Field::Terminal) => return terminal(before, after),
        Some(Field::Dispatch) if sorted(before) == sorted(after) => return None,
        Some(Field::Reconcile | Field::Compensate) => return remedy(before, after),
        Some(Field::Boundary | Field::Record | Field::Operator | Field::Fence) => {
            by_rank(before.map(|_| 0), after.map(|_| 0))
        }
        _ => Shift::Other,
    })
}

/// How the claim changed.
pub(super) fn claim(before: Claim, after: Claim) -> Option<Shift> {
    // the rows of the table, the strongest first
    (before != after).then(|| numbers(after, before))
}

/// How the verdict on the key changed.
pub(super) fn key(before: &str, after: &str) -> Option<Shift> {
    let (stable, unproven) = ("stable", "unproven");
    match (before, after) {
        (before, after) if before == after => None,
        (_, after) if after == stable => Some(Shift::Stronger),
        (before, _) if before == stable => Some(Shift::Weaker),
        (before, _) if before == unproven => Some(Shift::Weaker),
        _ => Some(Shift::Other),
    }
}

/// How the answer to a question changed, by the word that it begins with.
pub(super) fn answer(before: &str, after: &str) -> Option<Shift> {
    let rank = |answer: &str| {
        ["no", "only", "not proven", "yes"]
            .iter()
            .position(|word| answer.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
    };
    match (rank(before), rank(after)) {
        (before, after) if before == after => None,
        (Some(before), Some(after)) => Some(numbers(after, before)),
        _ => Some(Shift::Other),
    }
}

/// Greater is more.
fn numbers<T: PartialOrd>(before: T, after: T) -> Shift {
    match before.partial_cmp(&after) {
        Some(std::cmp::Ordering::Less) => Shift::Stronger,
        Some(std::cmp::Ordering::Greater) => Shift::Weaker,
        _ => Shift::Other,
    }
}

/// A lower rank is more; none is the least.
fn by_rank(before: Option<u32>, after: Option<u32>) -> Shift {
    numbers(after.unwrap_or(u32::MAX), before.unwrap_or(u32::MAX))
}

/// A window's lower bound. Of a value that cannot be read nothing is said but that it changed.
fn window(value: Option<&Value>) -> Bound {
    let text = match value {
        None => "none",
        Some(Value::Object(table)) => table.get("configurable").and_then(Value::as_str).unwrap_or_default(),
        Some(value) => value.as_str().unwrap_or_default(),
    };
    match text {
        "forever" => Bound::Known(Duration::MAX),
        "unpublished" | "none" => Bound::Known(Duration::ZERO),
        text => bound(text.strip_prefix("at_least ").unwrap_or(text)),
    }
}

/// A duration, or one that could not be read and compares with nothing.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Known(Duration),
    Unknown,
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Known(left), Self::Known(right)) => left.partial_cmp(right),
            _ => None,
        }
    }
}

fn bound(text: &str) -> Bound {
    duration::parse(text).map_or(Bound::Unknown, Bound::Known)
}

fn time(value: Option<&Value>, absent: Duration) -> Bound {
    value.map_or(Bound::Known(absent), |value| bound(value.as_str().unwrap_or_default()))
}

fn delivery(value: &Value) -> u32 {
    match value.as_str() {
        None => 0,
        Some("at_least_once") => 1,
        Some("at_most_once") => 2,
        // exactly once without a boundary, which nothing backs
        Some(_) => u32::MAX,
    }
}

fn mechanism(before: Option<&Value>, after: Option<&Value>) -> Shift {
    let read = |value: Option<&Value>| Mechanism::parse(value?.as_str()?).ok();
    match (read(before), read(after)) {
        (Some(Mechanism::AbsoluteWrite), _) | (_, Some(Mechanism::AbsoluteWrite)) => Shift::Other,
        (Some(before), Some(after)) => numbers(is_key_like(before), is_key_like(after)),
        _ => Shift::Other,
    }
}

/// Exits that went weigh more than exits that came: who relied on one finds it gone.
fn terminal(before: Option<&Value>, after: Option<&Value>) -> Option<Shift> {
    let (before, after) = (exits(before), exits(after));
    if before == after {
        return None;
    }
    let unknown = "unknown";
    let gone = before.keys().any(|state| state != unknown && !after.contains_key(state));
    let came = after.keys().any(|state| state != unknown && !before.contains_key(state));
    let gives_up = after.contains_key(unknown) && !before.contains_key(unknown);
    let decides = before.contains_key(unknown) && !after.contains_key(unknown);
    Some(match (gone || gives_up, came || decides) {
        (true, _) => Shift::Weaker,
        (false, true) => Shift::Stronger,
        (false, false) => Shift::Other,
    })
}

/// Terminal states with what the application calls them.
fn exits(value: Option<&Value>) -> BTreeMap<String, Option<String>> {
    let states = value.and_then(Value::as_array).into_iter().flatten();
    states
        .flat_map(|state| match state {
            Value::Object(mapped) => {
                mapped.iter().map(|(state, to)| (state.clone(), to.as_str().map(str::to_owned))).collect()
            }
            state => vec![(state.as_str().unwrap_or_default().to_owned(), None)],
        })
        .collect()
}

fn remedy(before: Option<&Value>, after: Option<&Value>) -> Option<Shift> {
    let path = |value: Option<&Value>| {
        let value = value?;
        let path = value.as_str().or_else(|| value.get("unchecked").and_then(Value::as_str));
        path.map(str::to_owned)
    };
    match (path(before), path(after)) {
        // checked or not, it is the same function
        (Some(before), Some(after)) if before == after => None,
        (Some(_), Some(_)) | (None, None) => Some(Shift::Other),
        (Some(_), None) => Some(Shift::Weaker),
        (None, Some(_)) => Some(Shift::Stronger),
    }
}

fn sorted(value: Option<&Value>) -> Vec<String> {
    let mut items: Vec<String> =
        value.and_then(Value::as_array).into_iter().flatten().map(ToString::to_string).collect();
    items.sort();
    items
}
