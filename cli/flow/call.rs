//! Calls: what they give, whom they lift, what they build.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::RepeatScope;
use super::combinators::{self, Takes};
use super::dispatch;
use super::engine::Summary;
use super::eval::{Eval, Region};
use super::events::{EventKind, Role};
use super::operation;
use super::uses::{self, Use};
use super::value::{Alt, Atom, BuildStep, Builder, Kind, Record, Shape, Trail, Value, made};
use crate::catalog::{Call, Carrier, FreshKind, Gives, OriginRule};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::{Callee, FnId, Program, StructDef};
use crate::source::{PackageId, Span, TextRange};

/// Steps on one builder that are kept; longer chains keep their first ones and all that carry a key.
const MAX_STEPS: usize = 48;
/// Functions behind one dynamic call that are followed.
const MAX_TARGETS: usize = 12;

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
}

impl<'p> Site<'p> {
    fn of(id: ExprId, callee: Option<&'p Callee>, span: Span) -> Self {
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
        }
    }
}

impl Site<'_> {
    /// The call as the catalog asks for it, for each function it may mean.
    pub(crate) fn call<'a>(&'a self, program: &'a Program) -> Vec<Call<'a>> {
        match self.callee {
            Some(Callee::External(path) | Callee::Unresolved(path)) if self.is_macro => {
                vec![Call::Macro(path.as_str())]
            }
            Some(Callee::External(path)) => vec![Call::External(path.as_str())],
            Some(Callee::Unresolved(path)) if path.as_str().starts_with("crate::") => {
                vec![Call::Workspace(path.as_str())]
            }
            Some(Callee::Unresolved(path)) => vec![Call::External(path.as_str())],
            Some(Callee::ExternalMethod { receiver, method }) => {
                vec![Call::Method {
                    receiver: receiver.as_str(),
                    method: method.as_str(),
                    fields: &self.fields,
                }]
            }
            Some(Callee::UnknownMethod(method)) => vec![Call::Unknown {
                method: method.as_str(),
                fields: &self.fields,
            }],
            Some(Callee::Functions(ids)) => ids
                .iter()
                .take(MAX_TARGETS)
                .flat_map(|&id| self.workspace_call(program, id))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the call stays within its package.
    fn is_own(&self, program: &Program) -> bool {
        matches!(self.callee, Some(Callee::Functions(ids)) if ids.iter().all(|&id| Some(program.function(id).package) == self.package))
    }

    /// A function of the workspace; one of another package also as the crate that the catalog may know.
    fn workspace_call<'a>(&'a self, program: &'a Program, id: FnId) -> Vec<Call<'a>> {
        let info = program.function(id);
        let path = info.path.as_str();
        let mut calls = vec![Call::Workspace(path)];
        if Some(info.package) != self.package {
            calls.push(Call::External(path));
            if let (true, Some((receiver, method))) = (info.ir.has_self, path.rsplit_once("::")) {
                calls.push(Call::Method {
                    receiver,
                    method,
                    fields: &[],
                });
            }
        }
        calls
    }

    /// Receiver first, then the arguments: how a method's parameters count.
    pub(crate) fn all_args(&self) -> Vec<Value> {
        self.receiver
            .iter()
            .map(|(_, value)| value.clone())
            .chain(self.args.iter().cloned())
            .collect()
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
        ExprKind::Call {
            callee: function,
            args,
        } => {
            let name = match &body.expr(*function).kind {
                ExprKind::Path(path) => {
                    path.segments.last().map_or(Name::new(""), |last| last.name)
                }
                _ => Name::new(""),
            };
            let start = body.expr(*function).range.start;
            Site {
                name,
                is_macro: false,
                receiver: None,
                arg_ids: args.to_vec(),
                span: eval.span(TextRange {
                    start,
                    end: range.end,
                }),
                ..Site::of(id, callee, eval.span(range))
            }
        }
        ExprKind::MethodCall(call) => {
            let receiver = eval.eval(call.receiver);
            Site {
                name: call.name,
                receiver: Some((call.receiver, receiver)),
                arg_ids: call.args.to_vec(),
                span: eval.span(TextRange {
                    start: call.name_range.start,
                    end: range.end,
                }),
                fields: fields_to(eval, call.receiver),
                ..Site::of(id, callee, eval.span(range))
            }
        }
        ExprKind::Macro(call) => Site {
            name: call
                .path
                .segments
                .last()
                .map_or(Name::new(""), |last| last.name),
            is_macro: true,
            arg_ids: call.args.to_vec(),
            ..Site::of(id, callee, eval.span(range))
        },
        _ => return Value::bottom(),
    };
    site.package = eval
        .function
        .map(|id| eval.engine.program.function(id).package);
    operation::evaluate_args(eval, &mut site);
    match callee {
        Some(Callee::Constructor(ty, variant)) => {
            let fields = site
                .args
                .iter()
                .enumerate()
                .map(|(at, value)| (Name::new(&at.to_string()), value.clone()))
                .collect();
            return constructed(eval, *ty, *variant, fields);
        }
        Some(Callee::External(path)) if !site.is_macro => match wrapper(path.as_str()) {
            Some(Wrapper::Transparent) => return site.args.first().cloned().unwrap_or_default(),
            Some(Wrapper::Error) => return Value::bottom(),
            None => {}
        },
        _ => {}
    }
    evaluate(eval, &site)
}

enum Wrapper {
    /// `Some`, `Ok`: the value is that of the payload
    Transparent,
    /// `Err`: no value comes out of it
    Error,
}

fn wrapper(path: &str) -> Option<Wrapper> {
    match path.strip_prefix("std::")? {
        "option::Option::Some"
        | "result::Result::Ok"
        | "boxed::Box::new"
        | "sync::Arc::new"
        | "rc::Rc::new"
        | "pin::Pin::new"
        | "boxed::Box::pin"
        | "cell::RefCell::new"
        | "cell::Cell::new"
        | "sync::Mutex::new"
        | "sync::RwLock::new"
        | "borrow::Cow::Borrowed"
        | "borrow::Cow::Owned" => Some(Wrapper::Transparent),
        "result::Result::Err" => Some(Wrapper::Error),
        _ => None,
    }
}

fn evaluate<'p>(eval: &mut Eval<'_, 'p>, site: &Site<'p>) -> Value {
    let operation = operation::record(eval, site);
    let value = call_value(eval, site);
    operation.unwrap_or(value)
}

