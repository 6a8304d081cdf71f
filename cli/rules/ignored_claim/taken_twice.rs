//! What is good for one time, read and then taken away by a step of its own that may find nothing.

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, Usage};
use crate::operations::{FunctionOps, may_follow, meets};
use crate::rules::scene::{has_any, here, is_success, step, violation};
use crate::rules::{Facts, Sink};
use crate::sql::{Kind, Statement};

pub(super) fn check(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, removal) in function.writes().filter(|(_, write)| write.usage != Usage::Used && write.via.len() <= 1) {
        let is_removal = |statement: &&Statement| statement.kind == Kind::Delete && statement.returning.is_empty();
        let Some(deleted) = function.statements(at).iter().find(is_removal) else {
            continue;
        };
        let read = function.events().find(|(before, read)| {
            let same = |asked: &Statement| {
                asked.table == deleted.table
                    && asked.row() == deleted.row()
                    && !asked.row().is_empty()
                    && !asked.for_update
            };
            *before < at
                && read.via.len() <= 1
                && function.is_read(*before)
                && same_row(read, removal)
                && meets(read, removal)
                && may_follow(&function.facts, *before, at)
                && function.statements(*before).iter().any(same)
        });
        let (Some((_, read)), Some(table)) = (read, deleted.table.as_deref()) else {
            continue;
        };
        if !is_for_one_time(facts, function, table) || !goes_on(function, at) {
            continue;
        }
        let message = format!(
            "what is good for one time is read from `{table}` and taken away by a step of its own, and nobody looks whether that \
             found it: two runs at once both get it"
        );
        let help = "take it away first (`DELETE .. RETURNING ..`) and go on only with what came back, or look at the number of \
                    affected rows";
        let mut steps = step(read, "it is read here");
        steps.extend(step(removal, "and taken away here, whether it was there or not"));
        let together = function.transaction(at).is_some();
        let confidence = if together { Confidence::Possible } else { Confidence::Likely };
        sink.report(violation(facts, function, RULE.name, confidence, here(removal), (message, help), steps));
    }
}

/// Whether two statements are asked for one row: by the same values.
fn same_row(read: &EventFact, removal: &EventFact) -> bool {
    let (EventFactKind::Sql { binds: asked, .. }, EventFactKind::Sql { binds: deleted, .. }) =
        (&read.kind, &removal.kind)
    else {
        return false;
    };
    asked.len() == deleted.len() && asked.iter().zip(deleted).all(|(a, b)| a.origins == b.origins)
}

/// Whether a table or a function is called as what is used up by its first use.
fn is_for_one_time(facts: &Facts<'_>, function: &FunctionOps, table: &str) -> bool {
    let words = &facts.catalog.words.single_use_names;
    has_any(table, words) || has_any(facts.program.function(function.facts.function).ir.name.as_str(), words)
}

/// Whether the function answers with something, or acts, after an event.
fn goes_on(function: &FunctionOps, at: usize) -> bool {
    function.events().any(|(later, event)| {
        let answers = match &event.kind {
            EventFactKind::Return { value, .. } => {
                is_success(event) && event.via.is_empty() && !value.origins.is_empty()
            }
            EventFactKind::Dispatch { .. } => true,
            _ => function.is_write(later),
        };
        later > at && answers && may_follow(&function.facts, at, later)
    })
}
