//! `dedup-in-memory`: what was processed before is only remembered in this process.

use super::scene::{here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::EventFactKind;

pub(super) const RULE: Rule = Rule {
    name: "dedup-in-memory",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "processed ids are only in process memory",
    doc: include_str!("dedup_in_memory.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let asked = function.events().find(|(_, event)| {
            event.via.is_empty() && matches!(event.kind, EventFactKind::Remembered { insert: false, .. })
        });
        let taken = function.events().find(|(_, event)| {
            event.via.is_empty() && matches!(event.kind, EventFactKind::Remembered { insert: true, .. })
        });
        let (Some((_, asked)), Some((_, taken))) = (asked, taken) else {
            continue;
        };
        let message =
            "the keys of requests that were processed are kept in the memory of this process: after a restart, or at \
                       another replica, a repeat is taken for new"
                .to_owned();
        let help = "claim the key in a table under a unique index, in the transaction of the change";
        let mut steps = step(asked, "a repeat is told by this");
        steps.extend(step(taken, "and remembered here"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(asked), (message, help), steps));
    }
}