fn call_value<'p>(eval: &mut Eval<'_, 'p>, site: &Site<'p>) -> Value {
    let matcher = eval.engine.matcher;
    let calls = site.call(eval.engine.program);
    let declared_dispatch = dispatch::declared(eval, site);
    // A crate that the catalog knows is not its own user.
    let own = site.is_own(eval.engine.program);
    let row = calls
        .iter()
        .find_map(|call| matcher.dispatch(call))
        .filter(|row| row.declared || !own);
    let origin = calls.iter().find_map(|call| matcher.origin(call));
    let retry = calls.iter().find_map(|call| matcher.retry(call));

    // A combinator runs its body again and again.
    if let Some(retry) = retry.filter(|retry| !retry.attaches) {
        let scope = RepeatScope {
            site: site.span,
            what: format!("the body that `{}` runs again", site.name),
            confidence: crate::findings::Confidence::Certain,
        };
        let body = site.argument(retry.body).cloned();
        let result = body.map(|body| run_callable(eval, site, &body, &[], Some(Arc::new(scope))));
        run_closures(eval, site, Some(retry.body));
        return result.unwrap_or_default();
    }

    // Functions of the workspace are followed, and a declared dispatch among them acts here. A crate that the catalog
    // knows is taken at its word, though its source is here, too.
    if let Some(Callee::Functions(ids)) = site.callee {
        let known = row.filter(|row| !row.declared);
        let value = if known.is_some() {
            Value::bottom()
        } else {
            call_functions(eval, site, ids)
        };
        let reply = match row.filter(|row| row.sends.is_empty()) {
            Some(row) => dispatch::from_row(eval, site, row),
            None if declared_dispatch => dispatch::from_contract(eval, site),
            None => None,
        };
        if let Some((at, bare)) = reply {
            let value = if value.is_bottom() {
                built(eval, site, build_step(eval, site, None))
            } else {
                value
            };
            return operation::with_reply(eval, &value, at, bare);
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
    let origin = origin.filter(|_| !dispatch::sets_key_header(eval, site));
    let mut reply = None;
    if let Some(row) = row.filter(|row| row.sends.is_empty()) {
        reply = dispatch::from_row(eval, site, row);
    } else if declared_dispatch {
        reply = dispatch::from_contract(eval, site);
    }
    reply = dispatch::sent(eval, site).or(reply);
    dispatch::key_argument(eval, site);
    dispatch::client_built(eval, site);
    if let Some((at, bare)) = reply {
        run_other_closures(eval, site);
        let value = built(eval, site, step);
        return operation::with_reply(eval, &value, at, bare);
    }

    if let Some(value) = combinator(eval, site, origin) {
        return value;
    }
    run_other_closures(eval, site);
    if let Some(origin) = origin {
        let value = from_origin(eval, site, origin);
        if step.starts.is_none() && step.carries.is_none() {
            return value;
        }
    }
    if let Some(value) = claimed(eval, site) {
        return value;
    }
    if let Some(value) = converted(eval, site) {
        return value;
    }
    built(eval, site, step)
}

/// A conversion by its name (`to_`, `as_`, `into_`): Rust's own convention for what keeps the receiver's value.
fn converted(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let (_, receiver) = site.receiver.as_ref()?;
    let prefixes = &eval.engine.catalog.words.keeping_prefixes;
    let keeps = prefixes
        .iter()
        .any(|prefix| site.name.as_str().starts_with(prefix.as_str()));
    // A builder stays what it is: only a value that says something is worth following through a name.
    let tells = receiver
        .atoms()
        .any(|atom| !matches!(atom.kind, Kind::Opaque(_)));
    (keeps && tells).then(|| receiver.flat())
}

/// What a store gives back: what its lookup was asked by, or the row that a claim found or made.
fn claimed(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let matcher = eval.engine.matcher;
    let store = site
        .call(eval.engine.program)
        .iter()
        .find_map(|call| matcher.store(call))?;
    let claim = matches!(store.op.as_str(), "claim");
    if !claim {
        return None;
    }
    Some(Value::atom(Atom::new(
        Kind::Stored,
        eval.here(),
        Trail::default(),
    )))
}

fn store_or(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: Value) -> Value {
    claimed(eval, site).unwrap_or(value)
}

/// The receiver (or the first argument's chain) with one more call on it.
fn built(eval: &mut Eval<'_, '_>, site: &Site<'_>, step: BuildStep) -> Value {
    let reason = format!("`{}` is not known", site.name);
    let opaque = Atom::new(
        Kind::Opaque(Name::new(&reason)),
        eval.here(),
        Trail::start(site.span, &reason),
    );
    let Some((receiver_id, receiver)) = &site.receiver else {
        let builder = Builder {
            root: Value::concat(&[]),
            steps: vec![step],
        };
        let shape = Shape::Builder(Arc::new(builder));
        return Value::alt(Alt {
            atoms: vec![opaque],
            shape,
        });
    };
    let mut guesses = Vec::new();
    let checked = eval
        .engine
        .catalog
        .words
        .status_checks
        .iter()
        .any(|name| name == site.name.as_str());
    for atom in receiver.atoms() {
        match &atom.kind {
            kind if made(kind) => guesses.push(Atom {
                guessed: true,
                ..atom.clone()
            }),
            // What is read out of an answer still tells of its outcome.
            Kind::Reply(at, bare) => guesses.push(Atom {
                kind: Kind::Reply(*at, *bare && !checked),
                ..atom.clone()
            }),
            _ => {}
        }
    }
    let extend = |alt: &Alt| {
        let builder = match &alt.shape {
            Shape::Builder(builder) => {
                let mut builder = Builder::clone(builder);
                if builder.steps.len() < MAX_STEPS {
                    builder.steps.push(step.clone());
                }
                builder
            }
            _ => Builder {
                root: Value::alt(alt.clone()),
                steps: vec![step.clone()],
            },
        };
        let mut atoms = vec![opaque.clone()];
        atoms.extend(guesses.iter().cloned());
        Some(Alt {
            atoms,
            shape: Shape::Builder(Arc::new(builder)),
        })
    };
    let result = match receiver.is_bottom() {
        true => Value::alt(Alt {
            atoms: vec![opaque.clone()],
            shape: Shape::Builder(Arc::new(Builder {
                root: Value::bottom(),
                steps: vec![step.clone()],
            })),
        }),
        false => receiver.filter_map(extend),
    };
    // `headers.insert(..)` changes the map it is called on; a builder that is handed on is not used again.
    if !site.args.is_empty() || site.name.as_str().ends_with("_mut") {
        if let ExprKind::Local(local) = eval.body.expr(*receiver_id).kind {
            let old = receiver.clone();
            let new = result.filter_map(|alt| match &alt.shape {
                Shape::Builder(builder) => {
                    // The thing itself stays what it was, with one more call on it.
                    let atoms = match &builder.root {
                        root if builder.steps.len() == 1 => {
                            root.alts.first().map(|alt| alt.atoms.clone())
                        }
                        _ => old.alts.first().map(|alt| alt.atoms.clone()),
                    };
                    Some(Alt {
                        atoms: atoms.unwrap_or_default(),
                        shape: alt.shape.clone(),
                    })
                }
                _ => Some(alt.clone()),
            });
            eval.state.locals[local.0 as usize] = new;
        }
    }
    result
}

fn build_step(
    eval: &Eval<'_, '_>,
    site: &Site<'_>,
    row: Option<&crate::catalog::Dispatch>,
) -> BuildStep {
    let matcher = eval.engine.matcher;
    let catalog = eval.engine.catalog;
    let calls = site.call(eval.engine.program);
    let carries = calls
        .iter()
        .find_map(|call| carrier(&matcher.carriers(call)));
    let attaches = calls
        .iter()
        .find_map(|call| matcher.retry(call))
        .filter(|retry| retry.attaches);
    BuildStep {
        name: site.name,
        args: site.args.clone(),
        span: site.span,
        arg_spans: site.arg_ids.iter().map(|&id| eval.span_of(id)).collect(),
        starts: row.and_then(|row| number_of(&catalog.dispatches, row)),
        carries: carries.and_then(|row| number_of(&catalog.carriers, row)),
        attaches: attaches.and_then(|row| number_of(&catalog.retries, row)),
    }
}

/// Of the rows for one call, which differ in the feature of the crate, the one that claims less: with the feature.
fn carrier<'p>(rows: &[&'p Carrier]) -> Option<&'p Carrier> {
    rows.iter()
        .find(|row| row.when.is_some())
        .or_else(|| rows.first())
        .copied()
}

