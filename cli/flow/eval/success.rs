//! Loops that no success ends: they go on to the next thing, whatever became of this one.
//!
//! Whoever tries again until it works leaves with the success. A loop that comes round with it, and that nothing of what
//! was answered ends, does something else in each round; unless only a success moves it on.

use super::super::RepeatScope;
use super::super::outcome::{self, Outcomes};
use super::super::uses::Use;
use super::super::value::Value;
use super::super::walk;
use super::{Eval, State};
use crate::ir::{Body, ExprId, ExprKind, LocalId, Loop, LoopKind, Name, PatId, Statement};
use crate::source::Span;

/// Locals that the request of a dispatch is put together from, at most.
const MAX_LOCALS: usize = 48;
/// Calls and waits between a dispatch and what its answer goes to, at most.
const MAX_CHAIN: usize = 16;
/// Methods that move on what they are called on, by the beginning of their names.
const MOVES_ON: [&str; 9] = ["advance", "clear", "drain", "next", "pop", "remove", "shift", "swap_remove", "truncate"];

/// What the rounds of a loop tell of the dispatches in it.
#[derive(Default)]
pub(super) struct Successes {
    /// a success of these ends the loop
    ended: Vec<Span>,
    /// it has come round with a success of these
    again: Vec<Span>,
}

impl Successes {
    pub(super) fn end(&mut self, ended: &[Span]) {
        super::state::add_new(&mut self.ended, ended);
    }

    pub(super) fn add(&mut self, other: Self) {
        super::state::add_new(&mut self.ended, &other.ended);
        super::state::add_new(&mut self.again, &other.again);
    }
}

impl State {
    /// What has run before a loop has run after it.
    pub(super) fn rejoin(&mut self, (ran, fine): (Vec<Span>, Vec<Span>)) {
        super::state::add_new(&mut self.ran, &ran);
        super::state::add_new(&mut self.fine, &fine);
    }
}

impl Eval<'_, '_> {
    /// A dispatch runs: nothing is known of it.
    pub(crate) fn begun(&mut self, site: Span) {
        super::state::add_new(&mut self.state.ran, &[site]);
        self.state.fine.retain(|other| *other != site);
    }

    /// `?`, `unwrap`: what goes on has a success.
    pub(super) fn fine_by(&mut self, of: ExprId, value: &Value) {
        if self.state.ran.is_empty() {
            return;
        }
        let whole = self.span_of(of);
        let inside = |at: Span| at.file == whole.file && whole.range.covers(at.range);
        let mut about = outcome::replies(value).0;
        about.extend(self.uses.values().filter(|known| inside(call_of(known))).map(|known| known.site));
        super::state::add_new(&mut self.state.fine, &about);
    }

    /// A branch that is for a success, among others.
    pub(super) fn fine_in(&mut self, branch: (ExprId, u32)) {
        if self.state.ran.is_empty() {
            return;
        }
        let at = (self.span_of(branch.0), branch.1);
        let known =
            self.conditions.iter().filter(|known| known.branch == at && known.outcomes.has(Outcomes::CONFIRMED));
        let about: Vec<Span> = known.flat_map(|known| known.about.iter().copied()).collect();
        super::state::add_new(&mut self.state.fine, &about);
    }

    /// The dispatches of this round on whose success the loop with so many branches around it ends here.
    pub(super) fn ending(&self, around: usize) -> Vec<Span> {
        let ran = self.state.ran.iter().copied();
        ran.filter(|&site| self.uses.values().any(|known| known.site == site && self.ends_by(known, around))).collect()
    }

    /// Whether nothing but the answer of a dispatch, or what is asked after it, decides that the loop ends here.
    fn ends_by(&self, known: &Use, around: usize) -> bool {
        let mut others = self.branches.iter().skip(around).filter(|branch| !known.branches.contains(branch)).peekable();
        others.peek().is_none() || others.any(|&branch| self.is_told(known, branch))
    }

