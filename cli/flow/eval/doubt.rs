//! Dispatches in doubt: which of them may have acted although nobody heard so.
//!
//! A dispatch comes in doubt with its call. It goes out of it where a branch knows better: the answer is there, or nothing
//! left the process, or the provider refused; and comes back with the error of what was only begun by then. A loop repeats
//! an intent only if it can come round again in doubt.

use std::sync::Arc;

use super::super::events::{Event, EventKind};
use super::super::handed;
use super::super::outcome::{self, Condition, Outcomes};
use super::super::uses::Use;
use super::super::value::{Kind, Value};
use super::super::{Recognition, RepeatScope};
use super::Eval;
use crate::findings::Confidence;
use crate::ir::{BinaryOp, ExprId, ExprKind};
use crate::resolve::Callee;
use crate::source::Span;

/// Nothing has happened.
const NOTHING: Outcomes = Outcomes::NOT_SENT.or(Outcomes::REJECTED).or(Outcomes::MISSING);
/// The provider has answered.
const ANSWERED: Outcomes = Outcomes::DONE.or(Outcomes::MISSING);

impl Eval<'_, '_> {
    /// What a branch knows of the dispatches that are asked about in it.
    pub(super) fn settle(&mut self, (id, arm): (ExprId, u32)) {
        self.fine_in((id, arm));
        if self.state.in_doubt.is_empty() && self.settled.is_empty() {
            return;
        }
        self.not_begun((id, arm));
        let branch = (self.span_of(id), arm);
        let of_branch = || self.conditions.iter().filter(|known| known.branch == branch);
        // Nothing where something was asked for is no error.
        let is_error = |known: &&Condition| {
            let has = |outcome| known.outcomes.has(outcome);
            has(Outcomes::UNKNOWN) && !has(Outcomes::CONFIRMED) && !has(Outcomes::MISSING)
        };
        let back: Vec<Span> = of_branch().filter(is_error).flat_map(|known| known.about.iter().copied()).collect();
        let known: Vec<Span> = of_branch().flat_map(|known| self.known_by(known)).collect();
        for site in back {
            // The error of what was only handed over says that it was not.
            if self.settled.contains(&site) && !self.state.handed_over.contains(&site) {
                self.state.doubt(site);
            }
        }
        known.into_iter().for_each(|site| self.out_of_doubt(site));
    }

    /// `?`, `unwrap`: whatever follows has the answer.
    pub(super) fn succeeded(&mut self, of: ExprId, value: &Value) {
        self.fine_by(of, value);
        if self.state.in_doubt.is_empty() {
            return;
        }
        let (about, bare) = outcome::replies(value);
        // Of an HTTP answer, the status is still to be looked at.
        if !bare {
            self.answered_by(&about);
        }
    }

    /// The answers of these dispatches are there.
    pub(super) fn answered_by(&mut self, about: &[Span]) {
        for &site in about {
            if !self.unheard.contains(&site) {
                self.out_of_doubt(site);
            }
        }
    }

    /// The dispatches that a condition takes out of doubt.
    fn known_by(&self, known: &Condition) -> Vec<Span> {
        let within = |outer: Outcomes| !known.outcomes.is_empty() && known.outcomes.without(outer).is_empty();
        // A bare `true`, which never means "done before", may be the answer to anything. `Ok` is not.
        let is_ok = known.named || known.outcomes.has(Outcomes::DUPLICATE);
        if within(ANSWERED) && is_ok {
            return known.about.iter().filter(|site| !self.unheard.contains(site)).copied().collect();
        }
        // That one of several was refused does not tell of each.
        match known.about.as_slice() {
            &[site] if known.named && within(NOTHING) => vec![site],
            _ => Vec::new(),
        }
    }

    /// A branch that is taken where a condition says so: what a parameter is asked about in it, callers know the answer to. For
    /// as long as nobody looks at them, it may well know that nothing was done.
    pub(super) fn judge(&mut self, condition: ExprId, holds: bool) {
        let body = self.body;
        match &body.expr(condition).kind {
            ExprKind::Not(inner) => self.judge(*inner, !holds),
            ExprKind::Block(block) if block.statements.is_empty() => {
                block.tail.into_iter().for_each(|tail| self.judge(tail, holds));
            }
            ExprKind::Binary { op, left, right } if *op == if holds { BinaryOp::And } else { BinaryOp::Or } => {
                self.judge(*left, holds);
                self.judge(*right, holds);
            }
            ExprKind::Call { args, .. } if holds => {
                let Some(Callee::Local(local)) = self.types.callee(condition) else {
                    return;
                };
                let judge = self.state.locals[local.0 as usize].atoms().find_map(|atom| match &atom.kind {
                    Kind::Param(at, path) if path.is_empty() => Some(*at),
                    _ => None,
                });
                let Some((judge, info)) = judge.zip(self.function.map(|id| self.engine.program.function(id))) else {
                    return;
                };
                let about = args.iter().flat_map(|&arg| outcome::replies(&self.quiet(arg)).0);
                let places: Vec<Span> = about.filter(|&at| handed::is_place(info, at)).collect();
                for place in places {
                    self.out_of_doubt(place);
                    self.judged.push((place, judge));
                }
            }
            _ => {}
        }
    }

