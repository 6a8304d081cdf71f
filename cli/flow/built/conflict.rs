//! What an insert does where the row is there.

use super::write::{Assigned, Build};
use super::{column_of, unroll};
use crate::ir::{Body, ExprId, ExprKind};

/// What a conflict is about: columns, or a whole clause of its own (`OnConflict::column(..).do_nothing()`).
pub(super) fn about(body: &Body, target: ExprId, build: &mut Build) {
    let mut steps = Vec::new();
    let Some(root) = unroll(body, target, &mut steps) else {
        return;
    };
    match &body.expr(root).kind {
        ExprKind::Tuple(columns) | ExprKind::Array(columns) => {
            build.conflict_target.extend(columns.iter().filter_map(|&column| column_of(body, column)));
        }
        ExprKind::Call { args, .. } => {
            let listed = args.iter().flat_map(|&arg| match &body.expr(arg).kind {
                ExprKind::Array(columns) => columns.to_vec(),
                _ => vec![arg],
            });
            build.conflict_target.extend(listed.filter_map(|column| column_of(body, column)));
        }
        _ => build.conflict_target.extend(column_of(body, root)),
    }
    for (name, _) in steps {
        build.conflict_nothing |= name.as_str().starts_with("do_nothing");
        build.conflict_update |= matches!(name.as_str(), "update_column" | "update_columns" | "values");
    }
}

/// What a row that is there is set to: `.do_update().set(stock.eq(stock + excluded(stock)))`. What would have been put in is
/// given by its column, and nothing else that is bound.
pub(super) fn changes(body: &Body, change: ExprId, build: &mut Build) {
    let mut apart = Build::default();
    super::changes(body, change, &mut apart, 0);
    build.conflict_set.extend(apart.set.into_iter().map(|(column, assigned)| {
        let assigned = match assigned {
            Assigned::Value(value) if is_excluded(body, value) => Assigned::PutIn,
            assigned => assigned,
        };
        (column, assigned)
    }));
}

/// `excluded(column)`
fn is_excluded(body: &Body, value: ExprId) -> bool {
    match &body.expr(value).kind {
        ExprKind::Call { callee, .. } => match &body.expr(*callee).kind {
            ExprKind::Path(path) => path.segments.last().is_some_and(|last| last.name.as_str() == "excluded"),
            _ => false,
        },
        _ => false,
    }
}
