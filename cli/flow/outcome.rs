//! Outcomes: which of them a branch still allows.
//!
//! A reply of a dispatch is a value with the origin [`Kind::Reply`]. Whoever matches on it, tests it, or hands its error to
//! a closure makes a branch in which only some outcomes are left; [`Condition`] says which.

use super::eval::Eval;
use super::events::Branch;
use super::value::{Kind, Value};
use crate::catalog::Call;
use crate::ir::{Arm, BinaryOp, ExprId, ExprKind, Literal, Name, PatId, PatKind};
use crate::resolve::{Callee, StructDef, Ty};
use crate::source::Span;

/// Expressions of a condition that are looked at.
pub(crate) const MAX_ASKED: usize = 64;

/// The arm of a closure that looks at an error which goes on to whoever comes next.
pub const HANDED_ON: u32 = u32::MAX - 1;

/// A set of outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcomes(u8);

impl Outcomes {
    /// nothing left the process
    pub const NOT_SENT: Self = Self(1);
    /// the provider acted
    pub const CONFIRMED: Self = Self(2);
    /// the provider refused
    pub const REJECTED: Self = Self(4);
    /// the provider had acted before
    pub const DUPLICATE: Self = Self(8);
    /// sent, and no answer
    pub const UNKNOWN: Self = Self(16);
    /// a lookup found nothing
    pub const MISSING: Self = Self(32);
    /// beside unknown: a word for work that waits, which says so of an answer, and of a row only that nobody took it
    pub const PENDING: Self = Self(64);
    /// any of them
    pub const ALL: Self = Self(31);
    /// what an error can stand for where nobody looks closer
    pub const ERROR: Self = Self(1 | 4 | 16);
    /// nothing
    pub const NONE: Self = Self(0);

    /// In both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In either.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without those of another.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of another are in it.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What the status of an HTTP answer means.
    pub(crate) fn of_status(status: i64) -> Option<Self> {
        Some(match status {
            200..=299 => Self::CONFIRMED,
            404 | 410 => Self::REJECTED.or(Self::MISSING),
            408 | 500..=599 => Self::UNKNOWN,
            425 | 429 => Self::NOT_SENT,
            400..=499 => Self::REJECTED,
            _ => return None,
        })
    }

    /// Whether nothing is left.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The outcome that a word of the catalog means.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "not_sent" => Self::NOT_SENT,
            "confirmed" => Self::CONFIRMED,
            "rejected" => Self::REJECTED,
            "duplicate" => Self::DUPLICATE,
            "unknown" => Self::UNKNOWN,
            // "Still pending" is no answer to what became of it.
            "released" => Self::UNKNOWN.or(Self::PENDING),
            // Asked to act, a provider that finds nothing has refused.
            "missing" => Self::REJECTED.or(Self::MISSING),
            _ => return None,
        })
    }
}

/// What is left in a branch of the outcomes of some dispatches.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) branch: Branch,
    /// the arm or block itself
    pub(crate) place: Span,
    /// the dispatches whose reply decides
    pub(crate) about: Vec<Span>,
    pub(crate) outcomes: Outcomes,
    /// a word or variant in the pattern says so, rather than `Ok` and `Err`
    pub(crate) named: bool,
}

/// The dispatches whose reply a value is, and whether it is a bare HTTP answer, whose status is still to be looked at.
pub(crate) fn replies(value: &Value) -> (Vec<Span>, bool) {
    let mut about = Vec::new();
    let mut bare = false;
    for atom in value.atoms() {
        if let Kind::Reply(site, http) = &atom.kind {
            bare |= http;
            if !about.contains(site) {
                about.push(*site);
            }
        }
    }
    (about, bare)
}

fn ok_of(bare: bool) -> Outcomes {
    match bare {
        true => Outcomes::CONFIRMED.or(Outcomes::REJECTED).or(Outcomes::UNKNOWN),
        false => Outcomes::CONFIRMED.or(Outcomes::DUPLICATE),
    }
}

