//! Dispatches that only names show: a key position, a verb, a receiver, where following ends.

use super::super::Recognition;
use super::super::call::Site;
use super::super::eval::Eval;
use super::super::events::EventKind;
use super::super::outcome::{self, Left, Outcomes};
use super::super::scope::{acts, asks, client_acts, has_word};
use super::super::sources::Sources;
use super::super::value::{Later, Shape, made};
use super::super::words::{normal, participles};
use super::super::{interfaces, walk};
use super::key::same_again;
use super::*;
use crate::ir::{BlockKind, Body, ExprId, ExprKind, Literal, Name};
use crate::resolve::{Callee, Ty, behind};
use crate::source::Span;
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// A key that names show, on a call of which nothing else is known.
pub(super) fn by_name(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Found> {
    let is_key = |name: &str| is_key_name(eval, name);
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
    if let Some((first, next)) = one_after_the_other(body, inner) {
        let first = presumed(eval, first);
        return presumed(eval, next).or(first);
    }
    stored(eval, inner);
    // A call whose future waits in a local.
    let inner = walk::stands_for(body, inner);
    let mut chain = Vec::new();
    let mut at = inner;
    let mut root_type: Option<&Ty> = None;
    loop {
        match &body.expr(at).kind {
            // What a function of the workspace hands out is asked as if it stood in a local: `self.client().refund(order)`.
            ExprKind::MethodCall(_) if !chain.is_empty() && hands_out_client(eval, at) => break,
            ExprKind::MethodCall(call) => {
                chain.push((at, call.name));
                root_type = Some(behind(eval.ty(call.receiver)));
                at = call.receiver;
            }
            ExprKind::Await(next) | ExprKind::Try(next) if chain.is_empty() => at = *next,
            _ => break,
        }
    }
    let &(first, _) = chain.first()?;
    // What is followed, or known, is not presumed.
    let unknown = chain.iter().all(|(id, _)| match eval.types.callee(*id) {
        Some(Callee::UnknownMethod(_) | Callee::Unresolved(_)) | None => true,
        Some(Callee::ExternalMethod { receiver, .. }) => {
            interfaces::is_absent(*receiver) || interfaces::is_foreign(eval.engine.matcher, *receiver)
        }
        Some(Callee::Functions(ids)) => interfaces::is_unseen(eval.engine.program, ids),
        _ => false,
    });
    if !unknown {
        return None;
    }
    let whole = eval.span_of(inner);
    let within = |site: Span| whole.covers(site);
    let covered = eval.uses.values().any(|known| known.recognition != Recognition::FreeStanding && within(known.site));
    // An operation of a store, or a lookup, is what the catalog says that it is.
    let operates =
        eval.events.iter().any(|event| event.kind.is_operation() && event.via.is_empty() && within(event.span));
    if covered || operates {
        return None;
    }
    let words = &eval.engine.catalog.words;
    // The first call of a chain is the last that was met.
    let reads = |name: &Name| words.reading_calls.iter().any(|call| call == name.as_str());
    if chain.len() > 1 && chain.last().is_some_and(|(_, name)| reads(name)) {
        return None;
    }
    let receiver = receiver_name(eval, at, root_type);
    let client = receiver.as_deref().is_some_and(|name| names_client(words, name));
    let of_crate = chain.iter().any(|(id, _)| match eval.types.callee(*id) {
        Some(Callee::ExternalMethod { receiver, .. }) => !interfaces::is_absent(*receiver),
        _ => false,
    });
    // It searches the whole body: only where the rest leaves it open.
    let followed_up = LazyCell::new(|| is_followed_up(eval, inner));
    let verb = chain
        .iter()
        .find(|(_, name)| match client {
            _ if of_crate && !*followed_up => interfaces::is_plain(words, *name),
            true => client_acts(words, name.as_str()),
            false => acts(words, name.as_str()),
        })
        .map(|(_, name)| *name);
    // It searches the body: only for what its name leaves open.
    let noted = verb.is_none() && !of_crate && is_noted(eval, inner, chain.last().map(|(_, name)| *name));
    let ordered =
        || chain.last().is_some_and(|&(call, name)| !of_crate && is_ordered(eval, call, name, receiver.as_deref()));
    let by_use = noted || verb.is_none() && ordered();
    let verb = verb.or_else(|| chain.last().map(|(_, name)| *name).filter(|_| by_use));
    // What may as well be a part of the application is outside where what it is called for leaves no doubt.
    let outside = |name: &str| verb.is_some_and(|verb| interfaces::acts_for(words, name, verb.as_str()));
    let client = client
        || interface(eval, root_type).is_some_and(outside)
        || chain.iter().any(|(id, _)| declared_by(eval, *id).is_some_and(outside));
    // A chain takes one transaction of a sender under one number.
    let numbers = |name: &str| *followed_up && words.transaction_numbers.iter().any(|word| word == name);
    let found = chain.iter().find_map(|&(id, name)| {
        let ExprKind::MethodCall(call) = &body.expr(id).kind else {
            return None;
        };
        let is_key = |name: &str| is_key_name(eval, name) || numbers(name);
        if is_key(name.as_str()) {
            let arg = *call.args.first()?;
            return Some(Found { value: eval.quiet(arg), position: eval.span_of(arg) });
        }
        // `.header("Idempotency-Key", key)`
        if let &[header, arg] = &call.args[..] {
            if eval.quiet_text(header).is_some_and(|text| is_key_header(eval, text)) {
                return Some(Found { value: eval.quiet(arg), position: eval.span_of(arg) });
            }
        }
        call.args.iter().enumerate().find_map(|(at, &arg)| {
            let value = eval.quiet(arg);
            let span = eval.span_of(arg);
            if parameter(eval, id, at).is_some_and(|name| is_key(name.as_str())) {
                return Some(Found { value, position: span });
            }
            let in_header = || in_value(&value, &|text| is_key_header(eval, text), 0);
            if let Some(found) = field_in(&value, &is_key, span, 0).or_else(in_header) {
                return Some(found);
            }
            // Nobody derives an id from what is asked for, or stores one that is put together, but to know it again.
            if client && verb.is_some() && (is_derived(eval, &value) || is_recorded(eval, &value)) {
                return Some(Found { value, position: span });
            }
            let local = eval.local_name(arg)?;
            let named = has_word(local.as_str(), "key") && (verb.is_some() || value.atoms().any(is_key_input));
            (is_key(local.as_str()) || named).then_some(Found { value, position: span })
        })
    });
    // A key that the caller sent is handed on as one: that is two signs.
    let handed_on = found.as_ref().is_some_and(|found| found.value.atoms().any(is_key_input));
    let answered = noted || verb.is_some() && (*followed_up || is_told_apart(eval, inner));
    let signs = [verb.is_some(), client, found.is_some(), handed_on, answered];
    let score = signs.into_iter().map(u8::from).sum();
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
    // What was signed before is the same transaction each time.
    let same = words.signed_names.iter().any(|word| has_word(name.as_str(), word));
    match found {
        _ if same => {
            new.position = Some(site);
            new.key = same_again(site);
        }
        Some(found) => {
            new.position = Some(found.position);
            new.key = found.value;
        }
        None => new.key = absent(eval, site),
    }
    // Of one function for all that is asked for, where it is asked says what.
    let first_args = match &body.expr(first).kind {
        ExprKind::MethodCall(call) => &call.args[..],
        _ => &[],
    };
    let path = first_args.iter().take(2).find_map(|&arg| eval.quiet_text(arg).filter(|text| text.starts_with('/')));
    let name = eval.constant(Some(name.as_str()));
    new.operation = Later::new(match path {
        Some(path) => Value::concat(&[name, eval.constant(Some(path))]),
        None => name,
    });
    finish(eval, new);
    Some(site)
}

/// The name of the trait that declares a method, whatever type it is called of.
fn declared_by(eval: &Eval<'_, '_>, call: ExprId) -> Option<&'static str> {
    let Some(Callee::Functions(ids)) = eval.types.callee(call) else {
        return None;
    };
    let program = eval.engine.program;
    program.function(*ids.first()?).trait_.map(|of| interfaces::last_word_of(program, of))
}

