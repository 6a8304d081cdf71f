//! Outcomes: which of them a branch still allows.
//!
//! A reply of a dispatch is a value with the origin [`Kind::Reply`]. Whoever matches on it, tests it, or hands its error to
//! a closure makes a branch in which only some outcomes are left; [`Condition`] says which.

use super::eval::Eval;
use super::events::Branch;
use super::value::{Kind, Value};
use crate::catalog::Call;
use crate::ir::{BinaryOp, ExprId, ExprKind, Literal, Name, PatId, PatKind};
use crate::resolve::{Callee, StructDef};
use crate::source::Span;

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
    /// any of them
    pub const ALL: Self = Self(31);
    /// what an error can stand for where nobody looks closer
    pub const ERROR: Self = Self(1 | 4 | 16);

    /// In both.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In either.
    pub fn or(self, other: Self) -> Self {
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
            _ => return None,
        })
    }
}

/// What is left in a branch of the outcomes of some dispatches.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) branch: Branch,
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

/// What a pattern lets through of a reply, and whether that leaves nothing of it for later arms.
pub(crate) struct Matched {
    pub(crate) outcomes: Outcomes,
    pub(crate) complete: bool,
    pub(crate) named: bool,
}

/// What a pattern lets through, `left` being what earlier arms have left over.
pub(crate) fn of_pattern(eval: &Eval<'_, '_>, pat: PatId, bare: bool, left: Outcomes) -> Matched {
    let plain = |outcomes: Outcomes, complete| Matched { outcomes: outcomes.and(left), complete, named: false };
    match &eval.body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => plain(left, true),
        PatKind::Bind { inner: Some(inner), .. } => of_pattern(eval, *inner, bare, left),
        PatKind::TupleStruct { path, elements, .. } => {
            let inner = elements.first().map(|&inner| inner_words(eval, inner));
            match path.segments.last().map(|last| last.name.as_str()) {
                Some("Ok" | "Some") => match inner.flatten() {
                    Some(found) => Matched { outcomes: found.and(left), complete: false, named: true },
                    None => plain(ok_of(bare), elements.first().is_none_or(|&inner| irrefutable(eval, inner))),
                },
                Some("Err") => match inner.flatten() {
                    Some(found) => {
                        Matched { outcomes: found.and(left), complete: found == Outcomes::UNKNOWN, named: true }
                    }
                    None => plain(error_of(bare), elements.first().is_none_or(|&inner| irrefutable(eval, inner))),
                },
                _ => match words_of_pattern(eval, pat) {
                    Some(found) => Matched { outcomes: found.and(left), complete: true, named: true },
                    None => plain(left, false),
                },
            }
        }
        PatKind::Path(path) if path.segments.last().is_some_and(|last| last.name.as_str() == "None") => {
            plain(Outcomes::ERROR, true)
        }
        PatKind::Struct { .. } | PatKind::Path(_) => match words_of_pattern(eval, pat) {
            Some(found) => Matched { outcomes: found.and(left), complete: true, named: true },
            None => plain(left, false),
        },
        PatKind::Literal(Literal::Bool(true)) => plain(Outcomes::CONFIRMED, true),
        PatKind::Literal(Literal::Bool(false)) => plain(Outcomes::ERROR, true),
        PatKind::Or(choices) => {
            let mut joined = Matched { outcomes: Outcomes(0), complete: false, named: false };
            for &choice in choices {
                let one = of_pattern(eval, choice, bare, left);
                joined.outcomes = joined.outcomes.or(one.outcomes);
                joined.complete |= one.complete;
                joined.named |= one.named;
            }
            joined
        }
        PatKind::Tuple(_) | PatKind::Slice(_) | PatKind::Range(..) | PatKind::Literal(_) | PatKind::Opaque => {
            plain(left, false)
        }
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
        _ => words_of_pattern(eval, pat),
    }
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
            let matched = of_pattern(eval, *pat, bare, Outcomes::ALL);
            let rest = if matched.complete { Outcomes::ALL.without(matched.outcomes) } else { Outcomes::ALL };
            let rest = match error_pattern(eval, *pat) {
                Some(true) => ok_of(bare),
                Some(false) => rest.and(error_of(bare).or(if bare { Outcomes::UNKNOWN } else { Outcomes::ERROR })),
                None => rest,
            };
            Some((about, matched.outcomes, rest, matched.named))
        }
        ExprKind::Match { value, arms } => {
            // `matches!(reply, pattern)`
            let first = arms.first()?;
            let (about, bare) = replies(&eval.quiet(*value));
            let is_true = matches!(eval.body.expr(first.body).kind, ExprKind::Literal(Literal::Bool(true)));
            if about.is_empty() || !is_true || arms.len() != 2 {
                return None;
            }
            let matched = of_pattern(eval, first.pat, bare, Outcomes::ALL);
            let rest = if matched.complete { Outcomes::ALL.without(matched.outcomes) } else { Outcomes::ALL };
            Some((about, matched.outcomes, rest, matched.named))
        }
        ExprKind::MethodCall(call) => {
            let (about, bare) = replies(&eval.quiet(call.receiver));
            if about.is_empty() {
                return None;
            }
            let told = predicate(eval, id, call.name);
            let (yes, no) = match (call.name.as_str(), told) {
                ("is_ok" | "is_some" | "is_ok_and" | "is_some_and", _) => (ok_of(bare), error_of(bare)),
                ("is_err" | "is_none" | "is_err_and" | "is_none_or", _) => (error_of(bare), ok_of(bare)),
                (_, Some(Outcomes::CONFIRMED)) => (Outcomes::CONFIRMED, Outcomes::ERROR),
                (_, Some(found)) => (found, Outcomes::ALL.without(found)),
                _ => return None,
            };
            Some((about, yes, no, told.is_some()))
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

fn error_pattern(eval: &Eval<'_, '_>, pat: PatId) -> Option<bool> {
    match &eval.body.pat(pat).kind {
        PatKind::TupleStruct { path, .. } => match path.segments.last()?.name.as_str() {
            "Err" => Some(true),
            "Ok" | "Some" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What a predicate of the catalog tells of its receiver: `is_connect`, `is_success`.
fn predicate(eval: &Eval<'_, '_>, id: ExprId, name: Name) -> Option<Outcomes> {
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
