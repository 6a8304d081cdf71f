//! What the user decided about findings: levels, suppressions, the day that counts as today.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Level, Place};
use crate::source::Span;

/// Everything that turns violations into findings.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// levels in the order of their precedence, lowest first: the last entry for a rule counts
    pub levels: Vec<LevelEntry>,
    /// suppressions of attributes and of `effects.toml`
    pub allows: Vec<AllowEntry>,
    /// the day on which `until` is judged, `YYYY-MM-DD`; without it nothing expires
    pub today: Option<String>,
    /// fingerprints of the baseline
    pub baseline: BTreeSet<String>,
    /// every member is judged, whatever is selected: documents speak of the whole workspace
    pub all_members: bool,
}

/// A level that the user set for a rule.
#[derive(Clone, Debug)]
pub struct LevelEntry {
    /// rule name in kebab case, perhaps a name that no rule has
    pub rule: String,
    /// the level
    pub level: Level,
    /// where it is written; `None` for the command line
    pub place: Option<Place>,
}

/// A suppression.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AllowEntry {
    /// rule name in kebab case, perhaps a name that no rule has
    pub rule: String,
    /// what it covers
    pub scope: AllowScope,
    /// why
    pub reason: String,
    /// last day on which it holds, `YYYY-MM-DD`
    pub until: Option<String>,
    /// who answers for it
    pub owner: Option<String>,
    /// where it is written
    pub place: Place,
}

/// What a suppression covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum AllowScope {
    /// the function that carries the attribute: its bytes, and findings that name it
    Handler {
        /// the whole item
        item: Span,
        /// its path
        path: String,
    },
    /// an item path of `effects.toml`, and everything below it; `crate::` stands for any package
    Item(String),
    /// a file by its path relative to the workspace root, or a glob over such paths
    File(String),
}
