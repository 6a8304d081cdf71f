//! Errors by which an attempt says of itself that it is not to be run again, whatever its runner does with others.

use super::super::outcome::MAX_ASKED;
use super::Eval;
use crate::catalog::Call;
use crate::ir::{ExprId, ExprKind, MethodCall, Name};
use crate::resolve::Callee;

/// The catalog's word for such an error.
const FINAL: &str = "final";

impl Eval<'_, '_> {
    /// The word for the error that `?` hands on of an expression, where some call before has made a final one of it:
    /// `sent.await.map_err(Error::Abort)?`.
    pub(super) fn final_error(&self, failed: ExprId) -> Option<Name> {
        let mut at = failed;
        for _ in 0..MAX_ASKED {
            at = match &self.body.expr(at).kind {
                ExprKind::Await(inner) => *inner,
                ExprKind::MethodCall(call) if self.makes_final(at, call) => return Some(Name::new(FINAL)),
                // What is handed on, or made into another error first.
                ExprKind::MethodCall(call) if call.name.as_str().starts_with("inspect") => call.receiver,
                ExprKind::Call { .. } if self.is_error(at) => {
                    return self.answer(at).filter(|word| word.as_str() == FINAL);
                }
                _ => return None,
            };
        }
        None
    }

    fn makes_final(&self, id: ExprId, call: &MethodCall) -> bool {
        let made = match (call.name.as_str(), &*call.args) {
            ("map_err" | "ok_or" | "ok_or_else", &[made]) => match &self.body.expr(made).kind {
                ExprKind::Closure(closure) => self.answer(closure.body),
                _ => self.answer(made),
            },
            _ => return self.is_called_final(id, call),
        };
        made.is_some_and(|word| word.as_str() == FINAL)
    }

    /// Whether a method is one that makes a final error of whatever it is called on.
    fn is_called_final(&self, id: ExprId, call: &MethodCall) -> bool {
        let receiver = match self.types.callee(id) {
            Some(Callee::ExternalMethod { receiver, .. }) => Some(receiver),
            Some(Callee::Functions(_)) => return false,
            _ => None,
        };
        let method = call.name.as_str();
        let call = match receiver {
            Some(receiver) => Call::Method { receiver: receiver.as_str(), method, fields: &[] },
            None => Call::Unknown { method, fields: &[] },
        };
        self.engine.matcher.states(&call).iter().any(|state| state.means == FINAL)
    }
}
