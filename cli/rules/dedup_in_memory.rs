//! `dedup-in-memory`: what was processed before is only remembered in this process.

use super::scene::{here, step, violation, works};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFactKind, KEY_HEADER, OriginKind, Usage};

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
        // The answer of an insert tells both.
        let asked = asked.or_else(|| {
            function.events().find(|(_, event)| {
                let answers = matches!(event.kind, EventFactKind::Remembered { insert: true, .. });
                event.via.is_empty() && answers && event.usage == Usage::Used
            })
        });
        let taken = function.events().find(|(_, event)| {
            event.via.is_empty() && matches!(event.kind, EventFactKind::Remembered { insert: true, .. })
        });
        let (Some((asked_at, asked)), Some((_, taken))) = (asked, taken) else {
            continue;
        };
        let acts = function.events().any(|(at, event)| {
            let dispatched = matches!(event.kind, EventFactKind::Dispatch { harmless: false, .. });
            at > asked_at && (dispatched || function.is_write(at) || works(facts, event))
        });
        let by_header = match &asked.kind {
            EventFactKind::Remembered { value, .. } => {
                value.origins.iter().any(|origin| matches!(origin, OriginKind::Input(name) if name == KEY_HEADER))
            }
            _ => false,
        };
        if !(acts || by_header) {
            continue;
        }
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
