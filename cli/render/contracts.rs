//! Contracts and derived guarantees as JSON, version 1: what other tools and later runs compare.

use super::wire::to_json;
use crate::diff::Snapshot;

/// All contracts, sorted by handler and name, with what holds for each.
pub fn contracts(snapshot: &Snapshot) -> String {
    to_json(snapshot)
}
