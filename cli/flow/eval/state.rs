//! What is known at one point of a function, and what is known where two of its ways meet.

use super::super::value::Value;
use crate::ir::Name;
use crate::source::Span;

/// What is known at one point of the function.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) locals: Vec<Value>,
    pub(crate) reachable: bool,
    /// dispatches that may have acted, as far as what was asked of their answers tells
    pub(crate) in_doubt: Vec<Span>,
    /// dispatches that have acted, if they did
    pub(super) acted: Vec<Span>,
    /// dispatches that have run in this round of the loop around, or in this function
    pub(super) ran: Vec<Span>,
    /// those of which a success may have been heard
    pub(super) fine: Vec<Span>,
    /// dispatches that were handed over to be sent, and of which nobody has waited for the target's own answer
    pub(super) handed_over: Vec<Span>,
    /// the word for what was last set on the answer that the function is handed to fill in
    pub(super) answered: Option<Name>,
}

impl State {
    /// Where a function begins.
    pub(super) fn at_start(locals: usize) -> State {
        State {
            locals: vec![Value::bottom(); locals],
            reachable: true,
            in_doubt: Vec::new(),
            acted: Vec::new(),
            ran: Vec::new(),
            fine: Vec::new(),
            handed_over: Vec::new(),
            answered: None,
        }
    }

    /// A dispatch may have acted from here on.
    pub(crate) fn doubt(&mut self, site: Span) {
        add_new(&mut self.in_doubt, &[site]);
    }

    pub(super) fn join(&mut self, other: &State) {
        if !other.reachable {
            return;
        }
        if !self.reachable {
            *self = other.clone();
            return;
        }
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *mine = mine.join(theirs);
        }
        add_new(&mut self.in_doubt, &other.in_doubt);
        add_new(&mut self.acted, &other.acted);
        add_new(&mut self.ran, &other.ran);
        add_new(&mut self.fine, &other.fine);
        // Where one of two ways has waited for the answer, it may be that one which was lost.
        self.handed_over.retain(|site| other.handed_over.contains(site));
        self.answered = either_answer(self.answered, other.answered);
    }
}

/// Adds the places that are not there yet.
pub(super) fn add_new(known: &mut Vec<Span>, others: &[Span]) {
    for site in others {
        if !known.contains(site) {
            known.push(*site);
        }
    }
}

/// What is known of an answer behind two ways: that it may not be a good one, else what both say.
fn either_answer(one: Option<Name>, other: Option<Name>) -> Option<Name> {
    let bad = [one, other].into_iter().flatten().filter(|word| word.as_str() != "confirmed");
    bad.min_by_key(|word| word.as_str()).or_else(|| one.filter(|_| one == other))
}
