//! What acts outside by its name alone, since no code shows what it does: methods of traits that nobody implements here, of
//! types that are absent, and of crates that no row of the catalog speaks of.

use super::engine::Engine;
use super::events::{Event, EventKind};
use super::facts::Happening;
use super::rows::MAX_TARGETS;
use super::scope::{acts as acts_by_name, begins_with_any, client_acts};
use crate::catalog::{Matcher, Words};
use crate::ir::Name;
use crate::resolve::{FnId, Program, TraitId};
use std::sync::Arc;

/// Whether no code outside tests shows what a call does: methods of traits that others implement.
pub(crate) fn is_unseen(program: &Program, ids: &[FnId]) -> bool {
    let shown = |id: &FnId| !program.function(*id).test && program.body(*id).is_some();
    !ids.is_empty() && !ids.iter().any(shown)
}

/// Whether a function is a method, seen nowhere, by which something outside acts.
pub(crate) fn acts(program: &Program, words: &Words, id: FnId) -> bool {
    let function = program.function(id);
    function.trait_.is_some_and(|of| acts_for(words, last_word_of(program, of), function.ir.name.as_str()))
}

/// Whether a call that leads to an event may mean one of several functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Chosen {
    /// each call means one
    No,
    /// all that it may mean act outside, and their common name says so
    Alike,
    /// it may mean different things
    Unlike,
}

impl Chosen {
    /// Whether the source does not say which one.
    pub fn is_open(self) -> bool {
        self != Self::No
    }
}

/// What one of several functions does that a call may mean. Where their common name says that something outside acts, that is
/// what the call does, whichever it is.
pub(crate) fn chosen(engine: &mut Engine<'_>, ids: &[FnId], name: Name, events: &mut [Event]) {
    let says = acts_by_name(&engine.catalog.words, name.as_str());
    let is_act = |event: &Event| matches!(event.kind, EventKind::Dispatch { harmless: false, .. });
    let mut acts = |id: &FnId| engine.program.function(*id).test || engine.summary(*id).events.iter().any(is_act);
    let alike = says && ids.len() <= MAX_TARGETS && ids.iter().all(&mut acts);
    for event in events {
        event.chosen = event.chosen.max(if alike { Chosen::Alike } else { Chosen::Unlike });
        if says && event.below == 0 && matches!(event.kind, EventKind::Dispatch { harmless: false, .. }) {
            event.below = event.via.len() as u32;
            event.own = Arc::new(Happening { name, ..Happening::clone(&event.own) });
        }
    }
}

/// Whether a trait acts outside when it is called by this name: one that is a client by its own name in whatever a client does,
/// one that may as well be a part of the application only where the method leaves no doubt.
pub(crate) fn acts_for(words: &Words, name: &str, method: &str) -> bool {
    ends_with(&words.receivers, name) && client_acts(words, method)
        || ends_with(&words.interfaces, name) && acts_by_name(words, method)
}

fn ends_with(suffixes: &[String], name: &str) -> bool {
    suffixes.iter().any(|suffix| name.ends_with(suffix.as_str()))
}

/// Whether a method is of a type that is absent from the workspace: only its name is known.
pub(crate) fn is_absent(receiver: Name) -> bool {
    receiver.as_str().starts_with("crate::")
}

/// Whether a method is of a crate that no row speaks of.
pub(crate) fn is_foreign(matcher: &Matcher<'_>, receiver: Name) -> bool {
    let root = receiver.as_str().split("::").next().unwrap_or_default();
    !matches!(root, "crate" | "std") && !matcher.knows_crate(root)
}

/// Whether the name of a method leaves no doubt that something happens, whoever's it is.
pub(crate) fn is_plain(words: &Words, method: Name) -> bool {
    begins_with_any(method.as_str(), &words.foreign_verbs)
}

/// The name of a trait without the modules around it.
pub(crate) fn last_word_of(program: &Program, of: TraitId) -> &'static str {
    let path = program.traits[of.0 as usize].path.as_str();
    path.rsplit("::").next().unwrap_or(path)
}
