//! A processed-marker in a key-value store that is put there before the work: what fails then is taken for a repeat.

use super::ignored_claim::is_marker;
use super::misplaced_marker::RULE;
use super::scene::{here, is_keyed, is_success, named_at, redelivered, step, violation};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Usage, has_word};
use crate::operations::{FunctionOps, asked, meets, surely_before};

/// Seconds from which on a marker is there to be found by the next delivery: what goes sooner only keeps two runs apart.
const LASTS: u64 = 3_600;

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let claims = function.events().filter(|(at, event)| {
        matches!(event.kind, EventFactKind::Store { .. }) && function.is_claim(*at) && is_marker(function, event)
    });
    for (at, claim) in claims {
        if claim.usage != Usage::Used || claim.via.len() > 1 || is_lock(facts, claim) || !drops(function, claim) {
            continue;
        }
        let runs_again = redelivered(facts, function).is_some();
        let work = function.events().find(|(later, event)| {
            let acts = match event.kind {
                // To do once at the most what cannot be repeated may be meant.
                EventFactKind::Dispatch { harmless, .. } => runs_again || harmless || is_keyed(event),
                EventFactKind::Sql { .. } => function.is_write(*later),
                _ => false,
            };
            *later > at
                && acts
                && surely_before(&function.facts, at, *later)
                && meets(claim, event)
                && fails_with(function, event)
        });
        let Some((work_at, work)) = work.filter(|(work_at, _)| !is_given_back(function, at, *work_at)) else {
            continue;
        };
        let message = format!(
            "the task is marked as processed before {}: if that fails, the next delivery is taken for a repeat and dropped",
            named_at(function, work_at)
        );
        let help = "write the marker when the work is done, or mark it as started and take the mark back when it fails";
        let mut steps = step(claim, "the marker is written here");
        steps.extend(step(work, "the work is done here"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(claim), (message, help), steps));
    }
}

/// Whether whoever claims calls it a lock.
pub(super) fn is_lock(facts: &Facts<'_>, claim: &EventFact) -> bool {
    let words = &facts.catalog.words.lock_names;
    let says = |text: &str| words.iter().any(|word| has_word(text, word));
    let last = |path: &str| path.rsplit("::").next().is_some_and(says);
    claim.handed_to_store().iter().flat_map(|value| value.texts()).any(says)
        || claim.through.iter().any(|&helper| last(facts.program.function(helper).path.as_str()))
}

/// Whether the function ends well where the marker was there already.
fn drops(function: &FunctionOps, claim: &EventFact) -> bool {
    let about = |branch: &(crate::source::Span, u32)| {
        let mut conditions = function.facts.conditions.iter();
        conditions.any(|known| known.branch == *branch && known.about.contains(&claim.span))
    };
    function.events().any(|(_, event)| {
        is_success(event) && event.via.is_empty() && event.branches.last().is_some_and(about) && event.passed.is_empty()
    })
}

/// Whether an error of the work is one of the function: whoever keeps it to itself wants no second try.
fn fails_with(function: &FunctionOps, work: &EventFact) -> bool {
    function.events().any(|(_, event)| {
        matches!(event.kind, EventFactKind::Fail { .. })
            && event.via.is_empty()
            && asked(&function.facts, event, work.span).is_some()
    })
}

/// Whether the marker is taken back somewhere, or goes by itself before anybody could miss it.
fn is_given_back(function: &FunctionOps, at: usize, work: usize) -> bool {
    let own = |event: &EventFact| event.handed_to_store().get(1).map(|name| name.origins.clone());
    let marker = own(function.event(at));
    let lasts = |event: &EventFact| {
        let texts = event.handed_to_store().iter().skip(2).flat_map(|value| value.texts());
        texts.filter_map(|text| text.parse::<u64>().ok()).max()
    };
    let options = function.event(at).handed_to_store().len() > 3;
    let soon = options && lasts(function.event(at)).is_none_or(|seconds| seconds < LASTS);
    soon || function.events().any(|(later, event)| {
        let EventFactKind::Store { op, .. } = &event.kind else {
            return false;
        };
        let same = later > at && own(event) == marker;
        let expires = event.name.as_str().contains("expire") && later < work;
        same && (op == "delete" || expires && lasts(event).is_none_or(|seconds| seconds < LASTS))
    })
}
