//! How long what a client sends may take: its own timeout, set where it is made.

use super::engine::Engine;
use super::eval::Eval;
use super::events::{Event, EventKind};
use super::outcome::MAX_ASKED;
use super::report::Writers;
use super::sources::Sources;
use super::value::{Kind, Shape, Value};
use crate::ir::{ExprId, ExprKind};
use crate::resolve::{FnId, Ty};

/// Nesting of clients and builders in which a timeout is looked for.
const MAX_SEARCH: usize = 6;

/// The timeout that is set on a client or request: the last one counts.
pub(super) fn set_on(value: &Value) -> Option<&Value> {
    within(value, 0)
}

fn within(value: &Value, depth: usize) -> Option<&Value> {
    if depth > MAX_SEARCH {
        return None;
    }
    value.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => {
            let own = builder.steps.iter().rev().find_map(|step| {
                let set = step.limits.and_then(|number| step.args.get(number as usize));
                set.or_else(|| step.args.iter().find_map(|arg| within(arg, depth + 1)))
            });
            own.or_else(|| within(&builder.root, depth + 1))
        }
        Shape::Record(record) => record.fields.values().find_map(|field| within(field, depth + 1)),
        _ => None,
    })
}

/// The limit of a dispatch whose client is a field of the object itself: what the workspace writes into that.
pub(super) fn of_fields(engine: &mut Engine<'_>, writers: &Writers, function: FnId, event: &Event) -> Option<Sources> {
    let EventKind::Dispatch { args, lasts, .. } = &event.kind else {
        return None;
    };
    let info = engine.program.function(function);
    let Ty::Adt(of, _) = info.self_ty else {
        return None;
    };
    let fields = args.iter().filter_map(|source| match source.kind() {
        Kind::Param(0, path) if info.ir.has_self && !path.is_empty() => Some(path),
        _ => None,
    });
    let own = *lasts != Sources::default();
    fields.filter(|_| !own).find_map(|path| {
        let client = writers.read(engine, of, path);
        set_on(&client).map(Sources::of)
    })
}

/// Whether an expression is the result of a timeout that was put around a future.
pub(crate) fn is_timed(eval: &Eval<'_, '_>, mut id: ExprId) -> bool {
    for _ in 0..MAX_ASKED {
        id = match &eval.body.expr(id).kind {
            ExprKind::Await(inner) => *inner,
            ExprKind::Local(local) => match eval.body.bound(*local) {
                Some(value) => value,
                None => return false,
            },
            ExprKind::Call { .. } | ExprKind::MethodCall(_) => {
                let rows = eval.engine.rows.of(eval.types.callee(id), false, &[], None);
                return rows.timeout.is_some_and(|row| !row.attaches);
            }
            _ => return false,
        };
    }
    false
}