pub(crate) fn number_of<T>(rows: &[T], row: &T) -> Option<u32> {
    rows.iter()
        .position(|known| std::ptr::eq(known, row))
        .map(|at| at as u32)
}

/// Closures that a call takes and nobody knows what it does with them: they may run.
fn run_other_closures(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    run_closures(eval, site, None);
}

/// Runs the closures that a call takes, but for one operand, which ran already in a scope of its own.
fn run_closures(eval: &mut Eval<'_, '_>, site: &Site<'_>, ran: Option<i32>) {
    let args = (0..).zip(site.args.iter());
    let receiver = site.receiver.iter().map(|(_, value)| (-1, value));
    for (number, value) in args.chain(receiver) {
        if ran == Some(number) {
            continue;
        }
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
fn combinator(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    origin: Option<&OriginRule>,
) -> Option<Value> {
    let receiver = &site.receiver.as_ref()?.1;
    if origin.is_some_and(|origin| origin.declared) {
        return None;
    }
    if site.name.as_str() == "unwrap_or_default" {
        let default = default_of(eval, site);
        return Some(receiver.present().join(&default));
    }
    let closure = site
        .args
        .iter()
        .any(|arg| arg.alts.iter().any(|alt| is_callable(&alt.shape)));
    match combinators::takes(site.name.as_str(), site.args.len())? {
        Takes::OrValue => Some(receiver.present().join(site.args.first()?)),
        Takes::Present => {
            run_other_closures(eval, site);
            Some(receiver.present())
        }
        _ if !closure => None,
        Takes::OrElse => {
            let branch = operation::error_branch(eval, site);
            eval.branches.extend(branch);
            let other = run_callable(eval, site, &site.args.first()?.clone(), &[], None);
            eval.branches
                .truncate(eval.branches.len() - usize::from(branch.is_some()));
            Some(receiver.present().join(&other))
        }
        Takes::Map => {
            let element = eval.elements(&receiver.present());
            let mapped = run_callable(eval, site, &site.args.first()?.clone(), &[element], None);
            let absent = receiver.filter_map(|alt| {
                alt.atoms
                    .iter()
                    .any(|atom| atom.kind == Kind::Absent)
                    .then(|| alt.clone())
            });
            Some(mapped.join(&absent))
        }
        Takes::MapOr => {
            let element = eval.elements(&receiver.present());
            let default = site.args.first()?.clone();
            let default = run_or_self(eval, site, &default);
            let mapped = run_callable(eval, site, &site.args.get(1)?.clone(), &[element], None);
            Some(default.join(&mapped))
        }
        Takes::Keep => {
            let on_error = matches!(site.name.as_str(), "map_err" | "inspect_err");
            let branch = if on_error {
                operation::error_branch(eval, site)
            } else {
                None
            };
            eval.branches.extend(branch);
            let element = eval.elements(&receiver.present());
            run_callable(eval, site, &site.args.first()?.clone(), &[element], None);
            Some(receiver.clone())
        }
    }
}

fn is_callable(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Closure(_) | Shape::Function(_) | Shape::External(_)
    )
}

fn run_or_self(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: &Value) -> Value {
    match value.alts.iter().any(|alt| is_callable(&alt.shape)) {
        true => run_callable(eval, site, value, &[], None),
        false => value.clone(),
    }
}

fn default_of(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Value {
    let program = eval.engine.program;
    let ty = eval.ty(site.id).clone();
    let ids = program.method(&ty, Name::new("default"));
    if ids.is_empty() {
        let trail = Trail::start(site.span, "the default is empty");
        return Value::atom(Atom::new(Kind::Empty, eval.here(), trail));
    }
    let mut out = Value::bottom();
    for id in ids {
        let summary = eval.engine.summary(id);
        let context = eval.context(
            &[],
            Some((site.span, "the default is made here".to_owned())),
        );
        out = out.join(&summary.ret.substitute(&context));
    }
    out
}

/// Runs what a value can call: closures of this body, functions, or a parameter (which its caller will run).
fn run_callable(
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
                    eval.push_region(Region {
                        id: site.id,
                        repeat: Some(scope.clone()),
                        role: Role::Retry,
                    });
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
                for atom in &alt.atoms {
                    if let Kind::Param(index, path) = &atom.kind {
                        if path.is_empty() {
                            let inner = repeat.clone().or_else(|| {
                                eval.regions
                                    .iter()
                                    .rev()
                                    .find_map(|region| region.repeat.clone())
                            });
                            eval.param_calls.push((*index, inner));
                        }
                    }
                }
                // A future that was made before is what it is.
                out = out.join(&match alt.atoms.is_empty() {
                    true => eval.opaque("a callable that is not known", site.span),
                    false => Value::alt(alt.clone()),
                });
            }
        }
    }
    out
}

