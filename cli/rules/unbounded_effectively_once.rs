//! `unbounded-effectively-once`: a claim of effectively once without window and failure mode.

use super::{Group, Rule};
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "unbounded-effectively-once",
    group: Group::Docs,
    default_level: Level::Deny,
    summary: "prose that says effectively once and names neither a window nor a failure mode",
    doc: include_str!("unbounded_effectively_once.md"),
    // Claims of both kinds are found in one reading, for which the rule about exactly once is asked.
    check: |_, _| {},
    contract_error: false,
};
