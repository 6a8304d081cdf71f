//! Transactions around closures: where one ends with an error, the database undoes what was written in it.

use super::super::events::{EventKind, Usage};
use super::super::outcome::{self, Outcomes};
use super::super::sources::Sources;
use super::super::value::Closure;
use super::super::value::Value;
use super::Eval;
use crate::ir::{BlockKind, ExprId, ExprKind, Name};
use crate::resolve::Ty;

/// A closure that runs in a transaction of its own.
pub(super) struct Undoing {
    transaction: Value,
    closure: ExprId,
    /// the expressions that it ends with
    tails: Vec<ExprId>,
}

impl Eval<'_, '_> {
    /// Runs a closure that is handed a transaction.
    pub(crate) fn in_transaction(&mut self, closure: Closure, transaction: Value) -> Value {
        let tails = match &self.body.expr(closure.at).kind {
            ExprKind::Closure(known) if closure.owner == self.owner => self.ends_of(known.body),
            _ => Vec::new(),
        };
        self.undoing.push(Undoing { transaction: transaction.clone(), closure: closure.at, tails });
        let value = self.run_closure(closure, &[transaction], None);
        self.undoing.pop();
        value
    }

    /// The expressions that a body ends with, those of a future that it makes among them.
    fn ends_of(&self, body: ExprId) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut work = vec![body];
        while let Some(id) = work.pop() {
            match &self.body.expr(id).kind {
                ExprKind::Block(block) => work.extend(block.tail),
                ExprKind::If { then, otherwise: Some(otherwise), .. } => work.extend([*then, *otherwise]),
                ExprKind::Match { arms, .. } => work.extend(arms.iter().map(|arm| arm.body)),
                // `Box::pin(async move { … })`, `async move { … }.scope_boxed()`
                ExprKind::Call { args, .. } if self.is_future(args.first()) => work.extend(args.first()),
                ExprKind::MethodCall(call) if self.is_future(Some(&call.receiver)) => work.push(call.receiver),
                _ => out.push(id),
            }
        }
        out
    }

    fn is_future(&self, id: Option<&ExprId>) -> bool {
        id.is_some_and(
            |&id| matches!(&self.body.expr(id).kind, ExprKind::Block(block) if block.kind == BlockKind::Async),
        )
    }

    /// An expression has its value: perhaps the one that ends a transaction.
    pub(super) fn may_undo(&mut self, id: ExprId, value: &Value) {
        if self.state.reachable && self.undoing.last().is_some_and(|around| around.tails.contains(&id)) {
            self.undo(id, value);
        }
    }

    /// `return` of a closure.
    pub(super) fn returned_from_closure(&mut self, given: ExprId, value: &Value) {
        let own = |around: &Undoing| self.closures_open.last() == Some(&around.closure);
        if self.undoing.last().is_some_and(own) {
            self.undo(given, value);
        }
    }

    fn undo(&mut self, id: ExprId, value: &Value) {
        let Some(transaction) = self.undoing.last().map(|around| Sources::of(&around.transaction)) else {
            return;
        };
        let around = self.branches.len();
        if !self.is_error(id) {
            // The answer itself is handed on: with its error.
            let (about, bare) = outcome::replies(value);
            if about.is_empty() || !self.is_whole_result(id) {
                return;
            }
            let error = if bare { Outcomes::NOT_SENT.or(Outcomes::UNKNOWN) } else { Outcomes::ERROR };
            self.branches.push((id, 0));
            self.condition((id, 0), about, error, false);
        }
        self.calling = None;
        let span = self.span_of(id);
        self.event(EventKind::Rollback { transaction }, span, Name::new("Err"), Usage::Used);
        self.branches.truncate(around);
    }

    /// Whether an expression is a result that was kept as it is, perhaps with another error.
    fn is_whole_result(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(_) => {
                matches!(self.ty(id), Ty::External(path, _) if path.as_str() == "std::result::Result")
            }
            ExprKind::MethodCall(call) if call.name.as_str() == "map_err" => self.is_whole_result(call.receiver),
            _ => false,
        }
    }
}
