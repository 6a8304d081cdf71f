//! What the code has been shown to do around a declared effect.
//!
//! In: a contract, and the events of the functions that perform its effect. Out: [`Proofs`]. Each is about all dispatches of
//! the effect on all ways to them, and asks for everything that it needs: what is not seen is not proven.

mod asked;

use std::collections::BTreeSet;

use effect_contracts_grammar::{KeyPart, KeyTemplate, Mechanism};

use super::{Promise, Proofs, dispatches};
use crate::contracts::HandlerContract;
use crate::flow::{DispatchFact, EventFact, EventFactKind, FlowFacts, OriginKind, Recognition, Usage};
use crate::operations::{FunctionOps, Operations, may_follow, open_at, surely_before};
use crate::resolve::{FnId, Program};
use crate::sql::{Conflict, Kind, Set, Statement};

/// What proofs are made from.
pub(super) struct Known<'a> {
    pub(super) program: &'a Program,
    pub(super) contracts: &'a [HandlerContract],
    pub(super) flow: &'a FlowFacts,
    pub(super) operations: &'a Operations,
}

/// A dispatch of the effect, in the function that is its handler.
#[derive(Clone, Copy)]
struct Act<'a> {
    function: &'a FunctionOps,
    at: usize,
}

impl<'a> Act<'a> {
    fn event(self) -> &'a EventFact {
        self.function.event(self.at)
    }
}

