//! What an arm for a named error takes beside an arm that takes what nobody knows by its name.
//!
//! `Err(RingError::Engaged(why))` beside `Err(RingError::NoAnswer(_))`: who tells the lost answer apart has another word for a
//! refusal. An arm for all the rest, and an error that may hold anything, say nothing of the kind.

use super::Outcomes;
use super::made::is_plain;
use super::pattern::{is_told_from_rest, path_of, takes_any_error, words_of_pattern};
use crate::flow::eval::Eval;
use crate::flow::words::normal;
use crate::flow::{has_word, walk};
use crate::ir::{Arm, Body, ExprId, ExprKind, Literal, Name, PatId, PatKind, Variant};
use crate::resolve::StructDef;

/// Whether an arm is for named errors alone, and what nobody knows comes to another one. Who is beside the arm of a lost answer
/// is asked of the answer to a dispatch only.
pub(crate) fn is_told_apart(eval: &Eval<'_, '_>, arms: &[Arm], number: usize, answered: bool) -> bool {
    answered && (is_beside_doubt(eval, arms, number) || is_no(eval, arms, number))
        || is_told_from_rest(eval, arms, number)
}

/// Whether an expression asks by a pattern and answers with yes or no: `matches!(reply, Err(Error::Lost))`.
pub(crate) fn is_yes_or_no(body: &Body, id: ExprId) -> bool {
    matches!(&body.expr(id).kind, ExprKind::Match { arms, .. } if asks(body, arms))
}

fn asks(body: &Body, arms: &[Arm]) -> bool {
    let says = |id: ExprId, truth: bool| matches!(body.expr(id).kind, ExprKind::Literal(Literal::Bool(known)) if known == truth);
    match arms {
        [yes, no] => {
            says(yes.body, true)
                && says(no.body, false)
                && no.guard.is_none()
                && matches!(body.pat(no.pat).kind, PatKind::Wild)
        }
        _ => false,
    }
}

/// Whether an arm is the "no" to the question whether an answer may have been lost.
fn is_no(eval: &Eval<'_, '_>, arms: &[Arm], number: usize) -> bool {
    number == 1 && asks(eval.body, arms) && arms[0].guard.is_none() && takes_lost(eval, arms[0].pat)
}

/// Whether an arm is for errors with names of their own, while another one is for the lost answer among the same errors.
fn is_beside_doubt(eval: &Eval<'_, '_>, arms: &[Arm], number: usize) -> bool {
    let Some(own) = arms.get(number).and_then(|arm| errors(eval, arm.pat)) else {
        return false;
    };
    let undone = |error: PatId| words_of_pattern(eval, error).is_some_and(|known| !known.has(Outcomes::UNKNOWN));
    let told = |error: PatId| is_silent(eval, error) || undone(error);
    let Some(&(owner, _)) = own.first().filter(|_| own.iter().all(|&(_, error)| told(error))) else {
        return false;
    };
    let others = arms.iter().enumerate().filter(|(at, arm)| *at != number && arm.guard.is_none());
    others.filter_map(|(_, arm)| errors(eval, arm.pat)).flatten().any(|(of, error)| of == owner && is_lost(eval, error))
}

/// Whether an arm for all other errors takes, without its name, the variant that is said to mean "done before": the arms in
/// front of it name others of the same enum.
pub(crate) fn leaves_repeat(eval: &Eval<'_, '_>, arms: &[Arm], number: usize) -> bool {
    if arms[number].guard.is_some() || !takes_any_error(eval, arms[number].pat) {
        return false;
    }
    let before = arms[..number].iter().filter(|arm| arm.guard.is_none());
    let variant = |(_, error): (Name, PatId)| match eval.types.pattern(error) {
        Some(StructDef::Local(ty, variant)) => Some((*ty, *variant)),
        _ => None,
    };
    let named: Vec<_> = before.filter_map(|arm| errors(eval, arm.pat)).flatten().filter_map(variant).collect();
    named.first().is_some_and(|&(ty, _)| {
        let info = eval.engine.program.type_(ty);
        let means = |variant: &Variant| eval.engine.words.of_path(&format!("{}::{}", info.path, variant.name));
        let mut variants = (0..).zip(&info.ir.variants);
        variants.any(|(at, variant)| means(variant) == Some("duplicate") && !named.contains(&(ty, at)))
    })
}

