//! Errors that come after a dispatch: only those leave its outcome open to whoever gets the error.
//!
//! A function that checks first, acts, and then ends well whatever came of it fails only where nothing has happened. An error
//! of it says nothing of the dispatch below it.

use super::super::MAX_ACTED;
use super::Eval;
use crate::ir::ExprId;
use crate::source::Span;

impl Eval<'_, '_> {
    /// A dispatch acts. What its own call answers may be its error, unless that call ends well whenever it has acted.
    pub(crate) fn acted(&mut self, site: Span, answers: bool) {
        match answers {
            true => self.add_acted(site),
            false => self.acting.push(site),
        }
    }

    fn add_acted(&mut self, site: Span) {
        if self.state.acted.len() < MAX_ACTED && !self.state.acted.contains(&site) {
            self.state.acted.push(site);
        }
    }

    /// Whatever fails from here on fails after all that was called before.
    pub(crate) fn goes_on(&mut self) {
        for site in std::mem::take(&mut self.acting) {
            self.add_acted(site);
        }
    }

    /// The function may fail here.
    pub(crate) fn may_fail(&mut self) {
        self.failing.extend(self.state.acted.iter().copied());
    }

    /// The function ends with `given`: with an error, unless that is a success in so many words.
    pub(super) fn may_end_with_error(&mut self, given: ExprId) {
        if !self.is_success(given) {
            self.goes_on();
            self.may_fail();
        }
    }
}