/// Follows a call into functions of the workspace.
fn call_functions(eval: &mut Eval<'_, '_>, site: &Site<'_>, ids: &[FnId]) -> Value {
    let args = site.all_args();
    let arg_ids: Vec<_> = site
        .receiver
        .iter()
        .map(|(id, _)| *id)
        .chain(site.arg_ids.iter().copied())
        .collect();
    let mut out = Value::bottom();
    for &id in ids.iter().take(MAX_TARGETS) {
        let summary = eval.engine.summary(id);
        out = out.join(&apply(eval, site, id, &summary, &args, &arg_ids));
    }
    if ids.len() > MAX_TARGETS {
        out = out.join(&eval.opaque("too many implementations to follow", site.span));
    }
    out
}

/// A summary in the place of a call.
fn apply(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    id: FnId,
    summary: &Rc<Summary>,
    args: &[Value],
    arg_ids: &[ExprId],
) -> Value {
    let program = eval.engine.program;
    let info = program.function(id);
    // Closures that the callee calls run as often as it calls them.
    for (index, repeat) in &summary.param_calls {
        if let Some(value) = args.get(*index as usize).cloned() {
            run_callable(eval, site, &value, &[], repeat.clone());
        }
    }
    for value in args {
        for alt in value.alts.iter() {
            if let Shape::Closure(closure) = alt.shape {
                if !summary.param_calls.iter().any(|(index, _)| {
                    args.get(*index as usize).is_some_and(|arg| {
                        arg.alts.iter().any(
                            |alt| matches!(alt.shape, Shape::Closure(other) if other == closure),
                        )
                    })
                }) {
                    eval.run_closure(closure, &[], None);
                }
            }
        }
    }
    // A test helper is no way to a dispatch.
    let named: Vec<Value> = args
        .iter()
        .enumerate()
        .map(
            |(at, value)| match info.ir.params.get(at).and_then(|param| param.name) {
                Some(name) if at > 0 || !info.ir.has_self => {
                    let span = arg_ids.get(at).map_or(site.span, |&id| eval.span_of(id));
                    value.step(span, &format!("passed to `{}` as `{name}`", info.ir.name))
                }
                _ => value.clone(),
            },
        )
        .collect();
    let context = eval.context(
        &named,
        Some((site.span, format!("returned by `{}`", info.ir.name))),
    );
    if !super::handlers::is_handler(eval.engine, id) {
        let scopes = eval.regions.clone();
        let lifted: Vec<Use> = summary
            .uses
            .iter()
            .filter(|known| known.is_open())
            .map(|known| known.lift(&context, site.span, &scopes, &eval.branches))
            .collect();
        for lifted in lifted {
            add_use(eval, lifted);
        }
    }
    let branches = eval.branch_marks();
    let regions = eval.region_marks();
    let events: Vec<_> = summary
        .events
        .iter()
        .map(|event| event.lift(&context, site.span, &branches, &regions))
        .collect();
    let ret = operation::with_replies_of(&summary.ret.substitute(&context), &events);
    if eval.state.reachable {
        events
            .into_iter()
            .filter(|event| !matches!(event.kind, EventKind::Fail | EventKind::Return))
            .for_each(|event| eval.add_event(event));
    }
    for condition in &summary.conditions {
        if !eval
            .conditions
            .iter()
            .any(|known| known.branch == condition.branch && known.about == condition.about)
        {
            eval.conditions.push(condition.clone());
        }
    }
    let outs: Vec<(u32, Value)> = summary
        .outs
        .iter()
        .map(|(at, value)| (*at, value.substitute(&context)))
        .collect();
    for (at, value) in outs {
        if let Some(&arg) = arg_ids.get(at as usize) {
            if matches!(eval.body.expr(arg).kind, ExprKind::Local(_)) {
                let range = eval.body.expr(arg).range;
                eval.assign(arg, value, range);
            }
        }
    }
    ret
}

