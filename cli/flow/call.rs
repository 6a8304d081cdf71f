//! Calls: what they give, whom they lift, what they build.

use std::sync::Arc;

mod above;
mod apply;
pub(crate) mod around;
mod build;
mod combine;
mod kept;
mod make;
mod once;
mod origin;
mod paired;
mod retried;
mod sorted;
mod wrapped;

pub(crate) use apply::add_use;
use apply::call_functions;
pub(crate) use build::build_step;
use build::{built, converted};
pub(crate) use build::{changed_local, number_of};
use combine::{combinator, run_other_closures};
pub(crate) use combine::{error_of, run_callable};
use make::{constructed, derived_default, offered};
pub(crate) use make::{field_set, header_pair, map_literal, structure};
use origin::from_origin;
pub(crate) use origin::{ENVIRONMENT, external_path, is_surroundings};
pub(crate) use sorted::element;

use super::RepeatScope;
use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::rows::{self, MAX_TARGETS, Rows};
use super::sources::Sources;
use super::value::{Atom, Kind, Shape, Trail, Value};
use super::{dispatch, interfaces, operation, prepared, replies, walk};
use crate::catalog::{Call, Gives, OriginRule};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::{Callee, FnId, Program, Ty};
use crate::source::{PackageId, Span, TextRange};

/// Calls between a combinator and where its chain is awaited, at most.
const MAX_CHAIN: usize = 12;

/// A call taken apart.
pub(crate) struct Site<'p> {
    pub(crate) id: ExprId,
    pub(crate) callee: Option<&'p Callee>,
    /// last segment
    pub(crate) name: Name,
    pub(crate) is_macro: bool,
    pub(crate) receiver: Option<(ExprId, Value)>,
    pub(crate) args: Vec<Value>,
    pub(crate) arg_ids: Vec<ExprId>,
    /// from the name to the end
    pub(crate) span: Span,
    /// field names that lead to the receiver
    pub(crate) fields: Vec<&'static str>,
    /// the package in which the call stands
    pub(crate) package: Option<PackageId>,
    /// what the catalog says of it
    pub(crate) rows: Arc<Rows<'p>>,
}

impl<'p> Site<'p> {
    pub(crate) fn of(id: ExprId, callee: Option<&'p Callee>, span: Span) -> Self {
        Self {
            id,
            callee,
            name: Name::new(""),
            is_macro: false,
            receiver: None,
            args: Vec::new(),
            arg_ids: Vec::new(),
            span,
            fields: Vec::new(),
            package: None,
            rows: Arc::default(),
        }
    }
}

impl Site<'_> {
    /// The call as the catalog asks for it, for each function it may mean.
    pub(crate) fn call<'a>(&'a self, program: &'a Program) -> Vec<Call<'a>> {
        rows::calls(program, self.callee, self.is_macro, &self.fields, self.package)
    }

    /// Whether the call stays within its package.
    fn is_own(&self, program: &Program) -> bool {
        matches!(self.callee, Some(Callee::Functions(ids)) if ids.iter().all(|&id| Some(program.function(id).package) == self.package))
    }

    /// Receiver first, then the arguments: how a method's parameters count.
    pub(crate) fn all_args(&self) -> Vec<Value> {
        self.receiver.iter().map(|(_, value)| value.clone()).chain(self.args.iter().cloned()).collect()
    }

    /// The origins of the receiver and of each argument.
    pub(crate) fn sources(&self) -> Vec<Sources> {
        self.receiver.iter().map(|(_, value)| value).chain(&self.args).map(Sources::of).collect()
    }

    /// An argument by the catalog's numbers: -1 is the receiver.
    pub(crate) fn argument(&self, number: i32) -> Option<&Value> {
        match (number, &self.receiver) {
            (-1, Some((_, value))) => Some(value),
            // A method called by path has its receiver as first argument.
            (-1, None) => self.args.first(),
            (number, _) => self.args.get(usize::try_from(number).ok()?),
        }
    }

    pub(crate) fn argument_id(&self, number: i32) -> Option<ExprId> {
        match (number, &self.receiver) {
            (-1, Some((id, _))) => Some(*id),
            (-1, None) => self.arg_ids.first().copied(),
            (number, _) => self.arg_ids.get(usize::try_from(number).ok()?).copied(),
        }
    }
}

