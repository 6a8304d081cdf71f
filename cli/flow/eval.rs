//! One function, from its parameters to its result: control flow and expressions.
//!
//! A forward pass over the structured body. Every expression gives a [`Value`]; branches are joined, loops run to what
//! they carry around, closures run where they are called. Calls are next door in `call`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::engine::Engine;
use super::events::{self, Branch, Event, EventKind, RegionMark, Role, Usage};
use super::outcome::{self, Condition, Outcomes};
use super::scope::loop_scope;
use super::uses::{Use, UseKey};
use super::value::{Alt, Atom, CallContext, Entered, Kind, Record, Regions, Shape, Trail, Value};
use super::{RepeatScope, call};
use crate::ir::{
    BinaryOp, Block, BlockKind, Body, ExprId, ExprKind, FormatCall, Literal, LocalId, Loop, LoopKind, MapKey, Name,
    PatId, PatKind, Statement,
};
use crate::resolve::{BodyTypes, FnId, StructDef, Ty, ValueDef};
use crate::source::{FileId, Span, TextRange};

/// Loops nested deeper than this are walked once: each level doubles the work.
const MAX_LOOP_REPLAY: usize = 3;

/// What is known at one point of the function.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) locals: Vec<Value>,
    pub(crate) reachable: bool,
}

impl State {
    fn join(&mut self, other: &State) {
        if !other.reachable {
            return;
        }
        if !self.reachable {
            *self = other.clone();
            return;
        }
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *mine = mine.join(theirs);
        }
    }
}

/// A part of the function that may run again, or once for each element.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) id: ExprId,
    pub(crate) repeat: Option<Arc<RepeatScope>>,
    /// what it does with what is in it
    pub(crate) role: Role,
}

impl Region {
    /// A loop over a collection: each round is another intent.
    pub(crate) fn is_each(&self) -> bool {
        self.role == Role::Each
    }
}

/// A loop or labelled block that `break` can leave.
struct Exit {
    label: Option<Name>,
    is_loop: bool,
    value: Value,
    state: Option<State>,
    frame: usize,
}

/// What `return` and `?` leave: the function, a closure, an async block.
struct Frame {
    value: Value,
    state: Option<State>,
}

/// The evaluation of one body.
pub(crate) struct Eval<'e, 'p> {
    pub(crate) engine: &'e mut Engine<'p>,
    pub(crate) function: Option<FnId>,
    pub(crate) file: FileId,
    pub(crate) body: &'p Body,
    pub(crate) types: &'p BodyTypes,
    pub(crate) state: State,
    pub(crate) regions: Vec<Region>,
    pub(crate) region_ids: Regions,
    pub(crate) branches: Vec<(ExprId, u32)>,
    pub(crate) uses: BTreeMap<UseKey, Use>,
    pub(crate) param_calls: Vec<(u32, Option<Arc<RepeatScope>>)>,
    pub(crate) literals: Vec<(crate::resolve::TypeId, Record)>,
    pub(crate) unresolved: usize,
    pub(crate) events: Vec<Event>,
    pub(crate) shared: Vec<super::SharedKey>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) parents: Vec<Option<ExprId>>,
    frames: Vec<Frame>,
    exits: Vec<Exit>,
    seen: std::collections::HashMap<ExprId, Value>,
    closures_run: Vec<ExprId>,
    closures_open: Vec<ExprId>,
    loop_depth: usize,
}

impl<'e, 'p> Eval<'e, 'p> {
    pub(crate) fn new(
        engine: &'e mut Engine<'p>,
        function: Option<FnId>,
        file: FileId,
        body: &'p Body,
        types: &'p BodyTypes,
    ) -> Self {
        Self {
            engine,
            function,
            file,
            body,
            types,
            state: State { locals: vec![Value::bottom(); body.locals.len()], reachable: true },
            regions: Vec::new(),
            region_ids: Arc::from([]),
            branches: Vec::new(),
            uses: BTreeMap::new(),
            param_calls: Vec::new(),
            literals: Vec::new(),
            unresolved: 0,
            events: Vec::new(),
            shared: Vec::new(),
            conditions: Vec::new(),
            parents: events::parents(body),
            frames: Vec::new(),
            exits: Vec::new(),
            seen: std::collections::HashMap::new(),
            closures_run: Vec::new(),
            closures_open: Vec::new(),
            loop_depth: 0,
        }
    }

