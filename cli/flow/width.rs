//! How long a key is at least, as far as its expression shows: fixed text, digests, ids of a fixed form.
//!
//! Parts of which nothing is known count nothing, so the answer is a lower bound. Only what is written is read: the
//! expression of a local where it is declared, the last expression of a function of the workspace.

mod cut;
mod spelled;

use std::cell::Cell;

use super::engine::Engine;
use super::template;
use crate::catalog::{Call, OriginRule};
use crate::ir::{Body, ExprId, ExprKind, Literal, LocalId, Name, PatId, PatKind, Statement, TypeIr};
use crate::resolve::{Callee, FnId, Ty, ValueDef};
use crate::source::Span;

/// Expressions inside expressions and functions inside functions that are read.
const MAX_DEPTH: usize = 16;
/// Expressions that are read for one key.
const MAX_READ: u32 = 2_000;

/// A length, and where it comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Width {
    /// characters of a text, or bytes of a digest
    pub(crate) least: u32,
    /// the expression that is that long
    pub(crate) at: Span,
}

/// What the expression at a place of a function shows of its length.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shown {
    pub(crate) least: Option<Width>,
    /// where it is cut, so short that a part never is in it
    pub(crate) cut: Option<Span>,
}

/// How long the expression at a place of a function is, and what is cut off from it.
pub(crate) fn shown(engine: &Engine<'_>, function: FnId, place: Span) -> Shown {
    let program = engine.program;
    let stands_in = |id: &FnId| {
        let info = program.function(*id);
        info.file == place.file && info.ir.range.covers(place.range)
    };
    // What another function puts together, such as the request as a whole, stands there.
    let all = || (0..program.functions.len()).map(|number| FnId(number as u32)).filter(stands_in);
    let start = |id: &FnId| program.function(*id).ir.range.start;
    let function = Some(function).filter(stands_in).or_else(|| all().max_by_key(start));
    let read = |function| {
        let body = program.body(function)?;
        let at = body.exprs.iter().position(|expr| expr.range == place.range)?;
        Some(read(engine, function, body, ExprId(at as u32)))
    };
    function.and_then(read).unwrap_or_default()
}

/// The least length of an expression of a function.
pub(crate) fn of_expr(engine: &Engine<'_>, function: FnId, body: &Body, id: ExprId) -> Option<Width> {
    read(engine, function, body, id).least
}

fn read(engine: &Engine<'_>, function: FnId, body: &Body, id: ExprId) -> Shown {
    let (left, cut) = (Cell::new(MAX_READ), Cell::new(None));
    let reader = Reader { engine, function, body, depth: 0, left: &left, cut: &cut, caller: None };
    let least = reader.of(id).filter(|width| width.least > 0);
    Shown { least, cut: cut.get() }
}

struct Reader<'e, 'p> {
    engine: &'e Engine<'p>,
    function: FnId,
    body: &'e Body,
    depth: usize,
    /// expressions that may still be read
    left: &'e Cell<u32>,
    /// where a part was cut off
    cut: &'e Cell<Option<Span>>,
    /// who calls the function, and what it is given
    caller: Option<(&'e Reader<'e, 'p>, &'e [ExprId])>,
}