/// Records a dispatch, joined with what the same one looked like before.
pub(crate) fn add_use(eval: &mut Eval<'_, '_>, new: Use) {
    let key = new.key_of_map();
    let merged = match eval.uses.get(&key) {
        Some(old) => uses::merge(old, new),
        None => new,
    };
    eval.uses.insert(key, merged);
}

/// What a row of the catalog says a call gives.
fn from_origin(eval: &mut Eval<'_, '_>, site: &Site<'_>, origin: &OriginRule) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    // A method called by path: its receiver is the first argument, and the numbers count from the one after.
    let shift = i32::from(site.receiver.is_none() && origin.has_receiver());
    let operand = |number: i32| if number < 0 { number } else { number + shift };
    for &number in &origin.keeps {
        if let Some(value) = site.argument(operand(number)) {
            parts.push(value.clone());
        }
    }
    let own = |eval: &Eval<'_, '_>, kind: Kind, note: &str| {
        Value::atom(Atom::new(kind, eval.here(), Trail::start(site.span, note)))
    };
    match &origin.gives {
        Gives::Fresh(kind) => parts.push(own(eval, Kind::Fresh(*kind), fresh_note(*kind))),
        Gives::Attempt(what) => parts.push(own(
            eval,
            Kind::Attempt(Name::new(what)),
            "this differs between attempts",
        )),
        Gives::Durable => parts.push(own(eval, Kind::Durable, "")),
        Gives::Stored => {
            if parts.is_empty() {
                parts.push(own(eval, Kind::Stored, ""));
            }
        }
        Gives::Input => parts.push(own(eval, Kind::Input(site.name), "")),
        Gives::Empty => parts.push(own(eval, Kind::Empty, "an empty value is made here")),
        Gives::Constant => parts.push(eval.constant(None)),
        Gives::Kept => {}
        Gives::Opaque(reason) => parts.push(own(eval, Kind::Opaque(Name::new(reason)), reason)),
    }
    // One part that is only handed on keeps its shape.
    let value = match (parts.len(), &origin.gives) {
        (0, _) => eval.opaque("nothing of what goes in comes out", site.span),
        (1, Gives::Kept) => parts.swap_remove(0),
        _ => Value::concat(&parts),
    };
    if let Some(number) = origin.mutates.map(operand) {
        if let Some(id) = site.argument_id(number) {
            let old = site.argument(number).cloned().unwrap_or_default();
            let known = old.alts.iter().any(|alt| !alt.atoms.is_empty());
            let new = if known {
                Value::concat(&[old, value.clone()])
            } else {
                value.clone()
            };
            let range = eval.body.expr(id).range;
            eval.assign(id, new, range);
        }
    }
    value
}

