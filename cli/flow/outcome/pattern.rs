//! Patterns: which outcomes of a reply an arm takes, and what it leaves to the arms behind it.

use super::beside::is_picked_unseen;
use super::{Outcomes, error_of, made, ok_of, unread};
use crate::flow::eval::Eval;
use crate::flow::has_word;
use crate::flow::words::normal;
use crate::ir::{Arm, ExprId, ExprKind, Literal, Name, PatId, PatKind, PathIr};
use crate::resolve::{StructDef, Ty, TypeId};

/// What earlier arms have left over: of answers, and of errors. A timeout that an arm for answers let through may still
/// come as an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    pub(crate) ok: Outcomes,
    pub(crate) error: Outcomes,
}

impl Left {
    /// Before the first arm. An error may also say that all was done before.
    pub(crate) fn all(bare: bool) -> Self {
        Self {
            ok: ok_of(bare).or(Outcomes::MISSING),
            error: error_of(bare).or(Outcomes::DUPLICATE).or(Outcomes::MISSING),
        }
    }

    /// After an arm that takes everything it matches.
    pub(crate) fn after(self, matched: &Matched) -> Self {
        Self { ok: self.ok.without(matched.taken.ok), error: self.error.without(matched.taken.error) }
    }
}

impl Left {
    /// What is left for the result inside `Ok(..)`, whatever an arm for the outer error has taken.
    fn within(self, bare: bool) -> Self {
        if self.error.is_empty() { Self { error: Self::all(bare).error, ..self } } else { self }
    }

    /// After an arm that ends the matter for an error of the workspace's own: that one may be what an unknown outcome is
    /// called here.
    pub(crate) fn doubted(self) -> Self {
        Self { error: self.error.without(Outcomes::UNKNOWN), ..self }
    }

    /// After an arm with a guard: of what the arm matches, what the guard refuses is left.
    pub(crate) fn after_guard(self, matched: &Matched, refused: Outcomes) -> Self {
        let narrow = |left: Outcomes, taken: Outcomes| left.without(taken.without(refused));
        Self { ok: narrow(self.ok, matched.taken.ok), error: narrow(self.error, matched.taken.error) }
    }
}

/// What a pattern lets through of a reply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched {
    pub(crate) outcomes: Outcomes,
    /// what is nothing left of for later arms, if no guard stands in between
    pub(crate) taken: Left,
    /// a word or variant says so
    pub(crate) named: bool,
}

const NOTHING: Left = Left { ok: Outcomes::NONE, error: Outcomes::NONE };

impl Matched {
    fn plain(outcomes: Outcomes, taken: Left) -> Self {
        Self { outcomes, taken, named: false }
    }

    fn named(outcomes: Outcomes, taken: Left) -> Self {
        Self { outcomes, taken, named: true }
    }
}

