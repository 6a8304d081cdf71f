//! `unknown-as-failure`: an unknown outcome is written down, released or passed over as a failure.

mod called_unsent;
mod given_back;
mod lumped;
mod passed_over;
mod still_open;

use super::relation::is_copied;
use super::scene::{
    asks_before, by_contract, failed_word, has_any, here, in_doubt, named, states_only, step, sure, violation,
};
use super::unknown_as_success::chosen_below;
use super::{Facts, Group, Rule, Sink, next_state};
use crate::findings::{Confidence, Level};
use crate::flow::{ConditionFact, EventFact, EventFactKind, HANDED_ON, OriginKind, Outcomes, ValueFact};
use crate::operations::{FunctionOps, asked, exclusive};
use crate::source::Span;
use crate::sql::Kind;
use given_back::{given_back, unclaimed};
use std::collections::BTreeSet;
use still_open::{holds_error, is_due, is_given_up, is_open_answer};

pub(super) const RULE: Rule = Rule {
    name: "unknown-as-failure",
    group: Group::Unknown,
    default_level: Level::Deny,
    summary: "an unknown outcome leads to a failed or released state, or to another provider",
    doc: include_str!("unknown_as_failure.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (_, dispatch) in function.dispatches() {
            called_unsent::check(facts, function, dispatch, sink);
            next_state::given_up(facts, function, dispatch, sink);
            for (at, event) in function.events() {
                let Some(what) = consequence(facts, function, at, dispatch) else {
                    continue;
                };
                let Some(branch) = in_doubt(&function.facts, event, dispatch) else {
                    continue;
                };
                if asks_before(facts, function, dispatch, branch, at)
                    || is_passed_on(function, at)
                    || is_told_by_write(facts, function, at)
                    || is_state(event) && (chosen_below(function, event, dispatch) || holds_error(facts, event))
                {
                    continue;
                }
                let stated = if states_only(facts, dispatch) { Confidence::Possible } else { Confidence::Certain };
                let stated = if is_picked(function, dispatch, branch) { Confidence::Possible } else { stated };
                let confidence = sure(function, dispatch).min(by_contract(function)).min(what.confidence).min(stated);
                let message = format!(
                    "{} here, where the outcome of {} may be unknown: a timeout or a lost answer is not a refusal, and what \
                     was done is done again or forgotten",
                    what.text,
                    named(dispatch)
                );
                let mut steps = step(dispatch, "the provider is asked to act here");
                steps.push((branch.0, "errors of all kinds come this way, lost answers among them".to_owned()));
                sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
            }
        }
        nothing_learned(facts, function, sink);
        lumped::check(facts, function, sink);
        passed_over::check(facts, function, sink);
    }
}

/// Whether a branch is that of one error among others, of which nothing is known, of a client that only names show: its
/// errors may be answers.
fn is_picked(function: &FunctionOps, dispatch: &EventFact, branch: (Span, u32)) -> bool {
    let presumed = matches!(dispatch.kind, EventFactKind::Dispatch { presumed: true, .. });
    let about = |condition: &&ConditionFact| condition.about.contains(&dispatch.span) && condition.any_error;
    let of_all = |arm: &dyn Fn((Span, u32)) -> bool| {
        function.facts.conditions.iter().filter(about).any(|condition| arm(condition.branch))
    };
    let lost = function.facts.conditions.iter().any(|condition| {
        condition.branch == branch
            && condition.about.contains(&dispatch.span)
            && condition.outcomes == Outcomes::UNKNOWN
    });
    // The arm for all the rest is beside it.
    presumed && !lost && !of_all(&|arm| arm == branch) && of_all(&|arm| arm.0 == branch.0)
}

