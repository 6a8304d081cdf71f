//! What follows from going one way rather than another: races, rounds of a loop that asks one after the other, what
//! decides in replayed code, and arms that take everything else.

use super::super::call::{Site, is_surroundings};
use super::super::events::{EventKind, Role, Usage};
use super::super::outcome::{self, Left, Outcomes};
use super::super::scope;
use super::super::value::{FieldPath, Kind, Shape, Value};
use super::super::walk::{self, is_deferred};
use super::{Eval, Region, State};
use crate::catalog::FreshKind;
use crate::ir::{
    Arm, BinaryOp, Concurrent, ExprId, ExprKind, LocalId, Loop, LoopKind, Name, PatId, PatKind, Statement,
};
use crate::resolve::Ty;
use crate::source::Span;

/// Expressions between a loop's variable and the call that it is asked by, at most.
const MAX_CHAIN: usize = 12;

/// Of a loop that goes on to the next one until one answers: where its rounds end without having left it.
#[derive(Default)]
pub(super) struct Rounds {
    ends: Vec<ExprId>,
    /// the calls by which the thing of the round is asked
    asked: Vec<Span>,
    frame: usize,
    goes_on: bool,
}

impl Eval<'_, '_> {
    /// Whether a pattern is `Some(..)`.
    pub(crate) fn is_some(&self, pat: PatId) -> bool {
        matches!(&self.body.pat(pat).kind, PatKind::TupleStruct { path, .. } if path.of_option_or_result() == Some("Some"))
    }

    /// The branches of a condition that asks about an answer in words that nobody here knows, or about one of which nobody
    /// here knows whose it is.
    pub(super) fn asked_otherwise(&mut self, id: ExprId, condition: ExprId) {
        let about = outcome::asked_about(self, condition);
        if !about.is_empty() {
            // Which of the arms is for what nobody knows cannot be seen.
            let known = Outcomes::ALL.without(Outcomes::UNKNOWN);
            self.condition((id, 0), about.clone(), known, false);
            self.condition((id, 1), about, known, false);
        } else if let Some((yes, no)) = outcome::of_answers(self, condition) {
            self.condition((id, 0), Vec::new(), yes, true);
            self.condition((id, 1), Vec::new(), no, true);
        }
    }

    /// The parameter of which a condition asks whether there is one: `let Some(key) = key`.
    pub(super) fn some_of(&self, condition: ExprId) -> Option<(u32, FieldPath)> {
        match self.body.expr(condition).kind {
            ExprKind::Let { pat, value } if self.is_some(pat) => self.quiet(value).as_parameter(),
            _ => None,
        }
    }

    /// Of a branch that is taken where there is no value of a parameter: what the request lacks that the branch with one
    /// puts into it, it lacks in calls without one.
    pub(super) fn without(
        &mut self,
        asked: Option<(u32, FieldPath)>,
        (given, with): (&Value, &State),
        (branch, value): (ExprId, Value),
    ) -> Value {
        let at = self.span_of(branch);
        let Some(parameter) = asked else {
            return value;
        };
        if with.reachable && self.state.reachable {
            for (local, given) in self.state.locals.iter_mut().zip(&with.locals) {
                *local = local.lacking(given, parameter, at);
            }
        }
        value.lacking(given, parameter, at)
    }

    /// `select!`, `join!`.
    pub(super) fn concurrent(&mut self, id: ExprId, all: &Concurrent) -> Value {
        let before = self.state.clone();
        let mut results = Vec::new();
        let mut running: Vec<Vec<Span>> = Vec::new();
        let around = self.branches.len();
        for (number, branch) in all.branches.iter().enumerate() {
            if all.race {
                self.state = before.clone();
                self.branches.push((id, number as u32));
                self.push_region(Region { id, repeat: None, role: Role::Race });
            }
            let value = self.eval(branch.future);
            let value = super::call::awaited(self, branch.future, value);
            if all.race {
                self.pop_region();
                running.push(self.dropped_with(branch.future, &value));
            }
            if let Some(pat) = branch.pat {
                self.bind(pat, &value);
            }
            if let Some(guard) = branch.guard {
                self.eval(guard);
            }
            results.push(match branch.handler {
                Some(handler) => self.eval(handler),
                None => value,
            });
            if all.race {
                self.branches.truncate(around);
            }
        }
        for winner in 0..running.len() {
            let mut others: Vec<Span> = Vec::new();
            for (_, sites) in running.iter().enumerate().filter(|(number, _)| *number != winner) {
                others.extend(sites.iter().filter(|site| !running[winner].contains(site)));
            }
            if !others.is_empty() {
                // What was on its way when another branch won is dropped, sent or not.
                self.condition((id, winner as u32), others, Outcomes::NOT_SENT.or(Outcomes::UNKNOWN), false);
            }
        }
        match all.race {
            true => {
                self.state.reachable = before.reachable;
                results.iter().fold(Value::bottom(), |joined, one| joined.join(one))
            }
            false => self.record_of(None, results),
        }
    }

