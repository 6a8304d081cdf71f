//! Which call is the dispatch, and where its key stands.
//!
//! In this order of strength: declared by the application, known to the catalog, presumed from names where following
//! ends, and key positions with no dispatch in sight.

use super::Recognition;
use super::call::{Site, add_use};
use super::eval::Eval;
use super::scope::has_word;
use super::uses::Use;
use super::value::{Alt, Atom, BuildStep, Builder, Kind, Record, Shape, Trail, Value, made};
use crate::catalog::{Carrier, Catalog, Dispatch, KeyPosition, WithoutKey};
use crate::ir::{ExprId, ExprKind, Name, TypeDecl, Variant};
use crate::resolve::{Callee, Ty};
use crate::source::Span;

/// How deep a key is searched for in what is handed to a dispatch: options in a request in a builder.
const MAX_SEARCH: usize = 4;

/// A key and where it enters.
#[derive(Clone)]
struct Found {
    value: Value,
    position: Span,
}

/// Whether a contract of the enclosing function names this call as its dispatch.
pub(crate) fn declared(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let Some(function) = eval.function else {
        return false;
    };
    let mut paths = eval
        .engine
        .contracts
        .iter()
        .filter(|contract| contract.bodies.contains(&function))
        .flat_map(|contract| &contract.contract.dispatch)
        .peekable();
    if paths.peek().is_none() {
        return false;
    }
    let calls = site.call(eval.engine.program);
    paths.any(|path| {
        let Ok(pattern) = crate::catalog::Pattern::parse(path) else {
            return false;
        };
        calls.iter().any(|call| pattern.matches(call)) || names_type_and_method(path, site, eval)
    })
}

/// `Stripe::create_charge` as the attribute writes it: a path in the scope of the handler.
fn names_type_and_method(path: &str, site: &Site<'_>, eval: &Eval<'_, '_>) -> bool {
    let written = path.strip_prefix("crate::").unwrap_or(path);
    let Some(Callee::Functions(ids)) = site.callee else {
        let called = match site.callee {
            Some(Callee::Unresolved(called) | Callee::External(called)) => called.to_string(),
            Some(Callee::ExternalMethod { receiver, method }) => format!("{receiver}::{method}"),
            _ => return false,
        };
        return ends_with_path(&called, written);
    };
    let program = eval.engine.program;
    ids.iter().any(|&id| {
        let function = program.function(id);
        // a call through a trait is a call of its implementations
        let of_trait = function.trait_.is_some_and(|trait_| {
            let trait_ = program.traits[trait_.0 as usize].path;
            ends_with_path(&format!("{trait_}::{}", function.ir.name), written)
        });
        of_trait || ends_with_path(function.path.as_str(), written)
    })
}

fn ends_with_path(path: &str, tail: &str) -> bool {
    path == tail || path.strip_suffix(tail).is_some_and(|front| front.ends_with("::"))
}

fn new_use(eval: &Eval<'_, '_>, site: Span, call: &str, recognition: Recognition) -> Option<Use> {
    Some(Use {
        site,
        function: eval.function?,
        call: Name::new(call),
        provider: None,
        row: None,
        recognition,
        without_key: WithoutKey::Nothing,
        harmless: false,
        key: Value::bottom(),
        position: None,
        sibling_keyed: false,
        receiver: Value::bottom(),
        operation: Value::bottom(),
        repeat: None,
        calls: Vec::new(),
        each: Vec::new(),
        branches: eval.branches.clone(),
    })
}

fn finish(eval: &mut Eval<'_, '_>, mut new: Use) {
    new.mark_per_call();
    let scopes = eval.regions.clone();
    new.settle(&scopes);
    if let Some(position) = new.position {
        new.key = new.key.step(position, "sent as the key here");
    }
    if new.recognition != Recognition::FreeStanding {
        super::operation::dispatched(eval, &new, None);
    }
    add_use(eval, new);
}

/// A call that is a row of the catalog and acts by itself.
pub(crate) fn from_row(eval: &mut Eval<'_, '_>, site: &Site<'_>, row: &Dispatch) -> Option<(Span, bool)> {
    let step = BuildStep {
        name: site.name,
        args: site.args.clone(),
        span: site.span,
        arg_spans: site.arg_ids.iter().map(|&id| eval.span_of(id)).collect(),
        starts: None,
        carries: None,
        attaches: None,
    };
    let receiver = site.receiver.as_ref().map(|(_, value)| value.clone()).unwrap_or_default();
    one(eval, row, &step, &[], &receiver, site.span);
    Some((site.span, is_bare(row)))
}