/// Whether the name of a receiver or its type says that it is a client of something outside.
fn names_client(words: &Words, name: &str) -> bool {
    words.receivers.iter().any(|suffix| ends_with_word(name, suffix))
}

/// Whether a call is one of functions of the workspace whose code is seen, and gives a client by its type's name.
fn hands_out_client(eval: &Eval<'_, '_>, call: ExprId) -> bool {
    let Some(Callee::Functions(ids)) = eval.types.callee(call) else {
        return false;
    };
    let words = &eval.engine.catalog.words;
    let gives = matches!(behind(eval.ty(call)), Ty::External(path, _) if names_client(words, path.as_str()));
    gives && !interfaces::is_unseen(eval.engine.program, ids)
}

/// Whether something is ordered by the name of a call, and a key was put together for it. Who keeps things under keys by his
/// own name is given them for another reason.
fn is_ordered(eval: &Eval<'_, '_>, call: ExprId, name: Name, receiver: Option<&str>) -> bool {
    let words = &eval.engine.catalog.words;
    let ExprKind::MethodCall(call) = &eval.body.expr(call).kind else {
        return false;
    };
    let own = receiver.map(normal).unwrap_or_default();
    let keeps = words.keyed_stores.iter().chain(&words.store_traits).any(|word| has_word(&own, word));
    let made_for_it = |&arg: &ExprId| {
        let named = eval.local_name(arg).is_some_and(|local| has_word(local.as_str(), "key"));
        named && is_put_together(&eval.quiet(arg))
    };
    begins_with_any(name.as_str(), &words.ordering_verbs) && !keeps && call.args.iter().any(made_for_it)
}