    /// The dispatches that are dropped midway if another branch wins. A future that is held elsewhere goes on.
    fn dropped_with(&self, future: ExprId, value: &Value) -> Vec<Span> {
        let mut at = future;
        while let ExprKind::Deref(inner) = self.body.expr(at).kind {
            at = inner;
        }
        match self.body.expr(at).kind {
            ExprKind::Local(_) | ExprKind::Field { .. } | ExprKind::Index { .. } => Vec::new(),
            _ => outcome::replies(value).0,
        }
    }

    /// A loop begins.
    pub(super) fn enter_rounds(&mut self, repeat: &Loop, goes_on: bool) {
        let mut rounds = Rounds { frame: self.frames.len(), goes_on, ..Rounds::default() };
        if let (LoopKind::For { pat, .. }, true) = (&repeat.kind, goes_on) {
            rounds.ends = ends(self, repeat.body);
            rounds.asked = self.asked_of(*pat, repeat.body);
        }
        self.rounds.push(rounds);
    }

    pub(super) fn leave_rounds(&mut self) {
        self.rounds.pop();
    }

    /// The round of a loop may end at an expression.
    pub(super) fn next_round(&mut self, id: ExprId) {
        if self.rounds.last().is_some_and(|rounds| rounds.ends.contains(&id)) {
            self.round_ends(id);
        }
    }

    /// `continue`
    pub(super) fn continued(&mut self, id: ExprId) {
        if self.rounds.last().is_some_and(|rounds| rounds.goes_on && rounds.frame == self.frames.len()) {
            self.round_ends(id);
        }
    }

    fn round_ends(&mut self, id: ExprId) {
        let asked = self.rounds.last().map(|rounds| rounds.asked.clone()).unwrap_or_default();
        if asked.is_empty() || !self.state.reachable || !self.takes_the_rest() {
            return;
        }
        self.calling = None;
        self.event(EventKind::NextRound { asked }, self.span_of(id), Name::new("the next round"), Usage::Used);
    }

    /// Whether the innermost arm is for any error, or for one whose name tells what it means: what else a variant stands
    /// for, nobody here knows.
    fn takes_the_rest(&self) -> bool {
        let Some(&(id, arm)) = self.branches.last() else {
            return true;
        };
        let ExprKind::Match { arms, .. } = &self.body.expr(id).kind else {
            return true;
        };
        arms.get(arm as usize).is_some_and(|arm| is_rest(self, arm.pat))
    }