/// Whether the answer is a bare HTTP one.
fn is_bare(row: &Dispatch) -> bool {
    row.address.is_some() || row.http_method.is_some()
}

/// A call that a contract names as its dispatch, with no row that says where the key stands.
pub(crate) fn from_contract(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Span, bool)> {
    if let Some(Callee::Functions(ids)) = site.callee {
        // What stands below it says more than its name.
        if ids.iter().any(|&id| !eval.engine.summary(id).uses.is_empty()) {
            return None;
        }
    }
    let found = by_name(eval, site);
    let mut new = new_use(eval, site.span, site.name.as_str(), Recognition::Declared)?;
    if let Some(found) = found {
        new.position = Some(found.position);
        new.key = found.value;
    }
    new.operation = eval.constant(Some(site.name.as_str()));
    finish(eval, new);
    Some((site.span, false))
}

/// A method that ends a fluent builder which a row of the catalog started.
pub(crate) fn sent(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Span, bool)> {
    let catalog = eval.engine.catalog;
    let candidates = site.receiver.iter().map(|(_, value)| value).chain(site.args.first());
    let sends = |alt: &Alt| match &alt.shape {
        Shape::Builder(builder) => started(builder).is_some_and(|(_, row)| {
            catalog.dispatches[row as usize].sends.iter().any(|name| name == site.name.as_str())
        }),
        _ => false,
    };
    let value = candidates.into_iter().find(|value| value.alts.iter().any(sends)).cloned()?;
    let sending = value.filter_map(|alt| sends(alt).then(|| alt.clone()));
    from_builders(eval, &sending);
    sending.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => {
            let (step, row) = started(builder)?;
            Some((step.span, is_bare(&catalog.dispatches[row as usize])))
        }
        _ => None,
    })
}

/// A client that is finished with a key fixed on it.
pub(crate) fn client_built(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let (Some(function), Some((_, receiver)), "build") = (eval.function, &site.receiver, site.name.as_str()) else {
        return;
    };
    let catalog = eval.engine.catalog;
    for alt in receiver.alts.iter() {
        let Shape::Builder(builder) = &alt.shape else {
            continue;
        };
        if started(builder).is_some() {
            continue;
        }
        for step in steps_of(builder, 0) {
            let fixed = step
                .args
                .iter()
                .find_map(|arg| carrier_in(catalog, arg, step.span, 0))
                .is_some_and(|(carrier, key)| key.is_some() || carrier.without_key == WithoutKey::MintedPerCall);
            if fixed {
                eval.shared.push(super::SharedKey {
                    site: step.span,
                    other: step.arg_spans.first().copied().unwrap_or(step.span),
                    function,
                    how: super::Sharing::Client,
                    path: Vec::new(),
                    confidence: crate::findings::Confidence::Likely,
                });
            }
        }
    }
}

/// What a function returns without sending it: a request that its caller sends, or that nobody here does.
pub(crate) fn returned(eval: &mut Eval<'_, '_>, value: &Value) {
    let Some(function) = eval.function else {
        return;
    };
    if !eval.engine.callers(function).is_empty() && !super::handlers::is_handler(eval.engine, function) {
        return;
    }
    let catalog = eval.engine.catalog;
    let open = value.filter_map(|alt| match &alt.shape {
        Shape::Builder(builder) => started(builder)
            .is_some_and(|(_, row)| {
                let sends = &catalog.dispatches[row as usize].sends;
                !builder.steps.iter().any(|step| sends.iter().any(|name| name == step.name.as_str()))
            })
            .then(|| alt.clone()),
        _ => None,
    });
    if !open.is_bottom() {
        from_builders(eval, &open);
    }
}

/// The step that starts a dispatch, and its row.
fn started(builder: &Builder) -> Option<(&BuildStep, u32)> {
    let own = builder.steps.iter().rev().find_map(|step| Some((step, step.starts?)));
    own.or_else(|| {
        builder.root.alts.iter().find_map(|alt| match &alt.shape {
            Shape::Builder(inner) => started(inner),
            _ => None,
        })
    })
}

/// All steps of a chain, the root's first.
fn steps_of(builder: &Builder, depth: usize) -> Vec<&BuildStep> {
    let mut steps = Vec::new();
    if depth < MAX_SEARCH {
        for alt in builder.root.alts.iter() {
            if let Shape::Builder(inner) = &alt.shape {
                steps.extend(steps_of(inner, depth + 1));
            }
        }
    }
    steps.extend(&builder.steps);
    steps
}

