//! States and rows that leave it open what came of a dispatch, or close it on purpose: no failure is decided by them.

use super::Facts;
use super::scene::{has_any, has_known_key};
use crate::flow::{EventFact, StateIndex, state_word};
use crate::ir::Variant;
use crate::operations::FunctionOps;
use crate::source::Span;
use crate::sql::Kind;

/// Whether a state says that something is asked for again, which happens under the same key.
pub(super) fn is_due(facts: &Facts<'_>, state: &str, dispatch: &EventFact) -> bool {
    let word = state_word(state.rsplit("::").next().unwrap_or(state));
    has_known_key(dispatch) && facts.catalog.words.due_states.contains(&word)
}

/// Whether a variant says of an answer that it is still to come, in an enum that has no other word for that.
pub(super) fn is_open_answer(facts: &Facts<'_>, variant: &str) -> bool {
    let (of, name) = variant.rsplit_once("::").unwrap_or(("", variant));
    if !has_any(&state_word(name), &facts.catalog.words.waiting_states) {
        return false;
    }
    let words = StateIndex::new(facts.catalog);
    let in_doubt = |variant: &Variant| words.of_variant(variant.name.as_str()) == Some("unknown");
    !facts.program.find_type(of).is_some_and(|id| facts.program.type_(id).ir.variants.iter().any(in_doubt))
}

/// Whether a row is taken off beside an arm on which it is put back for later: it was tried as often as it was to be.
pub(super) fn is_given_up(function: &FunctionOps, at: usize, dispatch: &EventFact) -> bool {
    let tables = function.changed_tables(at);
    let asks = |branch: Span| {
        let mut conditions = function.facts.conditions.iter();
        conditions.any(|known| known.branch.0 == branch && known.about.contains(&dispatch.span))
    };
    let mut around = function.event(at).branches.iter().filter(|(branch, _)| !asks(*branch));
    around.any(|(branch, arm)| {
        function.writes().any(|(other, write)| {
            write.branches.iter().any(|(beside, taken)| beside == branch && taken != arm)
                && function.statements(other).iter().any(|statement| statement.kind == Kind::Update)
                && function.changed_tables(other) == tables
        })
    })
}
