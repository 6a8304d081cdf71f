//! `unreachable-reconcile`: the declared lookup is called from nowhere that handles this effect.

use effect_contracts_grammar::Remedy;

use super::dispatches::path_of;
use super::scene::works;
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, HandlerContract, functions_named, lookup_of};
use crate::findings::{Confidence, Level, Place, Step, Violation};
use crate::flow::{EventFact, EventFactKind};
use crate::guarantee::dispatches;
use crate::ir::ExprKind;
use crate::operations::FunctionOps;
use crate::resolve::FnId;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unreachable-reconcile",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "the declared lookup is called from nowhere",
    doc: include_str!("unreachable_reconcile.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for contract in facts.contracts {
        let Some(path) = lookup_of(&contract.contract) else {
            continue;
        };
        let lookups = functions_named(facts.program, contract.function, path);
        if lookups.is_empty() {
            never_called(facts, contract, path, sink);
            continue;
        }
        let callers = lookups.iter().flat_map(|&lookup| program_callers(facts, lookup)).collect::<Vec<_>>();
        if !callers.is_empty() {
            only_shown(facts, contract, path, (lookups.clone(), &lookups), sink);
            continue;
        }
        sink.report(uncalled(facts, contract, path, where_missed(facts, contract, &lookups)));
    }
}

/// A lookup of a client that stands outside the workspace, and that nobody calls, by whatever type.
fn never_called(facts: &Facts<'_>, contract: &HandlerContract, path: &str, sink: &mut Sink) {
    let is_unchecked = matches!(contract.contract.reconcile, Some(Remedy::Unchecked(_)));
    let declared = facts.catalog.lookups.iter().any(|lookup| lookup.declared && lookup.call.0 == path);
    // What is done elsewhere, or over the client of another crate, is seen only where the application says what the call is.
    if is_unchecked || !declared {
        return;
    }
    let name = path.rsplit("::").next().unwrap_or(path);
    let mentions = |id: &FnId| {
        let function = facts.program.function(*id);
        let body = function.ir.body.as_deref().filter(|_| !function.test);
        body.is_some_and(|body| body.exprs.iter().any(|expr| names(&expr.kind, name)))
    };
    let mentioned: Vec<FnId> = (0..facts.program.functions.len() as u32).map(FnId).filter(mentions).collect();
    if !mentioned.is_empty() {
        only_shown(facts, contract, path, (mentioned, &[]), sink);
        return;
    }
    let mut steps = where_missed(facts, contract, &[]);
    if steps.is_empty() {
        let effect = facts.program.function(contract.function);
        let place = Place::Source(Span::new(effect.file, effect.ir.name_range));
        steps.push(Step { place, note: "what became of this is never asked".to_owned() });
    }
    sink.report(uncalled(facts, contract, path, steps));
}

fn uncalled(facts: &Facts<'_>, contract: &HandlerContract, path: &str, steps: Vec<Step>) -> Violation {
    Violation {
        rule: RULE.name,
        confidence: Confidence::Certain,
        message: format!(
            "the declared lookup `{path}` is called from nowhere: an unknown outcome of this effect is never looked up"
        ),
        help: "call the lookup where the outcome is unknown, before anything is sent again, or declare what really decides".to_owned(),
        place: contract.place_of(Field::Reconcile),
        path: steps,
        handler: Some(path_of(facts, contract.function)),
        detail: vec![("reconcile", path.to_owned())],
    }
}

/// Whether an expression mentions a function or method by its name, in code that is not followed, too.
fn names(kind: &ExprKind, name: &str) -> bool {
    match kind {
        ExprKind::MethodCall(call) => call.name.as_str() == name,
        ExprKind::Path(path) => path.segments.last().is_some_and(|last| last.name.as_str() == name),
        ExprKind::Opaque(_) => true,
        _ => false,
    }
}

