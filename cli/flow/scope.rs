//! Attempt scopes inside a function: which loops repeat one intent, and which only take the next piece of work.

use super::RepeatScope;
use super::walk::{any, bound_by, is_deferred, taken_from, visit};
use crate::catalog::Words;
use crate::findings::Confidence;
use crate::ir::{Arm, Body, ExprId, ExprKind, LocalId, Loop, LoopKind, Name, PatId, PatKind, Statement};
use crate::source::{FileId, Span, TextRange};
use std::collections::BTreeSet;

/// What the text of a loop shows.
#[derive(Default)]
struct Evidence {
    /// leaves the loop early
    exits: bool,
    /// takes new work: `recv`, `next`, `pop`
    intake: bool,
    /// waits between rounds
    pauses: bool,
    /// counts attempts
    counts: bool,
    /// looks at an error
    judges: bool,
    /// an error of something in it leaves the loop
    escapes: bool,
}

/// The scope that a loop makes, if it runs its body again for the same intent.
pub(crate) fn loop_scope(body: &Body, file: FileId, id: ExprId, repeat: &Loop, words: &Words) -> Option<RepeatScope> {
    let evidence = gather(body, repeat, words);
    let another = matches!(repeat.kind, LoopKind::While(condition) if takes_another(body, condition, words));
    if !evidence.exits || evidence.intake || another {
        return None;
    }
    let certain = |yes| {
        if yes { Confidence::Certain } else { Confidence::Likely }
    };
    let (what, confidence) = match &repeat.kind {
        LoopKind::Loop | LoopKind::While(_) => {
            let ticks = matches!(repeat.kind, LoopKind::Loop) && pauses_first(body, repeat.body, words);
            if ticks || !(evidence.pauses || evidence.counts || evidence.judges) {
                return None;
            }
            ("a retry loop", certain(evidence.pauses || evidence.counts))
        }
        LoopKind::For { pat, iterable } => {
            let name = match &body.pat(*pat).kind {
                PatKind::Bind { local, .. } => Some(body.locals[local.0 as usize].name),
                _ => None,
            };
            let named = name.is_some_and(|name| is_attempt(name, words));
            let counter = named || name.is_none_or(|name| name.as_str().starts_with('_'));
            let range = matches!(body.expr(*iterable).kind, ExprKind::Range { .. });
            if is_failover(body, repeat) {
                let what = "a loop that asks one after the other until one succeeds";
                return Some(scope_at(body, file, id, repeat, what, certain(evidence.pauses)));
            }
            // Rounds that only go on as long as nothing fails.
            if evidence.escapes && !evidence.judges && !evidence.pauses && !named {
                return None;
            }
            // Numbers that are worked on one after the other.
            if range && !evidence.pauses && !named && hands_over(body, repeat.body, *pat) {
                return None;
            }
            let until_done = || leaves_with_success(body, repeat.body);
            if !(range && (counter || evidence.pauses || evidence.judges || until_done())
                || named
                || evidence.pauses && !range && is_schedule(name, words))
            {
                return None;
            }
            ("a retry loop", certain(counter || evidence.pauses))
        }
    };
    Some(scope_at(body, file, id, repeat, what, confidence))
}

/// Whether each round begins with a pause, whatever came of the one before: what is done from time to time is done anew.
fn pauses_first(body: &Body, id: ExprId, words: &Words) -> bool {
    let ExprKind::Block(block) = &body.expr(id).kind else {
        return false;
    };
    let first = match block.statements.first() {
        Some(&Statement::Expr(at)) => Some(at),
        Some(_) => None,
        None => block.tail,
    };
    first.is_some_and(|at| pauses(body, at, words))
}

/// Whether an expression does nothing before a pause is over: the pause itself, or what waits for one of several things, which
/// are a pause and what ends the loop. An answer that is waited for no longer than a pause is no such thing.
fn pauses(body: &Body, at: ExprId, words: &Words) -> bool {
    if let ExprKind::Concurrent(side_by_side) = &body.expr(at).kind {
        let is_awaited_pause = |future: ExprId| call_of(body, future).is_some_and(|name| is_pause(name, words));
        let answers = |pat: PatId| {
            let mut bound = Vec::new();
            bound_by(body, pat, &mut bound);
            !bound.is_empty()
        };
        return side_by_side.race
            && side_by_side.branches.iter().any(|branch| is_awaited_pause(branch.future))
            && side_by_side.branches.iter().all(|branch| {
                is_awaited_pause(branch.future)
                    || !branch.pat.is_some_and(answers) && branch.handler.is_some_and(|handler| leaves(body, handler))
            });
    }
    call_of(body, at).is_some_and(|name| is_pause(name, words))
}