/// Dispatches from finished builders: one for each call that starts one, alternatives of it joined.
fn from_builders(eval: &mut Eval<'_, '_>, value: &Value) {
    let catalog = eval.engine.catalog;
    let mut groups: Vec<(Span, u32, Vec<&Alt>)> = Vec::new();
    for alt in value.alts.iter() {
        let Shape::Builder(builder) = &alt.shape else {
            continue;
        };
        let Some((step, row)) = started(builder) else {
            continue;
        };
        match groups.iter_mut().find(|group| group.0 == step.span) {
            Some(group) => group.2.push(alt),
            None => groups.push((step.span, row, vec![alt])),
        }
    }
    let before: Vec<_> = eval.uses.keys().cloned().collect();
    for (span, row, alts) in groups {
        let row = &catalog.dispatches[row as usize];
        let mut joined: Option<(Value, Option<Span>)> = None;
        let mut elsewhere = false;
        for alt in alts.iter() {
            let Shape::Builder(builder) = &alt.shape else {
                continue;
            };
            let Some((step, _)) = started(builder) else {
                continue;
            };
            let steps = steps_of(builder, 0);
            let found = key_of(eval, row, step, &steps, &builder.root);
            elsewhere |= found.is_none() && steps.iter().any(|step| sets_unknown_header(step));
            let key = match &found {
                Some(found) => found.value.clone(),
                None => absent(eval, span),
            };
            joined = Some(match joined {
                None => (key, found.map(|found| found.position)),
                Some((value, position)) => (value.join(&key), position.or(found.map(|found| found.position))),
            });
        }
        // Headers that are copied from somewhere may hold the key, in however many rounds of a loop.
        if elsewhere {
            joined = Some((eval.opaque("headers that are put together elsewhere", span), None));
        }
        let (Some((key, position)), Some(Shape::Builder(builder))) = (joined, alts.first().map(|alt| &alt.shape))
        else {
            continue;
        };
        let Some((step, _)) = started(builder) else {
            continue;
        };
        let steps = steps_of(builder, 0);
        let method = row.method_by.as_ref().and_then(|name| {
            let by = steps.iter().rev().find(|step| step.name.as_str() == name)?;
            http_method(by.args.first()?)
        });
        record_use(eval, row, step, (key, position), &builder.root.clone(), span, method);
    }
    mark_siblings(eval, &before);
}

/// Calls that were found together, some with a key and some without: those without are likely forgotten.
fn mark_siblings(eval: &mut Eval<'_, '_>, before: &[super::uses::UseKey]) {
    let new: Vec<_> = eval.uses.keys().filter(|key| !before.contains(key)).cloned().collect();
    let keyed = new.iter().any(|key| eval.uses.get(key).is_some_and(|known| !known.is_keyless()));
    if keyed {
        for key in &new {
            if let Some(known) = eval.uses.get_mut(key) {
                known.sibling_keyed |= known.is_keyless();
            }
        }
    }
}

fn one(eval: &mut Eval<'_, '_>, row: &Dispatch, step: &BuildStep, steps: &[&BuildStep], receiver: &Value, span: Span) {
    let found = key_of(eval, row, step, steps, receiver);
    let (key, position) = match found {
        Some(found) => (found.value, Some(found.position)),
        None => (absent(eval, span), None),
    };
    record_use(eval, row, step, (key, position), receiver, span, None);
}

fn record_use(
    eval: &mut Eval<'_, '_>,
    row: &Dispatch,
    step: &BuildStep,
    (key, position): (Value, Option<Span>),
    receiver: &Value,
    span: Span,
    method: Option<String>,
) {
    let recognition = if row.declared { Recognition::Declared } else { Recognition::Catalog };
    let mut harmless = row.absolute;
    if row.http_method.is_some() || row.method_by.is_some() {
        match method
            .or_else(|| row.http_method.and_then(|number| http_method(step.args.get(number as usize)?)))
            .as_deref()
        {
            Some("GET" | "HEAD" | "OPTIONS" | "TRACE" | "CONNECT") => return,
            Some("POST" | "PATCH") => {}
            // PUT and DELETE state a result; of a method that is not known nobody knows that it acts.
            _ => harmless = true,
        }
    }
    let Some(mut new) = new_use(eval, span, step.name.as_str(), recognition) else {
        return;
    };
    let address = row.address.and_then(|number| step.args.get(number as usize));
    new.provider = row.provider.as_deref().map(Name::new).or_else(|| provider_at(eval, address?));
    new.without_key = without_key(eval, row, receiver, &step.args);
    new.harmless = harmless;
    let cannot = row.keys.iter().all(|key| *key == KeyPosition::None);
    new.key = if cannot { Value::bottom() } else { key };
    new.position = position;
    new.row = super::call::number_of(&eval.engine.catalog.dispatches, row);
    // A function that is called by path has its client as first argument.
    new.receiver = match receiver.is_bottom() {
        true => step.args.first().cloned().unwrap_or_default(),
        false => receiver.clone(),
    };
    let name = eval.constant(Some(step.name.as_str()));
    new.operation = match address {
        Some(address) => Value::concat(&[name, address.flat()]),
        None => name,
    };
    finish(eval, new);
}