    /// The calls on the variable of a loop, or on what is taken or made from it.
    fn asked_of(&self, pat: PatId, inside: ExprId) -> Vec<Span> {
        let mut locals: Vec<LocalId> = Vec::new();
        walk::bound_by(self.body, pat, &mut locals);
        walk::visit(self.body, inside, &mut |at| {
            match &self.body.expr(at).kind {
                ExprKind::Let { pat, value } if walk::mentions(self.body, *value, &locals) => {
                    walk::bound_by(self.body, *pat, &mut locals)
                }
                ExprKind::Block(block) => {
                    for statement in &block.statements {
                        match statement {
                            Statement::Let { pat, value: Some(value), .. }
                                if walk::mentions(self.body, *value, &locals) =>
                            {
                                walk::bound_by(self.body, *pat, &mut locals);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
            true
        });
        let mut asked = Vec::new();
        walk::visit(self.body, inside, &mut |at| {
            let ExprKind::MethodCall(call) = &self.body.expr(at).kind else {
                return true;
            };
            let mut on = call.receiver;
            for _ in 0..MAX_CHAIN {
                on = match &self.body.expr(on).kind {
                    ExprKind::Field { base, .. } => *base,
                    ExprKind::Deref(inner) | ExprKind::Try(inner) => *inner,
                    ExprKind::Local(local) if locals.contains(local) => {
                        asked.push(self.name_span(at));
                        break;
                    }
                    _ => break,
                };
            }
            true
        });
        asked
    }

    /// In a program with replayed code: a branch that is taken by what the process or its environment says, and in which
    /// something is waited for or the function ends.
    pub(super) fn decided(&mut self, id: ExprId, by: ExprId, arms: impl Iterator<Item = ExprId>) {
        if !self.engine.has_workflows {
            return;
        }
        let mut parts = Vec::new();
        walk::visit(self.body, by, &mut |at| {
            let kind = &self.body.expr(at).kind;
            if matches!(kind, ExprKind::Local(_) | ExprKind::MethodCall(_) | ExprKind::Call { .. }) {
                parts.push(self.quiet(at));
            }
            parts.len() < outcome::MAX_ASKED
        });
        if !parts.iter().any(|value| value.atoms().any(|atom| of_process(&atom.kind))) {
            return;
        }
        let mut waits = false;
        for arm in arms {
            walk::visit(self.body, arm, &mut |at| {
                let kind = &self.body.expr(at).kind;
                waits |= matches!(kind, ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Return(_));
                at == arm || !is_deferred(self.body, at)
            });
        }
        if waits {
            self.calling = None;
            self.event(EventKind::Decides, self.span_of(id), Name::new("branch"), Usage::Used);
        }
    }

    /// What the context of replayed code is asked for is held against the journal with all that it is asked with: what the
    /// process or its environment gives of that decides as much as a branch.
    pub(crate) fn decided_in_journal(&mut self, site: &Site<'_>) {
        // What a closure asks when it is run, it asks inside the step.
        let given =
            site.args.iter().flat_map(|arg| arg.alts.iter()).filter(|alt| !matches!(alt.shape, Shape::Closure(_)));
        if given.flat_map(|alt| alt.atoms.iter()).any(|atom| of_process(&atom.kind)) {
            self.event(EventKind::Decides, site.span, site.name, Usage::Used);
        }
    }

    /// A comparison of two values: in replayed code it says what the process or its environment says, where one of them does.
    pub(super) fn compared(&self, left: &Value, right: &Value) -> Value {
        let answer = self.constant(None);
        if !self.engine.has_workflows {
            return answer;
        }
        let told: Vec<_> = left.atoms().chain(right.atoms()).filter(|atom| of_process(&atom.kind)).cloned().collect();
        answer.with_atoms(&told)
    }

    /// A match on the status of an answer whose last arm takes success and server errors alike, and decides by that.
    pub(super) fn lumped(&mut self, id: ExprId, given: ExprId, arms: &[Arm]) {
        let Some((last, before)) = arms.split_last() else {
            return;
        };
        let takes_all = matches!(self.body.pat(last.pat).kind, PatKind::Wild | PatKind::Bind { inner: None, .. });
        if !takes_all || last.guard.is_some() || !self.is_status(given) || !decides_at_once(self, last.body) {
            return;
        }
        let mut left = Left::all(true);
        let mut refused = false;
        for arm in before {
            // What a guard asks of the rest, nobody knows.
            if arm.guard.is_some() {
                return;
            }
            let matched = outcome::of_pattern(self, arm.pat, true, left);
            refused |= matched.named && matched.outcomes.has(Outcomes::REJECTED);
            left = left.after(&matched);
        }
        if refused && left.ok.has(Outcomes::CONFIRMED.or(Outcomes::UNKNOWN)) {
            let outcomes = Outcomes::CONFIRMED.or(Outcomes::UNKNOWN);
            self.condition((id, before.len() as u32), Vec::new(), outcomes, true);
        }
    }

    /// `if status.is_client_error() { Refused } else { Done }`: server errors are done, too.
    pub(super) fn lumped_else(&mut self, id: ExprId, condition: ExprId, otherwise: ExprId) {
        let found = self.status_word(condition);
        let rest = found.map(|found| Outcomes::CONFIRMED.or(Outcomes::UNKNOWN).without(found));
        let refused = found.is_some_and(|found| found.has(Outcomes::REJECTED));
        let all = rest.is_some_and(|rest| rest.has(Outcomes::CONFIRMED.or(Outcomes::UNKNOWN)));
        if refused && all && decides_at_once(self, otherwise) {
            self.condition((id, 1), Vec::new(), Outcomes::CONFIRMED.or(Outcomes::UNKNOWN), true);
        }
    }

    /// The outcomes that a condition on a status asks for.
    fn status_word(&self, id: ExprId) -> Option<Outcomes> {
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) if self.is_status(call.receiver) => outcome::predicate(self, id, call.name),
            ExprKind::Binary { op: BinaryOp::Eq, left, right } if self.is_status(*left) => {
                outcome::value_word(self, *right)
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                Some(self.status_word(*left)?.or(self.status_word(*right)?))
            }
            // `matches!(status, …)`
            ExprKind::Match { value, arms } if self.is_status(*value) && arms.len() == 2 => {
                let arm = arms.first().filter(|arm| arm.guard.is_none())?;
                let matched = outcome::of_pattern(self, arm.pat, true, Left::all(true));
                matched.named.then_some(matched.outcomes)
            }
            _ => None,
        }
    }

    /// Whether an expression is the status of an HTTP answer, or its number.
    fn is_status(&self, id: ExprId) -> bool {
        let mut at = id;
        for _ in 0..MAX_CHAIN {
            if matches!(self.ty(at), Ty::External(path, _) if path.as_str().ends_with("::StatusCode")) {
                return true;
            }
            at = match &self.body.expr(at).kind {
                ExprKind::MethodCall(call) if call.name.as_str() == "as_u16" => call.receiver,
                ExprKind::MethodCall(call) if call.name.as_str() == "status" && call.args.is_empty() => {
                    return outcome::replies(&self.quiet(call.receiver)).1;
                }
                ExprKind::Local(local) => match self.body.bound(*local) {
                    Some(made) => made,
                    None => return false,
                },
                _ => return false,
            };
        }
        false
    }
}

/// Whether something is what the process or its environment says.
fn of_process(kind: &Kind) -> bool {
    match kind {
        Kind::Fresh(kind) => *kind == FreshKind::Process,
        Kind::Input(name) => is_surroundings(*name),
        _ => false,
    }
}

/// Whether an expression is a value that is put together from nothing that is still asked: a variant, `Ok(Variant)`.
fn decides_at_once(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        at = match &eval.body.expr(at).kind {
            ExprKind::Path(_) | ExprKind::Literal(_) => return true,
            ExprKind::Block(block) if block.statements.is_empty() => match block.tail {
                Some(tail) => tail,
                None => return false,
            },
            ExprKind::Return(Some(inner)) => *inner,
            ExprKind::Call { args, .. } => match args.first() {
                Some(&inner) if args.len() == 1 => inner,
                _ => return false,
            },
            _ => return false,
        };
    }
    false
}

/// Whether a pattern takes any error, or one whose name says what it means.
fn is_rest(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::Bind { inner: Some(inner), .. } => is_rest(eval, *inner),
        PatKind::Or(choices) => choices.iter().any(|&choice| is_rest(eval, choice)),
        PatKind::TupleStruct { path, elements, .. } if matches!(path.of_option_or_result(), Some("Err" | "Ok")) => {
            elements.first().is_none_or(|&inner| is_rest(eval, inner))
        }
        PatKind::Path(path) if path.of_option_or_result() == Some("None") => true,
        _ => outcome::words_of_pattern(eval, pat).is_some(),
    }
}

/// Where the rounds of a loop end: the last thing in its body, on each of its ways.
fn ends(eval: &Eval<'_, '_>, id: ExprId) -> Vec<ExprId> {
    let mut out = Vec::new();
    let mut work = vec![id];
    while let Some(at) = work.pop() {
        let last = match &eval.body.expr(at).kind {
            ExprKind::Block(block) => block.last(),
            _ => Some(at),
        };
        match last.map(|last| &eval.body.expr(last).kind) {
            Some(ExprKind::If { then, otherwise: Some(otherwise), .. }) => work.extend([*then, *otherwise]),
            Some(ExprKind::If { then, otherwise: None, .. }) => {
                // Where the condition does not hold, the block itself is the end.
                work.push(*then);
                out.push(at);
            }
            Some(ExprKind::Match { arms, .. }) => work.extend(arms.iter().map(|arm| arm.body)),
            _ => out.push(at),
        }
    }
    out
}

/// Whether a loop goes on to the next thing until one of them succeeds.
pub(super) fn goes_on(eval: &Eval<'_, '_>, repeat: &Loop) -> bool {
    scope::is_failover(eval.body, repeat)
}
