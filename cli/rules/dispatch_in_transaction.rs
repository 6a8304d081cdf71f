//! `dispatch-in-transaction`: a provider is asked to act between begin and commit.

use super::scene::{begins, has_any, here, meets_tx, named, step, sure, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::path_matches;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role};
use crate::ir::Name;
use crate::operations::{FunctionOps, Open, open_at};
use crate::resolve::{FnId, Ty, behind};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "dispatch-in-transaction",
    group: Group::Persist,
    default_level: Level::Deny,
    summary: "a provider is called between begin and commit",
    doc: include_str!("dispatch_in_transaction.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        let dispatches = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Dispatch { .. }));
        for (at, dispatch) in dispatches {
            let Some(open) = open_at(function, at) else {
                handed(facts, function, at, sink);
                continue;
            };
            // What is written through the transaction itself is a row of it, such as a job that is enqueued.
            if function.transaction(at) == Some(open.begin) && carries(function, at)
                || !meets_tx(function, dispatch, open)
            {
                continue;
            }
            let message = format!(
                "{} acts while a transaction is open: if the commit fails, the effect stands and nothing here \
                 knows of it",
                named(dispatch)
            );
            let help = "write the command into the transaction (an outbox row), commit, and send it afterwards";
            let begin = open.at.map_or_else(|| begins(function, open.begin), |at| here(function.event(at)));
            let mut steps = vec![(begin, "the transaction begins here".to_owned())];
            steps.extend(way(dispatch));
            if let Some(commit) = open.commit {
                steps.push((here(function.event(commit)), "and is committed only here".to_owned()));
            }
            // What states a result can be stated again; after a rollback it is only left over, unless it is that something is
            // gone of which the rows still tell.
            let gone = has_any(&dispatch.name, &facts.catalog.words.destroying_words);
            let confidence = match dispatch.kind {
                EventFactKind::Dispatch { harmless: true, .. } if gone => {
                    sure(function, dispatch).min(Confidence::Likely)
                }
                EventFactKind::Dispatch { harmless: true, .. } => Confidence::Possible,
                _ => sure(function, dispatch),
            };
            let confidence = if only_reads(function, open) { Confidence::Possible } else { confidence };
            sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
        }
    }
}

/// Whether all that is seen to run in a transaction reads: a commit that fails then takes nothing back. What is done by the
/// connection that a closure is handed is not all in sight, and who locks a row is about to change it.
fn only_reads(function: &FunctionOps, open: Open) -> bool {
    let stores = |event: &EventFact| matches!(event.kind, EventFactKind::Sql { .. } | EventFactKind::Store { .. });
    let mut inside = function
        .events()
        .filter(|(at, event)| stores(event) && function.transaction(*at) == Some(open.begin))
        .peekable();
    let locks = |at: usize| function.statements(at).iter().any(|statement| statement.for_update);
    open.at.is_some() && inside.peek().is_some() && inside.all(|(at, _)| function.is_read(at) && !locks(at))
}

/// The way to a dispatch, with the calls between it and the function that looks: what it would have to be moved out of.
fn way(dispatch: &EventFact) -> Vec<(Span, String)> {
    let mut steps = step(dispatch, "the provider is asked to act here");
    let between =
        dispatch.via.iter().take(dispatch.distance()).skip(1).map(|call| (*call, "by way of this call".to_owned()));
    steps.splice(1..1, between);
    steps
}

/// A function that is handed a transaction and calls out, where nobody is seen to begin it: a runner, or a caller that cannot be
/// followed, does.
fn handed(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let takes = |id: FnId| {
        let params = &facts.program.function(id).params;
        params.iter().any(|ty| is_open(facts, ty))
            || writes_here(facts, id) && params.iter().any(|ty| held(facts, ty).is_some())
    };
    if !takes(function.facts.function) || is_given(facts, function, at) {
        return;
    }
    let dispatch = function.event(at);
    // Told by the last one that has the transaction in hand.
    let below = dispatch.through.iter().any(|&id| takes(id));
    let apart = |(_, role): &(Span, Role)| matches!(role, Role::Spawned { .. } | Role::Closure { later: true, .. });
    let ended = function.events().take(at).any(|(_, event)| {
        matches!(event.kind, EventFactKind::Commit { .. } | EventFactKind::Rollback { .. }) && event.via.is_empty()
    });
    if below || ended || dispatch.regions.iter().any(apart) || is_told_above(facts, dispatch) {
        return;
    }
    let message = format!(
        "{} acts inside a transaction that the caller has begun: if it is rolled back, the effect stands and nothing here \
         knows of it",
        named(dispatch)
    );
    let help = "write the command into the transaction (an outbox row), and send it after the commit";
    let gone = has_any(&dispatch.name, &facts.catalog.words.destroying_words);
    if matches!(dispatch.kind, EventFactKind::Dispatch { harmless: true, .. }) && !gone {
        return;
    }
    let confidence = sure(function, dispatch).min(Confidence::Likely);
    let steps = step(dispatch, "the provider is asked to act here");
    sink.report(violation(facts, function, RULE.name, confidence, here(dispatch), (message, help), steps));
}

/// Whether something of a type may be an open transaction.
fn is_open(facts: &Facts<'_>, ty: &Ty) -> bool {
    let types = &facts.catalog.words.transaction_types;
    ty.mentions(&mut |path| types.iter().any(|known| path_matches(known, path)))
}

/// The field in which something of the workspace's own holds an open transaction: what a request comes with, a unit of work.
fn held(facts: &Facts<'_>, ty: &Ty) -> Option<Name> {
    let Ty::Adt(id, _) = behind(ty) else {
        return None;
    };
    let types = &facts.catalog.words.transaction_types;
    let is_one = |ty: &Ty| matches!(behind(ty), Ty::External(path, _) if types.iter().any(|known| path_matches(known, path.as_str())));
    let fields = facts.program.type_(*id).ir.fields();
    fields.iter().map(|field| field.name).find(|&name| is_one(&facts.program.field_ty(behind(ty), name)))
}

/// Whether a function itself changes a store by something else than a pool.
fn writes_here(facts: &Facts<'_>, id: FnId) -> bool {
    let own = facts.operations.function(id);
    own.is_some_and(|own| own.writes().any(|(_, write)| write.via.is_empty() && !write.pooled))
}

/// Whether the transaction that a function is handed goes into the dispatch: a row of it.
fn is_given(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let EventFactKind::Dispatch { args, .. } = &function.event(at).kind else {
        return false;
    };
    let info = facts.program.function(function.facts.function);
    let mut handed = info.params.iter().zip(&info.ir.params);
    args.transaction.is_some()
        || handed.any(|(ty, param)| {
            let whole = param.name.filter(|_| is_open(facts, ty));
            let field = held(facts, ty);
            let is_it = |path: &str| {
                let mut parts = path.split('.');
                let root = |name: Name| path.split('.').next() == Some(name.as_str());
                whole.is_some_and(root) || field.is_some_and(|name| parts.any(|part| part == name.as_str()))
            };
            args.origins.iter().any(|origin| matches!(origin, OriginKind::Input(path) if is_it(path.as_str())))
        })
}

/// Whether a caller is seen to begin the transaction: then it is told there.
fn is_told_above(facts: &Facts<'_>, dispatch: &EventFact) -> bool {
    facts.operations.above(dispatch).any(|(caller, at)| open_at(caller, at).is_some())
}

/// Whether the transaction is handed to the dispatch.
fn carries(function: &FunctionOps, at: usize) -> bool {
    match &function.event(at).kind {
        EventFactKind::Dispatch { args, .. } => args.transaction.is_some(),
        _ => false,
    }
}