/// The HTTP method that a value names: `Method::POST`, `"POST"`.
fn http_method(value: &Value) -> Option<String> {
    value.text().map(|text| text.rsplit("::").next().unwrap_or(text).to_ascii_uppercase())
}

fn provider_at(eval: &Eval<'_, '_>, address: &Value) -> Option<Name> {
    let catalog = eval.engine.catalog;
    address.flat().atoms().find_map(|atom| match &atom.kind {
        Kind::Constant(Some(text)) => {
            let rest = text.as_str().split_once("://")?.1;
            let host = rest.split(['/', ':', '?', '\u{0}']).next()?;
            catalog.provider_at(host).map(|provider| Name::new(&provider.id))
        }
        _ => None,
    })
}

fn absent(eval: &Eval<'_, '_>, span: Span) -> Value {
    Value::atom(Atom::new(Kind::Absent, eval.here(), Trail::start(span, "sent without a key")))
}

/// The key of a dispatch, from the first of its positions that holds one.
fn key_of(
    eval: &Eval<'_, '_>,
    row: &Dispatch,
    start: &BuildStep,
    steps: &[&BuildStep],
    receiver: &Value,
) -> Option<Found> {
    let words = &eval.engine.catalog.words;
    for position in &row.keys {
        let found = match position {
            KeyPosition::Argument(number) => start
                .args
                .get(*number as usize)
                .zip(start.arg_spans.get(*number as usize))
                .map(|(value, &position)| Found { value: value.clone(), position }),
            KeyPosition::Header(name) => {
                let is_key = |text: &str| match name.as_str() {
                    "*" => is_key_header(eval, text),
                    name => text.eq_ignore_ascii_case(name),
                };
                steps
                    .iter()
                    .copied()
                    .chain([start])
                    .find_map(|step| in_step(step, &is_key, 0))
                    .or_else(|| in_value(receiver, &is_key, 0))
            }
            KeyPosition::Method(name) => steps
                .iter()
                .rev()
                .find(|step| step.name.as_str() == name || step.name.as_str().strip_prefix("set_") == Some(name))
                .and_then(|step| Some(Found { value: step.args.first()?.clone(), position: *step.arg_spans.first()? })),
            KeyPosition::Field(name) => start
                .args
                .iter()
                .zip(&start.arg_spans)
                .find_map(|(value, &span)| field_in(value, &|field| field == name, span, 0)),
            KeyPosition::Carrier(_) => start
                .args
                .iter()
                .zip(&start.arg_spans)
                .chain([(receiver, &start.span)])
                .chain(steps.iter().flat_map(|step| step.args.iter().zip(&step.arg_spans)))
                .find_map(|(value, &span)| carried(eval, value, span, 0).and_then(|(_, found)| found)),
            KeyPosition::Body(path) => {
                let last = path.rsplit('.').next().unwrap_or(path);
                let is_key = |field: &str| match last {
                    "*" => words.key_names.iter().any(|name| name == field),
                    last => field == last,
                };
                steps
                    .iter()
                    .flat_map(|step| step.args.iter().zip(&step.arg_spans))
                    .find_map(|(value, &span)| field_in(value, &is_key, span, 0))
            }
            KeyPosition::None => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a call sets a header whose name is not known, or headers that were made elsewhere: the key may be among them.
fn sets_unknown_header(step: &BuildStep) -> bool {
    let name = step.name.as_str();
    match step.args.as_slice() {
        [] => name == "headers_mut",
        [name_of, _] => (name.contains("header") || matches!(name, "insert" | "append")) && name_of.text().is_none(),
        [all] => {
            name.contains("headers")
                && !all.alts.iter().all(|alt| matches!(alt.shape, Shape::Builder(_) | Shape::Record(_)))
        }
        _ => false,
    }
}

/// What the library does without a key, as the strategy or client that is used decides.
fn without_key(eval: &Eval<'_, '_>, row: &Dispatch, receiver: &Value, args: &[Value]) -> WithoutKey {
    let span = Span::new(eval.file, Default::default());
    let carrier = std::iter::once(receiver).chain(args).find_map(|value| carried(eval, value, span, 0));
    carrier.map_or(row.without_key, |(carrier, _)| carrier.without_key)
}

fn carried<'p>(eval: &Eval<'_, 'p>, value: &Value, span: Span, depth: usize) -> Option<(&'p Carrier, Option<Found>)> {
    carrier_in(eval.engine.catalog, value, span, depth)
}

/// The carrier in a value, and the key that it carries.
fn carrier_in<'p>(
    catalog: &'p Catalog,
    value: &Value,
    span: Span,
    depth: usize,
) -> Option<(&'p Carrier, Option<Found>)> {
    if depth > MAX_SEARCH {
        return None;
    }
    for alt in value.alts.iter() {
        match &alt.shape {
            Shape::Builder(builder) => {
                for step in builder.steps.iter().rev() {
                    if let Some(row) = step.carries {
                        let carrier = &catalog.carriers[row as usize];
                        let key = carrier.key.and_then(|number| {
                            let position = *step.arg_spans.get(number as usize)?;
                            Some(Found { value: step.args.get(number as usize)?.clone(), position })
                        });
                        return Some((carrier, key));
                    }
                    let inner = step
                        .args
                        .iter()
                        .zip(&step.arg_spans)
                        .find_map(|(arg, &span)| carrier_in(catalog, arg, span, depth + 1));
                    if inner.is_some() {
                        return inner;
                    }
                }
                if let Some(found) = carrier_in(catalog, &builder.root, span, depth + 1) {
                    return Some(found);
                }
            }
            Shape::Record(record) => {
                let inner = record.fields.values().find_map(|field| carrier_in(catalog, field, span, depth + 1));
                if inner.is_some() {
                    return inner;
                }
            }
            _ => {}
        }
    }
    None
}

/// A header in a call such as `header(name, value)`, `insert(name, value)`, `headers(map)`.
fn in_step(step: &BuildStep, is_key: &dyn Fn(&str) -> bool, depth: usize) -> Option<Found> {
    if let ([name, value, ..], [_, position, ..]) = (step.args.as_slice(), step.arg_spans.as_slice()) {
        if name.text().is_some_and(is_key) {
            return Some(Found { value: value.clone(), position: *position });
        }
    }
    if depth > MAX_SEARCH {
        return None;
    }
    step.args.iter().find_map(|value| in_value(value, is_key, depth + 1))
}

fn in_value(value: &Value, is_key: &dyn Fn(&str) -> bool, depth: usize) -> Option<Found> {
    if depth > MAX_SEARCH {
        return None;
    }
    value.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => builder
            .steps
            .iter()
            .rev()
            .find_map(|step| in_step(step, is_key, depth + 1))
            .or_else(|| in_value(&builder.root, is_key, depth + 1)),
        Shape::Record(record) => {
            let pair = (record.fields.get(&Name::new("0")), record.fields.get(&Name::new("1")));
            if let (Some(name), Some(value)) = pair {
                if name.text().is_some_and(is_key) {
                    let position = value.atoms().find_map(|atom| atom.trail.origin());
                    return position.map(|position| Found { value: value.clone(), position });
                }
            }
            record.fields.iter().find_map(|(name, field)| {
                if is_key(name.as_str()) {
                    let position = record.places.get(name).copied()?;
                    return Some(Found { value: field.clone(), position });
                }
                in_value(field, is_key, depth + 1)
            })
        }
        _ => None,
    })
}

