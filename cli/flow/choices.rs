//! Arms that a parameter chooses: whoever calls with a variant, a truth or a text that is written out takes one of them, and
//! what happens in the others does not happen there.
//!
//! In: the matches and conditions of a function over its own parameters. Out: for a call, the arms that it does not take.

use std::sync::Arc;

use super::dispatch::method;
use super::eval::Eval;
use super::events::{Branch, Event};
use super::given::Given;
use super::value::{Atom, Shape, Trail, Value};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, PatId, PatKind};
use crate::source::Span;

/// Branches of one function, its callees' included, that are kept.
const MAX_KEPT: usize = 64;
/// Calls that only lend what they are called on.
const MAX_ADAPTERS: usize = 6;
/// Arms of one of them.
const MAX_ARMS: usize = 64;

/// A branch of which a parameter says which arm is taken.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    param: u32,
    branch: Span,
    /// what each arm takes; nothing is named by one that takes whatever is left
    arms: Vec<Vec<Box<str>>>,
    /// where each arm stands
    places: Arc<[Span]>,
}

/// A request that is started in an arm and sent behind the branch: which of several it is, the arm says.
#[derive(Clone, Debug)]
pub(crate) struct StartedIn {
    site: Span,
    arm: Branch,
}

/// What a call takes of the arms of the function that it calls.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    arms: Vec<Branch>,
    /// where the arms stand that it does not take
    left_out: Vec<Span>,
    /// requests that are started in these
    unsent: Vec<Span>,
}

impl Eval<'_, '_> {
    /// A match over a parameter.
    pub(super) fn chosen_arms(&mut self, id: ExprId, given: &Value) {
        let body = self.body;
        let ExprKind::Match { value, arms } = &body.expr(id).kind else {
            return;
        };
        let text = |pat: PatId| matches!(body.pat(pat).kind, PatKind::Literal(Literal::Str(_)));
        let is_text = |pat: PatId| match &body.pat(pat).kind {
            PatKind::Or(parts) => parts.iter().any(|&part| text(part)),
            _ => text(pat),
        };
        if !is_itself(body, *value) && arms.iter().any(|arm| is_text(arm.pat)) {
            return;
        }
        if arms.len() > MAX_ARMS || arms.iter().any(|arm| arm.guard.is_some()) {
            return;
        }
        let named = |pat: PatId| {
            let mut names = Vec::new();
            takes(body, pat, &mut names).map(|all| if all { Vec::new() } else { names })
        };
        let arms: Option<Vec<_>> = arms.iter().map(|arm| named(arm.pat)).collect();
        if let Some(arms) = arms {
            self.choice(id, given, arms);
        }
    }

    /// A condition that is a parameter, or asks whether it is something that is written out.
    pub(super) fn chosen_by_truth(&mut self, id: ExprId, condition: ExprId) {
        if let ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right } = self.body.expr(condition).kind
        {
            return self.chosen_by_equality(id, (left, right), op == BinaryOp::Eq);
        }
        let (asked, yes, no) = match self.body.expr(condition).kind {
            ExprKind::Not(asked) => (asked, "false", "true"),
            _ => (condition, "true", "false"),
        };
        if matches!(self.body.expr(asked).kind, ExprKind::Local(_)) {
            let given = self.quiet(asked);
            self.choice(id, &given, vec![vec![yes.into()], vec![no.into()]]);
        }
    }

    fn chosen_by_equality(&mut self, id: ExprId, (left, right): (ExprId, ExprId), equal: bool) {
        let given = self.quiet(left);
        if !is_itself(self.body, left) || given.as_parameter().is_none() {
            return;
        }
        let other = self.quiet(right);
        // A number may be counted on in the rounds of a loop.
        let Some(name) = variant(&other).filter(|name| !name.starts_with(|first: char| first.is_ascii_digit())) else {
            return;
        };
        let (named, rest) = (vec![name.into()], Vec::new());
        self.choice(id, &given, if equal { vec![named, rest] } else { vec![rest, named] });
    }

    fn choice(&mut self, id: ExprId, given: &Value, arms: Vec<Vec<Box<str>>>) {
        let Some((param, path)) = given.as_parameter() else {
            return;
        };
        let branch = self.span_of(id);
        if path.is_empty() && keeps(&self.given, branch) {
            let places = (0..arms.len()).map(|arm| self.arm((id, arm as u32))).collect();
            self.given.choices.push(Choice { param, branch, arms, places });
        }
    }

    /// The method of HTTP that an arm gives which a parameter chooses, with where it stands.
    pub(super) fn method_of_arm(&self, arm: (ExprId, u32), value: Value) -> Value {
        let branch = self.span_of(arm.0);
        let names = value.text().is_some_and(method::is_one);
        match names && self.given.choices.iter().any(|known| known.branch == branch) {
            true => {
                let trail = Trail::start(self.arm(arm), "chosen by the caller");
                value.map_atoms(&mut |atom| Atom { trail: trail.clone(), ..atom.clone() })
            }
            false => value,
        }
    }

    /// A request that is sent and was started at a place: in which of the arms that a parameter chooses.
    pub(super) fn started_in(&mut self, site: Span) {
        let around = |branch: Span| self.branches.iter().any(|&(id, _)| self.span_of(id) == branch);
        let found = self.given.choices.iter().find_map(|choice| {
            let arm = choice.places.iter().position(|place| place.covers(site))?;
            (!around(choice.branch)).then_some(StartedIn { site, arm: (choice.branch, arm as u32) })
        });
        let room = self.given.started.len() < MAX_KEPT;
        let new = |found: &StartedIn| !self.given.started.iter().any(|known| known.site == found.site);
        if let Some(found) = found.filter(new).filter(|_| room) {
            self.given.started.push(found);
        }
    }
}