/// A question about an effect that was not answered, after which the effect counts as failed.
fn nothing_learned(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let lookups = function.events().filter(|(_, event)| matches!(event.kind, EventFactKind::Lookup { .. }));
    for (asked_at, lookup) in lookups {
        for (at, event) in function.events().filter(|(at, _)| *at > asked_at) {
            let statements = function.statements(at);
            let decided = match &event.kind {
                // What another function calls its states is no decision here.
                EventFactKind::State { means } if means == "rejected" && event.via.is_empty() => {
                    Some(event.name.to_string())
                }
                _ => statements.iter().find_map(|statement| failed_word(facts, event, statement)),
            };
            let Some(word) = decided.filter(|_| !is_passed_on(function, at)) else {
                continue;
            };
            // That nothing was found is an answer, of which other rules speak.
            let left = asked(&function.facts, event, lookup.span).map(|asked| (asked.branch, asked.outcomes));
            let mut around = function.facts.conditions.iter().filter(|condition| {
                condition.about.contains(&lookup.span) && event.branches.contains(&condition.branch)
            });
            let Some((branch, outcomes)) = left.filter(|_| !around.any(|asked| asked.outcomes.has(Outcomes::MISSING)))
            else {
                continue;
            };
            if !outcomes.is_error() {
                continue;
            }
            let message = format!(
                "the state `{word}` is written here, where {} may not have answered: nothing was learned of the effect, which \
                 may have happened",
                named(lookup)
            );
            let mut steps = step(lookup, "the provider is asked what happened here");
            steps.push((branch.0, "errors and open answers come this way".to_owned()));
            let confidence = Confidence::Likely;
            sink.report(violation(facts, function, RULE.name, confidence, here(event), (message, HELP), steps));
        }
    }
}

const HELP: &str = "keep the state unknown, ask the provider by the intent key, and let only an explicit refusal fail";

struct Consequence {
    text: String,
    confidence: Confidence,
}

/// What an event makes of an outcome, if it is something final.
fn consequence(facts: &Facts<'_>, function: &FunctionOps, at: usize, dispatch: &EventFact) -> Option<Consequence> {
    let event = function.event(at);
    let certain = |text: String| Some(Consequence { text, confidence: Confidence::Certain });
    let likely = |text: String| Some(Consequence { text, confidence: Confidence::Likely });
    match &event.kind {
        EventFactKind::State { means } => match means.as_str() {
            "rejected" => certain(format!("the failure `{}` is decided", event.name)),
            "released" if is_open_answer(facts, &event.name) || is_due(facts, &event.name, dispatch) => None,
            "released" | "terminal" => likely(format!("the state becomes `{}`", event.name)),
            _ => None,
        },
        EventFactKind::Sql { .. } => {
            let statements = function.statements(at);
            if let Some(word) = statements.iter().find_map(|statement| failed_word(facts, event, statement)) {
                return certain(format!("the state `{word}` is written"));
            }
            if let Some(column) = given_back(facts, function, at).or_else(|| unclaimed(function, at)) {
                return likely(format!("`{column}` is given back"));
            }
            let deletes = statements.iter().find(|statement| statement.kind == Kind::Delete)?;
            if is_given_up(function, at, dispatch) || is_copied(facts, event) {
                return None;
            }
            likely(format!("the row in `{}` is deleted", deletes.table.as_deref().unwrap_or("a table")))
        }
        EventFactKind::Store { .. } if function.is_write(at) && is_removal(facts, event) => {
            likely(format!("`{}` removes what was stored", called(facts, event)))
        }
        EventFactKind::Store { op, .. } if op == "delete" && !is_part_of_update(facts, function, at) => {
            likely(format!("`{}` removes what was stored", event.name))
        }
        EventFactKind::Call { .. } if has_any(&event.name, &facts.catalog.words.release_verbs) => {
            likely(format!("`{}` releases what was claimed", event.name))
        }
        EventFactKind::Dispatch { provider, harmless: false, .. } => {
            let EventFactKind::Dispatch { provider: first, .. } = &dispatch.kind else {
                return None;
            };
            let other =
                provider.is_some() && first.is_some() && provider != first || is_same_by_another(event, dispatch);
            (other && !exclusive(&function.facts, event, dispatch)).then(|| Consequence {
                text: format!("another one is asked by {}", named(event)),
                confidence: Confidence::Likely,
            })
        }
        _ => None,
    }
}

