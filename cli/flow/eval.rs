//! One function, from its parameters to its result: control flow and expressions.
//!
//! A forward pass over the structured body. Every expression gives a [`Value`]; branches are joined, loops run to what
//! they carry around, closures run where they are called. Calls are next door in `call`.

mod answers;
mod asked;
mod bound;
mod branching;
mod by_method;
pub(crate) mod control;
mod counted;
mod defaulted;
mod doubt;
mod ending;
mod errs;
mod failing;
mod frames;
mod gathered;
mod handed_over;
mod label;
mod notes;
mod pattern;
mod region;
mod response;
mod state;
mod success;
mod undone;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use frames::Frame;
use region::Exit;
pub(crate) use region::Region;
pub(crate) use state::State;

use super::dispatch::lent::Sent;
use super::engine::{Engine, ParamCall};
use super::events::{self, Event};
use super::outcome::{self, Condition, Outcomes};
use super::uses::{HandedKey, Use, UseKey};
use super::value::{Alt, Closure, Owner, Record, Regions, Shape, Value};
use super::{answering, call, handed};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, LocalId, MapKey, Name};
use crate::resolve::{BodyTypes, FnId};
use crate::source::{FileId, Span};

/// Loops nested deeper than this are walked once: each level doubles the work.
const MAX_LOOP_REPLAY: usize = 3;

/// Steps that the evaluation of one body may take: so many, and so many more for each of its expressions. Loops run
/// twice and closures once for each call, so that nests of them could take for ever.
const STEPS: usize = 10_000;
const STEPS_EACH: usize = 40;

/// The evaluation of one body.
pub(crate) struct Eval<'e, 'p> {
    pub(crate) engine: &'e mut Engine<'p>,
    owner: Owner,
    pub(crate) function: Option<FnId>,
    pub(crate) file: FileId,
    pub(crate) body: &'p Body,
    pub(crate) types: &'p BodyTypes,
    pub(crate) state: State,
    pub(crate) regions: Vec<Region>,
    pub(crate) region_ids: Regions,
    pub(crate) branches: Vec<(ExprId, u32)>,
    /// branches of which the other arms leave: what follows is in them, too
    pub(crate) passed: Vec<(ExprId, u32)>,
    pub(crate) uses: BTreeMap<UseKey, Use>,
    pub(crate) handed_keys: Vec<HandedKey>,
    pub(crate) param_calls: Vec<ParamCall>,
    /// parameters that were asked whether what stands for an answer is tried again
    judged: Vec<(Span, u32)>,
    /// requests that the function is handed and sends
    pub(crate) sent: Vec<Sent>,
    pub(crate) literals: Vec<(crate::resolve::TypeId, Record)>,
    pub(crate) unresolved: usize,
    pub(crate) events: Vec<Event>,
    pub(crate) shared: Vec<super::SharedKey>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) given: super::given::Given,
    /// the outcomes under which variants are made
    pub(crate) made: outcome::made::Made,
    /// what is matched is the answer of nobody that is in sight
    pub(crate) unasked: bool,
    /// how many things around only read what stands here: they compare it, or tell of it
    pub(crate) reading: u32,
    /// dispatches of which some branch knows what became of them
    settled: Vec<Span>,
    /// dispatches that may be in doubt though the function that was called for them has told of a success
    pub(crate) unheard: BTreeSet<Span>,
    /// the await by which what was only handed over was waited for first
    pub(super) first_awaits: BTreeMap<Span, ExprId>,
    /// dispatches in doubt where this function ends without an error
    pub(crate) hidden: BTreeSet<Span>,
    /// dispatches below a call that ends well whenever they have acted
    acting: Vec<Span>,
    /// calls of functions that end well whenever they have acted, where they stand, and the dispatches below them
    ending_well: Vec<(ExprId, Span, Span)>,
    /// dispatches after which the function may fail
    pub(crate) failing: BTreeSet<Span>,
    pub(crate) parents: Vec<Option<ExprId>>,
    frames: Vec<Frame>,
    exits: Vec<Exit>,
    seen: FxHashMap<ExprId, Value>,
    closures_run: Vec<ExprId>,
    closures_open: Vec<ExprId>,
    loop_depth: usize,
    /// the loops around over elements, and whether these have no order of their own
    pub(crate) each: Vec<(crate::source::TextRange, bool)>,
    /// what takes in one thing after the other
    pub(crate) filled: Vec<LocalId>,
    /// expressions that are what the function returns
    tails: Vec<ExprId>,
    /// the closures around that run in transactions of their own
    undoing: Vec<undone::Undoing>,
    /// the loops around, and of those that ask one after the other where a round ends
    rounds: Vec<branching::Rounds>,
    /// the call that is looked at
    pub(crate) calling: Option<ExprId>,
    /// the future that the next closure gives is waited for by whoever runs it
    pub(crate) waited_for: bool,
    /// the next closure runs once for each element of something
    pub(crate) for_each: bool,
    /// what that call is given: its receiver, its arguments
    pub(crate) handed_over: (Option<Value>, Vec<Value>),
    /// parameters that are run in a task, and whether nobody holds its handle
    pub(crate) spawned: Vec<(u32, bool)>,
    /// steps that may still be taken
    left: usize,
}

