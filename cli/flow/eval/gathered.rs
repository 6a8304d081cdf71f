//! What gathers one element after the other: a hasher, a text, a list that a loop feeds.
//!
//! Behind the loop it holds what it held before and all elements. That there may have been none is no way of its own: of the
//! list nobody says so, and what is gathered from nothing is no other key.

use super::super::value::{Alt, Value};
use super::{Eval, State};

impl Eval<'_, '_> {
    /// Takes for full what has only grown from `before` to the end of a round over elements, `after`.
    pub(crate) fn gather(&mut self, before: &State, after: &State) {
        for (at, (old, new)) in before.locals.iter().zip(&after.locals).enumerate() {
            if has_grown(old, new) {
                self.state.locals[at] = new.clone();
            }
        }
    }
}

/// Whether on all ways something was put to what was there.
fn has_grown(old: &Value, new: &Value) -> bool {
    let in_it = |old: &Alt, new: &Alt| {
        let kept = old.atoms.iter().all(|atom| new.atoms.iter().any(|other| other.kind == atom.kind));
        kept && !old.atoms.is_empty() && old.atoms.len() < new.atoms.len()
    };
    !old.is_bottom() && !new.is_bottom() && new.alts.iter().all(|new| old.alts.iter().any(|old| in_it(old, new)))
}
