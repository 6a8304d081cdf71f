//! Where the key of a dispatch stands: headers, fields, methods, carriers.

use super::super::eval::Eval;
use super::super::uses::Use;
use super::super::value::{Alt, Atom, BuildStep, Entered, Kind, Record, Shape, Trail, Value};
use super::super::words::normal;
use super::carriers;
use crate::catalog::{Catalog, Dispatch, KeyPosition};
use crate::ir::{Body, ExprKind, Literal, Name};
use crate::source::Span;

/// How deep a key is searched for in what is handed to a dispatch: options in a request in a builder.
pub(super) const MAX_SEARCH: usize = 4;

/// Note of the place where a caller gives no key.
pub(crate) const WITHHELD: &str = "no key is given here";

/// A key and where it enters.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) value: Value,
    pub(super) position: Span,
}

impl Found {
    /// A key that is this one on one way, and the other on another.
    pub(super) fn or(self, other: Found) -> Found {
        Found { value: self.value.join(&other.value), ..self }
    }
}

/// The key of a dispatch, from the first of its positions that holds one.
pub(super) fn key_of(
    eval: &Eval<'_, '_>,
    row: &Dispatch,
    start: &BuildStep,
    steps: &[&BuildStep],
    receiver: &Value,
) -> Option<Found> {
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
                .find(|step| is_setter(step.name.as_str(), name))
                .and_then(|step| Some(Found { value: step.args.first()?.clone(), position: *step.arg_spans.first()? }))
                .or_else(|| {
                    // Entries of a batch are put together by themselves, and handed over one by one or as a list.
                    let handed = steps.iter().rev().flat_map(|step| &step.args);
                    start.args.iter().chain(handed).find_map(|value| set_in(&eval.elements(value), name))
                }),
            KeyPosition::Field(name) => start
                .args
                .iter()
                .zip(&start.arg_spans)
                .find_map(|(value, &span)| field_in(value, &|field| field == name, span, 0)),
            KeyPosition::Carrier(_) => {
                let catalog = eval.engine.catalog;
                let mut clients = start.args.iter().chain([receiver]);
                let mut set = steps.iter().flat_map(|step| &step.args);
                let by_client = clients.find_map(|value| carriers::key_of_client(catalog, value));
                by_client.or_else(|| set.find_map(|value| carriers::key_of_strategy(catalog, value)))
            }
            KeyPosition::Body(_) => steps
                .iter()
                .flat_map(|step| step.args.iter().zip(&step.arg_spans))
                .find_map(|(value, &span)| body_key(eval, position, value, span)),
            KeyPosition::Itself(number) => {
                start.arg_spans.get(*number as usize).map(|&position| Found { value: same_again(position), position })
            }
            KeyPosition::None => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What is the same thing however often it is sent: it is known again by itself.
pub(super) fn same_again(span: Span) -> Value {
    Value::atom(Atom::new(Kind::Durable, Entered::Elsewhere, Trail::start(span, "known again by itself")))
}

/// Whether a method sets what is called so.
fn is_setter(method: &str, name: &str) -> bool {
    method == name || method.strip_prefix("set_") == Some(name)
}

/// The key that a method has set on what is handed over: a message that is put together before it is sent.
pub(super) fn set_in(value: &Value, name: &str) -> Option<Found> {
    let built = value.filter_map(|alt| matches!(alt.shape, Shape::Builder(_)).then(|| alt.clone()));
    let span = built.atoms().find_map(|atom| atom.trail.origin())?;
    field_in(&built, &|method| is_setter(method, name), span, 0)
}

/// The key in a body, where the position is a field of it.
pub(super) fn body_key(eval: &Eval<'_, '_>, position: &KeyPosition, body: &Value, span: Span) -> Option<Found> {
    let KeyPosition::Body(path) = position else {
        return None;
    };
    let last = path.rsplit('.').next().unwrap_or(path);
    let is_key = |field: &str| match last {
        "*" => is_key_name(eval, field),
        last => field == last,
    };
    field_in(body, &is_key, span, 0)
}

/// Whether a call sets a header whose name is not known, or headers that were made elsewhere: the key may be among them.
pub(super) fn sets_unknown_header(step: &BuildStep) -> bool {
    if step.foreign {
        return true;
    }
    let name = step.name.as_str();
    match step.args.as_slice() {
        [] => name == "headers_mut",
        [name_of, _] => (name.contains("header") || matches!(name, "insert" | "append")) && name_of.text().is_none(),
        [all] => {
            (name.contains("headers") || name == "extend")
                && !all.alts.iter().all(|alt| matches!(alt.shape, Shape::Builder(_) | Shape::Record(_)))
        }
        _ => false,
    }
}

/// A header in a call such as `header(name, value)`, `insert(name, value)`, `headers(map)`.
pub(super) fn in_step(step: &BuildStep, is_key: &dyn Fn(&str) -> bool, depth: usize) -> Option<Found> {
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

pub(super) fn in_value(value: &Value, is_key: &dyn Fn(&str) -> bool, depth: usize) -> Option<Found> {
    if depth > MAX_SEARCH {
        return None;
    }
    on_each_way(value, |alt| match &alt.shape {
        Shape::Builder(builder) => builder
            .steps
            .iter()
            .rev()
            .find_map(|step| in_step(step, is_key, depth + 1))
            .or_else(|| in_value(&builder.root, is_key, depth + 1)),
        Shape::Record(record) => named_by_pair(record, is_key).or_else(|| {
            record.fields.iter().find_map(|(name, field)| {
                if is_key(name.as_str()) {
                    let position = record.places.get(name).copied()?;
                    return Some(Found { value: field.clone(), position });
                }
                in_value(field, is_key, depth + 1)
            })
        }),
        _ => None,
    })
}

/// What is found on any of the ways to a value: on one there may be a key, and on another what stands for none. What was
/// begun at one place, and is given a key on one way only, goes without on the others.
fn on_each_way(value: &Value, find: impl FnMut(&Alt) -> Option<Found>) -> Option<Found> {
    let each: Vec<Option<Found>> = value.alts.iter().map(find).collect();
    let ways = || value.alts.iter().zip(&each);
    let keyed: Vec<Span> = ways().filter(|(_, found)| found.is_some()).filter_map(|(alt, _)| begun(alt)).collect();
    let lacks = |alt: &Alt| begun(alt).filter(|at| keyed.contains(at));
    let keyless = ways().filter(|(_, found)| found.is_none()).find_map(|(alt, _)| lacks(alt));
    let found = each.iter().flatten().cloned().reduce(Found::or)?;
    let Some(at) = keyless else {
        return Some(found);
    };
    let absent = Atom::new(Kind::Absent, Entered::Elsewhere, Trail::start(at, "no key is put in here on some path"));
    Some(Found { value: found.value.join(&Value::atom(absent)), ..found })
}

/// Where something was begun that is put together in sight, all of whose parts are known.
pub(super) fn begun(alt: &Alt) -> Option<Span> {
    let Shape::Builder(builder) = &alt.shape else {
        return None;
    };
    let whole = builder.root.atoms().next().is_none() && !builder.steps.iter().any(sets_unknown_header);
    builder.steps.first().filter(|_| whole).map(|step| step.span)
}

/// The value of a pair whose name is a key's: an entry of a map or form that is written as a list.
fn named_by_pair(record: &Record, is_key: &dyn Fn(&str) -> bool) -> Option<Found> {
    let (name, value) = (record.fields.get(&Name::new("0"))?, record.fields.get(&Name::new("1"))?);
    let place = record.places.get(&Name::new("1")).copied();
    let position = place.or_else(|| value.atoms().find_map(|atom| atom.trail.origin()));
    let found = name.text().is_some_and(is_key).then_some(position)?;
    found.map(|position| Found { value: value.clone(), position })
}

pub(super) fn field_in(value: &Value, is_key: &dyn Fn(&str) -> bool, span: Span, depth: usize) -> Option<Found> {
    if depth > MAX_SEARCH {
        return None;
    }
    let within = |value: &Value, span: Span| field_in(value, is_key, span, depth + 1);
    on_each_way(value, |alt| match &alt.shape {
        Shape::Record(record) => named_by_pair(record, is_key)
            .or_else(|| {
                let (name, value) = record.fields.iter().find(|(name, _)| is_key(name.as_str()))?;
                Some(Found { value: value.clone(), position: record.places.get(name).copied().unwrap_or(span) })
            })
            .or_else(|| record.fields.values().chain(&record.rest).find_map(|inner| within(inner, span))),
        Shape::Builder(builder) => builder
            .steps
            .iter()
            .rev()
            .find_map(|step| match (step.args.as_slice(), step.arg_spans.as_slice()) {
                ([value], &[position]) if is_key(step.name.as_str()) => Some(Found { value: value.clone(), position }),
                // an entry of a map
                ([name, value], &[_, position]) if name.text().is_some_and(is_key) => {
                    Some(Found { value: value.clone(), position })
                }
                _ => None,
            })
            .or_else(|| {
                let mut inner = builder.steps.iter().flat_map(|step| step.args.iter().zip(&step.arg_spans));
                inner.find_map(|(value, &span)| within(value, span))
            })
            .or_else(|| within(&builder.root, span)),
        _ => None,
    })
}

pub(super) fn is_key_header(eval: &Eval<'_, '_>, text: &str) -> bool {
    let words = &eval.engine.catalog.words;
    let known = || words.key_headers.iter().any(|header| header.eq_ignore_ascii_case(text));
    let at = |(path, header): &(String, String)| header.eq_ignore_ascii_case(text) && writes(eval.body, path);
    known() || words.path_headers.iter().any(at)
}

/// Whether a text of a body holds a part.
fn writes(body: &Body, part: &str) -> bool {
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Literal(Literal::Str(text)) => text.contains(part),
        ExprKind::Format(call) => call.template.as_deref().is_some_and(|text| text.contains(part)),
        _ => false,
    })
}