/// Whether a text was put together of a word of its own and of what is known of the task.
fn is_put_together(value: &Value) -> bool {
    let parts = kinds(value);
    let known = |kind: &Kind| matches!(kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored);
    parts.iter().any(known) && parts.iter().any(|kind| matches!(kind, Kind::Constant(_)))
}

/// Two futures that are awaited as one: `client.reserve(&key).and_then(|held| client.capture(&key, held))`.
fn one_after_the_other(body: &Body, awaited: ExprId) -> Option<(ExprId, ExprId)> {
    let ExprKind::MethodCall(call) = &body.expr(awaited).kind else {
        return None;
    };
    let (true, &[next]) = (matches!(call.name.as_str(), "and_then" | "then"), &call.args[..]) else {
        return None;
    };
    let ExprKind::Closure(closure) = &body.expr(next).kind else {
        return None;
    };
    let next = match &body.expr(closure.body).kind {
        ExprKind::Block(block) if block.kind == BlockKind::Plain => block.tail?,
        _ => closure.body,
    };
    matches!(body.expr(next).kind, ExprKind::MethodCall(_)).then_some((call.receiver, next))
}

/// What the declaration of a method that is seen nowhere calls an argument.
fn parameter(eval: &Eval<'_, '_>, call: ExprId, at: usize) -> Option<Name> {
    let Some(Callee::Functions(ids)) = eval.types.callee(call) else {
        return None;
    };
    let declared = &eval.engine.program.function(*ids.first()?).ir;
    declared.params.get(at + usize::from(declared.has_self))?.name
}

/// Whether the errors of a call are told apart by what became of what was asked for: refused here, unclear there. Only of
/// somebody else there is such a question.
fn is_told_apart(eval: &Eval<'_, '_>, call: ExprId) -> bool {
    let mut at = call;
    for _ in 0..MAX_SEARCH {
        let Some(parent) = walk::parent(&eval.parents, at) else {
            return false;
        };
        at = match &eval.body.expr(parent).kind {
            ExprKind::Await(_) => parent,
            ExprKind::MethodCall(call) if call.receiver == at && call.name.as_str() == "map_err" => parent,
            ExprKind::Match { value, arms } if *value == at => {
                let undone = Outcomes::REJECTED.or(Outcomes::NOT_SENT);
                return arms.iter().any(|arm| {
                    let matched = outcome::of_pattern(eval, arm.pat, false, Left::all(false));
                    let within = |outer: Outcomes| matched.outcomes.without(outer).is_empty();
                    matched.named && (within(undone) || within(Outcomes::UNKNOWN))
                });
            }
            _ => return false,
        };
    }
    false
}

/// Whether what a call is named for is noted as done, and its answer has an identifier of somebody else's: of `lodge_deed`
/// the state `lodged`, and `answer.dealing_no`.
fn is_noted(eval: &Eval<'_, '_>, call: ExprId, name: Option<Name>) -> bool {
    let (body, words) = (eval.body, &eval.engine.catalog.words);
    let Some(verb) = name.map(|name| name.as_str().split('_').next().unwrap_or_default()) else {
        return false;
    };
    let own = |verbs: &[String]| verbs.iter().any(|known| known == verb);
    if asks(words, verb) || own(&words.storing_verbs) || own(&words.result_verbs) {
        return false;
    }
    let is_answer = |mut at: ExprId| {
        for _ in 0..MAX_SEARCH {
            at = match &body.expr(at).kind {
                _ if at == call => return true,
                ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
                ExprKind::MethodCall(call) => call.receiver,
                ExprKind::Local(local) => match body.bound(*local) {
                    Some(value) => value,
                    None => return false,
                },
                _ => return false,
            };
        }
        false
    };
    let identifies = |name: &str| {
        words.identity_names.iter().any(|word| has_word(name, word))
            || matches!(name.rsplit('_').next(), Some("no" | "ref"))
    };
    let identified = body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Field { base, name } => identifies(name.as_str()) && is_answer(*base),
        _ => false,
    });
    identified && {
        let done = participles(words, verb);
        let says = |text: &str| done.iter().any(|done| text == done || text.contains(&format!("'{done}'")));
        body.exprs.iter().any(|expr| matches!(&expr.kind, ExprKind::Literal(Literal::Str(text)) if says(text)))
    }
}

