//! Answers that are made up of the request: what a function gives of the provider's on one way, it puts together itself on
//! another.

use super::{is_key, was_sent};
use crate::flow::{EventFact, EventFactKind, OriginKind, Outcomes, ValueFact, has_word};
use crate::ir::Name;
use crate::operations::{FunctionOps, may_follow};
use crate::resolve::Ty;
use crate::rules::Facts;
use crate::rules::scene::has_any;
use crate::source::Span;

/// Whether a field holds one input that was sent, which is called otherwise there: the number of a receipt, and the reference of
/// an order.
pub(super) fn sent_under_another_name(function: &FunctionOps, field: &str, value: &ValueFact) -> bool {
    let mut inputs = value.origins.iter().filter_map(|origin| match origin {
        OriginKind::Input(path) => Some(path.as_str()),
        _ => None,
    });
    let (Some(own), None) = (inputs.next(), inputs.next()) else {
        return false;
    };
    own.rsplit_once('.').is_some_and(|(_, last)| last != field)
        && (is_key(function, value) || was_sent(function, value))
}

/// Whether all that a value comes from was handed over to the provider, though nobody knows where some of it was read.
pub(super) fn was_handed_over(function: &FunctionOps, value: &ValueFact) -> bool {
    let varies = |origin: &&OriginKind| !matches!(origin, OriginKind::Constant(_));
    value.replies.is_empty()
        && value.origins.iter().any(|origin| varies(&origin))
        && function.dispatches().any(|(_, dispatch)| match &dispatch.kind {
            EventFactKind::Dispatch { args, .. } => {
                value.origins.iter().filter(varies).all(|origin| args.origins.contains(origin))
            }
            _ => false,
        })
}

/// Whether a structure that is put together behind a dispatch, with nothing of its answer, is what the function gives, and
/// otherwise gives as it was answered.
pub(super) fn is_answer_otherwise(
    facts: &Facts<'_>,
    function: &FunctionOps,
    at: usize,
    path: &str,
    fields: &[(Name, ValueFact)],
) -> bool {
    if !gives(facts, function, path) {
        return false;
    }
    let made = function.event(at);
    function.dispatches().any(|(before, dispatch)| {
        let site = dispatch.span;
        let after = before < at && may_follow(&function.facts, before, at);
        after
            && !fields.iter().any(|(_, value)| value.replies.contains(&site))
            && (in_its_place(function, made, site) || given_elsewhere(function, path, site))
    })
}

/// Whether a function gives a type: as it is, or in a result or option.
fn gives(facts: &Facts<'_>, function: &FunctionOps, path: &str) -> bool {
    let is = |ty: &Ty| matches!(ty, Ty::Adt(id, _) if facts.program.type_(*id).path.as_str() == path);
    match &facts.program.function(function.facts.function).ret {
        Ty::External(_, args) => args.first().is_some_and(is),
        ret => is(ret),
    }
}

/// Whether a combinator puts it into the place of the error: what it gives otherwise is the answer.
fn in_its_place(function: &FunctionOps, made: &EventFact, site: Span) -> bool {
    let mut around = function.facts.conditions.iter().filter(|known| made.branches.contains(&known.branch));
    around.any(|known| known.about.contains(&site) && known.place == known.branch.0)
}

/// Whether the function ends elsewhere with the answer, and not with what it has put together of it.
fn given_elsewhere(function: &FunctionOps, path: &str, site: Span) -> bool {
    let made = |end: &EventFact| {
        function.events().any(|(_, event)| {
            matches!(&event.kind, EventFactKind::Made { path: known, .. } if known == path)
                && end.span.covers(event.span)
        })
    };
    function.events().any(|(_, end)| match &end.kind {
        EventFactKind::Return { value, .. } => end.via.is_empty() && value.replies.contains(&site) && !made(end),
        _ => false,
    })
}

/// Whether the key that was sent is to be what is called otherwise, neither like the input that is the key, nor a key, where
/// one way says that it was done before and asks nobody.
pub(super) fn is_key_under(facts: &Facts<'_>, function: &FunctionOps, name: &str, value: &ValueFact) -> bool {
    let [OriginKind::Input(path)] = value.origins.as_slice() else {
        return false;
    };
    let own = path.rsplit('.').next().is_some_and(|own| has_word(own, name) || has_word(name, own));
    let asks = |branch: &(Span, u32)| {
        function.events().any(|(at, event)| {
            let asks = matches!(event.kind, EventFactKind::Lookup { .. } | EventFactKind::Asked { .. });
            event.branches.contains(branch) && (asks || function.is_read(at))
        })
    };
    let done_before = || {
        let mut said =
            function.facts.conditions.iter().filter(|known| known.named && known.outcomes == Outcomes::DUPLICATE);
        said.any(|known| function.facts.body.covers(known.branch.0) && !asks(&known.branch))
    };
    is_key(function, value) && !own && !has_any(name, &facts.catalog.words.key_names) && done_before()
}
