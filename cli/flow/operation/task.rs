//! What a call runs its body as: a task of its own, a step, inside a time limit or a transaction.

use crate::catalog::Words;
use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::flow::events::{Role, Usage};
use crate::ir::{ExprKind, TypeIr};
use crate::resolve::Callee;

/// What a call does with a body that it is handed, and which argument that is: a task, a time limit, a step, a transaction.
pub(super) fn region_role(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Role, Option<i32>)> {
    if let Some((body, dropped)) = spawned_argument(eval, site) {
        return Some((Role::Spawned { dropped }, Some(body)));
    }
    if let Some(row) = site.rows.spawn {
        return Some((Role::Spawned { dropped: !row.held && eval.usage(site.id) == Usage::Dropped }, row.body));
    }
    if let Some(row) = site.rows.timeout.filter(|row| !row.attaches) {
        return Some((Role::Timeout, row.body));
    }
    if let Some(row) = site.rows.step {
        return Some((Role::Step, row.body));
    }
    let takes_body = site.arg_ids.iter().any(|&id| matches!(eval.body.expr(id).kind, ExprKind::Closure(_)));
    (site.rows.store?.op == "begin" && takes_body).then_some((Role::Transaction, None))
}

/// The argument that a function of the workspace runs in a task, and whether nobody holds its handle: a function that
/// returns what it started leaves that to its caller.
fn spawned_argument(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(i32, bool)> {
    let Some(Callee::Functions(ids)) = site.callee else {
        return None;
    };
    let &[id] = ids.as_slice() else {
        return None;
    };
    let shift = i32::from(site.receiver.is_some());
    let spawned = &eval.engine.summary(id).spawned;
    let (index, detached) = spawned.iter().find(|(_, dropped)| *dropped).or(spawned.first()).copied()?;
    // A helper that waits for what it starts is a call like any other.
    if !detached && !is_handle(&eval.engine.catalog.words, &eval.engine.program.function(id).ir.ret) {
        return None;
    }
    let index = i32::try_from(index).ok().map(|index| index - shift).filter(|index| *index >= 0)?;
    Some((index, detached || eval.usage(site.id) == Usage::Dropped))
}

/// Whether a type is the handle of a task.
fn is_handle(words: &Words, ty: &TypeIr) -> bool {
    match ty {
        TypeIr::Path(path) => {
            path.segments.last().is_some_and(|last| words.task_handles.contains(&last.name.to_string()))
        }
        _ => false,
    }
}
