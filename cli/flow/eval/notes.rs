//! What the evaluation writes down on its way: events, and what branches leave of outcomes.

use std::sync::Arc;

use super::super::answering::Heard;
use super::super::events::{self, Branch, Defaulted, Event, EventKind, RegionMark, Usage};
use super::super::facts::{HEARD, Happening};
use super::super::interfaces::Chosen;
use super::super::next_state;
use super::super::outcome::{self, Condition, Doubts, Outcomes};
use super::super::sources::Sources;
use super::super::value::{Alt, Kind, Owner, Shape, Value};
use super::super::words::normal;
use super::super::{call, taken_back};
use super::Eval;
use super::defaulted;
use crate::ir::{Arm, BinaryOp, ExprId, ExprKind, Literal, LocalId, Name, PatId};
use crate::resolve::{Program, StructDef, Ty, TypeId, ValueDef};
use crate::source::{Span, TextRange};

/// Beginnings and ends of transactions that are kept beyond the other events of a function.
const MAX_BOUNDARIES: usize = 24;

impl Eval<'_, '_> {
    /// Records something that happens here.
    pub(crate) fn event(&mut self, kind: EventKind, span: Span, name: Name, usage: Usage) {
        let Some(function) = self.function else {
            if let (EventKind::AutoAck, Owner::Constant(id)) = (&kind, self.owner) {
                self.engine.settings.insert(id, name);
            }
            return;
        };
        if !self.has_room(&kind) || !self.state.reachable {
            return;
        }
        let stores = matches!(kind, EventKind::Sql { .. } | EventKind::Store { .. });
        let last = self.events.last();
        let own = Happening {
            span,
            name,
            function,
            passed: shared(self.passed_marks(), last.map(|last| &last.passed)),
            whole: self.calling.map_or(span, |id| self.span_of(id)),
            bound: self.calling.and_then(|id| events::bound(self.body, &self.parents, id)),
        };
        let event = Event {
            pooled: stores && self.calling.is_some_and(|id| self.is_pooled(id)),
            kind,
            own: Arc::new(own),
            branches: shared(self.branch_marks(), last.map(|last| &last.branches)),
            regions: shared(self.region_marks(), last.map(|last| &last.regions)),
            via: Arc::default(),
            through: Arc::default(),
            usage,
            dropped: (usage == Usage::Dropped).then_some(span),
            answers: self.calling.is_some_and(|id| self.is_answer(id)),
            unread: None,
            defaulted: self.calling.and_then(|id| self.defaulted(id)),
            told: true,
            chosen: Chosen::No,
            below: 0,
            takes_back: self.calling.filter(|_| usage == Usage::Dropped).and_then(|id| taken_back::by_call(self, id)),
        };
        self.add_event(event);
    }

