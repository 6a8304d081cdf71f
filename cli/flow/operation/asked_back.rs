//! Answers that a connection keeps: `conn.affected_rows()` behind a statement that gives nothing, `db.changes()`.

use crate::flow::eval::Eval;
use crate::ir::{Body, ExprId, ExprKind};

/// Takes down what becomes of the number of rows that a call has changed, where the connection that it ran on is asked for it
/// behind.
pub(crate) fn note(eval: &mut Eval<'_, '_>, ran: ExprId) {
    let Some(asked) = asked(eval, ran) else {
        return;
    };
    let (usage, answers) = (eval.usage(asked), eval.is_answer(asked));
    let whole = eval.span_of(ran);
    if let Some(event) = eval.events.iter_mut().rfind(|event| event.via.is_empty() && event.span == whole) {
        event.usage = usage;
        event.answers |= answers;
    }
}

/// The call that asks a connection how many rows another call on it has changed.
fn asked(eval: &Eval<'_, '_>, ran: ExprId) -> Option<ExprId> {
    let body = eval.body;
    let ExprKind::MethodCall(call) = &body.expr(ran).kind else {
        return None;
    };
    let words = &eval.engine.catalog.words.row_count_calls;
    let on_it = |id: ExprId| match &body.expr(id).kind {
        ExprKind::MethodCall(other) if is_place(body, other.receiver, call.receiver) => Some((id, other)),
        _ => None,
    };
    // The next statement on the same connection has a number of its own.
    let mut later = (ran.0 + 1..body.exprs.len() as u32).map(ExprId);
    let (asked, by) = later.find_map(on_it)?;
    (by.args.is_empty() && words.iter().any(|word| by.name == word.as_str())).then_some(asked)
}

/// Whether two expressions name one place: `self.db`, `conn`, `&mut *conn`.
fn is_place(body: &Body, a: ExprId, b: ExprId) -> bool {
    match (&body.expr(a).kind, &body.expr(b).kind) {
        (ExprKind::Deref(a), _) => is_place(body, *a, b),
        (_, ExprKind::Deref(b)) => is_place(body, a, *b),
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Field { base: a, name }, ExprKind::Field { base: b, name: other }) => {
            name == other && is_place(body, *a, *b)
        }
        _ => false,
    }
}
