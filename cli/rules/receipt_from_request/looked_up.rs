//! One helper makes a receipt of the provider's answer; another one, that only asks whether the effect is there, makes the
//! same of what was sent.

use super::{identifies, is_request};
use crate::flow::{EventFact, EventFactKind, OriginKind, ValueFact};
use crate::ir::Name;
use crate::operations::FunctionOps;
use crate::rules::Facts;
use crate::rules::scene::has_any;
use crate::source::Span;

type Fields = [(Name, ValueFact)];

/// The places where a function's look-up helpers fill a receipt with what was sent, with the field's name.
pub(super) fn filled(facts: &Facts<'_>, function: &FunctionOps) -> Vec<(Span, String)> {
    let direct = |event: &&EventFact| event.via.len() == 1;
    let events = || function.events().map(|(_, event)| event).filter(direct);
    let acts: Vec<_> = events().filter(|event| matches!(event.kind, EventFactKind::Dispatch { .. })).collect();
    let asks =
        events().filter(|event| matches!(event.kind, EventFactKind::Lookup { .. } | EventFactKind::Asked { .. }));
    let answered = |path: &str, field: &str| {
        acts.iter().any(|act| {
            made(facts, act).any(|(_, known, fields)| {
                known == path
                    && fields.iter().any(|(name, value)| name.as_str() == field && value.replies.contains(&act.span))
            })
        })
    };
    let mut found = Vec::new();
    for (place, path, fields) in
        asks.filter(|ask| acts.iter().all(|act| act.via != ask.via)).flat_map(|ask| made(facts, ask))
    {
        // Beside what the provider said of it, the own name of something is an echo.
        let told = |origin: &OriginKind| !matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_));
        if fields.iter().any(|(_, value)| value.origins.iter().any(told)) {
            continue;
        }
        let sent = fields.iter().find(|(name, value)| {
            let echoed = has_any(name, &facts.catalog.words.echoed_fields);
            !echoed && identifies(facts, name) && is_request(value) && answered(path, name)
        });
        found.extend(sent.map(|(name, _)| (place, name.to_string())));
    }
    found
}

/// What the helper makes in which an event takes place.
fn made<'f>(facts: &'f Facts<'_>, event: &EventFact) -> impl Iterator<Item = (Span, &'f str, &'f Fields)> {
    let helper = event.through.first().and_then(|id| facts.operations.function(*id));
    helper.into_iter().flat_map(|helper| helper.events()).filter_map(|(_, event)| match &event.kind {
        EventFactKind::Made { path, fields } if event.via.is_empty() => {
            Some((event.span, path.as_str(), fields.as_slice()))
        }
        _ => None,
    })
}
