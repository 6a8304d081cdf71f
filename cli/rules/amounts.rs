//! What a number that is changed counts: an amount that matters, or runs and versions.

use super::Facts;
use super::scene::has_any;
use crate::flow::{EventFact, EventFactKind, OriginKind, state_word};
use crate::operations::{FunctionOps, TableRole};

/// Whether a column counts attempts or changes, by its name.
pub(super) fn counts_runs(facts: &Facts<'_>, column: &str) -> bool {
    has_any(column, &facts.catalog.words.attempt_names) || matches!(column, "version" | "revision")
}

/// Whether a column holds the application's own state, by what is declared of its table; a counter of attempts counts them.
pub(super) fn is_state(facts: &Facts<'_>, function: &FunctionOps, at: usize, column: Option<&str>) -> bool {
    let declared = |table: &&str| facts.operations.tables.role(table) == Some((TableRole::State, true));
    let counts = column.is_some_and(|column| counts_runs(facts, column));
    function.changed_tables(at).iter().any(declared) && !counts
}

/// Whether the difference is a part of what was handed over that goes by the name of the column: the command says how much.
pub(super) fn is_given(facts: &Facts<'_>, change: &EventFact, column: &str) -> bool {
    let own = facts.operations.function(change.function);
    let event = own.and_then(|own| own.events().find(|(_, event)| event.span == change.span && event.via.is_empty()));
    let named = |origin: &OriginKind| match origin {
        OriginKind::Input(path) => path.as_str().rsplit_once('.').is_some_and(|(_, last)| last == column),
        _ => false,
    };
    event.is_some_and(|(_, event)| match &event.kind {
        EventFactKind::Sql { binds, .. } => binds.iter().any(|bind| bind.origins.iter().any(named)),
        _ => false,
    })
}

/// Whether what a store counts up is an amount that matters, by what the place is called: a number under `credits:17`. One of
/// which nothing is written out may be any.
pub(super) fn counts_quantity(facts: &Facts<'_>, change: &EventFact) -> bool {
    let EventFactKind::Store { args, .. } = &change.kind else {
        return true;
    };
    let parts = |text: &str| {
        let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let words = words.filter(|word| word.starts_with(char::is_alphabetic));
        words.map(state_word).collect::<Vec<_>>()
    };
    let mut names = args.iter().flat_map(|arg| arg.texts()).flat_map(parts).peekable();
    names.peek().is_none() || names.any(|name| has_any(&name, &facts.catalog.words.quantity_columns))
}
