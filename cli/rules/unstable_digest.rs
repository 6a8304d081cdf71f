//! `unstable-digest`: a digest over something that comes out in another order or with other content each time.

use super::scene::{here, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Level};
use crate::flow::EventFactKind;
use crate::source::Span;

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
        for (_, event) in function.events() {
            let EventFactKind::Digest { value } = &event.kind else {
                continue;
            };
            // A helper that digests what it is handed says nothing of its order; whoever brings that in does.
            let own = |made: &Span| event.via.is_empty() || function.facts.body.covers(*made);
            let unordered = |(kind, made): &&(FreshKind, Span)| *kind == FreshKind::MapOrder && own(made);
            let Some((_, made)) = value.fresh.iter().find(unordered) else {
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
