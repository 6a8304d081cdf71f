//! Where the stored answer is returned to whoever sends a key that is known, with nothing compared on the way.

use super::digest_unread::{self, Digest};
use crate::flow::{EventFact, EventFactKind, HEARD, KEY_HEADER, OriginKind, Turn, Usage, ValueFact};
use crate::operations::{FunctionOps, TableRole, exclusive, may_follow, meets};
use crate::rules::Facts;
use crate::rules::scene::{has_any, here, is_success};
use crate::rules::swallowed::is_local;
use crate::source::Span;
use crate::sql::{Conflict, Kind, Set, Statement};

/// The answers that may be given after the event at a position, each on a branch of its own.
pub(super) fn answers(function: &FunctionOps, at: usize) -> impl Iterator<Item = (usize, &EventFact, &ValueFact)> {
    function.events().filter_map(move |(later, event)| match &event.kind {
        EventFactKind::Return { value, .. } => {
            let own = later > at && event.via.is_empty() && !event.branches.is_empty();
            (own && may_follow(&function.facts, at, later)).then_some((later, event, value))
        }
        _ => None,
    })
}

/// Where what a claim gave back is returned.
pub(super) fn claimed_answer(function: &FunctionOps, at: usize) -> Option<&EventFact> {
    let claim = function.event(at);
    let mut answers = answers(function, at).filter(|_| claim.via.is_empty());
    answers.find(|(_, _, value)| value.replies.contains(&claim.span)).map(|(_, event, _)| event)
}

/// Where what was read under the key is returned, if neither the columns that are read nor a refusal on the way tell of a
/// comparison.
pub(super) fn read_answer<'a>(
    facts: &Facts<'_>,
    function: &'a FunctionOps,
    at: usize,
    asked: &dyn Fn(&OriginKind) -> bool,
) -> Option<&'a EventFact> {
    let words = &facts.catalog.words.digest_columns;
    let compared = function.statements(at).iter().any(|read| {
        let columns = read.columns.iter().map(String::as_str).filter(|column| has_any(column, words));
        let digest = Digest { table: read.table.as_deref().unwrap_or_default(), columns: columns.collect() };
        digest_unread::is_looked_at(facts, function.event(at), &digest)
    });
    if compared {
        return None;
    }
    let of_row = |value: &ValueFact| {
        let other = |origin: &OriginKind| matches!(origin, OriginKind::Input(_)) && !asked(origin);
        value.origins.iter().any(asked) && !value.origins.iter().any(other)
    };
    let answer = answers(function, at).find(|(_, event, value)| is_success(event) && of_row(value));
    let joined = || joined_answer(function, at, &of_row);
    let (answer_at, answer) = answer.map(|(at, event, _)| (at, event)).or_else(joined)?;
    let refused = function.events().any(|(between, event)| {
        // What fails behind a write on another arm is a new request.
        let is_new = || {
            let arms = answer.branches.last().map(|last| event.branches.iter().filter(move |arm| arm.0 == last.0));
            let begun = |arm: &(Span, u32)| {
                function
                    .writes()
                    .any(|(write_at, write)| answer_at < write_at && write_at < between && write.branches.contains(arm))
            };
            arms.is_some_and(|mut arms| arms.any(begun))
        };
        let before = between < answer_at;
        refuses(event)
            && between > at
            && meets(function.event(at), event)
            && beside(event, answer, function.event(at), before)
            && (before || !is_new())
    });
    (!refused && !refused_above(facts, function, at)).then_some(answer)
}

/// Whether an event refuses what was asked for, rather than to fail by an error from below.
fn refuses(event: &EventFact) -> bool {
    match &event.kind {
        // An error that is handed on is that of what was asked, not of a comparison.
        EventFactKind::Fail { error } if matches!(error.as_deref(), Some("unknown" | HEARD)) => false,
        EventFactKind::Fail { .. } => event.name != "?" || !event.via.is_empty(),
        EventFactKind::Return { answer, .. } => answer.as_deref() == Some("rejected"),
        _ => false,
    }
}