/// What the code shows of a contract's effect; whether it is repeated, [`super::gather`] tells.
pub(super) fn prove(known: &Known<'_>, contract: &HandlerContract, promise: &Promise) -> Proofs {
    let performing: BTreeSet<FnId> = contract.bodies.iter().copied().chain([contract.function]).collect();
    let performed: Vec<&FunctionOps> = performing.into_iter().filter_map(|id| known.operations.function(id)).collect();
    let acts = acts(known, contract, &performed);
    let is_each = |shown: &dyn Fn(Act<'_>) -> bool| !acts.is_empty() && acts.iter().all(|&act| shown(act));
    Proofs {
        lookup: is_each(&|act| asked::asks_first(known.program, contract, promise, act)),
        intent_persisted: is_each(&|act| is_persisted(contract, act)),
        absolute_write: promise.mechanism == Mechanism::AbsoluteWrite && is_absolute(known, &performed),
        fence: contract.contract.fence.as_deref().is_some_and(|fence| is_fenced(fence, &performed)),
        retry_scope: false,
    }
}

/// All dispatches of the effect as events of its handler; none where one of them is not seen there.
fn acts<'a>(known: &Known<'_>, contract: &HandlerContract, performed: &[&'a FunctionOps]) -> Vec<Act<'a>> {
    let mut acts = Vec::new();
    for fact in dispatches(known.contracts, contract, known.flow) {
        let before = acts.len();
        for &function in performed.iter().filter(|ops| fact.handler == Some(ops.facts.function)) {
            let same = function.events().filter(|(_, event)| is_dispatch(event, fact));
            acts.extend(same.map(|(at, _)| Act { function, at }));
        }
        if acts.len() == before {
            return Vec::new();
        }
    }
    acts
}

fn is_dispatch(event: &EventFact, fact: &DispatchFact) -> bool {
    event.span == fact.site && matches!(event.kind, EventFactKind::Dispatch { .. })
}

/// Whether what the intent is known by is durable before the dispatch, on every way to it.
fn is_persisted(contract: &HandlerContract, act: Act<'_>) -> bool {
    let function = act.function;
    let Some(parts) = identity(contract, act.event()) else {
        return false;
    };
    function.writes().any(|(before, write)| {
        surely_before(&function.facts, before, act.at) && is_durable(function, before, act.at) && write.stores(&parts)
    })
}

/// Whether a write is committed when a later event happens.
fn is_durable(function: &FunctionOps, write: usize, at: usize) -> bool {
    if function.transaction(write).is_none() {
        return true;
    }
    match open_at(function, write) {
        // the closure's end commits, and the dispatch stands outside of it
        Some(open) if open.at.is_none() => function.transaction(at) != Some(open.begin),
        Some(open) => open.commit.is_some_and(|commit| commit < at && surely_before(&function.facts, commit, at)),
        None => false,
    }
}

/// The inputs by which an intent is known: those of the key that is sent, else those that the contract's template names.
fn identity(contract: &HandlerContract, dispatch: &EventFact) -> Option<Vec<OriginKind>> {
    let sent = match &dispatch.kind {
        EventFactKind::Dispatch { key, .. } => key.origins.as_slice(),
        _ => &[],
    };
    let parts: Vec<OriginKind> = sent.iter().filter(|origin| tells(origin)).cloned().collect();
    if !parts.is_empty() {
        return Some(parts);
    }
    let Some(KeyTemplate::Template { parts, .. }) = &contract.contract.intent_key else {
        return None;
    };
    let named = parts.iter().filter_map(|part| match part {
        KeyPart::Placeholder(path) => Some(OriginKind::Input(crate::ir::Name::new(path.trim()))),
        KeyPart::Text(_) => None,
    });
    let named: Vec<OriginKind> = named.collect();
    (!named.is_empty()).then_some(named)
}

/// Whether an origin tells one intent from another, as what is fixed in the source does not.
fn tells(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(_) | OriginKind::Stored | OriginKind::Durable)
}

/// Whether the effect sets a state and does nothing else, however often: requests that replace, updates to given values.
fn is_absolute(known: &Known<'_>, performed: &[&FunctionOps]) -> bool {
    let of_effect = |fact: &&DispatchFact| {
        fact.recognition != Recognition::Reading
            && fact.handler.is_some_and(|id| performed.iter().any(|ops| ops.facts.function == id))
    };
    let mut sent = known.flow.dispatches.iter().filter(of_effect).peekable();
    let writes = || performed.iter().flat_map(|ops| ops.writes().map(|(at, event)| (*ops, at, event)));
    let some = sent.peek().is_some() || writes().next().is_some();
    some && sent.all(|fact| fact.harmless) && writes().all(|(ops, at, event)| sets(ops, at, event))
}

/// Whether a write leaves the same state whenever it is repeated.
fn sets(function: &FunctionOps, at: usize, event: &EventFact) -> bool {
    let EventFactKind::Sql { binds, .. } = &event.kind else {
        // of a store that is no SQL only names are known
        return false;
    };
    // What was read and is written back may have been added to.
    let given = !binds.iter().any(|bind| bind.origins.iter().any(|origin| matches!(origin, OriginKind::Stored)));
    given && function.statements(at).iter().all(is_absolute_statement)
}

fn is_absolute_statement(statement: &Statement) -> bool {
    let given = |set: &[crate::sql::Assignment]| {
        set.iter().all(|assignment| !matches!(assignment.value, Set::Delta { .. } | Set::Expression))
    };
    match statement.kind {
        Kind::Insert => statement.conflict != Conflict::Fail && given(&statement.conflict_set),
        Kind::Update => given(&statement.set),
        Kind::Delete | Kind::Select => true,
        _ => false,
    }
}

/// Whether every update that follows a dispatch, or every one where there is none, is made only under the fence, and somebody
/// looks whether it was.
fn is_fenced(fence: &str, performed: &[&FunctionOps]) -> bool {
    let mut commits = 0;
    for function in performed {
        let sent: Vec<usize> = function.dispatches().map(|(at, _)| at).collect();
        for (at, event) in function.writes() {
            let follows =
                sent.is_empty() || sent.iter().any(|&first| first < at && may_follow(&function.facts, first, at));
            if !follows {
                continue;
            }
            commits += 1;
            let held = function.statements(at).iter().all(|statement| is_held(fence, event, statement));
            if event.usage != Usage::Used || function.statements(at).is_empty() || !held {
                return false;
            }
        }
    }
    commits > 0
}

/// Whether a statement changes only the row that still has the fence's value.
fn is_held(fence: &str, event: &EventFact, statement: &Statement) -> bool {
    let EventFactKind::Sql { binds, .. } = &event.kind else {
        return false;
    };
    statement.kind == Kind::Update
        && statement.conditions.iter().filter(|condition| condition.equal).any(|condition| match condition.against {
            Set::Placeholder(number) => binds.get(number).is_some_and(|bind| bind.is_input(fence)),
            _ => false,
        })
}