/// Whether the same call is made of another part of the object: `self.second` where it was `self.first`.
fn is_same_by_another(event: &EventFact, dispatch: &EventFact) -> bool {
    let parts = |event: &EventFact| match &event.kind {
        EventFactKind::Dispatch { args, .. } => args.origins.iter().filter_map(part).collect::<BTreeSet<_>>(),
        _ => BTreeSet::new(),
    };
    let (one, other) = (parts(dispatch), parts(event));
    let differ = one.difference(&other).next().is_some() && other.difference(&one).next().is_some();
    event.span == dispatch.span && (differ || is_same_intent(event, dispatch))
}

/// Whether a call hands one key to two parts of the object itself: `self.first` and `self.second`.
fn is_same_intent(event: &EventFact, dispatch: &EventFact) -> bool {
    let (EventFactKind::Dispatch { key, args, .. }, EventFactKind::Dispatch { key: first, args: before, .. }) =
        (&event.kind, &dispatch.kind)
    else {
        return false;
    };
    let own = |origin: &&OriginKind| matches!(origin, OriginKind::Input(path) if path.as_str().starts_with("self."));
    let others = |here: &ValueFact, there: &ValueFact| {
        here.origins.iter().filter(own).filter(|origin| !there.origins.contains(origin)).count()
    };
    let keyed = key.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_) | OriginKind::Stored));
    keyed && key.origins == first.origins && others(args, before) == 1 && others(before, args) == 1
}

/// The field of the object itself that an input is read from.
fn part(origin: &OriginKind) -> Option<String> {
    let OriginKind::Input(path) = origin else {
        return None;
    };
    let mut names = path.as_str().strip_prefix("self.")?.split('.');
    let first = names.next()?;
    names.next().map(|_| first.to_owned())
}

/// Whether a write stands in a function whose name says that it removes something.
fn is_removal(facts: &Facts<'_>, event: &EventFact) -> bool {
    !event.via.is_empty() && has_any(called(facts, event), &facts.catalog.words.removal_verbs)
}

/// Whether what a function below removes makes room for what it writes beside: an old entry of an index. One that says by its
/// name that it gives something back does that.
fn is_part_of_update(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    let words = &facts.catalog.words;
    let gives_back =
        [&words.removal_verbs, &words.release_verbs].iter().any(|verbs| has_any(called(facts, event), verbs));
    let writes_beside = |(_, write): (usize, &EventFact)| {
        let deletes = matches!(&write.kind, EventFactKind::Store { op, .. } if op == "delete");
        !deletes && write.function == event.function && write.via == event.via
    };
    !event.via.is_empty() && !gives_back && function.writes().any(writes_beside)
}

/// The function in which an event stands.
fn called<'a>(facts: &'a Facts<'_>, event: &EventFact) -> &'a str {
    facts.program.function(event.function).ir.name.as_str()
}

fn is_state(event: &EventFact) -> bool {
    matches!(event.kind, EventFactKind::State { .. })
}

/// Whether a word is only handed to a call that writes it down: that tells of it.
fn is_told_by_write(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    matches!(event.kind, EventFactKind::State { .. })
        && function.writes().any(|(write_at, write)| {
            let words =
                || function.statements(write_at).iter().filter_map(|statement| failed_word(facts, write, statement));
            here(write).covers(event.span) && words().any(|word| event.name == word.as_str())
        })
}

/// Whether a state is only the name of the error that is handed to the caller, who may know better.
fn is_passed_on(function: &FunctionOps, at: usize) -> bool {
    let event = function.event(at);
    if !matches!(event.kind, EventFactKind::State { .. }) {
        return false;
    }
    // What `map_err` makes of an error goes on to whoever comes next.
    if event.branches.iter().any(|(_, arm)| *arm == HANDED_ON) {
        return true;
    }
    function.events().any(|(_, fail)| {
        matches!(fail.kind, EventFactKind::Fail { .. } | EventFactKind::Error) && fail.span.covers(event.span)
    })
}
