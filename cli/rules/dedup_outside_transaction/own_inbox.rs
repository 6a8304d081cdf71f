//! An inbox of the application's own of which only the calls are seen: `existing_txnid(id)` before the work, and `add_txnid(id)`
//! behind it.

use super as dedup_outside_transaction;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::{begins_with_any, client_acts};
use crate::ir::{Body, Expr, ExprId, ExprKind, Name, PatKind, Statement};
use crate::resolve::FunctionInfo;
use crate::rules::scene::has_any;
use crate::rules::{Facts, Sink, dedup_fails_open};
use crate::source::{Span, TextRange};

/// A call that asks or tells the inbox.
struct InboxCall<'a> {
    id: ExprId,
    name: Name,
    range: TextRange,
    /// the text of what tells the task from others
    task: &'a str,
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in facts.program.functions.iter().filter(|function| !function.test && !function.example) {
        let Some(body) = function.ir.body.as_deref() else {
            continue;
        };
        let asked = calls(facts, function, body, &|name| has_any(name, &facts.catalog.words.inbox_questions));
        for ask in asked.iter().filter(|ask| is_awaited(body, ask.id)) {
            fails_open(function, body, ask, sink);
            set_later(facts, function, body, ask, sink);
        }
    }
}

/// The calls by such a name that are handed what tells a task from others.
fn calls<'a>(
    facts: &Facts<'a>,
    function: &FunctionInfo,
    body: &Body,
    named: &dyn Fn(&str) -> bool,
) -> Vec<InboxCall<'a>> {
    let text: &'a str = &facts.workspace.file(function.file).text;
    let words = &facts.catalog.words;
    let written = |id: ExprId| {
        let range = body.expr(id).range;
        text.get(range.start as usize..range.end as usize).map(|text| text.trim_start_matches(['&', '*']).trim())
    };
    let tells = |text: &&str| {
        let last = text.trim_end_matches(".clone()").rsplit(['.', ':']).next().unwrap_or(text);
        words.task_id_names.iter().chain(&words.key_names).any(|name| name == last)
    };
    let found = |(at, expr): (u32, &Expr)| {
        let (name, args) = match &expr.kind {
            ExprKind::MethodCall(call) => (call.name, &call.args[..]),
            ExprKind::Call { callee, args } => match &body.expr(*callee).kind {
                ExprKind::Path(path) => (path.segments.last()?.name, &args[..]),
                _ => return None,
            },
            _ => return None,
        };
        let task = args.iter().filter_map(|&arg| written(arg)).find(tells).filter(|_| named(name.as_str()))?;
        Some(InboxCall { id: ExprId(at), name, range: expr.range, task })
    };
    (0u32..).zip(&body.exprs).filter_map(found).collect()
}

fn is_awaited(body: &Body, call: ExprId) -> bool {
    body.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Await(inner) if inner == call))
}

/// Any error of the question is taken for "not yet".
fn fails_open(function: &FunctionInfo, body: &Body, ask: &InboxCall<'_>, sink: &mut Sink) {
    let is_answer = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Await(inner) if inner == ask.id);
    let is_result = |pat| match &body.pat(pat).kind {
        PatKind::TupleStruct { path, .. } => path.of_option_or_result() == Some("Ok"),
        _ => false,
    };
    let asked_for_ok = body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => call.name.as_str() == "is_ok" && is_answer(call.receiver),
        ExprKind::Let { pat, value } => is_result(*pat) && is_answer(*value),
        _ => false,
    });
    let or_else = body.statements().any(|statement| match statement {
        Statement::Let { pat, value: Some(value), otherwise: Some(_), .. } => is_result(*pat) && is_answer(*value),
        _ => false,
    });
    if !asked_for_ok && !or_else {
        return;
    }
    let message = format!(
        "any error of `{}` counts as \"not yet\": what was done before is done again where it could not be looked up",
        ask.name
    );
    let help = "take only the error that says so for none, and hand any other on";
    let place = Span::new(function.file, ask.range);
    sink.report(violation(dedup_fails_open::RULE.name, function, place, (message, help), Vec::new()));
}

/// The task is told only behind its work, and nothing keeps another run out meanwhile.
fn set_later(facts: &Facts<'_>, function: &FunctionInfo, body: &Body, ask: &InboxCall<'_>, sink: &mut Sink) {
    let words = &facts.catalog.words;
    let subject = last_word(ask.name.as_str());
    let tells = |name: &str| {
        let verbs = [&words.insertion_verbs, &words.storing_verbs, &words.remembering_verbs];
        verbs.iter().any(|verbs| begins_with_any(name, verbs)) && last_word(name) == subject
    };
    let told = calls(facts, function, body, &tells);
    let Some(told) = told.iter().find(|told| told.range.start > ask.range.end && told.task == ask.task) else {
        return;
    };
    let between = |range: TextRange| range.start > ask.range.end + 6 && range.end < told.range.start;
    let works = body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Await(_) => between(expr.range),
        ExprKind::MethodCall(call) => between(expr.range) && client_acts(words, call.name.as_str()),
        _ => false,
    });
    let locks = body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall(call) => {
            expr.range.start < ask.range.start && words.lock_calls.iter().any(|name| name == call.name.as_str())
        }
        _ => false,
    });
    if !works || locks {
        return;
    }
    let message = format!(
        "`{}` is asked here and told by `{}` only behind the work: of two runs at once both find nothing, and a run that ends in \
         between is done again",
        ask.name, told.name
    );
    let help =
        "take the task in first, in one step that only one run gets through, or hold a lock of its own over both";
    let steps =
        vec![Step { place: Place::Source(Span::new(function.file, told.range)), note: "it is told here".to_owned() }];
    let place = Span::new(function.file, ask.range);
    sink.report(violation(dedup_outside_transaction::RULE.name, function, place, (message, help), steps));
}

/// What a name speaks of: `txnid` of `add_txnid`.
fn last_word(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or(name)
}

fn violation(
    rule: &'static str,
    function: &FunctionInfo,
    place: Span,
    (message, help): (String, &str),
    path: Vec<Step>,
) -> Violation {
    Violation {
        rule,
        confidence: Confidence::Likely,
        message,
        help: help.to_owned(),
        place: Place::Source(place),
        path,
        handler: Some(function.path.to_string()),
        detail: Vec::new(),
    }
}
