//! The comparison of two snapshots.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::order::{self, Shift};
use super::pair::pairs;
use super::snapshot::{Entry, Snapshot};
use crate::guarantee::Claim;

/// What happened to a handler's guarantee, or to a part of it. In the order in which a reviewer wants to know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// it promises less
    Weakened,
    /// it could not be found out
    Unanswerable,
    /// there is no such handler any more
    Gone,
    /// it promises something else, or what it rests on is another
    Changed,
    /// it promises more
    Strengthened,
    /// there was no such handler
    New,
}

impl Change {
    /// All, in their order.
    pub const ALL: [Self; 6] =
        [Self::Weakened, Self::Unanswerable, Self::Gone, Self::Changed, Self::Strengthened, Self::New];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weakened => "weakened",
            Self::Unanswerable => "unanswerable",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Strengthened => "strengthened",
            Self::New => "new",
        }
    }
}

impl From<Shift> for Change {
    fn from(shift: Shift) -> Self {
        match shift {
            Shift::Weaker => Self::Weakened,
            Shift::Other => Self::Changed,
            Shift::Stronger => Self::Strengthened,
        }
    }
}

/// All that differs between two times.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// of the format
    pub version: u32,
    /// what the present was compared with, as the user named it
    pub base: String,
    /// sorted by change and handler
    pub changes: Vec<HandlerChange>,
    /// handlers whose guarantee and what it rests on are the same
    pub unchanged: usize,
    /// why nothing could be compared at all
    pub unanswerable: Option<String>,
}

/// One handler whose guarantee, or what it rests on, differs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HandlerChange {
    /// its path now, or then if it is gone
    pub handler: String,
    /// what happened
    pub change: Change,
    /// what differs, in the order of tables
    pub fields: Vec<FieldChange>,
    /// what is to be looked at again, though no promise was touched
    pub review_again: Vec<Review>,
    /// the guarantee in full, as it is now, or was if it is gone
    pub sentence: String,
    /// why it cannot be answered
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// One difference. `claim`, `key`, `commit_twice`, `run_again` and `handler` stand beside the fields of a contract.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FieldChange {
    /// the field
    pub name: String,
    /// its value then
    pub before: Option<Value>,
    /// its value now
    pub after: Option<Value>,
    /// in which direction
    pub change: Change,
}

/// Something that a guarantee rests on, and that differs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Review {
    /// what
    pub what: String,
    /// then; nothing if it was not there
    pub before: Option<String>,
    /// now; nothing if it is not there
    pub after: Option<String>,
}

impl Comparison {
    /// How many handlers met with a change.
    pub fn count(&self, change: Change) -> usize {
        self.changes.iter().filter(|handler| handler.change == change).count()
    }

    /// Whether something could not be answered, so that no verdict is complete.
    pub fn is_incomplete(&self) -> bool {
        self.unanswerable.is_some() || self.count(Change::Unanswerable) > 0
    }
}

/// Compares the present with a base of that name.
pub fn compare(base: &str, before: &Snapshot, after: &Snapshot) -> Comparison {
    let pairs = pairs(&before.contracts, &after.contracts);
    let all = pairs.len();
    let mut changes: Vec<HandlerChange> = pairs
        .into_iter()
        .filter_map(|pair| match pair {
            (Some(then), Some(now)) => both(then, now),
            (Some(then), None) => Some(gone(then, after)),
            (None, Some(now)) => Some(new(now, before)),
            (None, None) => None,
        })
        .collect();
    changes.sort_by(|left, right| (left.change, &left.handler).cmp(&(right.change, &right.handler)));
    Comparison { version: 1, base: base.to_owned(), unchanged: all - changes.len(), changes, unanswerable: None }
}

/// The answer where there is nothing to compare with: no handler of the present has one.
pub fn unanswerable(base: &str, after: &Snapshot, reason: &str) -> Comparison {
    let unknown = |entry: &Entry| HandlerChange {
        change: Change::Unanswerable,
        reasons: vec!["there is nothing to compare it with".to_owned()],
        ..unchanged(entry)
    };
    Comparison {
        version: 1,
        base: base.to_owned(),
        changes: after.contracts.iter().map(unknown).collect(),
        unchanged: 0,
        unanswerable: Some(reason.to_owned()),
    }
}

fn unchanged(entry: &Entry) -> HandlerChange {
    HandlerChange {
        handler: entry.handler.clone(),
        change: Change::Changed,
        fields: Vec::new(),
        review_again: Vec::new(),
        sentence: entry.sentence.clone(),
        reasons: Vec::new(),
    }
}

fn both(then: &Entry, now: &Entry) -> Option<HandlerChange> {
    let fields = fields(then, now);
    let review_again = review(then, now);
    let mut reasons = unread("then", then);
    reasons.extend(unread("now", now));
    if fields.is_empty() && review_again.is_empty() && reasons.is_empty() {
        return None;
    }
    let has = |change: Change| fields.iter().any(|field| field.change == change);
    let change = if !reasons.is_empty() {
        Change::Unanswerable
    } else if has(Change::Weakened) {
        Change::Weakened
    } else if has(Change::Strengthened) {
        Change::Strengthened
    } else {
        Change::Changed
    };
    Some(HandlerChange { change, fields, review_again, reasons, ..unchanged(now) })
}

