//! A mark by which a check finds what was done before, and which stays although the effect failed: nobody does it again.

use crate::flow::EventFact;
use crate::operations::{FunctionOps, meets, surely_before};
use crate::rules::Facts;
use crate::rules::dedup_outside_transaction::decides;
use crate::rules::raced::is_mark;
use crate::rules::scene::NEAR;

/// The mark in front of a dispatch at a position, and what keeps it, where nothing takes it back.
pub(super) fn kept<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a EventFact> {
    let dispatch = function.event(at);
    let (mark_at, mark) = function.writes().find(|(mark_at, mark)| {
        mark.via.len() < NEAR
            && meets(mark, dispatch)
            && surely_before(&function.facts, *mark_at, at)
            && was_looked_for(facts, function, *mark_at)
    })?;
    let tables = function.changed_tables(mark_at);
    let taken_back = function.writes().any(|(later, _)| later > at && function.changed_tables(later) == tables);
    (!taken_back).then_some(mark)
}

/// Whether a write puts in the row whose absence led there.
fn was_looked_for(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let write = function.event(at);
    let mut reads = function.events().take(at).filter(|(read, _)| function.is_read(*read));
    reads.any(|(read_at, read)| {
        let both = (read, write);
        let asked = function.statements(read_at).iter();
        let marks = |asked| function.statements(at).iter().any(|mark| is_mark(facts, mark, asked, both));
        asked.into_iter().any(marks) && decides(function, read_at, at, false)
    })
}