fn error_of(bare: bool) -> Outcomes {
    match bare {
        true => Outcomes::NOT_SENT.or(Outcomes::UNKNOWN),
        false => Outcomes::ERROR,
    }
}

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
            match path.segments.last().map(|last| last.name.as_str()) {
                // `Ok(Err(..))`: of a timeout around the call, or of a join.
                Some("Ok") if elements.first().is_some_and(|&inner| is_result(eval, inner)) => {
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
                        Matched::plain(ok_of(bare).and(left.ok), taken)
                    }
                },
                Some("Err") => match (inner, wrapped) {
                    (Some(found), _) => Matched::named(found.and(left.error), Left { error: found, ..NOTHING }),
                    // The same code may come in another wrapper.
                    (None, Some(found)) => Matched::named(found.and(left.error), NOTHING),
                    (None, None) => {
                        let taken = if whole { Left { error: left.error, ..NOTHING } } else { NOTHING };
                        // What an error stands for where nobody has named "done before" is not a duplicate.
                        let error = if left.error.has(Outcomes::DUPLICATE) { error_of(bare) } else { left.error };
                        Matched::plain(error.and(left.error), taken)
                    }
                },
                _ => worded(eval, pat, both),
            }
        }
        PatKind::Path(_) if is_none(eval, pat) => {
            Matched::plain(Outcomes::ERROR.or(Outcomes::MISSING), Left { ok: Outcomes::MISSING, error: left.error })
        }
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
            let mut all_named = true;
            for &choice in choices {
                let one = of_pattern(eval, choice, bare, left);
                joined.outcomes = joined.outcomes.or(one.outcomes);
                joined.taken.ok = joined.taken.ok.or(one.taken.ok);
                joined.taken.error = joined.taken.error.or(one.taken.error);
                all_named &= one.named;
            }
            joined.named = all_named;
            joined
        }
        PatKind::Tuple(_) | PatKind::Slice(_) | PatKind::Range(..) | PatKind::Opaque => Matched::plain(both, NOTHING),
    }
}

fn is_none(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    matches!(&eval.body.pat(pat).kind, PatKind::Path(path)
        if path.segments.last().is_some_and(|last| last.name.as_str() == "None"))
}

/// `Ok(..)` or `Err(..)`.
fn is_result(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, .. } => {
            path.segments.last().is_some_and(|last| matches!(last.name.as_str(), "Ok" | "Err"))
        }
        _ => false,
    }
}

/// What a pattern for everything lets through: "done before" only where an earlier arm has not looked for it.
fn narrowed(both: Outcomes, left: Left) -> Outcomes {
    if left.ok.has(Outcomes::CONFIRMED) { both } else { both.without(Outcomes::DUPLICATE) }
}

fn worded(eval: &Eval<'_, '_>, pat: PatId, both: Outcomes) -> Matched {
    match words_of_pattern(eval, pat) {
        Some(found) => Matched::named(found, Left { ok: found, error: found }),
        None => Matched::plain(both, NOTHING),
    }
}

/// What a literal in a pattern means: the status of an answer, or a word of the catalog.
fn of_literal(eval: &Eval<'_, '_>, literal: &Literal) -> Option<Outcomes> {
    let word = |text: &str| eval.engine.words.of_text(text).and_then(Outcomes::of_word);
    match literal {
        Literal::Str(text) => word(text),
        Literal::Int(number) => word(&number.to_string()).or_else(|| Outcomes::of_status(*number)),
        _ => None,
    }
}

fn irrefutable(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    match &eval.body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::Tuple(elements) => elements.iter().all(|&element| irrefutable(eval, element)),
        PatKind::Struct { .. } => false,
        _ => false,
    }
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
    let (PatKind::Tuple(elements) | PatKind::TupleStruct { elements, .. }) = &eval.body.pat(pat).kind else {
        return None;
    };
    elements.iter().find_map(|&element| inner_words(eval, element).or_else(|| wrapped_words(eval, element)))
}