/// The value of a call expression.
pub(crate) fn eval_call<'p>(eval: &mut Eval<'_, 'p>, id: ExprId) -> Value {
    let body = eval.body;
    let callee = eval.types.callee(id);
    let range = body.expr(id).range;
    let mut site = match &body.expr(id).kind {
        ExprKind::Call { callee: function, args } => {
            let name = match &body.expr(*function).kind {
                ExprKind::Path(path) => path.segments.last().map_or(Name::new(""), |last| last.name),
                _ => Name::new(""),
            };
            let start = body.expr(*function).range.start;
            Site {
                name,
                is_macro: false,
                receiver: None,
                arg_ids: args.to_vec(),
                span: eval.span(TextRange { start, end: range.end }),
                ..Site::of(id, callee, eval.span(range))
            }
        }
        ExprKind::MethodCall(call) => {
            let receiver = eval.eval(call.receiver);
            let receiver = match is_for_error(eval, id, call.name) {
                true => awaited(eval, call.receiver, receiver),
                false => receiver,
            };
            Site {
                name: call.name,
                receiver: Some((call.receiver, receiver)),
                arg_ids: call.args.to_vec(),
                span: eval.span(TextRange { start: call.name_range.start, end: range.end }),
                fields: fields_to(eval, call.receiver),
                ..Site::of(id, callee, eval.span(range))
            }
        }
        ExprKind::Macro(call) => Site {
            name: call.path.segments.last().map_or(Name::new(""), |last| last.name),
            is_macro: true,
            arg_ids: call.args.to_vec(),
            ..Site::of(id, callee, eval.span(range))
        },
        _ => return Value::bottom(),
    };
    site.package = eval.function.map(|id| eval.engine.program.function(id).package);
    site.rows = eval.engine.rows.of(callee, site.is_macro, &site.fields, site.package);
    operation::evaluate_args(eval, &mut site);
    // What has nothing to take it in is another method of that name: a getter `hash()`.
    if site.rows.origin.and_then(|row| row.mutates).is_some_and(|operand| site.argument(operand).is_none()) {
        site.rows = Arc::new(Rows { origin: None, ..Rows::clone(&site.rows) });
    }
    match callee {
        Some(Callee::Constructor(ty, variant)) => {
            let fields =
                site.args.iter().enumerate().map(|(at, value)| (Name::new(&at.to_string()), value.clone())).collect();
            eval.state_variant(*ty, *variant, site.span, &site.args.iter().collect::<Vec<_>>());
            offered(eval, id, (*ty, *variant));
            return constructed(eval, id, *ty, *variant, fields);
        }
        Some(Callee::External(path)) if !site.is_macro => match wrapper(path.as_str()) {
            Some(Wrapper::Transparent) => return site.args.first().cloned().unwrap_or_default(),
            Some(Wrapper::Pinned) => {
                let value = site.args.first().cloned().unwrap_or_default();
                return site.arg_ids.first().map(|&future| awaited(eval, future, value.clone())).unwrap_or(value);
            }
            Some(Wrapper::Some) => return site.args.first().map(Value::wrapped).unwrap_or_default(),
            Some(Wrapper::Error) => {
                if !eval.branches.is_empty() {
                    eval.calling = None;
                    eval.event(EventKind::Error, site.span, site.name, Usage::Used);
                }
                return Value::bottom();
            }
            None => {}
        },
        _ => {}
    }
    evaluate(eval, &site)
}

enum Wrapper {
    /// `Ok`: the value is that of the payload
    Transparent,
    /// the same, of a future that is handed to whoever waits for it
    Pinned,
    /// the same, and there is one
    Some,
    /// `Err`: no value comes out of it
    Error,
}

fn wrapper(path: &str) -> Option<Wrapper> {
    match path.strip_prefix("std::")? {
        "option::Option::Some" => Some(Wrapper::Some),
        "result::Result::Ok"
        | "boxed::Box::new"
        | "sync::Arc::new"
        | "rc::Rc::new"
        | "pin::Pin::new"
        | "cell::RefCell::new"
        | "cell::Cell::new"
        | "sync::Mutex::new"
        | "sync::RwLock::new"
        | "borrow::Cow::Borrowed"
        | "borrow::Cow::Owned" => Some(Wrapper::Transparent),
        "boxed::Box::pin" => Some(Wrapper::Pinned),
        "result::Result::Err" => Some(Wrapper::Error),
        _ => None,
    }
}

