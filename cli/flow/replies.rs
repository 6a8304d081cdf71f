//! Of which effects the value of a call tells.

use super::eval::Eval;
use super::events::{Event, EventKind, Role};
use super::value::{Atom, Kind, Trail, Value};
use crate::ir::Name;
use crate::source::Span;

/// Dispatches whose reply one value can be, at most.
const MAX_REPLIES: usize = 6;

/// Other operations whose outcome it tells of beside them.
const MAX_OTHER_REPLIES: usize = 3;

/// The value of a dispatch's answer.
pub(crate) fn with_reply(eval: &Eval<'_, '_>, value: &Value, site: Span, bare: bool) -> Value {
    let reply = Atom::new(Kind::Reply(site, bare), eval.here(), Trail::default());
    value.with_atoms(&[reply])
}

/// The value of a call into the workspace below which something acts or is stored: whatever it is, it also tells of their
/// outcome, but for what runs in a task that was started below. So many regions stand around the call.
pub(crate) fn with_replies_of(value: &Value, events: &[Event], around: usize) -> Value {
    let mut replies = Vec::new();
    let spawned =
        |event: &Event| event.regions.iter().skip(around).any(|(_, role)| matches!(role, Role::Spawned { .. }));
    let heard = |event: &&Event| event.told && !spawned(event);
    let all = || events.iter().filter(heard);
    let acts = all().filter(|event| matches!(event.kind, EventKind::Dispatch { harmless: false, .. }));
    let rest = all().filter(|event| matches!(event.kind, EventKind::Dispatch { harmless: true, .. }));
    // Of what does no harm when it is done twice, and of the writes, some stand for all.
    let rest = rest.chain(all().filter(|event| stores(event)));
    for event in acts.take(MAX_REPLIES).chain(rest.take(MAX_OTHER_REPLIES)) {
        replies.push(Atom::reply(event.span, false));
    }
    value.with_atoms(&replies)
}

/// Whether an event only asks: a provider, or a store.
pub(crate) fn asks_only(event: &Event) -> bool {
    match event.kind {
        EventKind::Lookup { .. } | EventKind::Asked { .. } => true,
        EventKind::Store { .. } | EventKind::Sql { .. } => !stores(event),
        _ => false,
    }
}

/// Whether an event changes something, here or elsewhere.
pub(crate) fn acts(event: &Event) -> bool {
    matches!(event.kind, EventKind::Dispatch { harmless: false, .. }) || stores(event)
}

/// Whether an event changes a store.
fn stores(event: &Event) -> bool {
    let reads =
        |text: &Name| text.as_str().trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    match &event.kind {
        EventKind::Sql { texts, .. } => !texts.iter().all(reads),
        EventKind::Store { op, .. } => op.as_str() != "query",
        _ => false,
    }
}
