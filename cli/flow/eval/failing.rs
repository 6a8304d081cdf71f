//! Errors that come after a dispatch: only those leave its outcome open to whoever gets the error.
//!
//! A function that checks first, acts, and then ends well whatever came of it fails only where nothing has happened. An error
//! of it says nothing of the dispatch below it.

use super::super::MAX_ACTED;
use super::super::scope::{failed_in, failing};
use super::Eval;
use crate::ir::{ExprId, ExprKind, LoopKind};
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

    /// A dispatch below a call of a function that ends well whenever it has acted.
    pub(crate) fn ends_well(&mut self, call: ExprId, at: Span, site: Span) {
        if self.ending_well.len() < MAX_ACTED && !self.ending_well.contains(&(call, at, site)) {
            self.ending_well.push((call, at, site));
        }
    }

    /// In a branch for the error of such a call nothing has happened below it: whoever calls it once more does so for the
    /// first time. Of a dispatch that something else here may have made, the error says nothing.
    pub(super) fn not_begun(&mut self, (id, arm): (ExprId, u32)) {
        if self.ending_well.is_empty() {
            return;
        }
        let body = self.body;
        let call = match &body.expr(id).kind {
            ExprKind::If { condition, .. } if arm == 0 => failing(body, *condition),
            ExprKind::Match { value, arms } => arms.get(arm as usize).and_then(|arm| failed_in(body, *value, arm)),
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::While(condition) => failing(body, condition),
                _ => None,
            },
            _ => None,
        };
        let Some(call) = call else {
            return;
        };
        let elsewhere = |at: Span, site: Span| {
            self.uses.values().any(|known| known.site == site && known.calls.first() != Some(&at))
        };
        let below = self.ending_well.iter().filter(|(by, at, site)| *by == call && !elsewhere(*at, *site));
        let not_begun: Vec<Span> = below.map(|(.., site)| *site).collect();
        not_begun.into_iter().for_each(|site| self.out_of_doubt(site));
    }
}
