//! What the rules about order and outcomes have in common: places, names, confidence, what is asked of branches.

mod asked;
mod keyed;

use std::time::Duration;

use super::Facts;
use super::dispatches::path_of;
pub(super) use super::dispatches::states_only;
pub(super) use super::relation::{is_same_entry, related, stands_aside, surely_related};
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::{
    Chosen, EventFact, EventFactKind, FunctionEvents, HandlerFact, OriginKind, Outcomes, Role, ValueFact, asks,
    client_acts, has_word, is_named_webhook,
};
use crate::operations::{FunctionOps, Open, asked, exclusive, meets};
use crate::source::Span;
use crate::sql::{Assignment, Kind, Set, Statement};
pub(super) use asked::{asks_before, confirms, decides_its_own, is_beside, says_done, sets_done, stays_in_doubt};
pub(super) use keyed::{has_known_key, is_keyed, is_same_again};

/// Calls between a function and what happens below it, up to which the two belong together.
pub(super) const NEAR: usize = 3;

/// The place of an event in the function that looks: the call that leads there, or the event itself.
pub(super) fn here(event: &EventFact) -> Span {
    event.via.first().copied().unwrap_or(event.span)
}

/// The event as people name it: `send` to smtp.
pub(super) fn named(event: &EventFact) -> String {
    match &event.kind {
        EventFactKind::Dispatch { provider: Some(to), .. } if !event.chosen.is_open() => {
            format!("`{}` to {to}", event.name)
        }
        _ => format!("`{}`", event.name),
    }
}

/// What happens at a position, as people name it: the write to `orders`, `send` to smtp.
pub(super) fn named_at(function: &FunctionOps, at: usize) -> String {
    match function.changed_tables(at).first() {
        Some(table) => format!("the write to `{table}`"),
        None => named(function.event(at)),
    }
}

/// How sure it is that an event is what it seems to be. That raw HTTP to an unknown address acts is told by its method
/// alone: a query may be posted, too. Of several functions that all act, it does not matter which one it is.
pub(super) fn sure(function: &FunctionOps, event: &EventFact) -> Confidence {
    // Far below, what is asked for over HTTP, or of a client by its name, is seldom what a function is about.
    let by_distance = if event.distance() < NEAR { Confidence::Likely } else { Confidence::Possible };
    match event.kind {
        EventFactKind::Dispatch { presumed: true, .. } => by_distance,
        _ if event.chosen == Chosen::Unlike && !is_declared(function) => by_distance,
        EventFactKind::Dispatch { provider: None, http: true, .. }
            if !is_declared(function) && !has_known_key(event) =>
        {
            by_distance
        }
        _ if event.chosen.is_open() && !is_declared(function) => Confidence::Likely,
        _ => Confidence::Certain,
    }
}

/// How sure it is that a repeat of an event does harm: of raw HTTP to an unknown address only the method says so, unless the
/// address ends with what is done there.
pub(super) fn harmful(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact) -> Confidence {
    match &event.kind {
        EventFactKind::Dispatch { provider: None, keyed: false, http: true, .. } if !is_declared(function) => {
            let changes = event.below > 0 || event.says_change(&facts.catalog.words);
            if changes { sure(function, event).min(Confidence::Likely) } else { Confidence::Possible }
        }
        // Of a client that only its name shows nobody knows what it tells repeats by.
        EventFactKind::Dispatch { presumed: true, keyed: false, .. } => Confidence::Possible,
        _ => sure(function, event),
    }
}

/// How sure a scope is: one that only its shape shows is likely.
pub(super) fn handled(handler: Option<&HandlerFact>) -> Confidence {
    handler.map_or(Confidence::Possible, |handler| handler.scope.confidence)
}

/// Whether a contract speaks of a function: what its author declared is taken at its word.
pub(super) fn is_declared(function: &FunctionOps) -> bool {
    function.facts.handler.as_ref().is_some_and(|handler| handler.contract)
}

/// Whether an event is a call that cannot be followed and that acts or stores by its name.
pub(super) fn works(facts: &Facts<'_>, event: &EventFact) -> bool {
    let words = &facts.catalog.words;
    let named =
        || client_acts(words, &event.name) || !asks(words, &event.name) && has_any(&event.name, &words.result_verbs);
    matches!(event.kind, EventFactKind::Call { awaited: true, .. }) && named()
}