/// What a pattern lets through, `left` being what earlier arms have left over.
pub(crate) fn of_pattern(eval: &Eval<'_, '_>, pat: PatId, bare: bool, left: Left) -> Matched {
    let both = left.ok.or(left.error).without(Outcomes::MISSING);
    match &eval.body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => Matched::plain(narrowed(both, left), left),
        PatKind::Bind { inner: Some(inner), .. } => of_pattern(eval, *inner, bare, left),
        PatKind::TupleStruct { path, elements, .. } => {
            let inner = elements.first().map(|&inner| inner_words(eval, inner)).unwrap_or_default();
            let wrapped = elements.first().and_then(|&inner| wrapped_words(eval, inner));
            let whole = elements.first().is_none_or(|&inner| irrefutable(eval, inner));
            match path.of_option_or_result() {
                // `Ok(Err(..))`: of a timeout around the call, or of a join.
                Some("Ok") if elements.first().is_some_and(|&inner| is_result(eval, inner)) => {
                    within(of_pattern(eval, elements[0], bare, left.within(bare)))
                }
                // `Some(Err(..))`: there may have been nothing to do, and what came of it stands inside.
                Some("Some") if elements.first().is_some_and(|&inner| is_result(eval, inner)) => {
                    of_pattern(eval, elements[0], bare, left)
                }
                // Asked what happened, a provider that answers with nothing has found nothing.
                Some("Ok") if elements.first().is_some_and(|&inner| is_none(eval, inner)) => {
                    Matched::plain(ok_of(bare).or(Outcomes::MISSING), Left { ok: Outcomes::MISSING, ..NOTHING })
                }
                Some("Ok" | "Some") => match inner {
                    Some(found) => {
                        Matched::named(found.and(left.ok.or(Outcomes::MISSING)), Left { ok: found, ..NOTHING })
                    }
                    None => {
                        let taken = if whole { Left { ok: left.ok, ..NOTHING } } else { NOTHING };
                        let kept = elements.first().is_none_or(|&inner| !is_wild(eval, inner));
                        let answer = if kept || left.ok != Left::all(bare).ok { ok_of(bare) } else { unread(bare) };
                        Matched::plain(answer.and(left.ok.or(Outcomes::UNREAD)), taken)
                    }
                },
                Some("Err") if elements.first().is_some_and(|&inner| inner_lost(eval, inner)) => lost(),
                Some("Err") if elements.first().is_some_and(|&inner| some_lost(eval, inner).is_some()) => {
                    let found = some_lost(eval, elements[0]).unwrap_or(Outcomes::UNKNOWN);
                    Matched::named(found.and(left.error.or(Outcomes::UNKNOWN)), NOTHING)
                }
                Some("Err") => match (inner, wrapped) {
                    // What the code says that is wrapped in it narrows what the variant says.
                    (Some(found), Some(code)) if !found.and(code).is_empty() => {
                        Matched::named(found.and(code).and(left.error), NOTHING)
                    }
                    // "Still pending" is an answer, and a lost one another error.
                    (Some(found), _) if found.has(Outcomes::PENDING) => Matched::named(
                        found.and(left.error),
                        Left { error: found.without(Outcomes::UNKNOWN), ..NOTHING },
                    ),
                    (Some(found), _) => Matched::named(found.and(left.error), Left { error: found, ..NOTHING }),
                    // The same code may come in another wrapper.
                    (None, Some(found)) => Matched::named(found.and(left.error), NOTHING),
                    (None, None) if is_picked_unseen(eval, elements[0]) => Matched::plain(Outcomes::REJECTED, NOTHING),
                    (None, None) => {
                        let taken = if whole { Left { error: left.error, ..NOTHING } } else { NOTHING };
                        // What an error stands for where nobody has named "done before" is not a duplicate.
                        let error = if left.error.has(Outcomes::DUPLICATE) { error_of(bare) } else { left.error };
                        Matched::plain(error.and(left.error), taken)
                    }
                },
                _ if is_lost(eval, pat) => lost(),
                _ => match worded(eval, pat, both) {
                    // The variant only wraps what says it.
                    silent if !silent.named => match inner.or(wrapped).map(|found| found.and(both)) {
                        Some(found) if !found.is_empty() => Matched::named(found, NOTHING),
                        _ => silent,
                    },
                    known => known,
                },
            }
        }
        PatKind::Path(_) if is_none(eval, pat) => {
            // Where an arm before has taken every error, nothing was done.
            let error = if left.error.is_empty() { Outcomes::NONE } else { Outcomes::ERROR };
            Matched::plain(error.or(Outcomes::MISSING), Left { ok: Outcomes::MISSING, error: left.error })
        }
        PatKind::Struct { .. } | PatKind::Path(_) if is_lost(eval, pat) => lost(),
        PatKind::Struct { .. } | PatKind::Path(_) => worded(eval, pat, both),
        PatKind::Literal(Literal::Bool(true)) => {
            Matched::plain(Outcomes::CONFIRMED, Left { ok: left.ok, error: Outcomes::NONE })
        }
        PatKind::Literal(Literal::Bool(false)) => {
            Matched::plain(Outcomes::ERROR, Left { error: left.error, ok: Outcomes::NONE })
        }
        PatKind::Literal(literal) => match of_literal(eval, literal) {
            Some(found) => Matched::named(found, Left { ok: found, error: found }),
            None => Matched::plain(both, NOTHING),
        },
        PatKind::Or(choices) => {
            let mut joined = Matched::plain(Outcomes::NONE, NOTHING);
            let (mut all_named, mut lost) = (true, false);
            for &choice in choices {
                let one = of_pattern(eval, choice, bare, left);
                joined.outcomes = joined.outcomes.or(one.outcomes);
                joined.taken.ok = joined.taken.ok.or(one.taken.ok);
                joined.taken.error = joined.taken.error.or(one.taken.error);
                all_named &= one.named;
                // Whoever takes a lost answer along by its name says so, whatever stands beside it.
                lost |= one.named && one.outcomes == Outcomes::UNKNOWN;
            }
            joined.named = all_named || lost;
            joined
        }
        PatKind::Tuple(_) | PatKind::Slice(_) | PatKind::Range(..) | PatKind::Opaque => Matched::plain(both, NOTHING),
    }
}

