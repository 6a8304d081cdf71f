//! Which errors a combinator tries again: whoever only repeats what was refused repeats nothing that was done.

use super::super::eval::Eval;
use super::super::outcome::{self, Outcomes};
use super::super::walk;
use super::Site;
use crate::catalog::{Call, Matcher, RetryCall};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind};
use crate::resolve::{BodyTypes, Callee, Program, ValueDef};

/// Calls between a retry and the method that is given its condition, and expressions of that, at most.
const MAX_CHAIN: usize = 24;

/// Whether the condition of a retry lets through only errors that say that nothing was done.
pub(super) fn only_undone(eval: &Eval<'_, '_>, site: &Site<'_>, row: &RetryCall) -> bool {
    condition(eval, site, row).is_some_and(|condition| is_undone(eval, condition))
}

/// Whether a condition on errors lets through only those that say that nothing was done.
pub(super) fn is_undone(eval: &Eval<'_, '_>, condition: ExprId) -> bool {
    let undone = Outcomes::NOT_SENT.or(Outcomes::REJECTED).or(Outcomes::MISSING);
    accepted(eval, condition).is_some_and(|outcomes| outcomes.without(undone).is_empty())
}

/// What says which errors are tried again.
fn condition(eval: &Eval<'_, '_>, site: &Site<'_>, row: &RetryCall) -> Option<ExprId> {
    if let Some(number) = row.condition {
        return site.argument_id(number);
    }
    let method = row.condition_by.as_deref()?;
    let mut at = site.id;
    for _ in 0..MAX_CHAIN {
        let parent = walk::parent(&eval.parents, at)?;
        match &eval.body.expr(parent).kind {
            ExprKind::MethodCall(call) if call.receiver == at => {
                if call.name.as_str() == method {
                    return call.args.first().copied();
                }
            }
            _ => return None,
        }
        at = parent;
    }
    None
}

/// The outcomes that a condition on errors accepts: a closure, a function, or what is bound to a name.
fn accepted(eval: &Eval<'_, '_>, id: ExprId) -> Option<Outcomes> {
    let program = eval.engine.program;
    let matcher = eval.engine.matcher;
    match &eval.body.expr(id).kind {
        ExprKind::Local(local) => accepted(eval, eval.body.bound(*local)?),
        ExprKind::Closure(closure) => {
            let told = Told { program, matcher, body: eval.body, types: eval.types };
            told.by(closure.body, 0).or_else(|| by_pattern(eval, closure.body))
        }
        ExprKind::Path(_) => match eval.types.path(id)? {
            ValueDef::External(path) | ValueDef::Unresolved(path) => {
                let (receiver, method) = path.as_str().rsplit_once("::")?;
                told_by_call(matcher, &Call::Method { receiver, method, fields: &[] })
            }
            ValueDef::Functions(functions) => {
                let &[function] = functions.as_slice() else {
                    return None;
                };
                let info = program.function(function);
                let body = info.ir.body.as_deref()?;
                Told { program, matcher, body, types: &info.types }.by(body.root, 0)
            }
            _ => None,
        },
        _ => None,
    }
}

/// `|e| matches!(e, Error::Refused(_))`
fn by_pattern(eval: &Eval<'_, '_>, id: ExprId) -> Option<Outcomes> {
    let ExprKind::Match { arms, .. } = &eval.body.expr(id).kind else {
        return None;
    };
    let first = arms.first().filter(|arm| arms.len() == 2 && arm.guard.is_none())?;
    let literal = |id: ExprId| matches!(eval.body.expr(id).kind, ExprKind::Literal(crate::ir::Literal::Bool(true)));
    let matched = outcome::of_pattern(eval, first.pat, false, outcome::Left::all(false));
    (literal(first.body) && matched.named).then_some(matched.outcomes)
}

/// A function in which something is asked of an error.
struct Told<'a> {
    program: &'a Program,
    matcher: &'a Matcher<'a>,
    body: &'a Body,
    types: &'a BodyTypes,
}

impl Told<'_> {
    /// The outcomes for which an expression says yes, where the catalog knows what it asks.
    fn by(&self, id: ExprId, depth: usize) -> Option<Outcomes> {
        if depth > MAX_CHAIN {
            return None;
        }
        match &self.body.expr(id).kind {
            ExprKind::Block(block) if block.statements.is_empty() => self.by(block.tail?, depth + 1),
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                Some(self.by(*left, depth + 1)?.or(self.by(*right, depth + 1)?))
            }
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                match (self.by(*left, depth + 1), self.by(*right, depth + 1)) {
                    (Some(left), Some(right)) => Some(left.and(right)),
                    (one, other) => one.or(other),
                }
            }
            ExprKind::MethodCall(call) => match self.types.callee(id) {
                Some(Callee::ExternalMethod { receiver, method }) => told_by_call(
                    self.matcher,
                    &Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] },
                ),
                Some(Callee::Functions(ids)) => {
                    let path = self.program.function(*ids.first()?).path;
                    told_by_call(self.matcher, &Call::Workspace(path.as_str()))
                }
                _ => told_by_call(self.matcher, &Call::Unknown { method: call.name.as_str(), fields: &[] }),
            },
            _ => None,
        }
    }
}

fn told_by_call(matcher: &Matcher<'_>, call: &Call<'_>) -> Option<Outcomes> {
    matcher.states(call).iter().find_map(|state| Outcomes::of_word(&state.means))
}
