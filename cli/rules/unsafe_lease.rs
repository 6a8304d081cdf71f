//! `unsafe-lease`: a lease that another can free, that two can hold, or that ends before the work.

mod lease_owner;
mod lease_release;
mod lease_rows;
mod renewal;
mod taken_over;

use std::time::Duration;

use super::scene::{duration, has_any, here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind, OriginKind, Role, ValueFact, has_word};
use crate::operations::{FunctionOps, exclusive, may_follow, meets};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unsafe-lease",
    group: Group::Write,
    default_level: Level::Deny,
    summary: "a lease is released without its owner, is not unique, or is never renewed",
    doc: include_str!("unsafe_lease.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, _) in function.events() {
            released_by_anyone(facts, function, at, sink);
            never_renewed(facts, function, at, sink);
            outlived(facts, function, at, sink);
            released_before_commit(facts, function, at, sink);
        }
    }
    lease_owner::check(facts, sink);
    let mut told = lease_release::check(facts, sink);
    told.extend(lease_rows::check(facts, sink));
    taken_over::check(facts, told, sink);
    renewal::check(facts, sink);
}

/// The arguments of an acquisition: the key first.
pub(super) fn acquired(event: &EventFact) -> Option<&[ValueFact]> {
    match &event.kind {
        EventFactKind::Store { op, args, .. } if op == "claim" => args.get(1..),
        EventFactKind::Lease { op, args, .. } if op == "acquire" => args.get(1..),
        _ => None,
    }
}

/// A key that was set under a condition is removed without one.
fn released_by_anyone(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let release = function.event(at);
    let EventFactKind::Store { op, args, executor, .. } = &release.kind else {
        return;
    };
    // Of a query builder the second argument is the connection, which says nothing of what is removed.
    let key = args.get(1).filter(|key| op == "delete" && release.via.is_empty() && key.origins != executor.origins);
    let Some(key) = key else {
        return;
    };
    let lease = function.events().find(|(before, event)| {
        let same = acquired(event).and_then(|args| args.first()).is_some_and(|known| known.origins == key.origins);
        *before < at && same && may_follow(&function.facts, *before, at)
    });
    let Some((_, lease)) = lease else {
        return;
    };
    let message =
        "the lease is released whoever holds it: after it ran out, this frees the one that another run has taken"
            .to_owned();
    let help = "store a random owner with the lease and release it by a script that compares the owner first";
    let mut steps = step(lease, "the lease is taken here");
    steps.extend(step(release, "and released here, without asking whose it is"));
    sink.report(violation(facts, function, RULE.name, Confidence::Certain, release.whole, (message, help), steps));
}

/// A lock that is given up while what was written under it is not committed: whoever takes it next does not see that.
fn released_before_commit(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let release = function.event(at);
    let releases = match &release.kind {
        EventFactKind::Lease { op, .. } => op == "release",
        EventFactKind::Sql { .. } => function.statements(at).iter().any(|statement| statement.unlocks),
        _ => false,
    };
    if !releases {
        return;
    }
    let committed = |begin: Span| {
        function.events().find(|(later, event)| match &event.kind {
            EventFactKind::Commit { transaction } => {
                let same = transaction.transaction == Some(begin);
                *later > at && same && meets(release, event) && may_follow(&function.facts, at, *later)
            }
            _ => false,
        })
    };
    let written =
        function.writes().filter(|(before, write)| *before < at && !exclusive(&function.facts, write, release));
    let open = written.filter_map(|(before, write)| Some((write, committed(function.transaction(before)?)?.1)));
    let Some((write, commit)) = open.last() else {
        return;
    };
    let message =
        "the lock is given up before the transaction under it is committed: whoever takes it next does not see what \
                   was written, and does the same"
            .to_owned();
    let help =
        "commit first and give the lock up then, or take one that ends with the transaction (`pg_advisory_xact_lock`)";
    let mut steps = step(write, "this is written under the lock");
    steps.extend(step(release, "the lock is given up here"));
    steps.extend(step(commit, "and only then is it committed"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(release), (message, help), steps));
}

/// A lease over a loop of work in which nobody renews it.
fn never_renewed(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let lease = function.event(at);
    let row = lease_rows::named(facts, function, at);
    let known = match &lease.kind {
        EventFactKind::Lease { op, .. } => op == "acquire",
        EventFactKind::Store { op, .. } if op == "claim" => {
            has_word(&lease.name, "lease") || is_owned_for_a_time(facts, lease)
        }
        _ => row.is_some(),
    };
    if !known || function.events().any(|(_, event)| renews(facts, lease, event)) {
        return;
    }
    let work = function.events().find(|(later, event)| {
        let acts = matches!(event.kind, EventFactKind::Dispatch { .. } | EventFactKind::Call { awaited: true, .. })
            || function.is_write(*later);
        let many = event.regions.iter().any(|(region, role)| {
            let each = match role {
                _ if function.facts.body.covers(*region) => matches!(role, Role::Each { .. }),
                Role::Each { endless: false, rounds: false, .. } => is_called_under(facts, lease, event, *region),
                _ => false,
            };
            each && !lease.regions.iter().any(|(around, _)| around == region)
        });
        *later > at && acts && many && !is_over(function, at, *later)
    });
    let prolonged = |work| row.is_some_and(|table| lease_rows::is_prolonged(facts, function, at, table, work));
    let Some((_, work)) = work.filter(|(_, work)| !prolonged(*work)) else {
        return;
    };
    let message = format!(
        "the lease is held over a loop of any length and never renewed: when it runs out, another run does `{}` at the same \
            time",
        work.name
    );
    let help = "renew the lease while the work runs and stop when it is lost, or take one for each item";
    let mut steps = step(lease, "the lease is taken here");
    steps.extend(step(work, "the work goes on under it"));
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(work), (message, help), steps));
}

