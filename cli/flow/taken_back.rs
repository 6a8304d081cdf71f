//! Calls that take back what another call of the same object gave: `desk.cancel(&seat)` behind `let seat = desk.book(..)`.
//!
//! That a name alone says so is too little, since much can be cancelled that nobody misses. What the call is handed shows it.

use super::eval::Eval;
use super::has_word;
use super::scope::begins_with_any;
use super::walk::visit;
use crate::catalog::Words;
use crate::ir::{Body, ExprId, ExprKind, LocalId, Name};
use crate::source::Span;

/// Expressions that are looked at for what a call is handed.
const MAX_LOOKED: usize = 64;

/// The call whose effect another call takes back, where its name begins with a verb for that: one that acts, by its name,
/// was asked of the same object, and gave what is handed over now.
pub(crate) fn by_call(eval: &Eval<'_, '_>, id: ExprId) -> Option<Span> {
    let words = &eval.engine.catalog.words;
    let (taking, of, args) = called(eval.body, id)?;
    let is_lock = || words.lock_names.iter().any(|word| has_word(taking.as_str(), word));
    if !begins_with_any(taking.as_str(), &words.retracting_verbs) || is_lock() {
        return None;
    }
    let mut work: Vec<LocalId> = args.iter().flat_map(|&arg| locals(eval.body, arg)).collect();
    let mut seen = 0;
    while let Some(&local) = work.get(seen) {
        seen += 1;
        let Some(value) = eval.body.bound(local).filter(|_| seen <= MAX_LOOKED) else {
            continue;
        };
        match given_by(eval.body, words, value, &of) {
            Some(call) => return Some(eval.span_of(call)),
            // It may be put together of what was given.
            None => {
                let more = locals(eval.body, value);
                work.extend(more.into_iter().filter(|more| !work.contains(more)).collect::<Vec<_>>());
            }
        }
    }
    None
}

/// The call that acts, of this object, whose answer a value is.
fn given_by(body: &Body, words: &Words, value: ExprId, of: &Object) -> Option<ExprId> {
    let mut at = value;
    for _ in 0..MAX_LOOKED {
        if let Some((name, other, _)) = called(body, at) {
            if begins_with_any(name.as_str(), &words.retractable_verbs) && other == *of {
                return Some(at);
            }
        }
        at = match &body.expr(at).kind {
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Field { base, .. } => *base,
            ExprKind::MethodCall(call) => call.receiver,
            ExprKind::Match { value, .. } => *value,
            _ => return None,
        };
    }
    None
}

/// Whom a call asks: a local and the fields that lead from it, or the path in front of a function's name.
#[derive(PartialEq, Eq)]
struct Object {
    local: Option<LocalId>,
    names: Vec<Name>,
}

/// The name of a call, whom it asks, and what it is handed.
fn called(body: &Body, id: ExprId) -> Option<(Name, Object, &[ExprId])> {
    match &body.expr(id).kind {
        ExprKind::MethodCall(call) => Some((call.name, object(body, call.receiver)?, &call.args)),
        ExprKind::Call { callee, args } => match &body.expr(*callee).kind {
            ExprKind::Path(path) => {
                let mut names: Vec<Name> = path.segments.iter().map(|segment| segment.name).collect();
                let name = names.pop()?;
                (!names.is_empty()).then_some((name, Object { local: None, names }, args))
            }
            _ => None,
        },
        _ => None,
    }
}

fn object(body: &Body, receiver: ExprId) -> Option<Object> {
    let mut names = Vec::new();
    let mut at = receiver;
    for _ in 0..MAX_LOOKED {
        at = match &body.expr(at).kind {
            ExprKind::Local(local) => return Some(Object { local: Some(*local), names }),
            ExprKind::Field { base, name } => {
                names.push(*name);
                *base
            }
            ExprKind::Deref(inner) => *inner,
            // `self.airline().book(..)`
            ExprKind::MethodCall(call) if call.args.is_empty() => {
                names.push(call.name);
                call.receiver
            }
            _ => return None,
        };
    }
    None
}

/// The locals that an expression mentions.
fn locals(body: &Body, id: ExprId) -> Vec<LocalId> {
    let mut found = Vec::new();
    let mut looked = 0;
    visit(body, id, &mut |at| {
        looked += 1;
        if let ExprKind::Local(local) = body.expr(at).kind {
            found.push(local);
        }
        looked <= MAX_LOOKED
    });
    found
}
