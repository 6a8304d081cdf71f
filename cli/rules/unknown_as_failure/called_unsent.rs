//! Errors that are called "not sent" where the request may have arrived: whoever reads that sends it again, or gives it up.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{ConditionFact, EventFact, EventFactKind, Outcomes};
use crate::operations::{FunctionOps, exclusive, meets};
use crate::rules::scene::{here, named, step, sure, violation};
use crate::rules::{Facts, Sink};

const HELP: &str = "call only what surely never left the process \"not sent\", a refused connection for one, and keep the rest unknown";

/// Reports where an error of a dispatch is called "not sent" though nobody has asked whether it was.
pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, dispatch: &EventFact, sink: &mut Sink) {
    for (_, event) in function.events() {
        let EventFactKind::State { means } = &event.kind else {
            continue;
        };
        // A word for what was met on the way, such as "unreachable", claims less.
        let claims = means == "not_sent" && event.name.contains("::") && event.via.is_empty();
        if !claims || !meets(event, dispatch) || exclusive(&function.facts, event, dispatch) {
            continue;
        }
        let around = || {
            let about =
                |known: &&ConditionFact| known.about.contains(&dispatch.span) && event.branches.contains(&known.branch);
            function.facts.conditions.iter().filter(about)
        };
        let may_have_arrived =
            |known: &ConditionFact| known.outcomes.without(Outcomes::NOT_SENT).without(Outcomes::DONE);
        let by_name = around().any(|known| known.named && may_have_arrived(known).is_empty());
        let Some(error) = around().find(|known| known.outcomes.and(Outcomes::DONE).is_empty()).filter(|_| !by_name)
        else {
            continue;
        };
        let message = format!(
            "`{}` is told here for errors of {} of which nobody has asked whether the request was sent: one that was lost on the \
             way back has acted",
            event.name.rsplit("::").next().unwrap_or_default(),
            named(dispatch)
        );
        let mut steps = step(dispatch, "the provider is asked to act here");
        steps.push((error.place, "errors of all kinds come this way, lost connections among them".to_owned()));
        let confidence = sure(function, dispatch).min(Confidence::Likely);
        sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
    }
}