pub(crate) fn is_none(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    matches!(&eval.body.pat(pat).kind, PatKind::Path(path)
        if path.of_option_or_result() == Some("None"))
}

/// What a pattern for the inner result takes: that the outer one is an error, it leaves to others.
fn within(matched: Matched) -> Matched {
    let kept = Outcomes::UNKNOWN.or(Outcomes::NOT_SENT);
    let taken = Left { error: matched.taken.error.without(kept), ..matched.taken };
    Matched { taken, ..matched }
}

/// `Ok(..)` or `Err(..)`.
fn is_result(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, .. } => {
            matches!(path.of_option_or_result(), Some("Ok" | "Err"))
        }
        _ => false,
    }
}

/// What a pattern for everything lets through: "done before" only where an earlier arm has not looked for it.
fn narrowed(both: Outcomes, left: Left) -> Outcomes {
    if left.ok.has(Outcomes::CONFIRMED) { both } else { both.without(Outcomes::DUPLICATE) }
}

fn worded(eval: &Eval<'_, '_>, pat: PatId, both: Outcomes) -> Matched {
    let Some(found) = words_of_pattern(eval, pat) else {
        let told = if is_picked_unseen(eval, pat) { Outcomes::REJECTED } else { both };
        return Matched::plain(told, NOTHING);
    };
    // A variant that may say that all was done before says so by its code, where a pattern asks for one.
    if found == Outcomes::DUPLICATE {
        match code(eval, pat) {
            Some(Some(said)) => return Matched::named(said, Left { ok: said, error: said }),
            Some(None) => return Matched::plain(both.without(found), NOTHING),
            // Another arm has taken that code: what is left are other answers.
            None if both.and(found).is_empty() => return Matched::plain(Outcomes::REJECTED, NOTHING),
            None => {}
        }
    }
    Matched::named(found, Left { ok: found, error: found })
}

/// The code that a variant is asked for, and what it means, if that is known: `Response { code: 2302, .. }`.
fn code(eval: &Eval<'_, '_>, pat: PatId) -> Option<Option<Outcomes>> {
    let is_code = |pat: PatId| {
        matches!(eval.body.pat(pat).kind, PatKind::Literal(Literal::Str(_) | Literal::Int(_)) | PatKind::Range(_))
    };
    let asks = |field: &PatId| match &eval.body.pat(*field).kind {
        PatKind::Or(choices) => choices.iter().all(|&choice| is_code(choice)),
        _ => is_code(*field),
    };
    let asked = match &eval.body.pat(pat).kind {
        PatKind::Struct { fields, .. } => fields.iter().map(|(_, field)| *field).find(asks),
        PatKind::TupleStruct { elements, .. } => elements.iter().copied().find(asks),
        _ => None,
    };
    asked.map(|field| inner_words(eval, field))
}

