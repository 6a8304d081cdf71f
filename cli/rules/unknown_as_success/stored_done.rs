//! Rows that say that something was done, whatever came of it.

use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, ValueFact, state_word};
use crate::operations::{FunctionOps, meets, outcomes_at, surely_before};
use crate::rules::Facts;
use crate::rules::scene::{sets_done, written};
use crate::sql::{Assignment, Kind, Statement};

/// Whether the write at a position says that a dispatch is done where that is not known: with its answer, or with nothing where
/// there is none, or by a word for what was sent.
pub(super) fn is_done(facts: &Facts<'_>, function: &FunctionOps, dispatched: usize, at: usize) -> bool {
    let (event, dispatch) = (function.event(at), function.event(dispatched));
    let done = |statement: &Statement| statement.set.iter().any(|set| sets_done(facts, event, statement, set));
    let sent = |statement: &Statement| {
        statement.kind == Kind::Update && statement.set.iter().any(|set| says_sent(facts, event, statement, set))
    };
    let whatever = || meets(dispatch, event) && surely_before(&function.facts, dispatched, at);
    let statements = function.statements(at);
    outcomes_at(&function.facts, event, dispatch.span).has(Outcomes::UNKNOWN)
        && (stores_or_nothing(event, dispatch) && statements.iter().any(done)
            || statements.iter().any(sent) && whatever())
}

/// Whether a statement stores the answer of a dispatch, or nothing where there is none.
pub(super) fn stores_or_nothing(event: &EventFact, dispatch: &EventFact) -> bool {
    let or_nothing =
        |bind: &ValueFact| bind.replies.contains(&dispatch.span) && bind.origins.contains(&OriginKind::Absent);
    matches!(&event.kind, EventFactKind::Sql { binds, .. } if binds.iter().any(or_nothing))
}

/// Whether a statement stores a word that is chosen by the answer of a dispatch, and not for what is done in any case.
pub(super) fn stores_chosen(facts: &Facts<'_>, event: &EventFact, dispatch: &EventFact) -> bool {
    let chosen = |bind: &ValueFact| {
        let words = || {
            bind.origins.iter().filter_map(|origin| match origin {
                OriginKind::Constant(Some(text)) => Some(text.as_str()),
                _ => None,
            })
        };
        let open = |word: &str| facts.operations.means(word) != Some("confirmed");
        bind.replies.contains(&dispatch.span) && words().count() > 1 && words().any(open)
    };
    matches!(&event.kind, EventFactKind::Sql { binds, .. } if binds.iter().any(chosen))
}

/// Whether a state is set that says of a message or task that it is out, rather than how something else stands: `sent`.
fn says_sent(facts: &Facts<'_>, event: &EventFact, statement: &Statement, set: &Assignment) -> bool {
    let words = &facts.catalog.words.marker_columns;
    match written(facts, event, statement, set).as_slice() {
        &[Some(text)] => words.contains(&state_word(text)),
        _ => false,
    }
}
