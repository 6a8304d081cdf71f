//! `volatile-key-input`: a key that also holds something that changes between attempts.

use super::dispatches::{about_key, key_of, origin_of};
use super::{Facts, Group, Rule, Sink, named_keys};
use crate::findings::{Confidence, Level};
use crate::flow::{DispatchFact, EventFact, EventFactKind, KeyVerdict, OriginKind, visit};
use crate::ir::{Body, ExprId, ExprKind, LoopKind};
use crate::resolve::FunctionInfo;

pub(super) const RULE: Rule = Rule {
    name: "volatile-key-input",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a key over a payload with fields that change between attempts",
    doc: include_str!("volatile_key_input.md"),
    check,
    contract_error: false,
};

/// Methods that give all of a map.
const EACH: [&str; 3] = ["into_iter", "iter", "values"];
/// Methods that leave something of an iterator out.
const PICKS: [&str; 7] = ["any", "filter", "filter_map", "find", "find_map", "position", "take"];

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    over_headers(facts, sink);
    for dispatch in &facts.flow.dispatches {
        in_payload(facts, dispatch, sink);
        if dispatch.key.verdict != KeyVerdict::Stable {
            continue;
        }
        let Some(input) = volatile(facts, dispatch) else {
            continue;
        };
        let message = format!(
            "{} holds `{input}`, which by its name lives for one attempt only: the next attempt has another key",
            key_of(dispatch)
        );
        let help = "leave it out of the key: the identity of the intent is enough";
        let confidence = dispatch.key.confidence.min(Confidence::Likely);
        sink.report(about_key(facts, RULE.name, dispatch, confidence, message, help));
    }
}

/// A digest over all headers of a request as its key: dates, trace ids and signatures are among them.
fn over_headers(facts: &Facts<'_>, sink: &mut Sink) {
    let types = &facts.catalog.words.header_types;
    let all = |function: &FunctionInfo, body: &Body, id| {
        let whole = |id| function.types.ty(id).is_one_of(types);
        match &body.expr(id).kind {
            ExprKind::MethodCall(call) => {
                EACH.contains(&call.name.as_str()) && whole(call.receiver) && !picks(body, id)
            }
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::For { iterable, .. } => whole(iterable) && !asks(body, repeat.body),
                _ => false,
            },
            _ => false,
        }
    };
    for part in named_keys::parts(facts, &all) {
        let digests = |(_, event): (usize, &EventFact)| matches!(event.kind, EventFactKind::Digest { .. });
        if !facts.operations.function(part.number).is_some_and(|function| function.events().any(digests)) {
            continue;
        }
        let message = "this key is made of all headers of the request, dates and trace ids among them: when the same request is \
                       delivered again, its key is another one";
        let help = "make the key of the content of the request, or of the id that the sender gave it";
        sink.report(part.violation(RULE.name, message, help));
    }
}

/// Whether only some of what an iterator gives is taken.
fn picks(body: &Body, iterator: ExprId) -> bool {
    let range = body.expr(iterator).range;
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => {
            PICKS.contains(&call.name.as_str()) && body.expr(call.receiver).range.start == range.start
        }
        ExprKind::Loop(repeat) => match repeat.kind {
            LoopKind::For { iterable, .. } => iterable == iterator && asks(body, repeat.body),
            _ => false,
        },
        _ => false,
    })
}

/// Whether anything is decided below an expression.
fn asks(body: &Body, below: ExprId) -> bool {
    let mut found = false;
    visit(body, below, &mut |id| {
        found |= matches!(body.expr(id).kind, ExprKind::If { .. } | ExprKind::Match { .. });
        !found
    });
    found
}

/// A key over a whole that was serialised, of which a part is made anew for each attempt.
fn in_payload(facts: &Facts<'_>, dispatch: &DispatchFact, sink: &mut Sink) {
    let key = &dispatch.key;
    if key.verdict != KeyVerdict::PerAttempt || key.kept_over || !key.payload {
        return;
    }
    let from = origin_of(key);
    let message = format!(
        "{} is made of a payload in which something comes from {from}: each attempt has another payload, and another key",
        key_of(dispatch)
    );
    let help = "leave it out of what the key is made of, or take it from what is stored with the intent";
    sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
}

/// An input with a short-lived name beside one that names the intent.
fn volatile<'a>(facts: &Facts<'_>, dispatch: &'a DispatchFact) -> Option<&'a str> {
    let words = &facts.catalog.words;
    let inputs = dispatch.key.origins.iter().filter_map(|origin| match &origin.kind {
        OriginKind::Input(name) => Some(name.as_str()),
        _ => None,
    });
    let is_volatile = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        words.volatile_names.iter().any(|word| crate::flow::has_word(last, word))
    };
    let (short, rest): (Vec<_>, Vec<_>) = inputs.partition(|name| is_volatile(name));
    // A token alone may be the identity itself: a single-use token that stands for the intent.
    if rest.is_empty() { None } else { short.first().copied() }
}
