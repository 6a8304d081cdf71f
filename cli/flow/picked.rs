//! One thing picked out of several by what many have in common: `transfers.iter().find(|t| t.amount == due.amount)`.

mod compared;
mod document;

use super::call::Site;
use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::scope::has_word;
use super::sources::Sources;
use super::value::{Kind, Value};
use super::walk::visit;
use crate::ir::{ExprId, ExprKind, Loop, LoopKind, Name};

/// Calls between the list and the pick, or a field and where it is compared, at most.
const MAX_CHAIN: usize = 12;
/// Locals that a list is put together from, at most.
const MAX_NAMED: usize = 24;

/// Records a pick in which no comparison tells one intent from another, and one is of an amount.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    first_of_asked(eval, site);
    document::record(eval, site);
    let by = match (site.name.as_str(), &*site.arg_ids) {
        ("find" | "rfind" | "position" | "any" | "find_map", &[by]) => Some(by),
        // Of those that filters have left.
        ("next" | "next_back" | "last", []) => None,
        _ => return,
    };
    let Some((receiver, from)) = &site.receiver else {
        return;
    };
    let compared: Option<Vec<Vec<Name>>> =
        by.into_iter().chain(filters(eval, *receiver)).map(|by| compared::by(eval, by)).collect();
    if compared.is_some_and(|each| are_common(eval, &each.concat())) {
        let from = Sources::of(from).and(&asked_by(eval, *receiver));
        eval.event(EventKind::Picked { from, alike: true }, site.span, site.name, Usage::Used);
    }
}

/// Records the same of a loop that is left with the first that it finds.
pub(super) fn record_in_loop(eval: &mut Eval<'_, '_>, repeat: &Loop, gone_through: &Value) {
    let LoopKind::For { iterable, .. } = repeat.kind else {
        return;
    };
    let Some((at, compared)) = compared::in_loop(eval, repeat) else {
        return;
    };
    if are_common(eval, &compared) {
        let from = Sources::of(gone_through).and(&asked_by(eval, iterable));
        eval.event(EventKind::Picked { from, alike: true }, eval.span_of(at), Name::new("for"), Usage::Used);
    }
}

/// Whether what is compared is common to many, and an amount is among it.
fn are_common(eval: &Eval<'_, '_>, compared: &[Name]) -> bool {
    let words = &eval.engine.catalog.words;
    let amount = |name: &Name| words.amount_columns.iter().any(|word| has_word(name.as_str(), word));
    let common = |name: &Name| {
        let known = |list: &[String]| list.iter().any(|word| word == name.as_str());
        amount(name) || known(&words.weak_columns) || known(&words.coarse_names)
    };
    compared.iter().any(amount) && compared.iter().all(common)
}

/// Records that of a list which somebody was asked for over HTTP the first, last or newest is taken, whichever it is.
fn first_of_asked(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let Some((receiver, from)) = &site.receiver else {
        return;
    };
    let walked = |id: ExprId| matches!(&eval.body.expr(id).kind, ExprKind::MethodCall(call) if is_walk(call.name));
    let whichever = match site.name.as_str() {
        "next" | "next_back" => walked(*receiver),
        "max_by_key" | "min_by_key" | "max_by" | "min_by" => walked(*receiver) && site.arg_ids.len() == 1,
        "first" | "last" | "pop" => site.arg_ids.is_empty(),
        // The first one since a moment, or in a state, is any of those there are.
        "find" | "rfind" => walked(*receiver) && matches!(&*site.arg_ids, [by] if tells_none_apart(eval, *by)),
        _ => false,
    };
    if !whichever {
        return;
    }
    let from = Sources::of(from);
    let asked = eval.events.iter().any(|event| match &event.kind {
        EventKind::Asked { by } => by.iter().any(|source| {
            matches!(source.kind(), Kind::Param(..) | Kind::Input(_))
                && from.iter().any(|other| other.kind() == source.kind())
        }),
        _ => false,
    });
    if asked {
        eval.event(EventKind::Picked { from, alike: false }, site.span, site.name, Usage::Used);
    }
}

/// Whether a predicate compares nothing for equality but with what is written out.
fn tells_none_apart(eval: &Eval<'_, '_>, predicate: ExprId) -> bool {
    compared::by(eval, predicate).is_some_and(|compared| compared.is_empty())
}

/// Whether a method walks through all that a collection holds.
fn is_walk(name: Name) -> bool {
    matches!(name.as_str(), "iter" | "into_iter" | "drain" | "rev" | "cloned" | "copied")
}

/// What the list was asked for by: everything that is named on the way to it.
fn asked_by(eval: &Eval<'_, '_>, receiver: ExprId) -> Sources {
    let mut named = Vec::new();
    let mut work = vec![receiver];
    while let Some(at) = work.pop() {
        visit(eval.body, at, &mut |at| {
            if let ExprKind::Local(local) = eval.body.expr(at).kind {
                named.push(eval.quiet(at));
                work.extend(eval.body.bound(local).filter(|_| named.len() < MAX_NAMED));
            }
            named.len() < MAX_NAMED
        });
    }
    Sources::all(&named)
}

/// What those go by that are picked among: the filters in front of a pick.
fn filters(eval: &Eval<'_, '_>, receiver: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut at = receiver;
    for _ in 0..MAX_CHAIN {
        let ExprKind::MethodCall(call) = &eval.body.expr(at).kind else {
            break;
        };
        if let ("filter" | "filter_map", [by]) = (call.name.as_str(), &*call.args) {
            found.push(*by);
        }
        at = call.receiver;
    }
    found
}
