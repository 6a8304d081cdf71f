//! The intent key to propose: what the code sends, else what it is made of, else what looks like an identity.

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::display::{can_show, sees_fields};
use super::{KeyFrom, Known};
use crate::flow::{DispatchFact, OriginKind, has_word};
use crate::ir::{Body, ExprId, ExprKind, FormatCall, LocalId, PatKind, Statement};
use crate::resolve::{FnId, Ty};
use crate::source::{Span, TextRange};

/// How many fields deep a path into a parameter is read, and how many variables a value is followed through.
const DEPTH: usize = 6;

/// A template that compiles in the function, with where it comes from; it starts with the name unless the code says how.
pub(super) fn intent_key(known: Known<'_>, id: FnId, name: &str, fact: &DispatchFact) -> (KeyTemplate, KeyFrom) {
    let named = |path: String| template(&format!("{name}/{{{path}}}"));
    if let Some(sent) = sent(known, id, fact) {
        return (template(&sent), KeyFrom::Code);
    }
    if let Some(input) = input(known, id, fact) {
        return (named(input), KeyFrom::Input);
    }
    match parameter(known, id) {
        Some(path) => (named(path), KeyFrom::Parameter),
        None => (template(name), KeyFrom::Nothing),
    }
}

fn template(text: &str) -> KeyTemplate {
    // nobody asks for the parts: the template is only written down
    KeyTemplate::Template { text: text.to_owned(), parts: vec![KeyPart::Text(text.to_owned())] }
}

/// The template of the `format!` that makes the sent key, if this function holds it and all it shows are inputs.
fn sent(known: Known<'_>, id: FnId, fact: &DispatchFact) -> Option<String> {
    let function = known.program.function(id);
    let body = function.ir.body.as_deref()?;
    let position = fact.key.position.filter(|place| fact.function == id && place.file == function.file);
    let places = position.into_iter().chain(calls(known, id, fact));
    places.flat_map(|place| formatted(body, place.range)).find_map(|call| shown(known, id, body, call, fact))
}

/// The calls in this function that lead down to the dispatch.
fn calls(known: Known<'_>, id: FnId, fact: &DispatchFact) -> Vec<Span> {
    let own = known.flow.functions.iter().filter(|function| function.function == id);
    let events = own.flat_map(|function| &function.events).filter(|event| event.span == fact.site);
    events.filter_map(|event| event.via.first().copied()).collect()
}

/// The template with the paths of its values in it.
fn shown(known: Known<'_>, id: FnId, body: &Body, call: &FormatCall, fact: &DispatchFact) -> Option<String> {
    let goes_in = |path: &str| {
        fact.looks != id
            || fact.key.origins.iter().any(|origin| matches!(&origin.kind, OriginKind::Input(of) if of == path))
    };
    let mut paths = call.values.iter().map(|value| path_of(body, *value));
    let mut out = String::new();
    let mut rest = call.template.as_deref()?;
    while let Some(at) = rest.find(['{', '}']) {
        let (front, behind) = rest.split_at(at);
        out.push_str(front);
        if behind.starts_with("{{") || behind.starts_with("}}") {
            out.push_str(&behind[..2]);
            rest = &behind[2..];
            continue;
        }
        let end = behind.find('}')?;
        // a specification would have to be the same in the template, which knows none
        let path = paths.next()?.filter(|_| !behind[..end].contains(':'))?;
        if !can_show(known, id, &path) || !goes_in(&path) {
            return None;
        }
        out.push_str(&format!("{{{path}}}"));
        rest = &behind[end + 1..];
    }
    out.push_str(rest);
    (!call.values.is_empty() && paths.next().is_none()).then_some(out)
}

/// Every `format!` at a place, in it or around it, and behind the variables that stand there.
fn formatted(body: &Body, place: TextRange) -> Vec<&FormatCall> {
    let ids = (0..body.exprs.len() as u32).map(ExprId);
    let near = ids.filter(|id| {
        let range = body.expr(*id).range;
        place.covers(range) || range.covers(place)
    });
    let direct = near.clone().filter_map(|id| format_call(body, id));
    direct.chain(near.filter(|id| place.covers(body.expr(*id).range)).filter_map(|id| behind(body, id))).collect()
}

