//! Branches for whatever error an awaited call has: work that needs its answer ends there.

use super::super::events::{EventKind, Usage};
use super::super::outcome::{MAX_ASKED, takes_any_error};
use super::super::scope::function_named;
use super::super::unheard::only_tells;
use super::super::{combinators, walk};
use super::Eval;
use crate::ir::{BinaryOp, ExprId, ExprKind, PatId, PatKind};
use crate::resolve::Ty;

impl Eval<'_, '_> {
    /// The branch that is looked at is taken by any error of `given`; what it does, if that is one expression.
    pub(super) fn errs(&mut self, given: ExprId, arm: Option<ExprId>) {
        let Some((call, _)) = self.awaited_call(given) else {
            return;
        };
        let step = !matches!(self.body.expr(call).kind, ExprKind::MethodCall(_));
        self.erred(call, step, arm);
    }

    /// The branch of `if let Err(..) = call.await` is looked at.
    pub(super) fn errs_if(&mut self, condition: ExprId, then: ExprId) {
        let ExprKind::Let { pat, value } = self.body.expr(condition).kind else {
            return;
        };
        if takes_any_error(self, pat) {
            if let Some((call, false)) = self.awaited_call(value) {
                self.erred(call, true, Some(then));
            }
        }
    }

    fn erred(&mut self, call: ExprId, step: bool, arm: Option<ExprId>) {
        let name = match &self.body.expr(call).kind {
            ExprKind::MethodCall(method) => Some(method.name),
            ExprKind::Call { callee, .. } => function_named(self.body, *callee),
            _ => None,
        };
        let Some(name) = name else {
            return;
        };
        let quiet = arm.is_some_and(|arm| only_tells(self.body, arm));
        self.calling = None;
        self.event(EventKind::Errs { step, quiet }, self.name_span(call), name, Usage::Used);
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
            self.errs(given, None);
        }
    }

    /// The call whose awaited result an expression is, and whether its error was forgotten on the way.
    fn awaited_call(&self, id: ExprId) -> Option<(ExprId, bool)> {
        let mut at = id;
        let mut forgot = false;
        for _ in 0..MAX_ASKED {
            at = match &self.body.expr(at).kind {
                ExprKind::Await(inner) => {
                    let call = match &self.body.expr(*inner).kind {
                        ExprKind::MethodCall(call) => call,
                        ExprKind::Call { .. } => return Some((*inner, forgot)),
                        _ => return None,
                    };
                    let waits = self.engine.catalog.words.waiting_calls.iter().any(|name| name == call.name.as_str());
                    return (!waits).then_some((*inner, forgot));
                }
                ExprKind::MethodCall(call) => match call.name.as_str() {
                    "ok" => {
                        forgot = true;
                        call.receiver
                    }
                    "as_ref" => call.receiver,
                    name if combinators::rewords(name) => call.receiver,
                    _ => return None,
                },
                ExprKind::Local(local) => self.body.bound(*local)?,
                ExprKind::Deref(inner) => *inner,
                _ => return None,
            };
        }
        None
    }

    /// Whether what a task gives, once it has come to its end, says whether its work was done: `spawn(..).await?` is a result.
    pub(crate) fn gives_result(&self, task: ExprId) -> bool {
        let mut at = task;
        let mut opened = false;
        while let Some(parent) = walk::parent(&self.parents, at) {
            match &self.body.expr(parent).kind {
                ExprKind::Await(_) => {}
                ExprKind::Try(_) => opened = true,
                ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                    "unwrap" | "expect" => opened = true,
                    name if combinators::rewords(name) => {}
                    _ => return false,
                },
                _ => break,
            }
            at = parent;
        }
        opened && matches!(self.ty(at), Ty::External(path, _) if path.as_str().ends_with("Result"))
    }
}