impl<'e, 'p> Eval<'e, 'p> {
    pub(crate) fn new(
        engine: &'e mut Engine<'p>,
        owner: Owner,
        file: FileId,
        body: &'p Body,
        types: &'p BodyTypes,
    ) -> Self {
        Self {
            engine,
            owner,
            function: match owner {
                Owner::Function(id) => Some(id),
                Owner::Constant(_) => None,
            },
            file,
            body,
            types,
            state: State::at_start(body.locals.len()),
            first_awaits: BTreeMap::new(),
            settled: Vec::new(),
            unheard: BTreeSet::new(),
            hidden: BTreeSet::new(),
            acting: Vec::new(),
            ending_well: Vec::new(),
            failing: BTreeSet::new(),
            regions: Vec::new(),
            region_ids: Regions::none(),
            branches: Vec::new(),
            passed: Vec::new(),
            uses: BTreeMap::new(),
            handed_keys: Vec::new(),
            param_calls: Vec::new(),
            judged: Vec::new(),
            sent: Vec::new(),
            literals: Vec::new(),
            unresolved: 0,
            events: Vec::new(),
            shared: Vec::new(),
            conditions: Vec::new(),
            given: super::given::Given::default(),
            made: BTreeMap::new(),
            unasked: false,
            reading: 0,
            parents: events::parents(body),
            frames: Vec::new(),
            exits: Vec::new(),
            seen: FxHashMap::default(),
            closures_run: Vec::new(),
            closures_open: Vec::new(),
            loop_depth: 0,
            each: Vec::new(),
            filled: Vec::new(),
            tails: answering::tails(body),
            undoing: Vec::new(),
            rounds: Vec::new(),
            calling: None,
            waited_for: false,
            for_each: false,
            handed_over: (None, Vec::new()),
            spawned: Vec::new(),
            left: STEPS + STEPS_EACH * body.exprs.len(),
        }
    }

    /// Runs the body; the value is what it returns on all its ways out.
    pub(crate) fn run(&mut self) -> Value {
        self.frames.push(Frame::default());
        let value = self.eval(self.body.root);
        self.run_unused_closures();
        let frame = self.frames.pop().unwrap_or_default();
        if let Some(state) = frame.state {
            self.state.join(&state);
        }
        value.join(&frame.value)
    }

    /// The value of an expression, and its effect on the state.
    pub(crate) fn eval(&mut self, id: ExprId) -> Value {
        let value = self.expression(id);
        self.tail(id, &value);
        self.statement_chosen(id, &value);
        self.may_undo(id, &value);
        self.next_round(id);
        value
    }