/// Whether the answer to a call is asked for what only the answer to something sent has: a receipt, confirmations.
fn is_followed_up(eval: &Eval<'_, '_>, call: ExprId) -> bool {
    let body = eval.body;
    let words = &eval.engine.catalog.words.receipt_calls;
    let asks = |name: &Name| words.iter().any(|word| word == name.as_str());
    let exprs = || (0..body.exprs.len()).map(|at| ExprId(at as u32));
    let asked_of = |is_answer: &dyn Fn(ExprId) -> bool| {
        exprs().any(|id| match &body.expr(id).kind {
            ExprKind::MethodCall(call) => asks(&call.name) && is_answer(call.receiver),
            _ => false,
        })
    };
    let mut at = call;
    for _ in 0..MAX_SEARCH {
        let kept = |id: ExprId| match &body.expr(id).kind {
            ExprKind::Local(local) => body.bound(*local) == Some(at),
            _ => false,
        };
        let Some(parent) = walk::parent(&eval.parents, at) else {
            return false;
        };
        match &body.expr(parent).kind {
            ExprKind::Await(_) | ExprKind::Try(_) => {}
            ExprKind::MethodCall(call) if call.receiver == at && asks(&call.name) => return true,
            ExprKind::MethodCall(call) if call.receiver == at => {}
            ExprKind::Match { value, .. } if *value == at => {
                let whole = body.expr(parent).range;
                return asked_of(&|id| {
                    matches!(body.expr(id).kind, ExprKind::Local(_)) && whole.covers(body.expr(id).range)
                });
            }
            _ => return asked_of(&kept),
        }
        at = parent;
    }
    false
}

/// Whether a value is what a digest or a named id of this function was taken of.
fn is_derived(eval: &Eval<'_, '_>, value: &Value) -> bool {
    let own = kinds(value);
    own.iter().any(|kind| matches!(kind, Kind::Param(..) | Kind::Input(_)))
        && own.len() > 1
        && eval.events.iter().any(|event| match &event.kind {
            EventKind::Digest { value } => event.via.is_empty() && source_kinds(value) == own,
            _ => false,
        })
}

/// Whether a value that was put together from an input and something made is stored before it is handed over.
fn is_recorded(eval: &Eval<'_, '_>, value: &Value) -> bool {
    let own = kinds(value);
    own.iter().any(made)
        && own.iter().any(|kind| matches!(kind, Kind::Param(..) | Kind::Input(_)))
        && eval.events.iter().any(|event| match &event.kind {
            EventKind::Sql { binds, .. } => binds.iter().any(|bind| source_kinds(bind) == own),
            _ => false,
        })
}

/// Where a value comes from, whatever the order.
fn kinds(value: &Value) -> BTreeSet<Kind> {
    value.atoms().map(|atom| atom.kind).collect()
}

fn source_kinds(sources: &Sources) -> BTreeSet<Kind> {
    sources.iter().map(|source| *source.kind()).collect()
}

pub(super) fn receiver_name(eval: &Eval<'_, '_>, id: ExprId, ty: Option<&Ty>) -> Option<String> {
    if let Some(Ty::External(path, _)) = ty {
        return Some(path.as_str().rsplit("::").next()?.to_owned());
    }
    if let Some(Ty::Adt(id, _)) = ty {
        return Some(eval.engine.program.type_(*id).ir.name.to_string());
    }
    interface(eval, ty).map(str::to_owned).or_else(|| eval.local_name(id).map(|name| name.to_string()))
}

/// The name of the trait that a receiver is known by.
fn interface(eval: &Eval<'_, '_>, ty: Option<&Ty>) -> Option<&'static str> {
    match ty? {
        Ty::Traits(traits) => Some(interfaces::last_word_of(eval.engine.program, *traits.first()?)),
        Ty::ExternalTraits(paths) => paths.first()?.as_str().rsplit("::").next(),
        _ => None,
    }
}

/// Whether a name in either case ends in this word.
pub(super) fn ends_with_word(name: &str, suffix: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let suffix = suffix.to_ascii_lowercase();
    name.ends_with(&suffix)
}
