//! One thing picked out of several by what many have in common: `transfers.iter().find(|t| t.amount == due.amount)`.

use super::call::Site;
use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::scope::has_word;
use super::sources::Sources;
use super::value::Kind;
use super::walk::visit;
use crate::ir::{BinaryOp, Closure, ExprId, ExprKind, LocalId, Name, PatId, PatKind};

/// Calls between the list and the pick, at most.
const MAX_CHAIN: usize = 12;
/// Comparisons that are read of one pick, at most.
const MAX_COMPARED: usize = 24;

/// Records a pick in which no comparison tells one intent from another, and one is of an amount.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    first_of_asked(eval, site);
    let picks = matches!(site.name.as_str(), "find" | "rfind" | "position" | "any");
    let Some((receiver, from)) = site.receiver.as_ref().filter(|_| picks && site.arg_ids.len() == 1) else {
        return;
    };
    let mut compared = Vec::new();
    if compared_in(eval, site.arg_ids[0], &mut compared).is_none() || filters(eval, *receiver, &mut compared).is_none()
    {
        return;
    }
    let words = &eval.engine.catalog.words;
    let amount = |name: &Name| words.amount_columns.iter().any(|word| has_word(name.as_str(), word));
    let common = |name: &Name| {
        let known = |list: &[String]| list.iter().any(|word| word == name.as_str());
        amount(name) || known(&words.weak_columns) || known(&words.coarse_names)
    };
    if compared.iter().any(amount) && compared.iter().all(common) {
        let from = Sources::of(from).and(&asked_by(eval, *receiver));
        let kind = EventKind::Picked { from, alike: true };
        eval.event(kind, site.span, site.name, Usage::Used);
    }
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
                work.extend(eval.body.bound(local).filter(|_| named.len() < MAX_COMPARED));
            }
            named.len() < MAX_COMPARED
        });
    }
    Sources::all(&named)
}

/// What the filters in front of a pick compare.
fn filters(eval: &Eval<'_, '_>, receiver: ExprId, compared: &mut Vec<Name>) -> Option<()> {
    let mut at = receiver;
    for _ in 0..MAX_CHAIN {
        let ExprKind::MethodCall(call) = &eval.body.expr(at).kind else {
            break;
        };
        if let ("filter", [closure]) = (call.name.as_str(), &*call.args) {
            compared_in(eval, *closure, compared)?;
        }
        at = call.receiver;
    }
    Some(())
}

/// The fields of its argument that a closure compares for equality; nothing where it asks for something else.
fn compared_in(eval: &Eval<'_, '_>, id: ExprId, compared: &mut Vec<Name>) -> Option<()> {
    let ExprKind::Closure(closure) = &eval.body.expr(id).kind else {
        return None;
    };
    let of = argument(eval, closure)?;
    let mut work = vec![closure.body];
    while let Some(at) = work.pop() {
        if compared.len() > MAX_COMPARED {
            return None;
        }
        match &eval.body.expr(at).kind {
            ExprKind::Block(block) if block.statements.is_empty() => work.push(block.tail?),
            ExprKind::Binary { op: BinaryOp::And, left, right } => work.extend([*left, *right]),
            ExprKind::Binary { op: BinaryOp::Eq, left, right } => {
                compared.push(field_of(eval, *left, of).or_else(|| field_of(eval, *right, of))?);
            }
            // Earlier or later, more or less: that picks none.
            ExprKind::Binary {
                op: BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne, ..
            } => {}
            _ => return None,
        }
    }
    Some(())
}

fn argument(eval: &Eval<'_, '_>, closure: &Closure) -> Option<LocalId> {
    let [(pat, _)] = &*closure.params else {
        return None;
    };
    let pat: PatId = *pat;
    match eval.body.pat(pat).kind {
        PatKind::Bind { local, inner: None } => Some(local),
        _ => None,
    }
}

/// The last field of a chain that starts at a local: `amount` of `t.data.amount.as_str()`.
fn field_of(eval: &Eval<'_, '_>, id: ExprId, of: LocalId) -> Option<Name> {
    let mut at = id;
    let mut last = None;
    for _ in 0..MAX_CHAIN {
        at = match &eval.body.expr(at).kind {
            ExprKind::Field { base, name } => {
                last = last.or(Some(*name));
                *base
            }
            ExprKind::Deref(inner) => *inner,
            ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
            ExprKind::Local(local) if *local == of => return last,
            _ => return None,
        };
    }
    None
}
