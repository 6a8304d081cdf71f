//! Keys that an object was made with: in its client, or in the headers that it puts into what it sends.

use std::borrow::Cow;

use super::{Writers, named};
use crate::flow::dispatch::{carried, client_facts, is_carried};
use crate::flow::engine::Engine;
use crate::flow::uses::Use;
use crate::flow::value::Value;
use crate::resolve::FnId;

/// Dispatches with the key that their client or headers carry for everything that is sent, where those are a field of the
/// object itself.
pub(super) fn of_client<'u>(engine: &mut Engine<'_>, writers: &Writers, id: FnId, uses: &'u [Use]) -> Cow<'u, [Use]> {
    let catalog = engine.catalog;
    let open = |known: &Use| known.is_keyless() && is_carried(catalog, known);
    if !uses.iter().any(|known| open(known) || !known.carried.is_empty()) {
        return Cow::Borrowed(uses);
    }
    let mut uses = uses.to_vec();
    for known in &mut uses {
        in_headers(engine, writers, id, known);
        if open(known) {
            let receiver = named(engine, writers, id, None, known.receiver.get(), true);
            client_facts(catalog, known, &receiver);
        }
    }
    Cow::Owned(uses)
}

/// The key in headers that are a field of the object itself, as whoever makes it put them together.
pub(super) fn in_headers(engine: &mut Engine<'_>, writers: &Writers, id: FnId, known: &mut Use) {
    if known.carried.is_empty() || !engine.program.function(id).ir.has_self {
        return;
    }
    let headers: Vec<Value> = known.carried.iter().map(|value| named(engine, writers, id, None, value, true)).collect();
    carried::found_in_object(&engine.catalog.words, known, &headers);
}
