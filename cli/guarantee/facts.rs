//! What the flow analysis knows of a contract's key.

use crate::contracts::HandlerContract;
use crate::flow::{DispatchFact, FlowFacts, KeyFact, KeyVerdict, OriginKind};
use crate::resolve::Program;

/// What is known of the key of an effect, over all its dispatches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyState {
    /// the same for all attempts of an intent
    Stable,
    /// distinct intents share it
    Coarse,
    /// the calls cannot carry a key
    NotCarried,
    /// could not be followed, with the reason
    Unproven(String),
    /// empty on some path
    MayBeEmpty,
    /// absent on some path
    Missing,
    /// fresh on some path
    RandomFallback,
    /// fresh or per attempt on every path
    PerAttempt,
}

impl KeyState {
    /// The word in machine-readable output.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Coarse => "coarse",
            Self::NotCarried => "not-carried",
            Self::Unproven(_) => "unproven",
            Self::MayBeEmpty => "may-be-empty",
            Self::Missing => "missing",
            Self::RandomFallback => "random-fallback",
            Self::PerAttempt => "per-attempt",
        }
    }
}

/// The key of a contract's effect, the worst of its dispatches deciding; and whether code repeats one of them.
pub fn gather(
    program: &Program,
    contracts: &[HandlerContract],
    contract: &HandlerContract,
    flow: &FlowFacts,
) -> (KeyState, bool) {
    let facts = dispatches(contracts, contract, flow);
    let repeated = facts.iter().any(|fact| repeated_by_code(program, fact));
    let key = facts
        .iter()
        .map(|fact| key_state(&fact.key))
        .max()
        .unwrap_or_else(|| KeyState::Unproven("no dispatch of this effect was found in the handler".into()));
    (key, repeated)
}

/// The dispatches that perform a contract's effect.
pub fn dispatches<'a>(
    contracts: &[HandlerContract],
    contract: &HandlerContract,
    flow: &'a FlowFacts,
) -> Vec<&'a DispatchFact> {
    let in_handler =
        |fact: &DispatchFact| fact.handler.is_some_and(|id| id == contract.function || contract.bodies.contains(&id));
    let mut facts: Vec<_> = flow.dispatches.iter().filter(|fact| in_handler(fact) && !fact.harmless).collect();
    let shared = contracts.iter().filter(|other| other.function == contract.function).count() > 1;
    if shared || facts.iter().any(|fact| names(contract, fact)) {
        narrow(&mut facts, |fact| names(contract, fact));
    }
    // a second effect in the same handler, known to go elsewhere, is not this contract's
    narrow(&mut facts, |fact| fact.provider.is_none() || fact.provider == contract.contract.provider);
    facts
}

/// Keeps what passes, unless nothing does.
fn narrow(facts: &mut Vec<&DispatchFact>, keep: impl Fn(&DispatchFact) -> bool) {
    if facts.iter().any(|fact| keep(fact)) {
        facts.retain(|fact| keep(fact));
    }
}

/// Whether the contract's `dispatch` names this call, by its last segment.
fn names(contract: &HandlerContract, fact: &DispatchFact) -> bool {
    let called = last_segment(&fact.call);
    contract.contract.dispatch.iter().any(|path| last_segment(path) == called)
}

pub(super) fn last_segment(path: &str) -> &str {
    let path = path.split('(').next().unwrap_or(path);
    path.rsplit([':', '.']).next().unwrap_or(path).trim()
}

/// Whether the code itself repeats a dispatch. A scope that is the whole handler is repeated by redelivery, which the
/// contract speaks of.
fn repeated_by_code(program: &Program, fact: &DispatchFact) -> bool {
    let Some(scope) = &fact.repeated else {
        return false;
    };
    let Some(handler) = fact.handler else {
        return true;
    };
    let handler = program.function(handler);
    let name = handler.ir.name_range;
    let covers_name =
        scope.site.file == handler.file && scope.site.range.start <= name.start && scope.site.range.end >= name.end;
    !covers_name
}

/// What a verdict says of the key of an effect.
pub fn key_state(key: &KeyFact) -> KeyState {
    match key.verdict {
        KeyVerdict::Stable => KeyState::Stable,
        KeyVerdict::PerAttempt => KeyState::PerAttempt,
        KeyVerdict::RandomFallback => KeyState::RandomFallback,
        KeyVerdict::MayBeEmpty => KeyState::MayBeEmpty,
        KeyVerdict::Coarse => KeyState::Coarse,
        KeyVerdict::Missing => KeyState::Missing,
        KeyVerdict::NotCarried => KeyState::NotCarried,
        KeyVerdict::Unproven => KeyState::Unproven(
            key.origins
                .iter()
                .find_map(|origin| match &origin.kind {
                    OriginKind::Opaque(reason) => Some(reason.to_string()),
                    _ => None,
                })
                .unwrap_or_else(|| "its way could not be followed".into()),
        ),
    }
}