/// The name of the call that an expression is, awaited or not.
fn call_of(body: &Body, mut at: ExprId) -> Option<Name> {
    while let ExprKind::Await(inner) | ExprKind::Try(inner) = body.expr(at).kind {
        at = inner;
    }
    match &body.expr(at).kind {
        ExprKind::MethodCall(call) => Some(call.name),
        ExprKind::Call { callee, .. } => function_named(body, *callee),
        _ => None,
    }
}

/// The name of a function that is called by its path.
pub(super) fn function_named(body: &Body, callee: ExprId) -> Option<Name> {
    match &body.expr(callee).kind {
        ExprKind::Path(path) => path.segments.last().map(|last| last.name),
        _ => None,
    }
}

pub(crate) fn is_pause(name: Name, words: &Words) -> bool {
    words.pause_calls.iter().any(|word| has_word(name.as_str(), word))
}

fn scope_at(body: &Body, file: FileId, id: ExprId, repeat: &Loop, what: &str, confidence: Confidence) -> RepeatScope {
    RepeatScope { site: head(body, file, id, repeat), what: what.to_owned(), confidence, by_method: false }
}

/// What stands in front of the body of a loop.
pub(super) fn head(body: &Body, file: FileId, id: ExprId, repeat: &Loop) -> Span {
    let start = body.expr(id).range.start;
    Span::new(file, TextRange { start, end: body.expr(repeat.body).range.start.max(start) })
}

/// Whether a loop over things leaves with the first success of a call and goes on to the next thing at its error: one
/// intent, tried here and there.
pub(crate) fn is_failover(body: &Body, repeat: &Loop) -> bool {
    let LoopKind::For { iterable, .. } = repeat.kind else {
        return false;
    };
    !matches!(body.expr(iterable).kind, ExprKind::Range { .. }) && leaves_with_success(body, repeat.body)
}

/// Whether the body of a loop leaves it with the success of a call, and comes round with its error.
pub(super) fn leaves_with_success(body: &Body, inside: ExprId) -> bool {
    let mut found = false;
    visit(body, inside, &mut |at| {
        let expr = body.expr(at);
        match &expr.kind {
            ExprKind::Match { value, arms } if awaits_or_calls(body, *value) => {
                let ok = arms.iter().filter(|arm| is_variant(body, arm.pat, "Ok"));
                let mut errors = arms.iter().filter(|arm| !is_variant(body, arm.pat, "Ok")).peekable();
                let succeeds = ok.clone().next().is_some() && ok.clone().all(|arm| leaves(body, arm.body));
                let goes_on = errors.peek().is_some() && errors.any(|arm| !leaves(body, arm.body));
                found |= succeeds && goes_on && !other_success_goes_on(body, arms);
            }
            ExprKind::If { condition, then, otherwise } => {
                if let ExprKind::Let { pat, value } = body.expr(*condition).kind {
                    let goes_on = otherwise.is_none_or(|otherwise| !leaves(body, otherwise));
                    found |=
                        awaits_or_calls(body, value) && is_variant(body, pat, "Ok") && leaves(body, *then) && goes_on;
                }
                if let ExprKind::MethodCall(call) = &body.expr(*condition).kind {
                    let asks = call.name.as_str() == "is_ok" && awaits_or_calls(body, call.receiver);
                    found |= asks && otherwise.is_none() && leaves(body, *then);
                }
            }
            _ => {}
        }
        !matches!(expr.kind, ExprKind::Loop(_)) && !is_deferred(body, at)
    });
    found
}

/// Whether errors have an arm of their own, so that the one for the rest is for another success, and the loop goes on after
/// it: each round asks something else.
fn other_success_goes_on(body: &Body, arms: &[Arm]) -> bool {
    let is_rest = |arm: &&Arm| matches!(body.pat(arm.pat).kind, PatKind::Wild | PatKind::Bind { .. });
    arms.iter().any(|arm| is_error(body, arm.pat) && arm.guard.is_none())
        && !arms.iter().any(|arm| is_variant(body, arm.pat, "Ok") && arm.guard.is_some())
        && arms.iter().find(is_rest).is_some_and(|arm| !leaves(body, arm.body))
}

