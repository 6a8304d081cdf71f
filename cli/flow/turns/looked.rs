//! Which fields of what it is handed a function of the workspace looks at: `is_done(&row, slot)` asks for `last_slot`.

use super::Turns;
use crate::ir::{ExprId, ExprKind, LocalId, Name, PatKind};
use crate::resolve::Callee;

/// Expressions of a function that are looked through.
const MAX_BODY: usize = 400;
/// Fields that are told of, at most.
const MAX_FIELDS: usize = 8;

impl Turns<'_> {
    /// The fields that the function at a call looks at of one of its operands. One that is waited for does something.
    pub(super) fn looked_at(&self, call: ExprId, operand: ExprId) -> Vec<Name> {
        let (receiver, args) = match &self.body.expr(call).kind {
            ExprKind::MethodCall(call) => (Some(call.receiver), &call.args),
            ExprKind::Call { args, .. } => (None, args),
            _ => return Vec::new(),
        };
        let Some(Callee::Functions(ids)) = self.types.callee(call) else {
            return Vec::new();
        };
        let place = receiver.iter().chain(args).position(|&id| id == operand);
        let (&[function], Some(place)) = (ids.as_slice(), place) else {
            return Vec::new();
        };
        let info = &self.program.function(function).ir;
        let Some(body) = info.body.as_deref().filter(|body| !info.is_async && body.exprs.len() <= MAX_BODY) else {
            return Vec::new();
        };
        let param = info.params.get(place).and_then(|param| param.pat).and_then(|pat| match body.pat(pat).kind {
            PatKind::Bind { local, inner: None } => Some(local),
            _ => None,
        });
        let is_param =
            |id: ExprId, param: LocalId| matches!(body.expr(id).kind, ExprKind::Local(local) if local == param);
        let mut fields = Vec::new();
        for expr in &body.exprs {
            match (&expr.kind, param) {
                (ExprKind::Field { base, name }, Some(param)) if is_param(*base, param) && !fields.contains(name) => {
                    fields.push(*name);
                }
                _ => {}
            }
        }
        fields.truncate(MAX_FIELDS);
        fields
    }
}