    /// Runs the body; the value is what it returns on all its ways out.
    pub(crate) fn run(&mut self) -> Value {
        self.frames.push(Frame { value: Value::bottom(), state: None });
        let value = self.eval(self.body.root);
        self.run_unused_closures();
        let frame = self.frames.pop().unwrap_or(Frame { value: Value::bottom(), state: None });
        if let Some(state) = frame.state {
            self.state.join(&state);
        }
        value.join(&frame.value)
    }

    /// Closures that nobody was seen to call may still be called.
    fn run_unused_closures(&mut self) {
        for at in 0..self.body.exprs.len() {
            let id = ExprId(at as u32);
            if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) && !self.closures_run.contains(&id) {
                let reachable = std::mem::replace(&mut self.state.reachable, true);
                self.run_closure(id, &[], None);
                self.state.reachable = reachable;
            }
        }
    }

    pub(crate) fn span(&self, range: TextRange) -> Span {
        Span::new(self.file, range)
    }

    pub(crate) fn span_of(&self, id: ExprId) -> Span {
        self.span(self.body.expr(id).range)
    }

    /// Records something that happens here.
    pub(crate) fn event(&mut self, kind: EventKind, span: Span, name: Name, usage: Usage) {
        let Some(function) = self.function else {
            return;
        };
        if self.events.len() >= events::MAX_EVENTS || !self.state.reachable {
            return;
        }
        let event = Event {
            kind,
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
    fn fail(&mut self, id: ExprId, inner: ExprId, value: &Value) {
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
    fn is_error(&self, id: ExprId) -> bool {
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

    /// The value of an expression that was evaluated before, without evaluating anything again.
    pub(crate) fn quiet(&self, id: ExprId) -> Value {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => self.state.locals[local.0 as usize].clone(),
            ExprKind::Field { base, name } => self.quiet(*base).field(*name),
            ExprKind::Deref(inner) | ExprKind::Try(inner) => self.quiet(*inner),
            ExprKind::Await(inner) => {
                let seen = self.seen(id);
                if seen.is_bottom() { self.quiet(*inner) } else { seen }
            }
            ExprKind::MethodCall(call) if call.args.is_empty() => {
                let seen = self.seen(id);
                if seen.is_bottom() { self.quiet(call.receiver) } else { seen }
            }
            _ => self.seen(id),
        }
    }

    pub(crate) fn usage(&self, id: ExprId) -> Usage {
        events::usage(self.body, &self.parents, id)
    }

    pub(crate) fn here(&self) -> Entered {
        Entered::Here(self.region_ids.clone())
    }

    pub(crate) fn opaque(&self, reason: &str, span: Span) -> Value {
        Value::atom(Atom::new(Kind::Opaque(Name::new(reason)), self.here(), Trail::start(span, reason)))
    }

    pub(crate) fn constant(&self, text: Option<&str>) -> Value {
        Value::atom(Atom::new(Kind::Constant(text.map(Name::new)), Entered::Elsewhere, Trail::default()))
    }

    pub(crate) fn push_region(&mut self, region: Region) {
        self.regions.push(region);
        self.region_ids = self.regions.iter().map(|region| region.id).collect();
    }

    pub(crate) fn pop_region(&mut self) {
        self.regions.pop();
        self.region_ids = self.regions.iter().map(|region| region.id).collect();
    }

    fn die(&mut self) -> Value {
        self.state.reachable = false;
        Value::bottom()
    }

    /// The value of an expression, and its effect on the state.
    pub(crate) fn eval(&mut self, id: ExprId) -> Value {
        let body = self.body;
        let expr = body.expr(id);
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
            ExprKind::Index { base, index } => {
                let value = self.eval(*base);
                let key = self.eval(*index).text();
                match key {
                    Some(key) => value.field(Name::new(key)),
                    None => self.elements(&value),
                }
            }
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
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                self.eval(*condition);
                if let Some((about, yes, no, named)) = outcome::of_condition(self, *condition) {
                    self.condition((id, 0), about.clone(), yes, named);
                    self.condition((id, 1), about, no, named);
                }
                let before = self.state.clone();
                self.branches.push((id, 0));
                let yes = self.eval(*then);
                let after = std::mem::replace(&mut self.state, before);
                self.branches.pop();
                self.branches.push((id, 1));
                let no = match otherwise {
                    Some(otherwise) => self.eval(*otherwise),
                    None => Value::bottom(),
                };
                self.branches.pop();
                self.state.join(&after);
                yes.join(&no)
            }
            ExprKind::Let { pat, value } => {
                let value = self.eval(*value);
                self.bind(*pat, &value);
                self.constant(None)
            }
            ExprKind::Match { value, arms } => {
                let value = self.eval(*value);
                let before = self.state.clone();
                let mut after: Option<State> = None;
                let mut result = Value::bottom();
                let (about, bare) = outcome::replies(&value);
                let mut left = Outcomes::ALL;
                for (number, arm) in arms.iter().enumerate() {
                    self.state = before.clone();
                    self.branches.push((id, number as u32));
                    let matched = outcome::of_pattern(self, arm.pat, bare, left);
                    if matched.named || !about.is_empty() {
                        self.condition((id, number as u32), about.clone(), matched.outcomes, matched.named);
                    }
                    if matched.complete && arm.guard.is_none() {
                        left = left.without(matched.outcomes);
                    }
                    let bound = self.matching(arm.pat, &value);
                    self.bind(arm.pat, &bound);
                    if let Some(guard) = arm.guard {
                        self.eval(guard);
                        if let Some((about, yes, no, named)) = outcome::of_condition(self, guard) {
                            self.condition((id, number as u32), about, yes, named);
                            if matched.complete {
                                left = left.and(no.or(Outcomes::ALL.without(matched.outcomes)));
                            }
                        }
                    }
                    result = result.join(&self.eval(arm.body));
                    self.branches.pop();
                    match &mut after {
                        Some(after) => after.join(&self.state),
                        None => after = Some(self.state.clone()),
                    }
                }
                self.state = after.unwrap_or(before);
                result
            }
            ExprKind::Loop(repeat) => self.looped(id, repeat),
            ExprKind::Closure(_) => Value::alt(Alt { atoms: Vec::new(), shape: Shape::Closure(id) }),
            ExprKind::Await(inner) => {
                let value = self.eval(*inner);
                let value = call::awaited(self, *inner, value);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Try(inner) => {
                let value = self.eval(*inner);
                self.fail(id, *inner, &value);
                if value.may_be_absent() {
                    let absent = value
                        .filter_map(|alt| alt.atoms.iter().any(|atom| atom.kind == Kind::Absent).then(|| alt.clone()));
                    self.leave_frame(absent);
                }
                value.present()
            }
            ExprKind::Deref(inner) | ExprKind::Not(inner) | ExprKind::Neg(inner) => self.eval(*inner),
            ExprKind::Cast { value, .. } => self.eval(*value),
            ExprKind::Binary { op, left, right } => {
                let left = self.eval(*left);
                let right = self.eval(*right);
                match op {
                    BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge => self.constant(None),
                    _ => Value::concat(&[left, right]),
                }
            }
            ExprKind::Assign { target, value } => {
                let value = self.eval(*value);
                self.assign(*target, value, expr.range);
                self.constant(None)
            }
            ExprKind::AssignOp { target, value, .. } => {
                let old = self.eval(*target);
                let value = self.eval(*value);
                self.assign(*target, Value::concat(&[old, value]), expr.range);
                self.constant(None)
            }
            ExprKind::Range { start, end } => {
                let parts: Vec<_> = [start, end].into_iter().flatten().map(|&part| self.eval(part)).collect();
                Value::concat(&parts)
            }
            ExprKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(*value),
                    None => Value::bottom(),
                };
                let fails = matches!(&expr.kind, ExprKind::Return(Some(inner)) if self.is_error(*inner));
                let kind = if fails { EventKind::Fail } else { EventKind::Return };
                if self.frames.len() == 1 {
                    self.event(kind, self.span(expr.range), Name::new("return"), Usage::Used);
                }
                self.leave_frame(value);
                self.die()
            }
            ExprKind::Break { label, value } => {
                let value = match value {
                    Some(value) => self.eval(*value),
                    None => Value::bottom(),
                };
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
            ExprKind::Continue { .. } => self.die(),
            ExprKind::Format(format) => {
                let value = self.format(format, expr.range);
                self.seen.insert(id, value.clone());
                value
            }
            ExprKind::Concurrent(all) => {
                let before = self.state.clone();
                let mut results = Vec::new();
                for (number, branch) in all.branches.iter().enumerate() {
                    if all.race {
                        self.state = before.clone();
                        self.branches.push((id, number as u32));
                        self.push_region(Region { id, repeat: None, role: Role::Race });
                    }
                    let value = self.eval(branch.future);
                    let value = call::awaited(self, branch.future, value);
                    if all.race {
                        self.pop_region();
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
                        self.branches.pop();
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
            ExprKind::Opaque(reason) => self.opaque(reason, self.span(expr.range)),
        }
    }

    fn literal(&self, literal: &Literal, range: TextRange) -> Value {
        match literal {
            Literal::Str(text) if text.trim().is_empty() => {
                Value::atom(Atom::new(Kind::Empty, Entered::Elsewhere, Trail::start(self.span(range), "an empty text")))
            }
            Literal::Str(text) => self.constant(Some(text)),
            Literal::Int(number) => self.constant(Some(&number.to_string())),
            Literal::Char(char) => self.constant(Some(char.encode_utf8(&mut [0; 4]))),
            Literal::Bytes(bytes) => self.constant(std::str::from_utf8(bytes).ok()),
            Literal::Float(text) => self.constant(Some(text)),
            Literal::Bool(_) => self.constant(None),
        }
    }

    fn path(&mut self, id: ExprId) -> Value {
        if let Some(key) = super::bound::bound_key(self, id) {
            return key;
        }
        match self.types.path(id) {
            Some(ValueDef::Functions(functions)) => {
                Value::alt(Alt { atoms: Vec::new(), shape: Shape::Function(functions.as_slice().into()) })
            }
            Some(ValueDef::Consts(consts)) => {
                let mut value = Value::bottom();
                for id in consts.clone() {
                    value = value.join(&self.engine.constant(id));
                }
                value
            }
            Some(ValueDef::Variant(ty, variant)) => {
                let info = self.engine.program.type_(*ty);
                let name = info.ir.variants.get(*variant as usize).map_or(info.ir.name, |variant| variant.name);
                let path = Name::new(&format!("{}::{name}", info.path));
                let means = self.engine.words.of_variant(path.as_str());
                self.state_word(means, self.span_of(id), path.as_str());
                let record = Record { path: Some(path), ..Record::default() };
                let mut atoms = self.constant(Some(path.as_str())).alts[0].atoms.clone();
                atoms.truncate(1);
                Value::alt(Alt { atoms, shape: Shape::Record(Arc::new(record)) })
            }
            Some(ValueDef::External(path) | ValueDef::Unresolved(path)) => {
                let path = *path;
                if path.as_str().ends_with("::None") || path.as_str() == "None" {
                    let span = self.span_of(id);
                    return Value::atom(Atom::new(Kind::Absent, self.here(), Trail::start(span, "no value here")));
                }
                call::external_path(self, id, path)
            }
            None => self.opaque("a path that names nothing known", self.span_of(id)),
        }
    }

    fn list(&mut self, items: &[ExprId], path: Option<&str>) -> Value {
        let values: Vec<_> = items.iter().map(|&item| self.eval(item)).collect();
        call::pairs(self, items, &values);
        self.record_of(path, values)
    }

    pub(crate) fn record_of(&self, path: Option<&str>, values: Vec<Value>) -> Value {
        let fields = values.into_iter().enumerate().map(|(at, value)| (Name::new(&at.to_string()), value)).collect();
        let record = Record { path: path.map(Name::new), fields, ..Record::default() };
        Value::alt(Alt { atoms: Vec::new(), shape: Shape::Record(Arc::new(record)) })
    }

    fn block(&mut self, block: &Block) -> Value {
        let own_frame = block.kind == BlockKind::Async;
        if own_frame {
            self.frames.push(Frame { value: Value::bottom(), state: None });
        }
        if block.label.is_some() {
            self.exits.push(Exit {
                label: block.label,
                is_loop: false,
                value: Value::bottom(),
                state: None,
                frame: self.frames.len(),
            });
        }
        for statement in &block.statements {
            match statement {
                Statement::Let { pat, value, otherwise, .. } => {
                    let value = match value {
                        Some(value) => self.eval(*value),
                        None => Value::bottom(),
                    };
                    let matched = self.matching(*pat, &value);
                    if let Some(otherwise) = otherwise {
                        let before = self.state.clone();
                        let branch = (*otherwise, 1);
                        let (about, bare) = outcome::replies(&value);
                        if !about.is_empty() {
                            let taken = outcome::of_pattern(self, *pat, bare, Outcomes::ALL).outcomes;
                            self.condition(branch, about, Outcomes::ERROR.without(taken), false);
                        }
                        self.branches.push(branch);
                        self.eval(*otherwise);
                        self.branches.pop();
                        self.state = before;
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

    fn close_frame(&mut self, value: Value) -> Value {
        let Some(frame) = self.frames.pop() else {
            return value;
        };
        if let Some(state) = frame.state {
            self.state.join(&state);
        }
        value.join(&frame.value)
    }

    fn leave_frame(&mut self, value: Value) {
        let state = self.state.clone();
        if let Some(frame) = self.frames.last_mut() {
            frame.value = frame.value.join(&value);
            match &mut frame.state {
                Some(joined) => joined.join(&state),
                None => frame.state = Some(state),
            }
        }
    }

    fn looped(&mut self, id: ExprId, repeat: &Loop) -> Value {
        let iterated = match repeat.kind {
            LoopKind::For { iterable, .. } => Some(self.eval(iterable)),
            _ => None,
        };
        let scope = loop_scope(self.body, self.file, id, repeat, &self.engine.catalog.words).map(Arc::new);
        let role = if scope.is_some() { Role::Retry } else { Role::Each };
        self.push_region(Region { id, repeat: scope.clone(), role });
        self.loop_depth += 1;
        let before = self.state.clone();
        let rounds = if self.loop_depth > MAX_LOOP_REPLAY { 1 } else { 2 };
        let mut result = Value::bottom();
        for _ in 0..rounds {
            self.exits.push(Exit {
                label: repeat.label,
                is_loop: true,
                value: Value::bottom(),
                state: None,
                frame: self.frames.len(),
            });
            match repeat.kind {
                LoopKind::Loop => {}
                LoopKind::While(condition) => {
                    self.eval(condition);
                }
                LoopKind::For { pat, .. } => {
                    let value = match (&iterated, &scope) {
                        (Some(_), Some(_)) => {
                            let span = self.span(self.body.pat(pat).range);
                            let kind = Kind::Attempt(Name::new("count"));
                            Value::atom(Atom::new(kind, self.here(), Trail::start(span, "the number of the attempt")))
                        }
                        (Some(value), None) => {
                            let here = self.here();
                            self.elements(value).map_atoms(&mut |atom| Atom { entered: here.clone(), ..atom.clone() })
                        }
                        (None, _) => Value::bottom(),
                    };
                    self.bind(pat, &value);
                }
            }
            self.eval(repeat.body);
            let exit = self.exits.pop();
            let round = std::mem::replace(&mut self.state, before.clone());
            self.state.join(&round);
            if let Some(exit) = exit {
                result = result.join(&exit.value);
                if let Some(state) = exit.state {
                    self.state.join(&state);
                }
            }
        }
        self.loop_depth -= 1;
        self.pop_region();
        self.state.reachable = before.reachable;
        result
    }

    /// What an iterable yields.
    pub(crate) fn elements(&self, value: &Value) -> Value {
        let mut out = Value::bottom();
        for alt in value.alts.iter() {
            match &alt.shape {
                Shape::Record(record) if record.path.is_some_and(|path| path.as_str() == "[]") => {
                    for field in record.fields.values() {
                        out = out.join(field);
                    }
                }
                _ => out = out.join(&Value::alt(alt.clone())),
            }
        }
        out
    }

    fn format(&mut self, format: &FormatCall, range: TextRange) -> Value {
        let before: Vec<_> = format.before.iter().map(|&id| self.eval(id)).collect();
        let mut parts: Vec<_> = format.values.iter().map(|&id| self.eval(id)).collect();
        if let Some(template) = &format.template {
            let fixed = fixed_text(template);
            if !fixed.is_empty() || parts.is_empty() {
                parts.push(self.literal(&Literal::Str(fixed.into()), range));
            }
        }
        match format.name.as_str() {
            "format" | "format_args" | "format_smolstr" | "format_compact" => Value::concat(&parts),
            "write" | "writeln" => {
                if let (Some(&target), Some(old)) = (format.before.first(), before.first()) {
                    parts.push(old.clone());
                    self.assign(target, Value::concat(&parts), range);
                }
                self.constant(None)
            }
            "panic" | "todo" | "unreachable" | "unimplemented" => self.die(),
            _ => self.constant(None),
        }
    }

    pub(crate) fn assign(&mut self, target: ExprId, value: Value, range: TextRange) {
        let mut path = Vec::new();
        let mut at = target;
        loop {
            match &self.body.expr(at).kind {
                ExprKind::Field { base, name } => {
                    path.insert(0, *name);
                    at = *base;
                }
                ExprKind::Deref(inner) => at = *inner,
                ExprKind::Index { base, .. } => {
                    // Which element is set is not followed: the collection may hold the new one or what it held.
                    let old = self.eval(*base);
                    return self.assign(*base, old.join(&value), range);
                }
                ExprKind::Local(local) => {
                    let local = *local;
                    let name = path.last().copied().unwrap_or(self.body.locals[local.0 as usize].name);
                    let value = value.step(self.span(range), &format!("kept in `{name}`"));
                    if let Some(&field) = path.last() {
                        call::field_set(self, target, field, &value, range);
                    }
                    let slot = &mut self.state.locals[local.0 as usize];
                    *slot = match slot.is_bottom() && !path.is_empty() {
                        true => Value::alt(Alt::default()).with_field(&path, &value),
                        false => slot.with_field(&path, &value),
                    };
                    return;
                }
                _ => return,
            }
        }
    }

    /// What of a value reaches the bindings of a pattern: the alternatives that can match it.
    fn matching(&self, pat: PatId, value: &Value) -> Value {
        match &self.body.pat(pat).kind {
            PatKind::TupleStruct { path, .. } => match path.segments.last().map(|last| last.name.as_str()) {
                Some("Some" | "Ok") => value.present(),
                Some("Err") => self.opaque("an error", self.span(self.body.pat(pat).range)),
                _ => self.variant_of(pat, value),
            },
            PatKind::Struct { .. } | PatKind::Path(_) => self.variant_of(pat, value),
            _ => value.clone(),
        }
    }

    fn variant_of(&self, pat: PatId, value: &Value) -> Value {
        let Some(StructDef::Local(ty, variant)) = self.types.pattern(pat) else {
            return value.clone();
        };
        let info = self.engine.program.type_(*ty);
        if !info.ir.is_enum {
            return value.clone();
        }
        let Some(variant) = info.ir.variants.get(*variant as usize) else {
            return value.clone();
        };
        let path = Name::new(&format!("{}::{}", info.path, variant.name));
        let matched = value.filter_map(|alt| match &alt.shape {
            Shape::Record(record) if record.path.is_some_and(|other| other != path) => None,
            _ => Some(alt.clone()),
        });
        if matched.is_bottom() { value.clone() } else { matched }
    }

    /// Gives the variables of a pattern their values.
    pub(crate) fn bind(&mut self, pat: PatId, value: &Value) {
        let body = self.body;
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner } => {
                self.state.locals[local.0 as usize] = value.clone();
                if let Some(inner) = inner {
                    self.bind(*inner, value);
                }
            }
            PatKind::TupleStruct { path, elements, .. } => {
                let wrapper = matches!(
                    path.segments.last().map(|last| last.name.as_str()),
                    Some("Some" | "Ok" | "Err" | "Borrowed" | "Owned")
                );
                if wrapper && elements.len() == 1 {
                    return self.bind(elements[0], value);
                }
                for (at, &element) in elements.iter().enumerate() {
                    self.bind(element, &value.field(Name::new(&at.to_string())));
                }
            }
            PatKind::Struct { fields, .. } => {
                for &(name, pat) in fields {
                    self.bind(pat, &value.field(name));
                }
            }
            PatKind::Tuple(elements) => {
                for (at, &element) in elements.iter().enumerate() {
                    self.bind(element, &value.field(Name::new(&at.to_string())));
                }
            }
            PatKind::Slice(elements) => {
                let value = self.elements(value);
                for &element in elements {
                    self.bind(element, &value);
                }
            }
            PatKind::Or(choices) => {
                for &choice in choices {
                    self.bind(choice, value);
                }
            }
            PatKind::Wild | PatKind::Path(_) | PatKind::Literal(_) | PatKind::Range(..) | PatKind::Opaque => {}
        }
    }

    /// Whether a closure was run, by whoever calls it.
    pub(crate) fn has_run(&self, id: ExprId) -> bool {
        self.closures_run.contains(&id)
    }

    /// Runs a closure with what its caller passes; parameters that are not passed are unknown inputs.
    pub(crate) fn run_closure(&mut self, id: ExprId, args: &[Value], repeat: Option<Arc<RepeatScope>>) -> Value {
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
        let role = if repeat.is_some() { Role::Retry } else { Role::Closure };
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
        self.frames.push(Frame { value: Value::bottom(), state: None });
        let before = self.state.clone();
        let value = self.eval(closure.body);
        let value = self.close_frame(value);
        // It may also not run.
        self.state.join(&before);
        self.state.reachable = before.reachable;
        self.pop_region();
        self.closures_open.pop();
        value
    }

    /// The value that a struct literal, call or macro had when it was last evaluated.
    pub(crate) fn seen(&self, id: ExprId) -> Value {
        self.seen.get(&id).cloned().unwrap_or_default()
    }

    /// The text of a literal or of what was evaluated to one.
    pub(crate) fn quiet_text(&self, id: ExprId) -> Option<&'p str> {
        match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(text)) => Some(text),
            ExprKind::Local(local) => self.state.locals[local.0 as usize].text(),
            ExprKind::Path(_) => self.seen(id).text(),
            _ => None,
        }
    }

    /// The type of an expression.
    pub(crate) fn ty(&self, id: ExprId) -> &'p Ty {
        self.types.ty(id)
    }

    pub(crate) fn local_name(&self, id: ExprId) -> Option<Name> {
        match &self.body.expr(id).kind {
            ExprKind::Local(LocalId(local)) => Some(self.body.locals[*local as usize].name),
            ExprKind::Field { name, .. } => Some(*name),
            ExprKind::Deref(inner) => self.local_name(*inner),
            ExprKind::MethodCall(call) if call.args.is_empty() => self.local_name(call.receiver),
            _ => None,
        }
    }

    pub(crate) fn context<'a>(&self, args: &'a [Value], step: Option<(Span, String)>) -> CallContext<'a> {
        CallContext { args, regions: self.region_ids.clone(), step }
    }
}

/// The fixed parts of a format template.
fn fixed_text(template: &str) -> String {
    let mut text = String::new();
    let mut chars = template.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
                text.push('{');
            }
            '{' => {
                for inside in chars.by_ref() {
                    if inside == '}' {
                        break;
                    }
                }
                text.push('\u{0}');
            }
            '}' => {
                chars.next();
                text.push('}');
            }
            other => text.push(other),
        }
    }
    if text.chars().all(|char| char == '\u{0}') { String::new() } else { text }
}