/// Certain under a contract, likely without one.
pub(super) fn by_contract(function: &FunctionOps) -> Confidence {
    if is_declared(function) { Confidence::Certain } else { Confidence::Likely }
}

/// A violation in a function, at a place.
pub(super) fn violation(
    facts: &Facts<'_>,
    function: &FunctionOps,
    rule: &'static str,
    confidence: Confidence,
    place: Span,
    (message, help): (String, &str),
    steps: Vec<(Span, String)>,
) -> Violation {
    let steps = steps.into_iter().filter(|(span, _)| *span != place);
    Violation {
        rule,
        confidence,
        message,
        help: help.to_owned(),
        place: Place::Source(place),
        path: steps.map(|(span, note)| Step { place: Place::Source(span), note }).collect(),
        handler: Some(path_of(facts, function.facts.function)),
        detail: Vec::new(),
    }
}

/// A step at an event: its place in the function that looks, and behind it the call itself where that is elsewhere.
pub(super) fn step(event: &EventFact, note: impl Into<String>) -> Vec<(Span, String)> {
    let mut steps = vec![(here(event), note.into())];
    if event.distance() > 0 {
        steps.push((event.site(), format!("`{}` is called here", event.name)));
    }
    steps
}

/// Whether an event stands where the outcome of a dispatch may be unknown and is not confirmed. What one callee does and
/// decides is told there, and beside it of the effect that is declared.
pub(super) fn in_doubt(function: &FunctionEvents, event: &EventFact, dispatch: &EventFact) -> Option<(Span, u32)> {
    let declared = function.handler.as_ref().is_some_and(|handler| handler.contract);
    if !declared && !meets(event, dispatch) {
        return None;
    }
    if decides_its_own(function, event) {
        return None;
    }
    let asked = asked(function, event, dispatch.span)?;
    // What another arm asks of the same call was asked there. Only of a race does one arm tell of another.
    let races = dispatch.branches.iter().any(|(at, _)| *at == asked.branch.0);
    if exclusive(function, event, dispatch) && !races {
        return None;
    }
    asked.outcomes.is_error().then_some(asked.branch)
}

/// The events in a branch.
pub(super) fn in_branch(function: &FunctionOps, branch: (Span, u32)) -> impl Iterator<Item = (usize, &EventFact)> {
    function.events().filter(move |(_, event)| event.branches.contains(&branch))
}

/// Whether a name has one of the words of a list.
pub(super) fn has_any(name: &str, words: &[String]) -> bool {
    words.iter().any(|word| has_word(name, word))
}

/// The scope of a function whose runner or caller runs it again when it fails. A request handler that only its extractors
/// show counts where its name says that somebody delivers to it: other clients do not come back by themselves.
pub(super) fn redelivered<'a>(facts: &Facts<'_>, function: &'a FunctionOps) -> Option<&'a HandlerFact> {
    let handler = function.facts.handler.as_ref().filter(|handler| !handler.again.is_empty())?;
    if handler.kind == "webhook" && handler.scope.confidence < Confidence::Certain {
        let info = facts.program.function(function.facts.function);
        return is_named_webhook(&facts.catalog.words, info).then_some(handler);
    }
    Some(handler)
}

/// Whether an event ends the attempt well: a success, or a return of which nothing says otherwise.
pub(super) fn is_success(event: &EventFact) -> bool {
    match &event.kind {
        EventFactKind::Return { answer, .. } => matches!(answer.as_deref(), None | Some("confirmed")),
        _ => false,
    }
}

/// Where a transaction begins for the function that looks: of one that another function begins for it, the call.
pub(super) fn begins(function: &FunctionOps, begin: Span) -> Span {
    let event = function.events().find(|(_, event)| matches!(event.kind, EventFactKind::Begin) && event.span == begin);
    event.map_or(begin, |(_, event)| here(event))
}

