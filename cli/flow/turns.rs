//! Which branches of a function are taken by what a call in it answered.
//!
//! In: a body and a call. Out: the branches whose condition is made of the answer, directly or over locals, or by a function
//! that is handed it. It follows names and not values: that an answer is only handed on, printed or edited is no decision.

mod looked;
mod taken;

use super::Turn;
use super::{combinators, walk};
use crate::ir::{Arm, BinaryOp, Body, ExprId, ExprKind, Literal, LocalId, LoopKind, Name, PatId, PatKind, Statement};
use crate::resolve::{BodyTypes, FunctionInfo, Program};
use crate::source::{FileId, Span};

/// Locals that an answer is followed into.
const MAX_LOCALS: usize = 24;
/// Expressions between an answer and what is made of it.
const MAX_CLIMB: usize = 48;

/// The expressions of a body, as they are asked for here.
pub(crate) struct Turns<'b> {
    program: &'b Program,
    types: &'b BodyTypes,
    body: &'b Body,
    file: FileId,
    parents: Vec<Option<ExprId>>,
}

/// A way up from an answer.
#[derive(Default)]
struct Climb {
    /// something of it is looked at, and not only whether it is there
    detail: bool,
    /// it is asked whether it is there
    presence: bool,
    /// `true` means that nothing is there; none where a comparison says what it means
    empty: Option<bool>,
    /// it is how many there are
    counts: bool,
    /// the first of its fields on the way, or those that a function on the way looks at
    fields: Vec<Name>,
    /// it is asked whether the same was there before
    again: bool,
    /// it is asked whether something is among them
    among: bool,
    /// nothing has become an error
    refused: bool,
    /// it is waited for already: what is waited for again is the answer of something else
    awaited: bool,
}

impl Climb {
    /// Takes down the fields that are looked at, unless those of a way before are known: these are fields of the answer.
    fn looks_at(&mut self, fields: impl FnOnce() -> Vec<Name>) {
        if self.fields.is_empty() {
            self.fields = fields();
        }
    }
}

impl<'b> Turns<'b> {
    pub(crate) fn new(program: &'b Program, info: &'b FunctionInfo, body: &'b Body) -> Self {
        Self { program, types: &info.types, body, file: info.file, parents: super::events::parents(body) }
    }

    /// The branches that are taken by what the call at a place answered.
    pub(crate) fn of(&self, call: Span) -> Vec<Turn> {
        let mut out = Vec::new();
        let Some(call) = self.at(call) else {
            return out;
        };
        let start = Climb { empty: Some(false), counts: true, ..Climb::default() };
        self.follow(call, start, &mut out);
        out
    }

    /// The loops that do something with what the call at a place gave, and the calls that hand it to a closure.
    pub(crate) fn rounds(&self, call: Span) -> Vec<Turn> {
        let Some(call) = self.at(call) else {
            return Vec::new();
        };
        let held = self.follow(call, Climb::default(), &mut Vec::new());
        let locals: Vec<LocalId> = held.into_iter().map(|(local, ..)| local).collect();
        let is_closure = |arg: &ExprId| matches!(self.body.expr(*arg).kind, ExprKind::Closure(_));
        let goes_round = |at: ExprId| match &self.body.expr(at).kind {
            ExprKind::Loop(_) => true,
            ExprKind::MethodCall(call) => call.args.iter().any(is_closure),
            _ => false,
        };
        let is_round = |at: &ExprId| goes_round(*at) && walk::mentions(self.body, *at, &locals);
        let all = (0..self.body.exprs.len()).map(|at| ExprId(at as u32));
        let mut out = Vec::new();
        all.filter(is_round).for_each(|at| self.turn(at, &Climb::default(), None, &mut out));
        out
    }