/// The outcome that the catalog, or the workspace's own words, give a variant or constant in a pattern.
pub(crate) fn words_of_pattern(eval: &Eval<'_, '_>, pat: PatId) -> Option<Outcomes> {
    let path = match (&eval.body.pat(pat).kind, eval.types.pattern(pat)) {
        (_, Some(StructDef::Local(ty, variant))) => {
            let info = eval.engine.program.type_(*ty);
            let name = info.ir.variants.get(*variant as usize)?.name;
            Name::new(&format!("{}::{name}", info.path))
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
    let info = eval.engine.program.type_(*ty);
    if !info.ir.is_enum {
        return None;
    }
    let mut taken = Vec::new();
    let mut work: Vec<PatId> = arms[..number].iter().filter(|arm| arm.guard.is_none()).map(|arm| arm.pat).collect();
    while let Some(pat) = work.pop() {
        match (&eval.body.pat(pat).kind, eval.types.pattern(pat)) {
            (PatKind::Or(choices), _) => work.extend(choices.iter().copied()),
            (_, Some(StructDef::Local(_, variant))) => taken.push(*variant),
            _ => {}
        }
    }
    let means = |at: usize| {
        let variant = info.ir.variants.get(at)?;
        outcome_of_variant(eval, Name::new(&format!("{}::{}", info.path, variant.name)))
    };
    // An enum of outcomes: whatever an arm before names is one.
    if taken.is_empty() || !taken.iter().all(|&variant| means(variant as usize).is_some()) {
        return None;
    }
    let rest = (0..info.ir.variants.len()).filter(|&at| !taken.contains(&(at as u32)));
    rest.filter_map(means).reduce(Outcomes::or)
}

/// Whether an expression is a part of an answer: whether that is there says nothing of what became of the request.
pub(crate) fn is_part(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_ASKED {
        at = match &eval.body.expr(at).kind {
            ExprKind::Field { base, .. } => {
                // A field of the object itself may hold the whole answer.
                return !matches!(eval.body.expr(*base).kind, ExprKind::Local(local)
                    if eval.body.locals[local.0 as usize].name.as_str() == "self");
            }
            ExprKind::MethodCall(call)
                if matches!(
                    call.name.as_str(),
                    "as_ref"
                        | "as_deref"
                        | "as_mut"
                        | "clone"
                        | "cloned"
                        | "take"
                        | "and_then"
                        | "map"
                        | "filter"
                        | "flatten"
                ) =>
            {
                call.receiver
            }
            ExprKind::Local(local) => match eval.body.bound(*local) {
                Some(value) => value,
                None => return false,
            },
            ExprKind::Try(inner) | ExprKind::Deref(inner) => *inner,
            _ => return false,
        };
    }
    false
}

/// The branches that an `if` condition makes: for the first arm and for the second.
pub(crate) fn of_condition(eval: &Eval<'_, '_>, id: ExprId) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    match &eval.body.expr(id).kind {
        ExprKind::Not(inner) => {
            let (about, yes, no, named) = of_condition(eval, *inner)?;
            Some((about, no, yes, named))
        }
        ExprKind::Let { pat, value } => {
            let (about, bare) = replies(&eval.quiet(*value));
            if about.is_empty() {
                return None;
            }
            let matched = of_pattern(eval, *pat, bare, Left::all(bare));
            if !matched.named && is_part(eval, *value) {
                return None;
            }
            Some((about, matched.outcomes, rest_of(eval, *pat, &matched, bare), matched.named))
        }
        ExprKind::Match { value, arms } => {
            // `matches!(reply, pattern)`
            let first = arms.first()?;
            let (about, bare) = replies(&eval.quiet(*value));
            let is_true = matches!(eval.body.expr(first.body).kind, ExprKind::Literal(Literal::Bool(true)));
            if about.is_empty() || !is_true || arms.len() != 2 {
                return None;
            }
            let matched = of_pattern(eval, first.pat, bare, Left::all(bare));
            Some((about, matched.outcomes, rest_of(eval, first.pat, &matched, bare), matched.named))
        }
        ExprKind::MethodCall(call) => {
            let (about, bare) = replies(&eval.quiet(call.receiver));
            if about.is_empty() {
                return None;
            }
            let told = predicate(eval, id, call.name);
            let (yes, no) = match (call.name.as_str(), told) {
                ("is_ok" | "is_ok_and", _) => (ok_of(bare), error_of(bare)),
                ("is_err" | "is_err_and", _) => (error_of(bare), ok_of(bare)),
                ("is_some" | "is_some_and", _) => (ok_of(bare), error_of(bare).or(Outcomes::MISSING)),
                ("is_none" | "is_none_or", _) => (error_of(bare).or(Outcomes::MISSING), ok_of(bare)),
                (_, Some(Outcomes::CONFIRMED)) => (Outcomes::CONFIRMED, Outcomes::ERROR),
                (_, Some(found)) => (found, Outcomes::ALL.without(found)),
                _ => return None,
            };
            Some((about, yes, no, told.is_some()))
        }
        ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right } => {
            let (about, _) = replies(&eval.quiet(*left));
            let found = value_word(eval, *right).filter(|_| !about.is_empty())?;
            let others = if found == Outcomes::CONFIRMED { Outcomes::ERROR } else { Outcomes::ALL.without(found) };
            match op {
                BinaryOp::Eq => Some((about, found, others, true)),
                _ => Some((about, others, found, true)),
            }
        }
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            let (a, b) = (of_condition(eval, *left), of_condition(eval, *right));
            match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => Some((a.0, a.1.and(b.1), a.2.or(b.2), a.3 | b.3)),
                (Some(one), None) | (None, Some(one)) => Some((one.0, one.1, Outcomes::ALL, one.3)),
                _ => None,
            }
        }
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            let (a, b) = (of_condition(eval, *left), of_condition(eval, *right));
            match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => Some((a.0, a.1.or(b.1), a.2.and(b.2), a.3 | b.3)),
                (Some(one), None) | (None, Some(one)) => Some((one.0, Outcomes::ALL, one.2, one.3)),
                _ => None,
            }
        }
        ExprKind::Local(_) => {
            let (about, _) = replies(&eval.quiet(id));
            (!about.is_empty()).then_some((about, Outcomes::CONFIRMED, Outcomes::ERROR, false))
        }
        ExprKind::Await(inner) | ExprKind::Try(inner) => {
            let (about, _) = replies(&eval.quiet(*inner));
            (!about.is_empty()).then_some((about, Outcomes::CONFIRMED, Outcomes::ERROR, false))
        }
        _ => None,
    }
}

