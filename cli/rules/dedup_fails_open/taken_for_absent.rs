//! Questions whether something is there that take any error for "no": what the answer decides is done, or left, for want of an answer.

use std::collections::BTreeMap;

use super::RULE;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::flow::client_acts;
use crate::ir::{Arm, Body, ExprId, ExprKind, Literal, LocalId, PatKind, Statement};
use crate::resolve::{Callee, FnId, FunctionInfo};
use crate::rules::scene::has_any;
use crate::rules::{Facts, Sink};
use crate::source::{Span, TextRange};

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let functions = || facts.program.functions.iter().filter(|function| !function.test && !function.example);
    let questions: BTreeMap<FnId, Span> = (0u32..)
        .map(FnId)
        .zip(&facts.program.functions)
        .filter(|(_, function)| !function.test && !function.example)
        .filter_map(|(id, function)| Some((id, error_is_no(facts, function)?)))
        .collect();
    if questions.is_empty() {
        return;
    }
    for (id, place) in questions {
        let decided = functions().find_map(|function| Some((function, decides(facts, function, id)?)));
        let Some((function, act)) = decided else {
            continue;
        };
        let name = facts.program.function(id).ir.name;
        sink.report(Violation {
            rule: RULE.name,
            // Whoever asks for nothing by its name asks for whatever a store of the application holds.
            confidence: if name.as_str().contains('_') { Confidence::Likely } else { Confidence::Possible },
            message: format!(
                "any error of this look-up counts as \"there is none\": what `{name}` decides is done or left out though nobody knows \
                 whether it is there"
            ),
            help: "take only the error that says so for none, and hand any other on".to_owned(),
            place: Place::Source(place),
            path: vec![Step { place: Place::Source(act), note: "this is decided by the answer".to_owned() }],
            handler: Some(function.path.to_string()),
            detail: Vec::new(),
        });
    }
}

/// Where a function that says whether something is there says no because of any error of what it waited for.
fn error_is_no(facts: &Facts<'_>, function: &FunctionInfo) -> Option<Span> {
    if !has_any(function.ir.name.as_str(), &facts.catalog.words.presence_questions) {
        return None;
    }
    let body = function.ir.body.as_deref()?;
    let ExprKind::Block(block) = &body.expr(body.root).kind else {
        return None;
    };
    let found = block.tail.and_then(|tail| error_in(body, tail))?;
    Some(Span::new(function.file, found))
}

/// The part of an answer in which any error of what was waited for becomes a `false`.
fn error_in(body: &Body, answer: ExprId) -> Option<TextRange> {
    match &body.expr(answer).kind {
        ExprKind::Match { value, arms } if is_waited_for(body, *value) => {
            let error = arms.iter().find(|arm| is_any_error(body, arm) && is_false(body, arm.body))?;
            Some(body.expr(error.body).range)
        }
        ExprKind::MethodCall(call) if call.name.as_str() == "is_ok" && is_waited_for(body, call.receiver) => {
            Some(call.name_range)
        }
        ExprKind::MethodCall(call) if call.name.as_str() == "unwrap_or" => {
            let says_no = call.args.first().is_some_and(|&arg| is_false(body, arg));
            let waited = match &body.expr(call.receiver).kind {
                ExprKind::MethodCall(map) => map.name.as_str() == "map" && is_waited_for(body, map.receiver),
                _ => is_waited_for(body, call.receiver),
            };
            (says_no && waited).then_some(call.name_range)
        }
        _ => None,
    }
}

/// Whether a value is what was waited for, here or in front of it.
fn is_waited_for(body: &Body, value: ExprId) -> bool {
    match &body.expr(value).kind {
        ExprKind::Await(_) => true,
        ExprKind::Local(local) => {
            bound_to(body, *local).is_some_and(|id| matches!(body.expr(id).kind, ExprKind::Await(_)))
        }
        _ => false,
    }
}

fn bound_to(body: &Body, local: LocalId) -> Option<ExprId> {
    body.statements().find_map(|statement| match statement {
        Statement::Let { pat, value: Some(value), .. } => match &body.pat(*pat).kind {
            PatKind::Bind { local: bound, .. } if *bound == local => Some(*value),
            _ => None,
        },
        _ => None,
    })
}

/// Whether an arm is taken by whatever error there is.
fn is_any_error(body: &Body, arm: &Arm) -> bool {
    let any = |kind: &PatKind| matches!(kind, PatKind::Wild | PatKind::Bind { inner: None, .. });
    arm.guard.is_none()
        && match &body.pat(arm.pat).kind {
            PatKind::TupleStruct { path, elements, .. } => {
                path.of_option_or_result() == Some("Err") && elements.iter().all(|&pat| any(&body.pat(pat).kind))
            }
            PatKind::Wild => true,
            _ => false,
        }
}

fn is_false(body: &Body, value: ExprId) -> bool {
    match &body.expr(value).kind {
        ExprKind::Literal(Literal::Bool(said)) => !said,
        ExprKind::Block(block) => block.tail.is_some_and(|tail| is_false(body, tail)),
        _ => false,
    }
}

/// What a function does on an arm of a branch that the answer to a question decides.
fn decides(facts: &Facts<'_>, function: &FunctionInfo, question: FnId) -> Option<Span> {
    let asks = |callee: &Callee| matches!(callee, Callee::Functions(ids) if ids.contains(&question));
    let body = function.ir.body.as_deref()?;
    let calls: Vec<TextRange> =
        function.types.callees.iter().filter(|(_, callee)| asks(callee)).map(|(at, _)| body.expr(*at).range).collect();
    let words = &facts.catalog.words;
    let acts_in = |arm: TextRange| {
        body.exprs.iter().find_map(|expr| match &expr.kind {
            ExprKind::MethodCall(call) if arm.covers(expr.range) && client_acts(words, call.name.as_str()) => {
                Some(call.name_range)
            }
            _ => None,
        })
    };
    calls.iter().find_map(|call| {
        body.exprs.iter().find_map(|expr| match &expr.kind {
            ExprKind::If { condition, then, otherwise } if body.expr(*condition).range.covers(*call) => {
                let arms = [Some(*then), *otherwise].into_iter().flatten();
                let act = arms.map(|arm| body.expr(arm).range).find_map(acts_in)?;
                Some(Span::new(function.file, act))
            }
            _ => None,
        })
    })
}
