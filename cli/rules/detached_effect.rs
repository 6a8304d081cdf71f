//! `detached-effect`: an effect in a task whose handle nobody holds.

use super::scene::{has_any, here, in_doubt, is_status, named, states_only, sure, violation};
use super::taken_off::round;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, Role, asks, has_word};
use crate::operations::{FunctionOps, asked, meets};
use crate::source::Span;
use crate::sql::{Assignment, Kind, Statement};

pub(super) const RULE: Rule = Rule {
    name: "detached-effect",
    group: Group::Persist,
    default_level: Level::Warn,
    summary: "an effect runs in a spawned task whose handle is dropped",
    doc: include_str!("detached_effect.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        answered_before_stored(facts, function, sink);
        let dispatches = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Dispatch { .. }));
        for (at, dispatch) in dispatches {
            // Told where the task is spawned: by the function whose own region it is.
            let spawned = dispatch.regions.iter().position(|region| is_own_task(function, region));
            let Some(spawned) = spawned else {
                continue;
            };
            // What a worker did not do, its next round finds.
            if dispatch.regions[spawned..].iter().any(|(_, role)| matches!(role, Role::Each { endless: true, .. })) {
                continue;
            }
            let (spawned, _) = dispatch.regions[spawned];
            if is_told(function, dispatch, spawned)
                || is_found_again(facts, function, at, spawned)
                || is_asked_for(facts, function, at, spawned)
            {
                continue;
            }
            let message = format!(
                "{} runs in a task whose handle is dropped: if the process stops or the task fails, nobody knows and nothing \
                 repeats it",
                named(dispatch)
            );
            let help = "store the intent and let a worker send it, or hold the handle and look at its result";
            let steps = vec![
                (spawned, "the task is spawned here".to_owned()),
                (dispatch.span, "the provider is asked to act here".to_owned()),
            ];
            // What only states a result is lost all the same, but nothing happens twice.
            // Of what is given back when a guard is dropped, that it is lost is the harm.
            let confidence = match dispatch.kind {
                EventFactKind::Dispatch { harmless: true, .. } if !is_drop(facts, function) => Confidence::Possible,
                _ if is_minor(facts, dispatch) || states_only(facts, dispatch) => Confidence::Possible,
                _ => sure(function, dispatch).min(Confidence::Likely),
            };
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether what is lost with a request is little by the names on the way to it: a question, which is asked again, an answer, for
/// whose want somebody asks again, or what is only told for statistics.
fn is_minor(facts: &Facts<'_>, dispatch: &EventFact) -> bool {
    let words = &facts.catalog.words;
    let unnamed = matches!(dispatch.kind, EventFactKind::Dispatch { provider: None, .. });
    unnamed
        && dispatch.through.iter().chain([&dispatch.function]).any(|&id| {
            let function = facts.program.function(id);
            let name = function.ir.name.as_str();
            let last = name.rsplit('_').next().unwrap_or(name);
            // Who handles an answer has got one.
            let replies = || {
                !has_word(name, "handle") && !has_word(name, "on") && words.reply_words.iter().any(|word| word == last)
            };
            let acts = words.verbs.iter().any(|verb| has_word(name, verb));
            let tells =
                || function.path.as_str().split("::").any(|part| words.telling_modules.iter().any(|of| of == part));
            !acts && (asks(words, name) || has_any(name, &words.question_names)) || replies() || tells()
        })
}

/// Whether a region is a task that the function itself starts and whose handle it drops.
fn is_own_task(function: &FunctionOps, (at, role): &(Span, Role)) -> bool {
    function.facts.body.covers(*at) && matches!(role, Role::Spawned { dropped: true })
}

/// A delivery that is answered while what it brought is stored in a task of its own: whoever delivered it has the answer and
/// does not come back. A request handler is taken for a receiver of deliveries where it takes the body as it came.
fn answered_before_stored(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let Some(handler) = function.facts.handler.as_ref().filter(|handler| handler.kind == "webhook") else {
        return;
    };
    let params = &facts.program.function(function.facts.function).params;
    let raw = &facts.catalog.words.raw_body_types;
    let takes_raw = params.iter().any(|ty| ty.is_one_of(raw));
    let spawned =
        |event: &EventFact| event.regions.iter().find(|region| is_own_task(function, region)).map(|(at, _)| *at);
    let works = |(at, event): &(usize, &EventFact)| {
        function.is_write(*at) || matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Handed { .. })
    };
    let all = || function.events().filter(works);
    if !takes_raw || all().any(|(_, event)| spawned(event).is_none()) {
        return;
    }
    let Some((write, task)) = function.writes().find_map(|(_, event)| Some((event, spawned(event)?))) else {
        return;
    };
    let message = format!(
        "{} answers while what was delivered is stored in a task whose handle is dropped: if the process stops or storing \
         fails, it is lost, and nobody delivers it again",
        handler.scope.what
    );
    let help = "store what was delivered before the answer, and do the rest from there";
    let steps = vec![(task, "the task is spawned here".to_owned()), (write.span, "it is stored here".to_owned())];
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(write), (message, help), steps));
}

