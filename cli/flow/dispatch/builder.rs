//! Fluent builders: where one starts a dispatch, and where it is sent, returned or finished as a client.

use super::super::call::{Site, build_step};
use super::super::eval::Eval;
use super::super::limits;
use super::super::replies::with_reply;
use super::super::sources::Sources;
use super::super::value::{Alt, BuildStep, Builder, Shape, Value};
use super::key::in_step;
use super::*;
use crate::ir::{ExprId, ExprKind};
use crate::source::Span;
use std::sync::Arc;

/// How a row says that a request is sent by being waited for.
const WAITED: &str = "await";

/// A method that ends a fluent builder which a row of the catalog started.
pub(crate) fn sent(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Vec<Span>, bool)> {
    // What goes into a channel of the process is sent to nobody.
    if site.rows.channel.is_some() {
        return None;
    }
    let catalog = eval.engine.catalog;
    let candidates = site.receiver.iter().map(|(_, value)| value).chain(site.args.first());
    let sends = |alt: &Alt| match &alt.shape {
        Shape::Builder(builder) => started(builder).is_some_and(|(_, row)| {
            let sends = &catalog.dispatches[row as usize].sends;
            // What was sent before is an answer.
            let is_sent = builder.steps.iter().any(|step| sends.iter().any(|name| name == step.name.as_str()));
            !is_sent && sends.iter().any(|name| name == site.name.as_str())
        }),
        _ => false,
    };
    let Some(value) = candidates.into_iter().find(|value| value.alts.iter().any(sends)).cloned() else {
        return lent::sent(eval, site).map(|(place, bare)| (vec![place], bare));
    };
    let on_chain = site.receiver.as_ref().is_some_and(|(_, receiver)| receiver.alts.iter().any(sends));
    let sending =
        value.filter_map(|alt| sends(alt).then(|| if on_chain { ending(eval, site, alt) } else { alt.clone() }));
    // A request that is put together apart is sent through whatever it is handed to.
    let client = if on_chain { None } else { site.receiver.as_ref().map(|(_, client)| client.clone()) };
    from_builders(eval, &sending, client.as_ref());
    // Whichever of several requests it is, the answer is its answer.
    let (mut places, mut bare) = (Vec::new(), false);
    for alt in sending.alts.iter() {
        let Shape::Builder(builder) = &alt.shape else {
            continue;
        };
        let Some((step, row)) = started(builder) else {
            continue;
        };
        let place = acting(eval, step.span);
        bare |= is_bare(&catalog.dispatches[row as usize]);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    (!places.is_empty()).then_some((places, bare))
}

/// A request that is sent by being waited for: `bot.send_message(chat, text).await`. What it gives is its answer.
pub(crate) fn awaited(eval: &mut Eval<'_, '_>, inner: ExprId, value: &Value) -> Option<Value> {
    let catalog = eval.engine.catalog;
    let row = |alt: &Alt| match &alt.shape {
        Shape::Builder(builder) if is_unsent(catalog, alt) => started(builder).map(|(step, row)| (step.span, row)),
        _ => None,
    };
    let sends = |alt: &Alt| {
        row(alt).filter(|&(_, row)| catalog.dispatches[row as usize].sends.iter().any(|name| name == WAITED))
    };
    let sending = value.filter_map(|alt| sends(alt).map(|_| alt.clone()));
    if sending.is_bottom() {
        return None;
    }
    let before = eval.calling.replace(inner);
    from_builders(eval, &sending, None);
    let mut places: Vec<(Span, bool)> = Vec::new();
    for (start, row) in sending.alts.iter().filter_map(sends) {
        let place = (acting(eval, start), is_bare(&catalog.dispatches[row as usize]));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    eval.calling = before;
    // What was waited for is an answer, and is not sent again where a part of it is.
    let step = BuildStep::plain(Name::new(WAITED), Vec::new(), eval.span_of(inner));
    let answer = value.filter_map(|alt| match &alt.shape {
        Shape::Builder(builder) if sends(alt).is_some() => {
            Some(Alt { atoms: alt.atoms.clone(), shape: builder.followed_by(step.clone()) })
        }
        _ => Some(alt.clone()),
    });
    Some(places.into_iter().fold(answer, |answer, (at, bare)| with_reply(eval, &answer, at, bare)))
}

/// A chain with the call that sends it, where that is handed what it sends.
pub(super) fn ending(eval: &Eval<'_, '_>, site: &Site<'_>, alt: &Alt) -> Alt {
    match &alt.shape {
        Shape::Builder(builder) if !site.args.is_empty() => {
            let step = BuildStep { starts: None, ..build_step(eval, site, None) };
            Alt { atoms: alt.atoms.clone(), shape: builder.followed_by(step) }
        }
        _ => alt.clone(),
    }
}

/// A chain that ends in a request which only reads: a key header in it goes there and nowhere else.
pub(crate) fn read(eval: &mut Eval<'_, '_>, request: &Value, span: Span) {
    let builders = request.alts.iter().filter_map(|alt| match &alt.shape {
        Shape::Builder(builder) => Some(builder),
        _ => None,
    });
    let found: Vec<Found> = builders
        .filter_map(|builder| builder.steps.iter().find_map(|step| in_step(step, &|text| is_key_header(eval, text), 0)))
        .collect();
    for Found { value, position } in found {
        reading(eval, value, Some(position), span);
    }
}

/// A request that only reads, with the key that goes along.
pub(super) fn reading(eval: &mut Eval<'_, '_>, key: Value, position: Option<Span>, span: Span) {
    let new = new_use(eval, span, "", Recognition::Reading).filter(|_| position.is_some());
    if let Some(mut new) = new {
        new.harmless = true;
        new.key = key;
        new.position = position;
        finish(eval, new);
    }
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
            if let Some(position) = fixed_header(eval, step) {
                // It is the client's, and not that of one request that is not in sight.
                eval.uses.retain(|_, known| {
                    known.recognition != Recognition::FreeStanding || known.position != Some(position)
                });
                eval.shared.push(super::super::SharedKey {
                    site: position,
                    other: step.span,
                    function,
                    how: super::super::Sharing::Client,
                    path: Vec::new(),
                    confidence: crate::findings::Confidence::Likely,
                });
            }
            let fixed = step.args.iter().any(|arg| carriers::fixes_key(catalog, arg));
            if fixed {
                eval.shared.push(super::super::SharedKey {
                    site: step.span,
                    other: step.arg_spans.first().copied().unwrap_or(step.span),
                    function,
                    how: super::super::Sharing::Client,
                    path: Vec::new(),
                    confidence: crate::findings::Confidence::Likely,
                });
            }
        }
    }
}

