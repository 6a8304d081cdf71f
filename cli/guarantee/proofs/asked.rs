//! Whether the provider is asked what became of an intent before it is asked to act again.

use super::{Act, identity, is_persisted};
use crate::contracts::{HandlerContract, functions_named, lookup_of};
use crate::flow::{ConditionFact, EventFact, EventFactKind, Outcomes, Role};
use crate::guarantee::facts::last_segment;
use crate::guarantee::{Promise, Reach};
use crate::ir::ExprKind;
use crate::operations::{FunctionOps, surely_before};
use crate::resolve::Program;
use crate::source::Span;

/// Whether the declared lookup is asked by the intent's key before every dispatch that may be a repeat, and only "not found"
/// leads on to the dispatch.
pub(super) fn asks_first(program: &Program, contract: &HandlerContract, promise: &Promise, act: Act<'_>) -> bool {
    let Some(path) = lookup_of(&contract.contract) else {
        return false;
    };
    let function = act.function;
    function.events().take(act.at).any(|(before, event)| {
        is_lookup(program, contract, path, event)
            && is_by_key(contract, event, act.event())
            && event.defaulted.is_none()
            && !event.chosen.is_open()
            && shares_regions(promise, event, act.event())
            && is_heeded(function, event, act.event())
            && comes_first(program, contract, before, act)
    })
}

fn is_lookup(program: &Program, contract: &HandlerContract, path: &str, event: &EventFact) -> bool {
    if !matches!(event.kind, EventFactKind::Lookup { .. }) {
        return false;
    }
    let through = || functions_named(program, contract.function, path).iter().any(|id| event.through.contains(id));
    last_segment(event.name.as_str()) == last_segment(path) || through()
}

/// Whether it is asked by everything that the intent is known by.
fn is_by_key(contract: &HandlerContract, lookup: &EventFact, dispatch: &EventFact) -> bool {
    let EventFactKind::Lookup { key, .. } = &lookup.kind else {
        return false;
    };
    identity(contract, dispatch).is_some_and(|parts| parts.iter().all(|part| key.origins.contains(part)))
}

/// Whether each run of the dispatch is a run of the lookup, too. A retry in one run of the handler falls into the window, if
/// there is one.
fn shares_regions(promise: &Promise, lookup: &EventFact, dispatch: &EventFact) -> bool {
    let skipped = |role: &Role| matches!(role, Role::Each { .. } | Role::Spawned { .. } | Role::Race);
    let always = lookup.regions.iter().all(|region| dispatch.regions.contains(region) || !skipped(&region.1));
    let covered = promise.reach == Reach::Part;
    let again = dispatch.regions.iter().filter(|region| region.1 == Role::Retry);
    always && (covered || again.into_iter().all(|region| lookup.regions.contains(region)))
}

/// Whether what was found, or could not be asked, keeps the run from the dispatch.
fn is_heeded(function: &FunctionOps, lookup: &EventFact, dispatch: &EventFact) -> bool {
    let failed = function.events().any(|(_, event)| {
        matches!(event.kind, EventFactKind::Fail { .. }) && event.whole.range.start == lookup.whole.range.start
    });
    let told = function.facts.conditions.iter().filter(|known| known.about.contains(&lookup.span));
    // `Ok(None)` is an answer, too.
    let found =
        |known: &ConditionFact| known.outcomes.has(Outcomes::CONFIRMED) && !known.outcomes.has(Outcomes::MISSING);
    let unsure = |known: &ConditionFact| !failed && known.outcomes.has(Outcomes::UNKNOWN);
    told.clone().any(found)
        && told.filter(|known| found(known) || unsure(known)).all(|known| leaves(function, known.branch, dispatch))
}

/// Whether a run that takes an arm does not come to an event.
fn leaves(function: &FunctionOps, branch: (Span, u32), event: &EventFact) -> bool {
    let elsewhere = event.branches.iter().any(|(at, arm)| *at == branch.0 && *arm != branch.1);
    let ends = |other: &EventFact| {
        matches!(other.kind, EventFactKind::Return { .. } | EventFactKind::Fail { .. })
            && other.branches.last() == Some(&branch)
    };
    elsewhere || !event.branches.contains(&branch) && function.events().any(|(_, other)| ends(other))
}

/// Whether the lookup runs on every way to the dispatch, but for those on which a store has said that the intent is new.
fn comes_first(program: &Program, contract: &HandlerContract, lookup: usize, act: Act<'_>) -> bool {
    let function = act.function;
    if surely_before(&function.facts, lookup, act.at) {
        return true;
    }
    let (asked, sent) = (function.event(lookup), act.event());
    let own = asked.branches.iter().filter(|branch| !sent.branches.contains(branch) && !asked.passed.contains(branch));
    own.into_iter().all(|&(branch, arm)| {
        (0..lookup).any(|store| {
            let turns = &function.event(store).turns;
            surely_before(&function.facts, store, act.at)
                && turns.iter().filter(|turn| turn.branch == branch).any(|turn| match turn.nothing {
                    Some(lost) if function.is_claim(store) => lost == arm,
                    Some(new) if function.is_read(store) => {
                        let others = |arms| (0..arms).filter(|other| *other != arm && *other != new);
                        new != arm
                            && is_persisted(contract, act)
                            && arms(program, function, branch)
                                .is_some_and(|arms| others(arms).all(|other| leaves(function, (branch, other), sent)))
                    }
                    _ => false,
                })
        })
    })
}

/// How many arms a branching expression has, where they can be counted.
fn arms(program: &Program, function: &FunctionOps, branch: Span) -> Option<u32> {
    let info = program.function(function.facts.function);
    let body = info.ir.body.as_deref()?;
    match &body.exprs.iter().find(|expr| branch == Span::new(info.file, expr.range))?.kind {
        ExprKind::Match { arms, .. } => u32::try_from(arms.len()).ok(),
        ExprKind::If { .. } => Some(2),
        _ => None,
    }
}