fn field_in(value: &Value, is_key: &dyn Fn(&str) -> bool, span: Span, depth: usize) -> Option<Found> {
    if depth > MAX_SEARCH {
        return None;
    }
    let mut found: Option<Found> = None;
    for alt in value.alts.iter() {
        let one = match &alt.shape {
            Shape::Record(record) => record
                .fields
                .iter()
                .find(|(name, _)| is_key(name.as_str()))
                .map(|(name, value)| Found {
                    value: value.clone(),
                    position: record.places.get(name).copied().unwrap_or(span),
                })
                .or_else(|| {
                    record
                        .fields
                        .values()
                        .chain(&record.rest)
                        .find_map(|inner| field_in(inner, is_key, span, depth + 1))
                }),
            Shape::Builder(builder) => builder
                .steps
                .iter()
                .rev()
                .find(|step| is_key(step.name.as_str()) && step.args.len() == 1)
                .and_then(|step| Some(Found { value: step.args.first()?.clone(), position: *step.arg_spans.first()? }))
                .or_else(|| {
                    let inner = builder.steps.iter().flat_map(|step| step.args.iter().zip(&step.arg_spans));
                    inner.clone().find_map(|(value, &span)| field_in(value, is_key, span, depth + 1))
                }),
            _ => None,
        };
        if let Some(one) = one {
            found = Some(match found {
                None => one,
                Some(known) => Found { value: known.value.join(&one.value), position: known.position },
            });
        }
    }
    found
}

