//! Outcomes: which of them a branch still allows.
//!
//! A reply of a dispatch is a value with the origin [`Kind::Reply`]. Whoever matches on it, tests it, or hands its error to
//! a closure makes a branch in which only some outcomes are left; [`Condition`] says which.

mod beside;
mod each;
mod flag;
pub(crate) mod made;
mod pattern;
mod rest;

pub(crate) use beside::{is_told_apart, is_yes_or_no, leaves_repeat};
use pattern::of_literal;
pub(crate) use pattern::{
    Left, is_none, names_own_error, of_answers, of_pattern, outcome_of_variant, rest_of, rest_of_enum, takes_any_error,
    takes_doubt, takes_repeat, words_of_pattern,
};
pub(crate) use rest::takes_rest;

use super::eval::Eval;
use super::events::Branch;
use super::value::{Kind, Value};
use crate::catalog::Call;
use crate::ir::{BinaryOp, ExprId, ExprKind, Literal, MethodCall, Name, PatId};
use crate::resolve::{Callee, Ty};
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
    /// beside what raw HTTP may answer: nobody keeps the answer here, so this branch does not know its status
    pub const UNREAD: Self = Self(128);
    /// any of them
    pub const ALL: Self = Self(31);
    /// the provider has acted, now or before, and says so
    pub const DONE: Self = Self(2 | 8);
    /// what an error can stand for where nobody looks closer
    pub const ERROR: Self = Self(1 | 4 | 16);
    /// nothing
    pub const NONE: Self = Self(0);

    /// Whether only an error is left, and no answer.
    pub fn is_error(self) -> bool {
        self.has(Self::UNKNOWN) && self.and(Self::DONE).is_empty()
    }

    /// In both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In either.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is left of them where others are asked for: those in both, and that a lookup found nothing, which is known only
    /// where it is asked.
    pub const fn narrowed(self, asked: Self) -> Self {
        self.and(asked).or(asked.and(Self::MISSING))
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

/// Whether an arm takes an answer that says "nobody knows".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Doubts {
    /// none, as far as is known
    #[default]
    None,
    /// it names one, among others
    Named,
    /// it takes all that no arm before it has named, one among them
    Left,
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
    /// whether one that says "nobody knows" is among those that the pattern takes
    pub(crate) doubts: Doubts,
    /// one that says "done before" is among those that the pattern takes
    pub(crate) repeats: bool,
    /// it takes whatever error there is
    pub(crate) any_error: bool,
    /// errors of another sort than the only one that is looked at come here together with good answers
    pub(crate) beside: bool,
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
        false => Outcomes::DONE,
    }
}

/// What is left where an answer is known to be there, and is not kept.
fn unread(bare: bool) -> Outcomes {
    if bare { ok_of(bare).or(Outcomes::UNREAD) } else { ok_of(bare) }
}

fn error_of(bare: bool) -> Outcomes {
    match bare {
        true => Outcomes::NOT_SENT.or(Outcomes::UNKNOWN),
        false => Outcomes::ERROR,
    }
}

