//! What a predicate compares of the thing that it is asked about: a closure, a function, and functions that these ask.

use super::super::eval::Eval;
use super::super::walk::mentions;
use super::MAX_CHAIN;
use crate::ir::{
    BinaryOp, Block, Body, ExprId, ExprKind, Literal, LocalId, Loop, LoopKind, Name, PatId, PatKind, Statement,
};
use crate::resolve::{BodyTypes, Callee, FnId, Program, ValueDef};

/// Parts of one predicate that are looked at.
const MAX_PARTS: usize = 96;

/// The fields of its argument that a predicate compares for equality; nothing where it asks for something else.
pub(super) fn by(eval: &Eval<'_, '_>, predicate: ExprId) -> Option<Vec<Name>> {
    let place = Place { body: eval.body, types: eval.types };
    let program = eval.engine.program;
    let first = match &eval.body.expr(predicate).kind {
        ExprKind::Closure(closure) => match &*closure.params {
            [(pat, _)] => Part { place, at: closure.body, of: Subject { local: bound(place, *pat)?, field: None } },
            _ => return None,
        },
        ExprKind::Path(_) => match eval.types.path(predicate)? {
            ValueDef::Functions(ids) => asked_of(program, ids, 0, None)?,
            _ => return None,
        },
        _ => return None,
    };
    read_all(program, vec![(first, true)])
}

/// The same of the branch by which a loop is left with what it goes through, and where that stands:
/// `for t in all { if t.cents == due.cents { return Some(t) } }`.
pub(super) fn in_loop(eval: &Eval<'_, '_>, repeat: &Loop) -> Option<(ExprId, Vec<Name>)> {
    let place = Place { body: eval.body, types: eval.types };
    let (LoopKind::For { pat, .. }, ExprKind::Block(block)) = (&repeat.kind, &eval.body.expr(repeat.body).kind) else {
        return None;
    };
    let of = Subject { local: bound(place, *pat)?, field: None };
    let (last, before) = last_of(block)?;
    let ExprKind::If { condition, then, otherwise: None } = eval.body.expr(last).kind else {
        return None;
    };
    if !(leaves(eval.body, then) && mentions(eval.body, then, &[of.local])) {
        return None;
    }
    let part = Part { place, at: condition, of };
    let mut work = vec![(part, true)];
    for statement in before {
        let goes_on = |id: ExprId| matches!(eval.body.expr(id).kind, ExprKind::Continue { label: None });
        work.extend(part.left_by(statement, &goes_on)?.map(|condition| (part.with(condition), false)));
    }
    Some((condition, read_all(eval.engine.program, work)?))
}

/// What all these parts compare; nothing where one of them asks for something else.
fn read_all<'p>(program: &'p Program, mut work: Vec<(Part<'p>, bool)>) -> Option<Vec<Name>> {
    let mut compared = Vec::new();
    for _ in 0..MAX_PARTS {
        let Some((part, holds)) = work.pop() else {
            return Some(compared);
        };
        part.read(program, holds, &mut compared, &mut work)?;
    }
    None
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    body: &'p Body,
    types: &'p BodyTypes,
}

/// What a predicate is asked about: a local, which may be no more than a field of the thing.
#[derive(Clone, Copy)]
struct Subject {
    local: LocalId,
    field: Option<Name>,
}

/// A part of a predicate.
#[derive(Clone, Copy)]
struct Part<'p> {
    place: Place<'p>,
    at: ExprId,
    of: Subject,
}

impl<'p> Part<'p> {
    fn with(self, at: ExprId) -> Self {
        Self { at, ..self }
    }

    /// What is compared where this holds, or does not; further parts are left to do.
    fn read(
        self,
        program: &'p Program,
        holds: bool,
        compared: &mut Vec<Name>,
        work: &mut Vec<(Self, bool)>,
    ) -> Option<()> {
        let equal = if holds { BinaryOp::Eq } else { BinaryOp::Ne };
        let both = if holds { BinaryOp::And } else { BinaryOp::Or };
        match &self.place.body.expr(self.at).kind {
            ExprKind::Block(block) => {
                let says_no = |id: ExprId| says_no(self.place.body, id);
                for statement in &block.statements {
                    match self.left_by(statement, &says_no)? {
                        Some(condition) if holds => work.push((self.with(condition), false)),
                        Some(_) => return None,
                        None => {}
                    }
                }
                work.push((self.with(block.tail?), holds));
            }
            ExprKind::Not(inner) => work.push((self.with(*inner), !holds)),
            ExprKind::Local(local) => work.push((self.with(self.place.body.bound(*local)?), holds)),
            ExprKind::Binary { op, left, right } if *op == both => {
                work.extend([*left, *right].map(|part| (self.with(part), holds)));
            }
            // What is written out is the same for all that are told apart.
            ExprKind::Binary { op, left, right }
                if *op == equal && [left, right].iter().any(|side| self.is_fixed(**side)) => {}
            ExprKind::Binary { op, left, right } if *op == equal => {
                compared.push(self.field(*left).or_else(|| self.field(*right))?);
            }
            // Hardly more or less than another one is as good as equal.
            ExprKind::Binary { op: BinaryOp::Lt | BinaryOp::Le, left, .. } if holds => {
                compared.extend(self.close(*left));
            }
            // Earlier or later, more or less: that picks none.
            ExprKind::Binary { op, .. } if op.compares() => {}
            ExprKind::MethodCall(call) if self.is_within(call.receiver) && call.name == "contains" => {}
            // `(t.cents == due.cents).then_some(t)`
            ExprKind::MethodCall(call)
                if matches!(call.name.as_str(), "then" | "then_some") && call.args.len() == 1 =>
            {
                work.push((self.with(call.receiver), holds));
            }
            ExprKind::MethodCall(call) => {
                let args: Vec<ExprId> = [call.receiver].into_iter().chain(call.args.iter().copied()).collect();
                work.push((self.asked(program, &args)?, holds));
            }
            ExprKind::Call { args, .. } => work.push((self.asked(program, args)?, holds)),
            _ => return None,
        }
        Some(())
    }

