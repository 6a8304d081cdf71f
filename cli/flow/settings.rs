//! Settings by which a client acknowledges by itself: made one by one, gone through as a table, or written as a struct.

use super::call::Site;
use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::value::{Record, Shape, Value};
use super::walk;
use crate::catalog::{AutoAck, Call};
use crate::ir::{ExprId, ExprKind, LocalId, LoopKind, Name, PatId, PatKind};
use crate::resolve::Ty;
use crate::source::Span;

/// How far out the table is looked for whose rows a call is given.
const MAX_AROUND: usize = 24;

/// Whether a call makes the setting by which a client acknowledges by itself.
pub(crate) fn switches(eval: &Eval<'_, '_>, site: &Site<'_>, row: &AutoAck) -> bool {
    let text = |number: usize| site.args.get(number).and_then(Value::text);
    match (row.setting.as_str(), site.args.as_slice()) {
        // a method that makes it by being called
        ("", []) => row.value.is_empty(),
        ("", _) => text(0) == Some(row.value.as_str()),
        (_, [table]) => has_row(table, row),
        (setting, _) => match text(0) {
            Some(name) => name == setting && text(1) == Some(row.value.as_str()),
            None => table(eval, site).is_some_and(|table| has_row(&table, row)),
        },
    }
}

/// Whether a table of names and values has a setting.
fn has_row(table: &Value, row: &AutoAck) -> bool {
    let is = |value: Option<&Value>, text: &str| value.and_then(Value::text) == Some(text);
    let pair = |record: &Record| {
        let part = |name: &str| record.fields.get(&Name::new(name));
        is(part("0"), &row.setting) && is(part("1"), &row.value)
    };
    let records = |value: &Value, holds: &dyn Fn(&Record) -> bool| {
        value.alts.iter().any(|alt| matches!(&alt.shape, Shape::Record(record) if holds(record)))
    };
    records(table, &|table| {
        is(table.fields.get(&Name::new(&row.setting)), &row.value)
            || table.fields.values().any(|element| records(element, &pair))
    })
}

/// The table whose rows are taken apart into the two arguments of a call: by a loop, or by a closure that is called for each.
fn table(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let [name, value, ..] = site.arg_ids.as_slice() else {
        return None;
    };
    let copied = |id: ExprId| walk::copied(eval.body, id, MAX_AROUND);
    let pair = (copied(*name)?, copied(*value)?);
    let mut at = site.id;
    for _ in 0..MAX_AROUND {
        let parent = walk::parent(&eval.parents, at)?;
        match &eval.body.expr(parent).kind {
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::For { pat, iterable } if takes_apart(eval, pat, pair) => return Some(eval.quiet(iterable)),
                _ => {}
            },
            ExprKind::MethodCall(call) => match &eval.body.expr(at).kind {
                ExprKind::Closure(each) if each.params.iter().any(|(pat, _)| takes_apart(eval, *pat, pair)) => {
                    return Some(eval.quiet(call.receiver));
                }
                _ => {}
            },
            _ => {}
        }
        at = parent;
    }
    None
}

/// Whether a pattern takes two things apart into these locals.
fn takes_apart(eval: &Eval<'_, '_>, pat: PatId, (first, second): (LocalId, LocalId)) -> bool {
    let binds =
        |pat: &PatId, wanted| matches!(eval.body.pat(*pat).kind, PatKind::Bind { local, .. } if local == wanted);
    match &eval.body.pat(pat).kind {
        PatKind::Tuple(parts) => matches!(&**parts, [a, b] if binds(a, first) && binds(b, second)),
        _ => false,
    }
}

/// Settings written out as a struct, by which a client acknowledges by itself.
pub(crate) fn switched(eval: &mut Eval<'_, '_>, id: ExprId, record: &Record) {
    let set = |setting: &str| record.fields.get(&Name::new(setting));
    let Some((path, row)) = record.path.and_then(|path| Some((path, made_in(eval, path, set)?))) else {
        return;
    };
    let written = match &eval.body.expr(id).kind {
        ExprKind::Struct(literal) => literal.fields.iter().find(|(field, _)| field.as_str() == row.setting),
        _ => None,
    };
    let at = written.map_or(id, |(_, value)| *value);
    eval.calling = None;
    eval.event(EventKind::AutoAck, eval.span_of(at), path, Usage::Used);
}

/// One of these settings, made by itself: `options.no_ack = true`.
pub(crate) fn switched_one(eval: &mut Eval<'_, '_>, target: ExprId, (field, value): (Name, &Value), span: Span) {
    let ExprKind::Field { base, .. } = eval.body.expr(target).kind else {
        return;
    };
    let path = match eval.ty(base) {
        Ty::External(path, _) => *path,
        _ => return,
    };
    let others = eval.quiet(base);
    let other = |setting: &str| {
        others.alts.iter().find_map(|alt| match &alt.shape {
            Shape::Record(record) => record.fields.get(&Name::new(setting)),
            _ => None,
        })
    };
    let made = made_in(eval, path, |setting| if field.as_str() == setting { Some(value) } else { other(setting) });
    // Another field of settings that were made before says nothing new.
    if made.is_some_and(|row| field.as_str() == row.setting || row.beside.as_deref() == Some(field.as_str())) {
        eval.calling = None;
        eval.event(EventKind::AutoAck, span, path, Usage::Used);
    }
}

/// The setting by which a client acknowledges by itself, if it is made among settings of a type.
fn made_in<'p, 'v>(eval: &Eval<'p, '_>, path: Name, set: impl Fn(&str) -> Option<&'v Value>) -> Option<&'p AutoAck> {
    let is_there = |other: &String| set(other).is_some_and(|value| !value.is_nothing());
    eval.engine.matcher.auto_ack(&Call::External(path.as_str())).filter(|row| {
        let made = set(&row.setting).and_then(Value::text) == Some(row.value.as_str());
        made && row.beside.as_ref().is_none_or(is_there)
    })
}
