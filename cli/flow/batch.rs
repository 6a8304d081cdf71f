//! Batches without a loop: futures that are made for each of several things, and waited for together; and whether many that
//! run at once come in the order in which they are done.

use super::combinators;
use super::eval::Eval;
use super::walk::{self, visit};
use crate::ir::{Body, ExprId, ExprKind, LocalId, LoopKind, PatKind, Statement};
use crate::resolve::Ty;

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
        let parent = walk::parent(parents, at)?;
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
                if waits && is_polled(body, parent, local) {
                    return Some(Batch::All);
                }
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

/// Whether the condition of a loop takes the next one out of what a local holds.
fn is_polled(body: &Body, block: ExprId, local: LocalId) -> bool {
    let mut found = false;
    visit(body, block, &mut |inner| {
        if let ExprKind::Loop(repeat) = &body.expr(inner).kind {
            if let LoopKind::While(condition) = repeat.kind {
                visit(body, condition, &mut |part| {
                    found |= matches!(body.expr(part).kind, ExprKind::Local(other) if other == local);
                    true
                });
            }
        }
        true
    });
    found
}

/// Whether what an expression gives one by one comes in the order in which it is done: a stream or set of many at once is
/// somewhere in the chain that leads there.
pub(crate) fn comes_as_done(eval: &Eval<'_, '_>, given: ExprId) -> bool {
    let body = eval.body;
    let words = &eval.engine.catalog.words.unordered_calls;
    let known = |name: &str| words.iter().any(|word| word == name);
    let mut at = given;
    for _ in 0..MAX_CHAIN {
        if matches!(eval.ty(at), Ty::External(path, _) if path.as_str().rsplit("::").next().is_some_and(known)) {
            return true;
        }
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) => match call.name.as_str() {
                name if known(name) => return true,
                // All of them are done.
                "collect" | "try_collect" | "join_all" => return false,
                _ => call.receiver,
            },
            ExprKind::Call { callee, .. } => {
                let ExprKind::Path(path) = &body.expr(*callee).kind else {
                    return false;
                };
                return path.segments.iter().any(|part| known(part.name.as_str()));
            }
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            ExprKind::Local(local) => match body.bound(*local) {
                Some(value) => value,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}

/// Whether what the closure of an adapter does for each of many is done in any order: the adapter itself, one in front of it
/// or one that runs the futures of the closure makes it so.
pub(crate) fn runs_as_done(eval: &Eval<'_, '_>, adapter: ExprId) -> bool {
    let words = &eval.engine.catalog.words.unordered_calls;
    let mut at = adapter;
    for _ in 0..MAX_CHAIN {
        match walk::parent(&eval.parents, at) {
            Some(parent) => match &eval.body.expr(parent).kind {
                ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                    name if words.iter().any(|word| word == name) => return true,
                    // These wait for what the closure makes, one after the other.
                    "buffered" | "try_buffered" | "then" | "and_then" => break,
                    _ => at = parent,
                },
                _ => break,
            },
            None => break,
        }
    }
    comes_as_done(eval, adapter)
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
        let Some(parent) = walk::parent(parents, at) else {
            return true;
        };
        match &body.expr(parent).kind {
            ExprKind::Try(_) => return true,
            ExprKind::Await(_) => {}
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "map" => {}
                name if combinators::rewords(name) => {}
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
