//! `unstable-digest`: a digest over something that comes out in another order or with other content each time.

use super::scene::{here, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Level};
use crate::flow::EventFactKind;

pub(super) const RULE: Rule = Rule {
    name: "unstable-digest",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "a digest over unordered content",
    doc: include_str!("unstable_digest.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (_, event) in function.events().filter(|(_, event)| event.via.is_empty()) {
            let EventFactKind::Digest { value } = &event.kind else {
                continue;
            };
            let Some((_, made)) = value.fresh.iter().find(|(kind, _)| *kind == FreshKind::MapOrder) else {
                continue;
            };
            let message =
                "this digest is taken over a hash map, whose order differs from run to run: the same payload has \
                another digest each time"
                    .to_owned();
            let help = "use an ordered map (`BTreeMap`), or sort before hashing";
            let steps = vec![(*made, "the order of a hash map comes in here".to_owned())];
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, help), steps));
        }
    }
}
