//! Whether two operations speak of one thing, as far as the values in them show.

use super::Facts;
use super::scene::has_any;
use crate::catalog::FreshKind;
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact, snake};
use crate::resolve::{TraitId, Ty};
use crate::source::Span;

/// Whether two operations speak of one thing: some value goes into both, apart from what runs them.
pub(super) fn related(a: &EventFact, b: &EventFact) -> bool {
    // What one was answered goes into the other.
    if answers_meet(a, b) {
        return true;
    }
    if is_stamp(a) || is_stamp(b) {
        return false;
    }
    let (a, b) = (subjects(a), subjects(b));
    // Where nothing is known of what goes in, nothing speaks against it.
    a.is_empty() || b.is_empty() || a.iter().any(|subject| b.contains(subject))
}

/// Whether two operations below calls of their own are seen to speak of one thing. Each such call may well find what it works
/// on by itself: that nothing speaks against it is not enough.
pub(super) fn surely_related(a: &EventFact, b: &EventFact) -> bool {
    let apart = !a.via.is_empty() && !b.via.is_empty();
    let unnamed = subjects(a).is_empty() || subjects(b).is_empty();
    related(a, b) && (!apart || !unnamed || answers_meet(a, b) || have_one_name(a, b))
}

/// Whether a write of a key-value store is about the entry that a read of it has asked for: all that named it there names it here.
pub(super) fn is_same_entry(read: &EventFact, write: &EventFact) -> bool {
    let entry = |event: &'_ EventFact| match &event.kind {
        EventFactKind::Store { table: None, args, .. } => args.get(1..).map(<[ValueFact]>::to_vec),
        _ => None,
    };
    let (Some(asked), Some(told)) = (entry(read), entry(write)) else {
        return false;
    };
    let says = |value: &ValueFact| {
        value.origins.iter().any(|origin| !matches!(origin, OriginKind::Constant(_) | OriginKind::Opaque(_)))
    };
    let same = |(asked, told): (&ValueFact, &ValueFact)| asked.origins == told.origins;
    asked.iter().any(says) && asked.len() <= told.len() && asked.iter().zip(&told).all(same)
}

/// Whether two operations belong to different implementations of one interface, of which a run has only one.
pub(super) fn are_alternatives(facts: &Facts<'_>, a: &EventFact, b: &EventFact) -> bool {
    let implementations = |event: &EventFact| -> Vec<(TraitId, &Ty)> {
        let functions = event.through.iter().copied().chain([event.function]);
        let known = functions.map(|id| facts.program.function(id));
        known.filter_map(|function| Some((function.trait_?, &function.self_ty))).collect()
    };
    let (a, b) = (implementations(a), implementations(b));
    a.iter().any(|(of, ty)| b.iter().any(|(other, other_ty)| of == other && ty != other_ty))
}

/// Whether two operations are handed one text: the row goes by a name of its own.
fn have_one_name(a: &EventFact, b: &EventFact) -> bool {
    let is_name = |text: &&str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let names: Vec<&str> = values(a).into_iter().flat_map(|value| value.texts()).filter(is_name).collect();
    values(b).into_iter().flat_map(|value| value.texts()).any(|text| names.contains(&text))
}

/// Whether what is written is a copy by the name of what writes it, `set_cached_item` of an `ObjectCache`: lost, it is asked
/// for again.
pub(super) fn is_copied(facts: &Facts<'_>, write: &EventFact) -> bool {
    write.through.iter().any(|&id| {
        let info = facts.program.function(id);
        let mut names = info.path.as_str().rsplit("::").take(2);
        names.any(|name| has_any(&snake(name), &facts.catalog.words.copy_names))
    })
}

/// Whether what one operation was answered goes into the other.
fn answers_meet(a: &EventFact, b: &EventFact) -> bool {
    answers(a).contains(&b.span) || answers(b).contains(&a.span)
}

/// The values that go into an operation.
fn values(event: &EventFact) -> Vec<&ValueFact> {
    match &event.kind {
        EventFactKind::Dispatch { key, args, .. } => vec![key, args],
        EventFactKind::Sql { binds, .. } => binds.iter().collect(),
        EventFactKind::Store { args, .. } | EventFactKind::Call { args, .. } => args.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether what is written is only that it is now: when something was last looked at, under a fixed key.
fn is_stamp(event: &EventFact) -> bool {
    let (EventFactKind::Sql { executor, .. } | EventFactKind::Store { executor, .. }) = &event.kind else {
        return false;
    };
    let given = || values(event).into_iter().flat_map(|value| &value.origins);
    let mut others = given().filter(|origin| !executor.origins.contains(origin));
    let is_clock = |origin: &OriginKind| *origin == OriginKind::Fresh(FreshKind::Clock);
    given().any(is_clock) && others.all(|origin| matches!(origin, OriginKind::Constant(_)) || is_clock(origin))
}

/// The operations whose answers go into an event.
fn answers(event: &EventFact) -> Vec<Span> {
    values(event).iter().flat_map(|value| value.replies.iter().copied()).collect()
}

/// What goes into an operation: the roots of its inputs, and whether rows of a store do.
fn subjects(event: &EventFact) -> Vec<String> {
    let executor = match &event.kind {
        EventFactKind::Sql { executor, .. } | EventFactKind::Store { executor, .. } => Some(executor),
        _ => None,
    };
    let mut subjects = Vec::new();
    for origin in values(event).iter().flat_map(|value| &value.origins) {
        if executor.is_some_and(|executor| executor.origins.contains(origin)) {
            continue;
        }
        let subject = match origin {
            OriginKind::Input(path) => root(path.as_str()),
            OriginKind::Stored => "a row".to_owned(),
            _ => continue,
        };
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    subjects
}

/// `order` of `order.lines.id`; of a field of the object itself the field.
fn root(path: &str) -> String {
    let mut parts = path.split('.');
    match (parts.next(), parts.next()) {
        (Some("self"), Some(field)) => format!("self.{field}"),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

/// Whether a claim stands on one of several arms behind which work comes in any case: that is not what it is for.
pub(super) fn stands_aside(claim: &EventFact, work: &EventFact) -> bool {
    claim.branches.iter().any(|arm| !work.branches.contains(arm) && !claim.passed.contains(arm))
}