    /// The condition under which a statement in front of the answer is the end of it, if it is one:
    /// `if a != b { return false; }`.
    fn left_by(self, statement: &Statement, ends: &dyn Fn(ExprId) -> bool) -> Option<Option<ExprId>> {
        let body = self.place.body;
        match statement {
            Statement::Let { otherwise: None, .. } => Some(None),
            Statement::Expr(id) => match &body.expr(*id).kind {
                ExprKind::If { condition, then, otherwise: None } if ends_with(body, *then, ends) => {
                    Some(Some(*condition))
                }
                _ => None,
            },
            Statement::Let { .. } => None,
        }
    }

    /// A function of the workspace that is asked about the thing, or a field of it.
    fn asked(self, program: &'p Program, args: &[ExprId]) -> Option<Self> {
        let Some(Callee::Functions(ids)) = self.place.types.callee(self.at) else {
            return None;
        };
        let mut about = args.iter().enumerate().filter_map(|(at, &arg)| Some((at, self.reach(arg)?)));
        let ((at, field), None) = (about.next()?, about.next()) else {
            return None;
        };
        asked_of(program, ids, at, field)
    }

    /// Whether something is a range, of which is asked whether it holds a value.
    fn is_within(self, id: ExprId) -> bool {
        matches!(self.place.body.expr(id).kind, ExprKind::Range { .. })
    }

    /// Whether something is written out: a literal, a constant, a variant.
    fn is_fixed(self, id: ExprId) -> bool {
        matches!(self.place.body.expr(id).kind, ExprKind::Literal(_) | ExprKind::Path(_))
    }

    /// The field that is hardly another one: `(t.amount - due.amount).abs() < 0.01`.
    fn close(self, id: ExprId) -> Option<Name> {
        let body = self.place.body;
        let ExprKind::MethodCall(call) = &body.expr(id).kind else {
            return None;
        };
        match (call.name.as_str(), &body.expr(call.receiver).kind, &*call.args) {
            ("abs", ExprKind::Binary { op: BinaryOp::Sub, left, right }, []) => {
                self.field(*left).or_else(|| self.field(*right))
            }
            ("abs_diff", _, [other]) => self.field(call.receiver).or_else(|| self.field(*other)),
            _ => None,
        }
    }

    /// The last field of a chain that starts at the thing: `amount` of `t.data.amount.as_str()`.
    fn field(self, id: ExprId) -> Option<Name> {
        self.reach(id).flatten()
    }

    /// The same, where the chain may be the thing as a whole.
    fn reach(self, id: ExprId) -> Option<Option<Name>> {
        let body = self.place.body;
        let mut at = id;
        let mut last = None;
        for _ in 0..MAX_CHAIN {
            at = match &body.expr(at).kind {
                ExprKind::Field { base, name } => {
                    last = last.or(Some(*name));
                    *base
                }
                ExprKind::Deref(inner) | ExprKind::Cast { value: inner, .. } => *inner,
                ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
                ExprKind::Local(local) if *local == self.of.local => return Some(last.or(self.of.field)),
                ExprKind::Local(local) => body.bound(*local)?,
                _ => return None,
            };
        }
        None
    }
}

/// What one function of the workspace asks of what it is handed at a position.
fn asked_of<'p>(program: &'p Program, ids: &[FnId], at: usize, field: Option<Name>) -> Option<Part<'p>> {
    let &[function] = ids else {
        return None;
    };
    let info = program.function(function);
    let place = Place { body: info.ir.body.as_deref()?, types: &info.types };
    let local = bound(place, info.ir.params.get(at)?.pat?)?;
    Some(Part { place, at: place.body.root, of: Subject { local, field } })
}

/// The local that a pattern is.
fn bound(place: Place<'_>, pat: PatId) -> Option<LocalId> {
    match place.body.pat(pat).kind {
        PatKind::Bind { local, inner: None } => Some(local),
        _ => None,
    }
}

/// The last expression of a block, and the statements in front of it.
fn last_of(block: &Block) -> Option<(ExprId, &[Statement])> {
    match (block.tail, &*block.statements) {
        (Some(tail), before) => Some((tail, before)),
        (None, [before @ .., Statement::Expr(last)]) => Some((*last, before)),
        _ => None,
    }
}

/// Whether a block does nothing but what ends it.
fn ends_with(body: &Body, id: ExprId, ends: &dyn Fn(ExprId) -> bool) -> bool {
    match &body.expr(id).kind {
        ExprKind::Block(block) => last_of(block).is_some_and(|(last, before)| before.is_empty() && ends(last)),
        _ => false,
    }
}

/// Whether an expression answers `false`.
fn says_no(body: &Body, id: ExprId) -> bool {
    let is_no = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Literal(Literal::Bool(false)));
    matches!(body.expr(id).kind, ExprKind::Return(Some(answer)) if is_no(answer))
}

/// Whether a branch leaves the loop around it.
fn leaves(body: &Body, id: ExprId) -> bool {
    let out = |kind: &ExprKind| matches!(kind, ExprKind::Return(Some(_)) | ExprKind::Break { label: None, .. });
    match &body.expr(id).kind {
        ExprKind::Block(block) => block.last().is_some_and(|last| out(&body.expr(last).kind)),
        _ => false,
    }
}
