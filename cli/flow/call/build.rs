//! Calls of which only the name is known: chains on external values, conversions.

use super::super::eval::Eval;
use super::super::outcome::{self, Outcomes};
use super::super::value::{Alt, Atom, BuildStep, Builder, Kind, Record, Shape, Trail, Value, made};
use super::super::{dispatch, repeating, walk};
use super::origin::fresh_note;
use super::{Site, is_surroundings, make, wrapped};
use crate::catalog::{Carrier, FreshKind, RetryCall, WithoutKey};
use crate::ir::{Body, ExprId, ExprKind, LocalId, Name};
use crate::resolve::{Callee, FunctionInfo, Ty};
use crate::source::Span;
use std::sync::Arc;

/// Steps on one builder that are kept; longer chains keep their first ones and all that carry a key.
const MAX_STEPS: usize = 48;

/// A conversion by its name (`to_`, `as_`, `into_`): Rust's own convention for what keeps the receiver's value.
pub(super) fn converted(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let (_, receiver) = site.receiver.as_ref()?;
    let prefixes = &eval.engine.catalog.words.keeping_prefixes;
    let keeps = prefixes.iter().any(|prefix| site.name.as_str().starts_with(prefix.as_str()));
    // A builder stays what it is: only a value that says something is worth following through a name.
    let tells = receiver.atoms().any(|atom| !matches!(atom.kind, Kind::Opaque(_)));
    (keeps && tells).then(|| receiver.flat())
}

/// The receiver (or the first argument's chain) with one more call on it.
pub(super) fn built(eval: &mut Eval<'_, '_>, site: &Site<'_>, step: BuildStep) -> Value {
    let reason = unknown(site);
    let opaque = Atom::new(Kind::Opaque(Name::new(&reason)), eval.here(), Trail::start(site.span, &reason));
    let Some((receiver_id, receiver)) = &site.receiver else {
        if let Some(request) = wrapped::request(eval, site, &step) {
            return request;
        }
        let builder = Builder { root: Value::concat(&[]), steps: vec![step] };
        let shape = Shape::Builder(Arc::new(builder));
        return Value::alt(Alt { atoms: Arc::new([opaque]), shape });
    };
    let mut guesses = Vec::new();
    let checked = eval.engine.catalog.words.status_checks.iter().any(|name| name == site.name.as_str());
    if checked {
        let (about, bare) = outcome::replies(receiver);
        if bare {
            eval.condition((site.id, u32::MAX), about, Outcomes::CONFIRMED, true);
        }
    }
    for atom in receiver.atoms() {
        match &atom.kind {
            // In replayed code, what is read out of the environment still decides by it.
            Kind::Input(name) if eval.engine.has_workflows && is_surroundings(*name) => {
                guesses.push(Atom { guessed: true, ..atom.clone() });
            }
            kind if made(kind) => guesses.push(Atom { guessed: true, ..atom.clone() }),
            // What is read out of an answer still tells of its outcome.
            Kind::Reply(at, bare) => guesses.push(Atom { kind: Kind::Reply(*at, *bare && !checked), ..atom.clone() }),
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
            _ => Builder { root: Value::alt(alt.clone()), steps: vec![step.clone()] },
        };
        let mut atoms = vec![opaque.clone()];
        atoms.extend(guesses.iter().cloned());
        Some(Alt { atoms: atoms.into(), shape: Shape::Builder(Arc::new(builder)) })
    };
    let result = match receiver.is_bottom() {
        true => Value::alt(Alt {
            atoms: Arc::new([opaque.clone()]),
            shape: Shape::Builder(Arc::new(Builder { root: Value::bottom(), steps: vec![step.clone()] })),
        }),
        false => receiver.filter_map(extend),
    };
    // `headers.insert(..)` changes the map it is called on; a builder that is handed on is not used again. A client that
    // starts a request stays what it was, or its next request would be this one, too.
    if step.starts.is_some() {
        return result;
    }
    if !site.args.is_empty() || site.name.as_str().ends_with("_mut") {
        let local = changed_local(eval.body, *receiver_id);
        // So do headers that an object holds: `self.headers.insert(..)`.
        let held = || dispatch::sets_key_header(eval, site) && is_held(eval.body, *receiver_id);
        if local.is_some() || held() {
            let new = result.filter_map(|alt| match &alt.shape {
                Shape::Builder(builder) => {
                    // The thing itself stays what it was, with one more call on it.
                    let atoms = match &builder.root {
                        root if builder.steps.len() == 1 => root.alts.first().map(|alt| alt.atoms.clone()),
                        _ => receiver.alts.first().map(|alt| alt.atoms.clone()),
                    };
                    Some(Alt { atoms: atoms.unwrap_or_default(), shape: alt.shape.clone() })
                }
                _ => Some(alt.clone()),
            });
            match local {
                Some(local) => eval.state.locals[local.0 as usize] = new,
                None => eval.assign(*receiver_id, new, eval.body.expr(*receiver_id).range),
            }
        }
    }
    result
}

/// What is not known, by its whole path where that is seen.
fn unknown(site: &Site<'_>) -> String {
    let path = match site.callee {
        Some(Callee::External(path)) => path.to_string(),
        Some(Callee::ExternalMethod { receiver, method }) => format!("{receiver}::{method}"),
        _ => return format!("`{}` is not known", site.name),
    };
    format!("`{path}`, outside the workspace, is not known")
}