/// A key header among those that a client is given for everything it sends, where the client outlives the function: one
/// that is made for a request, and used right there, is no shared one.
fn fixed_header(eval: &Eval<'_, '_>, step: &BuildStep) -> Option<Span> {
    let words = &eval.engine.catalog.words;
    if !words.client_header_calls.iter().any(|name| name == step.name.as_str()) {
        return None;
    }
    let sends = eval.body.exprs.iter().any(
        |expr| matches!(&expr.kind, ExprKind::MethodCall(call) if matches!(call.name.as_str(), "send" | "execute")),
    );
    let found = in_step(step, &|text| is_key_header(eval, text), 0).filter(|_| !sends)?;
    // One that is made anew for what each caller hands over is shared only if a caller sends twice through it.
    let handed = found.value.atoms().any(|atom| matches!(atom.kind, Kind::Param(..)));
    let called = || eval.function.is_some_and(|function| !eval.engine.callers(function).is_empty());
    (!handed || !called()).then_some(found.position)
}

/// Whether something is a request that was put together and not sent.
pub(crate) fn is_unsent(catalog: &Catalog, alt: &Alt) -> bool {
    let Shape::Builder(builder) = &alt.shape else {
        return false;
    };
    started(builder).is_some_and(|(_, row)| {
        let sends = &catalog.dispatches[row as usize].sends;
        !builder.steps.iter().any(|step| sends.iter().any(|name| name == step.name.as_str()))
    })
}

/// What a function returns without sending it: a request that its caller sends, or that nobody here does.
pub(crate) fn returned(eval: &mut Eval<'_, '_>, value: &Value) {
    let Some(function) = eval.function else {
        return;
    };
    if !eval.engine.callers(function).is_empty() && !super::super::handlers::is_handler(eval.engine, function) {
        return;
    }
    let catalog = eval.engine.catalog;
    let open = value.filter_map(|alt| is_unsent(catalog, alt).then(|| alt.clone()));
    if !open.is_bottom() {
        from_builders(eval, &open, None);
    }
}

/// Where a dispatch acts: at the step that starts it, or, if another function or a closure did that, at the call that sends it.
pub(super) fn acting(eval: &Eval<'_, '_>, start: Span) -> Span {
    let own = eval.span_of(eval.body.root).covers(start);
    match eval.calling {
        Some(call) if !own || is_made_by_closure(eval, start, call) => eval.name_span(call),
        _ => start,
    }
}

/// Expressions of a body among which closures are looked for: each dispatch asks.
const MAX_BODY: usize = 5_000;

/// Whether a closure of this body started what a call outside of it sends: each call of the closure starts another.
fn is_made_by_closure(eval: &Eval<'_, '_>, start: Span, call: ExprId) -> bool {
    let at = eval.body.expr(call).range;
    let few = eval.body.exprs.len() <= MAX_BODY;
    few && eval.body.exprs.iter().any(|expr| {
        matches!(expr.kind, ExprKind::Closure(_)) && expr.range.covers(start.range) && !expr.range.covers(at)
    })
}

