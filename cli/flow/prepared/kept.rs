//! Statements and names that a type keeps in a field: its constructor prepared them, or put down their text, and its methods
//! use them.
//!
//! In: the expression of a field, `&self.bump`. Out: the texts that the workspace puts there. Only what is written is read,
//! since the constructor is no callee of the method.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::catalog::StoreCall;
use crate::flow::call::Site;
use crate::flow::engine::Engine;
use crate::flow::eval::Eval;
use crate::flow::walk;
use crate::ir::{Body, ExprId, ExprKind, Literal, MethodCall, Name};
use crate::resolve::{BodyTypes, FnId, Program, StructDef, Ty, TypeId, ValueDef, behind};

/// Places in which one type is made that are looked at.
const MAX_MAKERS: usize = 16;
/// Calls and names between a field and the text that goes into it.
const MAX_STEPS: usize = 12;

/// Where each type of the workspace is written out, found when it is asked for first.
#[derive(Default, Debug)]
pub(crate) struct Makers(OnceLock<FxHashMap<TypeId, Vec<(FnId, ExprId)>>>);

impl Makers {
    fn of(&self, program: &Program, ty: TypeId) -> &[(FnId, ExprId)] {
        let all = self.0.get_or_init(|| {
            let mut found: FxHashMap<TypeId, Vec<(FnId, ExprId)>> = FxHashMap::default();
            for (number, function) in (0u32..).zip(&program.functions).filter(|(_, function)| !function.test) {
                for (id, made) in &function.types.structs {
                    if let StructDef::Local(ty, _) = made {
                        found.entry(*ty).or_default().push((FnId(number), *id));
                    }
                }
            }
            found
        });
        all.get(&ty).map_or(&[], Vec::as_slice)
    }
}

/// The texts of the statement that a call runs, where a field holds it: the argument for it, or what it is called on.
pub(crate) fn statements(eval: &Eval<'_, '_>, site: &Site<'_>, row: &StoreCall) -> Vec<Name> {
    let argument = row.sql.and_then(|number| site.arg_ids.get(usize::try_from(number).ok()?).copied());
    let held = argument.or_else(|| row.sql.and(site.receiver.as_ref().map(|(id, _)| *id)));
    let mut texts = held.map(|id| written(eval, id, &|_| false)).unwrap_or_default();
    texts.retain(|text| super::is_sql(text.as_str()));
    texts
}

/// The texts that the workspace writes into a field, or that what is in it is made of: by a call that prepares a statement, or
/// by one of which somebody else knows that it takes such a text first.
pub(crate) fn written(eval: &Eval<'_, '_>, field: ExprId, takes: &dyn Fn(&MethodCall) -> bool) -> Vec<Name> {
    let ExprKind::Field { base, name } = &eval.body.expr(walk::original(eval.body, field)).kind else {
        return Vec::new();
    };
    let Ty::Adt(owner, _) = behind(eval.ty(*base)) else {
        return Vec::new();
    };
    let engine = &*eval.engine;
    let mut texts = Vec::new();
    for &(maker, literal) in engine.makers().of(engine.program, *owner).iter().take(MAX_MAKERS) {
        let Some(body) = engine.program.body(maker) else {
            continue;
        };
        let ExprKind::Struct(made) = &body.expr(literal).kind else {
            continue;
        };
        let given = made.fields.iter().find(|(known, _)| known == name);
        let put = Put { engine, types: &engine.program.function(maker).types, body, takes };
        let text = given.and_then(|(_, value)| put.text(*value)).map(Name::new);
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    texts
}

/// A body that puts something into a field.
struct Put<'b, 'p> {
    engine: &'b Engine<'p>,
    types: &'b BodyTypes,
    body: &'p Body,
    takes: &'b dyn Fn(&MethodCall) -> bool,
}

impl<'p> Put<'_, 'p> {
    /// The text that is written out, or that something is made of here.
    fn text(&self, mut at: ExprId) -> Option<&'p str> {
        for _ in 0..MAX_STEPS {
            at = walk::original(self.body, at);
            at = match &self.body.expr(at).kind {
                ExprKind::Literal(Literal::Str(text)) => return Some(text),
                ExprKind::Format(format) => return format.template.as_deref(),
                ExprKind::Path(_) => return constant(self.engine.program, self.types, at),
                ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
                ExprKind::MethodCall(call) if (self.takes)(call) => *call.args.first()?,
                // `session.prepare(text)`; of any other call what it is called on: `.map_err(..)`, `.unwrap()`
                ExprKind::MethodCall(call) => match self.prepares(at) {
                    Some(number) => *call.args.get(number)?,
                    None => call.receiver,
                },
                // `Arc::new(statement)`
                ExprKind::Call { args, .. } => match self.prepares(at) {
                    Some(number) => *args.get(number)?,
                    None if args.len() == 1 => args[0],
                    None => return None,
                },
                _ => return None,
            };
        }
        None
    }

    /// The argument that is the text, of a call that only prepares a statement.
    fn prepares(&self, call: ExprId) -> Option<usize> {
        let rows = self.engine.rows.of(self.types.callee(call), false, &[], None);
        let row = rows.store.filter(|row| row.executor.is_none())?;
        row.sql.and_then(|number| usize::try_from(number).ok())
    }
}

fn constant<'p>(program: &'p Program, types: &BodyTypes, path: ExprId) -> Option<&'p str> {
    let Some(ValueDef::Consts(known)) = types.path(path) else {
        return None;
    };
    let [one] = known[..] else { return None };
    let body = program.consts.get(one.0 as usize)?.ir.body.as_deref()?;
    match &body.expr(body.root).kind {
        ExprKind::Literal(Literal::Str(text)) => Some(text),
        _ => None,
    }
}