    fn expression(&mut self, id: ExprId) -> Value {
        let body = self.body;
        let expr = body.expr(id);
        if self.left == 0 {
            return self.opaque("a function that is too intricate to follow", self.span(expr.range));
        }
        self.left -= 1;
        match &expr.kind {
            ExprKind::Literal(literal) => {
                if let (Literal::Str(text), false) = (literal, self.branches.is_empty()) {
                    let means = self.engine.words.of_text(text);
                    self.state_word(means, self.span(expr.range), text);
                }
                self.literal(literal, expr.range)
            }
            ExprKind::Local(local) => self.state.locals[local.0 as usize].clone(),
            ExprKind::Path(_) => {
                let value = self.path(id);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Call { .. } | ExprKind::MethodCall(_) | ExprKind::Macro(_) => {
                let value = call::eval_call(self, id);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Field { base, name } => self.eval(*base).field(*name),
            ExprKind::Index { base, index } => self.indexed(*base, *index),
            ExprKind::Struct(literal) => {
                let fields =
                    literal.fields.iter().map(|&(name, value)| (name, self.eval(value))).collect::<BTreeMap<_, _>>();
                let rest = literal.rest.map(|rest| self.eval(rest));
                let value = call::structure(self, id, fields, rest);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Map(entries) => {
                let mut record = Record { path: Some(Name::new("{}")), ..Record::default() };
                let mut loose = Vec::new();
                for (key, value) in entries {
                    let value = self.eval(*value);
                    match key {
                        MapKey::Text(text) => {
                            record.fields.insert(Name::new(text), value);
                        }
                        MapKey::Value(key) => match self.eval(*key).text() {
                            Some(text) => {
                                record.fields.insert(Name::new(text), value);
                            }
                            None => loose.push(value),
                        },
                    }
                }
                if !loose.is_empty() {
                    record.rest = Some(Value::concat(&loose));
                }
                call::map_literal(self, id, record)
            }
            ExprKind::Tuple(items) => self.list(items, None),
            ExprKind::Array(items) => self.list(items, Some("[]")),
            ExprKind::Repeat { value, count } => {
                self.eval(*count);
                self.eval(*value)
            }
            ExprKind::Block(block) => self.block(id, block),
            ExprKind::If { condition, then, otherwise } => {
                self.eval(*condition);
                self.decided(id, *condition, [Some(*then), *otherwise].into_iter().flatten());
                self.asks_given(id, *condition);
                if let Some(otherwise) = *otherwise {
                    self.lumped_else(id, *condition, otherwise);
                }
                let mut asked = Vec::new();
                if let Some((about, yes, no, named)) = self.of_condition(*condition) {
                    self.condition((id, 0), about.clone(), yes, named);
                    self.condition((id, 1), about.clone(), no, named);
                    self.taken_by_let(id, *condition);
                    asked = about;
                } else {
                    self.asked_otherwise(id, *condition);
                }
                let before = self.state.clone();
                let around = self.branches.len();
                self.branches.push((id, 0));
                self.settle((id, 0));
                self.judge(*condition, true);
                self.errs_if(*condition, *then);
                let yes = self.eval(*then);
                self.answers_later(id, *then);
                let yes = self.nothing_for_error((id, 0), yes);
                let after = std::mem::replace(&mut self.state, before);
                let past_then = self.branches.split_off(around);
                self.branches.push((id, 1));
                self.settle((id, 1));
                self.judge(*condition, false);
                self.errs_unless(*condition);
                let no = match otherwise {
                    Some(otherwise) => {
                        let value = self.eval(*otherwise);
                        self.answers_later(id, *otherwise);
                        value
                    }
                    None => Value::bottom(),
                };
                let past_else = self.branches.split_off(around);
                let no = self.nothing_for_error((id, 1), no);
                let (yes, no) = (self.method_of_arm((id, 0), yes), self.method_of_arm((id, 1), no));
                let no = self.without(self.some_of(*condition), (&yes, &after), (otherwise.unwrap_or(id), no));
                match (after.reachable, self.state.reachable) {
                    (true, false) => self.pass_all(past_then),
                    (false, true) => self.pass_all(past_else),
                    _ => {}
                }
                self.state.join(&after);
                self.chosen_by(&asked, id, yes.join(&no))
            }
            ExprKind::Let { pat, value } => {
                let value = self.eval(*value);
                self.bind(*pat, &value);
                self.constant(None)
            }
            ExprKind::Match { value: given, arms } => {
                let value = self.eval(*given);
                self.decided(id, *given, arms.iter().map(|arm| arm.body));
                self.lumped(id, *given, arms);
                let (mut about, bare) = outcome::replies(&value);
                let own = self.function.map(|id| self.engine.program.function(id));
                let unasked = about.iter().all(|&at| own.is_some_and(|own| handed::is_place(own, at)));
                let named = |eval: &Self| arms.iter().any(|arm| outcome::words_of_pattern(eval, arm.pat).is_some());
                let part = outcome::is_part(self, *given);
                if part {
                    // Whoever looks into an answer has it.
                    self.answered_by(&about);
                }
                if part && !named(self) {
                    about.clear();
                }
                let before = self.state.clone();
                let mut after: Option<State> = None;
                let mut result = Value::bottom();
                let mut left = self.left_of(*given, &about, bare);
                let tested = outcome::of_condition(self, *given);
                let around = self.branches.len();
                let mut go_on = Vec::new();
                let mut with_some: Option<(Value, State)> = None;
                for (number, arm) in arms.iter().enumerate() {
                    self.state = before.clone();
                    self.branches.push((id, number as u32));
                    self.unasked = unasked;
                    let mut matched = outcome::of_pattern(self, arm.pat, bare, left);
                    self.unasked = false;
                    if let (Some((_, yes, no, named)), Some(holds)) = (&tested, self.bool_pattern(arm.pat)) {
                        matched.outcomes = if holds { *yes } else { *no };
                        matched.named = *named;
                    }
                    let rest = unasked.then(|| outcome::rest_of_enum(self, *given, arms, number));
                    if let Some(rest) = rest.flatten() {
                        matched.outcomes = rest;
                        matched.named = true;
                    }
                    if outcome::is_told_apart(self, arms, number, !about.is_empty()) {
                        matched.outcomes = matched.outcomes.without(Outcomes::UNKNOWN);
                    }
                    if outcome::is_none(self, arm.pat) && outcome::asks_whether_asked(self, *given) {
                        matched.outcomes = Outcomes::ALL;
                    }
                    if matched.named || !about.is_empty() {
                        self.condition((id, number as u32), about.clone(), matched.outcomes, matched.named);
                    }
                    let known = (matched.outcomes, matched.named);
                    self.among((id, number as u32), arms, &about, known, unasked);
                    if arm.guard.is_none() {
                        left = left.after(&matched);
                        self.taken_by((id, number as u32), arm.pat);
                    }
                    self.arm_of_given(&value, (id, number as u32), arm.pat);
                    let bound = self.matching(arm.pat, &value);
                    self.bind(arm.pat, &bound);
                    if let Some(guard) = arm.guard {
                        self.eval(guard);
                        if let Some((about, yes, no, named)) = outcome::of_condition(self, guard) {
                            self.condition((id, number as u32), about, yes, named);
                            left = left.after_guard(&matched, no);
                        } else if let Some(word) = self.guard_word(guard) {
                            // `Err(e) if e.code == "already_paid"`: later arms see the rest.
                            self.condition((id, number as u32), about.clone(), word, true);
                            left = left.after_guard(&matched, Outcomes::ALL.without(word));
                        } else if !outcome::asked_about(self, guard).is_empty() {
                            let known = Outcomes::ALL.without(Outcomes::UNKNOWN);
                            self.condition((id, number as u32), about.clone(), known, false);
                        }
                    }
                    // What else a guard asks is one more branch around the arm.
                    let asks = arm.guard.filter(|&guard| self.is_another_question(guard));
                    self.branches.extend(asks.map(|guard| (guard, 0)));
                    if matched.named || !part {
                        self.settle((id, number as u32));
                    }
                    arm.guard.into_iter().for_each(|guard| self.judge(guard, true));
                    if arm.guard.is_none() && outcome::takes_any_error(self, arm.pat) {
                        self.errs(*given, Some(arm.body));
                    }
                    let chosen = self.eval(arm.body);
                    self.answers_later(id, arm.body);
                    let chosen = self.nothing_for_error((id, number as u32), chosen);
                    let mut chosen = self.method_of_arm((id, number as u32), chosen);
                    match &with_some {
                        Some((given, with)) => {
                            chosen = self.without(value.as_parameter(), (given, with), (arm.body, chosen))
                        }
                        None if self.is_some(arm.pat) => with_some = Some((chosen.clone(), self.state.clone())),
                        None => {}
                    }
                    result = result.join(&self.chosen_by(&about, id, chosen));
                    let past = self.branches.split_off(around);
                    let known = matched.named && matched.outcomes != Outcomes::UNKNOWN;
                    if !self.state.reachable && !known && outcome::names_own_error(self, arm.pat) {
                        left = left.doubted();
                    }
                    go_on.extend(self.state.reachable.then_some(past));
                    match &mut after {
                        Some(after) => after.join(&self.state),
                        None => after = Some(self.state.clone()),
                    }
                }
                self.state = after.unwrap_or(before);
                if let (1, true) = (go_on.len(), arms.len() > 1) {
                    go_on.into_iter().for_each(|past| self.pass_all(past));
                }
                result
            }
            ExprKind::Loop(repeat) => self.looped(id, repeat),
            ExprKind::Closure(_) => {
                let closure = Closure { owner: self.owner, at: id };
                Value::alt(Alt { atoms: Arc::default(), shape: Shape::Closure(closure) })
            }
            ExprKind::Await(inner) => {
                let value = self.eval(*inner);
                self.detached(&value);
                let value = call::awaited(self, *inner, value);
                self.waited(id, &value);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Try(inner) => {
                let value = self.eval(*inner);
                self.may_fail();
                self.fail(id, *inner, &value);
                // The error of a block or closure of its own tells of what failed in it.
                let replies = value.replies();
                if self.frames.len() > 1 && !replies.is_empty() {
                    self.leave_frame(Value::alt(Alt { atoms: replies.into(), shape: Shape::Plain }));
                }
                if value.may_be_absent() {
                    let absent =
                        value.filter_map(|alt| alt.atoms.iter().any(|atom| atom.kind.is_absent()).then(|| alt.clone()));
                    self.leave_frame(absent);
                }
                self.succeeded(*inner, &value);
                value.present()
            }
            ExprKind::Deref(inner) | ExprKind::Not(inner) | ExprKind::Neg(inner) => self.eval(*inner),
            ExprKind::Cast { value, .. } => self.eval(*value),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = match op.compares() {
                    true => self.only_reading(|eval| (eval.eval(*left), eval.eval(*right))),
                    false => (self.eval(*left), self.eval(*right)),
                };
                match op {
                    BinaryOp::And | BinaryOp::Or => self.compared(&left, &right),
                    op if op.compares() => self.compared(&left, &right),
                    op => self.calculated(*op, &left, &right).unwrap_or_else(|| Value::concat(&[left, right])),
                }
            }
            ExprKind::Assign { target, value: given } => {
                let value = self.eval(*given);
                self.noted(*target, id);
                self.assign(*target, value, expr.range);
                self.sets_response(*target, "status", &[*given], id);
                self.constant(None)
            }
            ExprKind::AssignOp { target, value, .. } => {
                let old = self.eval(*target);
                let value = self.eval(*value);
                let order = self.text_order(*target);
                self.noted(*target, id);
                let taken = self.all_taken(*target, &value);
                let parts: Vec<Value> = [old].into_iter().chain(taken).chain(order).collect();
                self.assign(*target, Value::concat(&parts), expr.range);
                self.constant(None)
            }
            ExprKind::Range { start, end } => {
                let parts: Vec<_> = [start, end].into_iter().flatten().map(|&part| self.eval(part)).collect();
                Value::concat(&parts)
            }
            ExprKind::Return(value) => {
                let given = value.unwrap_or(id);
                let value = match value {
                    Some(value) => self.eval(*value),
                    None => Value::bottom(),
                };
                match self.is_heard(given) {
                    true => self.leave(id, given, &value),
                    false => self.returned_from_closure(given, &value),
                }
                self.may_end_with_error(given);
                self.ends_all(given);
                self.leave_frame(value);
                self.die()
            }
            ExprKind::Break { label, value } => {
                let value = match value {
                    Some(value) => self.eval(*value),
                    None => Value::bottom(),
                };
                self.ends_from(*label);
                let frame = self.frames.len();
                let state = self.state.clone();
                let exit = self.exits.iter_mut().rev().find(|exit| {
                    exit.frame == frame
                        && match label {
                            Some(label) => exit.label == Some(*label),
                            None => exit.is_loop,
                        }
                });
                if let Some(exit) = exit {
                    exit.value = exit.value.join(&value);
                    match &mut exit.state {
                        Some(joined) => joined.join(&state),
                        None => exit.state = Some(state),
                    }
                }
                self.die()
            }
            ExprKind::Continue { label } => {
                let frame = self.frames.len();
                let is_meant =
                    |exit: &Exit| exit.frame == frame && exit.is_loop && (label.is_none() || exit.label == *label);
                if let (Some(at), true) = (self.exits.iter().rposition(is_meant), self.state.reachable) {
                    self.exits[at].again.extend(&self.state.in_doubt);
                    self.comes_round(at);
                }
                self.continued(id);
                self.die()
            }
            ExprKind::Format(format) => {
                let value = self.format(format, expr.range);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Concurrent(all) => self.concurrent(id, all),
            ExprKind::Opaque(reason) => self.opaque(reason, self.span(expr.range)),
        }
    }
}
