//! Loops that ask one provider after the other, and go on to the next while the one before may have acted.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind};
use crate::operations::FunctionOps;
use crate::rules::dispatches::is_for_question;
use crate::rules::scene::{asks_before, here, in_doubt, named, step, sure, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, event) in function.events() {
        let EventFactKind::NextRound { asked } = &event.kind else {
            continue;
        };
        // A call ends where it ends, from its name on or from its receiver on.
        let end = |span: &Span| (span.file, span.range.end);
        let only_asks = |dispatch: &EventFact| is_for_question(facts, function.facts.function, dispatch);
        let mut asked = function
            .dispatches()
            .filter(|(_, dispatch)| asked.iter().any(|call| end(call) == end(&here(dispatch))) && !only_asks(dispatch));
        let found = asked.find_map(|(_, dispatch)| Some((dispatch, in_doubt(&function.facts, event, dispatch)?)));
        let Some((dispatch, branch)) =
            found.filter(|(dispatch, branch)| !asks_before(facts, function, dispatch, *branch, at))
        else {
            continue;
        };
        let message = format!(
            "the next one is asked after this, where the outcome of {} may be unknown: the one before may have acted, and the next \
             acts too",
            named(dispatch)
        );
        let mut steps = step(dispatch, "one after the other is asked to act here");
        steps.push((branch.0, "errors of all kinds come this way, lost answers among them".to_owned()));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        let help = "go on to the next one only where nothing was sent or the answer is a refusal; keep any other outcome unknown";
        sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
    }
}
