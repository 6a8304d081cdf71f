//! What the rules say, apart from what anyone decides about it.

use super::policy;
use crate::config::Config;
use crate::findings::{AllowEntry, Coverage, LevelEntry, Policy, Report, Violation, settle};
use crate::source::Workspace;

/// What the rules say of a workspace. It depends on what was read and on which packages are asked for; levels,
/// suppressions, the baseline and the day come afterwards, so that one judgement serves under any of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// all that is said of code that is judged
    pub violations: Vec<Violation>,
    /// what was looked at
    pub coverage: Coverage,
    /// the suppressions of contracts
    pub allows: Vec<AllowEntry>,
}

impl Judgement {
    /// Levels and suppressions of `effects.toml` and of all contracts, and on top the levels of the command line.
    pub fn policy(&self, config: &Config, command_line: Vec<LevelEntry>, today: Option<String>) -> Policy {
        policy::combined(config, self.allows.clone(), command_line, today)
    }

    /// What a policy makes of it.
    pub fn report(self, workspace: &Workspace, policy: &Policy) -> Report {
        settle(workspace, self.violations, self.coverage, policy)
    }
}