/// Whether a call stands on a chain that a row of the catalog has started.
pub(crate) fn is_started(site: &Site<'_>) -> bool {
    let receiver = site.receiver.iter().flat_map(|(_, value)| value.alts.iter());
    receiver.into_iter().any(|alt| match &alt.shape {
        Shape::Builder(builder) => started(builder).is_some(),
        _ => false,
    })
}

/// The step that starts a dispatch, and its row.
pub(super) fn started(builder: &Builder) -> Option<(&BuildStep, u32)> {
    let own = builder.steps.iter().rev().find_map(|step| Some((step, step.starts?)));
    own.or_else(|| {
        builder.root.alts.iter().find_map(|alt| match &alt.shape {
            Shape::Builder(inner) => started(inner),
            _ => None,
        })
    })
}

/// What a dispatch is started on: the root of the chain, and what was called on it to make a client of it.
fn before_start(builder: &Builder) -> Value {
    match builder.steps.iter().rposition(|step| step.starts.is_some()) {
        None | Some(0) => builder.root.clone(),
        Some(start) => {
            let atoms = builder.root.alts.first().map(|alt| alt.atoms.clone()).unwrap_or_default();
            let made = Builder { root: builder.root.clone(), steps: builder.steps[..start].to_vec() };
            Value::alt(Alt { atoms, shape: Shape::Builder(Arc::new(made)) })
        }
    }
}

/// All steps of a chain, the root's first.
pub(super) fn steps_of(builder: &Builder, depth: usize) -> Vec<&BuildStep> {
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
pub(super) fn from_builders(eval: &mut Eval<'_, '_>, value: &Value, client: Option<&Value>) {
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
        let mut filled = true;
        let mut carried = Vec::new();
        for alt in alts.iter() {
            let Shape::Builder(builder) = &alt.shape else {
                continue;
            };
            let Some((step, _)) = started(builder) else {
                continue;
            };
            let steps = steps_of(builder, 0);
            let found = key_of(eval, row, step, &steps, &builder.root);
            filled &= carried::is_filled(eval, &steps);
            if found.is_none() {
                let unknown: Vec<_> = steps.iter().filter(|step| sets_unknown_header(step)).collect();
                elsewhere |= !unknown.is_empty();
                carried.extend(unknown.iter().map(|step| carried::of_object(eval, step)));
            }
            let key = match &found {
                Some(found) => found.value.clone(),
                // Where another call sends what was started, that is where the key is missing.
                None => absent(eval, eval.calling.map_or(span, |call| eval.name_span(call))),
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
        let (Some((key, position)), Some(sent)) = (joined, alts.first().map(|&alt| Value::alt(alt.clone()))) else {
            continue;
        };
        let Some(Shape::Builder(builder)) = sent.alts.first().map(|alt| &alt.shape) else {
            continue;
        };
        let Some((step, _)) = started(builder) else {
            continue;
        };
        let steps = steps_of(builder, 0);
        let method = row.method_by.as_ref().and_then(|name| {
            let by = steps.iter().rev().find(|step| step.name.as_str() == name)?;
            by.args.first().cloned()
        });
        let site = acting(eval, span);
        if site == span {
            eval.started_in(site);
        }
        let bodies = if position.is_none() && !elsewhere { carried::bodies(eval, row, &steps) } else { Vec::new() };
        let asks = steps.iter().flat_map(|step| &step.args).any(carried::is_question);
        let procedure = steps.iter().flat_map(|step| &step.args).find_map(carried::procedure).unwrap_or_default();
        let lasts = limits::set_on(&sent).map(Sources::of).unwrap_or_default();
        // All of them have to be seen.
        let carried: Option<Vec<Value>> = carried.into_iter().collect();
        let carried = carried.unwrap_or_default();
        let given = Given { key, position, carried, bodies, filled, asks, procedure, lasts };
        // What a request was begun with need not be what it goes through.
        let client = match (client, builder.root.is_bottom() || builder.root.atoms().next().is_none()) {
            (Some(client), true) => client.clone(),
            (Some(client), false) => before_start(builder).join(client),
            (None, _) => before_start(builder),
        };
        record_use(eval, row, step, given, &client, site, method);
    }
    mark_siblings(eval, &before);
}

/// Calls that were found together, some with a key and some without: those without are likely forgotten.
pub(super) fn mark_siblings(eval: &mut Eval<'_, '_>, before: &[super::super::uses::UseKey]) {
    // both are in the order of the keys
    let new: Vec<_> = eval.uses.keys().filter(|key| before.binary_search(key).is_err()).cloned().collect();
    let keyed = new.iter().any(|key| eval.uses.get(key).is_some_and(|known| !known.is_keyless()));
    if keyed {
        for key in &new {
            if let Some(known) = eval.uses.get_mut(key) {
                known.sibling_keyed |= known.is_keyless();
            }
        }
    }
}
