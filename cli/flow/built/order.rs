//! The column by which rows are ordered first.

use super::column_of;
use crate::ir::{Body, ExprId, ExprKind};

/// `created_at` of `order(created_at.asc())`, of `order_by_asc(Column::CreatedAt)`, and of a list that starts so.
pub(super) fn first(body: &Body, by: ExprId) -> Option<String> {
    match &body.expr(by).kind {
        ExprKind::Tuple(parts) => first(body, *parts.first()?),
        ExprKind::MethodCall(call) => column_of(body, call.receiver),
        _ => column_of(body, by),
    }
}