fn format_call(body: &Body, id: ExprId) -> Option<&FormatCall> {
    match &body.expr(id).kind {
        ExprKind::Format(call) if call.name.as_str() == "format" => Some(call),
        _ => None,
    }
}

/// The `format!` that a variable holds, perhaps through other variables and calls like `as_str`.
fn behind(body: &Body, id: ExprId) -> Option<&FormatCall> {
    let mut at = id;
    for _ in 0..DEPTH {
        at = match &body.expr(at).kind {
            ExprKind::Format(_) => return format_call(body, at),
            ExprKind::Local(local) => bound_to(body, *local)?,
            ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
            _ => return None,
        };
    }
    None
}

/// What a variable is bound to.
fn bound_to(body: &Body, local: LocalId) -> Option<ExprId> {
    body.statements().find_map(|statement| match statement {
        Statement::Let { pat, value: Some(value), .. } => {
            matches!(body.pat(*pat).kind, PatKind::Bind { local: found, .. } if found == local).then_some(*value)
        }
        _ => None,
    })
}

/// `invoice.id` for a parameter and its fields.
fn path_of(body: &Body, id: ExprId) -> Option<String> {
    let mut fields = Vec::new();
    let mut at = id;
    for _ in 0..DEPTH {
        match &body.expr(at).kind {
            ExprKind::Field { base, name } => {
                fields.push(name.as_str());
                at = *base;
            }
            ExprKind::Deref(inner) => at = *inner,
            ExprKind::Local(local) => {
                fields.push(body.locals[local.0 as usize].name.as_str());
                fields.reverse();
                return Some(fields.join("."));
            }
            _ => return None,
        }
    }
    None
}

/// An input that the sent key is made of.
fn input(known: Known<'_>, id: FnId, fact: &DispatchFact) -> Option<String> {
    let inputs = fact.key.origins.iter().filter_map(|origin| match &origin.kind {
        OriginKind::Input(path) if fact.looks == id => Some(path.to_string()),
        _ => None,
    });
    let mut inputs: Vec<String> = inputs.filter(|path| tells_intents_apart(known, path)).collect();
    // what is called an id before what is not
    inputs.sort_by_key(|path| !is_identity(known, path));
    inputs.into_iter().find(|path| can_show(known, id, path))
}

/// A parameter, or a field of one, that is called like an identity; else the only one that can be shown.
fn parameter(known: Known<'_>, id: FnId) -> Option<String> {
    let function = known.program.function(id);
    let mut found = Vec::new();
    for (param, ty) in function.ir.params.iter().zip(&function.params) {
        let Some(name) = param.name.filter(|name| name.as_str() != "self") else { continue };
        found.push(name.to_string());
        if let (Ty::Adt(of, _), true) = (ty, sees_fields(known, id, ty)) {
            let fields = known.program.type_(*of).ir.variants.iter().flat_map(|variant| &variant.fields);
            let fields = fields.filter(|field| !field.name.as_str().starts_with(|c: char| c.is_ascii_digit()));
            found.extend(fields.map(|field| format!("{name}.{}", field.name)));
        }
    }
    found.retain(|path| tells_intents_apart(known, path) && can_show(known, id, path));
    let identity = found.iter().find(|path| is_identity(known, path));
    identity
        .or(match found.as_slice() {
            [only] => Some(only),
            _ => None,
        })
        .cloned()
}

fn is_identity(known: Known<'_>, path: &str) -> bool {
    known.catalog.words.identity_names.iter().any(|word| has_word(last(path), word))
}

/// Not a tenant, an amount, an attempt, a secret: what several intents share, or what differs between attempts.
fn tells_intents_apart(known: Known<'_>, path: &str) -> bool {
    let words = &known.catalog.words;
    let lists = [&words.coarse_names, &words.attempt_names, &words.volatile_names, &words.sensitive_names];
    !lists.into_iter().flatten().any(|word| word == last(path))
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
