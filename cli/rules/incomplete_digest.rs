//! `incomplete-digest`: what a repeat is compared by says neither which operation was asked for nor on what.

use super::scene::{NEAR, has_any, here, step, violation};
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Confidence, Level};
use crate::flow::{EventFactKind, KEY_HEADER, OriginKind, ValueFact, bound_names};
use crate::operations::FunctionOps;

pub(super) const RULE: Rule = Rule {
    name: "incomplete-digest",
    group: Group::Dedup,
    default_level: Level::Deny,
    summary: "a digest that tells a repeated request leaves out the operation or the resource",
    doc: include_str!("incomplete_digest.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for function in &facts.operations.functions {
        acts_on_more(facts, function, sink);
        let stored = kept_under_key(function);
        for (_, digest) in function.events().filter(|(_, event)| event.via.len() <= 1) {
            let EventFactKind::Digest { value } = &digest.kind else {
                continue;
            };
            let kept: Vec<&ValueFact> = stored.iter().copied().chain(handed_with_key(function, value)).collect();
            if kept.is_empty() {
                continue;
            }
            let names = || kept.iter().copied().chain([value]).flat_map(inputs);
            let message = if serves_all_routes(facts, function) {
                let told = names().any(|name| is_operation(facts, name)) || says_more(value);
                (!told).then(|| {
                    "this digest covers what was sent, and not which operation it was sent to: the same key and content on \
                     another route gets the answer of the first"
                        .to_owned()
                })
            } else {
                let missing = resources(facts, function).into_iter().find(|resource| {
                    !says_more(value) && !names().any(|name| name.split('.').next() == Some(resource.as_str()))
                });
                missing.map(|resource| {
                    format!(
                        "this digest leaves out `{resource}` of the route: the same key and content for another one gets the \
                         answer of the first"
                    )
                })
            };
            let Some(message) = message else {
                continue;
            };
            let help = "take the digest over method, route and resource beside the content, or make them a part of the stored key";
            let steps = step(digest, "the digest is taken here");
            sink.report(violation(
                facts,
                function,
                RULE.name,
                Confidence::Likely,
                here(digest),
                (message, help),
                steps,
            ));
        }
    }
}

/// A digest over the content of a request, kept beside its key, in a function that then writes by other parts of the request:
/// what these say, neither digest nor key does.
fn acts_on_more(facts: &Facts<'_>, function: &FunctionOps, sink: &mut Sink) {
    for (at, digest) in function.events().filter(|(_, event)| event.via.len() <= 1) {
        let EventFactKind::Digest { value } = &digest.kind else {
            continue;
        };
        if says_more(value) || !inputs(value).all(|name| is_content(facts, name)) {
            continue;
        }
        let Some((claim, kept)) = kept_beside(function, at, value) else {
            continue;
        };
        let covered = |name: &str| kept.iter().flat_map(inputs).any(|known| known == name);
        let more = function.writes().filter(|(later, _)| *later > claim).find_map(|(later, write)| {
            let EventFactKind::Sql { binds, .. } = &write.kind else {
                return None;
            };
            let other = function.changed_tables(later) != function.changed_tables(claim);
            let mut used = binds.iter().filter(|_| other).flat_map(inputs);
            used.find(|name| !covered(name) && inputs(value).any(|content| is_beside(facts, content, name)))
                .map(|name| (name, write))
        });
        let Some((name, write)) = more else {
            continue;
        };
        let message = format!(
            "this digest covers what was sent, and neither it nor the key under which it is kept says `{name}`, by which is \
             written afterwards: the same key and content for another one gets the answer of the first"
        );
        let help =
            "take the digest over operation and resource beside the content, or make them a part of the stored key";
        let mut steps = step(digest, "the digest is taken here");
        steps.extend(step(write, "and this is written by more than it covers"));
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(digest), (message, help), steps));
    }
}