/// The path of the struct or variant that a pattern takes.
pub(super) fn path_of<'p>(eval: &Eval<'_, 'p>, pat: PatId) -> Option<&'p PathIr> {
    match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, .. } | PatKind::Struct { path, .. } | PatKind::Path(path) => Some(path),
        _ => None,
    }
}

/// Nobody knows, and other errors may say so, too.
fn lost() -> Matched {
    Matched::named(Outcomes::UNKNOWN, NOTHING)
}

/// Whether a variant is for an answer that never came, as its name says and nothing else does: `ApiError::Timeout`. Of what
/// no dispatch has answered, that says nothing, unless it is beside the variant of an answer that came.
fn is_lost(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let named = path_of(eval, pat).is_some_and(|path| match &*path.segments {
        [_, .., last] => is_called_lost(eval, last.name),
        _ => false,
    });
    let answers = || match eval.types.pattern(pat) {
        Some(StructDef::Local(ty, _)) => tells_answers(eval, *ty),
        _ => false,
    };
    named && (!eval.unasked || answers()) && words_of_pattern(eval, pat).is_none()
}

fn is_called_lost(eval: &Eval<'_, '_>, name: Name) -> bool {
    eval.engine.catalog.words.lost_answers.contains(&normal(name.as_str()))
}

/// Whether the variants of an enum of the workspace are the answers that may come: one that it is done, and one that it is
/// refused, or another of an enum that is called an outcome.
fn tells_answers(eval: &Eval<'_, '_>, ty: TypeId) -> bool {
    let info = eval.engine.program.type_(ty);
    let any = |outcome: Outcomes| {
        info.ir.variants.iter().any(|variant| outcome_of_own(eval, info.path, variant.name) == Some(outcome))
    };
    let is_outcome = || {
        let name = normal(info.path.as_str().rsplit("::").next().unwrap_or_default());
        eval.engine.catalog.words.outcome_names.iter().any(|word| name.rsplit('_').next() == Some(word))
    };
    let agreed = || info.ir.variants.iter().any(|variant| agrees(eval, variant.name));
    (any(Outcomes::CONFIRMED) || agreed()) && (any(Outcomes::REJECTED) || is_outcome())
}

/// The outcome that a variant of an enum of the workspace is known by.
fn outcome_of_own(eval: &Eval<'_, '_>, of: Name, variant: Name) -> Option<Outcomes> {
    outcome_of_variant(eval, Name::new(&format!("{of}::{variant}")))
}

/// Whether a variant is called as one says yes: of something that is asked for that is no state, beside a refusal it is the
/// good answer.
fn agrees(eval: &Eval<'_, '_>, variant: Name) -> bool {
    eval.engine.catalog.words.good_flags.contains(&normal(variant.as_str()))
}

/// The same inside `Err(..)`, perhaps of one of several that are all so.
fn inner_lost(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => choices.iter().all(|&choice| is_lost(eval, choice)),
        PatKind::Bind { inner: Some(inner), .. } => inner_lost(eval, *inner),
        _ => is_lost(eval, pat),
    }
}

/// What several errors say together, one of which is a lost answer. Of those without a meaning of their own it is the one that
/// is known.
fn some_lost(eval: &Eval<'_, '_>, pat: PatId) -> Option<Outcomes> {
    let PatKind::Or(choices) = &eval.body.pat(pat).kind else {
        return None;
    };
    let lost = choices.iter().any(|&choice| is_lost(eval, choice));
    let named = choices.iter().filter_map(|&choice| words_of_pattern(eval, choice));
    lost.then(|| named.fold(Outcomes::UNKNOWN, Outcomes::or))
}