/// Whether a caller, which has more of the request in hand, refuses it on a branch of its own behind the read.
pub(super) fn refused_above(facts: &Facts<'_>, function: &FunctionOps, at: usize) -> bool {
    let read = function.event(at).span;
    facts.operations.functions.iter().any(|above| {
        let from_here = |event: &EventFact| event.span == read && event.through.contains(&function.facts.function);
        let Some((at, event)) = above.events().find(|(_, event)| from_here(event)) else {
            return false;
        };
        let behind = |branch: &(Span, u32)| is_local(above, branch.0) && branch.0.range.start > here(event).range.end;
        above.events().any(|(later, refusal)| {
            let own = later > at && refusal.via.is_empty() && refusal.branches.iter().any(behind);
            own && refuses(refusal) && may_follow(&above.facts, at, later)
        })
    })
}

/// Where the one answer is given that both arms lead to, if a claim decides between them, what the claimed arm has stored (or
/// nothing but rows of the key) is returned, and what is read at a position is the other arm's: `let row = if claimed { insert() } else { find() }; Ok(row)`.
fn joined_answer<'a>(
    function: &'a FunctionOps,
    at: usize,
    of_row: &dyn Fn(&ValueFact) -> bool,
) -> Option<(usize, &'a EventFact)> {
    let read = function.event(at);
    let arm = read.branches.last()?;
    let lost = |turn: &Turn| turn.branch == arm.0 && turn.nothing == Some(arm.1);
    let decides = |(claim_at, claim): &(usize, &EventFact)| {
        *claim_at < at && function.is_claim(*claim_at) && claim.turns.iter().any(lost)
    };
    let kept = read.own.bound.is_some() || !read.via.is_empty() || read.usage != Usage::Used;
    if kept || !function.events().any(|event| decides(&event)) {
        return None;
    }
    let stored = |span: &Span| {
        function.events().any(|(_, event)| event.span == *span && exclusive(&function.facts, event, read))
    };
    function.events().find(|(later, event)| {
        let value = match &event.kind {
            EventFactKind::Return { value, .. } => value,
            _ => return false,
        };
        let own = *later > at && event.via.is_empty() && meets(read, event) && is_success(event);
        own && (of_row(value) || value.replies.iter().any(stored))
    })
}

/// Where a row is returned that was read under the key of a request alone, if the function stores it under that key, with
/// more of the request in hand and no digest of it beside the key.
pub(super) fn row_answer<'a>(facts: &Facts<'_>, function: &'a FunctionOps, at: usize) -> Option<&'a EventFact> {
    let EventFactKind::Sql { binds, .. } = &function.event(at).kind else {
        return None;
    };
    let bound = || binds.iter().flat_map(|bind| bind.origins.iter());
    let asked = |origin: &OriginKind| bound().any(|by| is_part_of(origin, by));
    let other = |value: &ValueFact| value.origins.iter().any(|origin| is_payload(origin) && !asked(origin));
    let holds_more = || function.events().any(|(_, event)| handed(event).iter().any(other));
    let known = function.statements(at).iter().any(|read| is_by_row_key(facts, function, (at, read)));
    if !known || !holds_more() {
        return None;
    }
    read_answer(facts, function, at, &asked)
}

