//! Walking the expressions of a body.

use crate::ir::{BlockKind, Body, ExprId, ExprKind, LocalId, Loop, LoopKind, MapKey, PatId, PatKind, Statement};

/// Parts of one pattern that are looked at.
const MAX_PATTERN: usize = 64;
/// Copies of one another that are looked through.
const MAX_COPIES: usize = 8;

/// The expression around another one.
pub(crate) fn parent(parents: &[Option<ExprId>], of: ExprId) -> Option<ExprId> {
    parents.get(of.0 as usize).copied().flatten()
}

/// What an expression stands for: of a local what it was bound to.
pub(crate) fn stands_for(body: &Body, id: ExprId) -> ExprId {
    match body.expr(id).kind {
        ExprKind::Local(local) => body.bound(local).unwrap_or(id),
        _ => id,
    }
}

/// What an expression is a copy or another name of, where that is written out.
pub(crate) fn original(body: &Body, mut at: ExprId) -> ExprId {
    for _ in 0..MAX_COPIES {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call)
                if call.args.is_empty() && matches!(call.name.as_str(), "clone" | "to_owned" | "into") =>
            {
                call.receiver
            }
            ExprKind::Local(local) => match body.bound(*local) {
                Some(value) => value,
                None => break,
            },
            _ => break,
        };
    }
    at
}

/// What a loop without an iterable of its own takes one thing out of in each round, until nothing is left:
/// `while let Some(x) = open.next()`, `loop { let Some(x) = open.pop() else { break }; … }`.
pub(crate) fn taken_from(body: &Body, repeat: &Loop) -> Option<ExprId> {
    let asked = match repeat.kind {
        LoopKind::While(condition) => match body.expr(condition).kind {
            ExprKind::Let { value, .. } => value,
            _ => return None,
        },
        LoopKind::Loop => match &body.expr(repeat.body).kind {
            ExprKind::Block(block) => match block.statements.first() {
                Some(Statement::Let { value: Some(value), otherwise: Some(_), .. }) => *value,
                _ => return None,
            },
            _ => return None,
        },
        LoopKind::For { .. } => return None,
    };
    match &body.expr(asked).kind {
        ExprKind::MethodCall(call) => {
            let takes = matches!(call.name.as_str(), "next" | "next_back" | "pop" | "pop_back" | "pop_front");
            takes.then_some(call.receiver)
        }
        _ => None,
    }
}

/// The direct sub-expressions of an expression, in source order.
pub(crate) fn children(body: &Body, id: ExprId) -> Vec<ExprId> {
    let mut out = Vec::new();
    match &body.expr(id).kind {
        ExprKind::Literal(_)
        | ExprKind::Local(_)
        | ExprKind::Path(_)
        | ExprKind::Continue { .. }
        | ExprKind::Opaque(_) => {}
        ExprKind::Call { callee, args } => {
            out.push(*callee);
            out.extend(args);
        }
        ExprKind::MethodCall(call) => {
            out.push(call.receiver);
            out.extend(&call.args);
        }
        ExprKind::Field { base, .. } => out.push(*base),
        ExprKind::Index { base, index } => out.extend([*base, *index]),
        ExprKind::Struct(literal) => {
            out.extend(literal.fields.iter().map(|field| field.1));
            out.extend(literal.rest);
        }
        ExprKind::Map(entries) => {
            for (key, value) in entries {
                if let MapKey::Value(key) = key {
                    out.push(*key);
                }
                out.push(*value);
            }
        }
        ExprKind::Tuple(items) | ExprKind::Array(items) => out.extend(items),
        ExprKind::Repeat { value, count } => out.extend([*value, *count]),
        ExprKind::Block(block) => {
            for statement in &block.statements {
                match statement {
                    Statement::Let { value, otherwise, .. } => {
                        out.extend(*value);
                        out.extend(*otherwise);
                    }
                    Statement::Expr(id) => out.push(*id),
                }
            }
            out.extend(block.tail);
        }
        ExprKind::If { condition, then, otherwise } => {
            out.extend([*condition, *then]);
            out.extend(*otherwise);
        }
        ExprKind::Let { value, .. } => out.push(*value),
        ExprKind::Match { value, arms } => {
            out.push(*value);
            for arm in arms {
                out.extend(arm.guard);
                out.push(arm.body);
            }
        }
        ExprKind::Loop(repeat) => {
            match repeat.kind {
                LoopKind::Loop => {}
                LoopKind::While(condition) => out.push(condition),
                LoopKind::For { iterable, .. } => out.push(iterable),
            }
            out.push(repeat.body);
        }
        ExprKind::Closure(closure) => out.push(closure.body),
        ExprKind::Await(inner)
        | ExprKind::Try(inner)
        | ExprKind::Deref(inner)
        | ExprKind::Not(inner)
        | ExprKind::Neg(inner) => out.push(*inner),
        ExprKind::Binary { left, right, .. } => out.extend([*left, *right]),
        ExprKind::Assign { target, value } | ExprKind::AssignOp { target, value, .. } => out.extend([*target, *value]),
        ExprKind::Cast { value, .. } => out.push(*value),
        ExprKind::Range { start, end } => {
            out.extend(*start);
            out.extend(*end);
        }
        ExprKind::Return(value) | ExprKind::Break { value, .. } => out.extend(*value),
        ExprKind::Format(call) => {
            out.extend(&call.before);
            out.extend(&call.values);
        }
        ExprKind::Concurrent(all) => {
            for branch in &all.branches {
                out.push(branch.future);
                out.extend(branch.guard);
                out.extend(branch.handler);
            }
        }
        ExprKind::Macro(call) => out.extend(&call.args),
    }
    out
}