    /// Whether a call is given a pool to run a statement with, or is one of a pool.
    fn is_pooled(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) => self.is_pool(call.receiver) || call.args.iter().any(|&arg| self.is_pool(arg)),
            ExprKind::Call { args, .. } => args.iter().any(|&arg| self.is_pool(arg)),
            _ => false,
        }
    }

    /// Whether an expression is a pool by its type, or by what an own type around one dereferences to.
    fn is_pool(&self, id: ExprId) -> bool {
        let pools = &self.engine.catalog.words.pool_types;
        let ty = self.ty(id);
        ty.is_one_of(pools) || self.engine.program.dereferenced(ty).is_some_and(|inner| inner.is_one_of(pools))
    }

    /// Whether a call with these arguments hands a pool to what runs a statement of the callee, whatever else that may be.
    pub(crate) fn hands_pool(&self, event: &Event, args: &[ExprId]) -> bool {
        let (EventKind::Sql { executor, .. } | EventKind::Store { executor, .. }) = &event.kind else {
            return false;
        };
        let mut sources = executor.iter().map(|source| source.kind());
        match (sources.next(), sources.next()) {
            (Some(Kind::Param(place, path)), None) if path.is_empty() => {
                args.get(*place as usize).is_some_and(|&arg| self.is_pool(arg))
            }
            _ => false,
        }
    }

    /// Whether a function that answers with a number, with yes or no, with what may not be there or with what a store says that
    /// it did (`UpdateResult`, `PgQueryResult`) does so with what an expression gives.
    pub(crate) fn is_answer(&self, id: ExprId) -> bool {
        let tells = self.good_answer().is_some_and(|of| match of {
            Ty::Primitive(_) => true,
            Ty::External(path, of) if of.is_empty() => path.as_str().ends_with("Result"),
            of => Program::is_option(of),
        });
        tells && events::is_answer(self.body, &self.parents, id)
    }

    /// Whether what an expression gives is the answer of a function that tells nothing but whether it failed.
    pub(crate) fn answers_with_nothing(&self, id: ExprId) -> bool {
        let nothing = matches!(self.good_answer(), Some(Ty::Tuple(parts)) if parts.is_empty());
        nothing && events::is_answer(self.body, &self.parents, id)
    }

    /// What the function answers with where it does not fail.
    fn good_answer(&self) -> Option<&Ty> {
        match &self.engine.program.function(self.function?).ret {
            // an alias that a crate has for it, too
            Ty::External(path, of) if path.as_str().ends_with("Result") => of.first(),
            ret => Some(ret),
        }
    }

    /// Adds an event, or puts it in the place of the same one from an earlier round of a loop.
    pub(crate) fn add_event(&mut self, event: Event) {
        match self.events.iter().position(|known| known.is_again(&event)) {
            Some(at) => self.events[at] = event,
            None if self.has_room(&event.kind) => self.events.push(event),
            None => {}
        }
    }

    /// Whether one more event is kept. Where a transaction ends is what most of a long function is about.
    fn has_room(&self, kind: &EventKind) -> bool {
        let ends = matches!(kind, EventKind::Begin | EventKind::Commit { .. } | EventKind::Rollback { .. });
        self.events.len() < events::MAX_EVENTS + if ends { MAX_BOUNDARIES } else { 0 }
    }

    pub(crate) fn branch_marks(&self) -> Vec<Branch> {
        self.branches.iter().map(|&(id, arm)| (self.span_of(id), arm)).collect()
    }

    /// Those of the branches in which what stands here is only because their other arms leave.
    fn passed_marks(&self) -> Vec<Branch> {
        let passed = self.branches.iter().filter(|branch| self.passed.contains(branch));
        passed.map(|&(id, arm)| (self.span_of(id), arm)).collect()
    }

    /// The other arms of a branch leave: what follows in the block is in this one.
    pub(super) fn pass(&mut self, branch: (ExprId, u32)) {
        self.branches.push(branch);
        if !self.passed.contains(&branch) {
            self.passed.push(branch);
        }
    }

    /// So are those that the one arm is past that does not leave.
    pub(super) fn pass_all(&mut self, branches: Vec<(ExprId, u32)>) {
        branches.into_iter().for_each(|branch| self.pass(branch));
    }

    pub(crate) fn region_marks(&self) -> Vec<RegionMark> {
        let marks = self.regions.iter();
        marks.map(|region| (self.span_of(region.id), region.role.clone())).collect()
    }

    pub(crate) fn condition(&mut self, branch: (ExprId, u32), about: Vec<Span>, outcomes: Outcomes, named: bool) {
        let place = self.arm(branch);
        let branch = (self.span_of(branch.0), branch.1);
        let known = self.conditions.iter_mut().find(|known| known.branch == branch && known.about == about);
        match known {
            Some(known) => {
                let both = known.outcomes.and(outcomes);
                // "Done before" is no error until a guard calls it so, and "not found" is one like another.
                match (both.is_empty(), named) {
                    (false, true) => known.outcomes = known.outcomes.narrowed(outcomes),
                    (false, false) => known.outcomes = both,
                    (true, true) => known.outcomes = outcomes,
                    (true, false) => {}
                }
                known.named |= named;
            }
            None => self.conditions.push(Condition {
                branch,
                place,
                about,
                outcomes,
                named,
                doubts: Doubts::None,
                repeats: false,
                any_error: false,
                beside: false,
            }),
        }
    }

    /// A branch by a pattern: perhaps one for any error.
    pub(super) fn taken_by(&mut self, branch: (ExprId, u32), pat: PatId) {
        if outcome::takes_any_error(self, pat) {
            let at = (self.span_of(branch.0), branch.1);
            self.conditions.iter_mut().filter(|known| known.branch == at).for_each(|known| known.any_error = true);
        }
    }

    /// A branch by a pattern that takes, perhaps among others, the answer that all was done before, or one that says of an
    /// earlier effect that nobody knows.
    pub(super) fn among(
        &mut self,
        branch: (ExprId, u32),
        arms: &[Arm],
        about: &[Span],
        (outcomes, named): (Outcomes, bool),
        unasked: bool,
    ) {
        let pat = arms[branch.1 as usize].pat;
        let left = !about.is_empty() && outcome::leaves_repeat(self, arms, branch.1 as usize);
        if left || outcome::takes_repeat(self, pat) {
            self.condition(branch, about.to_vec(), outcomes, named);
            let at = (self.span_of(branch.0), branch.1);
            let mut known = self.conditions.iter_mut().filter(|known| known.branch == at && known.about == about);
            known.by_ref().for_each(|known| known.repeats = true);
        }
        if unasked && outcome::takes_doubt(self, pat) {
            self.doubted(branch, outcomes, named, Doubts::Named);
        } else if unasked
            && named
            && outcomes.has(Outcomes::UNKNOWN)
            && outcome::takes_rest(self, branch.0, arms, branch.1)
        {
            self.doubted(branch, outcomes, named, Doubts::Left);
        }
    }

    /// A branch for a stored state that says of an earlier effect that nobody knows what became of it.
    pub(super) fn doubted(&mut self, branch: (ExprId, u32), outcomes: Outcomes, named: bool, doubts: Doubts) {
        self.condition(branch, Vec::new(), outcomes, named);
        let at = (self.span_of(branch.0), branch.1);
        let known = self.conditions.iter_mut().find(|known| known.branch == at && known.about.is_empty());
        if let Some(known) = known {
            known.doubts = doubts;
        }
    }

    /// Where an arm of a branch stands.
    pub(crate) fn arm(&self, (id, number): (ExprId, u32)) -> Span {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Match { arms, .. } => match arms.get(number as usize) {
                Some(arm) => {
                    let start = body.pat(arm.pat).range.start;
                    self.span(TextRange { start, end: body.expr(arm.body).range.end.max(start) })
                }
                None => self.span_of(id),
            },
            ExprKind::If { then, .. } if number == 0 => {
                let start = body.expr(id).range.start;
                self.span(TextRange { start, end: body.expr(*then).range.end.max(start) })
            }
            ExprKind::If { otherwise: Some(otherwise), .. } => self.span_of(*otherwise),
            _ => self.span_of(id),
        }
    }

    /// `?`: the function may end here with an error.
    pub(crate) fn fail(&mut self, id: ExprId, inner: ExprId, value: &Value) {
        if self.heard() == Heard::Nothing {
            return;
        }
        let around = self.branches.len();
        self.branches.push((id, 0));
        let (about, bare) = outcome::replies(value);
        if !about.is_empty() {
            let error = if bare { Outcomes::NOT_SENT.or(Outcomes::UNKNOWN) } else { Outcomes::ERROR };
            self.condition((id, 0), about, error, false);
            self.converted(inner, value, error);
        }
        let span = self.span_of(inner);
        self.calling = None;
        // `Err(error)?` returns what is at hand.
        let name = if self.is_error(inner) { "return" } else { "?" };
        let error = self.final_error(inner);
        self.event(EventKind::Fail { error }, span, Name::new(name), Usage::Used);
        self.branches.truncate(around);
    }

    /// The conversion that `?` makes of an error runs, where it is known, as a function that is called with it.
    fn converted(&mut self, failed: ExprId, value: &Value, error: Outcomes) {
        let Some(conversion) = outcome::made::conversion(self, failed) else {
            return;
        };
        let site = call::Site::of(failed, None, self.span_of(failed));
        let function = Value::alt(Alt { atoms: Arc::default(), shape: Shape::Function(Arc::from([conversion])) });
        let given = call::error_of(self, &site, value);
        // What it makes of an error is taken over under what the error stands for, and not as from any other call.
        let known = std::mem::take(&mut self.made);
        call::run_callable(self, &site, &function, given.as_slice(), None);
        self.made = known;
        outcome::made::converted(self, conversion, error);
    }

    /// The outcome that a text compared in a guard means.
    pub(super) fn guard_word(&self, id: ExprId) -> Option<Outcomes> {
        let word = |id: ExprId| match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(_)) | ExprKind::Path(_) => outcome::value_word(self, id),
            _ => None,
        };
        match &self.body.expr(id).kind {
            ExprKind::Binary { op: BinaryOp::Eq, left, right } => word(*left).or_else(|| word(*right)),
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                Some(self.guard_word(*left)?.or(self.guard_word(*right)?))
            }
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                self.guard_word(*left).or_else(|| self.guard_word(*right))
            }
            ExprKind::MethodCall(call) => call.args.iter().find_map(|&arg| word(arg)),
            _ => None,
        }
    }

    /// `unwrap`, `expect` on the answer of an operation: its error ends the function, and the task around it.
    pub(crate) fn panics(&mut self, id: ExprId, value: &Value) {
        let (about, _) = outcome::replies(value);
        if about.is_empty() {
            self.fine_by(id, value);
            return;
        }
        let range = self.body.expr(id).range;
        self.calling = None;
        self.branches.push((id, 0));
        self.condition((id, 0), about, Outcomes::ERROR, false);
        self.event(EventKind::Fail { error: None }, self.span(range), Name::new("expect"), Usage::Used);
        self.branches.pop();
        self.succeeded(id, value);
    }

    /// `panic!` where the answer of a dispatch is looked at: its error ends the function, and the task around it.
    pub(super) fn gives_up(&mut self, range: TextRange) {
        let around = self.branch_marks();
        if self.conditions.iter().any(|known| !known.about.is_empty() && around.contains(&known.branch)) {
            self.calling = None;
            self.event(EventKind::Fail { error: None }, self.span(range), Name::new("panic"), Usage::Used);
        }
    }

    /// Whether a guard asks for something else than the outcome that is matched.
    pub(super) fn is_another_question(&self, guard: ExprId) -> bool {
        outcome::of_condition(self, guard).is_none() && self.guard_word(guard).is_none()
    }

    /// Whether an expression is an `Err`.
    pub(super) fn is_error(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Call { callee, .. } => {
                matches!(&self.body.expr(*callee).kind, ExprKind::Path(path)
                if path.of_option_or_result() == Some("Err"))
            }
            ExprKind::MethodCall(call) => self.is_error(call.receiver),
            _ => false,
        }
    }

    /// Whether an `Err` holds the very error that was answered: whoever gets it hears what that says.
    fn hands_on(&self, id: ExprId) -> bool {
        let ExprKind::Call { args, .. } = &self.body.expr(id).kind else {
            return false;
        };
        let answered = |local: LocalId| !outcome::replies(&self.state.locals[local.0 as usize]).0.is_empty();
        let [error] = args[..] else {
            return false;
        };
        // `Err(error.into())`
        let own = match &self.body.expr(error).kind {
            ExprKind::MethodCall(call) if call.args.is_empty() && call.name == "into" => call.receiver,
            _ => error,
        };
        matches!(self.body.expr(own).kind, ExprKind::Local(local) if answered(local))
    }

    /// The end of the function, where an expression is what it returns.
    pub(super) fn tail(&mut self, id: ExprId, value: &Value) {
        if self.heard() == Heard::All && self.state.reachable && self.tails.contains(&id) {
            self.leave(id, id, value);
        }
    }

    /// The function ends at `id` with the value of `given`.
    pub(super) fn leave(&mut self, id: ExprId, given: ExprId, value: &Value) {
        self.may_end_with_error(given);
        self.leave_doubts(given, value);
        let answer = self.answer_at_end(given);
        let kind = match self.is_error(given) {
            true if answer.is_none() && self.hands_on(given) => EventKind::Fail { error: Some(Name::new(HEARD)) },
            true => EventKind::Fail { error: answer },
            false => EventKind::Return { answer, value: Sources::of(value) },
        };
        self.calling = None;
        let name = if id == given { "the value that is returned" } else { "return" };
        self.event(kind, self.span_of(id), Name::new(name), Usage::Used);
    }

    /// A closure for errors whose value says that it went wrong: whoever gets it hears of the error.
    pub(crate) fn answered(&mut self, id: Option<ExprId>) {
        let body = id.and_then(|id| match &self.body.expr(id).kind {
            ExprKind::Closure(closure) => Some(closure.body),
            _ => None,
        });
        let answer = body.and_then(|body| self.answer(body));
        if let (Some(answer), Some(body)) = (answer.filter(|answer| answer.as_str() != "confirmed"), body) {
            self.calling = None;
            // Only that there is an answer: what is in it keeps its own events.
            let start = self.body.expr(body).range.start;
            self.event(EventKind::Error, self.span(TextRange { start, end: start }), answer, Usage::Used);
        }
    }

    /// The path of a variant, or of what stands elsewhere.
    pub(crate) fn path_name(&self, id: ExprId) -> Option<Name> {
        match self.types.path(id)? {
            ValueDef::External(path) | ValueDef::Unresolved(path) => Some(*path),
            ValueDef::Variant(ty, variant) => self.variant_path(*ty, *variant),
            _ => None,
        }
    }

    pub(crate) fn variant_path(&self, ty: TypeId, variant: u32) -> Option<Name> {
        let info = self.engine.program.type_(ty);
        let variant = info.ir.variants.get(variant as usize).filter(|_| info.ir.is_enum)?;
        Some(Name::new(&format!("{}::{}", info.path, variant.name)))
    }

    /// A variant with fields that means a state. A failure that says of itself that it is tried again is none that stays.
    pub(crate) fn state_variant(&mut self, ty: TypeId, variant: u32, span: Span, fields: &[&Value]) {
        outcome::made::note(self, ty, variant);
        next_state::note(self, ty, variant, span);
        let comes_again = |field: &Value| {
            let kind = field.text().and_then(|text| text.rsplit_once("::")).map(|(_, kind)| normal(kind));
            kind.is_some_and(|kind| self.engine.catalog.words.passing_kinds.contains(&kind))
        };
        if fields.iter().any(|field| comes_again(field)) {
            return;
        }
        if let Some(path) = self.variant_path(ty, variant) {
            let means = self.engine.words.of_variant(path.as_str());
            self.state_word(means, span, path.as_str());
        }
    }

    /// A call, from its name on.
    pub(crate) fn name_span(&self, id: ExprId) -> Span {
        let range = self.body.expr(id).range;
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) => {
                self.span(crate::source::TextRange { start: call.name_range.start, end: range.end })
            }
            _ => self.span(range),
        }
    }

    /// Evaluates what is compared with something, or only told of: a state that is named in it is decided nowhere.
    pub(crate) fn only_reading<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.reading += 1;
        let out = read(self);
        self.reading -= 1;
        out
    }

    /// Whether what is named here is decided, and not only compared or told of.
    pub(crate) fn decides_here(&self) -> bool {
        self.reading == 0
    }

    /// A word or variant that means a state.
    pub(crate) fn state_word(&mut self, means: Option<&str>, span: Span, text: &str) {
        if let (Some(means), 0, false) = (means, self.reading, self.spells_arm(text)) {
            self.calling = None;
            let kind = EventKind::State { means: Name::new(means) };
            self.event(kind, span, Name::new(text), Usage::Used);
        }
    }

    /// Whether a text only writes out the variant in whose arm it stands, `Self::Free => "free"`: who has chosen the variant has
    /// decided.
    fn spells_arm(&self, text: &str) -> bool {
        let Some(&(branch, arm)) = self.branches.last() else {
            return false;
        };
        let ExprKind::Match { arms, .. } = &self.body.expr(branch).kind else {
            return false;
        };
        arms.get(arm as usize).is_some_and(|arm| match self.types.pattern(arm.pat) {
            Some(StructDef::Local(ty, variant)) => {
                let variant = self.engine.program.type_(*ty).ir.variants.get(*variant as usize);
                variant.is_some_and(|variant| normal(variant.name.as_str()) == normal(text))
            }
            _ => false,
        })
    }

    /// The states that a part of the source means, put together beforehand, are decided in the branch that is looked at.
    pub(crate) fn decided_here(&mut self, part: Span) {
        let around: Arc<[Branch]> = self.branch_marks().into();
        for event in self.events.iter_mut().filter(|event| event.via.is_empty() && part.covers(event.span)) {
            if matches!(event.kind, EventKind::State { .. }) {
                event.branches = around.clone();
            }
        }
    }

    /// Where an error of a call is taken for a default.
    pub(crate) fn defaulted(&self, id: ExprId) -> Option<Defaulted> {
        let found = defaulted::of_call(&self.engine.catalog.words, self.body, &self.parents, id)?;
        let branch = found.branch.map(|(id, arm)| (self.span_of(id), arm));
        let at = self.name_span(found.at);
        let (found_nothing, got, written) = (found.found_nothing, found.got, found.written);
        Some(Defaulted { at, branch, found_nothing, got, written })
    }

    /// What becomes of the result of an expression.
    pub(crate) fn usage(&self, id: ExprId) -> Usage {
        events::usage(self.body, &self.parents, id)
    }
}

/// A list of marks, the one of the event before where that stands in the same: callers put theirs in front of each list once.
fn shared<T: PartialEq>(marks: Vec<T>, last: Option<&Arc<[T]>>) -> Arc<[T]> {
    match last {
        Some(last) if **last == *marks => last.clone(),
        _ => marks.into(),
    }
}