/// The local that a method called on an expression changes: itself, or through what it lends out, as in
/// `request.headers_mut().insert(..)`.
pub(crate) fn changed_local(body: &Body, id: ExprId) -> Option<LocalId> {
    let mut at = id;
    loop {
        match &body.expr(at).kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::MethodCall(call) if call.args.is_empty() && call.name.as_str().ends_with("_mut") => {
                at = call.receiver;
            }
            _ => return None,
        }
    }
}

/// Whether an expression is a field of a local, or of a field of one.
fn is_held(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Field { base, .. } => matches!(body.expr(*base).kind, ExprKind::Local(_)) || is_held(body, *base),
        _ => false,
    }
}

/// What is handed to a chain: of a struct that is put together elsewhere, the field that carries a key is named.
fn with_key_field(eval: &Eval<'_, '_>, id: ExprId, value: &Value) -> Value {
    let Ty::Adt(of, _) = eval.ty(id) else {
        return value.clone();
    };
    let Some((name, wire)) = make::key_field(eval, eval.engine.program.type_(*of).ir.fields()) else {
        return value.clone();
    };
    value.filter_map(|alt| match alt.shape {
        Shape::Plain => {
            let whole = Value::alt(alt.clone());
            let fields = [(wire, whole.field(name))].into_iter().collect();
            let record = Record { fields, rest: Some(whole), ..Record::default() };
            Some(Alt { atoms: alt.atoms.clone(), shape: Shape::Record(Arc::new(record)) })
        }
        _ => Some(alt.clone()),
    })
}

pub(crate) fn build_step(eval: &Eval<'_, '_>, site: &Site<'_>, row: Option<&crate::catalog::Dispatch>) -> BuildStep {
    let catalog = eval.engine.catalog;
    let carries = carrier(&site.rows.carriers);
    let attaches = site.rows.retry.filter(|retry| retry.attaches && !may_refuse(eval, retry));
    let mut args: Vec<Value> =
        site.args.iter().zip(&site.arg_ids).map(|(value, &id)| with_key_field(eval, id, value)).collect();
    let mut arg_spans: Vec<Span> = site.arg_ids.iter().map(|&id| eval.span_of(id)).collect();
    if carries.is_some_and(|row| row.key.is_none() && row.without_key == WithoutKey::MintedPerCall) {
        args.push(minted(eval, site.span));
        arg_spans.push(site.span);
    }
    BuildStep {
        name: site.name,
        args,
        span: site.span,
        arg_spans,
        starts: row.and_then(|row| number_of(&catalog.dispatches, row)),
        asks: site.rows.lookup.filter(|row| !row.sends.is_empty()).and_then(|row| number_of(&catalog.lookups, row)),
        carries: carries.and_then(|row| number_of(&catalog.carriers, row)),
        attaches: attaches.is_some() || repeating::attaches(eval, site),
        limits: site.rows.timeout.filter(|row| row.attaches).and_then(|row| u32::try_from(row.limit?).ok()),
        foreign: false,
    }
}

/// The key that a library makes where its strategy is made.
fn minted(eval: &Eval<'_, '_>, span: Span) -> Value {
    let kind = FreshKind::Random;
    Value::atom(Atom::new(Kind::Fresh(kind), eval.here(), Trail::start(span, fresh_note(kind))))
}

/// What a strategy, options or client value is that a function of another crate makes, handed over as a value.
pub(super) fn carried(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let row = carrier(&site.rows.carriers)?;
    let mut step = build_step(eval, site, None);
    if row.key.is_some() {
        step.args = site.args.clone();
        step.arg_spans = vec![site.span; site.args.len()];
    }
    let shape = Shape::Builder(Arc::new(Builder { root: Value::concat(&[]), steps: vec![step] }));
    Some(Value::alt(Alt { atoms: Arc::default(), shape }))
}

/// Whether a policy of the workspace picks the requests that are repeated: it may answer with nothing for one.
fn may_refuse(eval: &Eval<'_, '_>, retry: &RetryCall) -> bool {
    let Some(method) = &retry.refused_by else {
        return false;
    };
    let picks = |function: &FunctionInfo| {
        let Some(body) = function.ir.body.as_deref() else {
            return false;
        };
        walk::any(body, body.root, &|at| match &body.expr(at).kind {
            ExprKind::Path(path) => path.of_option_or_result() == Some("None"),
            ExprKind::MethodCall(call) => matches!(call.name.as_str(), "then" | "then_some" | "filter"),
            _ => false,
        })
    };
    let functions = || eval.engine.program.functions.iter().filter(|function| !function.test);
    let words = &eval.engine.catalog.words;
    // Another method of the policy may look which request it is.
    let asks = |policy: &FunctionInfo| {
        let mut own =
            functions().filter(|other| other.self_ty == policy.self_ty && other.trait_path == policy.trait_path);
        own.any(|other| other.ir.body.as_deref().is_some_and(|body| repeating::picks(body, words)))
    };
    let mut policies =
        functions().filter(|function| function.ir.name == *method.as_str() && function.trait_path.is_some());
    policies.any(|policy| picks(policy) || asks(policy))
}

/// Of the rows for one call, which differ in the feature of the crate, the one that claims less: with the feature.
pub(super) fn carrier<'p>(rows: &[&'p Carrier]) -> Option<&'p Carrier> {
    rows.iter().find(|row| row.when.is_some()).or_else(|| rows.first()).copied()
}

pub(crate) fn number_of<T>(rows: &[T], row: &T) -> Option<u32> {
    rows.iter().position(|known| std::ptr::eq(known, row)).map(|at| at as u32)
}