fn is_key_header(eval: &Eval<'_, '_>, text: &str) -> bool {
    let words = &eval.engine.catalog.words;
    words.key_headers.iter().any(|header| header.eq_ignore_ascii_case(text))
}

fn is_key_name(eval: &Eval<'_, '_>, name: &str) -> bool {
    eval.engine.catalog.words.key_names.iter().any(|known| known == name)
}

/// A key position with no dispatch in sight; told only where the value says something.
fn free_standing(eval: &mut Eval<'_, '_>, value: &Value, position: Span) {
    let tells = value.flat().atoms().any(|atom| made(&atom.kind) || matches!(atom.kind, Kind::Param(..)));
    if !tells {
        return;
    }
    let Some(mut new) = new_use(eval, position, "", Recognition::FreeStanding) else {
        return;
    };
    new.key = value.flat();
    new.position = Some(position);
    // What is fixed in front of a loop that repeats the request holds over it, though the request itself is not seen.
    if repeats_after(eval, position) {
        new.key = new.key.map_atoms(&mut |atom| Atom { outside: atom.outside || made(&atom.kind), ..atom.clone() });
    }
    finish(eval, new);
}

/// Whether a loop that repeats its body stands behind a place of this function.
fn repeats_after(eval: &Eval<'_, '_>, position: Span) -> bool {
    let words = &eval.engine.catalog.words;
    eval.body.exprs.iter().enumerate().any(|(at, expr)| match &expr.kind {
        ExprKind::Loop(repeat) if expr.range.start > position.range.end => {
            super::scope::loop_scope(eval.body, eval.file, ExprId(at as u32), repeat, words).is_some()
        }
        _ => false,
    })
}

/// `insert("Idempotency-Key", value)` and the like on anything.
pub(crate) fn key_argument(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let pair = match (site.args.as_slice(), site.arg_ids.as_slice()) {
        ([name, value], [_, id]) => {
            name.text().is_some_and(|text| is_key_header(eval, text)).then(|| (value.clone(), *id))
        }
        ([value], [id]) if is_key_name(eval, site.name.as_str()) && site.receiver.is_some() => {
            Some((value.clone(), *id))
        }
        _ => None,
    };
    if let Some((value, id)) = pair {
        let span = eval.span_of(id);
        free_standing(eval, &value, span);
    }
}

/// Whether a call sets a key header on its receiver: the receiver is then followed as what it is.
pub(crate) fn sets_key_header(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let named = |name: &Value| name.text().is_some_and(|text| is_key_header(eval, text));
    site.receiver.is_some() && matches!(site.args.as_slice(), [name, _] if named(name))
}

/// A tuple of header name and value.
pub(crate) fn header_pair(eval: &mut Eval<'_, '_>, name: &Value, value: &Value, span: Span) {
    if name.text().is_some_and(|text| is_key_header(eval, text)) {
        free_standing(eval, value, span);
    }
}

/// Key fields of a struct literal or map.
pub(crate) fn record(eval: &mut Eval<'_, '_>, _id: ExprId, record: &Record, declared: Option<(&TypeDecl, &Variant)>) {
    if declared.is_some_and(|(ty, _)| is_row(ty)) {
        return;
    }
    for (&name, value) in &record.fields {
        let serde_name = declared
            .and_then(|(_, variant)| variant.fields.iter().find(|field| field.name == name))
            .map(|field| field.serde_name);
        if is_key_name(eval, name.as_str())
            || serde_name.is_some_and(|name| is_key_name(eval, name.as_str()) || is_key_header(eval, name.as_str()))
        {
            if let Some(&place) = record.places.get(&name) {
                free_standing(eval, value, place);
            }
        }
    }
}

/// A type that stands for a row of a table: a key in it is stored, not sent.
fn is_row(ty: &TypeDecl) -> bool {
    ty.attributes.iter().any(|attribute| {
        &*attribute.path == "derive"
            && [
                "Insertable",
                "Queryable",
                "AsChangeset",
                "FromRow",
                "DeriveEntityModel",
                "DeriveActiveModel",
                "Selectable",
            ]
            .iter()
            .any(|name| attribute.args.contains(name))
    })
}

/// An assignment to a key field.
pub(crate) fn field(eval: &mut Eval<'_, '_>, name: Name, value: &Value, span: Span) {
    if is_key_name(eval, name.as_str()) {
        free_standing(eval, value, span);
    }
}