/// What a literal in a pattern means: the status of an answer, or a word of the catalog.
pub(super) fn of_literal(eval: &Eval<'_, '_>, literal: &Literal) -> Option<Outcomes> {
    let word = |text: &str| eval.engine.words.of_text(text).and_then(Outcomes::of_word);
    match literal {
        Literal::Str(text) => word(text),
        Literal::Int(number) => word(&number.to_string()).or_else(|| Outcomes::of_status(*number)),
        _ => None,
    }
}

pub(super) fn is_wild(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    matches!(eval.body.pat(pat).kind, PatKind::Wild)
}

fn irrefutable(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::Tuple(elements) => elements.iter().all(|&element| irrefutable(eval, element)),
        PatKind::Struct { .. } => false,
        _ => false,
    }
}

/// Whether an arm is for one error that says nothing but its name, while another one takes all the rest, or those that hold
/// what was told by somebody else: what nobody knows comes there.
pub(crate) fn is_told_from_rest(eval: &Eval<'_, '_>, arms: &[Arm], number: usize) -> bool {
    let of_error = |path: &PathIr| {
        let of = path.segments.iter().rev().nth(1).map(|owner| owner.name);
        of.filter(|of| of.as_str().ends_with("Error") || of.as_str().ends_with("Err"))
    };
    let bare = |pat: PatId| match &eval.body.pat(pat).kind {
        PatKind::Path(path) => of_error(path).filter(|_| words_of_pattern(eval, pat).is_none() && !is_lost(eval, pat)),
        _ => None,
    };
    let wraps = |pat: PatId| match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } if matches!(elements[..], [only] if irrefutable(eval, only)) => {
            of_error(path)
        }
        _ => None,
    };
    let inside = |pat: PatId| match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } if path.of_option_or_result() == Some("Err") => {
            elements.first().copied().unwrap_or(pat)
        }
        _ => pat,
    };
    let Some(one) = arms.get(number).filter(|arm| arm.guard.is_none()).and_then(|arm| bare(inside(arm.pat))) else {
        return false;
    };
    let unguarded = || arms.iter().enumerate().filter(|(_, arm)| arm.guard.is_none());
    unguarded()
        .any(|(at, arm)| at > number && irrefutable(eval, inside(arm.pat)) || wraps(inside(arm.pat)) == Some(one))
}

/// Whether a pattern is for any error: `Err(error)`.
pub(crate) fn takes_any_error(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } if path.of_option_or_result() == Some("Err") => {
            elements.iter().all(|&inner| irrefutable(eval, inner))
        }
        _ => false,
    }
}

/// Whether a pattern is for one error among those of an enum of the workspace: `Err(RouteError::Unclear)`.
pub(crate) fn names_own_error(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let PatKind::TupleStruct { path, elements, .. } = &eval.body.pat(pat).kind else {
        return false;
    };
    let is_error = path.of_option_or_result() == Some("Err");
    is_error && elements.iter().any(|&inner| matches!(eval.types.pattern(inner), Some(StructDef::Local(..))))
}

/// The outcome that a variant inside `Ok(..)` or `Err(..)` names.
fn inner_words(eval: &Eval<'_, '_>, pat: PatId) -> Option<Outcomes> {
    match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => {
            let mut joined: Option<Outcomes> = None;
            for &choice in choices {
                let one = inner_words(eval, choice)?;
                joined = Some(joined.map_or(one, |known| known.or(one)));
            }
            joined
        }
        PatKind::Bind { inner: Some(inner), .. } => inner_words(eval, *inner),
        PatKind::Literal(literal) => of_literal(eval, literal),
        _ => words_of_pattern(eval, pat),
    }
}

/// The outcome that a code names which is wrapped in another error, or stands beside something else.
fn wrapped_words(eval: &Eval<'_, '_>, pat: PatId) -> Option<Outcomes> {
    let within = |part: PatId| inner_words(eval, part).or_else(|| wrapped_words(eval, part));
    match &eval.body.pat(pat).kind {
        PatKind::Tuple(elements) | PatKind::TupleStruct { elements, .. } => elements.iter().copied().find_map(within),
        PatKind::Struct { fields, .. } => fields.iter().find_map(|(_, part)| within(*part)),
        _ => None,
    }
}

