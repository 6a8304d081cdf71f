//! Rules: what is judged, one file each beside the page that documents and tests it.
//!
//! In: [`Facts`], everything that earlier stages found. Out: [`Violation`]s in a [`Sink`]. A rule follows nothing and
//! formats nothing: it words what the facts say. It knows neither levels nor suppressions nor output formats.
//!
//! To add a rule: write `rules/<name>.rs` with `const RULE` and `fn check`, write `rules/<name>.md`, add both to
//! [`RULES`] (sorted by name).

mod ack_before_persist;
mod ack_on_failure;
mod cancellable_effect;
mod coarse_key;
mod colliding_intent_key;
mod compensated_irreversible;
mod compensated_unknown;
mod compensation_as_defence;
mod conflicting_contract;
mod dedup_by_delivery;
mod dedup_fails_open;
mod dedup_in_memory;
mod dedup_outside_transaction;
mod detached_effect;
mod dispatch_before_persist;
mod dispatch_in_transaction;
mod dispatches;
mod dropped_compensation;
mod dual_write;
mod duplicate_as_failure;
mod effect_outside_step;
mod empty_key;
mod error_after_effect;
mod exactly_once_delivery;
mod expired_allow;
mod fenced;
mod hasty_reconcile;
mod ignored_claim;
mod incomplete_digest;
mod irreversible_not_last;
mod kept_marker;
mod key_exceeds_provider;
mod key_mismatch;
mod made_anew;
mod misplaced_marker;
mod missing_field;
mod missing_key;
mod missing_reconcile;
mod named_keys;
mod next_state;
mod nondeterministic_workflow;
mod on_contract;
mod order;
mod payload_not_compared;
mod per_attempt_key;
mod prose_claims;
mod provider_without_dedup;
mod raced;
mod random_key_fallback;
mod receipt_from_request;
mod reconcile_without_key;
mod relation;
mod relative_write;
mod retention_below_replay;
mod retry_without_key;
mod rolled_back_record;
mod scene;
mod sdk_minted_key;
mod sensitive_key;
mod shared_key;
mod stale_guarantee_table;
mod swallowed;
mod taken_off;
#[cfg(test)]
mod tests;
mod unbounded_effectively_once;
mod undeclared_effect;
mod unfenced_commit;
mod unkeyed_compensation;
mod unknown_as_failure;
mod unknown_as_success;
mod unknown_rule;
mod unknown_without_exit;
mod unparsed_source;
mod unpersisted_key;
mod unproven_key;
mod unqualified_exactly_once;
mod unreachable_reconcile;
mod unsafe_lease;
mod unstable_digest;
mod unused_allow;
mod volatile_key_input;
mod whole_batch_retried;
mod window_below_replay;
mod window_exceeds_provider;

use crate::catalog::Catalog;
use crate::config::Config;
use crate::contracts::HandlerContract;
use crate::docs::Generated;
use crate::findings::{Level, Violation};
use crate::flow::FlowFacts;
use crate::guarantee::Guarantee;
use crate::operations::Operations;
use crate::parallel;
use crate::resolve::Program;
use crate::source::Workspace;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// name in kebab case; it says the fault
    pub name: &'static str,
    /// what it belongs to
    pub group: Group,
    /// how loud a certain finding is unless the user says otherwise
    pub default_level: Level,
    /// one line for lists: what it flags, lower case, no full stop
    pub summary: &'static str,
    /// its page
    pub doc: &'static str,
    /// finds the violations
    pub check: fn(&Facts<'_>, &mut Sink),
    /// the macro reports it as a compile error when all facts are in the attribute
    pub contract_error: bool,
}

/// What a rule belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// facts of contracts against each other and the catalog
    Contract,
    /// where keys come from
    Key,
    /// unknown outcomes
    Unknown,
    /// what is durable when
    Persist,
    /// acknowledgements
    Ack,
    /// deduplication of tasks
    Dedup,
    /// writes to own state
    Write,
    /// order of effects
    Order,
    /// replayed workflow code
    Replay,
    /// claims in prose and generated tables
    Docs,
    /// tests that prove failure cases
    Evidence,
    /// what could not be judged
    Coverage,
    /// the configuration of this tool
    Meta,
}

/// Everything that a rule may look at.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// packages, files, texts
    pub workspace: &'a Workspace,
    /// functions, types, constants
    pub program: &'a Program,
    /// what the user configured
    pub config: &'a Config,
    /// knowledge of the outside
    pub catalog: &'a Catalog,
    /// what is declared about each effect
    pub contracts: &'a [HandlerContract],
    /// what holds for each declared effect, in the order of the contracts
    pub guarantees: &'a [Guarantee],
    /// dispatches and their keys
    pub flow: &'a FlowFacts,
    /// generated texts beside what they should hold; none before the other rules have been asked, since documents show
    /// what those find
    pub generated: &'a Generated,
    /// what happens in which order
    pub operations: &'a Operations,
    /// on how many threads texts may be read
    pub threads: usize,
}

