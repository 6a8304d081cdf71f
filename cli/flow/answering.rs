//! Parts of a body that end a function though they are left on their own: an async block that is all that it waits for or
//! gives, and what goes on with the good answer of the last call, `sent.and_then(|_| checked)`. Whoever calls the function
//! gets their errors.

use super::{combinators, walk};
use crate::ir::{Block, BlockKind, Body, ExprId, ExprKind, LocalId, PatId, PatKind, Statement};

/// Calls between such a part and the end of the function, at most.
const MAX_ADAPTERS: usize = 24;

/// What of an async block or closure whoever calls the function around it hears.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Heard {
    /// all that it gives
    #[default]
    All,
    /// its errors, behind which the function ends: `run.await?`
    Errors,
    /// the function decides about it
    Nothing,
}

/// The expressions that a function's body ends with, one for each of its ways through branches.
pub(crate) fn tails(body: &Body) -> Vec<ExprId> {
    let mut out = Vec::new();
    let mut work = vec![body.root];
    while let Some(id) = work.pop() {
        match &body.expr(id).kind {
            ExprKind::Block(block) => match block.tail {
                Some(tail) => work.push(tail),
                None => out.push(id),
            },
            ExprKind::If { then, otherwise: Some(otherwise), .. } => work.extend([*then, *otherwise]),
            ExprKind::Match { arms, .. } => work.extend(arms.iter().map(|arm| arm.body)),
            _ => match given(body, id) {
                Given::Block(block) => work.push(block),
                Given::Next(closure) => {
                    out.push(id);
                    work.push(closure);
                }
                Given::Itself => out.push(id),
            },
        }
    }
    out
}

/// What gives the value of an expression.
enum Given {
    /// an async block
    Block(ExprId),
    /// where the call before it went well, the body of a closure
    Next(ExprId),
    Itself,
}

fn given(body: &Body, id: ExprId) -> Given {
    let mut at = id;
    for _ in 0..MAX_ADAPTERS {
        at = match &body.expr(at).kind {
            ExprKind::Await(inner) => *inner,
            ExprKind::MethodCall(call) if hands_on(call.name.as_str()) => call.receiver,
            ExprKind::MethodCall(call) if call.name.as_str() == "and_then" => {
                return match call.args.first().map(|&arg| &body.expr(arg).kind) {
                    Some(ExprKind::Closure(closure)) => Given::Next(closure.body),
                    _ => Given::Itself,
                };
            }
            ExprKind::Call { callee, args } if is_pin(body, *callee) => match args.first() {
                Some(&arg) => arg,
                None => return Given::Itself,
            },
            ExprKind::Block(block) if block.kind == BlockKind::Async => return Given::Block(at),
            ExprKind::Local(local) => match body.bound(*local).filter(|_| mentioned_once(body, *local) == Some(at)) {
                Some(made) if matches!(&body.expr(made).kind, ExprKind::Block(of) if of.kind == BlockKind::Async) => {
                    made
                }
                _ => return Given::Itself,
            },
            _ => return Given::Itself,
        };
    }
    Given::Itself
}

/// What of an async block or closure is heard outside the function around it.
pub(crate) fn heard(body: &Body, parents: &[Option<ExprId>], part: ExprId) -> Heard {
    let is_closure = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Closure(_));
    let (mut at, mut awaited) = (part, false);
    for _ in 0..MAX_ADAPTERS {
        let Some(parent) = walk::parent(parents, at) else {
            return if at == body.root && !is_closure(at) { Heard::All } else { Heard::Nothing };
        };
        let goes_on = match &body.expr(parent).kind {
            // What calls a closure hears what it gives, and only of one call is it known that this is handed on.
            ExprKind::MethodCall(call) if is_closure(at) => call.name.as_str() == "and_then" && *call.args == [at],
            _ if is_closure(at) => false,
            ExprKind::Try(_) => return Heard::Errors,
            ExprKind::Await(_) => {
                awaited = true;
                true
            }
            ExprKind::Closure(_) | ExprKind::Return(_) => true,
            ExprKind::MethodCall(call) if call.receiver == at => {
                hands_on(call.name.as_str()) || call.name.as_str() == "and_then"
            }
            ExprKind::Call { callee, .. } => is_pin(body, *callee),
            ExprKind::Block(block) => {
                if let Some(local) = kept(body, block, at) {
                    let Some(mentioned) = mentioned_once(body, local) else {
                        return Heard::Nothing;
                    };
                    // A future that is kept is over where it is awaited.
                    if awaited {
                        return kept_heard(body, block, mentioned);
                    }
                    at = mentioned;
                    continue;
                }
                block.tail == Some(at) || ends_with_return(body, block, at)
            }
            ExprKind::If { condition, .. } => *condition != at,
            ExprKind::Match { value, arms } if *value == at => {
                let gives_up = arms.iter().any(|arm| is_err(body, arm.pat) && fails(body, arm.body));
                return if gives_up { Heard::Errors } else { Heard::Nothing };
            }
            ExprKind::Match { .. } => true,
            ExprKind::Let { pat, value } => {
                let gives_up = *value == at && is_err(body, *pat) && gives_up_if(body, parents, parent);
                return if gives_up { Heard::Errors } else { Heard::Nothing };
            }
            _ => false,
        };
        if !goes_on {
            return Heard::Nothing;
        }
        at = parent;
    }
    Heard::Nothing
}

