//! Combinators, and whatever else runs a closure or a function that it was handed.

use super::super::RepeatScope;
use super::super::batch::{self, Batch};
use super::super::combinators::{self, Takes};
use super::super::engine::ParamCall;
use super::super::eval::{Eval, Region};
use super::super::events::Role;
use super::super::rows::Rows;
use super::super::uses::handed_in;
use super::super::value::{Alt, Atom, Kind, Note, Shape, Trail, Value};
use super::super::{handed, operation, replies};
use super::apply::apply;
use super::build::carried;
use super::make::default_beside;
use super::origin::{from_origin, std_conversion};
use super::sorted::{element, is_sequence};
use super::{MAX_TARGETS, Site, around, once};
use crate::catalog::{Call, OriginRule};
use crate::ir::Name;
use crate::resolve::Ty;
use std::sync::Arc;

/// Closures that a call takes and nobody knows what it does with them: they may run.
pub(super) fn run_other_closures(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    for value in site.args.iter().chain(site.receiver.iter().map(|(_, value)| value)) {
        for alt in value.alts.iter() {
            if let Shape::Closure(id) = alt.shape {
                if !eval.has_run(id) {
                    eval.run_closure(id, &[], None);
                }
            }
        }
    }
}

/// A standard combinator with a closure or a default.
pub(super) fn combinator(eval: &mut Eval<'_, '_>, site: &Site<'_>, origin: Option<&OriginRule>) -> Option<Value> {
    let receiver = &site.receiver.as_ref()?.1;
    if origin.is_some_and(|origin| origin.declared) {
        return None;
    }
    if site.name.as_str() == "unwrap_or_default" {
        let default = default_of(eval, site);
        return Some(receiver.present().join(&default));
    }
    let closure = site.args.iter().any(|arg| arg.alts.iter().any(|alt| is_callable(&alt.shape)));
    match combinators::takes(site.name.as_str(), site.args.len())? {
        Takes::OrValue => {
            let around = eval.branches.len();
            let branch = operation::error_branch(eval, site, false);
            eval.branches.extend(branch);
            default_state(eval, site, &site.args.first()?.clone());
            eval.branches.truncate(around);
            Some(receiver.present().join(site.args.first()?))
        }
        Takes::Present => {
            run_other_closures(eval, site);
            if matches!(site.name.as_str(), "unwrap" | "expect") {
                eval.panics(site.id, receiver);
            }
            Some(receiver.present())
        }
        Takes::Error => Some(eval.opaque("an error", site.span)),
        // A variant that takes the value is no closure.
        taken if !closure && taken != Takes::MapOr => None,
        Takes::OrElse => {
            let around = eval.branches.len();
            let branch = operation::error_branch(eval, site, false);
            eval.branches.extend(branch);
            let callable = site.args.first().cloned().unwrap_or_default();
            let error = error_of(eval, site, receiver);
            let other = run_callable(eval, site, &callable, error.as_slice(), None);
            eval.branches.truncate(around);
            Some(receiver.present().join(&other))
        }
        Takes::Map => {
            let (element, order) = each_of(eval, site, receiver);
            if order.is_some() {
                eval.goes_in_map_order(site.span, site.name);
            }
            // One after the other, `try` only up to the first error.
            let given = site.name.as_str().contains("for_each");
            let taken = batch::of_closure(eval.body, &eval.parents, site.id);
            let each = given || taken.is_some();
            if each {
                let unordered = batch::runs_as_done(eval, site.id);
                let role = Role::Each { endless: false, unordered, rounds: false };
                eval.push_region(Region { id: site.id, repeat: None, role });
            }
            let element = if each { eval.entered(&element) } else { element };
            let takes_in = each && order.is_some();
            eval.each.extend(takes_in.then_some((eval.body.expr(site.id).range, true)));
            let callable = site.args.get(site.args.len().saturating_sub(1))?.clone();
            let mapped = match written_out(eval, site, receiver).filter(|_| !each && site.name.as_str() == "map") {
                Some(items) => {
                    let mapped =
                        items.iter().map(|item| run_callable(eval, site, &callable, std::slice::from_ref(item), None));
                    let mapped = mapped.collect();
                    eval.record_of(Some("[]"), mapped)
                }
                None => {
                    eval.for_each = given;
                    run_callable(eval, site, &callable, &[element], None)
                }
            };
            eval.for_each = false;
            if takes_in {
                eval.each.pop();
            }
            if each {
                if given && site.name.as_str().starts_with("try") || taken == Some(Batch::FirstError) {
                    // A `?` behind it is a way out of its own.
                    eval.fail(site.id, site.arg_ids.last().copied().unwrap_or(site.id), &mapped);
                }
                eval.pop_region();
                eval.comes_back(site.id, site.span);
            }
            let absent =
                receiver.filter_map(|alt| alt.atoms.iter().any(|atom| atom.kind.is_absent()).then(|| alt.clone()));
            // Whatever becomes of the value, `Ok` stays `Ok`: the result still tells of the outcome. And what is made of
            // elements comes in their order.
            let mut kept = receiver.replies();
            kept.extend(order.filter(|_| !each && !mapped.is_bottom()));
            Some(mapped.with_atoms(&kept).join(&absent))
        }
        Takes::MapOr => {
            let (element, _) = each_of(eval, site, receiver);
            let default = site.args.first()?.clone();
            let around = eval.branches.len();
            let branch = operation::error_branch(eval, site, false);
            eval.branches.extend(branch);
            default_state(eval, site, &default);
            eval.answered(site.arg_ids.first().copied());
            let error = error_of(eval, site, receiver);
            let default = run_or_self(eval, site, &default, error.as_slice());
            eval.branches.truncate(around);
            let callable = site.args.get(1)?.clone();
            let mapped = match callable.alts.iter().any(|alt| is_callable(&alt.shape)) {
                true => run_callable(eval, site, &callable, &[element], None),
                false => Value::concat(&[callable, element]),
            };
            Some(default.join(&mapped))
        }
        Takes::Fold => {
            let (all, order) = each_of(eval, site, receiver);
            if order.is_some() {
                eval.goes_in_map_order(site.span, site.name);
            }
            let role = Role::Each { endless: false, unordered: false, rounds: false };
            eval.push_region(Region { id: site.id, repeat: None, role });
            let callable = site.args.get(1)?.clone();
            let mut taken = site.args.first()?.clone();
            // In the end all are in it: those that are written out, too, one by one.
            for alt in all.alts.iter() {
                let element = eval.entered(&Value::alt(alt.clone()));
                taken = run_callable(eval, site, &callable, &[taken, element], None);
            }
            if site.name.as_str() == "try_fold" {
                // The first error is that of the whole.
                eval.fail(site.id, site.arg_ids[1], &taken);
            }
            eval.pop_region();
            Some(taken.with_atoms(order.as_slice()))
        }
        Takes::Keep => {
            let on_error = matches!(site.name.as_str(), "map_err" | "inspect_err");
            let around = eval.branches.len();
            let branch = if on_error { operation::error_branch(eval, site, true) } else { None };
            eval.branches.extend(branch);
            let (element, _) = each_of(eval, site, receiver);
            let callable = site.args.first().cloned().unwrap_or_default();
            run_callable(eval, site, &callable, &[element], None);
            eval.branches.truncate(around);
            Some(receiver.clone())
        }
    }
}