/// A key that names show, on a call of which nothing else is known.
fn by_name(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Found> {
    let words = &eval.engine.catalog.words;
    let is_key = |name: &str| words.key_names.iter().any(|known| known == name);
    for (at, &id) in site.arg_ids.iter().enumerate() {
        let span = eval.span_of(id);
        if let Some(found) = field_in(&site.args[at], &is_key, span, 0) {
            return Some(found);
        }
        if eval.local_name(id).is_some_and(|name| is_key(name.as_str())) {
            return Some(Found { value: site.args[at].clone(), position: span });
        }
    }
    if let Some((_, receiver)) = &site.receiver {
        for alt in receiver.alts.iter() {
            if let Shape::Builder(builder) = &alt.shape {
                let step = steps_of(builder, 0).into_iter().rev().find(|step| is_key(step.name.as_str()));
                if let Some(step) = step {
                    return Some(Found { value: step.args.first()?.clone(), position: *step.arg_spans.first()? });
                }
            }
        }
    }
    // A plain `key` argument counts where it came from a key header.
    site.arg_ids.iter().enumerate().find_map(|(at, &id)| {
        let named = eval.local_name(id).is_some_and(|name| has_word(name.as_str(), "key"));
        named.then(|| Found { value: site.args[at].clone(), position: eval.span_of(id) })
    })
}

/// An awaited call on a type that cannot be followed: key position, verb and receiver by name.
pub(crate) fn presumed(eval: &mut Eval<'_, '_>, inner: ExprId) -> Option<Span> {
    let body = eval.body;
    stored(eval, inner);
    let mut chain = Vec::new();
    let mut at = inner;
    let mut root_type: Option<&Ty> = None;
    loop {
        match &body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                chain.push((at, call.name));
                root_type = Some(eval.ty(call.receiver));
                at = call.receiver;
            }
            ExprKind::Await(next) | ExprKind::Try(next) if chain.is_empty() => at = *next,
            _ => break,
        }
    }
    let &(first, _) = chain.first()?;
    // What is followed, or known, is not presumed.
    let foreign = chain.iter().all(|(id, _)| match eval.types.callee(*id) {
        Some(Callee::UnknownMethod(_) | Callee::Unresolved(_)) | None => true,
        Some(Callee::ExternalMethod { receiver, .. }) => receiver.as_str().starts_with("crate::"),
        Some(Callee::Functions(ids)) => ids.iter().all(|&id| eval.engine.program.body(id).is_none()),
        _ => false,
    });
    if !foreign {
        return None;
    }
    let covered = eval.uses.values().any(|known| {
        known.recognition != Recognition::FreeStanding && {
            let whole = body.expr(inner).range;
            known.site.file == eval.file && whole.start <= known.site.range.start && known.site.range.end <= whole.end
        }
    });
    if covered {
        return None;
    }
    let words = &eval.engine.catalog.words;
    let verb = chain
        .iter()
        .find(|(_, name)| words.verbs.iter().any(|verb| has_word(name.as_str(), verb)))
        .map(|(_, name)| *name);
    let receiver = receiver_name(eval, at, root_type);
    let client =
        receiver.as_deref().is_some_and(|name| words.receivers.iter().any(|suffix| ends_with_word(name, suffix)));
    let found = chain.iter().find_map(|&(id, name)| {
        let ExprKind::MethodCall(call) = &body.expr(id).kind else {
            return None;
        };
        let is_key = |name: &str| words.key_names.iter().any(|known| known == name);
        if is_key(name.as_str()) {
            let arg = *call.args.first()?;
            return Some(Found { value: eval.quiet(arg), position: eval.span_of(arg) });
        }
        call.args.iter().find_map(|&arg| {
            let value = eval.quiet(arg);
            let span = eval.span_of(arg);
            if let Some(found) = field_in(&value, &is_key, span, 0) {
                return Some(found);
            }
            let local = eval.local_name(arg)?;
            let named = has_word(local.as_str(), "key") && (verb.is_some() || value.atoms().any(is_key_input));
            (is_key(local.as_str()) || named).then(|| Found { value, position: span })
        })
    });
    // A key that the caller sent is handed on as one: that is two signs.
    let handed_on = found.as_ref().is_some_and(|found| found.value.atoms().any(is_key_input));
    let score = u8::from(verb.is_some()) + u8::from(client) + u8::from(found.is_some()) + u8::from(handed_on);
    if score < 2 {
        return None;
    }
    let ExprKind::MethodCall(call) = &body.expr(first).kind else {
        return None;
    };
    let end = body.expr(first).range.end;
    let site = eval.span(crate::source::TextRange { start: call.name_range.start.min(end), end });
    let name = verb.unwrap_or(call.name);
    let mut new = new_use(eval, site, name.as_str(), Recognition::Presumed(score))?;
    match found {
        Some(found) => {
            new.position = Some(found.position);
            new.key = found.value;
        }
        None => new.key = absent(eval, site),
    }
    new.operation = eval.constant(Some(name.as_str()));
    finish(eval, new);
    Some(site)
}

