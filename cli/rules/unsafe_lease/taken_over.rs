//! Rows that are taken for a time, also from whoever had them until that ran out, and are removed behind the work whoever has
//! them by then. That the row is a lease says what is done with it, whatever it is called.

use std::collections::BTreeSet;

use super::RULE;
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, OriginKind, Role, ValueFact};
use crate::operations::{FunctionOps, may_follow, meets, runs_out};
use crate::rules::scene::{always_follows, has_any, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::Span;
use crate::sql::{Condition, Conflict, Kind, Set, Statement};

/// What is told beside where a lease is known by its name or its columns is not told again.
pub(super) fn check(facts: &Facts<'_>, mut told: BTreeSet<Span>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        for (at, release) in function.events() {
            let removed = function.statements(at).iter().find(|statement| statement.kind == Kind::Delete);
            let Some(removed) = removed.filter(|_| !told.contains(&release.span)) else {
                continue;
            };
            let taken = function.events().find(|(before, taken)| {
                *before < at
                    && function.statements(*before).iter().any(|insert| {
                        takes_over(facts, insert)
                            && !names_holder(facts, removed)
                            && is_its_row((taken, insert), (release, removed))
                    })
                    && meets(taken, release)
                    && may_follow(&function.facts, *before, at)
                    && is_way_of_success(function, taken, release)
            });
            let Some((_, taken)) = taken else {
                continue;
            };
            told.insert(release.span);
            let message =
                "the row that was taken for a time is removed whoever has it: after that ran out, this frees \
                           what another run has taken over"
                    .to_owned();
            let help = "keep a random owner in the row, and make it a condition under which the row is removed";
            let mut steps = vec![(taken.span, "it is taken here, also from one whose time has run out".to_owned())];
            steps.extend(step(release, "and removed here, without asking whose it is"));
            let text = (message, help);
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, release.whole, text, steps));
        }
    }
}

/// Whether one row is put in, or taken from whoever has it where its time has run out.
fn takes_over(facts: &Facts<'_>, insert: &Statement) -> bool {
    let words = &facts.catalog.words;
    let set = insert.set.iter().chain(&insert.conflict_set).map(|set| &set.column);
    let until: Vec<String> = set
        .filter(|column| words.lease_until_columns.contains(column) || has_any(column, &words.deadline_words))
        .cloned()
        .collect();
    insert.kind == Kind::Insert && !insert.many && insert.conflict == Conflict::Update && runs_out(&until, insert)
}

/// Whether a column is asked for that says whose the row is.
fn names_holder(facts: &Facts<'_>, removed: &Statement) -> bool {
    let table = removed.table.as_deref().and_then(|table| facts.operations.leases.get(table));
    let known = &facts.catalog.words.lease_token_columns;
    table.is_some_and(|lease| lease.is_held(removed))
        || removed.conditions.iter().any(|condition| known.contains(&condition.column))
}

/// Whether exactly the row is removed that was put in, by what it is called. A further condition that is no fixed text may be
/// the holder.
fn is_its_row((taken, insert): (&EventFact, &Statement), (release, removed): (&EventFact, &Statement)) -> bool {
    let value = |event: &EventFact, set: &Set| -> Option<Vec<OriginKind>> {
        match (set, &event.kind) {
            (Set::Text(text), _) => Some(vec![OriginKind::Constant(Some(crate::ir::Name::new(text)))]),
            (Set::Placeholder(number), EventFactKind::Sql { binds, .. }) => {
                binds.get(*number).map(|bound: &ValueFact| bound.origins.clone())
            }
            _ => None,
        }
    };
    let same = |condition: &&Condition| {
        let put = insert.set.iter().find(|set| set.column == condition.column);
        let asked = value(release, &condition.against);
        condition.equal && asked.is_some() && put.is_some_and(|put| value(taken, &put.value) == asked)
    };
    let is_fixed = |condition: &&Condition| {
        let origins = value(release, &condition.against).unwrap_or_default();
        origins.iter().all(|origin| matches!(origin, OriginKind::Constant(_)))
    };
    let named = removed.conditions.iter().filter(|condition| !is_fixed(condition)).count() <= 1;
    insert.table.is_some()
        && insert.table == removed.table
        && removed.either.is_empty()
        && !removed.conditions.is_empty()
        && named
        && removed.conditions.iter().all(|condition| same(&condition))
}

/// Whether a row is removed when the work behind it went well. One that is only removed when it did not is there to tell that
/// the work was done.
fn is_way_of_success(function: &FunctionOps, taken: &EventFact, release: &EventFact) -> bool {
    let closed = |region: &(Span, Role)| !taken.regions.contains(region) && matches!(region.1, Role::Closure { .. });
    always_follows(&function.facts, taken, release) && !release.regions.iter().any(closed)
}