/// Whether this function is the one in which a transaction and what happens inside it meet: the transaction begins here,
/// or the event stands here.
pub(super) fn meets_tx(function: &FunctionOps, event: &EventFact, open: Open) -> bool {
    let begin =
        || function.events().find(|(_, begin)| matches!(begin.kind, EventFactKind::Begin) && begin.span == open.begin);
    match open.at.or_else(|| begin().map(|(at, _)| at)) {
        Some(at) => meets(function.event(at), event),
        // a closure of this function, or of one that it calls
        None => function.facts.body.covers(open.begin),
    }
}

/// Whether an event happens in every run that comes past another one and whose answer was good: it stands in no branch,
/// loop over things or task of its own. What is tried again is tried at least once.
pub(super) fn always_follows(function: &FunctionEvents, first: &EventFact, later: &EventFact) -> bool {
    let about_first = |branch: &(Span, u32)| {
        function.conditions.iter().any(|condition| condition.branch == *branch && condition.about.contains(&first.span))
    };
    let regions = later
        .regions
        .iter()
        .filter(|(_, role)| !matches!(role, Role::Closure { .. } | Role::Transaction | Role::Timeout | Role::Retry));
    let outside = |branch: &(Span, u32)| !first.branches.contains(branch) && !later.passed.contains(branch);
    later.branches.iter().all(|branch| !outside(branch) || about_first(branch))
        && regions.into_iter().all(|region| first.regions.contains(region))
}

/// The word for a failed, released or final state that a statement writes.
pub(super) fn failed_word(facts: &Facts<'_>, event: &EventFact, statement: &Statement) -> Option<String> {
    if !matches!(statement.kind, Kind::Update | Kind::Insert) {
        return None;
    }
    let failed = |text: &str| {
        let means = facts.operations.means(text)?;
        matches!(means, "rejected" | "released" | "terminal").then(|| text.to_owned())
    };
    let mut set = statement.set.iter().chain(&statement.conflict_set);
    set.find_map(|assignment| match written(facts, event, statement, assignment).as_slice() {
        &[Some(text)] => failed(text),
        _ => None,
    })
}

/// What an assignment writes: its text, or all that may be bound to a column for states, as far as that is text.
pub(super) fn written<'a>(
    facts: &Facts<'_>,
    event: &'a EventFact,
    statement: &'a Statement,
    assignment: &'a Assignment,
) -> Vec<Option<&'a str>> {
    match (&assignment.value, &event.kind) {
        (Set::Text(text), _) => vec![Some(text)],
        (Set::Placeholder(number), EventFactKind::Sql { binds, .. })
            if is_status(facts, statement.table.as_deref(), &assignment.column) =>
        {
            let origins = binds.get(*number).into_iter().flat_map(|bind| &bind.origins);
            let texts = origins.map(|origin| match origin {
                OriginKind::Constant(text) => text.map(|text| text.as_str()),
                _ => None,
            });
            texts.collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a column holds the state of a row: by configuration, or by its name.
pub(super) fn is_status(facts: &Facts<'_>, table: Option<&str>, column: &str) -> bool {
    let declared = table.map_or(&[][..], |table| facts.operations.tables.columns(table, "status"));
    declared.iter().any(|name| name == column) || matches!(column, "status" | "state")
}

/// Whether a failure is that of a dispatch itself: it stands in a branch that asks about its outcome, and not only behind a
/// guard that has let a success through.
pub(super) fn is_own_failure(function: &FunctionOps, dispatch: &EventFact, fail: &EventFact) -> bool {
    let conditions = function.facts.conditions.iter();
    let mut around = conditions
        .filter(|condition| condition.about.contains(&dispatch.span) && fail.branches.contains(&condition.branch));
    around.any(|condition| !fail.passed.contains(&condition.branch) || !condition.outcomes.has(Outcomes::CONFIRMED))
}

/// The one fixed time that a value is.
pub(super) fn duration(value: &ValueFact, unit: Option<&str>) -> Option<Duration> {
    let [OriginKind::Constant(Some(text))] = value.origins.as_slice() else {
        return None;
    };
    let text = text.as_str().replace('_', "");
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => humantime::parse_duration(&format!("{text}{}", unit?)).ok(),
        false => humantime::parse_duration(&text).ok(),
    }
}