    /// Whether what the call at a place gave is asked, by one of these methods, if something is in it.
    pub(crate) fn recalled(&self, call: Span, methods: &[String]) -> bool {
        let Some(call) = self.at(call) else {
            return false;
        };
        let held = self.follow(call, Climb::default(), &mut Vec::new());
        let is_held = |at: ExprId| match self.body.expr(at).kind {
            ExprKind::Local(local) => held.iter().any(|(known, ..)| *known == local),
            _ => false,
        };
        self.body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::MethodCall(call) => {
                is_held(call.receiver) && methods.iter().any(|name| name == call.name.as_str())
            }
            _ => false,
        })
    }

    /// Follows an answer to all that it decides, and gives the locals that it comes into.
    fn follow(&self, call: ExprId, start: Climb, out: &mut Vec<Turn>) -> Vec<Held> {
        let mut locals = Vec::new();
        self.climb(call, start, &mut locals, out);
        let mut next = 0;
        while let Some((local, empty, fields)) = locals.get(next).filter(|_| next < MAX_LOCALS).cloned() {
            next += 1;
            for at in 0..self.body.exprs.len() {
                if matches!(self.body.exprs[at].kind, ExprKind::Local(other) if other == local) {
                    let counts = empty == Some(false);
                    let way = Climb { empty, counts, fields: fields.clone(), awaited: true, ..Climb::default() };
                    self.climb(ExprId(at as u32), way, &mut locals, out);
                }
            }
        }
        locals
    }

    /// The expression that is written at a place, of a method call also from the name on.
    fn at(&self, place: Span) -> Option<ExprId> {
        let found = self.body.exprs.iter().position(|expr| {
            let range = expr.range;
            let named = match &expr.kind {
                ExprKind::MethodCall(call) => call.name_range.start == place.range.start,
                _ => false,
            };
            place.file == self.file && range.end == place.range.end && (range.start == place.range.start || named)
        });
        found.map(|at| ExprId(at as u32))
    }

    /// Goes from a value to the branch that it decides, or to the locals that are made of it.
    fn climb(&self, from: ExprId, mut way: Climb, locals: &mut Vec<Held>, out: &mut Vec<Turn>) {
        let mut at = from;
        for _ in 0..MAX_CLIMB {
            let Some(parent) = walk::parent(&self.parents, at) else {
                return;
            };
            match &self.body.expr(parent).kind {
                ExprKind::Await(_) if way.awaited => return,
                ExprKind::Await(_) => way.awaited = true,
                ExprKind::Not(_) => way.empty = way.empty.map(|empty| !empty),
                // `row.ok_or(NotFound)?` leaves where nothing is there
                ExprKind::Try(_) if way.refused => {
                    way.refused = false;
                    let asks = Climb { presence: !way.detail, refused: true, ..Climb::default() };
                    self.turn(parent, &asks, Some(0), out);
                }
                ExprKind::Try(_) | ExprKind::Deref(_) => {}
                ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => {}
                ExprKind::Binary { op, left, right } if *left == at => {
                    way.empty = self.counted(*op, *right).filter(|_| way.counts);
                    way.detail = true;
                    way.counts = false;
                }
                ExprKind::Field { name, .. } if is_count(name.as_str()) => way.detail = true,
                ExprKind::Binary { .. } | ExprKind::Neg(_) | ExprKind::Cast { .. } | ExprKind::Field { .. } => {
                    if let ExprKind::Field { name, .. } = &self.body.expr(parent).kind {
                        way.looks_at(|| vec![*name]);
                    }
                    way.detail = true;
                    way.counts = false;
                    way.empty = None;
                }
                ExprKind::Index { .. } | ExprKind::Tuple(_) | ExprKind::Macro(_) => way.detail = true,
                ExprKind::MethodCall(call) if call.receiver == at => {
                    way.looks_at(|| self.looked_at(parent, at));
                    asked(call.name.as_str(), &mut way);
                }
                ExprKind::MethodCall(_) | ExprKind::Call { .. } => {
                    way.looks_at(|| self.looked_at(parent, at));
                    way.detail = true;
                }
                ExprKind::Closure(_) => way.detail = true,
                ExprKind::Let { pat, .. } => {
                    way.presence |= !way.detail && is_presence(self.body, *pat);
                    self.bound(*pat, &way, locals);
                }
                ExprKind::If { condition, .. } if *condition == at => {
                    let nothing = way.empty.map(|empty| u32::from(!empty));
                    return self.turn(parent, &way, nothing, out);
                }
                ExprKind::Match { value, arms } if *value == at => {
                    way.presence |= !way.detail && arms.iter().all(|arm| is_presence(self.body, arm.pat));
                    arms.iter().for_each(|arm| self.bound(arm.pat, &way, locals));
                    self.turn(parent, &way, self.arm_for_nothing(arms, way.counts), out);
                    // `matches!`: whoever has the yes or no decides by it
                    if !arms.iter().all(|arm| matches!(self.body.expr(arm.body).kind, ExprKind::Literal(_))) {
                        return;
                    }
                    way.detail = true;
                    way.empty = None;
                }
                ExprKind::Match { arms, .. } if arms.iter().any(|arm| arm.guard == Some(at)) => {
                    return self.turn(parent, &way, None, out);
                }
                // the value of an arm is the value of the branching
                ExprKind::If { .. } | ExprKind::Match { .. } => {}
                ExprKind::Loop(repeat) => {
                    if let LoopKind::For { pat, iterable } = &repeat.kind {
                        if *iterable == at {
                            self.bound(*pat, &way, locals);
                        }
                    }
                    return;
                }
                ExprKind::Assign { target, value } if *value == at => {
                    if let ExprKind::Local(local) = self.body.expr(*target).kind {
                        add(local, &way, locals);
                    }
                    return;
                }
                ExprKind::Block(block) if block.tail == Some(at) => {}
                ExprKind::Block(block) => {
                    for statement in &block.statements {
                        let Statement::Let { pat, value: Some(value), otherwise, .. } = statement else {
                            continue;
                        };
                        if *value == at {
                            self.bound(*pat, &way, locals);
                            if let Some(otherwise) = otherwise {
                                way.presence |= !way.detail && is_presence(self.body, *pat);
                                self.turn(*otherwise, &way, None, out);
                            }
                        }
                    }
                    return;
                }
                _ => return,
            }
            at = parent;
        }
    }

    /// Whether a number that is compared like this is none.
    fn counted(&self, op: BinaryOp, with: ExprId) -> Option<bool> {
        let ExprKind::Literal(Literal::Int(number)) = self.body.expr(with).kind else {
            return None;
        };
        match (op, number) {
            (BinaryOp::Eq | BinaryOp::Le, 0) | (BinaryOp::Lt | BinaryOp::Ne, 1) => Some(true),
            (BinaryOp::Ne | BinaryOp::Gt, 0) | (BinaryOp::Eq | BinaryOp::Ge, 1) => Some(false),
            _ => None,
        }
    }

    /// A branch that is taken by an answer, once for each field of it that is looked at.
    fn turn(&self, branch: ExprId, way: &Climb, nothing: Option<u32>, out: &mut Vec<Turn>) {
        let branch = Span::new(self.file, self.body.expr(branch).range);
        let Climb { presence, again, among, refused, .. } = *way;
        let turn = |field| Turn { branch, presence, nothing, field, again, among, refused };
        match way.fields.as_slice() {
            [] => out.push(turn(None)),
            fields => out.extend(fields.iter().map(|field| turn(Some(*field)))),
        }
    }

    /// The arm that is taken where nothing is there: of a number that may count, that for zero.
    fn arm_for_nothing(&self, arms: &[Arm], counts: bool) -> Option<u32> {
        let is_nothing = |arm: &Arm| match &self.body.pat(arm.pat).kind {
            PatKind::Path(path) => path.of_option_or_result() == Some("None"),
            PatKind::Literal(Literal::Bool(there)) => !there,
            PatKind::Literal(Literal::Int(number)) => counts && *number == 0,
            PatKind::Wild => true,
            _ => false,
        };
        arms.iter().position(is_nothing).and_then(|at| u32::try_from(at).ok())
    }

    fn bound(&self, pat: PatId, way: &Climb, locals: &mut Vec<Held>) {
        let mut found = Vec::new();
        super::walk::bound_by(self.body, pat, &mut found);
        found.into_iter().for_each(|local| add(local, way, locals));
    }
}