/// Whether an expression is what a call gives, awaited or not.
fn awaits_or_calls(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Await(_) | ExprKind::MethodCall(_) | ExprKind::Call { .. } => true,
        ExprKind::Local(local) => body.bound(*local).is_some_and(|made| {
            matches!(body.expr(made).kind, ExprKind::Await(_) | ExprKind::MethodCall(_) | ExprKind::Call { .. })
        }),
        _ => false,
    }
}

/// Whether a way through a loop's body always ends with leaving the loop.
pub(super) fn leaves(body: &Body, id: ExprId) -> bool {
    ends(body, id, true)
}

/// Whether a way always ends with leaving the function, or by `break` as well.
fn ends(body: &Body, id: ExprId, by_break: bool) -> bool {
    match &body.expr(id).kind {
        ExprKind::Return(_) => true,
        ExprKind::Break { .. } => by_break,
        ExprKind::Block(block) => block.last().is_some_and(|last| ends(body, last, by_break)),
        ExprKind::If { then, otherwise: Some(otherwise), .. } => {
            ends(body, *then, by_break) && ends(body, *otherwise, by_break)
        }
        ExprKind::Match { arms, .. } => !arms.is_empty() && arms.iter().all(|arm| ends(body, arm.body, by_break)),
        _ => false,
    }
}

/// Whether a variable of a loop goes into the arguments of a call in it, other than a macro that only tells of it.
fn hands_over(body: &Body, inside: ExprId, pat: PatId) -> bool {
    let PatKind::Bind { local, .. } = body.pat(pat).kind else {
        return false;
    };
    let is_variable = |id: ExprId| matches!(body.expr(id).kind, ExprKind::Local(other) if other == local);
    any(body, inside, &|at| match &body.expr(at).kind {
        ExprKind::Call { args, .. } => args.iter().any(|&arg| is_variable(arg)),
        ExprKind::MethodCall(call) => call.args.iter().any(|&arg| is_variable(arg)),
        _ => false,
    })
}

/// Whether a loop takes or waits for the next piece of work as long as the process runs.
pub(crate) fn is_endless(body: &Body, repeat: &Loop, words: &Words) -> bool {
    let evidence = gather(body, repeat, words);
    let taken = taken_from(body, repeat);
    !matches!(repeat.kind, LoopKind::For { .. })
        && (evidence.intake || evidence.pauses)
        && !taken.is_some_and(|from| is_own_list(body, repeat, from, words))
}

/// Whether things are taken out of a list that the function has made: of an iterator over one, or off a copy. Where a round
/// asks what is left of it, that may be put aside for later.
fn is_own_list(body: &Body, repeat: &Loop, from: ExprId, words: &Words) -> bool {
    let ExprKind::Local(local) = body.expr(from).kind else {
        return false;
    };
    let made = body.bound(local).map(|value| &body.expr(value).kind);
    let makes = |name: &str| LISTS.contains(&name) || words.walking_calls.iter().any(|word| word == name);
    let uses = |at: ExprId| at != from && matches!(body.expr(at).kind, ExprKind::Local(used) if used == local);
    matches!(made, Some(ExprKind::MethodCall(call)) if makes(call.name.as_str())) && !any(body, repeat.body, &uses)
}

/// What the standard library calls the making of a list, or of something that goes through one.
const LISTS: [&str; 6] = ["clone", "collect", "drain", "enumerate", "peekable", "to_vec"];

fn is_schedule(name: Option<Name>, words: &Words) -> bool {
    name.is_some_and(|name| words.pause_calls.iter().any(|word| name.as_str().contains(word.as_str())))
}

/// Whether a name is that of an attempt counter: one of the words, alone or as a part between underscores.
pub(crate) fn is_attempt(name: Name, words: &Words) -> bool {
    words.attempt_names.iter().any(|word| has_word(name.as_str(), word))
}

