//! Handlers that are handed their answer to fill in, `response: &mut Response`: what was set there last is what a bare
//! `return` and the end of the body answer with.

use super::super::events::{EventKind, Usage};
use super::super::{has_word, walk};
use super::Eval;
use crate::ir::{ExprId, ExprKind, LocalId, Name};

/// The word for a status of which it is not known what it says.
const UNCLEAR: &str = "unknown";

/// Calls between the parameter and what sets something on it.
const MAX_CHAIN: usize = 12;

impl Eval<'_, '_> {
    /// A call on the answer that the function is handed says what the status is: by a constant, or by the error at hand.
    pub(crate) fn sets_response(&mut self, target: ExprId, by: &str, given: &[ExprId], at: ExprId) {
        if given.is_empty() || !self.is_response(target) {
            return;
        }
        let unclear = || {
            let of_error =
                |id: ExprId| matches!(self.body.expr(id).kind, ExprKind::Local(local) if self.is_error_of_arm(local));
            has_word(by, "status") || given.iter().any(|&id| walk::any(self.body, id, &of_error))
        };
        let named = given.iter().find_map(|&id| self.answer(id));
        // A good word in what is written into the body leaves the status as it is.
        if !has_word(by, "status") && named.is_some_and(|word| word.as_str() == "confirmed") {
            return;
        }
        let Some(word) = named.or_else(|| unclear().then(|| Name::new(UNCLEAR))) else {
            return;
        };
        self.state.answered = Some(word);
        let marks = self.branch_marks();
        let looked_at = self.conditions.iter().any(|known| !known.about.is_empty() && marks.contains(&known.branch));
        if word.as_str() != "confirmed" && looked_at {
            self.calling = None;
            self.event(EventKind::Noted, self.span_of(at), Name::new("noted"), Usage::Used);
        }
    }

    /// What the function answers with where it ends with an expression.
    pub(super) fn answer_at_end(&self, given: ExprId) -> Option<Name> {
        let function = self.function.map(|id| self.engine.program.function(id));
        let types = &self.engine.catalog.words.response_types;
        match function.filter(|info| info.params.iter().any(|ty| ty.is_one_of(types))) {
            Some(info) if info.ir.ret.is_unit() => self.state.answered,
            Some(_) => self.answer(given).or(self.state.answered),
            None => self.answer(given),
        }
    }

    /// Whether an expression is a parameter that the function answers by, or what such a one gives to be set.
    fn is_response(&self, target: ExprId) -> bool {
        let mut at = target;
        for _ in 0..MAX_CHAIN {
            at = match &self.body.expr(at).kind {
                ExprKind::MethodCall(call) => call.receiver,
                ExprKind::Field { base, .. } => *base,
                ExprKind::Deref(inner) => *inner,
                ExprKind::Local(local) => {
                    return self.ty(at).is_one_of(&self.engine.catalog.words.response_types) && self.is_lent(*local);
                }
                _ => return false,
            };
        }
        false
    }

    /// Whether a local is a parameter that the caller lends.
    fn is_lent(&self, local: LocalId) -> bool {
        let Some(id) = self.function else {
            return false;
        };
        let params = &self.engine.program.function(id).ir.params;
        params.iter().filter(|param| param.borrowed).filter_map(|param| param.pat).any(|pat| {
            let mut bound = Vec::new();
            walk::bound_by(self.body, pat, &mut bound);
            bound.contains(&local)
        })
    }
}
