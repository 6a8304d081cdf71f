//! Which effects nobody has declared: one definition for rules, lists, counts and proposals.

use std::collections::BTreeSet;

use super::{DispatchFact, FlowFacts, OriginKind};
use crate::contracts::HandlerContract;
use crate::resolve::{FnId, Program};
use crate::source::Span;

/// The dispatches that no contract speaks of, in the order of their places: one or more for each call.
///
/// A call can be a fact for several handlers: one that declares it is enough. What can do no harm when it is repeated
/// needs no contract, and test code and cargo's example targets are not judged.
pub fn undeclared<'a>(program: &Program, contracts: &[HandlerContract], flow: &'a FlowFacts) -> Vec<&'a DispatchFact> {
    let declared: BTreeSet<FnId> =
        contracts.iter().flat_map(|contract| contract.bodies.iter().chain([&contract.function])).copied().collect();
    let is_declared = |fact: &&DispatchFact| {
        fact.handler.is_some_and(|id| declared.contains(&id)) || declared.contains(&fact.function)
    };
    let covered: BTreeSet<Span> = flow.dispatches.iter().filter(is_declared).map(|fact| fact.site).collect();
    let judged = |id: FnId| {
        let function = program.function(id);
        !function.test && !function.example
    };
    let dispatches = flow.dispatches.iter().filter(|fact| !fact.harmless && !covered.contains(&fact.site));
    dispatches.filter(|fact| judged(fact.function)).collect()
}

impl DispatchFact {
    /// The function that a contract of this effect belongs to: the attempt scope; else the function that makes the key
    /// of its inputs and hands it down; else the one with the call.
    pub fn owner(&self, program: &Program) -> FnId {
        let made_above = self.key.origins.iter().any(|origin| matches!(origin.kind, OriginKind::Input(_)));
        let above = (made_above && program.function(self.looks).ir.name.as_str() != "main").then_some(self.looks);
        self.handler.or(above).unwrap_or(self.function)
    }
}
