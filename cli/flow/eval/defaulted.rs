//! Where an error is taken for an empty answer: `unwrap_or_default()`, `ok()`, an arm for errors that goes on.
//!
//! Of a yes or no it matters which of both the error stands for. "Seen" where nobody knows makes a run wait; "not seen"
//! makes it act. What is asked of the answer (`is_some`, `is_none`) says what `true` means.

use crate::catalog::Words;
use crate::flow::words::normal;
use crate::flow::{has_word, walk};
use crate::ir::{Arm, BinaryOp, Body, ExprId, ExprKind, Literal, PatId, PatKind, PathIr, Statement};

/// Expressions of a body in which mentions of a local are looked for.
const MAX_BODY: usize = 20_000;
/// Expressions of an answer's test that are looked at.
const MAX_TEST: usize = 64;

/// The place where an error becomes a default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// as the answer of a read, the default says that nothing was found
    pub(super) found_nothing: bool,
    /// as the answer of a claim, the default says that it was got
    pub(super) got: bool,
    /// a written yes or number says so, rather than what comes after
    pub(super) written: bool,
    /// the call or arm
    pub(super) at: ExprId,
    /// the branch that the error takes
    pub(super) branch: Option<(ExprId, u32)>,
}

impl Found {
    fn of(at: ExprId, branch: Option<(ExprId, u32)>, found_nothing: bool, got: bool) -> Option<Self> {
        (found_nothing || got).then_some(Self { found_nothing, got, written: false, at, branch })
    }

    /// With the default that stands in the source.
    fn written(self, body: &Body, given: ExprId) -> Self {
        Self { written: self.got && is_literal(body, given), ..self }
    }
}

/// Where the error of a call's value is taken for an empty one.
pub(super) fn of_call(words: &Words, body: &Body, parents: &[Option<ExprId>], id: ExprId) -> Option<Found> {
    let mut at = id;
    // what the answer is asked for on the way
    let mut asked_empty = false;
    let mut answered = false;
    loop {
        let parent = walk::parent(parents, at)?;
        match &body.expr(parent).kind {
            ExprKind::Await(_) => {
                answered = true;
                at = parent;
            }
            ExprKind::MethodCall(call) if call.receiver == at => match call.name.as_str() {
                "map" => {
                    asked_empty ^= call.args.first().is_some_and(|&test| asks_empty(body, test));
                    at = parent;
                }
                "map_err" | "inspect_err" | "context" => at = parent,
                // `answer.ok()?` leaves, without an answer
                "ok" if is_tried(body, parents, parent) => return None,
                "unwrap_or_default" | "ok" => return Found::of(parent, None, !asked_empty, asked_empty),
                "unwrap_or" | "unwrap_or_else" => {
                    let given = call.args.first();
                    let open = given.is_none_or(|&given| counts_as_new(body, given, asked_empty));
                    let got = given.is_some_and(|&given| counts_as_got(body, given, asked_empty));
                    let found = Found::of(parent, None, open, got);
                    return given.map_or(found, |&given| Some(found?.written(body, given)));
                }
                "map_or" | "map_or_else" => {
                    let empty = call.args.get(1).is_some_and(|&test| asks_empty(body, test)) ^ asked_empty;
                    let given = call.args.first();
                    let open = given.is_none_or(|&given| counts_as_new(body, given, empty));
                    let got = given.is_some_and(|&given| counts_as_got(body, given, empty));
                    let found = Found::of(parent, None, open, got);
                    return given.map_or(found, |&given| Some(found?.written(body, given)));
                }
                "is_ok_and" => {
                    let test = call.args.first().is_some_and(|&test| asks_empty(body, test));
                    return Found::of(parent, None, !(test ^ asked_empty), test ^ asked_empty);
                }
                // What else is set on a request before it is sent.
                _ if !answered && is_sent(body, parents, parent) => at = parent,
                _ => return None,
            },
            // The next round asks anew: nothing here is done with the answer.
            ExprKind::Match { value, .. } if *value == at && ends_round(body, parents, parent) => return None,
            ExprKind::Match { value, arms } if *value == at => {
                let errors = |pat: PatId| matches_error(body, pat);
                let tests = arms.iter().filter(|arm| !errors(arm.pat));
                let empty = tests.fold(asked_empty, |empty, arm| empty ^ asks_empty(body, arm.body));
                // An arm for one error among others, such as that it is taken, is followed by one for the rest.
                let for_errors = |(_, arm): &(usize, &Arm)| errors(arm.pat) && !is_an_answer(words, body, arms, arm);
                let of_arms = arms.iter().enumerate().filter(for_errors).filter_map(|(number, arm)| {
                    let open = goes_on(body, arm.body);
                    let (new, got) = match stands_for_found(body, arms, arm.body) {
                        Some(found) => (!found, found),
                        None => {
                            let got = arm_counts_as_got(body, arm.body, empty) || stands_for_got(body, arms, arm);
                            (counts_as_new(body, arm.body, empty), got)
                        }
                    };
                    let found = Found::of(arm.body, Some((parent, number as u32)), open && new, open && got)?;
                    Some(found.written(body, arm.body))
                });
                let known: Vec<Found> = of_arms.collect();
                let first = known.first()?;
                let taken = known.iter().find(|found| found.got).unwrap_or(first);
                return Some(Found { found_nothing: first.found_nothing, ..*taken });
            }
            ExprKind::Let { pat, value } if *value == at && !matches_error(body, *pat) => {
                return other_branch(body, parents, parent);
            }
            ExprKind::Block(block) => {
                let local = block.statements.iter().find_map(|statement| match statement {
                    Statement::Let { pat, value: Some(value), otherwise: None, .. } if *value == at => Some(*pat),
                    _ => None,
                })?;
                return of_local(words, body, parents, local);
            }
            _ => return None,
        }
    }
}

