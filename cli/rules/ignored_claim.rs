//! `ignored-claim`: a claim is made, and nobody looks whether it was got.

mod read_back;
mod taken_twice;

use super::scene::{
    harmful, has_any, has_known_key, here, is_keyed, named_at, related, stands_aside, step, sure, violation,
};
use super::{Facts, Group, Rule, Sink, fenced};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Usage, ValueFact, asks};
use crate::operations::{FunctionOps, TableRole, may_follow, meets, surely_before};
use crate::sql::{Assignment, Kind, Set, Statement};
use read_back::{is_begun, is_kept_by_row};

pub(super) const RULE: Rule = Rule {
    name: "ignored-claim",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "the result of a claim is not looked at",
    doc: include_str!("ignored_claim.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        answered_in_any_case(facts, function, sink);
        taken_twice::check(facts, function, sink);
        fenced::check(facts, function, sink);
        for (at, claim) in function.events().filter(|(at, _)| function.is_claim(*at) || function.takes_row(*at)) {
            // A function that does nothing but claim answers whether it got it, and here nobody looks at that.
            let told = claim.unread.is_some() && claim.unread.as_ref() == claim.via.first();
            // Of one that a helper makes of what was processed, and keeps to itself, only callers do what it is for.
            let of_change = || function.writes().any(|(later, _)| later > at && is_recorded(function, at, later));
            let begun = || is_begun(facts, function, at);
            let named = || is_called_a_claim(facts, claim);
            let kept_back = claim.via.len() == 1
                && (is_of_inbox(facts, function, at) || is_mark(function, at) || named() || of_change());
            // So does one that moves a row on where nobody else has, and says nothing of whether it did.
            let only_begun = claim.via.len() == 1 && !kept_back && (begun() || function.takes_row(at));
            if !told && (claim.usage == Usage::Used || !claim.via.is_empty() && !kept_back && !only_begun) {
                continue;
            }
            let Some((guarded, certain)) = guarded(facts, function, at, told) else {
                continue;
            };
            let work = function.event(guarded);
            // What a helper has begun is what is done with the same.
            if only_begun && !told && !related(claim, work) {
                continue;
            }
            let message = format!(
                "nobody looks whether this claim was got before {}: two runs at once both go on",
                named_at(function, guarded)
            );
            let help =
                "look at the number of affected rows (or the answer of the claim) and stop when another run has it";
            let mut steps = step(claim, "the claim is made here");
            steps.extend(step(work, "and this runs whatever came of it"));
            // Whoever puts down a word under a name of its own before the work says that twice would do harm.
            // A client of the application's own may take the row's key for its own.
            let own = matches!(work.kind, EventFactKind::Dispatch { presumed: true, .. });
            let marks = is_mark(function, at) || is_of_inbox(facts, function, at) || !own && begun();
            let meant = told || marks && related(claim, work);
            let harm = match meant {
                true => sure(function, work),
                false if !certain && stands_aside(claim, work) => Confidence::Possible,
                false => harmful(facts, function, work),
            };
            let confidence = if certain { Confidence::Certain } else { harm.min(Confidence::Likely) };
            sink.report(violation(facts, function, RULE.name, confidence, here(claim), (message, help), steps));
        }
    }
}

/// A change that takes place only where its conditions hold, in a function that says "yes" whether it did or not.
fn answered_in_any_case(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    let mut answers = function.events().filter_map(|(at, event)| match &event.kind {
        EventFactKind::Return { value, .. } => Some((at, event, value)),
        _ => None,
    });
    let yes = |value: &ValueFact| matches!(value.origins.as_slice(), [OriginKind::Constant(Some(text))] if text.as_str() == "true");
    let (Some((answer_at, answer, value)), None) = (answers.next(), answers.next()) else {
        return;
    };
    let claim = function.writes().find(|(at, write)| {
        // What lies below answers for itself.
        write.via.is_empty()
            && write.usage != Usage::Used
            && function.takes_row(*at)
            && surely_before(&function.facts, *at, answer_at)
    });
    let Some((_, claim)) = claim.filter(|_| yes(value)) else {
        return;
    };
    let message =
        "nobody looks whether this changed anything, and the answer is `true` in any case: where its conditions \
                   no longer hold, callers take for done what was not"
            .to_owned();
    let help = "answer whether the number of affected rows is above zero";
    let mut steps = step(claim, "the row is changed only where all conditions hold");
    steps.push((answer.span, "and this is answered whatever came of it".to_owned()));
    let text = (message, help);
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(claim), text, steps));
}

