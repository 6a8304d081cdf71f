//! Batches without a loop: futures that are made for each of several things, and waited for together.

use super::walk::visit;
use crate::ir::{Body, ExprId, ExprKind, PatKind, Statement};

/// Calls between the closure and whoever waits for its futures, at most.
const MAX_CHAIN: usize = 16;

/// How a batch is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Batch {
    /// each has its own result
    All,
    /// up to the first error, which is that of the whole
    FirstError,
}

/// The batch for whose things a closure is run, where the futures that `map` and the like make of them are waited for:
/// `stream::iter(x).map(|x| send(x)).buffer_unordered(8).try_collect()`, `try_join_all(x.iter().map(|x| send(x)))`.
pub(crate) fn of_closure(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> Option<Batch> {
    let mut at = id;
    let mut waits = matches!(&body.expr(id).kind, ExprKind::MethodCall(call) if call.name.as_str() == "then");
    for _ in 0..MAX_CHAIN {
        let parent = parents.get(at.0 as usize).copied().flatten()?;
        match &body.expr(parent).kind {
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "buffer_unordered" | "buffered" | "try_buffer_unordered" | "try_buffered" | "then" | "and_then" => {
                    waits = true;
                }
                "try_collect" | "try_for_each" | "try_for_each_concurrent" | "try_fold" | "try_concat" if waits => {
                    let checked = is_checked(body, parents, parent);
                    return Some(if checked { Batch::FirstError } else { Batch::All });
                }
                "for_each" | "for_each_concurrent" | "fold" | "count" | "collect" if waits => return Some(Batch::All),
                // `collect` makes a list of futures, which somebody waits for.
                _ => {}
            },
            ExprKind::Call { callee, args } if args.first() == Some(&at) => {
                match last_name(body, *callee) {
                    // A stream of the things, or a list of them.
                    "iter" | "new" | "from_iter" => {}
                    name => return joined(body, parents, parent, name),
                }
            }
            ExprKind::Block(block) => {
                let local = block.statements.iter().find_map(|statement| match statement {
                    Statement::Let { pat, value: Some(value), .. } if *value == at => match body.pat(*pat).kind {
                        PatKind::Bind { local, .. } => Some(local),
                        _ => None,
                    },
                    _ => None,
                })?;
                let mut found = None;
                visit(body, parent, &mut |inner| {
                    if let ExprKind::Call { callee, args } = &body.expr(inner).kind {
                        let takes = args.iter().any(|&arg| match body.expr(arg).kind {
                            ExprKind::Local(other) => other == local,
                            _ => false,
                        });
                        if takes {
                            found = found.or(joined(body, parents, inner, last_name(body, *callee)));
                        }
                    }
                    true
                });
                return found;
            }
            _ => return None,
        }
        at = parent;
    }
    None
}

fn joined(body: &Body, parents: &[Option<ExprId>], id: ExprId, name: &str) -> Option<Batch> {
    match name {
        "try_join_all" if is_checked(body, parents, id) => Some(Batch::FirstError),
        "join_all" | "try_join_all" => Some(Batch::All),
        _ => None,
    }
}

/// Whether an error of what is waited for ends the function: `?` stands behind it, or it is what the function returns.
fn is_checked(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        let Some(parent) = parents.get(at.0 as usize).copied().flatten() else {
            return true;
        };
        match &body.expr(parent).kind {
            ExprKind::Try(_) => return true,
            ExprKind::Await(_) => {}
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "map_err" | "context" | "with_context" | "wrap_err" | "map" => {}
                "unwrap" | "expect" => return true,
                _ => return false,
            },
            ExprKind::Block(block) if block.tail == Some(at) => {}
            _ => return false,
        }
        at = parent;
    }
    false
}

fn last_name(body: &Body, callee: ExprId) -> &str {
    match &body.expr(callee).kind {
        ExprKind::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
        _ => "",
    }
}