/// A local that an answer is in, which of `true` and `false` of it means that nothing is there, and the fields that it is.
type Held = (LocalId, Option<bool>, Vec<Name>);

fn add(local: LocalId, way: &Climb, locals: &mut Vec<Held>) {
    if !locals.iter().any(|(known, ..)| *known == local) {
        locals.push((local, way.empty, way.fields.clone()));
    }
}

/// What a method asks of the value that it is called on.
fn asked(name: &str, way: &mut Climb) {
    match name {
        "is_some" | "is_ok" => way.presence |= !way.detail,
        "is_none" | "is_err" | "is_empty" => {
            way.presence |= !way.detail;
            way.empty = way.empty.map(|empty| !empty);
        }
        "as_ref" | "as_deref" | "as_mut" | "clone" | "cloned" | "copied" | "to_owned" | "into" | "ok" | "unwrap"
        | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else" | "expect" => {}
        "ok_or" | "ok_or_else" => way.refused = true,
        _ if combinators::rewords(name) => {}
        _ if is_count(name) => way.detail = true,
        _ => {
            // of an error: drivers call it so
            way.again |= name == "is_unique_violation";
            way.among |= matches!(name, "any" | "contains" | "contains_key");
            way.detail = true;
            way.counts = false;
        }
    }
}

/// Whether a method or field says how many rows there are, or were changed.
fn is_count(name: &str) -> bool {
    matches!(name, "rows_affected" | "affected_rows" | "len" | "count")
}

/// Whether a pattern tells only whether something is there: `Some(row)`, `None`, `Ok(row)`.
fn is_presence(body: &Body, pat: PatId) -> bool {
    let plain = |pat: &PatId| match &body.pat(*pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::TupleStruct { .. } | PatKind::Path(_) => is_presence(body, *pat),
        _ => false,
    };
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::TupleStruct { path, elements, .. } => {
            let last = path.of_option_or_result();
            matches!(last, Some("Some" | "Ok" | "Err")) && elements.iter().all(plain)
        }
        PatKind::Path(path) => path.of_option_or_result() == Some("None"),
        PatKind::Or(choices) => choices.iter().all(|&choice| is_presence(body, choice)),
        _ => false,
    }
}
