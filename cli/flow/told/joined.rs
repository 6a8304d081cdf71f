//! Futures that run side by side until all of them are done: `join!`, `try_join!`, `join(a, b)`, `(a, b).join()`.
//!
//! In: a body. Out: for each place where some are awaited together, where the calls stand that make them. A future does
//! nothing before it is awaited, so a variable stands for the call that it was bound to.

use crate::ir::{Body, Expr, ExprId, ExprKind};
use crate::source::{FileId, Span};

use crate::flow::scope::function_named;
use crate::flow::walk;

/// Functions that are given one future each.
const EACH: [&str; 8] = ["join", "join3", "join4", "join5", "try_join", "try_join3", "try_join4", "try_join5"];
/// Functions that are given a list of them.
const LIST: [&str; 2] = ["join_all", "try_join_all"];

/// The futures of each such place, in order.
pub(super) fn futures(body: &Body, file: FileId) -> Vec<Vec<Span>> {
    let together = body.exprs.iter().filter_map(|expr| together(body, expr));
    let place = |&id: &ExprId| Span::new(file, body.expr(walk::stands_for(body, id)).range);
    together.map(|futures| futures.iter().map(place).collect()).collect()
}

fn together(body: &Body, expr: &Expr) -> Option<Vec<ExprId>> {
    let futures = match &expr.kind {
        ExprKind::Concurrent(all) if !all.race => all.branches.iter().map(|branch| branch.future).collect(),
        ExprKind::Call { callee, args } => {
            let name = function_named(body, *callee)?;
            let is = |names: &[&str]| names.contains(&name.as_str());
            match (&args[..], args.first().map(|&list| &body.expr(list).kind)) {
                (_, Some(ExprKind::Array(list))) if is(&LIST) => list.to_vec(),
                (all, _) if is(&EACH) => all.to_vec(),
                _ => return None,
            }
        }
        ExprKind::MethodCall(call) if matches!(call.name.as_str(), "join" | "try_join") => {
            match &body.expr(call.receiver).kind {
                ExprKind::Tuple(all) => all.to_vec(),
                _ => return None,
            }
        }
        _ => return None,
    };
    (futures.len() > 1).then_some(futures)
}
