//! What is asked of an error that is known to be one, and what goes on beside the only sort of error that is looked at.

use super::super::outcome::{self, Left, Outcomes};
use super::super::walk;
use super::Eval;
use crate::ir::{ExprId, ExprKind, LocalId, PatId, PatKind};
use crate::source::Span;

/// Dispatches that a condition asks about, what is left of their outcomes where it holds and where not, and whether a word
/// says so.
type Asked = (Vec<Span>, Outcomes, Outcomes, bool);

impl Eval<'_, '_> {
    /// What comes to the arms of a match: of an error that an arm around it has taken, no good answer.
    pub(super) fn left_of(&self, given: ExprId, about: &[Span], bare: bool) -> Left {
        let left = Left::all(bare);
        if self.comes_as_error(given, about) { Left { ok: Outcomes::NONE, ..left } } else { left }
    }

    /// The branches that a condition makes.
    pub(super) fn of_condition(&self, condition: ExprId) -> Option<Asked> {
        let (about, yes, no, named) = outcome::of_condition(self, condition)?;
        if !self.comes_as_error(condition, &about) {
            return Some((about, yes, no, named));
        }
        let narrow = |left: Outcomes| if left.has(Outcomes::CONFIRMED) { left.without(Outcomes::DONE) } else { left };
        Some((about, narrow(yes), narrow(no), named))
    }

    /// Whether only errors of some dispatches come by here, and what is asked is one of them rather than another answer.
    fn comes_as_error(&self, asked: ExprId, about: &[Span]) -> bool {
        let another = |at| match self.body.expr(at).kind {
            ExprKind::Await(_) => true,
            ExprKind::Local(local) => self.body.bound(local).is_some(),
            _ => false,
        };
        let around = self.branch_marks();
        let innermost = |site: &Span| {
            let known = around.iter().rev().find_map(|branch| {
                let mut known = self.conditions.iter().filter(|known| known.branch == *branch);
                known.find(|known| known.about.contains(site))
            });
            known.is_some_and(|known| is_bad(known.outcomes))
        };
        !about.is_empty() && about.iter().all(innermost) && !walk::any(self.body, asked, &another)
    }

    /// The branch of `if let`: perhaps one for any error, or for one sort of them where all others go on with what was done.
    pub(super) fn taken_by_let(&mut self, id: ExprId, condition: ExprId) {
        let ExprKind::Let { pat, value } = self.body.expr(condition).kind else {
            return;
        };
        self.taken_by((id, 0), pat);
        if self.is_sort_of_error(pat) && self.is_asked_once(value) {
            let beside = (self.span_of(id), 1);
            self.conditions.iter_mut().filter(|known| known.branch == beside).for_each(|known| known.beside = true);
        }
    }

    fn is_sort_of_error(&self, pat: PatId) -> bool {
        let of_error = matches!(&self.body.pat(pat).kind, PatKind::TupleStruct { path, .. }
            if path.of_option_or_result() == Some("Err"));
        of_error && !outcome::takes_any_error(self, pat)
    }

    /// Whether nobody asks an answer again: it is awaited right here, or kept in a local that is mentioned nowhere else.
    fn is_asked_once(&self, given: ExprId) -> bool {
        match self.body.expr(given).kind {
            ExprKind::Await(_) => true,
            ExprKind::Local(local) => self.mentions(local) == 1,
            _ => false,
        }
    }

    fn mentions(&self, local: LocalId) -> usize {
        self.body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Local(at) if at == local)).count()
    }
}

/// Whether there is no good answer among some outcomes.
fn is_bad(outcomes: Outcomes) -> bool {
    outcomes.and(Outcomes::DONE).is_empty() && !outcomes.is_empty()
}
