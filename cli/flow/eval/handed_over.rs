//! What a call only hands over to be sent: its error says that nothing was sent, and the target's own answer is another await away.

use super::super::RepeatScope;
use super::super::uses::Use;
use super::super::value::Value;
use super::super::{operation, outcome};
use super::Eval;
use crate::catalog::Dispatch;
use crate::ir::{ExprId, ExprKind};
use crate::source::Span;

impl Eval<'_, '_> {
    /// A dispatch was made: from here on it may have acted, unless it was only handed over.
    pub(crate) fn handed_out(&mut self, new: &Use) {
        match new.handed_over {
            true => self.state.hand_over(new.site),
            false => self.state.doubt(new.site),
        }
    }

    /// Something is awaited: what was handed over before by an await of its own may have acted.
    pub(super) fn waited(&mut self, id: ExprId, value: &Value) {
        if !self.uses.values().any(|known| known.handed_over) {
            return;
        }
        for site in outcome::replies(value).0 {
            let mut known = self.uses.values_mut().filter(|known| known.site == site && known.handed_over).peekable();
            let Some(row) = known.peek().map(|known| known.row) else {
                continue;
            };
            let rows = &self.engine.catalog.dispatches;
            let awaited = row.is_some_and(|row| rows[row as usize].answers_later);
            if awaited && *self.first_awaits.entry(site).or_insert(id) == id {
                continue;
            }
            known.for_each(|known| known.handed_over = false);
            self.state.ask_for(site);
        }
    }

    /// Whether a callback of the client is told what came of the dispatch that is looked at, and nobody who waits for it.
    pub(crate) fn is_called_back(&self, row: &Dispatch) -> bool {
        let args = match self.calling.map(|id| &self.body.expr(id).kind) {
            Some(ExprKind::MethodCall(call)) => &call.args,
            Some(ExprKind::Call { args, .. }) => args,
            _ => return false,
        };
        let waits = |made: &String| operation::is_among(self.body, args, made);
        !row.calls_back.is_empty() && !row.calls_back.iter().any(waits)
    }

    /// A combinator that runs its body again does not repeat what was not even handed over.
    pub(crate) fn handed_over_again(&mut self, scope: &RepeatScope) {
        let outer = self.repeating();
        let repeats = |known: &Use| known.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site);
        for known in self.uses.values_mut().filter(|known| known.handed_over && repeats(known)) {
            known.repeat = outer.clone();
        }
    }
}

impl super::State {
    fn hand_over(&mut self, site: Span) {
        self.in_doubt.retain(|other| *other != site);
        super::state::add_new(&mut self.handed_over, &[site]);
    }

    /// The target's own answer is waited for.
    fn ask_for(&mut self, site: Span) {
        self.handed_over.retain(|other| *other != site);
        self.doubt(site);
    }
}
