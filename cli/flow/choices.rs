//! Arms that a parameter chooses: whoever calls with a variant, a truth or a text that is written out takes one of them, and
//! what happens in the others does not happen there.
//!
//! In: the matches and conditions of a function over its own parameters. Out: for a call, the arms that it does not take.

use super::eval::Eval;
use super::events::{Branch, Event};
use super::value::{Shape, Value};
use crate::ir::{Body, ExprId, ExprKind, Literal, PatId, PatKind};
use crate::source::Span;

/// Branches of one function, its callees' included, that are kept.
const MAX_KEPT: usize = 64;
/// Arms of one of them.
const MAX_ARMS: usize = 64;

/// A branch of which a parameter says which arm is taken.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    param: u32,
    branch: Span,
    /// what each arm takes; nothing is named by one that takes whatever is left
    arms: Vec<Vec<Box<str>>>,
}

impl Eval<'_, '_> {
    /// A match over a parameter.
    pub(super) fn chosen_arms(&mut self, id: ExprId, given: &Value) {
        let body = self.body;
        let ExprKind::Match { arms, .. } = &body.expr(id).kind else {
            return;
        };
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

    /// A condition that is a parameter.
    pub(super) fn chosen_by_truth(&mut self, id: ExprId, condition: ExprId) {
        let (asked, yes, no) = match self.body.expr(condition).kind {
            ExprKind::Not(asked) => (asked, "false", "true"),
            _ => (condition, "true", "false"),
        };
        if matches!(self.body.expr(asked).kind, ExprKind::Local(_)) {
            let given = self.quiet(asked);
            self.choice(id, &given, vec![vec![yes.into()], vec![no.into()]]);
        }
    }

    fn choice(&mut self, id: ExprId, given: &Value, arms: Vec<Vec<Box<str>>>) {
        let Some((param, path)) = given.as_parameter() else {
            return;
        };
        let branch = self.span_of(id);
        if path.is_empty()
            && self.given.choices.len() < MAX_KEPT
            && !self.given.choices.iter().any(|known| known.branch == branch)
        {
            self.given.choices.push(Choice { param, branch, arms });
        }
    }
}

/// Puts down what a pattern takes by name; whether it takes all that is left. `None` where it asks for more than that.
fn takes(body: &Body, pat: PatId, names: &mut Vec<Box<str>>) -> Option<bool> {
    let all = |pat: &PatId| matches!(body.pat(*pat).kind, PatKind::Wild | PatKind::Bind { inner: None, .. });
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => Some(true),
        PatKind::Path(path) => {
            let last = path.segments.last()?.name.as_str();
            names.push(is_variant(last).then(|| last.into())?);
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
pub(crate) fn taken(eval: &mut Eval<'_, '_>, choices: &[Choice], args: &[Value]) -> Vec<Branch> {
    let mut taken = Vec::new();
    for choice in choices {
        let Some(value) = args.get(choice.param as usize) else {
            continue;
        };
        if let Some(name) = variant(value) {
            let arm =
                choice.arms.iter().position(|names| names.is_empty() || names.iter().any(|known| **known == *name));
            taken.extend(arm.map(|arm| (choice.branch, arm as u32)));
        } else if let Some((param, path)) = value.as_parameter() {
            let known = eval.given.choices.iter().any(|known| known.branch == choice.branch);
            if path.is_empty() && !known && eval.given.choices.len() < MAX_KEPT {
                eval.given.choices.push(Choice { param, ..choice.clone() });
            }
        }
    }
    taken
}

/// Whether an event stands in no other arm of these branches.
pub(crate) fn happens(event: &Event, taken: &[Branch]) -> bool {
    !event.branches.iter().any(|(at, arm)| taken.iter().any(|(branch, taken)| branch == at && taken != arm))
}

/// Takes branches out of which an arm is surely taken: two calls that take different ones may follow each other.
pub(crate) fn settle(events: &mut [Event], taken: &[Branch]) {
    for event in events {
        if event.branches.iter().any(|branch| taken.contains(branch)) {
            event.branches = event.branches.iter().filter(|branch| !taken.contains(branch)).copied().collect();
        }
    }
}

/// The name of the variant or truth that a value is, whatever way was taken to it.
fn variant(value: &Value) -> Option<&str> {
    let whole = match &*value.alts {
        [alt] => match &alt.shape {
            Shape::Record(record) => record.path?.as_str(),
            _ => value.text()?,
        },
        _ => return None,
    };
    let last = whole.rsplit("::").next()?;
    (matches!(last, "true" | "false") || whole.contains("::") && is_variant(last)).then_some(last)
}