/// The error that a closure gets of an answer: it tells of the outcome, and what the closure asks of it narrows that.
pub(crate) fn error_of(eval: &Eval<'_, '_>, site: &Site<'_>, answer: &Value) -> Option<Value> {
    let replies = answer.replies();
    let error = eval.opaque("an error", site.span);
    (!replies.is_empty()).then(|| error.with_atoms(&replies))
}

/// What a closure gets of the receiver: one element of a sequence, whose order is told beside it, or the whole value.
fn each_of(eval: &Eval<'_, '_>, site: &Site<'_>, receiver: &Value) -> (Value, Option<Atom>) {
    let value = receiver.present();
    match &site.receiver {
        Some((id, _)) if is_sequence(eval.ty(*id)) => element(eval, &value),
        _ => (eval.elements(&value), None),
    }
}

/// The elements of a sequence that stand in the source, one by one.
fn written_out(eval: &Eval<'_, '_>, site: &Site<'_>, receiver: &Value) -> Option<Vec<Value>> {
    let (id, _) = site.receiver.as_ref()?;
    let [Alt { shape: Shape::Record(record), .. }] = &*receiver.alts else {
        return None;
    };
    let list = record.is_list() && is_sequence(eval.ty(*id)) && (2..=MAX_TARGETS).contains(&record.fields.len());
    list.then(|| record.numbered())?.map(|values| values.into_iter().cloned().collect())
}

/// A text or variant by default that means a state: it is decided where the answer is missing.
fn default_state(eval: &mut Eval<'_, '_>, site: &Site<'_>, default: &Value) {
    let Some(&id) = site.arg_ids.first() else {
        return;
    };
    let span = eval.span_of(id);
    if let Some(text) = default.text() {
        eval.state_word(eval.engine.words.of_text(text), span, text);
    }
    eval.decided_here(span);
}

pub(super) fn is_callable(shape: &Shape) -> bool {
    matches!(shape, Shape::Closure(_) | Shape::Function(_) | Shape::External(_))
}

/// What something gives that is called with these arguments, or is a value already.
pub(super) fn run_or_self(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: &Value, args: &[Value]) -> Value {
    match value.alts.iter().any(|alt| is_callable(&alt.shape)) {
        true => run_callable(eval, site, value, args, None),
        false => value.clone(),
    }
}