/// Whether the function that makes a claim is there for that, as it is called.
fn is_called_a_claim(facts: &Facts<'_>, claim: &EventFact) -> bool {
    let name = facts.program.function(claim.function).ir.name;
    has_any(&name, &facts.catalog.words.claim_verbs)
}

/// Whether a table changes here that holds what was processed before.
fn is_of_inbox(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    function.changed_tables(at).iter().any(|table| facts.operations.tables.is(table, TableRole::Inbox))
}

/// The work behind a claim that two runs would do twice, and whether it is declared that the claim guards it.
fn guarded(facts: &Facts<'_>, function: &FunctionOps, at: usize, told: bool) -> Option<(usize, bool)> {
    let tables = function.changed_tables(at);
    let roles: Vec<_> = tables.iter().filter_map(|table| facts.operations.tables.role(table)).collect();
    let inbox = roles.iter().find(|(role, _)| *role == TableRole::Inbox);
    let claim = function.event(at);
    let looked = is_asked_before(function, at) || is_told_apart(function, at);
    let marker = looked || is_marker(function, claim);
    let work = function.events().find(|(later, event)| {
        let acts = match &event.kind {
            // A stable key at the provider makes the second run harmless, unless the claim is to keep it from running.
            EventFactKind::Dispatch { harmless: false, .. } => {
                let told = told && !goes_with_row(claim, event);
                inbox.is_some() || told || if marker { related(claim, event) } else { !is_keyed(event) }
            }
            // Work that cannot be followed, on what was claimed.
            EventFactKind::Call { awaited: true, .. } => {
                (inbox.is_some() || looked || is_kept_by_row(facts, function, at, *later))
                    && !asks(&facts.catalog.words, &event.name)
                    && related(claim, event)
            }
            _ if !function.is_write(*later) || function.changed_tables(*later) == tables => false,
            _ => inbox.is_some() || is_recorded(function, at, *later) || is_behind_comparison(function, at, *later),
        };
        *later > at && acts && meets(claim, event) && may_follow(&function.facts, at, *later)
    });
    // Rows of any kind can be moved on; what is put into a table that is no inbox is the work itself.
    let other_role = inbox.is_none() && !roles.is_empty() && !function.takes_row(at);
    let statement = told || matches!(claim.kind, EventFactKind::Sql { .. });
    // Of a store that only its method names, what is claimed is not known, unless a function is there for nothing else, or
    // what is written is.
    (!other_role && (inbox.is_some() || statement || marker)).then_some(())?;
    Some((work?.0, inbox.is_some_and(|(_, declared)| *declared)))
}

/// Whether a claim puts in the row of the very key that goes along with a dispatch: it is there to be found after a crash, and
/// who finds it there goes on under the same key.
fn goes_with_row(claim: &EventFact, dispatch: &EventFact) -> bool {
    let EventFactKind::Dispatch { key, .. } = &dispatch.kind else {
        return false;
    };
    has_known_key(dispatch) && claim.handed_to_store().iter().any(|value| value.origins == key.origins)
}

/// Whether a claim puts down all that a change by a difference is made of, the amount and whose it is: the row is there to say
/// that this change was made.
fn is_recorded(function: &FunctionOps, claim: usize, change: usize) -> bool {
    let inserts = |statement: &Statement| statement.kind == Kind::Insert;
    let row = function.event(claim).handed_to_store();
    let parts = function.event(change).handed_to_store();
    let is_given = |part: &ValueFact| {
        let names = |origin: &OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Stored);
        part.origins.iter().any(names) && row.iter().any(|value| value.origins == part.origins)
    };
    let of_sql = |at: usize| matches!(function.event(at).kind, EventFactKind::Sql { .. });
    of_sql(claim)
        && of_sql(change)
        && parts.len() > 1
        && parts.iter().all(is_given)
        && parts.iter().any(|part| part.origins != parts[0].origins)
        && function.statements(claim).iter().any(inserts)
        && function.statements(change).iter().any(|statement| statement.delta().is_some())
}