/// Whether `?` is asked of an expression.
fn is_tried(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let parent = walk::parent(parents, id);
    parent.is_some_and(|parent| matches!(body.expr(parent).kind, ExprKind::Try(_)))
}

/// Whether the chain of calls that an expression stands in is awaited: up to there a request is put together.
fn is_sent(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let mut at = id;
    for _ in 0..MAX_TEST {
        let Some(parent) = walk::parent(parents, at) else {
            return false;
        };
        match &body.expr(parent).kind {
            ExprKind::MethodCall(call) if call.receiver == at => at = parent,
            kind => return matches!(kind, ExprKind::Await(_)),
        }
    }
    false
}

/// The same for what a local holds.
fn of_local(words: &Words, body: &Body, parents: &[Option<ExprId>], pat: PatId) -> Option<Found> {
    let PatKind::Bind { local, inner: None } = body.pat(pat).kind else {
        return None;
    };
    let is_mention = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Local(other) if other == local);
    let mut mentions = (0..body.exprs.len()).map(|at| ExprId(at as u32)).filter(is_mention);
    let known = body.exprs.len() <= MAX_BODY;
    // Whoever has it in a local may look at its error in one place and at its value in another.
    let only = mentions.next().filter(|_| known && mentions.next().is_none())?;
    of_call(words, body, parents, only)
}

/// Where the arms of a match answer yes or no to `Some` and `None`: whether an error gets the answer of `Some`.
fn stands_for_found(body: &Body, arms: &[Arm], given: ExprId) -> Option<bool> {
    let answer_to = |name: &str| {
        let arm = arms.iter().find(|arm| arm.guard.is_none() && is_about(body, arm.pat, name))?;
        yes_or_no(body, arm.body)
    };
    let (some, none) = (answer_to("Some")?, answer_to("None")?);
    (some != none).then_some(yes_or_no(body, given)? == some)
}

/// Whether an arm for errors answers what the arm for a success answers: `Ok(_) => Claim::Ours, …, Err(_) => Claim::Ours`.
fn stands_for_got(body: &Body, arms: &[Arm], error: &Arm) -> bool {
    let succeeds = |pat: PatId| match &body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } => {
            let empty = |&inner: &PatId| matches!(body.pat(inner).kind, PatKind::Literal(_) | PatKind::Path(_));
            path.of_option_or_result() == Some("Ok") && !elements.iter().any(empty)
        }
        _ => false,
    };
    let success = arms.iter().find(|arm| succeeds(arm.pat));
    success.is_some_and(|success| same_answer(body, success.body, error.body, 0))
}

/// Whether two expressions end with the same answer, written out.
fn same_answer(body: &Body, one: ExprId, other: ExprId, depth: usize) -> bool {
    let names = |path: &PathIr| path.segments.iter().map(|segment| segment.name).collect::<Vec<_>>();
    if depth > MAX_TEST {
        return false;
    }
    match (&body.expr(one).kind, &body.expr(other).kind) {
        (ExprKind::Block(block), _) => block.tail.is_some_and(|tail| same_answer(body, tail, other, depth + 1)),
        (_, ExprKind::Block(block)) => block.tail.is_some_and(|tail| same_answer(body, one, tail, depth + 1)),
        (ExprKind::Path(one), ExprKind::Path(other)) => names(one) == names(other),
        (ExprKind::Literal(one), ExprKind::Literal(other)) => one == other,
        (ExprKind::Call { callee, args }, ExprKind::Call { callee: other, args: others }) => {
            let same = |(&one, &other): (&ExprId, &ExprId)| same_answer(body, one, other, depth + 1);
            args.len() == others.len() && same((callee, other)) && args.iter().zip(others.iter()).all(same)
        }
        _ => false,
    }
}

