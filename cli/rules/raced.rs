//! Checks and changes of one row: whether two runs at once both find the old state and both go on.

use super::Facts;
use super::scene::{has_any, is_status};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role};
use crate::operations::TableRole;
use crate::source::Span;
use crate::sql::{Conflict, Kind, Set, Statement};

/// Whether a statement changes a row that is there.
pub(super) fn overwrites(statement: &Statement) -> bool {
    statement.kind == Kind::Update || statement.conflict == Conflict::Update
}

/// Whether a row is put in that was asked for before. It is in the state in which those are that were asked for.
fn puts_in(facts: &Facts<'_>, statement: &Statement, checked: &Statement) -> bool {
    let tells = |column: &str| !is_status(facts, statement.table.as_deref(), column);
    let mut asked = checked.conditions.iter().filter(|asked| asked.equal && tells(&asked.column)).peekable();
    asked.peek().is_some() && asked.all(|asked| statement.set.iter().any(|set| set.column == asked.column))
}

/// Whether a row is put in that says that what was asked for is done. It is left as it is where another run has put it in, and
/// nothing fails; or the second one is refused, once what stands in front of it is done.
pub(super) fn is_mark(
    facts: &Facts<'_>,
    statement: &Statement,
    checked: &Statement,
    both: (&EventFact, &EventFact),
) -> bool {
    statement.kind == Kind::Insert
        && statement.table == checked.table
        && (puts_in(facts, statement, checked) || puts_in_key(statement, checked, both))
}

/// Whether a row is put in that was asked for by its key, whatever column that is: what was asked by is what one column is
/// given, and of what the statement leaves in place none is of another column.
fn puts_in_key(statement: &Statement, checked: &Statement, (read, write): (&EventFact, &EventFact)) -> bool {
    let (EventFactKind::Sql { binds: by, .. }, EventFactKind::Sql { binds, .. }) = (&read.kind, &write.kind) else {
        return false;
    };
    let Some(key) = id_alone(checked).and_then(|number| by.get(number)) else {
        return false;
    };
    let says = |of: &OriginKind| matches!(of, OriginKind::Input(_) | OriginKind::Stored);
    let target = |column: &String| statement.conflict_target.is_empty() || statement.conflict_target.contains(column);
    key.origins.iter().any(says)
        && !statement.set.iter().any(|set| set.column == "id")
        && statement.set.iter().any(|set| match set.value {
            Set::Placeholder(number) => {
                target(&set.column) && binds.get(number).is_some_and(|given| given.origins == key.origins)
            }
            _ => false,
        })
}

/// Whether a write says "done" to what was checked, and lets a second run do the same.
pub(super) fn races(
    facts: &Facts<'_>,
    statement: &Statement,
    checked: &Statement,
    (read, write): (&EventFact, &EventFact),
) -> bool {
    if statement.table != checked.table {
        return false;
    }
    let Some(table) = statement.table.as_deref() else {
        return false;
    };
    // Of a whole row it is what one looks at.
    let all = checked.columns.iter().any(|column| column == "*");
    let looked_at =
        |column: &String| all && read.turns.iter().any(|turn| turn.field.is_some_and(|of| of == column.as_str()));
    let is_read = |column: &String| checked.columns.contains(column) || looked_at(column);
    match statement.kind {
        Kind::Insert if overwrites(statement) => {
            // The row that was asked for rather than one of several, and nothing of what was read is a condition of the change.
            let by: Vec<&str> = checked.row();
            let target = &statement.conflict_target;
            let same = by.len() == target.len() && by.iter().all(|column| target.iter().any(|of| of == column));
            let changed = statement.conflict_set.iter().any(|set| is_read(&set.column));
            same && !by.is_empty() && changed && statement.conditions.is_empty()
        }
        Kind::Insert => {
            let mut columns: Vec<String> = statement.set.iter().map(|set| set.column.clone()).collect();
            // Each row has an id of its own: a second one under the id that was asked for fails, and one under another id is
            // not kept out by it.
            let by_id = checked.conditions.iter().any(|asked| asked.equal && asked.column == "id");
            columns.retain(|column| column != "id");
            !by_id
                && puts_in(facts, statement, checked)
                && statement.conflict == Conflict::Fail
                && !facts.operations.tables.is_unique(table, &columns)
        }
        Kind::Update => {
            // The same row, and nothing of what was read is a condition of the change.
            let changed =
                statement.set.iter().any(|set| is_read(&set.column) && !is_prolonged(facts, table, &set.column));
            let same = statement.row() == checked.row() || is_by_its_id(statement, (read, write));
            changed && same && !checked.row().is_empty()
        }
        _ => false,
    }
}

/// Whether a column says until when something holds that is no lease: whoever finds it still open and sets it anew says
/// nothing of what was done, and keeps no other run out.
fn is_prolonged(facts: &Facts<'_>, table: &str, column: &str) -> bool {
    has_any(column, &facts.catalog.words.deadline_words) && !facts.operations.tables.is(table, TableRole::Lease)
}

/// Whether a change puts something into a row that a read has found missing there, and does not ask for that again: of two runs
/// that find it missing the second one writes over what the first one has put in, and both go on as if it was theirs.
pub(super) fn fills(statement: &Statement, checked: &Statement, write: &EventFact) -> bool {
    let EventFactKind::Sql { binds, .. } = &write.kind else {
        return false;
    };
    let missing = |column: &str| {
        let mut asked = checked.conditions.iter().filter(|asked| asked.column == column && asked.of.is_none());
        asked.any(|asked| asked.equal && asked.against == Set::Null)
    };
    // When it was filled, or that it was, is the same for both.
    let own = |origin: &OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Opaque(_));
    let given = |value: &Set| match value {
        Set::Placeholder(number) => binds.get(*number).is_some_and(|given| given.origins.iter().any(own)),
        _ => false,
    };
    let (row, asked) = (statement.row(), checked.row());
    statement.kind == Kind::Update
        && statement.table == checked.table
        && !row.is_empty()
        && row.len() == statement.conditions.len()
        && row.iter().all(|column| asked.contains(column) && !missing(column))
        && statement.set.iter().any(|set| missing(&set.column) && given(&set.value))
}

/// Whether a change asks for nothing but the id of the one row that was read: a field of what was found by what it was found by.
fn is_by_its_id(statement: &Statement, (read, write): (&EventFact, &EventFact)) -> bool {
    let (EventFactKind::Sql { binds: by, .. }, EventFactKind::Sql { binds, .. }) = (&read.kind, &write.kind) else {
        return false;
    };
    let Some(given) = id_alone(statement).and_then(|number| binds.get(number)) else {
        return false;
    };
    let each = |(_, role): &&(Span, Role)| matches!(role, Role::Each { .. });
    let one = write.regions.iter().filter(each).all(|region| read.regions.contains(region));
    let found_by = |name: &str| {
        by.iter().flat_map(|bind| &bind.origins).any(|of| matches!(of, OriginKind::Input(of) if of.as_str() == name))
    };
    let own = |of: &OriginKind| matches!(of, OriginKind::Input(path) if path.as_str().strip_suffix(".id").is_some_and(found_by));
    one && !given.origins.is_empty() && given.origins.iter().all(own)
}

/// The number of the value that a statement asks for by `id`, where it asks for nothing else.
fn id_alone(statement: &Statement) -> Option<usize> {
    match &statement.conditions[..] {
        [asked] if asked.equal && asked.column == "id" => match asked.against {
            Set::Placeholder(number) => Some(number),
            _ => None,
        },
        _ => None,
    }
}
