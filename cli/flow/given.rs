//! Options that a function is given: a branch that asks whether there is something asks what came of the caller's request,
//! where nothing stands for an error of that.

use super::choices::{Choice, StartedIn};
use super::eval::Eval;
use super::events::Branch;
use super::outcome::{Condition, Doubts, Outcomes};
use super::value::{FieldPath, Kind, Value};
use crate::ir::{ExprId, ExprKind, PatId};
use crate::source::Span;

/// A branch that is taken by whether there is something in a parameter.
#[derive(Clone, Debug)]
pub(crate) struct GivenBranch {
    param: u32,
    path: FieldPath,
    branch: Branch,
    place: Span,
    there: bool,
}

impl GivenBranch {
    /// Whether a call with these values surely goes another way than this branch.
    fn is_passed_by(&self, args: &[Value]) -> bool {
        let whole = args.get(self.param as usize).filter(|whole| !whole.is_bottom());
        let given = whole.map(|whole| self.path.iter().fold(whole.clone(), |value, &name| value.field(name)));
        given.is_some_and(|given| if self.there { given.is_nothing() } else { given.is_there() })
    }
}

/// Branches that are taken by what a parameter is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// by whether there is something in it
    pub(crate) branches: Vec<GivenBranch>,
    /// by which variant or truth it is
    pub(crate) choices: Vec<Choice>,
    /// requests that are started in one of these arms
    pub(crate) started: Vec<StartedIn>,
}

/// Branches of one function, its callees' included, that are kept.
const MAX_KEPT: usize = 64;

impl Eval<'_, '_> {
    /// `if let Some(mark) = mark`, `if mark.is_none()`
    pub(super) fn asks_given(&mut self, id: ExprId, condition: ExprId) {
        self.chosen_by_truth(id, condition);
        let (asked, there) = match &self.body.expr(condition).kind {
            ExprKind::Let { pat, value } if self.is_some(*pat) => (*value, true),
            ExprKind::MethodCall(call) => match call.name.as_str() {
                "is_some" | "is_some_and" => (call.receiver, true),
                "is_none" => (call.receiver, false),
                _ => return,
            },
            _ => return,
        };
        let value = self.quiet(asked);
        self.given_branch(&value, (id, 0), there);
        self.given_branch(&value, (id, 1), !there);
    }

    /// An arm of a match.
    pub(super) fn arm_of_given(&mut self, value: &Value, branch: (ExprId, u32), pat: PatId) {
        if branch.1 == 0 {
            self.chosen_arms(branch.0, value);
        }
        let there = self.is_some(pat);
        if there || super::outcome::is_none(self, pat) {
            self.given_branch(value, branch, there);
        }
    }

    pub(super) fn given_branch(&mut self, value: &Value, branch: (ExprId, u32), there: bool) {
        if let Some((param, path)) = value.as_parameter() {
            let (place, branch) = (self.arm(branch), (self.span_of(branch.0), branch.1));
            let known = self.given.branches.iter().any(|given| given.branch == branch);
            if !known && self.given.branches.len() < MAX_KEPT {
                self.given.branches.push(GivenBranch { param, path, branch, place, there });
            }
        }
    }

    /// Where an arm stands for nothing but errors, that there is no value tells of them.
    pub(super) fn nothing_for_error(&self, branch: (ExprId, u32), chosen: Value) -> Value {
        let at = (self.span_of(branch.0), branch.1);
        let sure = Outcomes::DONE.or(Outcomes::MISSING);
        let known = self.conditions.iter().filter(|known| known.branch == at);
        let in_doubt =
            known.filter(|known| known.outcomes.has(Outcomes::UNKNOWN) && known.outcomes.and(sure).is_empty());
        let about: Vec<Span> = in_doubt.flat_map(|known| known.about.iter().copied()).collect();
        if about.is_empty() { chosen } else { chosen.absent_by(&about) }
    }
}

/// Branches that a call with these values surely does not take.
pub(crate) fn passed_by(branches: &[GivenBranch], args: &[Value]) -> Vec<Branch> {
    branches.iter().filter(|given| given.is_passed_by(args)).map(|given| given.branch).collect()
}

/// What a caller hears of the branches of a function: about its own dispatches, or what it is given itself.
pub(crate) fn lift(eval: &mut Eval<'_, '_>, branches: &[GivenBranch], args: &[Value]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for given in branches.iter().filter(|given| given.path.is_empty()) {
        let Some(value) = args.get(given.param as usize) else {
            continue;
        };
        let about = missing(value);
        if let (true, Some((param, path))) = (about.is_empty(), value.as_parameter()) {
            if path.is_empty() && eval.given.branches.len() < MAX_KEPT {
                eval.given.branches.push(GivenBranch { param, ..given.clone() });
            }
        } else if !about.is_empty() {
            let outcomes = match given.there {
                true => Outcomes::DONE,
                false => Outcomes::ERROR,
            };
            let (branch, place) = (given.branch, given.place);
            conditions.push(Condition {
                branch,
                place,
                about,
                outcomes,
                named: false,
                doubts: Doubts::None,
                repeats: false,
                any_error: false,
                beside: false,
            });
        }
    }
    conditions
}

/// The dispatches for whose errors nothing stands in the place of a value.
fn missing(value: &Value) -> Vec<Span> {
    let mut about = Vec::new();
    for alt in value.alts.iter().filter(|alt| alt.atoms.iter().any(|atom| atom.kind.is_absent())) {
        for atom in alt.atoms.iter() {
            match atom.kind {
                Kind::Reply(site, _) if !about.contains(&site) => about.push(site),
                _ => {}
            }
        }
    }
    about
}