/// Takes what rules report.
#[derive(Debug, Default)]
pub struct Sink {
    violations: Vec<Violation>,
}

impl Sink {
    /// Reports a violation.
    pub fn report(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// All that was reported.
    pub fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}

/// All rules, sorted by name.
pub const RULES: &[&Rule] = &[
    &ack_before_persist::RULE,
    &ack_on_failure::RULE,
    &cancellable_effect::RULE,
    &coarse_key::RULE,
    &colliding_intent_key::RULE,
    &compensated_irreversible::RULE,
    &compensated_unknown::RULE,
    &compensation_as_defence::RULE,
    &conflicting_contract::RULE,
    &dedup_by_delivery::RULE,
    &dedup_fails_open::RULE,
    &dedup_in_memory::RULE,
    &dedup_outside_transaction::RULE,
    &detached_effect::RULE,
    &dispatch_before_persist::RULE,
    &dispatch_in_transaction::RULE,
    &dropped_compensation::RULE,
    &dual_write::RULE,
    &duplicate_as_failure::RULE,
    &effect_outside_step::RULE,
    &empty_key::RULE,
    &error_after_effect::RULE,
    &exactly_once_delivery::RULE,
    &expired_allow::RULE,
    &hasty_reconcile::RULE,
    &ignored_claim::RULE,
    &incomplete_digest::RULE,
    &irreversible_not_last::RULE,
    &key_exceeds_provider::RULE,
    &key_mismatch::RULE,
    &misplaced_marker::RULE,
    &missing_field::RULE,
    &missing_key::RULE,
    &missing_reconcile::RULE,
    &nondeterministic_workflow::RULE,
    &payload_not_compared::RULE,
    &per_attempt_key::RULE,
    &provider_without_dedup::RULE,
    &random_key_fallback::RULE,
    &receipt_from_request::RULE,
    &reconcile_without_key::RULE,
    &relative_write::RULE,
    &retention_below_replay::RULE,
    &retry_without_key::RULE,
    &rolled_back_record::RULE,
    &sdk_minted_key::RULE,
    &sensitive_key::RULE,
    &shared_key::RULE,
    &stale_guarantee_table::RULE,
    &unbounded_effectively_once::RULE,
    &undeclared_effect::RULE,
    &unfenced_commit::RULE,
    &unkeyed_compensation::RULE,
    &unknown_as_failure::RULE,
    &unknown_as_success::RULE,
    &unknown_rule::RULE,
    &unknown_without_exit::RULE,
    &unparsed_source::RULE,
    &unpersisted_key::RULE,
    &unproven_key::RULE,
    &unqualified_exactly_once::RULE,
    &unreachable_reconcile::RULE,
    &unsafe_lease::RULE,
    &unstable_digest::RULE,
    &unused_allow::RULE,
    &volatile_key_input::RULE,
    &whole_batch_retried::RULE,
    &window_below_replay::RULE,
    &window_exceeds_provider::RULE,
];

/// Runs the rules that are asked for; what they report comes in the order of their names.
pub fn check(facts: &Facts<'_>, asked: &dyn Fn(&Rule) -> bool) -> Vec<Violation> {
    let asked: Vec<&Rule> = RULES.iter().copied().filter(|rule| asked(rule)).collect();
    let found = parallel::map(
        asked.len(),
        facts.threads,
        || (),
        |(), number| {
            let mut sink = Sink::default();
            (asked[number].check)(facts, &mut sink);
            sink.into_violations()
        },
    );
    found.into_iter().flatten().collect()
}

/// The rule of a name.
pub fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}

/// Whether a name is one that configuration may use.
pub fn is_known(name: &str) -> bool {
    order::ORDER.contains(&name)
}

/// The rule name that a misspelt one most likely means.
pub fn nearest(name: &str) -> Option<&'static str> {
    let name = name.replace('_', "-");
    let distance = |known: &&&str| strsim::damerau_levenshtein(known, &name);
    let near = order::ORDER.iter().min_by_key(distance)?;
    (distance(&near) * 3 <= name.len().max(3)).then_some(*near)
}

impl Rule {
    /// Whether no other rule of its group names the same fault.
    pub fn stands_apart(&self) -> bool {
        order::APART.contains(&self.name)
    }

    /// Rank among the rules of its group: of two rules that name one fault, the lower one speaks.
    pub fn precedence(&self) -> usize {
        order::ORDER.iter().position(|name| *name == self.name).unwrap_or(usize::MAX)
    }
}

impl Group {
    /// The word for it in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Key => "key",
            Self::Unknown => "unknown",
            Self::Persist => "persist",
            Self::Ack => "ack",
            Self::Dedup => "dedup",
            Self::Write => "write",
            Self::Order => "order",
            Self::Replay => "replay",
            Self::Docs => "docs",
            Self::Evidence => "evidence",
            Self::Coverage => "coverage",
            Self::Meta => "meta",
        }
    }

    /// Whether its rules also judge test code: tests are evidence, and an unread test is unread evidence.
    pub fn reaches_test_code(self) -> bool {
        matches!(self, Self::Evidence | Self::Meta)
    }
}
