//! What the evaluation writes down on its way: events, and what branches leave of outcomes.

use super::super::events::{self, Branch, Event, EventKind, RegionMark, Usage};
use super::super::outcome::{self, Condition, Outcomes};
use super::super::value::Value;
use super::Eval;
use crate::ir::{ExprId, ExprKind, Name};
use crate::source::Span;

impl Eval<'_, '_> {
    /// Records something that happens here.
    pub(crate) fn event(&mut self, kind: EventKind, span: Span, name: Name, usage: Usage) {
        let Some(function) = self.function else {
            return;
        };
        if self.events.len() >= events::MAX_EVENTS || !self.state.reachable {
            return;
        }
        let event = Event {
            kind: kind.flat(),
            span,
            name,
            function,
            branches: self.branch_marks(),
            regions: self.region_marks(),
            via: Vec::new(),
            usage,
        };
        self.add_event(event);
    }

    /// Adds an event, or puts it in the place of the same one from an earlier round of a loop.
    pub(crate) fn add_event(&mut self, event: Event) {
        match self.events.iter().position(|known| known.is_again(&event)) {
            Some(at) => self.events[at] = event,
            None if self.events.len() < events::MAX_EVENTS => self.events.push(event),
            None => {}
        }
    }

    pub(crate) fn branch_marks(&self) -> Vec<Branch> {
        self.branches.iter().map(|&(id, arm)| (self.span_of(id), arm)).collect()
    }

    pub(crate) fn region_marks(&self) -> Vec<RegionMark> {
        let marks = self.regions.iter();
        marks.map(|region| RegionMark { at: self.span_of(region.id), role: region.role.clone() }).collect()
    }

    pub(crate) fn condition(&mut self, branch: (ExprId, u32), about: Vec<Span>, outcomes: Outcomes, named: bool) {
        let branch = (self.span_of(branch.0), branch.1);
        let known = self.conditions.iter_mut().find(|known| known.branch == branch && known.about == about);
        match known {
            Some(known) => known.outcomes = known.outcomes.and(outcomes),
            None => self.conditions.push(Condition { branch, about, outcomes, named }),
        }
    }

    /// `?`: the function may end here with an error.
    pub(super) fn fail(&mut self, id: ExprId, inner: ExprId, value: &Value) {
        if self.frames.len() != 1 {
            return;
        }
        self.branches.push((id, 0));
        let (about, bare) = outcome::replies(value);
        if !about.is_empty() {
            let error = if bare { Outcomes::NOT_SENT.or(Outcomes::UNKNOWN) } else { Outcomes::ERROR };
            self.condition((id, 0), about, error, false);
        }
        let span = self.span_of(inner);
        self.event(EventKind::Fail, span, Name::new("?"), Usage::Used);
        self.branches.pop();
    }

    /// Whether an expression is an `Err`.
    pub(super) fn is_error(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Call { callee, .. } => {
                matches!(&self.body.expr(*callee).kind, ExprKind::Path(path)
                if path.segments.last().is_some_and(|last| last.name.as_str() == "Err"))
            }
            ExprKind::MethodCall(call) => self.is_error(call.receiver),
            _ => false,
        }
    }

    /// A word or variant that means a state.
    pub(crate) fn state_word(&mut self, means: Option<&str>, span: Span, text: &str) {
        if let Some(means) = means {
            let kind = EventKind::State { means: Name::new(means) };
            self.event(kind, span, Name::new(text), Usage::Used);
        }
    }

    pub(crate) fn usage(&self, id: ExprId) -> Usage {
        events::usage(self.body, &self.parents, id)
    }
}