fn fresh_note(kind: FreshKind) -> &'static str {
    match kind {
        FreshKind::Random => "a random value is made here",
        FreshKind::Clock => "the clock is read here",
        FreshKind::Counter => "a counter of this process is read here",
        FreshKind::Process => "this belongs to the running process",
        FreshKind::Address => "an address in memory is taken here",
        FreshKind::MapOrder => "the order of a map comes in here",
    }
}

/// An external path that is no call: a constant of another crate, or a function that is called where it is used.
pub(crate) fn external_path(eval: &mut Eval<'_, '_>, id: ExprId, path: Name) -> Value {
    let matcher = eval.engine.matcher;
    let origin = matcher.origin(&Call::External(path.as_str()));
    let Some(text) = matcher.constant(path.as_str()) else {
        return external_value(eval, id, path, origin);
    };
    eval.constant(Some(text))
}

/// An external path whose text nobody knows.
fn external_value(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    path: Name,
    origin: Option<&OriginRule>,
) -> Value {
    let matcher = eval.engine.matcher;
    // A unit struct such as `OsRng` is the value itself, a function is called where it is used.
    if let Some(Gives::Fresh(kind)) = origin.map(|origin| &origin.gives) {
        if is_type_name(path) {
            let trail = Trail::start(eval.span_of(id), fresh_note(*kind));
            return Value::atom(Atom::new(Kind::Fresh(*kind), eval.here(), trail));
        }
    }
    if origin.is_some() || std_conversion(path).is_some() {
        return Value::alt(Alt {
            atoms: eval.constant(Some(path.as_str())).alts[0].atoms.clone(),
            shape: Shape::External(path),
        });
    }
    let step = BuildStep {
        name: Name::new(path.as_str().rsplit("::").next().unwrap_or_default()),
        args: Vec::new(),
        span: eval.span_of(id),
        arg_spans: Vec::new(),
        starts: None,
        carries: carrier(&matcher.carriers(&Call::External(path.as_str())))
            .and_then(|row| number_of(&eval.engine.catalog.carriers, row)),
        attaches: None,
    };
    let constant = eval.constant(Some(path.as_str()));
    match step.carries {
        None => constant,
        Some(_) => {
            let atoms = constant.alts[0].atoms.clone();
            let builder = Builder {
                root: Value::bottom(),
                steps: vec![step],
            };
            Value::alt(Alt {
                atoms,
                shape: Shape::Builder(Arc::new(builder)),
            })
        }
    }
}

