//! What a number that is changed counts: an amount that matters, or runs and versions.

use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact, state_word};
use crate::operations::{FunctionOps, TableRole};
use crate::rules::Facts;
use crate::rules::scene::has_any;
use crate::sql::{Set, Statement};

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
    let named = |origin: &OriginKind| field(origin).is_some_and(|last| last == column);
    where_it_stands(facts, change).is_some_and(|event| binds(event).iter().any(|bind| bind.origins.iter().any(named)))
}

/// Whether the difference is a part of what was handed over and nothing else, by whatever name: each command says how much,
/// and no number of runs is counted.
pub(super) fn is_told(facts: &Facts<'_>, function: &FunctionOps, at: usize, column: &str) -> bool {
    let told = |bind: &ValueFact| !bind.origins.is_empty() && bind.origins.iter().all(|origin| field(origin).is_some());
    let by = |statement: &Statement| match statement.delta().map(|change| &change.value) {
        Some(&Set::Delta { by: Some(number), .. }) => binds(function.event(at)).get(number).is_some_and(told),
        _ => false,
    };
    !counts_runs(facts, column) && function.statements(at).iter().any(by)
}

/// A change as the function has it in which it stands.
fn where_it_stands<'a>(facts: &'a Facts<'_>, change: &EventFact) -> Option<&'a EventFact> {
    let own = facts.operations.function(change.function)?;
    own.events().find(|(_, event)| event.span == change.span && event.via.is_empty()).map(|(_, event)| event)
}

fn binds(event: &EventFact) -> &[ValueFact] {
    match &event.kind {
        EventFactKind::Sql { binds, .. } => binds,
        _ => &[],
    }
}

/// The last name of a part of something that was handed over.
fn field(origin: &OriginKind) -> Option<&str> {
    match origin {
        OriginKind::Input(path) => path.as_str().rsplit_once('.').map(|(_, last)| last),
        _ => None,
    }
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
