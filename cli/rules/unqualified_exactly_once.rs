//! `unqualified-exactly-once`: a claim of exactly once that nothing bounds.

use super::{Group, Rule, prose_claims};
use crate::findings::Level;

pub(super) const RULE: Rule = Rule {
    name: "unqualified-exactly-once",
    group: Group::Docs,
    default_level: Level::Deny,
    summary: "prose that promises exactly once and names neither a layer nor a condition",
    doc: include_str!("unqualified_exactly_once.md"),
    check: prose_claims::report,
    contract_error: false,
};