/// Whether a path ends like a type: a capital letter first, not only capitals.
fn is_type_name(path: Name) -> bool {
    let name = path.as_str().rsplit("::").next().unwrap_or_default();
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// A method named by its path, `str::to_owned`, `String::from`, as a method of any receiver.
fn std_conversion(path: Name) -> Option<&'static str> {
    path.as_str()
        .rsplit_once("::")
        .map(|(_, method)| method)
        .filter(|method| method.starts_with(|char: char| char.is_lowercase()))
}

/// Calls a function of another crate that was handed over as a value.
fn run_external(eval: &mut Eval<'_, '_>, site: &Site<'_>, path: Name, args: &[Value]) -> Value {
    let matcher = eval.engine.matcher;
    let direct = matcher.origin(&Call::External(path.as_str()));
    let method = std_conversion(path).and_then(|method| {
        matcher.origin(&Call::Unknown {
            method,
            fields: &[],
        })
    });
    let Some(origin) = direct.or(method) else {
        return eval.opaque(&format!("`{path}` is not known"), site.span);
    };
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
    };
    from_origin(eval, &call, origin)
}

/// A struct literal.
pub(crate) fn structure(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    fields: BTreeMap<Name, Value>,
    rest: Option<Value>,
) -> Value {
    let ExprKind::Struct(literal) = &eval.body.expr(id).kind else {
        return Value::bottom();
    };
    let places: BTreeMap<Name, Span> = literal
        .fields
        .iter()
        .map(|&(name, value)| (name, eval.span_of(value)))
        .collect();
    let mut record = Record {
        path: None,
        fields,
        rest,
        places,
    };
    for (name, value) in &mut record.fields {
        if let Some(&place) = record.places.get(name) {
            *value = value.step(place, &format!("stored in the field `{name}`"));
        }
    }
    match eval.types.structure(id) {
        Some(StructDef::Local(ty, variant)) => {
            let info = eval.engine.program.type_(*ty);
            record.path = Some(match info.ir.is_enum {
                true => match info.ir.variants.get(*variant as usize) {
                    Some(variant) => Name::new(&format!("{}::{}", info.path, variant.name)),
                    None => info.path,
                },
                false => info.path,
            });
            eval.literals.push((*ty, record.clone()));
            let declared = info.ir.variants.get(*variant as usize);
            dispatch::record(
                eval,
                id,
                &record,
                declared.map(|variant| (&info.ir, variant)),
            );
        }
        Some(StructDef::External(path) | StructDef::Unresolved(path)) => {
            record.path = Some(*path);
            dispatch::record(eval, id, &record, None);
        }
        _ => dispatch::record(eval, id, &record, None),
    }
    Value::alt(Alt {
        atoms: Vec::new(),
        shape: Shape::Record(Arc::new(record)),
    })
}