/// Where the effect happens whose outcome nobody looks up, and where the lookup stands that could.
fn where_missed(facts: &Facts<'_>, contract: &HandlerContract, lookups: &[FnId]) -> Vec<Step> {
    let step = |span: Span, note: &str| Step { place: Place::Source(span), note: note.to_owned() };
    let acts = dispatches(facts.contracts, contract, facts.flow).into_iter().map(|fact| fact.site);
    let stands = lookups.iter().map(|&lookup| facts.program.function(lookup));
    acts.map(|site| step(site, "what became of this is never asked"))
        .chain(stands.map(|info| step(Span::new(info.file, info.ir.name_range), "the lookup stands here")))
        .collect()
}

/// A lookup whose answer is shown to somebody, and settles nothing: whoever leads to it neither acts nor stores.
fn only_shown(
    facts: &Facts<'_>,
    contract: &HandlerContract,
    path: &str,
    (mut seen, lookups): (Vec<FnId>, &[FnId]),
    sink: &mut Sink,
) {
    let mut next = 0;
    let mut shown = None;
    while let Some(&at) = seen.get(next) {
        next += 1;
        if next > MAX_CALLERS {
            return;
        }
        if !lookups.contains(&at) {
            let Some(ops) = facts.operations.function(at) else {
                return;
            };
            let own = contract.function == at || contract.bodies.contains(&at);
            if own || settles(facts, ops) {
                return;
            }
        }
        let callers = program_callers(facts, at);
        if callers.is_empty() {
            shown = shown.or(Some(at));
        }
        let new: Vec<FnId> = callers.into_iter().filter(|caller| !seen.contains(caller)).collect();
        seen.extend(new);
    }
    let Some(shown) = shown.map(|shown| facts.program.function(shown)) else {
        return;
    };
    let place = Span::new(shown.file, shown.ir.name_range);
    let mut missed = vec![Step { place: Place::Source(place), note: "nobody else asks".to_owned() }];
    missed.extend(where_missed(facts, contract, lookups));
    sink.report(Violation {
        rule: RULE.name,
        confidence: Confidence::Likely,
        message: format!(
            "the answer of the declared lookup `{path}` goes only to `{}`, which settles nothing: an unknown outcome of this effect \
             stays unknown",
            shown.ir.name
        ),
        help: "call the lookup where the outcome is unknown, and store what it says before anything is sent again".to_owned(),
        place: contract.place_of(Field::Reconcile),
        path: missed,
        handler: Some(path_of(facts, contract.function)),
        detail: vec![("reconcile", path.to_owned())],
    });
}

/// Functions that lead to a lookup, at most: beyond that nobody can say that none of them settles anything.
const MAX_CALLERS: usize = 40;

/// Whether a function does something about what it learns: it stores, acts, hands over, or calls what nobody here knows.
fn settles(facts: &Facts<'_>, ops: &FunctionOps) -> bool {
    let looks_up = |event: &EventFact| {
        ops.events().any(|(_, other)| other.span == event.span && matches!(other.kind, EventFactKind::Lookup { .. }))
    };
    ops.events().filter(|(_, event)| !looks_up(event)).any(|(at, event)| {
        ops.is_write(at)
            || works(facts, event)
            || matches!(
                event.kind,
                EventFactKind::Dispatch { .. }
                    | EventFactKind::State { .. }
                    | EventFactKind::Handed { .. }
                    | EventFactKind::Ack { .. }
                    | EventFactKind::Commit { .. }
                    | EventFactKind::Call { awaited: true, .. }
            )
    })
}

fn program_callers(facts: &Facts<'_>, lookup: FnId) -> Vec<FnId> {
    use crate::resolve::{Callee, ValueDef};
    let program = facts.program;
    let mentions = |id: &FnId| {
        let types = &program.function(*id).types;
        types.callees.iter().any(|(_, callee)| matches!(callee, Callee::Functions(ids) if ids.contains(&lookup)))
            || types.paths.iter().any(|(_, def)| matches!(def, ValueDef::Functions(ids) if ids.contains(&lookup)))
    };
    (0..program.functions.len() as u32).map(FnId).filter(|id| !program.function(*id).test).filter(mentions).collect()
}