pub(crate) fn is_key_name(eval: &Eval<'_, '_>, name: &str) -> bool {
    let known = |name: &str| eval.engine.catalog.words.key_names.iter().any(|known| known == name);
    known(name) || name.contains(char::is_uppercase) && known(&normal(name))
}

/// Whether the key of a dispatch may stand on its client.
pub(crate) fn is_carried(catalog: &Catalog, known: &Use) -> bool {
    let row = known.row.map(|row| &catalog.dispatches[row as usize]);
    row.is_some_and(|row| row.keys.iter().any(|key| matches!(key, KeyPosition::Carrier(_))))
}

/// What the client of a use turns out to be once it is known where it comes from: the key it carries, what it does
/// without one, and the middleware that repeats what is sent through it.
pub(crate) fn client_facts(catalog: &Catalog, known: &mut Use, receiver: &Value) -> Option<Span> {
    if is_carried(catalog, known) {
        if let Some(without_key) = carriers::without_key(catalog, receiver) {
            known.without_key = without_key;
            let none = known.key.atoms().all(|atom| atom.kind.is_absent());
            if let (Some(found), true) = (carriers::key_of_client(catalog, receiver), none) {
                known.key = found.value;
                known.position = Some(found.position);
            }
        }
    }
    attached(receiver, 0)
}

/// A retry that is attached to a client.
pub(super) fn attached(value: &Value, depth: usize) -> Option<Span> {
    if depth > MAX_SEARCH {
        return None;
    }
    value.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => builder
            .steps
            .iter()
            .find_map(|step| {
                step.attaches.then_some(step.span).or_else(|| step.args.iter().find_map(|arg| attached(arg, depth + 1)))
            })
            .or_else(|| attached(&builder.root, depth + 1)),
        Shape::Record(record) => record.fields.values().find_map(|field| attached(field, depth + 1)),
        _ => None,
    })
}