/// The outcome that the catalog, or the workspace's own words, give a variant or constant in a pattern.
pub(crate) fn words_of_pattern(eval: &Eval<'_, '_>, pat: PatId) -> Option<Outcomes> {
    let path = match (&eval.body.pat(pat).kind, eval.types.pattern(pat)) {
        (_, Some(StructDef::Local(ty, variant))) => {
            let info = eval.engine.program.type_(*ty);
            let name = info.ir.variants.get(*variant as usize)?.name;
            let path = Name::new(&format!("{}::{name}", info.path));
            return made::or_by_name(eval, path, (*ty, *variant));
        }
        (_, Some(StructDef::External(path) | StructDef::Unresolved(path))) => *path,
        (PatKind::TupleStruct { path, .. } | PatKind::Struct { path, .. } | PatKind::Path(path), _) => {
            path.segments.last().map(|last| last.name)?
        }
        _ => return None,
    };
    outcome_of_variant(eval, path)
}

/// The outcome of a variant's path.
pub(crate) fn outcome_of_variant(eval: &Eval<'_, '_>, path: Name) -> Option<Outcomes> {
    eval.engine.words.of_variant(path.as_str()).and_then(Outcomes::of_word)
}

/// What an arm for everything else takes of an enum of the workspace whose variants have meanings: those that no arm
/// before it names.
pub(crate) fn rest_of_enum(eval: &Eval<'_, '_>, value: ExprId, arms: &[Arm], number: usize) -> Option<Outcomes> {
    let arm = arms.get(number)?;
    if arm.guard.is_some() || !matches!(eval.body.pat(arm.pat).kind, PatKind::Wild | PatKind::Bind { inner: None, .. })
    {
        return None;
    }
    let Ty::Adt(ty, _) = eval.ty(value) else {
        return None;
    };
    rest_of_variants(eval, *ty, arms[..number].iter().filter(|arm| arm.guard.is_none()).map(|arm| arm.pat).collect())
}

/// What is left of an enum of the workspace whose variants have meanings beside those that some patterns name.
fn rest_of_variants(eval: &Eval<'_, '_>, ty: TypeId, mut work: Vec<PatId>) -> Option<Outcomes> {
    let info = eval.engine.program.type_(ty);
    if !info.ir.is_enum {
        return None;
    }
    let mut taken = Vec::new();
    while let Some(pat) = work.pop() {
        match (&eval.body.pat(pat).kind, eval.types.pattern(pat)) {
            (PatKind::Or(choices), _) => work.extend(choices.iter().copied()),
            (_, Some(StructDef::Local(_, variant))) => taken.push(*variant),
            _ => {}
        }
    }
    let means = |at: usize| {
        let variant = info.ir.variants.get(at)?;
        let answer = || match () {
            () if is_called_lost(eval, variant.name) => Some(Outcomes::UNKNOWN),
            () if agrees(eval, variant.name) => Some(Outcomes::CONFIRMED),
            () => None,
        };
        outcome_of_own(eval, info.path, variant.name).or_else(|| answer().filter(|_| tells_answers(eval, ty)))
    };
    // An enum of outcomes: whatever an arm before names is one.
    if taken.is_empty() || !taken.iter().all(|&variant| means(variant as usize).is_some()) {
        return None;
    }
    let rest = (0..info.ir.variants.len()).filter(|&at| !taken.contains(&(at as u32)));
    rest.filter_map(means).reduce(Outcomes::or)
}

