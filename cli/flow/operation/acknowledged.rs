//! Acknowledgements, and for those that an argument makes one, the arms in which it does.
//!
//! In: a call that acknowledges by a row of the catalog. Out: an event for each way on which it does so: of
//! `let kind = match settle().await { Ok(()) => AckKind::Ack, Err(_) => AckKind::Nak(None) }; message.ack_with(kind)` only
//! the first arm acknowledges, wherever the call stands, and the second one hands the message back.

use super::offsets;
use crate::catalog::BodyCall;
use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::flow::events::{EventKind, Usage};
use crate::flow::sources::Sources;
use crate::flow::value::Value;
use crate::flow::{operation, walk};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::Callee;

/// Expressions of an argument that are looked at.
const MAX_PARTS: usize = 256;

/// Branches of the body, from the outside in.
type Way = Vec<(ExprId, u32)>;

/// Records a call that acknowledges, in each of the arms that make it one.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>, row: &BodyCall, usage: Usage) {
    let up_to = row.up_to && offsets::is_of_element(eval, site);
    let by = Sources::given(site.receiver.iter().map(|(_, value)| value).chain(&site.args));
    if row.given.is_empty() {
        return eval.event(EventKind::Ack { up_to, by }, site.span, site.name, usage);
    }
    for (value, way) in values(eval, site) {
        let around = eval.branches.len();
        eval.branches.extend(way);
        if row.given.iter().any(|given| operation::is_constant(eval.body, value, given)) {
            eval.event(EventKind::Ack { up_to, by: by.clone() }, site.span, site.name, usage);
        } else if let Some(path) = path(eval, value) {
            let means = eval.engine.words.of_path(path.as_str());
            eval.state_word(means, eval.span_of(value), path.as_str());
        }
        eval.branches.truncate(around);
    }
}

/// What a statement is given that calls a function of the database by which a message of a queue in it is acknowledged.
pub(super) fn by_statement(
    eval: &Eval<'_, '_>,
    texts: &[Name],
    binds: &[Value],
    executor: &Sources,
) -> Option<Sources> {
    let names = &eval.engine.catalog.words.acknowledging_functions;
    let calls = |text: &Name| {
        let text = text.as_str().to_ascii_lowercase();
        names.iter().any(|name| {
            text.match_indices(name.as_str()).any(|(at, _)| {
                let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
                let begins = at == 0 || !inside(&text.as_bytes()[at - 1]);
                begins && text[at + name.len()..].trim_start().starts_with('(')
            })
        })
    };
    texts.iter().any(calls).then(|| Sources::given(binds).and(executor))
}

/// The path of a constant or variant, or of the variant that is made of something.
fn path(eval: &Eval<'_, '_>, id: ExprId) -> Option<Name> {
    let made = match walk::parent(&eval.parents, id).and_then(|call| eval.types.callee(call)) {
        Some(Callee::External(path) | Callee::Unresolved(path)) => Some(*path),
        _ => None,
    };
    eval.path_name(id).or(made)
}

/// The paths in the arguments of a call, or in what these were bound to before, with the arms in which they stand, in the
/// order of the source.
fn values(eval: &Eval<'_, '_>, site: &Site<'_>) -> Vec<(ExprId, Way)> {
    let body = eval.body;
    let mut found: Vec<(ExprId, Way)> = Vec::new();
    let mut work: Vec<(ExprId, Way)> =
        site.arg_ids.iter().map(|&arg| (walk::stands_for(body, arg), Way::new())).collect();
    for _ in 0..MAX_PARTS {
        let Some((at, way)) = work.pop() else {
            break;
        };
        let inside = |arm: usize| way.iter().copied().chain([(at, arm as u32)]).collect::<Way>();
        match &body.expr(at).kind {
            ExprKind::Path(_) => found.push((at, way)),
            ExprKind::If { condition, then, otherwise } => {
                work.push((*condition, way.clone()));
                work.push((*then, inside(0)));
                work.extend(otherwise.map(|otherwise| (otherwise, inside(1))));
            }
            ExprKind::Match { value, arms } => {
                work.push((*value, way.clone()));
                work.extend(arms.iter().enumerate().map(|(number, arm)| (arm.body, inside(number))));
            }
            _ => work.extend(walk::children(body, at).into_iter().map(|child| (child, way.clone()))),
        }
    }
    found.sort_by_key(|(at, _)| body.expr(*at).range.start);
    found
}
