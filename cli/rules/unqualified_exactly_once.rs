//! `unqualified-exactly-once`: a claim of exactly once that nothing bounds.

use super::{Facts, Group, Rule, Sink, prose_claims};
use crate::findings::Level;
use crate::prose::Promise;

pub(super) const RULE: Rule = Rule {
    name: "unqualified-exactly-once",
    group: Group::Docs,
    default_level: Level::Deny,
    summary: "prose that promises exactly once and names neither a layer nor a condition",
    doc: include_str!("unqualified_exactly_once.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    prose_claims::report(facts, sink, RULE.name, Promise::ExactlyOnce);
}