    pub(super) fn out_of_doubt(&mut self, site: Span) {
        if self.state.in_doubt.contains(&site) {
            self.state.in_doubt.retain(|other| *other != site);
            self.settled.push(site);
        }
    }

    /// The function ends with `given`. Where that is no error, callers do not hear of what is in doubt, unless it is the
    /// answer itself that is handed on.
    pub(super) fn leave_doubts(&mut self, given: ExprId, value: &Value) {
        if self.state.in_doubt.is_empty() || self.is_error(given) {
            return;
        }
        // Of an HTTP answer, whoever gets it can still look at the status.
        let (replies, bare) = outcome::replies(value);
        let handed_on = if self.is_success(given) && !bare { Vec::new() } else { replies };
        let hidden = self.state.in_doubt.iter().filter(|site| !handed_on.contains(site));
        self.hidden.extend(hidden.copied());
    }

    /// `Ok(..)`, `Some(..)`: a success, whatever is in it.
    pub(super) fn is_success(&self, id: ExprId) -> bool {
        let ExprKind::Call { callee, .. } = self.body.expr(id).kind else {
            return false;
        };
        matches!(&self.body.expr(callee).kind, ExprKind::Path(path)
            if matches!(path.of_option_or_result(), Some("Ok" | "Some")))
    }

    /// A combinator that only tries again what was not done repeats the one dispatch that it runs nowhere in doubt. Of
    /// several, those before the one that was refused are done again.
    pub(crate) fn undone_again(&mut self, scope: &RepeatScope) {
        let outer = self.repeating();
        let mut repeated = self
            .uses
            .values_mut()
            .filter(|known| !known.harmless && known.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site));
        if let (Some(only), None) = (repeated.next(), repeated.next()) {
            only.repeat = outer;
        }
    }

    /// A loop that only comes round where it is known what became of a dispatch does not repeat it.
    pub(super) fn not_repeated(&mut self, scope: &RepeatScope, again: &[Span]) {
        let outer = self.repeating();
        for known in self.uses.values_mut() {
            let repeats = known.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site);
            if repeats && !again.contains(&known.site) {
                known.repeat = outer.clone();
            }
        }
        let Some(info) = self.function.map(|id| self.engine.program.function(id)) else {
            return;
        };
        for call in &mut self.param_calls {
            let place = handed::place(info, call.param as usize);
            let repeats = call.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site);
            if repeats && self.settled.contains(&place) && !again.contains(&place) {
                // Of several that are asked, nobody knows which one lets it through.
                let mut judges = self.judged.iter().filter(|(at, _)| *at == place).map(|(_, judge)| *judge);
                match judges.next() {
                    None => call.repeat = outer.clone(),
                    Some(judge) if judges.all(|other| other == judge) => call.judge = Some(judge),
                    Some(_) => {}
                }
            }
        }
        for sent in &mut self.sent {
            let repeats = sent.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site);
            if repeats && self.settled.contains(&sent.place) && !again.contains(&sent.place) {
                sent.repeat = outer.clone();
            }
        }
    }

    /// A loop, or a closure for each of many, in which a task is acknowledged is handed one that was not once more: each of its
    /// rounds is an attempt.
    pub(crate) fn comes_back(&mut self, id: ExprId, site: Span) {
        let here = self.span_of(id);
        let acks = |event: &Event| {
            matches!(event.kind, EventKind::Ack { .. }) && event.regions.iter().any(|(region, _)| *region == here)
        };
        if self.uses.is_empty() || !self.events.iter().any(acks) {
            return;
        }
        let what = "the round for a delivery".to_owned();
        let scope = Arc::new(RepeatScope { site, what, confidence: Confidence::Likely, by_method: false });
        // A request that nobody sends in sight may be a message of its own, which comes back with the key that it was given.
        let put_aside = |known: &Use| known.recognition == Recognition::FreeStanding && !known.calls.is_empty();
        let uses = self.uses.values_mut().filter(|known| !put_aside(known));
        uses.for_each(|known| known.made_in_round(id, &scope));
    }
}