/// All expressions below `id`, itself included, in source order; `enter` decides whether to go below an expression.
pub(crate) fn visit(body: &Body, id: ExprId, enter: &mut dyn FnMut(ExprId) -> bool) {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if enter(id) {
            let mut inner = children(body, id);
            inner.reverse();
            stack.extend(inner);
        }
    }
}

/// Whether something holds of an expression below `id`, itself included.
pub(crate) fn any(body: &Body, id: ExprId, holds: &dyn Fn(ExprId) -> bool) -> bool {
    let mut found = false;
    visit(body, id, &mut |at| {
        found = found || holds(at);
        !found
    });
    found
}

/// Whether one of these locals is mentioned below an expression.
pub(crate) fn mentions(body: &Body, id: ExprId, locals: &[LocalId]) -> bool {
    any(body, id, &|at| matches!(&body.expr(at).kind, ExprKind::Local(local) if locals.contains(local)))
}

/// The local of which an expression is a copy, over so many calls that take nothing: `key.clone()`, `name.as_str()`.
pub(crate) fn copied(body: &Body, mut id: ExprId, calls: usize) -> Option<LocalId> {
    for _ in 0..calls {
        id = match &body.expr(id).kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
            ExprKind::Deref(inner) => *inner,
            _ => return None,
        };
    }
    None
}

/// Whether what an expression holds runs elsewhere or later: a closure or an async block.
pub(crate) fn is_deferred(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Closure(_) => true,
        ExprKind::Block(block) => block.kind == BlockKind::Async,
        _ => false,
    }
}

/// The locals that a pattern binds.
pub(crate) fn bound_by(body: &Body, pat: PatId, locals: &mut Vec<LocalId>) {
    let mut work = vec![pat];
    for _ in 0..MAX_PATTERN {
        let Some(pat) = work.pop() else {
            return;
        };
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner } => {
                locals.push(*local);
                work.extend(*inner);
            }
            PatKind::TupleStruct { elements, .. } | PatKind::Tuple(elements) => work.extend(elements),
            PatKind::Struct { fields, .. } => work.extend(fields.iter().map(|(_, pat)| *pat)),
            _ => {}
        }
    }
}

/// The call whose future a closure gives to whoever runs it: as it is, or pinned.
pub(crate) fn given_future(body: &Body, closure: ExprId) -> Option<ExprId> {
    let mut at = closure;
    for _ in 0..4 {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) => match (call.name.as_str(), &call.args[..]) {
                ("boxed" | "boxed_local", []) => call.receiver,
                _ => return Some(at),
            },
            ExprKind::Block(block) if block.kind == BlockKind::Plain => block.tail?,
            ExprKind::Call { callee, args } if args.len() == 1 => match &body.expr(*callee).kind {
                ExprKind::Path(path) if path.segments.last().is_some_and(|last| last.name == "pin") => args[0],
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}
