//! Functions that run in a task of their own, of whose error nobody hears more than a line in a log.
//!
//! In: the program, a function. Out: whether one of its callers starts it, or an async block around it, as a task and takes
//! its error for an end: asked about few functions, since all bodies are looked through for callers.

use crate::ir::{BlockKind, Body, ExprId, ExprKind, PatKind, Statement};
use crate::resolve::{FnId, Program};

use super::events::parents;
use super::scope::{function_named, has_word};
use super::walk::{self, children};

/// Expressions of an arm that are looked at.
const MAX_ARM: usize = 64;

/// Whether a task makes one of these calls of a function and does nothing with its error but tell of it.
pub(crate) fn ends_unheard(program: &Program, calls: &[(FnId, ExprId)]) -> bool {
    let unheard = |(from, at): &(FnId, ExprId)| {
        let Some(body) = program.function(*from).ir.body.as_deref() else {
            return false;
        };
        let parents = parents(body);
        let up = |id: ExprId| walk::parent(&parents, id);
        let awaited = up(*at).filter(|above| matches!(body.expr(*above).kind, ExprKind::Await(_)));
        match awaited {
            Some(awaited) => up(awaited).is_some_and(|above| {
                tells_alone(body, above, awaited)
                    && std::iter::successors(Some(above), |&at| up(at)).any(|at| {
                        let run =
                            matches!(&body.expr(at).kind, ExprKind::Block(block) if block.kind == BlockKind::Async);
                        run && up(at).is_some_and(|around| starts(body, around))
                    })
            }),
            None => up(*at).is_some_and(|around| {
                starts(body, around) && up(around).is_some_and(|above| drops(body, above, around))
            }),
        }
    };
    calls.iter().any(unheard)
}

/// Whether an expression starts a task.
fn starts(body: &Body, id: ExprId) -> bool {
    let name = match &body.expr(id).kind {
        ExprKind::MethodCall(call) => Some(call.name),
        ExprKind::Call { callee, .. } => function_named(body, *callee),
        _ => None,
    };
    name.is_some_and(|name| has_word(name.as_str(), "spawn"))
}

/// Whether all that an expression does with a result is to drop it, or to write a line about its error.
fn tells_alone(body: &Body, above: ExprId, given: ExprId) -> bool {
    match &body.expr(above).kind {
        ExprKind::Let { pat, value } if *value == given => {
            let error = matches!(&body.pat(*pat).kind, PatKind::TupleStruct { path, .. }
                if path.of_option_or_result() == Some("Err"));
            let holds = |at: u32| match &body.expr(ExprId(at)).kind {
                ExprKind::If { condition, then, otherwise } => {
                    *condition == above && otherwise.is_none() && only_tells(body, *then)
                }
                _ => false,
            };
            error && (0..body.exprs.len() as u32).any(holds)
        }
        ExprKind::Match { value, arms } => *value == given && arms.iter().all(|arm| only_tells(body, arm.body)),
        _ => drops(body, above, given),
    }
}

/// Whether a value is a statement of its own: `work().await;`, `let _ = spawn(work());`
fn drops(body: &Body, above: ExprId, given: ExprId) -> bool {
    let ExprKind::Block(block) = &body.expr(above).kind else {
        return false;
    };
    block.statements.iter().any(|statement| match statement {
        Statement::Expr(id) => *id == given,
        Statement::Let { pat, value, .. } => *value == Some(given) && matches!(body.pat(*pat).kind, PatKind::Wild),
    })
}

/// Whether an arm calls nothing but what writes a line somewhere.
pub(super) fn only_tells(body: &Body, arm: ExprId) -> bool {
    let mut work = vec![arm];
    let mut seen = 0;
    while let Some(id) = work.pop() {
        seen += 1;
        match &body.expr(id).kind {
            ExprKind::Format(_) => {}
            ExprKind::Call { .. } | ExprKind::MethodCall(_) | ExprKind::Assign { .. } | ExprKind::AssignOp { .. } => {
                return false;
            }
            _ => work.extend(children(body, id)),
        }
        if seen > MAX_ARM {
            return false;
        }
    }
    true
}