/// Whether a loop is that of the function which is called under the lease for the work: whoever takes the lease waits for all of
/// its rounds. What takes the lease itself is told of there.
fn is_called_under(facts: &Facts<'_>, lease: &EventFact, work: &EventFact, each: Span) -> bool {
    let called = work.through.first().map(|id| facts.program.function(*id));
    meets(lease, work) && called.is_some_and(|called| Span::new(called.file, called.ir.range).covers(each))
}

/// Work that may take longer than the lease holds under which it is done.
fn outlived(facts: &Facts<'_>, function: &FunctionOps, at: usize, sink: &mut Sink) {
    let lease = function.event(at);
    let Some(holds) = holds(lease) else {
        return;
    };
    if function.events().any(|(_, event)| renews(facts, lease, event)) {
        return;
    }
    let longer = function.events().find_map(|(later, event)| {
        let lasts: &ValueFact = match &event.kind {
            EventFactKind::Limit { lasts } => lasts,
            EventFactKind::Dispatch { lasts, .. } => lasts,
            _ => return None,
        };
        let limit = duration(lasts, None)?;
        let under = later > at
            && meets(lease, event)
            && may_follow(&function.facts, at, later)
            && !is_over(function, at, later);
        (under && limit > holds).then_some((event, limit))
    });
    let Some((work, limit)) = longer else {
        return;
    };
    let (limit, holds) = (humantime::format_duration(limit), humantime::format_duration(holds));
    let message = format!(
        "the lease holds for {holds} and is not renewed, and the work under it may take {limit}: when it runs out, another run \
            does the same at the same time"
    );
    let help = "let the lease hold for longer than the work may take, or renew it while the work runs and stop when it is lost";
    let steps = step(lease, "the lease is taken here");
    sink.report(violation(facts, function, RULE.name, Confidence::Certain, here(work), (message, help), steps));
}

/// Whether a lease is given up before some work, whichever way was taken to that: one that was not got may be given up on
/// another way.
fn is_over(function: &FunctionOps, at: usize, work: usize) -> bool {
    function.events().any(|(end, event)| {
        let ends = matches!(&event.kind, EventFactKind::Lease { op, .. } if op == "release");
        let passed = event.branches.iter().all(|branch| function.event(work).branches.contains(branch));
        ends && at < end && end < work && passed
    })
}

/// How long a lease holds, where that is fixed.
fn holds(lease: &EventFact) -> Option<Duration> {
    if let EventFactKind::Lease { op, lasts, unit, .. } = &lease.kind {
        return duration(lasts, unit.as_deref()).filter(|_| matches!(op.as_str(), "acquire" | "hide"));
    }
    // `SET key owner NX EX 30`
    let args = acquired(lease)?;
    let (at, unit) = args.iter().enumerate().find_map(|(at, value)| {
        let option = value.texts().find(|text| is_expiry(text))?;
        Some((at, if option.eq_ignore_ascii_case("EX") { "s" } else { "ms" }))
    })?;
    duration(args.get(at + 1)?, Some(unit))
}

/// Whether a key is taken for a time and under an owner, who is random or of whoever takes what is called a lock: a lease,
/// rather than a mark.
fn is_owned_for_a_time(facts: &Facts<'_>, claim: &EventFact) -> bool {
    let Some([_, owner, rest @ ..]) = acquired(claim) else {
        return false;
    };
    let random = |(kind, _): &(FreshKind, Span)| *kind == FreshKind::Random;
    let given = |origin: &OriginKind| matches!(origin, OriginKind::Input(_));
    let owned = owner.fresh.iter().any(random)
        || owner.origins.iter().any(given) && lease_release::is_called_a_lock(facts, claim, None);
    owned && rest.iter().any(|value| value.texts().any(is_expiry))
}

pub(super) fn is_expiry(text: &str) -> bool {
    matches!(text, "EX" | "PX" | "ex" | "px")
}

/// Whether an event lets a lease hold for longer.
fn renews(facts: &Facts<'_>, lease: &EventFact, event: &EventFact) -> bool {
    let words = &facts.catalog.words;
    let key = acquired(lease).and_then(|args| args.first()).map(|key| &key.origins);
    // A script or command by its text: `EXPIRE key 30`, whether it asks for the holder or not.
    let lives_on = |text: &str| words.lifetime_commands.iter().any(|command| text.contains(command.as_str()));
    match &event.kind {
        EventFactKind::Lease { op, .. } => op == "renew",
        // Of a lease without a key in sight any change under a condition may be the renewal.
        EventFactKind::Store { op, args, .. } if op == "conditional_update" => {
            key.is_none_or(|key| args.get(1).is_some_and(|arg| arg.origins == *key))
        }
        EventFactKind::Store { args, .. } => {
            let by_text = args.iter().flat_map(|value| value.texts()).any(|text| lives_on(&text.to_ascii_lowercase()));
            let of_key = |key: &Vec<_>| args.iter().any(|arg| key.iter().all(|part| arg.origins.contains(part)));
            (by_text || lives_on(event.name.as_str())) && key.is_some_and(of_key)
        }
        EventFactKind::Call { .. } => {
            has_any(event.name.as_str(), &words.renewal_verbs) || has_any(event.name.as_str(), &words.extension_verbs)
        }
        _ => false,
    }
}
