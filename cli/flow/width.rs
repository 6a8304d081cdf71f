//! How long a key is at least, as far as its expression shows: fixed text, digests, ids of a fixed form.
//!
//! Parts of which nothing is known count nothing, so the answer is a lower bound. Only what is written is read: the
//! expression of a local where it is declared, the last expression of a function of the workspace.

use super::engine::Engine;
use super::template;
use crate::catalog::Call;
use crate::ir::{Body, ExprId, ExprKind, Literal, TypeIr};
use crate::resolve::{Callee, FnId, Ty};
use crate::source::Span;

/// Expressions inside expressions and functions inside functions that are read.
const MAX_DEPTH: usize = 16;

/// A length, and where it comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Width {
    /// characters of a text, or bytes of a digest
    pub(crate) least: u32,
    /// the expression that is that long
    pub(crate) at: Span,
}

/// The least length of the expression at a place of a function.
pub(crate) fn least(engine: &Engine<'_>, function: FnId, place: Span) -> Option<Width> {
    let info = engine.program.function(function);
    let body = engine.program.body(function).filter(|_| info.file == place.file)?;
    let at = body.exprs.iter().position(|expr| expr.range == place.range)?;
    Reader { engine, function, body, depth: 0 }.of(ExprId(at as u32)).filter(|width| width.least > 0)
}

struct Reader<'e, 'p> {
    engine: &'e Engine<'p>,
    function: FnId,
    body: &'p Body,
    depth: usize,
}

impl<'p> Reader<'_, 'p> {
    fn of(&self, id: ExprId) -> Option<Width> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        let inner = Self { depth: self.depth + 1, ..*self };
        match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(text)) => self.here(id, text.chars().count() as u32),
            ExprKind::Literal(Literal::Int(number)) => self.here(id, number.to_string().len() as u32),
            ExprKind::Await(value) | ExprKind::Try(value) | ExprKind::Deref(value) => inner.of(*value),
            ExprKind::Local(local) => {
                let bound = self.body.bound(*local).and_then(|value| inner.of(value));
                bound.or_else(|| self.by_type(id))
            }
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
            ExprKind::MethodCall(call) => {
                let receiver = call.receiver;
                self.of_call(id, Some(receiver), &call.args).or_else(|| self.by_type(id)).or_else(|| {
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
        let info = self.engine.program.function(self.function);
        let call = match info.types.callee(id)? {
            Callee::External(path) | Callee::Unresolved(path) => Call::External(path.as_str()),
            Callee::ExternalMethod { receiver, method } => {
                Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] }
            }
            Callee::UnknownMethod(method) => Call::Unknown { method: method.as_str(), fields: &[] },
            Callee::Functions(ids) => {
                // Of several the shortest holds.
                let widths = ids.iter().map(|&id| self.of_function(id)).collect::<Option<Vec<_>>>()?;
                return widths.into_iter().min_by_key(|width| width.least);
            }
            Callee::Constructor(..) => match args {
                &[only] => return inner.of(only),
                _ => return None,
            },
            _ => return None,
        };
        let row = self.engine.matcher.origin(&call)?;
        if let Some(width) = row.width {
            return self.here(id, width);
        }
        let kept = row.keeps.iter().find_map(|&number| match number {
            -1 => receiver.and_then(|receiver| inner.of(receiver)),
            number => inner.of(*args.get(usize::try_from(number).ok()?)?),
        });
        match row.widens {
            Some((times, per)) if per > 0 => self.here(id, kept?.least.saturating_mul(times) / per),
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

    fn of_function(&self, function: FnId) -> Option<Width> {
        let body = self.engine.program.body(function)?;
        let root = super::events::tails(body);
        let reader = Reader { engine: self.engine, function, body, depth: self.depth + 1 };
        let widths = root.into_iter().map(|tail| reader.of(ok_of(body, tail))).collect::<Option<Vec<_>>>()?;
        widths.into_iter().min_by_key(|width| width.least)
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
