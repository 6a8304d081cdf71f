//! Blocks, loops, closures, and the ways out of them.

use std::sync::Arc;

use super::super::RepeatScope;
use super::super::events::{self, Event, EventKind, Role, Usage};
use super::super::outcome::{self, Left};
use super::super::scope::{head, is_endless, leaves, loop_scope};
use super::super::value::{Alt, Atom, Closure, Kind, Regions, Shape, Trail, Value};
use super::super::{batch, call, picked, shapes, walk, width};
use super::success::Successes;
use super::{Eval, Exit, MAX_LOOP_REPLAY, Region, State, branching, by_method, counted};
use crate::catalog::FreshKind;
use crate::ir::{Block, BlockKind, ExprId, ExprKind, Loop, LoopKind, Name, PatKind, Statement};
use crate::resolve::Ty;
use crate::source::{Span, TextRange};

/// The parameters that a value is, as a whole.
pub(crate) fn whole_params(value: &Value) -> Vec<u32> {
    let atoms = value.atoms().filter_map(|atom| match &atom.kind {
        Kind::Param(index, path) if path.is_empty() => Some(*index),
        _ => None,
    });
    atoms.collect()
}

impl Eval<'_, '_> {
    /// Closures that nobody was seen to call may still be called.
    pub(super) fn run_unused_closures(&mut self) {
        for at in 0..self.body.exprs.len() {
            let id = ExprId(at as u32);
            if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) && !self.closures_run.contains(&id) {
                let reachable = std::mem::replace(&mut self.state.reachable, true);
                self.run_closure(Closure { owner: self.owner, at: id }, &[], None);
                self.state.reachable = reachable;
            }
        }
    }

    /// The innermost scope that repeats what is looked at.
    pub(crate) fn repeating(&self) -> Option<Arc<RepeatScope>> {
        self.regions.iter().rev().find_map(|region| region.repeat.clone())
    }

    pub(crate) fn push_region(&mut self, region: Region) {
        self.regions.push(region);
        self.number_regions();
    }

    pub(crate) fn pop_region(&mut self) {
        self.regions.pop();
        self.number_regions();
    }

    fn number_regions(&mut self) {
        let ids: Vec<ExprId> = self.regions.iter().map(|region| region.id).collect();
        self.region_ids = Regions::new(&ids);
    }

    /// A parameter that is awaited in a task: its caller's work runs apart from the caller, and detached where nobody holds
    /// the handle.
    pub(crate) fn detached(&mut self, value: &Value) {
        let task = self.regions.iter().find_map(|region| match region.role {
            Role::Spawned { dropped } => Some(dropped),
            _ => None,
        });
        if let Some(dropped) = task {
            self.spawned.extend(whole_params(value).into_iter().map(|param| (param, dropped)));
        }
    }

    /// What a future does runs where it is taken, in the regions that are open now: `let work = charge(order); spawn(work)`.
    pub(crate) fn put_off(&mut self, id: ExprId) {
        let ExprKind::Local(local) = self.body.expr(id).kind else {
            return;
        };
        let called = self.body.bound(local).filter(|&made| {
            matches!(self.body.expr(made).kind, ExprKind::MethodCall(_) | ExprKind::Call { .. })
                && matches!(self.ty(made), Ty::Future(_))
        });
        let Some(called) = called.map(|made| self.span_of(made)) else {
            return;
        };
        let inside = |event: &Event| {
            let here = event.via.first().unwrap_or(&event.span);
            here.file == called.file && called.range.covers(here.range)
        };
        let now = self.region_marks();
        for event in self.events.iter_mut().filter(|event| inside(event)) {
            let open = event.regions.iter().zip(&now).take_while(|(then, now)| then == now).count();
            event.regions = now.iter().chain(&event.regions[open..]).cloned().collect();
        }
    }

    pub(super) fn die(&mut self) -> Value {
        self.state.reachable = false;
        Value::bottom()
    }

    pub(super) fn block(&mut self, id: ExprId, block: &Block) -> Value {
        let own_frame = block.kind == BlockKind::Async;
        if own_frame {
            self.open_frame(id);
        }
        if block.label.is_some() {
            self.exits.push(Exit {
                label: block.label,
                is_loop: false,
                value: Value::bottom(),
                state: None,
                frame: self.frames.len(),
                again: Vec::new(),
                around: self.branches.len(),
                successes: Successes::default(),
            });
        }
        let around = self.branches.len();
        for statement in &block.statements {
            match statement {
                Statement::Let { pat, value: given, otherwise, .. } => {
                    let given = *given;
                    let value = match given {
                        Some(given) if self.is_label(*pat, given) => self.only_reading(|eval| eval.eval(given)),
                        Some(given) => self.eval(given),
                        None => Value::bottom(),
                    };
                    let matched = self.matching(*pat, &value);
                    if let Some(otherwise) = otherwise {
                        let before = self.state.clone();
                        let branch = (*otherwise, 1);
                        let (about, bare) = outcome::replies(&value);
                        let matched = outcome::of_pattern(self, *pat, bare, Left::all(bare));
                        let part = !matched.named && given.is_some_and(|given| outcome::is_part(self, given));
                        if !about.is_empty() && !part {
                            let rest = outcome::rest_of(self, *pat, &matched, bare);
                            self.condition(branch, about.clone(), rest, matched.named);
                            self.condition((*otherwise, 0), about, matched.outcomes, matched.named);
                        }
                        if self.is_some(*pat) {
                            self.given_branch(&value, branch, false);
                            self.given_branch(&value, (*otherwise, 0), true);
                        }
                        let outside = self.branches.len();
                        self.branches.push(branch);
                        self.settle(branch);
                        given.into_iter().for_each(|given| self.errs_beside(*pat, given));
                        self.eval(*otherwise);
                        self.branches.truncate(outside);
                        self.state = before;
                        self.settle((*otherwise, 0));
                        self.pass((*otherwise, 0));
                    }
                    let noted = match self.body.pat(*pat).kind {
                        PatKind::Bind { local, .. } => {
                            let name = self.body.locals[local.0 as usize].name;
                            let span = self.span(self.body.pat(*pat).range);
                            matched.step(span, &format!("kept in `{name}`"))
                        }
                        _ => matched,
                    };
                    self.bind(*pat, &noted);
                }
                Statement::Expr(id) => {
                    self.eval(*id);
                }
            }
        }
        let mut value = match block.tail {
            Some(tail) => self.eval(tail),
            None => Value::bottom(),
        };
        // Who comes to what is behind a block has come past its branches, unless it could be left some other way.
        if block.label.is_some() || own_frame {
            self.branches.truncate(around);
        }
        if block.label.is_some() {
            if let Some(exit) = self.exits.pop() {
                value = value.join(&exit.value);
                if let Some(state) = exit.state {
                    self.state.join(&state);
                }
            }
        }
        if own_frame {
            value = self.close_frame(value);
        }
        value
    }

    pub(super) fn looped(&mut self, id: ExprId, repeat: &Loop) -> Value {
        let iterated = match repeat.kind {
            LoopKind::For { iterable, .. } => Some(self.eval(iterable)),
            _ => None,
        };
        let (element, order) = match &iterated {
            Some(value) if self.is_counted(repeat, value) => (self.number(), None),
            Some(value) => call::element(self, value),
            None => (Value::bottom(), None),
        };
        if let Some(value) = &iterated {
            picked::record_in_loop(self, repeat, value);
        }
        let unordered = self.map_order(repeat, order.is_some());
        let elements = matches!(repeat.kind, LoopKind::For { .. }) || unordered;
        self.each.extend(elements.then_some((self.body.expr(id).range, unordered)));
        let scope = loop_scope(self.body, self.file, id, repeat, &self.engine.catalog.words);
        let scope = scope.map(|scope| Arc::new(by_method::asked(self, repeat, scope)));
        let one_after_the_other = branching::goes_on(self, repeat);
        self.enter_rounds(repeat, one_after_the_other);
        let endless = || is_endless(self.body, repeat, &self.engine.catalog.words);
        let role = if scope.is_some() {
            Role::Retry
        } else {
            let rounds = elements && self.looks_at_none(repeat) || leaves(self.body, repeat.body);
            Role::Each { endless: endless(), unordered: self.is_unordered(repeat), rounds }
        };
        self.push_region(Region { id, repeat: scope.clone(), role });
        self.loop_depth += 1;
        let doubts = std::mem::take(&mut self.state.in_doubt);
        let ran = (std::mem::take(&mut self.state.ran), std::mem::take(&mut self.state.fine));
        if scope.is_some() {
            self.count_attempts(id, repeat);
        }
        let mut again = Vec::new();
        let mut successes = Successes::default();
        let mut left: Option<State> = None;
        let before = self.state.clone();
        let rounds = if self.loop_depth > MAX_LOOP_REPLAY { 1 } else { 2 };
        let goes_through = iterated.as_ref().is_some_and(|value| self.goes_through_all(repeat, value));
        let mut result = Value::bottom();
        for _ in 0..rounds {
            self.exits.push(Exit {
                label: repeat.label,
                is_loop: true,
                value: Value::bottom(),
                state: None,
                frame: self.frames.len(),
                again: Vec::new(),
                around: self.branches.len(),
                successes: Successes::default(),
            });
            let around = self.branches.len();
            match repeat.kind {
                LoopKind::Loop => {}
                LoopKind::While(condition) => {
                    self.eval(condition);
                    self.not_begun((id, 0));
                    successes.end(&self.ending_by(condition, repeat.body));
                    if let Some((about, yes, _, named)) = outcome::of_condition(self, condition) {
                        self.condition((id, 0), about, yes, named);
                        self.settle((id, 0));
                        self.branches.push((id, 0));
                    }
                }
                LoopKind::For { pat, .. } => {
                    let value = match (&iterated, &scope) {
                        (Some(_), Some(_)) if !one_after_the_other => self.attempt(self.body.pat(pat).range),
                        (Some(_), _) => self.entered(&element),
                        (None, _) => Value::bottom(),
                    };
                    self.bind(pat, &value);
                }
            }
            self.eval(repeat.body);
            self.branches.truncate(around);
            if let (Some(at), true) = (self.exits.len().checked_sub(1), self.state.reachable) {
                self.comes_round(at);
            }
            let exit = self.exits.pop();
            again.extend(self.state.in_doubt.iter().filter(|_| self.state.reachable));
            let round = std::mem::replace(&mut self.state, before.clone());
            self.state.join(&round);
            if goes_through && round.reachable {
                self.state.locals = round.locals;
            } else if iterated.is_some() && scope.is_none() && round.reachable {
                self.gather(&before, &round);
            }
            if let Some(exit) = exit {
                result = result.join(&exit.value);
                again.extend(exit.again);
                successes.add(exit.successes);
                // What leaves the loop does not come round.
                match (&mut left, exit.state) {
                    (Some(left), Some(state)) => left.join(&state),
                    (None, state) => left = state,
                    (Some(_), None) => {}
                }
            }
        }
        if let Some(left) = left {
            self.state.join(&left);
        }
        self.loop_depth -= 1;
        self.leave_rounds();
        if elements {
            self.each.pop();
        }
        self.pop_region();
        if scope.is_none() {
            self.comes_back(id, head(self.body, self.file, id, repeat));
        }
        if let Some(scope) = scope {
            self.not_repeated(&scope, &again);
            self.goes_through(&scope, repeat, &successes);
        }
        self.state.rejoin(ran);
        self.state.in_doubt.extend(doubts);
        self.state.reachable = before.reachable && !self.goes_on_for_ever(repeat);
        result
    }

    /// Whether nothing comes behind a loop: it is left by ending the function alone.
    fn goes_on_for_ever(&self, repeat: &Loop) -> bool {
        let leaves = |at: ExprId| {
            let kind = &self.body.expr(at).kind;
            matches!(kind, ExprKind::Break { .. } | ExprKind::Macro(_) | ExprKind::Opaque(_))
        };
        matches!(repeat.kind, LoopKind::Loop) && !walk::any(self.body, repeat.body, &leaves)
    }

    /// Whether a loop counts between fixed numbers: each round has one of its own.
    fn is_counted(&self, repeat: &Loop, range: &Value) -> bool {
        let LoopKind::For { iterable, .. } = repeat.kind else {
            return false;
        };
        matches!(self.body.expr(iterable).kind, ExprKind::Range { .. })
            && range.atoms().all(|atom| matches!(atom.kind, Kind::Constant(_) | Kind::Empty))
    }

    /// Whether a loop is over elements that are written out, or over a text or digest that is never empty, and each of its
    /// rounds comes to its end: what is behind it has seen them all.
    fn goes_through_all(&self, repeat: &Loop, elements: &Value) -> bool {
        let LoopKind::For { iterable, .. } = repeat.kind else {
            return false;
        };
        let is_list =
            |alt: &Alt| matches!(&alt.shape, Shape::Record(record) if record.is_list() && !record.fields.is_empty());
        let mut at = iterable;
        while let ExprKind::MethodCall(call) = &self.body.expr(at).kind {
            if !call.args.is_empty() {
                return false;
            }
            at = call.receiver;
        }
        let written = match self.body.expr(at).kind {
            ExprKind::Local(local) => self.body.bound(local),
            _ => Some(at),
        };
        let written = written.is_some_and(|at| matches!(self.body.expr(at).kind, ExprKind::Array(_)));
        // How long the things in a collection are says nothing of how many there are.
        let holds = matches!(self.ty(at), Ty::External(_, held) if !held.is_empty());
        let is_long = || self.function.is_some_and(|of| width::of_expr(self.engine, of, self.body, iterable).is_some());
        let skips = |at: ExprId| matches!(self.body.expr(at).kind, ExprKind::Continue { .. });
        (written && elements.alts.iter().all(is_list) || !written && !holds && is_long())
            && !walk::any(self.body, repeat.body, &skips)
    }

    /// The number of an attempt, which stands here.
    fn attempt(&self, range: TextRange) -> Value {
        let trail = Trail::start(self.span(range), "the number of the attempt");
        Value::atom(Atom::new(Kind::Attempt(Name::new("count")), self.here(), trail))
    }

    /// What a loop that tries again counts up by itself is the number of the attempt, from its first round on.
    fn count_attempts(&mut self, id: ExprId, repeat: &Loop) {
        for (local, range) in counted::attempts(self.body, id, repeat) {
            self.state.locals[local.0 as usize] = self.attempt(range);
        }
    }

    fn number(&self) -> Value {
        Value::atom(Atom::new(Kind::Input(Name::new("a number of the loop")), self.here(), Trail::default()))
    }

    /// A loop over a hash map goes another way in each run, and so does one over what was gathered in the order of one.
    fn map_order(&mut self, repeat: &Loop, gathered: bool) -> bool {
        let LoopKind::For { iterable, .. } = repeat.kind else {
            let taken = walk::taken_from(self.body, repeat);
            let ordered_by = taken.filter(|&from| call::element(self, &self.quiet(from)).1.is_some());
            if let Some(from) = ordered_by {
                self.goes_in_map_order(self.span_of(from), Name::new("next"));
            }
            return ordered_by.is_some();
        };
        // `&map`, `map.iter()`, `map.keys()`
        let of = match &self.body.expr(iterable).kind {
            ExprKind::MethodCall(call)
                if matches!(call.name.as_str(), "iter" | "keys" | "values" | "into_iter" | "drain") =>
            {
                call.receiver
            }
            _ => iterable,
        };
        let is_map = matches!(self.ty(of), Ty::External(path, _) if shapes::is_hash_map(path.as_str()));
        if is_map || gathered {
            self.goes_in_map_order(self.span_of(iterable), Name::new("for"));
        }
        is_map || gathered
    }

    /// In a program with replayed code: what is done for each of several things here is done in the order of a hash map.
    pub(crate) fn goes_in_map_order(&mut self, at: Span, by: Name) {
        if self.engine.has_workflows {
            self.calling = None;
            self.event(EventKind::Fresh { kind: FreshKind::MapOrder }, at, by, Usage::Used);
        }
    }

    /// Whether a loop is over things that come in the order in which they are done: `while let Some(x) = done.next()`
    /// of a stream or a set that runs many at once.
    fn is_unordered(&self, repeat: &Loop) -> bool {
        let given = match repeat.kind {
            LoopKind::For { iterable, .. } => iterable,
            LoopKind::While(condition) => match self.body.expr(condition).kind {
                ExprKind::Let { value, .. } => value,
                _ => return false,
            },
            LoopKind::Loop => return false,
        };
        batch::comes_as_done(self, given)
    }

    /// Whether the variable of a loop is never looked at: `for _ in 0..20`.
    fn looks_at_none(&self, repeat: &Loop) -> bool {
        let LoopKind::For { pat, .. } = repeat.kind else {
            return false;
        };
        let mut locals = Vec::new();
        walk::bound_by(self.body, pat, &mut locals);
        !locals.into_iter().any(|local| events::is_read(self.body, local))
    }

    /// The outermost loop around a place in which something from before it takes in one element after the other, and
    /// whether they come without an order of their own.
    pub(crate) fn taking_in(&self, id: ExprId) -> Option<(Span, bool)> {
        let ExprKind::Local(local) = self.body.expr(id).kind else {
            return None;
        };
        let made = self.body.locals[local.0 as usize].range;
        let mut around = self.each.iter().filter(|(range, _)| made.end <= range.start);
        let &(first, _) = around.clone().next()?;
        Some((self.span(first), around.any(|(_, unordered)| *unordered)))
    }

    /// What something has taken in that is handed a value: in the end all elements of the loops around, whichever comes when.
    pub(crate) fn all_taken(&self, target: ExprId, value: &Value) -> Vec<Value> {
        match self.taking_in(target) {
            Some(_) => value.alts.iter().map(|alt| Value::alt(alt.clone())).collect(),
            None => vec![value.clone()],
        }
    }

    /// The order in which a loop over a hash map puts one piece of text behind the other.
    pub(super) fn text_order(&mut self, target: ExprId) -> Option<Value> {
        let is_text = matches!(self.ty(target), Ty::External(path, _) if path.as_str() == "std::string::String");
        if is_text { self.takes_in(target) } else { None }
    }

    /// Notes that something takes in one thing after the other, and gives the order in which a loop over a hash map hands it
    /// these. What finds each by its key has an order of its own, or none.
    pub(crate) fn takes_in(&mut self, id: ExprId) -> Option<Value> {
        let (ExprKind::Local(local), false) = (&self.body.expr(id).kind, shapes::finds_by_key(self.ty(id))) else {
            return None;
        };
        if !self.filled.contains(local) {
            self.filled.push(*local);
        }
        let (first, unordered) = self.taking_in(id)?;
        let trail = Trail::start(first, "the order of a map comes in here");
        let order = Atom::new(Kind::Fresh(FreshKind::MapOrder), self.here(), trail);
        unordered.then(|| Value::atom(order))
    }

    /// Whether a closure was run, by whoever calls it.
    pub(crate) fn has_run(&self, closure: Closure) -> bool {
        closure.owner != self.owner || self.closures_run.contains(&closure.at)
    }

    /// Whether a closure makes a future and is handed to a call as whose statement nobody waits for anything.
    fn is_left(&self, closure: ExprId, mut body: ExprId) -> bool {
        while let ExprKind::Block(block) = &self.body.expr(body).kind {
            match (block.kind, block.tail) {
                (BlockKind::Async, _) => {
                    let call = walk::parent(&self.parents, closure);
                    return call.is_some_and(|call| {
                        matches!(self.body.expr(call).kind, ExprKind::Call { .. } | ExprKind::MethodCall(_))
                            && self.usage(call) == Usage::Dropped
                            && events::awaits(self.body, &self.parents, call) == 0
                    });
                }
                (_, Some(tail)) => body = tail,
                _ => return false,
            }
        }
        false
    }

    /// Whether a closure goes on with what the call before it on a chain gave.
    fn is_next(&self, closure: ExprId) -> bool {
        let call = walk::parent(&self.parents, closure);
        call.is_some_and(|call| match &self.body.expr(call).kind {
            ExprKind::MethodCall(call) => {
                matches!(call.name.as_str(), "and_then" | "map_ok") && *call.args == [closure]
            }
            _ => false,
        })
    }

    /// Runs a closure of this body with what its caller passes; parameters that are not passed are unknown inputs.
    /// One that another body handed over is unknown.
    pub(crate) fn run_closure(&mut self, closure: Closure, args: &[Value], repeat: Option<Arc<RepeatScope>>) -> Value {
        let Closure { owner, at: id } = closure;
        let waited_for = std::mem::take(&mut self.waited_for);
        let for_each = std::mem::take(&mut self.for_each);
        if owner != self.owner {
            return self.opaque("a closure of another function", self.span_of(self.body.root));
        }
        let ExprKind::Closure(closure) = &self.body.expr(id).kind else {
            return Value::bottom();
        };
        let span = self.span_of(id);
        if self.closures_open.contains(&id) {
            return self.opaque("a closure that calls itself", span);
        }
        if !self.closures_run.contains(&id) {
            self.closures_run.push(id);
        }
        self.closures_open.push(id);
        let role = match repeat {
            Some(_) => Role::Retry,
            None => Role::Closure { later: self.is_left(id, closure.body), next: self.is_next(id) },
        };
        self.push_region(Region { id, repeat, role });
        for (at, (pat, _)) in closure.params.iter().enumerate() {
            let value = match args.get(at) {
                Some(value) => value.clone(),
                None => Value::atom(Atom::new(
                    Kind::Input(Name::new("a closure's argument")),
                    self.here(),
                    Trail::default(),
                )),
            };
            self.bind(*pat, &value);
        }
        self.open_frame(id);
        let before = self.state.clone();
        let around = self.branches.len();
        let mut value = self.eval(closure.body);
        self.branches.truncate(around);
        if let Some(future) = walk::given_future(self.body, closure.body).filter(|_| waited_for) {
            value = call::awaited(self, future, value);
        }
        let value = self.close_frame(value);
        // It may also not run.
        let ended = for_each.then(|| self.state.clone());
        self.state.join(&before);
        ended.iter().filter(|ended| ended.reachable).for_each(|ended| self.gather(&before, ended));
        self.state.reachable = before.reachable;
        self.pop_region();
        self.closures_open.pop();
        value
    }
}