/// Whether a function is what runs when a guard is dropped.
fn is_drop(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let ir = &facts.program.function(function.facts.function).ir;
    ir.name.as_str() == "drop" && ir.has_self && ir.params.len() == 1 && !ir.is_async
}

/// Whether the task hands the answer to another one, whatever it is, or cancels what both belong to when the effect fails.
fn is_told(function: &FunctionOps, dispatch: &EventFact, spawned: Span) -> bool {
    function.events().any(|(_, event)| match &event.kind {
        // whoever started the task waits for what it hands over, and for its end
        EventFactKind::Handed { args, back: true }
            if event.regions.iter().any(|(at, _)| *at == spawned)
                && args.iter().any(|arg| arg.replies.contains(&dispatch.span)) =>
        {
            true
        }
        // What it hands over at its end, however things went, tells that it has come there.
        EventFactKind::Handed { .. }
            if event.regions.iter().any(|(at, _)| *at == spawned) && is_last_word(dispatch, event) =>
        {
            true
        }
        EventFactKind::Handed { args, .. } if event.regions.iter().any(|(at, _)| *at == spawned) => {
            match args.as_slice() {
                // a token, which carries nothing
                [_] => in_doubt(&function.facts, event, dispatch).is_some(),
                args => {
                    let answers = args.iter().any(|arg| arg.replies.contains(&dispatch.span));
                    answers && asked(&function.facts, event, dispatch.span).is_none()
                        || in_doubt(&function.facts, event, dispatch).is_some()
                }
            }
        }
        _ => false,
    })
}

/// Whether a task does the work of one of several rows, which says itself when it is done: until it does, the next round that
/// reads them finds the row again. A row that was taken comes back only where that was for a time.
fn is_found_again(facts: &Facts<'_>, function: &FunctionOps, at: usize, spawned: Span) -> bool {
    let dispatch = function.event(at);
    let inside = |event: &EventFact, region: Span| event.regions.iter().any(|(around, _)| *around == region);
    let Some(round) = round(function, dispatch).filter(|round| *round != spawned && round.covers(spawned)) else {
        return false;
    };
    let words = &facts.catalog.words;
    let of_time = |set: &Assignment| {
        words.lease_since_columns.contains(&set.column) || words.lease_until_columns.contains(&set.column)
    };
    let comes_back = |statement: &Statement| match statement.kind {
        Kind::Select => true,
        Kind::Update => {
            let states = |set: &Assignment| is_status(facts, statement.table.as_deref(), &set.column);
            !statement.returning.is_empty() && statement.set.iter().any(of_time) && !statement.set.iter().any(states)
        }
        _ => false,
    };
    let done: Vec<&str> = function
        .writes()
        .filter(|(later, write)| *later > at && inside(write, spawned))
        .flat_map(|(later, _)| function.changed_tables(later))
        .collect();
    let mut reads = function.events().filter(|(before, event)| *before < at && !inside(event, round));
    reads.any(|(before, _)| {
        let mut statements = function.statements(before).iter();
        statements.any(|read| comes_back(read) && read.table.as_deref().is_some_and(|table| done.contains(&table)))
    })
}

/// Whether what a task does was written down before it was started, and another function asks the provider what came of it by
/// what stands there: whatever becomes of the task, that one finds out.
fn is_asked_for(facts: &Facts<'_>, function: &FunctionOps, at: usize, spawned: Span) -> bool {
    let dispatch = function.event(at);
    let EventFactKind::Dispatch { provider: Some(provider), .. } = &dispatch.kind else {
        return false;
    };
    let inside = |event: &EventFact| event.regions.iter().any(|(around, _)| *around == spawned);
    let noted: Vec<&str> = function
        .writes()
        .filter(|(before, write)| *before < at && !inside(write) && meets(write, dispatch))
        .flat_map(|(before, _)| function.changed_tables(before))
        .collect();
    let asks = |event: &EventFact| matches!(&event.kind, EventFactKind::Lookup { provider: Some(asked), .. } if asked == provider);
    !noted.is_empty()
        && facts.operations.functions.iter().any(|other| {
            let reads =
                |(read, _): (usize, &EventFact)| other.read_tables(read).iter().any(|table| noted.contains(table));
            other.facts.function != function.facts.function
                && !other.dispatches().any(|(_, event)| event.span == dispatch.span)
                && other.events().any(|(_, event)| asks(event))
                && other.events().any(reads)
        })
}

/// Whether a task hands something over behind an effect, in no branch and no loop of its own.
fn is_last_word(dispatch: &EventFact, event: &EventFact) -> bool {
    let from = here(dispatch);
    let behind = from.file == event.span.file && from.range.end <= event.span.range.start;
    let around = |region: &(Span, Role)| {
        matches!(region.1, Role::Closure { .. } | Role::Timeout) || dispatch.regions.contains(region)
    };
    behind
        && event.via.is_empty()
        && event.branches.iter().all(|branch| dispatch.branches.contains(branch))
        && event.regions.iter().all(around)
}