/// The claim by which a digest is kept, with everything that is kept there.
fn kept_beside<'a>(function: &'a FunctionOps, at: usize, digest: &ValueFact) -> Option<(usize, &'a [ValueFact])> {
    function.events().skip(at + 1).find_map(|(claim, event)| match &event.kind {
        EventFactKind::Sql { binds, .. } if function.is_claim(claim) && function.is_insert(claim) => {
            let keeps = binds.len() > 1 && binds.iter().any(|bind| bind.origins == digest.origins);
            keeps.then_some((claim, binds.as_slice()))
        }
        _ => None,
    })
}

/// Whether an input is the content of a request, by its name.
fn is_content(facts: &Facts<'_>, name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| has_any(last, &facts.catalog.words.content_names))
}

/// Whether one input stands beside another: fields of one request, or parameters of one function. Of these only what says on
/// what or by what name something is done: others may say when.
fn is_beside(facts: &Facts<'_>, content: &str, other: &str) -> bool {
    let words = &facts.catalog.words;
    match (content.rsplit_once('.'), other.rsplit_once('.')) {
        (Some((request, _)), Some((of, _))) => request == of,
        (None, None) => [&words.identity_names, &words.coarse_names, &words.operation_names]
            .into_iter()
            .any(|names| has_any(other, names)),
        _ => false,
    }
}

/// What is stored or asked for under the key of a request, that key included.
fn kept_under_key(function: &FunctionOps) -> Vec<&ValueFact> {
    let near = function.events().filter(|(_, event)| event.via.len() <= NEAR);
    let keyed = near.filter_map(|(_, event)| match &event.kind {
        EventFactKind::Sql { binds: values, .. } | EventFactKind::Store { args: values, .. } => {
            values.iter().find(|value| inputs(value).any(|name| name == KEY_HEADER))
        }
        _ => None,
    });
    keyed.collect()
}

/// The key of a request that is handed to somebody together with a digest, for them to keep both.
fn handed_with_key<'a>(function: &'a FunctionOps, digest: &ValueFact) -> Option<&'a ValueFact> {
    function.events().find_map(|(_, event)| {
        let EventFactKind::Call { awaited: true, args } = &event.kind else {
            return None;
        };
        let key = args.iter().position(|value| inputs(value).any(|name| name == KEY_HEADER))?;
        let beside = args.iter().enumerate().any(|(at, value)| at != key && value.origins == digest.origins);
        beside.then(|| &args[key])
    })
}

fn inputs(value: &ValueFact) -> impl Iterator<Item = &str> {
    value.origins.iter().filter_map(|origin| match origin {
        OriginKind::Input(name) => Some(name.as_str()),
        _ => None,
    })
}

/// Whether an input tells what was asked for: `parts.method`, `req.uri`.
fn is_operation(facts: &Facts<'_>, name: &str) -> bool {
    name.split('.').any(|part| has_any(part, &facts.catalog.words.operation_names))
}

/// Whether there is more in a digest than what was sent, as far as can be followed: a name of the operation, something
/// unknown.
fn says_more(value: &ValueFact) -> bool {
    let named = |text: &str| text.bytes().filter(u8::is_ascii_alphabetic).count() > 2;
    inputs(value).next().is_none()
        || value.texts().any(named)
        || value.origins.iter().any(|origin| !matches!(origin, OriginKind::Input(_) | OriginKind::Constant(_)))
}

/// Whether a function stands in front of all routes: it is handed what comes next, or the head of whatever request comes.
fn serves_all_routes(facts: &Facts<'_>, function: &FunctionOps) -> bool {
    let words = &facts.catalog.words;
    let params = &facts.program.function(function.facts.function).params;
    let is = |types: &[String]| params.iter().any(|ty| ty.is_one_of(types));
    is(&words.middleware_types) || function.facts.handler.is_none() && is(&words.request_types)
}

/// The parts of the route that a request handler takes: on what it acts.
fn resources(facts: &Facts<'_>, function: &FunctionOps) -> Vec<String> {
    let types = &facts.catalog.words.route_types;
    let info = facts.program.function(function.facts.function);
    let taken = info.params.iter().zip(&info.ir.params).filter(|(ty, _)| ty.is_one_of(types));
    taken.flat_map(|(_, param)| bound_names(&info.ir, param)).collect()
}