    fn is_told(&self, known: &Use, (id, arm): (ExprId, u32)) -> bool {
        let (site, start) = (known.site, call_of(known).range.start);
        let at = (self.span_of(id), arm);
        let asked = match &self.body.expr(id).kind {
            ExprKind::If { condition, .. } => *condition,
            ExprKind::Match { value, .. } => *value,
            _ => id,
        };
        let mut told =
            self.conditions.iter().filter(|known| known.branch == at && known.about.contains(&site)).peekable();
        if told.peek().is_some() {
            return told.any(|known| known.outcomes.has(Outcomes::CONFIRMED));
        }
        let later = self.body.expr(asked).range.start > start;
        self.is_made_by(asked, known)
            || later && walk::any(self.body, asked, &|at| matches!(self.body.expr(at).kind, ExprKind::Await(_)))
    }

    /// Whether what is asked is what a call gave, or a local that holds it.
    fn is_made_by(&self, asked: ExprId, known: &Use) -> bool {
        let call = call_of(known);
        let holds = |id: ExprId| call.file == self.file && self.body.expr(id).range.covers(call.range);
        let mut locals = Vec::new();
        locals_in(self.body, asked, &mut locals);
        holds(asked) || locals.into_iter().filter_map(|local| self.body.bound(local)).any(holds)
    }

    /// A `while` goes on or ends by what was answered, or by what was noted in its round.
    pub(super) fn ending_by(&self, condition: ExprId, inside: ExprId) -> Vec<Span> {
        let mut asked = Vec::new();
        locals_in(self.body, condition, &mut asked);
        match walk::any(self.body, inside, &|at| self.sets(at).is_some_and(|local| asked.contains(&local))) {
            true => self.state.ran.clone(),
            false => outcome::asked_about(self, condition),
        }
    }

    /// The local that is given another value.
    fn sets(&self, id: ExprId) -> Option<LocalId> {
        match self.body.expr(id).kind {
            ExprKind::Assign { target, .. } => root(self.body, target),
            _ => None,
        }
    }

    /// `return`: all loops around it in the function, closure or task end with it.
    pub(super) fn ends_all(&mut self, given: ExprId) {
        if self.state.ran.is_empty() || self.is_error(given) {
            return;
        }
        let frame = self.frames.len();
        for at in 0..self.exits.len() {
            if self.exits[at].frame == frame && self.exits[at].is_loop {
                let ended = self.ending(self.exits[at].around);
                super::state::add_new(&mut self.exits[at].successes.ended, &ended);
            }
        }
    }

    /// `break`: so do all loops from the one that is meant.
    pub(super) fn ends_from(&mut self, label: Option<Name>) {
        if self.state.ran.is_empty() {
            return;
        }
        let frame = self.frames.len();
        for at in (0..self.exits.len()).rev() {
            if self.exits[at].frame != frame {
                return;
            }
            let ended = self.ending(self.exits[at].around);
            super::state::add_new(&mut self.exits[at].successes.ended, &ended);
            let meant = match label {
                Some(label) => self.exits[at].label == Some(label),
                None => self.exits[at].is_loop,
            };
            if meant {
                return;
            }
        }
    }

    /// The round of a loop is over, at its end or by `continue`.
    pub(super) fn comes_round(&mut self, exit: usize) {
        let fine = std::mem::take(&mut self.exits[exit].successes.again);
        self.exits[exit].successes.again = self.state.fine.iter().copied().chain(fine).collect();
    }

