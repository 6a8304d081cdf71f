//! `unused-allow`: a suppression that covers nothing.

use super::{Group, Rule};
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "unused-allow",
    group: Group::Meta,
    default_level: Level::Warn,
    summary: "a suppression that covers nothing",
    doc: include_str!("unused_allow.md"),
    // Only after all other rules have spoken is it known what a suppression covers: settling the findings reports it.
    check: |_, _| {},
    contract_error: false,
};