/// The outcome that a value means which an answer is compared with: a code, a status, a variant.
pub(crate) fn value_word(eval: &Eval<'_, '_>, id: ExprId) -> Option<Outcomes> {
    match &eval.body.expr(id).kind {
        ExprKind::Literal(literal) => of_literal(eval, literal),
        ExprKind::Path(_) => outcome_of_variant(eval, eval.path_name(id)?),
        _ => None,
    }
}

/// The dispatches whose reply an unrecognised condition asks about: whoever asks may well tell an unknown outcome from a
/// refusal, in words that nobody here knows.
pub(crate) fn asked_about(eval: &Eval<'_, '_>, id: ExprId) -> Vec<Span> {
    let mut about = Vec::new();
    let mut work = vec![id];
    let mut steps = 0;
    while let Some(id) = work.pop() {
        steps += 1;
        if steps > MAX_ASKED {
            break;
        }
        if matches!(eval.body.expr(id).kind, ExprKind::Local(_) | ExprKind::MethodCall(_) | ExprKind::Call { .. }) {
            for site in replies(&eval.quiet(id)).0 {
                if !about.contains(&site) {
                    about.push(site);
                }
            }
        }
        work.extend(super::walk::children(eval.body, id));
    }
    about
}

/// What is left where a pattern did not match: nothing found, where it asks for `Some`.
pub(crate) fn rest_of(eval: &Eval<'_, '_>, pat: PatId, matched: &Matched, bare: bool) -> Outcomes {
    let asks_some = match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } => match path.segments.last().map(|last| last.name.as_str()) {
            Some("Some") => true,
            Some("Ok") => elements.first().is_some_and(|&inner| is_some(eval, inner)),
            _ => false,
        },
        _ => false,
    };
    let left = rest(matched, bare);
    if asks_some { left.or(Outcomes::MISSING) } else { left }
}

fn is_some(eval: &Eval<'_, '_>, pat: PatId) -> bool {
    matches!(&eval.body.pat(pat).kind, PatKind::TupleStruct { path, .. }
        if path.segments.last().is_some_and(|last| last.name.as_str() == "Some"))
}

fn rest(matched: &Matched, bare: bool) -> Outcomes {
    let left = Left::all(bare).after(matched);
    let ok = if left.ok.has(Outcomes::CONFIRMED) { left.ok } else { left.ok.without(Outcomes::DUPLICATE) };
    ok.or(left.error.and(error_of(bare))).without(Outcomes::MISSING)
}

/// What a predicate of the catalog tells of its receiver: `is_connect`, `is_success`.
pub(crate) fn predicate(eval: &Eval<'_, '_>, id: ExprId, name: Name) -> Option<Outcomes> {
    let matcher = eval.engine.matcher;
    let call = match eval.types.callee(id) {
        Some(Callee::ExternalMethod { receiver, method }) => {
            Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] }
        }
        Some(Callee::Functions(ids)) => Call::Workspace(eval.engine.program.function(*ids.first()?).path.as_str()),
        _ => Call::Unknown { method: name.as_str(), fields: &[] },
    };
    matcher.states(&call).iter().find_map(|state| Outcomes::of_word(&state.means))
}
