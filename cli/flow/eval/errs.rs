//! Branches for whatever error an awaited call has: work that needs its answer ends there.

use super::super::events::{EventKind, Usage};
use super::super::outcome::MAX_ASKED;
use super::Eval;
use crate::ir::{BinaryOp, ExprId, ExprKind, PatId, PatKind};

impl Eval<'_, '_> {
    /// The branch that is looked at is taken by any error of `given`.
    pub(super) fn errs(&mut self, given: ExprId) {
        let Some((call, _)) = self.awaited_call(given) else {
            return;
        };
        if let ExprKind::MethodCall(method) = &self.body.expr(call).kind {
            self.calling = None;
            self.event(EventKind::Errs, self.name_span(call), method.name, Usage::Used);
        }
    }

    /// The branch that is looked at is taken where a condition does not hold: by an error, too, where that asks for `Ok`.
    pub(super) fn errs_unless(&mut self, condition: ExprId) {
        match self.body.expr(condition).kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                self.errs_unless(left);
                self.errs_unless(right);
            }
            ExprKind::Let { pat, value } => self.errs_beside(pat, value),
            _ => {}
        }
    }

    /// The branch that is looked at is taken by what a pattern does not take.
    pub(super) fn errs_beside(&mut self, pat: PatId, given: ExprId) {
        let asks_for = |wanted: &str| {
            matches!(&self.body.pat(pat).kind, PatKind::TupleStruct { path, .. }
                if path.of_option_or_result() == Some(wanted))
        };
        let forgot = self.awaited_call(given).is_some_and(|(_, forgot)| forgot);
        if asks_for("Ok") && !forgot || asks_for("Some") && forgot {
            self.errs(given);
        }
    }

    /// The call whose awaited result an expression is, and whether its error was forgotten on the way.
    fn awaited_call(&self, id: ExprId) -> Option<(ExprId, bool)> {
        let mut at = id;
        let mut forgot = false;
        for _ in 0..MAX_ASKED {
            at = match &self.body.expr(at).kind {
                ExprKind::Await(inner) => {
                    let ExprKind::MethodCall(call) = &self.body.expr(*inner).kind else {
                        return None;
                    };
                    let waits = self.engine.catalog.words.waiting_calls.iter().any(|name| name == call.name.as_str());
                    return (!waits).then_some((*inner, forgot));
                }
                ExprKind::MethodCall(call) => match call.name.as_str() {
                    "ok" => {
                        forgot = true;
                        call.receiver
                    }
                    "map_err" | "inspect_err" | "context" | "with_context" | "as_ref" => call.receiver,
                    _ => return None,
                },
                ExprKind::Local(local) => self.body.bound(*local)?,
                ExprKind::Deref(inner) => *inner,
                _ => return None,
            };
        }
        None
    }
}