fn evaluate<'p>(eval: &mut Eval<'_, 'p>, site: &Site<'p>) -> Value {
    eval.goes_on();
    eval.calling = Some(site.id);
    eval.handed_over = (site.receiver.as_ref().map(|(_, value)| value.clone()), site.args.clone());
    let operation = operation::record(eval, site);
    let value = call_value(eval, site);
    operation::made_below(eval, site, &value);
    let value = sorted::settled(eval, site, value);
    let value = kept::remembered(eval, site, value);
    dispatch::entered(eval, site, &value);
    let value = match operation::asks(site) {
        true => replies::with_reply(eval, &value, site.span, false),
        false => value,
    };
    let value = match operation::written(eval, site).filter(|_| is_write(site)) {
        Some(at) => replies::with_reply(eval, &value, at, false),
        None => value,
    };
    let value = match acts_at_once(eval, site).then(|| dispatch::presumed(eval, site.id)).flatten() {
        Some(at) => replies::with_reply(eval, &value, at, false),
        None => value,
    };
    operation.unwrap_or(value)
}

/// Whether a call is one by which a trait that nobody implements here acts, and that is done when it returns: nobody awaits it,
/// and it says whether it went well.
fn acts_at_once(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let (program, words) = (eval.engine.program, &eval.engine.catalog.words);
    let Some(Callee::Functions(ids)) = site.callee else {
        return false;
    };
    let at_once = |&id: &FnId| {
        let function = program.function(id);
        let fails = matches!(&function.ret, Ty::External(path, _) if path.as_str().ends_with("Result"));
        fails && !function.ir.is_async && interfaces::acts(program, words, id)
    };
    ids.iter().all(at_once) && interfaces::is_unseen(program, ids)
}

/// Whether a call is one by which the catalog says that a store changes.
fn is_write(site: &Site<'_>) -> bool {
    site.rows.store.is_some_and(|row| {
        matches!(row.op.as_str(), "execute" | "claim" | "conditional_update" | "increment" | "delete")
    })
}

fn call_value<'p>(eval: &mut Eval<'_, 'p>, site: &Site<'p>) -> Value {
    let declared_dispatch = dispatch::declared(eval, site);
    // A crate that the catalog knows is not its own user.
    let own = site.is_own(eval.engine.program);
    let row = site.rows.dispatch.filter(|row| row.declared || !own);
    let origin = site.rows.origin;
    let retry = site.rows.retry;

    // A combinator runs its body again and again.
    let is_chain =
        |value: &Value| !value.is_bottom() && value.alts.iter().all(|alt| matches!(alt.shape, Shape::Builder(_)));
    let sets = retry.is_some_and(|retry| retry.body < 0 && site.argument(retry.body).is_some_and(is_chain));
    // A policy that a client is built with: `builder.retry(policy)` runs nothing.
    if let Some(retry) = retry.filter(|retry| !retry.attaches && !sets) {
        let scope = RepeatScope {
            site: site.span,
            what: format!("the body that `{}` runs again", site.name),
            confidence: crate::findings::Confidence::Certain,
            by_method: false,
        };
        let body = site.argument(retry.body).cloned();
        let scope = Arc::new(scope);
        let result = body.map(|body| run_callable(eval, site, &body, &[], Some(scope.clone())));
        run_other_closures(eval, site);
        if retried::only_undone(eval, site, retry) {
            eval.undone_again(&scope);
        }
        eval.handed_over_again(&scope);
        return result.unwrap_or_default();
    }

    // Functions of the workspace are followed, and a declared dispatch among them acts here. A crate that the catalog
    // knows is taken at its word, though its source is here, too.
    // So is the whole chain that such a crate's call has started.
    let chained = !own && dispatch::is_started(site);
    if let (Some(Callee::Functions(ids)), false) = (site.callee, chained) {
        let known = row.filter(|row| !row.declared);
        let value = if known.is_some() { Value::bottom() } else { call_functions(eval, site, ids) };
        let reply = match row.filter(|row| row.sends.is_empty()) {
            Some(row) => dispatch::from_row(eval, site, row),
            None if declared_dispatch => dispatch::from_contract(eval, site),
            None => None,
        };
        if let Some((at, bare)) = reply {
            let value = if value.is_bottom() { built(eval, site, build_step(eval, site, None)) } else { value };
            return replies::with_reply(eval, &value, at, bare);
        }
        if known.is_none() {
            return match origin.filter(|origin| origin.declared) {
                Some(origin) => from_origin(eval, site, origin),
                None => store_or(eval, site, value),
            };
        }
    }

    // A local that holds a closure or a function.
    if let Some(Callee::Local(local)) = site.callee {
        let value = eval.state.locals[local.0 as usize].clone();
        return run_callable(eval, site, &value, &site.args, None);
    }

    if dispatch::reads_key_header(eval, site) {
        let kind = Kind::Input(Name::new(dispatch::KEY_HEADER));
        return Value::atom(Atom::new(kind, eval.here(), Trail::default()));
    }
    let step = build_step(eval, site, row.filter(|row| !row.sends.is_empty()));
    // What is called by the name of a getter and is given something sets that: `builder.method(Method::POST)`.
    let sets = |row: &OriginRule| row.gives == Gives::Field && !site.args.is_empty();
    let origin = origin.filter(|row| !dispatch::sets_key_header(eval, site) && !sets(row));
    let mut reply = None;
    if let Some(row) = row.filter(|row| row.sends.is_empty()) {
        reply = dispatch::from_row(eval, site, row);
    } else if declared_dispatch {
        reply = dispatch::from_contract(eval, site);
    }
    // A request that is handed to what the application calls a dispatch, and where its key stands, acts there and not twice.
    let told = row.is_some_and(|row| row.declared && row.sends.is_empty() && !row.keys.is_empty());
    let sent = if told { None } else { dispatch::sent(eval, site) };
    let reply = sent.or_else(|| reply.map(|(at, bare)| (vec![at], bare)));
    dispatch::key_argument(eval, site);
    dispatch::client_built(eval, site);
    if let Some((places, bare)) = reply {
        run_other_closures(eval, site);
        let value = built(eval, site, step);
        return places.iter().fold(value, |value, &at| replies::with_reply(eval, &value, at, bare));
    }

    let prepared = site.rows.store.and_then(|row| prepared::prepare(eval, site, row));
    if let Some(value) = prepared {
        return value;
    }
    if let Some(value) = paired::paired(eval, site).filter(|_| origin.is_none_or(|origin| !origin.declared)) {
        return value;
    }
    if let Some(value) = combinator(eval, site, origin) {
        return value;
    }
    run_other_closures(eval, site);
    // What is done in time is what was to be done.
    if let Some(row) = site.rows.timeout.filter(|_| origin.is_none()) {
        if let Some(value) = row.body.and_then(|body| site.argument(body)) {
            return value.clone();
        }
    }
    if let Some(origin) = origin {
        let value = from_origin(eval, site, origin);
        if step.starts.is_none() && step.carries.is_none() && step.asks.is_none() {
            return value;
        }
    }
    if let Some(value) = claimed(eval, site) {
        return value;
    }
    if let Some(value) = derived_default(eval, site).or_else(|| converted(eval, site)) {
        return value;
    }
    built(eval, site, step)
}