pub(super) fn default_of(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Value {
    let program = eval.engine.program;
    let ty = eval.ty(site.id).clone();
    let ids = program.method(&ty, Name::new("default"));
    if ids.is_empty() {
        let there = site.receiver.as_ref().map(|(_, value)| value.clone()).filter(|_| !matches!(ty, Ty::Adt(..)));
        if let Some(value) = there.and_then(|there| default_beside(eval, &there, site.span)) {
            return value;
        }
        let trail = Trail::start(site.span, "the default is empty");
        return Value::atom(Atom::new(Kind::Empty, eval.here(), trail));
    }
    let mut out = Value::bottom();
    for id in ids {
        let summary = eval.engine.summary(id);
        let context = eval.context(Vec::new(), Some((site.span, Note::Words("the default is made here"))));
        out = out.join(&summary.ret.substitute(&context));
    }
    out
}

/// Runs what a value can call: closures of this body, functions, or a parameter (which its caller will run).
pub(crate) fn run_callable(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    callable: &Value,
    args: &[Value],
    repeat: Option<Arc<RepeatScope>>,
) -> Value {
    let mut out = Value::bottom();
    for alt in callable.alts.iter() {
        match &alt.shape {
            Shape::Closure(id) => out = out.join(&eval.run_closure(*id, args, repeat.clone())),
            Shape::Function(ids) => {
                if let Some(scope) = &repeat {
                    eval.push_region(Region { id: site.id, repeat: Some(scope.clone()), role: Role::Retry });
                }
                let ids: Vec<_> = ids.iter().take(MAX_TARGETS).copied().collect();
                for id in ids {
                    let summary = eval.engine.summary(id);
                    out = out.join(&apply(eval, site, id, &summary, args, &[]));
                }
                if repeat.is_some() {
                    eval.pop_region();
                }
            }
            Shape::External(path) => out = out.join(&run_external(eval, site, *path, args)),
            _ => {
                let mut called = None;
                for atom in alt.atoms.iter() {
                    if let Kind::Param(index, path) = &atom.kind {
                        if path.is_empty() {
                            called = Some(*index);
                            let inner = repeat.clone().or_else(|| eval.repeating());
                            // Each once: a function that hands its parameter on twice would have twice as many
                            // calls of it as the one below, and so on up the chain.
                            let site = |scope: &Option<Arc<RepeatScope>>| scope.as_ref().map(|scope| scope.site);
                            let known = |call: &ParamCall| call.param == *index && site(&call.repeat) == site(&inner);
                            let args = args.iter().map(|arg| handed_in(arg, &eval.regions)).collect();
                            let transaction = around::transaction(eval);
                            match eval.param_calls.iter_mut().find(|call| known(call)) {
                                Some(call) => call.also_with(args, transaction),
                                None => {
                                    let unless = if repeat.is_none() { once::asked(eval) } else { Vec::new() };
                                    eval.param_calls.push(ParamCall {
                                        param: *index,
                                        repeat: inner,
                                        judge: None,
                                        unless,
                                        args,
                                        transaction,
                                    });
                                }
                            }
                        }
                    }
                }
                // A future that was made before is what it is.
                let value = match alt.atoms.is_empty() {
                    true => eval.opaque("a callable that is not known", site.span),
                    false => Value::alt(alt.clone()),
                };
                out = out.join(&match called {
                    Some(param) => answer_of(eval, param, &value),
                    None => value,
                });
            }
        }
    }
    out
}

/// What a parameter that is called gives: what came of it, whoever handed it over knows of what.
fn answer_of(eval: &mut Eval<'_, '_>, param: u32, value: &Value) -> Value {
    let Some(info) = eval.function.map(|id| eval.engine.program.function(id)) else {
        return value.clone();
    };
    let place = handed::place(info, param as usize);
    eval.state.doubt(place);
    replies::with_reply(eval, value, place, false)
}

/// Calls a function of another crate that was handed over as a value.
pub(super) fn run_external(eval: &mut Eval<'_, '_>, site: &Site<'_>, path: Name, args: &[Value]) -> Value {
    let matcher = eval.engine.matcher;
    let direct = matcher.origin(&Call::External(path.as_str()));
    let method = std_conversion(path).and_then(|method| matcher.origin(&Call::Unknown { method, fields: &[] }));
    let carriers = matcher.carriers(&Call::External(path.as_str()));
    let call = Site {
        id: site.id,
        callee: None,
        name: path,
        is_macro: false,
        receiver: None,
        args: args.to_vec(),
        arg_ids: Vec::new(),
        span: site.span,
        fields: Vec::new(),
        package: None,
        rows: Arc::new(Rows { carriers, ..Rows::default() }),
    };
    match direct.or(method) {
        Some(origin) => from_origin(eval, &call, origin),
        None => carried(eval, &call).unwrap_or_else(|| eval.opaque(&format!("`{path}` is not known"), site.span)),
    }
}