/// A key that was read from a key header of the request that is being handled.
fn is_key_input(atom: &Atom) -> bool {
    matches!(atom.kind, Kind::Input(name) if name.as_str() == KEY_HEADER)
}

/// Name of the input that a key header is.
pub(crate) const KEY_HEADER: &str = "the key header of the request";

/// Whether a call reads a key header: `headers.get("idempotency-key")`.
pub(crate) fn reads_key_header(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    matches!(site.args.as_slice(), [name] if name.text().is_some_and(|text| is_key_header(eval, text)))
        && site.receiver.is_some()
}

/// The value bound to a key column of an `INSERT`, where it holds more than what was minted for it.
fn stored(eval: &mut Eval<'_, '_>, inner: ExprId) {
    let body = eval.body;
    let mut binds = Vec::new();
    let mut at = inner;
    let sql = loop {
        match &body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                if call.name.as_str() == "bind" {
                    binds.insert(
                        0,
                        *match call.args.first() {
                            Some(arg) => arg,
                            None => return,
                        },
                    );
                }
                at = call.receiver;
            }
            ExprKind::Await(next) | ExprKind::Try(next) => at = *next,
            ExprKind::Call { args, .. } => match args.first() {
                Some(&sql) => break sql,
                None => return,
            },
            ExprKind::Macro(call) => match call.args.split_first() {
                Some((&sql, rest)) => {
                    binds = rest.to_vec();
                    break sql;
                }
                None => return,
            },
            _ => return,
        }
    };
    let Some(text) = eval.quiet_text(sql) else {
        return;
    };
    for (column, number) in super::stored_key::inserted_columns(text) {
        if !is_key_name(eval, &column) {
            continue;
        }
        let Some(&bound) = binds.get(number) else {
            continue;
        };
        let value = eval.quiet(bound).flat();
        let composed = value.alts.iter().any(|alt| {
            alt.atoms.iter().any(|atom| made(&atom.kind))
                && alt.atoms.iter().any(|atom| !made(&atom.kind) && !matches!(atom.kind, Kind::Constant(_)))
        });
        if composed {
            let span = eval.span_of(bound);
            free_standing(eval, &value, span);
        }
    }
}

fn receiver_name(eval: &Eval<'_, '_>, id: ExprId, ty: Option<&Ty>) -> Option<String> {
    if let Some(Ty::External(path, _)) = ty {
        return Some(path.as_str().rsplit("::").next()?.to_owned());
    }
    if let Some(Ty::Traits(traits)) = ty {
        let path = eval.engine.program.traits.get(traits.first()?.0 as usize)?.path;
        return Some(path.as_str().rsplit("::").next()?.to_owned());
    }
    eval.local_name(id).map(|name| name.to_string())
}

/// Whether a name in either case ends in this word.
fn ends_with_word(name: &str, suffix: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let suffix = suffix.to_ascii_lowercase();
    name.ends_with(&suffix)
}

/// What the client of a use turns out to be once it is known where it comes from: the key it carries, what it does
/// without one, and the middleware that repeats what is sent through it.
pub(crate) fn client_facts(catalog: &Catalog, known: &mut Use, receiver: &Value) -> Option<Span> {
    let row = known.row.map(|row| &catalog.dispatches[row as usize]);
    let carries = row.is_some_and(|row| row.keys.iter().any(|key| matches!(key, KeyPosition::Carrier(_))));
    if carries {
        if let Some((carrier, found)) = carrier_in(catalog, receiver, known.site, 0) {
            known.without_key = carrier.without_key;
            let none = known.key.atoms().all(|atom| atom.kind == Kind::Absent);
            if let (Some(found), true) = (found, none) {
                known.key = found.value;
                known.position = Some(found.position);
            }
        }
    }
    attached(receiver, 0)
}

/// A retry that is attached to a client.
fn attached(value: &Value, depth: usize) -> Option<Span> {
    if depth > MAX_SEARCH {
        return None;
    }
    value.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => builder
            .steps
            .iter()
            .find_map(|step| {
                step.attaches.map(|_| step.span).or_else(|| step.args.iter().find_map(|arg| attached(arg, depth + 1)))
            })
            .or_else(|| attached(&builder.root, depth + 1)),
        Shape::Record(record) => record.fields.values().find_map(|field| attached(field, depth + 1)),
        _ => None,
    })
}