/// Whether a value is an answer or, where nobody was asked, nothing: that nothing is there says nothing of an outcome.
pub(crate) fn asks_whether_asked(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let value = eval.quiet(id);
    let is_reply = |kind: &Kind| matches!(kind, Kind::Reply(..));
    let unasked = value.alts.iter().any(|alt| {
        let kinds = || alt.atoms.iter().map(|atom| &atom.kind);
        kinds().any(Kind::is_absent) && !kinds().any(is_reply)
    });
    unasked && value.atoms().any(|atom| is_reply(&atom.kind))
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
            // One of several things in it: an entry that was refused.
            ExprKind::MethodCall(call) if matches!(call.name.as_str(), "find" | "first" | "last" | "nth") => {
                return true;
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

/// Whether the error of an answer has left the function before, by `?`: what is still missing is something in the answer.
pub(crate) fn is_past_error(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_ASKED {
        at = match &eval.body.expr(at).kind {
            ExprKind::Try(_) => return true,
            ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
            ExprKind::Local(local) => match eval.body.bound(*local) {
                Some(value) => value,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}

/// Whether a function is handed an answer as something that may not be there: whoever asked has looked at errors, or not.
pub(crate) fn is_handed_option(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let optional = |ty: &Ty| matches!(ty, Ty::External(path, _) if path.as_str() == "std::option::Option");
    match &eval.body.expr(id).kind {
        ExprKind::Local(local) => eval.body.bound(*local).is_none() && optional(eval.ty(id)),
        _ => false,
    }
}

/// What the yes or no of a function says of an answer that it is handed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// the place of the parameter
    pub(crate) place: Span,
    pub(crate) yes: Outcomes,
    pub(crate) no: Outcomes,
}

/// What a function that only asks says of an answer that it is handed: `fn went_through(self) -> bool`.
pub(crate) fn told(eval: &Eval<'_, '_>) -> Option<Told> {
    let info = eval.function.map(|id| eval.engine.program.function(id))?;
    if !matches!(&info.ret, Ty::Primitive(name) if name.as_str() == "bool") {
        return None;
    }
    let asked = match &eval.body.expr(eval.body.root).kind {
        ExprKind::Block(block) if block.statements.is_empty() => block.tail?,
        _ => eval.body.root,
    };
    let (about, yes, no, _) = of_condition(eval, asked)?;
    match about.as_slice() {
        &[place] if super::handed::is_place(info, place) => Some(Told { place, yes, no }),
        _ => None,
    }
}

/// The branches that the yes or no of a function of the workspace makes, by what it asks of its arguments.
fn of_predicate(eval: &Eval<'_, '_>, id: ExprId) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    let Some(Callee::Functions(ids)) = eval.types.callee(id) else {
        return None;
    };
    let &[function] = ids.as_slice() else {
        return None;
    };
    let told = eval.engine.known(function)?.told?;
    let info = eval.engine.program.function(function);
    let at = super::handed::number_of(info, told.place)?;
    let handed = match &eval.body.expr(id).kind {
        ExprKind::MethodCall(call) if at == 0 => call.receiver,
        ExprKind::MethodCall(call) => *call.args.get(at - 1)?,
        ExprKind::Call { args, .. } => *args.get(at)?,
        _ => return None,
    };
    let (about, _) = replies(&eval.quiet(handed));
    (!about.is_empty()).then_some((about, told.yes, told.no, true))
}

/// The branches that an `if` condition makes: for the first arm and for the second.
pub(crate) fn of_condition(eval: &Eval<'_, '_>, id: ExprId) -> Option<(Vec<Span>, Outcomes, Outcomes, bool)> {
    if let Some(found) = of_predicate(eval, id) {
        return Some(found);
    }
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
            let rest = match asks_whether_asked(eval, *value) {
                true => Outcomes::ALL,
                false => told_from(eval, *pat, rest_of(eval, *pat, &matched, bare)),
            };
            Some((about, matched.outcomes, rest, matched.named))
        }
        ExprKind::Match { value, arms } => {
            // `matches!(reply, pattern)`
            let first = arms.first()?;
            let (about, bare) = replies(&eval.quiet(*value));
            let is_true = matches!(eval.body.expr(first.body).kind, ExprKind::Literal(Literal::Bool(true)));
            if about.is_empty() || !is_true || arms.len() != 2 {
                return each::of_each(eval, id);
            }
            let matched = of_pattern(eval, first.pat, bare, Left::all(bare));
            let rest = told_from(eval, first.pat, rest_of(eval, first.pat, &matched, bare));
            let Some(guard) = first.guard else {
                return Some((about, matched.outcomes, rest, matched.named));
            };
            // `matches!(error, Error::Transport(cause) if cause.is_connect())`: of what the pattern takes, the guard leaves some.
            match asked_of(eval, guard, 0) {
                Some(left) => Some((about, matched.outcomes.and(left), rest.or(matched.outcomes), true)),
                None => Some((about, matched.outcomes, rest.or(matched.outcomes), matched.named)),
            }
        }
        ExprKind::MethodCall(call) if each::is_both(call) => each::of_each(eval, id),
        ExprKind::MethodCall(call) => {
            let (about, bare) = replies(&eval.quiet(call.receiver));
            if about.is_empty() {
                return None;
            }
            if let Some(found) = by_closure(eval, call) {
                return Some((about, found, Outcomes::ALL.without(found), true));
            }
            let told = predicate(eval, id, call.name);
            let (yes, no) = match (call.name.as_str(), told) {
                ("is_ok", _) => (unread(bare), error_of(bare)),
                ("is_ok_and", _) => (ok_of(bare), error_of(bare)),
                ("is_err", _) => (error_of(bare), unread(bare)),
                ("is_err_and", _) => (error_of(bare), ok_of(bare)),
                ("is_some" | "is_some_and", _) => (ok_of(bare), error_of(bare).or(Outcomes::MISSING)),
                ("is_none" | "is_none_or", _) => (error_of(bare).or(Outcomes::MISSING), ok_of(bare)),
                (_, Some(Outcomes::CONFIRMED)) => (Outcomes::CONFIRMED, Outcomes::ERROR),
                (_, Some(found)) => (found, Outcomes::ALL.without(found)),
                _ => return None,
            };
            Some((about, yes, no, told.is_some()))
        }
        ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right } => {
            if let ExprKind::Local(local) = eval.body.expr(*left).kind {
                if let Some((about, yes, no)) = flag::of_word(eval, local, *right) {
                    let (yes, no) = if *op == BinaryOp::Eq { (yes, no) } else { (no, yes) };
                    return Some((about, yes, no, false));
                }
            }
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
                (Some(one), None) => Some((one.0, one.1, beside(eval, *right), one.3)),
                (None, Some(one)) => Some((one.0, one.1, beside(eval, *left), one.3)),
                _ => None,
            }
        }
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            let (a, b) = (of_condition(eval, *left), of_condition(eval, *right));
            match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => Some((a.0, a.1.or(b.1), a.2.and(b.2), a.3 | b.3)),
                (Some(one), None) => Some((one.0, beside(eval, *right), one.2, one.3)),
                (None, Some(one)) => Some((one.0, beside(eval, *left), one.2, one.3)),
                _ => None,
            }
        }
        ExprKind::Local(local) => {
            if let Some(found) = flag::of_flag(eval, *local) {
                return Some(found);
            }
            if let Some(asked) = eval.body.bound(*local).filter(|&asked| is_question(eval, asked)) {
                return of_condition(eval, asked);
            }
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

/// What is left where a pattern did not match that asks for the errors in which an answer may have been lost.
fn told_from(eval: &Eval<'_, '_>, pat: PatId, rest: Outcomes) -> Outcomes {
    if beside::takes_lost(eval, pat) { rest.without(Outcomes::UNKNOWN) } else { rest }
}

/// What may be left where one of two questions decides that is not understood: of an answer, it may well tell what nobody
/// knows.
fn beside(eval: &Eval<'_, '_>, other: ExprId) -> Outcomes {
    match asked_about(eval, other).is_empty() {
        true => Outcomes::ALL,
        false => Outcomes::ALL.without(Outcomes::UNKNOWN),
    }
}

/// What a closure asks of the answer, or of what is in it: `is_some_and(|status| status.is_client_error())`.
fn by_closure(eval: &Eval<'_, '_>, call: &MethodCall) -> Option<Outcomes> {
    if !matches!(call.name.as_str(), "is_some_and" | "is_ok_and" | "is_err_and") {
        return None;
    }
    let ExprKind::Closure(closure) = &eval.body.expr(*call.args.first()?).kind else {
        return None;
    };
    asked_of(eval, closure.body, 0)
}

/// The outcomes for which an expression says yes that asks something of a part of an answer.
fn asked_of(eval: &Eval<'_, '_>, id: ExprId, depth: usize) -> Option<Outcomes> {
    if depth > MAX_ASKED {
        return None;
    }
    match &eval.body.expr(id).kind {
        ExprKind::Block(block) if block.statements.is_empty() => asked_of(eval, block.tail?, depth + 1),
        ExprKind::MethodCall(call) => predicate(eval, id, call.name),
        ExprKind::Binary { op: BinaryOp::Eq, left, right } => {
            value_word(eval, *right).or_else(|| value_word(eval, *left))
        }
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            Some(asked_of(eval, *left, depth + 1)?.or(asked_of(eval, *right, depth + 1)?))
        }
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            match (asked_of(eval, *left, depth + 1), asked_of(eval, *right, depth + 1)) {
                (Some(left), Some(right)) => Some(left.and(right)),
                (one, other) => one.or(other),
            }
        }
        _ => None,
    }
}

/// Whether an expression asks something of an answer, by itself: `reply.is_err()`, `!matches!(reply, …)`, or two such things.
fn is_question(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let asked = match eval.body.expr(id).kind {
        ExprKind::Not(inner) => inner,
        ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
            return is_question(eval, left) && is_question(eval, right);
        }
        _ => id,
    };
    match &eval.body.expr(asked).kind {
        ExprKind::MethodCall(call) => {
            matches!(call.name.as_str(), "is_ok" | "is_err" | "is_some" | "is_none")
                || each::is_both(call)
                || predicate(eval, asked, call.name).is_some()
        }
        ExprKind::Match { .. } => true,
        _ => false,
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
