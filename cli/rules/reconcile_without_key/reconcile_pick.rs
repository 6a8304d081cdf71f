//! One of several picked by amount, and taken for what became of an intent.

use super::{HELP, RULE, asks_unknown, works_off_doubts};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact};
use crate::operations::FunctionOps;
use crate::rules::scene::{confirms, here, in_doubt, is_success, named, step, violation};
use crate::rules::{Facts, Sink};
use crate::sql::{Kind, Statement};

/// One of several picked by amount, where the outcome of a dispatch is in doubt, and the several were not asked for by what
/// the dispatch is known by.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::Picked { from, alike: true } = &event.kind else {
            continue;
        };
        if is_changed(function, event) {
            if event.via.is_empty() {
                let message = "one of several that have the same amount is found and confirmed here: another intent's may be taken for \
                               this one's"
                    .to_owned();
                let text = (message, HELP);
                sink.report(violation(facts, function, RULE.name, Confidence::Likely, event.span, text, Vec::new()));
            }
            continue;
        }
        let of_another = |(_, dispatch): &(usize, &EventFact)| {
            !is_by_key(dispatch, from) && in_doubt(&function.facts, event, dispatch).is_some()
        };
        let dispatch = function.dispatches().find(of_another);
        let Some((_, dispatch)) = dispatch else {
            doubts_settled(facts, function, at, sink);
            sought_before(facts, function, event, from, sink);
            continue;
        };
        let message = format!(
            "what became of {} is taken from the first of several with the same amount: another intent's may be taken for this one's",
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.extend(step(event, "one of several is picked here"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
    }
}

/// Whether what is picked is changed by the same call.
fn is_changed(function: &FunctionOps, picked: &EventFact) -> bool {
    let changes =
        |event: &EventFact| matches!(&event.kind, EventFactKind::Store { op, .. } if op == "conditional_update");
    function.events().any(|(_, event)| event.span == picked.span && event.via == picked.via && changes(event))
}

/// Whether the several were asked for by what a dispatch is known by.
fn is_by_key(dispatch: &EventFact, from: &ValueFact) -> bool {
    let known_by = match &dispatch.kind {
        EventFactKind::Dispatch { key, .. } => key.origins.as_slice(),
        _ => &[],
    };
    known_by.iter().any(|origin| matches!(origin, OriginKind::Input(_)) && from.origins.contains(origin))
}

/// One of several picked by amount before anything is sent: where there is one, the function ends well without a dispatch of
/// its own.
fn sought_before(facts: &Facts<'_>, function: &FunctionOps, picked: &EventFact, from: &ValueFact, sink: &mut Sink) {
    // The provider was asked for the several by the same call.
    let asked = function.events().find(|(_, asked)| {
        matches!(asked.kind, EventFactKind::Asked { .. } | EventFactKind::Lookup { .. }) && here(asked) == here(picked)
    });
    let Some((_, asked)) = asked.filter(|_| !picked.via.is_empty()) else {
        return;
    };
    let sent = function.dispatches().find(|(_, dispatch)| {
        let mut turns = asked.turns.iter().filter_map(|turn| Some((turn.branch, turn.nothing?)));
        let skipped = turns.any(|(branch, nothing)| {
            let beside = |event: &EventFact| event.branches.iter().any(|(at, arm)| *at == branch && *arm != nothing);
            let mut found = function.events().map(|(_, event)| event).filter(|event| beside(event));
            dispatch.branches.contains(&(branch, nothing))
                && found.any(|event| is_success(event) && event.via.is_empty())
        });
        matches!(dispatch.kind, EventFactKind::Dispatch { harmless: false, .. })
            && skipped
            && !is_by_key(dispatch, from)
    });
    let Some((_, dispatch)) = sent else {
        return;
    };
    let message = format!(
        "whether {} is still to act is told by the first of several with the same amount: another intent's may be taken for \
         this one's, which is then never done",
        named(dispatch)
    );
    let mut steps = step(picked, "one of several is picked here");
    steps.extend(step(dispatch, "and this is left out where there is one"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(picked), (message, HELP), steps));
}

/// One of several picked by amount, by which a row is settled that is stored as unknown: the change asks for such rows itself,
/// or those that are gone through were read as such.
fn doubts_settled(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let picked = function.event(at);
    let unknown = |statement: &Statement| statement.kind == Kind::Update && asks_unknown(facts, statement);
    let works_off = works_off_doubts(facts, function, at);
    let settled = function.writes().find(|(write, _)| {
        let confirmed = || works_off && *write > at && confirms(facts, function, *write);
        function.statements(*write).iter().any(unknown) || confirmed()
    });
    let Some((_, settled)) = settled else {
        return;
    };
    let message =
        "what is stored as unknown is settled by the first of several with the same amount: another intent's may be taken for \
         this one's"
            .to_owned();
    let mut steps = step(picked, "one of several is picked here");
    steps.extend(step(settled, "and settles the row here"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(picked), (message, HELP), steps));
}