impl<'p> Reader<'_, 'p> {
    fn of(&self, id: ExprId) -> Option<Width> {
        if self.depth > MAX_DEPTH || self.left.get() == 0 {
            return None;
        }
        self.left.set(self.left.get() - 1);
        let inner = Self { depth: self.depth + 1, ..*self };
        match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(text)) => self.here(id, text.chars().count() as u32),
            ExprKind::Literal(Literal::Int(number)) => self.here(id, number.to_string().len() as u32),
            ExprKind::Await(value) | ExprKind::Try(value) | ExprKind::Deref(value) => inner.of(*value),
            ExprKind::Local(local) => {
                let bound = self.body.bound(*local).and_then(|value| inner.of(value));
                match bound {
                    Some(bound) => inner.as_left(*local, bound),
                    None => self.given(*local).or_else(|| self.by_type(id)),
                }
            }
            ExprKind::Index { base, index } => match self.cut_by(*index) {
                Some(left) => {
                    self.note_cut(id, *base, *index);
                    self.here(id, inner.of(*base).map_or(left, |whole| whole.least.min(left)))
                }
                None => self.by_type(id),
            },
            ExprKind::Block(block) => block.tail.and_then(|tail| inner.of(tail)).or_else(|| self.by_type(id)),
            ExprKind::Format(call) => {
                let template = call.template.as_deref()?;
                let parts: Vec<_> = template::parts(template).collect();
                let fixed = parts.iter().flatten().count();
                let shown = call.values.iter().take(parts.len() - fixed);
                let digits = template::in_hexadecimal(template).into_iter().chain(std::iter::repeat(false));
                let values: u32 = shown
                    .zip(digits)
                    .map(|(&value, digits)| {
                        let least = inner.of(value).map_or(1, |width| width.least.max(1));
                        // two for each byte of a digest
                        let bytes = digits && !matches!(self.body.expr(value).kind, ExprKind::Literal(_));
                        if bytes && least > 1 { least.saturating_mul(2) } else { least }
                    })
                    .sum();
                self.here(id, fixed as u32 + values)
            }
            // What a `Display` writes is what `to_string` gives.
            ExprKind::MethodCall(call) if matches!(call.name.as_str(), "write_str" | "pad") => {
                call.args.first().and_then(|&text| inner.of(text))
            }
            ExprKind::MethodCall(call) => {
                let receiver = call.receiver;
                if let (&[shown], "to_string") = (&self.displays(receiver)[..], call.name.as_str()) {
                    return inner.of_function(shown, &[receiver]);
                }
                let known = self.spelled(id).or_else(|| self.of_call(id, Some(receiver), &call.args));
                known.or_else(|| self.by_type(id)).or_else(|| {
                    // What only hands its receiver on: `to_string`, `as_str`, `clone`.
                    let words = &self.engine.catalog.words.keeping_prefixes;
                    let keeps = words.iter().any(|prefix| call.name.as_str().starts_with(prefix.as_str()))
                        || call.name.as_str() == "clone";
                    keeps.then(|| inner.of(receiver)).flatten()
                })
            }
            // What a newtype holds is as long as the newtype.
            ExprKind::Field { base, .. } if self.is_newtype(*base) => inner.of(*base),
            ExprKind::Call { args, .. } => self.of_call(id, None, args).or_else(|| self.by_type(id)),
            _ => self.by_type(id),
        }
    }

    fn here(&self, id: ExprId, least: u32) -> Option<Width> {
        let file = self.engine.program.function(self.function).file;
        Some(Width { least, at: Span::new(file, self.body.expr(id).range) })
    }

    /// A call of the catalog, or of the workspace.
    fn of_call(&self, id: ExprId, receiver: Option<ExprId>, args: &[ExprId]) -> Option<Width> {
        let inner = Self { depth: self.depth + 1, ..*self };
        match self.engine.program.function(self.function).types.callee(id)? {
            Callee::Functions(ids) => {
                // Of several the shortest holds.
                let given: Vec<ExprId> = receiver.into_iter().chain(args.iter().copied()).collect();
                let widths = ids.iter().map(|&id| self.of_function(id, &given)).collect::<Option<Vec<_>>>()?;
                return widths.into_iter().min_by_key(|width| width.least);
            }
            Callee::Constructor(..) => match args {
                &[only] => return inner.of(only),
                _ => return None,
            },
            _ => {}
        }
        let row = self.row(id)?;
        if let Some(width) = row.width {
            return self.here(id, width);
        }
        let operand = |number: i32| match number {
            -1 => receiver,
            number => args.get(usize::try_from(number).ok()?).copied(),
        };
        let mut kept = row.keeps.iter().map(|&number| operand(number).and_then(|at| inner.of(at)));
        let kept = match row.one_of {
            true => kept.min_by_key(|width| width.map_or(0, |width| width.least)).flatten(),
            false => kept.find_map(|width| width),
        };
        match row.widens {
            // The last group is filled up or cut short; what is decoded was filled up.
            Some((times, per)) if times > per && per > 0 => {
                self.here(id, kept?.least.saturating_mul(times).div_ceil(per))
            }
            Some((times, per)) if per > 0 => self.here(id, kept?.least.saturating_mul(times) / per),
            _ if row.cuts.is_some() => {
                let by = row.cuts.and_then(operand)?;
                let left = self.cut_by(by)?;
                receiver.iter().for_each(|&whole| self.note_cut(id, whole, by));
                self.here(id, kept?.least.min(left))
            }
            // A digest is as long as its algorithm says, whatever goes in.
            _ if row.digest => {
                let receiver = receiver?;
                let least =
                    self.by_type(receiver).map(|width| width.least).or_else(|| self.by_constructor(receiver))?;
                self.here(id, least)
            }
            _ => kept,
        }
    }

    /// What the catalog says of a call.
    fn row(&self, id: ExprId) -> Option<&'p OriginRule> {
        let info = self.engine.program.function(self.function);
        // Of a constant that stands for its type, as far as that is known: `BASE32.encode(..)`.
        if let ExprKind::MethodCall(call) = &self.body.expr(id).kind {
            if let Some(ValueDef::External(path)) = info.types.path(call.receiver) {
                let call = Call::Method { receiver: path.as_str(), method: call.name.as_str(), fields: &[] };
                return self.engine.matcher.origin(&call);
            }
        }
        let call = match info.types.callee(id)? {
            Callee::External(path) | Callee::Unresolved(path) => Call::External(path.as_str()),
            Callee::ExternalMethod { receiver, method } => {
                Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] }
            }
            Callee::UnknownMethod(method) => Call::Unknown { method: method.as_str(), fields: &[] },
            _ => return None,
        };
        self.engine.matcher.origin(&call)
    }

    /// How many are left of something: `..20`, `4..20`, 20.
    fn cut_by(&self, id: ExprId) -> Option<u32> {
        let number = |id: ExprId| self.number(id);
        match &self.body.expr(id).kind {
            ExprKind::Range { start, end: Some(end) } => {
                let start = start.map_or(Some(0), number)?;
                number(*end)?.checked_sub(start)
            }
            _ => number(id),
        }
    }

    /// A number that stands here, or in a constant.
    fn number(&self, id: ExprId) -> Option<u32> {
        let fixed = |body: &Body, id: ExprId| match &body.expr(id).kind {
            ExprKind::Literal(Literal::Int(number)) => u32::try_from(*number).ok(),
            _ => None,
        };
        let program = self.engine.program;
        match program.function(self.function).types.path(id) {
            Some(ValueDef::Consts(known)) => match known[..] {
                [one] => program.consts.get(one.0 as usize)?.ir.body.as_deref().and_then(|body| fixed(body, body.root)),
                _ => None,
            },
            _ => fixed(self.body, id),
        }
    }

    /// How long a local still is that was bound to something: it may have been set again, or cut.
    fn as_left(&self, local: LocalId, mut bound: Width) -> Option<Width> {
        let is_it = |id: ExprId| matches!(self.body.expr(id).kind, ExprKind::Local(of) if of == local);
        for expr in &self.body.exprs {
            match &expr.kind {
                ExprKind::Assign { target, value } if is_it(*target) => {
                    let set = self.of(*value)?;
                    bound = if set.least < bound.least { set } else { bound };
                }
                // What a method that only looks gives is of use to somebody.
                ExprKind::Block(block) => {
                    let alone = block.statements.iter().filter_map(|statement| match statement {
                        Statement::Expr(id) => Some(*id),
                        Statement::Let { .. } => None,
                    });
                    for id in alone {
                        let ExprKind::MethodCall(call) = &self.body.expr(id).kind else {
                            continue;
                        };
                        if is_it(call.receiver) && self.row(id).is_some_and(|row| row.cuts.is_some()) {
                            let &by = call.args.first()?;
                            self.note_cut(id, call.receiver, by);
                            bound.least = bound.least.min(self.cut_by(by)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Some(bound)
    }

    fn of_function(&self, function: FnId, given: &[ExprId]) -> Option<Width> {
        let body = self.engine.program.body(function)?;
        let root = super::answering::tails(body);
        let (depth, caller) = (self.depth + 1, Some((self, given)));
        let reader = Reader { engine: self.engine, function, body, depth, left: self.left, cut: self.cut, caller };
        let widths = root.into_iter().map(|tail| reader.of(ok_of(body, tail))).collect::<Option<Vec<_>>>()?;
        widths.into_iter().min_by_key(|width| width.least)
    }

    /// What the caller hands over as the parameter that a local is, unless the function sets it.
    fn given(&self, local: LocalId) -> Option<Width> {
        let (caller, given) = self.caller.filter(|_| self.depth < MAX_DEPTH)?;
        let is_it = |pat: &PatId| matches!(self.body.pat(*pat).kind, PatKind::Bind { local: of, .. } if of == local);
        let params = &self.engine.program.function(self.function).ir.params;
        let at = params.iter().position(|param| param.pat.as_ref().is_some_and(is_it))?;
        let width = Reader { depth: self.depth + 1, ..*caller }.of(*given.get(at)?)?;
        self.as_left(local, width)
    }

    /// How a type of the workspace writes itself.
    fn displays(&self, id: ExprId) -> Vec<FnId> {
        let program = self.engine.program;
        let ty = self.engine.program.function(self.function).types.ty(id);
        let is_display = |id: &FnId| {
            program.function(*id).trait_path.is_some_and(|path| path.as_str().rsplit("::").next() == Some("Display"))
        };
        match ty {
            Ty::Adt(..) => program.method(ty, Name::new("fmt")).into_iter().filter(is_display).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether an expression is of a struct of the workspace that holds one thing.
    fn is_newtype(&self, id: ExprId) -> bool {
        match self.engine.program.function(self.function).types.ty(id) {
            Ty::Adt(ty, _) => matches!(&self.engine.program.type_(*ty).fields[..], [fields] if fields.len() == 1),
            _ => false,
        }
    }

    /// What a type alone says.
    fn by_type(&self, id: ExprId) -> Option<Width> {
        let info = self.engine.program.function(self.function);
        let widths = &self.engine.catalog.words.type_widths;
        let known = |ty: &Ty| match ty {
            Ty::External(path, _) => widths.iter().find(|(known, _)| known == path.as_str()).map(|(_, width)| *width),
            _ => None,
        };
        let ty = info.types.ty(id);
        let inner = match ty {
            Ty::External(_, arguments) => arguments.first().and_then(known),
            _ => None,
        };
        self.here(id, known(ty).or(inner)?)
    }
}

impl Reader<'_, '_> {
    /// The digest that a constructor's path names where its type is only an alias: `HmacSha256::new_from_slice(..)`.
    fn by_constructor(&self, id: ExprId) -> Option<u32> {
        let mut at = id;
        for _ in 0..MAX_DEPTH {
            at = match &self.body.expr(at).kind {
                ExprKind::Local(local) => self.body.bound(*local)?,
                ExprKind::MethodCall(call) => call.receiver,
                ExprKind::Try(inner) => *inner,
                ExprKind::Call { callee, .. } => *callee,
                ExprKind::Path(path) => {
                    let arguments = path.segments.iter().flat_map(|segment| &segment.args);
                    let arguments = arguments.filter_map(|ty| match ty {
                        TypeIr::Path(path) => path.segments.last(),
                        _ => None,
                    });
                    let mut names = path.segments.iter().chain(arguments).map(|segment| segment.name.as_str());
                    return names.find_map(|name| {
                        let widths = self.engine.catalog.words.type_widths.iter();
                        let mut known = widths.filter_map(|(path, width)| Some((path.rsplit("::").next()?, *width)));
                        known.find(|(digest, _)| name.ends_with(digest)).map(|(_, width)| width)
                    });
                }
                _ => return None,
            };
        }
        None
    }
}

/// The value inside `Ok(..)`.
fn ok_of(body: &Body, id: ExprId) -> ExprId {
    match &body.expr(id).kind {
        ExprKind::Call { callee, args } => match (&body.expr(*callee).kind, &args[..]) {
            (ExprKind::Path(path), &[value]) if path.of_option_or_result() == Some("Ok") => value,
            _ => id,
        },
        _ => id,
    }
}