/// The branches of a question for some variants of an enum of answers, whoever's they are: `if let Verdict::Refused = …`.
pub(crate) fn of_answers(eval: &Eval<'_, '_>, id: ExprId) -> Option<(Outcomes, Outcomes)> {
    let (pat, value) = match &eval.body.expr(id).kind {
        ExprKind::Not(inner) => return of_answers(eval, *inner).map(|(yes, no)| (no, yes)),
        ExprKind::Let { pat, value } => (*pat, *value),
        // `matches!(verdict, Verdict::Refused)`
        ExprKind::Match { value, arms } => match &arms[..] {
            [first, _]
                if first.guard.is_none()
                    && matches!(eval.body.expr(first.body).kind, ExprKind::Literal(Literal::Bool(true))) =>
            {
                (first.pat, *value)
            }
            _ => return None,
        },
        _ => return None,
    };
    let Ty::Adt(ty, _) = eval.ty(value) else {
        return None;
    };
    if !tells_answers(eval, *ty) {
        return None;
    }
    let matched = of_pattern(eval, pat, false, Left::all(false));
    matched.named.then_some((matched.outcomes, rest_of_variants(eval, *ty, vec![pat])?))
}

/// Whether a pattern takes a variant of the workspace's, or an application's, that says that nobody knows, alone or among
/// others.
pub(crate) fn takes_doubt(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => choices.iter().any(|&choice| takes_doubt(eval, choice)),
        PatKind::Path(_) | PatKind::Struct { .. } | PatKind::TupleStruct { .. } => {
            words_of_pattern(eval, pat) == Some(Outcomes::UNKNOWN) && !is_of_sort(eval, pat)
        }
        _ => false,
    }
}

/// Whether a pattern takes, among others, a code or variant that says that all was done before.
pub(crate) fn takes_repeat(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let says = |pat: PatId| inner_words(eval, pat) == Some(Outcomes::DUPLICATE);
    match &eval.body.pat(pat).kind {
        PatKind::Or(choices) => choices.iter().any(|&choice| says(choice) || takes_repeat(eval, choice)),
        PatKind::Bind { inner: Some(inner), .. } => takes_repeat(eval, *inner),
        PatKind::TupleStruct { path, elements, .. } if matches!(path.of_option_or_result(), Some("Err" | "Ok")) => {
            elements.first().is_some_and(|&inner| takes_repeat(eval, inner))
        }
        _ => false,
    }
}

/// Whether a variant tells one sort of a thing from others: an unknown one says nothing of what became of it.
pub(super) fn is_of_sort(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    let owner = match eval.types.pattern(pat) {
        Some(StructDef::Local(ty, _)) => eval.engine.program.type_(*ty).path.as_str().rsplit("::").next(),
        Some(StructDef::External(path) | StructDef::Unresolved(path)) => path.as_str().rsplit("::").nth(1),
        _ => None,
    };
    let owner = normal(owner.unwrap_or_default());
    eval.engine.catalog.words.sort_names.iter().any(|word| has_word(&owner, word))
}

fn is_some(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    matches!(&eval.body.pat(pat).kind, PatKind::TupleStruct { path, .. }
        if path.of_option_or_result() == Some("Some"))
}

/// What is left where a pattern did not match: nothing found, where it asks for `Some`.
pub(crate) fn rest_of(eval: &Eval<'_, '_>, pat: PatId, matched: &Matched, bare: bool) -> Outcomes {
    let asks_some = match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } => match path.of_option_or_result() {
            Some("Some") => true,
            Some("Ok") => elements.first().is_some_and(|&inner| is_some(eval, inner)),
            _ => false,
        },
        _ => false,
    };
    let left = rest(matched, bare);
    // Past all errors there is an answer.
    let past_errors = Left::all(bare).error.without(matched.taken.error).is_empty();
    let left = if past_errors && !left.is_empty() { left.or(unread(bare)) } else { left };
    if asks_some { left.or(Outcomes::MISSING) } else { left }
}

fn rest(matched: &Matched, bare: bool) -> Outcomes {
    let left = Left::all(bare).after(matched);
    let ok = if left.ok.has(Outcomes::CONFIRMED) { left.ok } else { left.ok.without(Outcomes::DUPLICATE) };
    ok.or(left.error.and(error_of(bare))).without(Outcomes::MISSING)
}