/// Whether a pattern is `Some(..)`, `None`, or an `Ok` of it.
fn is_about(body: &Body, pat: PatId, name: &str) -> bool {
    let last = |path: &PathIr| path.segments.last().map(|last| last.name);
    match &body.pat(pat).kind {
        PatKind::TupleStruct { path, elements, .. } => match last(path) {
            Some(known) if known.as_str() == name => true,
            Some(known) if known.as_str() == "Ok" => elements.iter().any(|&inner| is_about(body, inner, name)),
            _ => false,
        },
        PatKind::Path(path) => last(path).is_some_and(|known| known.as_str() == name),
        _ => false,
    }
}

/// The literal yes or no that an expression ends with.
fn yes_or_no(body: &Body, id: ExprId) -> Option<bool> {
    match &body.expr(id).kind {
        ExprKind::Literal(Literal::Bool(answer)) => Some(*answer),
        ExprKind::Block(block) => yes_or_no(body, block.tail?),
        _ => None,
    }
}

/// Whether the round of a loop ends with an expression.
fn ends_round(body: &Body, parents: &[Option<ExprId>], id: ExprId) -> bool {
    let mut at = id;
    while let Some(parent) = walk::parent(parents, at) {
        match &body.expr(parent).kind {
            ExprKind::Block(block) => {
                if block.last() != Some(at) {
                    return false;
                }
            }
            ExprKind::If { .. } | ExprKind::Match { .. } => {}
            ExprKind::Loop(repeat) => return repeat.body == at,
            _ => return false,
        }
        at = parent;
    }
    false
}

/// The branch behind `if let Ok(Some(..)) = answer { … }` that an error takes, where that goes on.
fn other_branch(body: &Body, parents: &[Option<ExprId>], test: ExprId) -> Option<Found> {
    let parent = walk::parent(parents, test)?;
    match &body.expr(parent).kind {
        ExprKind::If { condition, then, otherwise } if *condition == test => {
            let open = otherwise.is_none_or(|otherwise| goes_on(body, otherwise));
            let decides = otherwise.is_some() || is_felt(body, *then);
            Found::of(parent, Some((parent, 1)), open && decides, open)
        }
        _ => None,
    }
}

/// Whether what is done in a branch is felt behind it: it leaves, sets something or puts something into what it has from outside.
/// Of any other one it does not matter there whether it was taken.
fn is_felt(body: &Body, then: ExprId) -> bool {
    walk::any(body, then, &|id| match &body.expr(id).kind {
        ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Try(_) => true,
        ExprKind::Assign { .. } | ExprKind::AssignOp { .. } | ExprKind::Opaque(_) | ExprKind::Macro(_) => true,
        ExprKind::MethodCall(call) => !call.args.is_empty() && is_place(body, call.receiver),
        _ => false,
    })
}

/// Whether an expression is a variable, or a part of one.
fn is_place(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Local(_) => true,
        ExprKind::Field { base: inner, .. } | ExprKind::Deref(inner) => is_place(body, *inner),
        _ => false,
    }
}

/// Whether a pattern takes errors.
fn matches_error(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::TupleStruct { path, .. } => path.of_option_or_result() == Some("Err"),
        PatKind::Or(choices) => choices.iter().any(|&choice| matches_error(body, choice)),
        _ => false,
    }
}

/// Whether an arm for one error by its name is an answer, since another one hands on the rest: `Err(Fault::NotListed) =>
/// Ok(false)`. Of an error that may be a lost answer that cannot be said.
fn is_an_answer(words: &Words, body: &Body, arms: &[Arm], arm: &Arm) -> bool {
    let inner = match &body.pat(arm.pat).kind {
        PatKind::TupleStruct { path, elements, .. } if path.of_option_or_result() == Some("Err") => elements.first(),
        _ => None,
    };
    let path = inner.and_then(|&inner| match &body.pat(inner).kind {
        PatKind::Path(path) | PatKind::TupleStruct { path, .. } | PatKind::Struct { path, .. } => path.segments.last(),
        _ => None,
    });
    let Some(name) = path.map(|last| normal(last.name.as_str())) else {
        return false;
    };
    let mut open = words.way_errors.iter().chain(&words.open_errors);
    let rest = |other: &Arm| other.guard.is_none() && takes_all(body, other.pat) && !goes_on(body, other.body);
    !open.any(|word| has_word(&name, word)) && arms.iter().any(rest)
}

