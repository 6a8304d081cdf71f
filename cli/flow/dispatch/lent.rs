//! Requests that a function is handed and sends: whoever put one together acts where it calls that function.
//!
//! Where it is sent nobody knows what is asked, and of whom. Its answer goes by the place of the parameter (see
//! [`super::super::handed`]) until a caller hands over a request that it started, or a closure that starts one.

use std::sync::Arc;

use super::super::RepeatScope;
use super::super::call::{Site, run_callable};
use super::super::eval::{Eval, Region};
use super::super::events::Role;
use super::super::handed;
use super::super::value::{Alt, CallContext, Kind, Shape, Value};
use super::builder::{acting, ending, from_builders, started};
use crate::catalog::Words;
use crate::ir::{ExprId, Name};
use crate::resolve::Ty;
use crate::source::Span;

/// Requests of its callers that one function sends, at most.
const MAX_SENT: usize = 16;
/// Builders in builders that are looked through for the parameter.
const MAX_ROOTS: usize = 8;

/// A request that a function is handed, where it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// the parameter, with what the function adds to it
    request: Value,
    param: u32,
    /// what it is handed to
    client: Value,
    /// the method that sends it
    method: Name,
    /// the scope that sends it again
    pub(crate) repeat: Option<Arc<RepeatScope>>,
    /// what stands for its answer
    pub(crate) place: Span,
}

/// A call that sends what the function was handed; its answer.
pub(super) fn sent(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Span, bool)> {
    let info = eval.engine.program.function(eval.function?);
    let words = &eval.engine.catalog.words;
    let sends = words.sending_calls.iter().any(|name| name == site.name.as_str());
    // A layer hands on what somebody else has asked for.
    let is_layer = |path: Name| words.service_types.iter().any(|name| name == path.as_str());
    if !sends || info.trait_path.is_some_and(is_layer) {
        return None;
    }
    let argument = site.arg_ids.first().copied().zip(site.args.first());
    let given = site.receiver.iter().map(|(id, value)| (*id, value)).chain(argument);
    let lent = |(id, value): (ExprId, &Value)| {
        let param = param_of(value, 0)?;
        let ty = info.params.get(param as usize)?;
        (is_request(words, eval.ty(id)) || is_request(words, ty)).then(|| (param, value.clone()))
    };
    let (param, request) = given.into_iter().find_map(lent)?;
    let client = site.receiver.as_ref().map(|(_, client)| client).filter(|client| param_of(client, 0) != Some(param));
    let client = client.cloned().unwrap_or_default();
    let place = handed::place(info, param as usize);
    let repeat = eval.repeating();
    // A chain with the call that sends it, where that is handed what it sends.
    let request = request.filter_map(|alt| Some(ending(eval, site, alt)));
    note(eval, Sent { request, param, client, method: site.name, repeat, place });
    eval.state.doubt(place);
    eval.acted(place, true);
    Some((place, true))
}

fn note(eval: &mut Eval<'_, '_>, new: Sent) {
    let at = |sent: &Sent| (sent.param, sent.repeat.as_ref().map(|scope| scope.site));
    if eval.sent.len() < MAX_SENT && !eval.sent.iter().any(|known| at(known) == at(&new)) {
        eval.sent.push(new);
    }
}

/// Records the dispatches that a caller makes by handing over requests; what stands for each of their answers, and the
/// dispatches.
pub(crate) fn settle(
    eval: &mut Eval<'_, '_>,
    site: &Site<'_>,
    all: &[Sent],
    args: &[Value],
    context: &CallContext,
) -> Vec<(Span, Vec<Span>)> {
    let mut answers = Vec::new();
    for sent in all {
        let Some(arg) = args.get(sent.param as usize) else {
            continue;
        };
        let closure = arg.alts.iter().find_map(|alt| match alt.shape {
            Shape::Closure(closure) => Some(closure.at),
            _ => None,
        });
        // What a closure starts is started anew by each call of it.
        let request = match closure {
            Some(_) => run_callable(eval, site, arg, &[], sent.repeat.clone()),
            None => sent.request.substitute(context),
        };
        let client = sent.client.substitute(context);
        let is_own = |alt: &Alt| match &alt.shape {
            Shape::Builder(builder) => started(builder)
                .filter(|(_, row)| {
                    let sends = &eval.engine.catalog.dispatches[*row as usize].sends;
                    sends.iter().any(|name| name == sent.method.as_str())
                })
                .map(|(step, row)| (step.span, row)),
            _ => None,
        };
        let rows: Vec<(Span, u32)> = request.alts.iter().filter_map(is_own).collect();
        let requests = request.filter_map(|alt| is_own(alt).map(|_| alt.clone()));
        if let (true, Some(param)) = (requests.is_bottom(), param_of(&request, 0)) {
            let repeat = sent.repeat.clone().or_else(|| eval.repeating());
            if let Some(function) = eval.function {
                let place = handed::place(eval.engine.program.function(function), param as usize);
                note(eval, Sent { request, param, client, method: sent.method, repeat, place });
                answers.push((sent.place, vec![place]));
            }
            continue;
        }
        if let Some(scope) = &sent.repeat {
            let id = closure.unwrap_or(site.id);
            eval.push_region(Region { id, repeat: Some(scope.clone()), role: Role::Retry });
        }
        from_builders(eval, &requests, Some(&client).filter(|client| !client.is_bottom()));
        if sent.repeat.is_some() {
            eval.pop_region();
        }
        let sites = rows.iter().map(|&(start, _)| acting(eval, start)).collect();
        answers.push((sent.place, sites));
    }
    answers
}

/// The parameter that a value is, with whatever calls on it.
fn param_of(value: &Value, depth: usize) -> Option<u32> {
    if depth > MAX_ROOTS {
        return None;
    }
    value.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => param_of(&builder.root, depth + 1),
        Shape::Plain => alt.atoms.iter().find_map(|atom| match &atom.kind {
            Kind::Param(at, path) if path.is_empty() => Some(*at),
            _ => None,
        }),
        _ => None,
    })
}

fn is_request(words: &Words, ty: &Ty) -> bool {
    ty.is_one_of(&words.sent_types)
}
