//! Findings: what rules report, before and after levels, suppressions and order are settled.
//!
//! In: the [`Violation`]s of all rules, and a [`Policy`] from command line, `effects.toml` and contracts. Out: a
//! [`Report`] that holds everything a renderer needs. Nothing here knows how a finding was found or how it will look.
//!
//! The plain types of this file are also used by the flow analysis and the rules; the parts below are not.

mod allow;
mod baseline;
mod fingerprint;
mod policy;
mod precedence;
mod report;
mod settle;
mod sources;
#[cfg(test)]
mod tests;

pub use baseline::Baseline;
pub use policy::{AllowEntry, AllowScope, LevelEntry, Policy};
pub use report::{At, Coverage, Finding, Report, ReportStep, Summary, below};
pub use settle::settle;
pub use sources::{SourceText, Sources};

use serde::{Deserialize, Serialize};

use crate::source::Span;

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Confidence {
    /// more than one inference
    Possible,
    /// one inference: a name, a shape, a presumed dispatch
    Likely,
    /// the code or a declared fact shows it
    Certain,
}

/// How loud a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// not reported
    Allow,
    /// shown on request
    Note,
    /// shown
    Warn,
    /// fails the run by default
    Deny,
}

impl Level {
    /// All levels, quietest first.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Note, Self::Warn, Self::Deny];

    /// The word for it in configuration and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }

    /// The level that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

impl Confidence {
    /// The word for it in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        }
    }

    /// The loudest level that a finding of this confidence may have.
    pub fn ceiling(self) -> Level {
        match self {
            Self::Certain => Level::Deny,
            Self::Likely => Level::Warn,
            Self::Possible => Level::Note,
        }
    }
}

/// Where a finding stands: in a Rust file, or in another text of the workspace (a manifest, `effects.toml`, a document).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// bytes of a Rust file
    Source(Span),
    /// bytes of the text at a path relative to the workspace root
    Text {
        /// path with `/`
        path: String,
        /// which bytes
        range: crate::source::TextRange,
    },
}

/// A step of the way from origin to key position, or from what came first to what came after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// where
    pub place: Place,
    /// what happens there, lower case, no full stop
    pub note: String,
}

/// What a rule reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// name of the rule
    pub rule: &'static str,
    /// how sure
    pub confidence: Confidence,
    /// what is wrong and why it matters
    pub message: String,
    /// what to do instead
    pub help: String,
    /// primary place
    pub place: Place,
    /// from origin to key position
    pub path: Vec<Step>,
    /// path of the enclosing item, such as `shop::billing::charge_invoice`
    pub handler: Option<String>,
    /// machine-readable facts, part of the fingerprint: (name, value), e.g. `("origin", "random")`
    pub detail: Vec<(&'static str, String)>,
}
