//! Rows beside a change that look like marks of it, and tell no repeat.

use crate::flow::{EventFactKind, OriginKind, Usage};
use crate::operations::FunctionOps;
use crate::sql::{Assignment, Conflict, Kind, Set, Statement};

/// Whether a column is given a value that is made for this row alone.
pub(super) fn is_made_anew(function: &FunctionOps, at: usize, set: &Assignment) -> bool {
    let (EventFactKind::Sql { binds, .. }, Set::Placeholder(number)) = (&function.event(at).kind, &set.value) else {
        return false;
    };
    let fresh = |origin: &OriginKind| matches!(origin, OriginKind::Fresh(_));
    binds.get(*number).is_some_and(|bound| bound.origins.iter().any(fresh))
}

/// Whether a row that may be there already is passed over in silence, and nobody looks whether it was.
pub(super) fn is_overlooked(function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    let unheard = event.usage != Usage::Used || event.unread.is_some();
    let passes = |statement: &Statement| {
        statement.kind == Kind::Insert && statement.conflict == Conflict::Nothing && statement.returning.is_empty()
    };
    unheard && !function.statements(at).is_empty() && function.statements(at).iter().all(passes)
}