/// Whether a pattern names an error that may be a lost answer, perhaps among others: who asks for that tells it apart.
pub(super) fn takes_lost(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    if let PatKind::Or(choices) = &eval.body.pat(pat).kind {
        return choices.iter().any(|&choice| takes_lost(eval, choice));
    }
    errors(eval, pat)
        .is_some_and(|named| named.iter().any(|&(_, error)| is_lost(eval, error) && !has_status(eval, error)))
}

/// Whether what an error holds is asked for its status, as a field of it: the answer came, and only the others are lost.
fn has_status(eval: &Eval<'_, '_>, error: PatId) -> bool {
    let mut held = Vec::new();
    walk::bound_by(eval.body, error, &mut held);
    let names = &eval.engine.catalog.words.status_fields;
    eval.body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Field { base, name } => {
            names.iter().any(|known| known == name.as_str())
                && matches!(eval.body.expr(*base).kind, ExprKind::Local(local) if held.contains(&local))
        }
        _ => false,
    })
}

/// The variants that a pattern for errors or their codes names, each with the enum that it is one of; nothing if it takes others, too.
fn errors(eval: &Eval<'_, '_>, pat: PatId) -> Option<Vec<(Name, PatId)>> {
    match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => {
            let each: Option<Vec<_>> = choices.iter().map(|&choice| errors(eval, choice)).collect();
            each.map(|each| each.concat())
        }
        PatKind::Bind { inner: Some(inner), .. } => errors(eval, *inner),
        PatKind::TupleStruct { path, elements, .. } if path.of_option_or_result() == Some("Err") => {
            elements.first().and_then(|&inner| errors(eval, inner))
        }
        _ => {
            let path = path_of(eval, pat)?;
            let owner = path.segments.iter().rev().nth(1)?.name;
            let is_error = ["Error", "Err", "Code"].iter().any(|end| owner.as_str().ends_with(end));
            (is_error && path.of_option_or_result().is_none()).then(|| vec![(owner, pat)])
        }
    }
}

/// Whether a variant may hold a lost answer, by its name and alone.
fn is_lost(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let words = &eval.engine.catalog.words.way_errors;
    words_of_pattern(eval, pat).map_or_else(|| is_called(eval, pat, words), |known| known.has(Outcomes::UNKNOWN))
}

/// Whether a variant neither says what became of the effect nor holds an error that does.
fn is_silent(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let words = &eval.engine.catalog.words;
    let plain = || match eval.types.pattern(pat) {
        Some(StructDef::Local(ty, variant)) => {
            let variant = eval.engine.program.type_(*ty).ir.variants.get(*variant as usize);
            variant.is_some_and(|variant| variant.fields.len() != 1 || is_plain(&variant.fields[0].ty))
        }
        _ => true,
    };
    words_of_pattern(eval, pat).is_none()
        && !is_called(eval, pat, &words.way_errors)
        && !is_called(eval, pat, &words.open_errors)
        && plain()
}

/// Whether a pattern picks an error of the application out whose enum is not in sight, and nothing about the name says that
/// an answer may have been lost. What it means is not known; who names it tells it apart from what nobody knows.
pub(super) fn is_picked_unseen(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let unseen = |error: PatId| match eval.types.pattern(error) {
        Some(StructDef::Unresolved(path) | StructDef::External(path)) => path.as_str().starts_with("crate::"),
        _ => false,
    };
    let picked = errors(eval, pat).unwrap_or_default();
    let told = |error: PatId| words_of_pattern(eval, error).is_some_and(|known| !known.has(Outcomes::UNKNOWN));
    !picked.is_empty() && picked.iter().all(|&(_, error)| told(error) || unseen(error) && is_silent(eval, error))
}

fn is_called(eval: &Eval<'_, '_>, pat: PatId, words: &[String]) -> bool {
    let last = path_of(eval, pat).and_then(|path| path.segments.last());
    let name = last.map(|last| normal(last.name.as_str())).unwrap_or_default();
    words.iter().any(|word| has_word(&name, word))
}
