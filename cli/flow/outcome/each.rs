//! A yes or no of its own for good answers and for errors.
//!
//! `sent.map_or_else(|error| error.is_timeout(), |reply| reply.is_positive())` says yes to a lost answer, too. A question that
//! is not understood may tell a lost answer from others, so it says nothing of that.

use super::pattern::{Left, of_pattern};
use super::{MAX_ASKED, Outcomes, asked_of, error_of, ok_of, replies, unread};
use crate::flow::eval::Eval;
use crate::ir::{BinaryOp, ExprId, ExprKind, Literal, MethodCall};
use crate::source::Span;

/// What is left for yes and for no, and whether names say so.
struct Sides {
    yes: Outcomes,
    no: Outcomes,
    named: bool,
    /// some part of it is understood
    known: bool,
}

impl Sides {
    fn none() -> Self {
        Self { yes: Outcomes::NONE, no: Outcomes::NONE, named: false, known: false }
    }

    /// The answer to a question whose yes stands for some outcomes, and whose no for others.
    fn of(yes: Outcomes, no: Outcomes, named: bool) -> Self {
        Self { yes, no, named, known: true }
    }

    /// Adds what an expression says of some outcomes.
    fn add(&mut self, eval: &Eval<'_, '_>, of: Outcomes, says: ExprId) {
        let said = said(eval, says, 0);
        self.yes = self.yes.or(of.and(said.yes));
        self.no = self.no.or(of.and(said.no));
        self.named |= said.named;
        self.known |= said.known;
    }

    fn told(self, about: Vec<Span>) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
        let tells = self.known && !self.yes.is_empty() && !self.no.is_empty();
        tells.then_some((about, self.yes, self.no, self.named))
    }
}

/// Whether a call has a yes or no for each kind of a result.
pub(super) fn is_both(call: &MethodCall) -> bool {
    matches!(call.name.as_str(), "map_or" | "map_or_else") && call.args.len() == 2
}

/// The branches that an expression makes which looks at good answers and at errors, and says yes or no to each.
pub(super) fn of_each(eval: &Eval<'_, '_>, id: ExprId) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    let mut sides = Sides::none();
    match &eval.body.expr(id).kind {
        ExprKind::MethodCall(call) if is_both(call) => {
            let (about, bare) = replies(&eval.quiet(call.receiver));
            let &[error, good] = &call.args[..] else {
                return None;
            };
            let [error, good] = [body_of(eval, error), body_of(eval, good)];
            sides.add(eval, error_of(bare), error);
            sides.add(eval, if literal(eval, good).is_some() { unread(bare) } else { ok_of(bare) }, good);
            sides.told(about).filter(|(about, ..)| !about.is_empty())
        }
        ExprKind::Match { value, arms } => {
            let (about, bare) = replies(&eval.quiet(*value));
            let mut left = Left::all(bare);
            for arm in arms.iter().filter(|_| !about.is_empty()) {
                let matched = of_pattern(eval, arm.pat, bare, left);
                let asked = arm.guard.map(|guard| asked_of(eval, guard, 0));
                match asked {
                    None => left = left.after(&matched),
                    Some(asked) => {
                        left = left
                            .after_guard(&matched, asked.map_or(Outcomes::ALL, |asked| Outcomes::ALL.without(asked)))
                    }
                }
                let taken = match asked {
                    None => matched.outcomes,
                    Some(Some(found)) => matched.outcomes.and(found),
                    Some(None) => matched.outcomes.without(Outcomes::UNKNOWN),
                };
                sides.named |= matched.named || asked.flatten().is_some();
                sides.add(eval, taken, arm.body);
            }
            sides.told(about)
        }
        _ => None,
    }
}

/// What an expression says yes and no to, of all outcomes.
fn said(eval: &Eval<'_, '_>, id: ExprId, depth: usize) -> Sides {
    let doubtless = Outcomes::ALL.without(Outcomes::UNKNOWN);
    let silent = Sides { yes: doubtless, no: doubtless, named: false, known: false };
    if depth > MAX_ASKED {
        return silent;
    }
    let both = |left: ExprId, right: ExprId| [said(eval, left, depth + 1), said(eval, right, depth + 1)];
    match &eval.body.expr(id).kind {
        _ if literal(eval, id) == Some(true) => Sides::of(Outcomes::ALL, Outcomes::NONE, false),
        _ if literal(eval, id) == Some(false) => Sides::of(Outcomes::NONE, Outcomes::ALL, false),
        ExprKind::Not(inner) => {
            let inner = said(eval, *inner, depth + 1);
            Sides { yes: inner.no, no: inner.yes, ..inner }
        }
        ExprKind::Binary { op: op @ (BinaryOp::Or | BinaryOp::And), left, right } => {
            let [a, b] = both(*left, *right);
            let (named, known) = (a.named || b.named, a.known || b.known);
            match op {
                BinaryOp::Or => Sides { yes: a.yes.or(b.yes), no: a.no.and(b.no), named, known },
                _ => Sides { yes: a.yes.and(b.yes), no: a.no.or(b.no), named, known },
            }
        }
        _ => asked_of(eval, id, 0).map_or(silent, |found| Sides::of(found, Outcomes::ALL.without(found), true)),
    }
}

/// What a closure answers, or the value itself.
fn body_of(eval: &Eval<'_, '_>, id: ExprId) -> ExprId {
    match &eval.body.expr(id).kind {
        ExprKind::Closure(closure) => closure.body,
        _ => id,
    }
}

fn literal(eval: &Eval<'_, '_>, id: ExprId) -> Option<bool> {
    match &eval.body.expr(id).kind {
        ExprKind::Literal(Literal::Bool(truth)) => Some(*truth),
        ExprKind::Block(block) if block.statements.is_empty() => literal(eval, block.tail?),
        _ => None,
    }
}
