//! `unknown-rule`: a level or suppression for a rule that does not exist.

use super::{Group, Rule};
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "unknown-rule",
    group: Group::Meta,
    default_level: Level::Warn,
    summary: "a level or suppression for a rule that does not exist",
    doc: include_str!("unknown_rule.md"),
    // Only after all other rules have spoken is it known what a suppression covers: settling the findings reports it.
    check: |_, _| {},
    contract_error: false,
};