/// Whether a change stands on an arm of a branch that is decided by nothing but what was asked for, and is stored with the claim:
/// the row is read back and compared, so that its key tells repeats, and the same again passes like the first.
fn is_behind_comparison(function: &FunctionOps, claim: usize, change: usize) -> bool {
    let EventFactKind::Sql { binds, .. } = &function.event(claim).kind else {
        return false;
    };
    let asked_for = |value: &ValueFact| {
        !value.origins.is_empty() && value.origins.iter().all(|origin| matches!(origin, OriginKind::Input(_)))
    };
    let given = |set: &Assignment| match set.value {
        Set::Placeholder(number) => binds.get(number).filter(|value| asked_for(value)),
        _ => None,
    };
    let inserts = function.statements(claim).iter().filter(|statement| statement.kind == Kind::Insert);
    inserts.into_iter().any(|insert| {
        function.events().any(|(at, event)| {
            let EventFactKind::Sql { binds: by, .. } = &event.kind else {
                return false;
            };
            let stored = |column: &String| insert.set.iter().any(|set| set.column == *column && given(set).is_some());
            let reads_back = |read: &Statement| {
                read.kind == Kind::Select
                    && read.table == insert.table
                    && !read.columns.is_empty()
                    && read.columns.iter().all(stored)
            };
            let of_key = !by.is_empty()
                && by.iter().all(|value| asked_for(value) && binds.iter().any(|own| own.origins == value.origins));
            let decides = || {
                let work = function.event(change);
                event.turns.iter().any(|turn| work.branches.iter().any(|(branch, _)| *branch == turn.branch))
            };
            (claim + 1..change).contains(&at) && of_key && function.statements(at).iter().any(reads_back) && decides()
        })
    })
}

/// Whether a claim is there to tell that somebody is at it: it writes a word that says so, or follows a look whether somebody
/// was.
fn is_mark(function: &FunctionOps, at: usize) -> bool {
    is_marker(function, function.event(at)) || is_asked_before(function, at) || is_told_apart(function, at)
}

/// Whether what a claim writes is made of nothing but what was asked for, and is read back: it tells another request from this
/// one, and says nothing of a second run of the same.
fn is_told_apart(function: &FunctionOps, at: usize) -> bool {
    let args = |event: &EventFact, wanted: &str| match &event.kind {
        EventFactKind::Store { op, table: None, args, .. } if op == wanted => Some(args.clone()),
        _ => None,
    };
    let asked_for = |value: &ValueFact| {
        let given = |origin: &OriginKind| matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_));
        value.fresh.is_empty() && value.origins.iter().all(given) && !value.origins.iter().all(is_fixed)
    };
    let claim = args(function.event(at), "claim");
    let Some([_, name, word, ..]) = claim.as_deref() else {
        return false;
    };
    let reads_back = |event: &EventFact| {
        args(event, "query").is_some_and(|asked| asked.get(1).is_some_and(|asked| asked.origins == name.origins))
            && !event.turns.is_empty()
    };
    asked_for(name) && asked_for(word) && function.events().skip(at + 1).any(|(_, event)| reads_back(event))
}

/// Whether the name that a claim puts something under decides, by a read before, which way is taken.
fn is_asked_before(function: &FunctionOps, at: usize) -> bool {
    let name = |event: &EventFact, wanted: &str| match &event.kind {
        EventFactKind::Store { op, table: None, args, .. } if op == wanted => args.get(1).cloned(),
        _ => None,
    };
    let claimed = name(function.event(at), "claim").filter(|of| !of.origins.iter().all(is_fixed));
    claimed.is_some_and(|claimed| {
        let asked = |event: &EventFact| name(event, "query").is_some_and(|asked| asked.origins == claimed.origins);
        function.events().any(|(before, event)| before < at && !event.turns.is_empty() && asked(event))
    })
}

fn is_fixed(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Constant(_))
}

/// Whether a claim writes a word that is the same for everybody under a name of its own: it is there to say that somebody is
/// at it, and reading it back tells nobody who was first. A number is where a count starts.
pub(super) fn is_marker(function: &FunctionOps, claim: &EventFact) -> bool {
    let EventFactKind::Store { op, table: None, args, .. } = &claim.kind else {
        return false;
    };
    let (Some(name), Some(word)) = (args.get(1), args.get(2)) else {
        return false;
    };
    let counts = function.events().any(|(_, event)| match &event.kind {
        EventFactKind::Store { op, .. } => op == "increment",
        _ => false,
    });
    let says = |text: &str| text == "1" || text.starts_with(char::is_alphabetic);
    op == "claim"
        && !name.origins.iter().all(is_fixed)
        && word.origins.iter().all(is_fixed)
        && word.texts().any(says)
        && !counts
}
