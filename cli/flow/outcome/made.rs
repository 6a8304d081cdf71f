//! What variants of the workspace's own enums mean where no word says so: by the branches that make them.
//!
//! `NotReached` that is made only where `error.is_connect()` holds says that nothing was sent. A function tells its callers
//! of the variants of what it answers with; one that wraps somebody else's error may come by `?` as well and tells nothing.

use std::collections::BTreeMap;

use super::Outcomes;
use crate::flow::combinators;
use crate::flow::eval::Eval;
use crate::ir::{ExprId, ExprKind, Name, TypeIr};
use crate::resolve::{FnId, FunctionInfo, Ty, TypeId};

/// The outcomes under which each variant of an enum is made.
pub(crate) type Made = BTreeMap<(TypeId, u32), Outcomes>;

/// Notes that a variant is put together where the evaluation stands.
pub(crate) fn note(eval: &mut Eval<'_, '_>, ty: TypeId, variant: u32) {
    let program = eval.engine.program;
    if !eval.function.is_some_and(|id| answers_with(program.function(id), ty)) {
        return;
    }
    let info = program.type_(ty);
    let Some(declared) = info.ir.variants.get(variant as usize).filter(|_| info.ir.is_enum) else {
        return;
    };
    let wraps = matches!(declared.fields.as_slice(), [only] if !is_plain(&only.ty));
    let path = Name::new(&format!("{}::{}", info.path, declared.name));
    if wraps || eval.engine.words.of_path(path.as_str()).is_some() {
        return;
    }
    let marks = eval.branch_marks();
    let around = eval.conditions.iter().filter(|known| !known.about.is_empty() && marks.contains(&known.branch));
    let here = around.fold(Outcomes::ALL, |all, known| all.narrowed(known.outcomes));
    add(&mut eval.made, (ty, variant), here);
}

/// What a caller takes over.
pub(crate) fn add(made: &mut Made, variant: (TypeId, u32), outcomes: Outcomes) {
    let known = made.entry(variant).or_insert(Outcomes::NONE);
    *known = known.or(outcomes);
}

/// The function that `?` calls with the error of an expression.
pub(crate) fn conversion(eval: &Eval<'_, '_>, failed: ExprId) -> Option<FnId> {
    let program = eval.engine.program;
    let Ty::External(_, args) = eval.function.map(|id| &program.function(id).ret)? else {
        return None;
    };
    let Some(Ty::Adt(into, _)) = args.get(1) else {
        return None;
    };
    let from = match eval.ty(failed) {
        Ty::External(_, given) => given.get(1).unwrap_or(&Ty::Unknown),
        other => other,
    };
    // What the closure of a `map_err` makes is its own already.
    if *from == Ty::Unknown && makes_its_own(eval, failed) {
        return None;
    }
    eval.engine.conversion(*into, from)
}

/// Whether the error of an expression is made by a combinator, so that it is none of the call in front of it.
fn makes_its_own(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    match &eval.body.expr(id).kind {
        ExprKind::Await(inner) => makes_its_own(eval, *inner),
        ExprKind::MethodCall(call) => {
            let name = call.name.as_str();
            combinators::takes(name, call.args.len()).is_some() || combinators::rewords(name)
        }
        ExprKind::Call { .. } => false,
        _ => true,
    }
}

/// What the conversion of an error makes of it, under the outcomes that the error stands for.
pub(crate) fn converted(eval: &mut Eval<'_, '_>, conversion: FnId, error: Outcomes) {
    let made = eval.engine.summary(conversion).made.clone();
    for (variant, outcomes) in made {
        add(&mut eval.made, variant, outcomes.and(error));
    }
}

/// What a function tells its callers: of what it answers with itself.
pub(crate) fn told(eval: &mut Eval<'_, '_>, info: &FunctionInfo) -> Made {
    std::mem::take(&mut eval.made).into_iter().filter(|((ty, _), _)| answers_with(info, *ty)).collect()
}

/// The outcome of a variant, where it is made for one kind and not for the other: what may be done, and what is not.
fn meaning(eval: &Eval<'_, '_>, variant: (TypeId, u32)) -> Option<Outcomes> {
    // Of whom the answer is must be known: another one's may be called the same.
    let known = *eval.made.get(&variant).filter(|_| !eval.unasked)?;
    let done = !known.and(Outcomes::DONE).is_empty();
    let undone = !known.and(Outcomes::UNKNOWN.or(Outcomes::REJECTED).or(Outcomes::NOT_SENT)).is_empty();
    (done != undone).then_some(known)
}

/// Whether a function answers with an enum: as it is, or in a result or option.
pub(crate) fn answers_with(info: &FunctionInfo, ty: TypeId) -> bool {
    let is = |of: &Ty| matches!(of, Ty::Adt(id, _) if *id == ty);
    match &info.ret {
        Ty::External(_, args) => args.iter().any(is),
        ret => is(ret),
    }
}

/// The outcome of a variant by its name, and by the branches that make it: one that is called a failure and made in doubt is
/// in doubt, unless the application says what it means.
pub(super) fn or_by_name(eval: &Eval<'_, '_>, path: Name, variant: (TypeId, u32)) -> Option<Outcomes> {
    let named = super::pattern::outcome_of_variant(eval, path);
    if eval.engine.words.of_path(path.as_str()).is_some() {
        return named;
    }
    match (named, meaning(eval, variant)) {
        (Some(named), Some(made)) if made.has(Outcomes::UNKNOWN) && !named.has(Outcomes::UNKNOWN) => Some(made),
        // A refusal may stand for an answer that was not there, too.
        (Some(named), _) if named == Outcomes::REJECTED && is_made_of_nothing(eval, variant) => {
            Some(named.or(Outcomes::MISSING))
        }
        (named, made) => named.or(made),
    }
}

/// Whether a variant is made where a lookup found nothing, and not for every answer.
fn is_made_of_nothing(eval: &Eval<'_, '_>, variant: (TypeId, u32)) -> bool {
    let known = eval.made.get(&variant).filter(|_| !eval.unasked);
    known.is_some_and(|known| known.has(Outcomes::MISSING) && !known.has(Outcomes::ALL))
}

/// A text, a number or the like, which says more of an error and is none itself.
pub(super) fn is_plain(ty: &TypeIr) -> bool {
    match ty {
        TypeIr::Path(path) => path.segments.last().is_some_and(|last| {
            let name = last.name.as_str();
            matches!(name, "String" | "StatusCode" | "Cow" | "Value") || !name.starts_with(char::is_uppercase)
        }),
        _ => false,
    }
}
