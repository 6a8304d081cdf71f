//! Flags: a `bool`, word or variant that was set where the answer of a dispatch was looked at, and is asked later.

use super::Outcomes;
use crate::flow::eval::Eval;
use crate::flow::walk;
use crate::ir::{Body, ExprId, ExprKind, Literal, LocalId, PatId, PatKind, Statement};
use crate::source::Span;

/// Branches around the place where a flag is set that are looked at.
const MAX_AROUND: usize = 64;

/// The dispatches that a flag tells of, what is left of their outcomes where it is set, and what where it is not; and whether
/// names in the patterns around say so.
pub(super) fn of_flag(eval: &Eval<'_, '_>, flag: LocalId) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    of_settings(eval, flag, |id| match &eval.body.expr(id).kind {
        ExprKind::Literal(Literal::Bool(truth)) => Some(*truth),
        _ => None,
    })
}

/// The same of a local that is compared with a word or variant which it was given where the answer was looked at.
pub(super) fn of_word(eval: &Eval<'_, '_>, local: LocalId, against: ExprId) -> Option<(Vec<Span>, Outcomes, Outcomes)> {
    let asked = word(eval.body, against)?;
    let (about, yes, no, _) = of_settings(eval, local, |id| word(eval.body, id).map(|given| given == asked))?;
    Some((about, yes, no))
}

/// A text, or the last names of a variant's path.
fn word(body: &Body, id: ExprId) -> Option<String> {
    match &body.expr(id).kind {
        ExprKind::Literal(Literal::Str(text)) => Some(text.to_string()),
        ExprKind::Path(path) => path.segments.last().map(|last| last.name.to_string()),
        _ => None,
    }
}

fn of_settings(
    eval: &Eval<'_, '_>,
    flag: LocalId,
    meets: impl Fn(ExprId) -> Option<bool>,
) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    if eval.conditions.is_empty() {
        return None;
    }
    let mut about: Vec<Span> = Vec::new();
    // for `false` and for `true`: what is left where it becomes that, anything where nobody asked before
    let mut left = [Outcomes::NONE; 2];
    let (mut all_named, mut some_named) = (true, false);
    for at in settings(eval, flag) {
        let set = meets(at)?;
        let slot = &mut left[usize::from(set)];
        match asked_around(eval, at) {
            Some((sites, outcomes, named)) => {
                // `Ok` needs no name beside a lost answer that has one.
                let good = outcomes.without(Outcomes::DONE).is_empty();
                all_named &= named || !set || good;
                some_named |= named && set;
                about.extend(sites.into_iter().filter(|site| !about.contains(site)).collect::<Vec<_>>());
                *slot = slot.or(outcomes);
            }
            None => {
                all_named &= !set;
                *slot = Outcomes::ALL;
            }
        }
    }
    let [no, yes] = left;
    let tells = yes != Outcomes::ALL || no != Outcomes::ALL;
    (tells && !about.is_empty() && !yes.is_empty() && !no.is_empty()).then_some((
        about,
        yes,
        no,
        all_named && some_named,
    ))
}

/// The places at which a local gets its values.
fn settings(eval: &Eval<'_, '_>, flag: LocalId) -> Vec<ExprId> {
    let body = eval.body;
    // the value, and which part of it, where a tuple is taken apart
    let mut values: Vec<(ExprId, Option<usize>)> = body.bound(flag).map(|value| (value, None)).into_iter().collect();
    walk::visit(body, body.root, &mut |at| {
        match &body.expr(at).kind {
            ExprKind::Assign { target, value } if is_local(eval, *target, flag) => values.push((*value, None)),
            ExprKind::AssignOp { target, value, .. } if is_local(eval, *target, flag) => values.push((*value, None)),
            ExprKind::Block(block) => values.extend(block.statements.iter().filter_map(|statement| match statement {
                Statement::Let { pat, value: Some(value), .. } => {
                    part_of(body, *pat, flag).map(|number| (*value, Some(number)))
                }
                _ => None,
            })),
            _ => {}
        }
        true
    });
    let mut found = Vec::new();
    while let Some((at, part)) = values.pop() {
        match (&body.expr(at).kind, part) {
            (ExprKind::Block(block), _) => match block.tail {
                Some(tail) => values.push((tail, part)),
                // a block without a value does not come back
                None => continue,
            },
            (ExprKind::Match { arms, .. }, _) => values.extend(arms.iter().map(|arm| (arm.body, part))),
            (ExprKind::If { then, otherwise: Some(otherwise), .. }, _) => {
                values.extend([(*then, part), (*otherwise, part)]);
            }
            (ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. }, _) => {}
            (ExprKind::Tuple(items), Some(number)) if number < items.len() => values.push((items[number], None)),
            _ => found.push(at),
        }
    }
    found
}

/// Which part of a tuple's pattern binds a local.
fn part_of(body: &Body, pat: PatId, local: LocalId) -> Option<usize> {
    let PatKind::Tuple(elements) = &body.pat(pat).kind else {
        return None;
    };
    elements.iter().position(
        |&element| matches!(body.pat(element).kind, PatKind::Bind { local: bound, inner: None } if bound == local),
    )
}

fn is_local(eval: &Eval<'_, '_>, id: ExprId, local: LocalId) -> bool {
    matches!(eval.body.expr(id).kind, ExprKind::Local(known) if known == local)
}

/// What is left of the outcomes of dispatches at a place, by the innermost branch around it that asks about some.
fn asked_around(eval: &Eval<'_, '_>, at: ExprId) -> Option<(Vec<Span>, Outcomes, bool)> {
    let mut inner = at;
    for _ in 0..MAX_AROUND {
        let outer = walk::parent(&eval.parents, inner)?;
        let arm = match &eval.body.expr(outer).kind {
            ExprKind::Match { arms, .. } => arms.iter().position(|arm| arm.body == inner),
            ExprKind::If { then, otherwise, .. } => {
                [Some(*then), *otherwise].iter().position(|part| *part == Some(inner))
            }
            _ => None,
        };
        let branch = arm.map(|arm| (eval.span_of(outer), arm as u32));
        let asked = eval.conditions.iter().find(|known| Some(known.branch) == branch && !known.about.is_empty());
        if let Some(asked) = asked {
            return Some((asked.about.clone(), asked.outcomes, asked.named));
        }
        inner = outer;
    }
    None
}
