//! Locks of the application's own: one function takes a key on the condition that nobody has it, another removes it whoever
//! has it by then.

use super::scene::{has_any, step, violation};
use super::unsafe_lease::{RULE, acquired};
use super::{Facts, Sink};
use crate::findings::Confidence;
use crate::flow::{EventFact, EventFactKind, state_word};
use crate::operations::FunctionOps;
use crate::resolve::Ty;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let taken: Vec<(&FunctionOps, &EventFact)> = own(facts)
        .filter(|(function, event)| acquired(event).is_some() && is_called_a_lock(facts, function, event))
        .collect();
    for (function, release) in own(facts).filter(|(_, event)| removed(event)) {
        let words = &facts.catalog.words.unlock_verbs;
        let info = facts.program.function(function.facts.function);
        let gives_up = has_any(info.ir.name.as_str(), words);
        // As a rule all operations of a lock stand together.
        let lease = taken.iter().find(|(_, lease)| lease.span.file == release.span.file);
        let Some((takes, lease)) = lease.filter(|_| gives_up && !asks_first(function)) else {
            continue;
        };
        // In one function it is told of the one key that both have.
        if takes.facts.function == function.facts.function {
            continue;
        }
        let message =
            "the lock is released whoever holds it: after it ran out, this frees the one that another run has taken";
        let help = "store a random owner with the lock, hand it to whoever gives it up, and remove it by a script that \
                    compares the owner first";
        let mut steps = step(lease, "the lock is taken here");
        steps.extend(step(release, "and removed here, without asking whose it is"));
        let text = (message.to_owned(), help);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, release.whole, text, steps));
    }
}

/// What functions do by themselves.
fn own<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f FunctionOps, &'f EventFact)> {
    let functions = facts.operations.functions.iter();
    functions
        .flat_map(|function| function.events().map(move |(_, event)| (function, event)))
        .filter(|(_, event)| event.via.is_empty())
}

/// Whether a key of a key-value store is removed, whatever it holds.
fn removed(event: &EventFact) -> bool {
    match &event.kind {
        EventFactKind::Store { op, args, executor, .. } => {
            op == "delete" && args.get(1).is_some_and(|key| key.origins != executor.origins)
        }
        _ => false,
    }
}

/// Whether a function looks at what is in the store, or takes something itself, before it removes it.
fn asks_first(function: &FunctionOps) -> bool {
    function.events().any(|(at, event)| function.is_read(at) || acquired(event).is_some())
}

/// Whether what takes a key is a lock by the name of the function, of its type, or of the key: of other keys it may be a mark.
fn is_called_a_lock(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact) -> bool {
    let words = &facts.catalog.words.lock_names;
    let info = facts.program.function(function.facts.function);
    let named = |name: &str| has_any(&state_word(name), words);
    let of_type = match &info.self_ty {
        Ty::Adt(id, _) => facts.program.type_(*id).path.as_str().rsplit("::").next().is_some_and(named),
        _ => false,
    };
    let key = acquired(event).and_then(|args| args.first());
    let in_key = |text: &str| {
        text.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| words.iter().any(|known| known == word))
    };
    named(info.ir.name.as_str()) || of_type || key.is_some_and(|key| key.texts().any(in_key))
}