    /// A loop that no success ends repeats nothing of what it comes round with.
    pub(super) fn goes_through(&mut self, scope: &RepeatScope, repeat: &Loop, successes: &Successes) {
        let outer = self.repeating();
        let moved = moved_on_success(self, repeat, successes);
        let freed: Vec<_> = self
            .uses
            .iter()
            .filter(|(_, known)| {
                let repeats = known.repeat.as_ref().is_some_and(|repeat| repeat.site == scope.site);
                let again = successes.again.contains(&known.site) && !successes.ended.contains(&known.site);
                repeats && again && !self.feeding(call_of(known), repeat).iter().any(|local| moved.contains(local))
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in freed {
            if let Some(known) = self.uses.get_mut(&key) {
                known.repeat = outer.clone();
            }
        }
    }

    /// The locals that a request is put together from, and those that the loop's branches ask.
    fn feeding(&self, at: Span, repeat: &Loop) -> Vec<LocalId> {
        let body = self.body;
        let covering =
            body.exprs.iter().enumerate().filter(|(_, expr)| at.file == self.file && expr.range.covers(at.range));
        let smallest = covering.min_by_key(|(_, expr)| expr.range.end - expr.range.start);
        let Some((call, _)) = smallest else {
            return Vec::new();
        };
        let mut whole = ExprId(call as u32);
        for _ in 0..MAX_CHAIN {
            match walk::parent(&self.parents, whole) {
                Some(parent) if matches!(&body.expr(parent).kind, ExprKind::MethodCall(call) if call.receiver == whole) =>
                {
                    whole = parent;
                }
                _ => break,
            }
        }
        let mut locals = Vec::new();
        locals_in(body, whole, &mut locals);
        walk::visit(body, repeat.body, &mut |at| {
            if let ExprKind::If { condition, .. } = body.expr(at).kind {
                locals_in(body, condition, &mut locals);
            }
            true
        });
        let made = bindings(body, repeat);
        for _ in 0..MAX_LOCALS {
            let before = locals.len();
            for (pats, value) in &made {
                if pats.iter().any(|local| locals.contains(local)) && locals.len() < MAX_LOCALS {
                    locals_in(body, *value, &mut locals);
                }
            }
            if locals.len() == before {
                break;
            }
        }
        locals
    }
}

/// The call of this function by which a dispatch acts.
fn call_of(known: &Use) -> Span {
    known.calls.first().copied().unwrap_or(known.site)
}

/// The locals that only a success moves on: what it is that is asked for next.
fn moved_on_success(eval: &Eval<'_, '_>, repeat: &Loop, successes: &Successes) -> Vec<LocalId> {
    let mut moved = Vec::new();
    let told = |known: &&outcome::Condition| {
        // Of an HTTP answer, the status is still to be looked at.
        known.outcomes.has(Outcomes::CONFIRMED)
            && !known.outcomes.has(Outcomes::NOT_SENT)
            && known.about.iter().any(|site| successes.again.contains(site))
    };
    for known in eval.conditions.iter().filter(told).filter(|known| known.place.file == eval.file) {
        walk::visit(eval.body, repeat.body, &mut |at| {
            let expr = eval.body.expr(at);
            if known.place.range.covers(expr.range) {
                let set = match &expr.kind {
                    ExprKind::Assign { target, .. } | ExprKind::AssignOp { target, .. } => root(eval.body, *target),
                    ExprKind::MethodCall(call) if MOVES_ON.iter().any(|name| call.name.as_str().starts_with(name)) => {
                        root(eval.body, call.receiver)
                    }
                    _ => None,
                };
                moved.extend(set);
            }
            true
        });
    }
    moved
}

/// The local that a place is in.
fn root(body: &Body, id: ExprId) -> Option<LocalId> {
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        at = match body.expr(at).kind {
            ExprKind::Local(local) => return Some(local),
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => base,
            ExprKind::Deref(inner) | ExprKind::Await(inner) | ExprKind::Try(inner) => inner,
            _ => return None,
        };
    }
    None
}

fn locals_in(body: &Body, id: ExprId, locals: &mut Vec<LocalId>) {
    walk::visit(body, id, &mut |at| {
        if let ExprKind::Local(local) = body.expr(at).kind {
            if !locals.contains(&local) {
                locals.push(local);
            }
        }
        true
    });
}

/// What is bound in a loop, and from what.
fn bindings(body: &Body, repeat: &Loop) -> Vec<(Vec<LocalId>, ExprId)> {
    let mut out = Vec::new();
    let mut add = |pat: PatId, value: ExprId| {
        let mut locals = Vec::new();
        walk::bound_by(body, pat, &mut locals);
        out.push((locals, value));
    };
    walk::visit(body, repeat.body, &mut |at| {
        match &body.expr(at).kind {
            ExprKind::Let { pat, value } => add(*pat, *value),
            ExprKind::Match { value, arms } => arms.iter().for_each(|arm| add(arm.pat, *value)),
            ExprKind::Loop(inner) => {
                if let LoopKind::For { pat, iterable } = inner.kind {
                    add(pat, iterable);
                }
            }
            ExprKind::Block(block) => {
                for statement in &block.statements {
                    if let Statement::Let { pat, value: Some(value), .. } = statement {
                        add(*pat, *value);
                    }
                }
            }
            _ => {}
        }
        true
    });
    out
}