/// What of an effect's contract could not be read, so that it may say more than is known.
fn unread(when: &str, entry: &Entry) -> Vec<String> {
    let problems = entry.problems.iter().map(|problem| format!("{when}: {problem}"));
    let claim = Claim::by_text(&entry.claim).is_none();
    problems.chain(claim.then(|| format!("{when}: `{}` is no claim that this program knows", entry.claim))).collect()
}

fn fields(then: &Entry, now: &Entry) -> Vec<FieldChange> {
    let mut found = Vec::new();
    let mut add = |name: &str, before: Option<&Value>, after: Option<&Value>, shift: Option<Shift>| {
        found.extend(shift.map(|shift| FieldChange {
            name: name.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
            change: shift.into(),
        }));
    };
    let mut texts = |name: &str, before: &str, after: &str, shift: Option<Shift>| {
        add(name, Some(&before.into()), Some(&after.into()), shift);
    };
    let moved = (then.handler != now.handler).then_some(Shift::Other);
    texts("handler", &then.handler, &now.handler, moved);
    if let (Some(before), Some(after)) = (Claim::by_text(&then.claim), Claim::by_text(&now.claim)) {
        texts("claim", &then.claim, &now.claim, order::claim(before, after));
    }
    texts("key", &then.key_verdict, &now.key_verdict, order::key(&then.key_verdict, &now.key_verdict));
    for question in ["commit_twice", "run_again"] {
        if let (Some(before), Some(after)) = (then.questions.get(question), now.questions.get(question)) {
            texts(question, before, after, order::answer(before, after));
        }
    }
    let mut names: Vec<&String> = then.fields.keys().collect();
    names.extend(now.fields.keys().filter(|name| !then.fields.contains_key(*name)));
    names.sort_by_key(|name| crate::contracts::Field::by_name(name).map_or(usize::MAX, |field| field as usize));
    for name in names {
        let (before, after) = (then.field(name), now.field(name));
        add(name, before, after, order::field(name, before, after));
    }
    found
}

/// What both rest on. A file that does not say what a guarantee rests on leaves nothing to compare.
fn review(then: &Entry, now: &Entry) -> Vec<Review> {
    let mut found = Vec::new();
    match (then.text("intent_key"), now.text("intent_key")) {
        (Some(before), Some(after)) if before != after => found.push(Review {
            what: "intents under way, whose key changes with the release".to_owned(),
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
        }),
        _ => {}
    }
    let (Some(before), Some(after)) = (&then.rests_on, &now.rests_on) else {
        return found;
    };
    // of another provider everything is another, and the field has said so
    if then.field("provider") == now.field("provider") {
        found.extend(provider(now.text("provider").unwrap_or_default(), &before.provider, &after.provider));
    }
    found.extend(differences("package ", &before.packages, &after.packages));
    found.extend(differences("", &before.limits, &after.limits));
    found
}

/// What the catalog says of a provider otherwise than before; that it lists it at all is one difference, not many.
fn provider(id: &str, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<Review> {
    if before.is_empty() == after.is_empty() {
        return differences(&format!("provider {id}: "), before, after);
    }
    let listed = |facts: &BTreeMap<String, String>| (!facts.is_empty()).then(|| "in the catalog".to_owned());
    vec![Review { what: format!("provider {id}"), before: listed(before), after: listed(after) }]
}

fn differences(front: &str, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<Review> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| Review {
            what: format!("{front}{name}"),
            before: before.get(name).cloned(),
            after: after.get(name).cloned(),
        })
        .collect()
}

/// An effect of then that has no partner now.
fn gone(then: &Entry, after: &Snapshot) -> HandlerChange {
    let mut change = HandlerChange { change: Change::Gone, ..unchanged(then) };
    if after.undeclared.contains(&then.handler) {
        // the contract went, and the effect stayed
        change.change = Change::Weakened;
        change.fields.push(FieldChange {
            name: "claim".to_owned(),
            before: Some(then.claim.as_str().into()),
            after: None,
            change: Change::Weakened,
        });
    }
    if after.unread.contains(&then.file) {
        change.change = Change::Unanswerable;
        change.reasons.push(format!("now: `{}` could not be read in full", then.file));
    }
    change
}

/// An effect of now that had no partner then.
fn new(now: &Entry, before: &Snapshot) -> HandlerChange {
    let mut change = HandlerChange { change: Change::New, ..unchanged(now) };
    if before.unread.contains(&now.file) {
        change.change = Change::Unanswerable;
        change.reasons.push(format!("then: `{}` could not be read in full", now.file));
    }
    change.reasons.extend(unread("now", now));
    if !change.reasons.is_empty() {
        change.change = Change::Unanswerable;
    }
    change
}
