//! `unbounded-effectively-once`: a claim of effectively once without window and failure mode.

use super::{Facts, Group, Rule, Sink, prose_claims};
use crate::findings::Level;
use crate::prose::Promise;

pub(super) const RULE: Rule = Rule {
    name: "unbounded-effectively-once",
    group: Group::Docs,
    default_level: Level::Deny,
    summary: "prose that says effectively once and names neither a window nor a failure mode",
    doc: include_str!("unbounded_effectively_once.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    prose_claims::report(facts, sink, RULE.name, Promise::EffectivelyOnce);
}