/// What a store gives back: what its lookup was asked by, or the row that a claim found or made.
fn claimed(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    if site.rows.store?.op != "claim" {
        return None;
    }
    Some(Value::atom(Atom::new(Kind::Stored, eval.here(), Trail::default())))
}

fn store_or(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: Value) -> Value {
    claimed(eval, site).unwrap_or(value)
}

/// An awaited expression: where a request acts that is sent by that, or a presumed dispatch.
pub(crate) fn awaited(eval: &mut Eval<'_, '_>, inner: ExprId, value: Value) -> Value {
    if let Some(answer) = dispatch::awaited(eval, inner, &value) {
        return answer;
    }
    match dispatch::presumed(eval, inner) {
        Some(at) => replies::with_reply(eval, &value, at, false),
        None => value,
    }
}

/// Whether a combinator looks at the error of a future that is not awaited yet, but as a part of the chain that it stands in:
/// what the closure does, it does when the future is over.
fn is_for_error(eval: &Eval<'_, '_>, id: ExprId, name: Name) -> bool {
    if !matches!(name.as_str(), "inspect_err" | "map_err" | "or_else" | "unwrap_or_else") {
        return false;
    }
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        let Some(parent) = walk::parent(&eval.parents, at) else {
            return false;
        };
        match &eval.body.expr(parent).kind {
            ExprKind::MethodCall(call) if call.receiver == at => at = parent,
            kind => return matches!(kind, ExprKind::Await(_)),
        }
    }
    false
}

fn fields_to(eval: &Eval<'_, '_>, id: ExprId) -> Vec<&'static str> {
    let mut fields = Vec::new();
    let mut at = id;
    loop {
        match &eval.body.expr(at).kind {
            ExprKind::Field { base, name } => {
                fields.insert(0, name.as_str());
                at = *base;
            }
            ExprKind::Local(local) => {
                fields.insert(0, eval.body.locals[local.0 as usize].name.as_str());
                return fields;
            }
            ExprKind::Deref(inner) => at = *inner,
            ExprKind::MethodCall(call) if call.args.is_empty() => at = call.receiver,
            _ => return fields,
        }
    }
}