fn constructed(
    eval: &mut Eval<'_, '_>,
    ty: crate::resolve::TypeId,
    variant: u32,
    fields: BTreeMap<Name, Value>,
) -> Value {
    let info = eval.engine.program.type_(ty);
    let single = fields.len() == 1 && !info.ir.is_enum;
    let path = match info.ir.is_enum {
        true => info
            .ir
            .variants
            .get(variant as usize)
            .map(|variant| Name::new(&format!("{}::{}", info.path, variant.name))),
        false => Some(info.path),
    };
    let record = Record {
        path,
        fields,
        ..Record::default()
    };
    if !single || !record.fields.is_empty() {
        eval.literals.push((ty, record.clone()));
    }
    Value::alt(Alt {
        atoms: Vec::new(),
        shape: Shape::Record(Arc::new(record)),
    })
}

/// A map written out, as in `json!`.
pub(crate) fn map_literal(eval: &mut Eval<'_, '_>, id: ExprId, mut record: Record) -> Value {
    if let ExprKind::Map(entries) = &eval.body.expr(id).kind {
        for (key, value) in entries {
            if let crate::ir::MapKey::Text(text) = key {
                record.places.insert(Name::new(text), eval.span_of(*value));
            }
        }
    }
    dispatch::record(eval, id, &record, None);
    Value::alt(Alt {
        atoms: Vec::new(),
        shape: Shape::Record(Arc::new(record)),
    })
}

/// A tuple or array: `("Idempotency-Key", key)` is a header.
pub(crate) fn pairs(eval: &mut Eval<'_, '_>, items: &[ExprId], values: &[Value]) {
    if let ([_, item], [name, value]) = (items, values) {
        let span = eval.span_of(*item);
        dispatch::header_pair(eval, name, value, span);
    }
}

/// `request.idempotency_key = key`.
pub(crate) fn field_set(
    eval: &mut Eval<'_, '_>,
    target: ExprId,
    field: Name,
    value: &Value,
    range: TextRange,
) {
    let _ = target;
    let span = eval.span(range);
    dispatch::field(eval, field, value, span);
}

/// An awaited expression: where a presumed dispatch acts.
pub(crate) fn awaited(eval: &mut Eval<'_, '_>, inner: ExprId, value: Value) -> Value {
    match dispatch::presumed(eval, inner) {
        Some(at) => operation::with_reply(eval, &value, at, false),
        None => value,
    }
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