/// Whether there is room for a choice that is not known yet.
fn keeps(given: &Given, branch: Span) -> bool {
    given.choices.len() < MAX_KEPT && !given.choices.iter().any(|known| known.branch == branch)
}

/// Whether a value is asked as it is, rather than for something of it.
fn is_itself(body: &Body, mut at: ExprId) -> bool {
    for _ in 0..MAX_ADAPTERS {
        at = match &body.expr(at).kind {
            ExprKind::Local(_) | ExprKind::Field { .. } => return true,
            ExprKind::Deref(inner) => *inner,
            ExprKind::MethodCall(call)
                if matches!(call.name.as_str(), "as_str" | "as_ref" | "as_deref" | "borrow" | "clone" | "deref") =>
            {
                call.receiver
            }
            _ => return false,
        };
    }
    false
}

/// Puts down what a pattern takes by name; whether it takes all that is left. `None` where it asks for more than that.
fn takes(body: &Body, pat: PatId, names: &mut Vec<Box<str>>) -> Option<bool> {
    let all = |pat: &PatId| matches!(body.pat(*pat).kind, PatKind::Wild | PatKind::Bind { inner: None, .. });
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => Some(true),
        PatKind::Path(path) => {
            let last = path.segments.last()?.name.as_str();
            names.push((is_variant(last) || method::is_one(last)).then(|| last.into())?);
            Some(false)
        }
        PatKind::TupleStruct { path, elements, .. } if elements.iter().all(all) => {
            names.push(path.segments.last()?.name.as_str().into());
            Some(false)
        }
        PatKind::Struct { path, fields } if fields.iter().all(|(_, pat)| all(pat)) => {
            names.push(path.segments.last()?.name.as_str().into());
            Some(false)
        }
        PatKind::Literal(Literal::Str(text)) => {
            names.push((&**text).into());
            Some(false)
        }
        PatKind::Literal(Literal::Bool(truth)) => {
            names.push(if *truth { "true".into() } else { "false".into() });
            Some(false)
        }
        PatKind::Or(parts) => {
            let mut any = false;
            for part in parts {
                any |= takes(body, *part, names)?;
            }
            Some(any)
        }
        _ => None,
    }
}

/// Whether a name is one of a variant, rather than of a constant.
fn is_variant(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase)
}

/// The arms of a function that a call takes, by their branch; the choices that the caller leaves to its own callers it keeps.
pub(crate) fn taken(eval: &mut Eval<'_, '_>, given: &Given, args: &[Value]) -> Taken {
    let mut taken = Taken::default();
    for choice in &given.choices {
        let Some(value) = args.get(choice.param as usize) else {
            continue;
        };
        if let Some(name) = variant(value) {
            let named = choice.arms.iter().position(|names| names.iter().any(|known| **known == *name));
            let arm = named.or_else(|| choice.arms.iter().position(|names| names.is_empty()));
            let Some(arm) = arm else {
                continue;
            };
            taken.arms.push((choice.branch, arm as u32));
            let others = choice.places.iter().enumerate().filter(|(at, _)| *at != arm);
            taken.left_out.extend(others.map(|(_, place)| *place));
        } else if let Some((param, path)) = value.as_parameter() {
            if path.is_empty() && keeps(&eval.given, choice.branch) {
                eval.given.choices.push(Choice { param, ..choice.clone() });
            }
        }
    }
    for started in &given.started {
        match taken.is_other(&started.arm) {
            true => taken.unsent.push(started.site),
            false if eval.given.started.len() < MAX_KEPT => eval.given.started.push(started.clone()),
            false => {}
        }
    }
    taken
}

impl Taken {
    pub(crate) fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Whether an arm is another one than that which is taken.
    fn is_other(&self, (at, arm): &Branch) -> bool {
        self.arms.iter().any(|(branch, taken)| branch == at && taken != arm)
    }

    /// Whether an event stands in no other arm of these branches, and acts on nothing that is started there.
    pub(crate) fn happens(&self, event: &Event) -> bool {
        !event.branches.iter().any(|arm| self.is_other(arm)) && !self.unsent.contains(&event.span)
    }

    /// A value without the methods of HTTP that the other arms give.
    pub(crate) fn method(&self, value: &Value) -> Value {
        let left_out = |atom: &Atom| {
            atom.trail.origin().is_some_and(|origin| self.left_out.iter().any(|place| place.covers(origin)))
        };
        value.filter_map(|alt| (!alt.atoms.iter().any(left_out)).then(|| alt.clone()))
    }
}

/// Takes branches out of which an arm is surely taken: two calls that take different ones may follow each other.
pub(crate) fn settle(events: &mut [Event], taken: &Taken) {
    for event in events {
        if event.branches.iter().any(|branch| taken.arms.contains(branch)) {
            event.branches = event.branches.iter().filter(|branch| !taken.arms.contains(branch)).copied().collect();
        }
    }
}

/// The name of the variant, the truth or the text that a value is, whatever way was taken to it.
fn variant(value: &Value) -> Option<&str> {
    let whole = match &*value.alts {
        [alt] => match &alt.shape {
            Shape::Record(record) => record.path?.as_str(),
            _ => value.text()?,
        },
        _ => return None,
    };
    let last = whole.rsplit("::").next()?;
    match whole.contains("::") {
        true => (is_variant(last) || method::is_one(last)).then_some(last),
        false => Some(whole),
    }
}
