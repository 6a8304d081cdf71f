//! Methods of foreign types that the workspace's traits have methods of the same name for.

use super::Infer;
use crate::ir::{ExprKind, MethodCall};
use crate::resolve::Ty;
use crate::resolve::known::known;

impl Infer<'_> {
    /// Whether a method that a trait of the workspace adds to a type of another crate calls on `self` what has its own name:
    /// `impl Publisher for Client { async fn publish(&self, ..) { self.publish(..).await } }`. That is the type's own method, which
    /// comes first; to call itself, it would have to go on for ever.
    pub(super) fn is_delegated(&self, call: &MethodCall, receiver: &Ty) -> bool {
        let Some(own) = self.own.map(|id| self.world.program.function(id)) else {
            return false;
        };
        let on_self = match self.body.exprs.get(call.receiver.0 as usize).map(|expr| &expr.kind) {
            Some(ExprKind::Local(local)) => self.body.locals[local.0 as usize].name == known().self_,
            _ => false,
        };
        let foreign = matches!((&own.self_ty, receiver), (Ty::External(of, _), Ty::External(at, _)) if of == at);
        on_self && foreign && own.trait_.is_some() && own.ir.name == call.name
    }
}