/// Whether a pattern takes whatever error there is.
fn takes_all(body: &Body, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Bind { inner: None, .. } => true,
        PatKind::TupleStruct { path, elements, .. } => {
            path.of_option_or_result() == Some("Err") && elements.iter().all(|&inner| takes_all(body, inner))
        }
        _ => false,
    }
}

/// Whether what follows the branching is reached from an expression, and not with an error as its value.
fn goes_on(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Try(_) => false,
        ExprKind::Call { callee, .. } => !matches!(&body.expr(*callee).kind, ExprKind::Path(path)
            if path.of_option_or_result() == Some("Err")),
        ExprKind::Block(block) => {
            let leaves = |statement: &Statement| matches!(statement, Statement::Expr(id) if !goes_on(body, *id));
            !block.statements.iter().any(leaves) && block.tail.is_none_or(|tail| goes_on(body, tail))
        }
        // Where some errors go on and others do not, they were told apart.
        ExprKind::If { then, otherwise: Some(otherwise), .. } => goes_on(body, *then) && goes_on(body, *otherwise),
        ExprKind::Match { arms, .. } => arms.iter().all(|arm| goes_on(body, arm.body)),
        _ => true,
    }
}

/// Whether a default makes a task look new: of a yes or no, the answer that nothing was found; anything else is empty.
fn counts_as_new(body: &Body, given: ExprId, asked_empty: bool) -> bool {
    match &body.expr(given).kind {
        ExprKind::Literal(Literal::Bool(answer)) => *answer == asked_empty,
        ExprKind::Closure(closure) => counts_as_new(body, closure.body, asked_empty),
        ExprKind::Block(block) => block.tail.is_none_or(|tail| counts_as_new(body, tail, asked_empty)),
        _ => true,
    }
}

/// The same for the arm of a match: one that only tells of the error goes on as if it was got.
fn arm_counts_as_got(body: &Body, arm: ExprId, asked_empty: bool) -> bool {
    let tells = matches!(&body.expr(arm).kind, ExprKind::Macro(_) | ExprKind::Format(_) | ExprKind::Opaque(_));
    tells || counts_as_got(body, arm, asked_empty)
}

/// Whether a default makes a task look claimed: of a number of rows, one; of a yes or no, the answer that a row was
/// changed. Where nothing can be seen of the default, it is what the code after it makes of it.
fn counts_as_got(body: &Body, given: ExprId, asked_empty: bool) -> bool {
    match &body.expr(given).kind {
        ExprKind::Literal(Literal::Bool(answer)) => *answer != asked_empty,
        ExprKind::Literal(Literal::Int(number)) => *number > 0,
        ExprKind::Closure(closure) => counts_as_got(body, closure.body, asked_empty),
        ExprKind::Block(block) => match block.tail {
            Some(tail) => counts_as_got(body, tail, asked_empty),
            // an arm without a value: the code after it is reached as if it was got
            None => true,
        },
        ExprKind::Call { args, .. } => args.len() == 1 && counts_as_got(body, args[0], asked_empty),
        ExprKind::Tuple(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether an expression ends with a yes or no or a number that stands in the source.
fn is_literal(body: &Body, given: ExprId) -> bool {
    match &body.expr(given).kind {
        ExprKind::Literal(Literal::Bool(_) | Literal::Int(_)) => true,
        ExprKind::Closure(closure) => is_literal(body, closure.body),
        ExprKind::Block(block) => block.tail.is_some_and(|tail| is_literal(body, tail)),
        ExprKind::Call { args, .. } => args.len() == 1 && is_literal(body, args[0]),
        _ => false,
    }
}

/// Whether a test of an answer says `true` where nothing was found.
fn asks_empty(body: &Body, test: ExprId) -> bool {
    let mut empty = false;
    let mut work = vec![test];
    for _ in 0..MAX_TEST {
        let Some(id) = work.pop() else { break };
        match &body.expr(id).kind {
            ExprKind::Not(_) => empty = !empty,
            ExprKind::MethodCall(call) if matches!(call.name.as_str(), "is_none" | "is_empty") => empty = !empty,
            ExprKind::Binary { op: BinaryOp::Eq, right, .. }
                if matches!(body.expr(*right).kind, ExprKind::Literal(Literal::Int(0))) =>
            {
                empty = !empty;
            }
            _ => {}
        }
        work.extend(crate::flow::walk::children(body, id));
    }
    empty
}