/// Whether `word` stands in `name` as whole snake-case words.
pub(crate) fn has_word(name: &str, word: &str) -> bool {
    // Asked for every call and every verb: a search for the word anywhere would cost more to set up than all of this.
    let mut rest = name;
    loop {
        if starts_with_words(rest, word) {
            return true;
        }
        match rest.split_once('_') {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
}

/// Whether a function says by its name that it acts. One whose first word asks names by its other words what it asks for.
pub(crate) fn acts(words: &Words, name: &str) -> bool {
    !asks(words, name) && words.verbs.iter().any(|verb| has_word(name, verb))
}

/// Whether the name of a function starts like a question.
pub(crate) fn asks(words: &Words, name: &str) -> bool {
    let first = name.split('_').next().unwrap_or(name);
    words.query_verbs.iter().any(|verb| verb == first) && !words.verbs.iter().any(|verb| verb == first)
}

/// Whether a client acts when it is called by this name.
pub(crate) fn client_acts(words: &Words, name: &str) -> bool {
    acts(words, name) || !asks(words, name) && begins_with_any(name, &words.client_verbs)
}

/// Whether a text is a document of GraphQL that says that it changes something.
pub(crate) fn is_mutation(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("mutation");
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') && rest.contains('{'))
}

/// Whether a snake-case name starts with one of some verbs.
pub(crate) fn begins_with_any(name: &str, verbs: &[String]) -> bool {
    verbs.iter().any(|verb| starts_with_words(name, verb))
}

/// Whether a snake-case name starts with these words.
fn starts_with_words(name: &str, words: &str) -> bool {
    name.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

fn gather(body: &Body, repeat: &Loop, words: &Words) -> Evidence {
    let mut evidence = Evidence::default();
    let mut inner_loops: BTreeSet<ExprId> = BTreeSet::new();
    let mut given_up: Vec<ExprId> = Vec::new();
    // What is left by errors alone goes round for what went well: from time to time rather than once more.
    let mut failed: BTreeSet<ExprId> = BTreeSet::new();
    let mut roots = vec![repeat.body];
    if let LoopKind::While(condition) = repeat.kind {
        roots.push(condition);
        // As long as it fails.
        let fails = failing(body, condition).is_some();
        evidence.exits |= fails;
        evidence.judges |= fails;
    }
    for root in roots {
        visit(body, root, &mut |at| {
            let expr = body.expr(at);
            let nested = inner_loops.contains(&at);
            let by_error = failed.contains(&at);
            match &expr.kind {
                ExprKind::Loop(_) => all_of(body, at, &mut inner_loops),
                ExprKind::Break { label, .. } if !by_error => {
                    evidence.exits |= match label {
                        Some(label) => Some(*label) == repeat.label,
                        None => !nested,
                    };
                }
                ExprKind::Return(_) => evidence.exits |= !by_error,
                ExprKind::Try(_) => evidence.escapes = true,
                ExprKind::AssignOp { target, .. } | ExprKind::Assign { target, .. } => {
                    if let ExprKind::Local(local) = body.expr(*target).kind {
                        evidence.counts |= is_attempt(body.locals[local.0 as usize].name, words);
                    }
                }
                ExprKind::MethodCall(call) => {
                    // The next delay of a schedule is no new work.
                    let schedule = match body.expr(call.receiver).kind {
                        ExprKind::Local(local) => {
                            let name = body.locals[local.0 as usize].name;
                            is_attempt(name, words) || is_schedule(Some(name), words)
                        }
                        _ => false,
                    };
                    if !schedule {
                        called(call.name, &mut evidence, words);
                    }
                }
                ExprKind::Call { callee, .. } => {
                    if let Some(name) = function_named(body, *callee) {
                        called(name, &mut evidence, words);
                    }
                }
                // An error that ends the loop is none that it goes round for.
                ExprKind::Match { arms, .. } => {
                    let goes_on = |arm: &Arm| is_error(body, arm.pat) && !ends(body, arm.body, !nested);
                    // Nor does a loop try again that goes on after a success just the same.
                    let mut good = arms.iter().filter(|arm| is_variant(body, arm.pat, "Ok")).peekable();
                    let done = good.peek().is_none() || good.any(|arm| may_leave(body, arm.body));
                    evidence.judges |= done && arms.iter().any(goes_on);
                    let errors = arms.iter().filter(|arm| is_error(body, arm.pat));
                    errors.for_each(|arm| all_of(body, arm.body, &mut failed));
                }
                ExprKind::If { condition, then, .. } if ends(body, *then, !nested) => {
                    given_up.push(*condition);
                    let by = &body.expr(*condition).kind;
                    if matches!(by, ExprKind::Let { pat, .. } if is_error(body, *pat)) {
                        all_of(body, *then, &mut failed);
                    }
                }
                ExprKind::Let { pat, .. } => evidence.judges |= is_error(body, *pat) && !given_up.contains(&at),
                _ => {}
            }
            at == root || !is_deferred(body, at)
        });
    }
    evidence
}

/// The call that has failed where a condition holds: `send(&order).await.is_err()`, `let Err(error) = send(&order).await`.
pub(super) fn failing(body: &Body, condition: ExprId) -> Option<ExprId> {
    match &body.expr(condition).kind {
        ExprKind::MethodCall(call) if call.name.as_str() == "is_err" => made_by(body, call.receiver),
        ExprKind::Not(inner) => match &body.expr(*inner).kind {
            ExprKind::MethodCall(call) if call.name.as_str() == "is_ok" => made_by(body, call.receiver),
            _ => None,
        },
        ExprKind::Let { pat, value } if is_error(body, *pat) => made_by(body, *value),
        _ => None,
    }
}

/// The call of which an arm is for the error.
pub(super) fn failed_in(body: &Body, value: ExprId, arm: &Arm) -> Option<ExprId> {
    is_error(body, arm.pat).then(|| made_by(body, value)).flatten()
}

/// The call that gives a value, waited for or not.
fn made_by(body: &Body, mut at: ExprId) -> Option<ExprId> {
    while let ExprKind::Await(inner) | ExprKind::Try(inner) = body.expr(at).kind {
        at = inner;
    }
    matches!(body.expr(at).kind, ExprKind::Call { .. } | ExprKind::MethodCall(_)).then_some(at)
}

/// An expression with all that is in it. Places do not tell: what a macro wrote shares them.
fn all_of(body: &Body, id: ExprId, out: &mut BTreeSet<ExprId>) {
    visit(body, id, &mut |at| out.insert(at));
}

/// Whether each round of a loop starts with what a call gives, until it gives nothing more: the next piece of work, unless
/// it is the next delay of a schedule.
fn takes_another(body: &Body, condition: ExprId, words: &Words) -> bool {
    let ExprKind::Let { pat, value } = body.expr(condition).kind else {
        return false;
    };
    let PatKind::TupleStruct { elements, .. } = &body.pat(pat).kind else {
        return false;
    };
    let is_schedule = |name: Name| is_attempt(name, words) || is_schedule(Some(name), words);
    let mut bound = Vec::new();
    elements.iter().for_each(|&element| bound_by(body, element, &mut bound));
    let mut at = value;
    while let ExprKind::Await(inner) | ExprKind::Try(inner) = body.expr(at).kind {
        at = inner;
    }
    let ExprKind::MethodCall(call) = &body.expr(at).kind else {
        return false;
    };
    let of = match &body.expr(call.receiver).kind {
        ExprKind::Local(local) => Some(body.locals[local.0 as usize].name),
        ExprKind::Field { name, .. } => Some(*name),
        _ => None,
    };
    let bound = bound.into_iter().map(|local: LocalId| body.locals[local.0 as usize].name);
    let mut names = bound.chain(of).chain([call.name]);
    is_variant(body, pat, "Some") && !names.any(is_schedule)
}

/// Whether a way through an arm leaves the loop around it, or notes that it is done.
fn may_leave(body: &Body, id: ExprId) -> bool {
    any(body, id, &|at| match &body.expr(at).kind {
        ExprKind::Break { .. } | ExprKind::Return(_) => true,
        ExprKind::Assign { target, .. } => {
            matches!(body.expr(*target).kind, ExprKind::Local(_) | ExprKind::Field { .. })
        }
        _ => false,
    })
}

fn called(name: Name, evidence: &mut Evidence, words: &Words) {
    evidence.intake |= words.intake_calls.iter().any(|word| word == name.as_str());
    evidence.pauses |= is_pause(name, words);
}

fn is_error(body: &Body, pat: PatId) -> bool {
    is_variant(body, pat, "Err")
}

/// Whether a pattern is for one variant of a `Result`.
fn is_variant(body: &Body, pat: PatId, name: &str) -> bool {
    matches!(&body.pat(pat).kind, PatKind::TupleStruct { path, .. }
        if path.segments.last().is_some_and(|last| last.name.as_str() == name))
}
