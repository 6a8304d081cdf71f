//! `expired-allow`: a suppression past its last day.

use super::{Group, Rule};
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "expired-allow",
    group: Group::Meta,
    default_level: Level::Warn,
    summary: "a suppression past its last day",
    doc: include_str!("expired_allow.md"),
    // Only after all other rules have spoken is it known what a suppression covers: settling the findings reports it.
    check: |_, _| {},
    contract_error: false,
};