/// Whether an origin is an input, or a field of it.
pub(super) fn is_part_of(origin: &OriginKind, input: &OriginKind) -> bool {
    match (origin, input) {
        (OriginKind::Input(part), OriginKind::Input(whole)) => {
            let rest = part.as_str().strip_prefix(whole.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
        _ => false,
    }
}

/// What a statement or call is handed.
fn handed(event: &EventFact) -> &[ValueFact] {
    match &event.kind {
        EventFactKind::Sql { binds, .. } => binds,
        EventFactKind::Call { args, .. } => args,
        EventFactKind::Dispatch { args, .. } => std::slice::from_ref(args),
        _ => &[],
    }
}

pub(super) fn is_payload(origin: &OriginKind) -> bool {
    matches!(origin, OriginKind::Input(name) if !name.as_str().starts_with("self"))
}

/// Whether a statement asks for the row of a request's key, and for nothing else that this function stores with it
/// and that somebody looks at.
fn is_by_row_key(facts: &Facts<'_>, function: &FunctionOps, (at, read): (usize, &Statement)) -> bool {
    let words = &facts.catalog.words;
    let tables = &facts.operations.tables;
    let (Kind::Select, Some(table)) = (read.kind, read.table.as_deref()) else {
        return false;
    };
    let row: Vec<String> = read.row().into_iter().map(str::to_owned).collect();
    let declared = tables.columns(table, "key");
    let same_table = |stores: &&Statement| stores.kind == Kind::Insert && stores.table.as_deref() == Some(table);
    // A cache is asked first: what is claimed first and has an answer then is a request.
    let claims =
        |at| function.statements(at).iter().filter(same_table).any(|claim| claim.conflict == Conflict::Nothing);
    let replays = || read.columns.iter().any(|column| has_any(column, &words.answer_columns)) && (0..at).any(claims);
    // A document that goes by the key of the request itself, where that is put in before it is read.
    let document = |column: &String| {
        let asked = read.conditions.iter().find(|condition| condition.column == *column);
        let by = asked.and_then(|condition| bound(function.event(at), &condition.against));
        column == "_id"
            && by.is_some_and(|by| is_named_key(facts, by))
            && (0..at).any(|at| puts_in(function, at, table))
    };
    let is_key = |column: &String| {
        let named =
            document(column) || words.key_names.iter().chain(&words.request_key_columns).any(|known| known == column);
        named || tables.is(table, TableRole::Inbox) && declared.contains(column) || column == "key" && replays()
    };
    let digests = tables.columns(table, "digest");
    let is_digest =
        |column: &String| digests.contains(column) || !is_key(column) && has_any(column, &words.digest_columns);
    if row.len() != read.conditions.len() || !row.iter().any(is_key) || row.iter().any(is_digest) {
        return false;
    }
    let mut events = function.events();
    events.any(|(stored_at, _)| {
        function.statements(stored_at).iter().filter(same_table).any(|stores| {
            let has = |column: &String| stores.set.iter().any(|set| set.column == *column);
            let alone = row.iter().all(|column| stores.conflict_target.contains(column))
                || row.iter().all(is_key)
                || tables.is_unique(table, &row);
            let digests = stores.set.iter().map(|set| &set.column).filter(|column| is_digest(column));
            let digest = Digest { table, columns: digests.map(String::as_str).collect() };
            row.iter().all(has) && alone && !digest_unread::is_looked_at(facts, function.event(at), &digest)
        })
    })
}

/// Whether a value is the key of a request, as it is called there.
fn is_named_key(facts: &Facts<'_>, value: &ValueFact) -> bool {
    let words = &facts.catalog.words;
    let named = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        let mut known = words.key_names.iter().chain(&words.request_key_columns).chain(&words.asker_key_names);
        last == "key" || known.any(|known| known == last)
    };
    match value.origins.as_slice() {
        [OriginKind::Input(name)] => name == KEY_HEADER || named(name.as_str()),
        _ => false,
    }
}

/// The value that is bound to a placeholder.
fn bound<'a>(event: &'a EventFact, set: &Set) -> Option<&'a ValueFact> {
    match (set, &event.kind) {
        (Set::Placeholder(number), EventFactKind::Sql { binds, .. }) => binds.get(*number),
        _ => None,
    }
}

/// Whether a row of its own is put into a table.
fn puts_in(function: &FunctionOps, at: usize, table: &str) -> bool {
    let inserts = |statement: &Statement| statement.kind == Kind::Insert && statement.table.as_deref() == Some(table);
    function.statements(at).iter().any(inserts)
}

/// Whether a refusal stands on the way to an answer, inside the branch that leads there, or on another arm of one that the
/// answer is in and what was read is not.
fn beside(refusal: &EventFact, answer: &EventFact, read: &EventFact, before: bool) -> bool {
    let Some(last) = answer.branches.last() else {
        return before;
    };
    let between = || answer.branches.iter().filter(|branch| *branch == last || !read.branches.contains(branch));
    refusal
        .branches
        .iter()
        .any(|arm| before && arm.0 == last.0 || between().any(|branch| arm.0 == branch.0 && arm.1 != branch.1))
}
