//! `shared-key`: one key for several operations or intents.

use super::dispatches::path_of;
use super::{Facts, Group, Rule, Sink};
use crate::findings::{Level, Place, Step, Violation};
use crate::flow::Sharing;

pub(super) const RULE: Rule = Rule {
    name: "shared-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "one key for two operations, for several intents in a loop, or fixed on a shared client",
    doc: include_str!("shared_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for shared in &facts.flow.shared {
        let (message, first, help) = match shared.how {
            Sharing::Operations => (
                "the same key goes to two different operations: the provider answers the second with the result of the first, or refuses it",
                "the key is sent with this operation first",
                "put the operation into the key, so that each has its own",
            ),
            Sharing::Contents => (
                "the same key goes to the same operation twice, with other contents: the provider answers the second with the result of the first, or refuses it",
                "the key is sent with other contents first",
                "put into the key what tells the two apart, so that each has its own",
            ),
            Sharing::Intents => (
                "one key is made in front of the loop and sent in every round: all rounds after the first look like repeats of it",
                "the key is made here, once for all rounds",
                "derive the key inside the loop from the thing that the round is about",
            ),
            Sharing::Client => (
                "a key is fixed on a client: every request that is sent through it carries the same one",
                "the key is made here",
                "set the key on each request, derived from its intent",
            ),
        };
        let mut path: Vec<Step> =
            shared.path.iter().map(|(span, note)| Step { place: Place::Source(*span), note: note.clone() }).collect();
        let other = Place::Source(shared.other);
        if shared.other != shared.site && !path.iter().any(|step| step.place == other) {
            path.push(Step { place: other, note: first.to_owned() });
        }
        sink.report(Violation {
            rule: RULE.name,
            confidence: shared.confidence,
            message: message.to_owned(),
            help: help.to_owned(),
            place: Place::Source(shared.site),
            path,
            handler: Some(path_of(facts, shared.function)),
            detail: vec![("shared", format!("{:?}", shared.how).to_lowercase())],
        });
    }
}