/// The local in which a block keeps a value as it is.
fn kept(body: &Body, block: &Block, value: ExprId) -> Option<LocalId> {
    block.statements.iter().find_map(|statement| match statement {
        Statement::Let { pat, value: Some(given), .. } if *given == value => match body.pat(*pat).kind {
            PatKind::Bind { local, inner: None } => Some(local),
            _ => None,
        },
        _ => None,
    })
}

/// Where a local is mentioned, if it is mentioned once.
fn mentioned_once(body: &Body, local: LocalId) -> Option<ExprId> {
    let ids = (0..body.exprs.len() as u32).map(ExprId);
    let mut mentions = ids.filter(|&id| matches!(body.expr(id).kind, ExprKind::Local(other) if other == local));
    mentions.next().filter(|_| mentions.next().is_none())
}

/// What is heard of a result that is kept, and mentioned in a statement of the same block: `result?`, or an arm for its
/// error that hands that on.
fn kept_heard(body: &Body, block: &Block, mentioned: ExprId) -> Heard {
    let looked_at = |id: ExprId| id == mentioned;
    let statement = |id: ExprId| match &body.expr(id).kind {
        ExprKind::Try(inner) => looked_at(without_adapters(body, *inner)),
        ExprKind::Match { value, arms } => {
            looked_at(*value) && arms.iter().any(|arm| is_err(body, arm.pat) && fails(body, arm.body))
        }
        ExprKind::If { condition, then, .. } => match body.expr(*condition).kind {
            ExprKind::Let { pat, value } => looked_at(value) && is_err(body, pat) && fails(body, *then),
            _ => false,
        },
        _ => false,
    };
    let mut stated = block.statements.iter().filter_map(|statement| match statement {
        Statement::Expr(id) => Some(*id),
        Statement::Let { value, .. } => *value,
    });
    match stated.any(statement) || block.tail.is_some_and(statement) {
        true => Heard::Errors,
        false => Heard::Nothing,
    }
}

fn without_adapters(body: &Body, id: ExprId) -> ExprId {
    let mut at = id;
    while let ExprKind::MethodCall(call) = &body.expr(at).kind {
        if !hands_on(call.name.as_str()) {
            break;
        }
        at = call.receiver;
    }
    at
}

/// Whether a pattern takes any error.
fn is_err(body: &Body, pat: PatId) -> bool {
    matches!(&body.pat(pat).kind, PatKind::TupleStruct { path, elements, .. }
        if path.of_option_or_result() == Some("Err")
            && elements.iter().all(|&inner| matches!(body.pat(inner).kind, PatKind::Bind { inner: None, .. } | PatKind::Wild)))
}

/// Whether the arm of `if let Err(..) = ..` hands an error on.
fn gives_up_if(body: &Body, parents: &[Option<ExprId>], condition: ExprId) -> bool {
    let around = walk::parent(parents, condition).map(|around| &body.expr(around).kind);
    matches!(around, Some(ExprKind::If { condition: asked, then, .. }) if *asked == condition && fails(body, *then))
}

/// Whether an arm leaves the function with an error at its end: `return Err(error)`.
fn fails(body: &Body, arm: ExprId) -> bool {
    match &body.expr(arm).kind {
        ExprKind::Return(Some(value)) => is_error(body, *value),
        ExprKind::Block(block) if block.kind == BlockKind::Plain => match (block.tail, block.statements.last()) {
            (Some(tail), _) => fails(body, tail),
            (None, Some(Statement::Expr(last))) => fails(body, *last),
            _ => false,
        },
        _ => false,
    }
}

fn is_error(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Call { callee, .. } => matches!(&body.expr(*callee).kind, ExprKind::Path(path)
            if path.of_option_or_result() == Some("Err")),
        _ => false,
    }
}

fn ends_with_return(body: &Body, block: &Block, at: ExprId) -> bool {
    let is_return = matches!(body.expr(at).kind, ExprKind::Return(_));
    is_return && block.statements.iter().any(|of| matches!(of, Statement::Expr(id) if *id == at))
}

/// Whether a method hands an answer on with its error.
fn hands_on(name: &str) -> bool {
    matches!(name, "boxed" | "boxed_local" | "in_current_span" | "instrument") || combinators::rewords(name)
}

fn is_pin(body: &Body, callee: ExprId) -> bool {
    matches!(&body.expr(callee).kind, ExprKind::Path(path)
        if path.segments.last().is_some_and(|last| last.name.as_str() == "pin"))
}
