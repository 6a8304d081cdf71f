//! `unpersisted-key`: a fresh key that lives only as long as one run of its handler.

use super::dispatches::{about_key, described, named};
use super::{Facts, Group, Rule, Sink};
use crate::findings::Level;
use crate::flow::KeyVerdict;

pub(super) const RULE: Rule = Rule {
    name: "unpersisted-key",
    group: Group::Key,
    default_level: Level::Deny,
    summary: "a fresh key that is kept only in memory, so that the next run of the handler makes another",
    doc: include_str!("unpersisted_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for dispatch in &facts.flow.dispatches {
        let key = &dispatch.key;
        if key.verdict != KeyVerdict::PerAttempt || !key.kept_over {
            continue;
        }
        let from = key.origins.first().map_or_else(String::new, |origin| described(&origin.kind));
        let scope = key.scope.as_ref().map_or_else(String::new, |scope| format!(" when {} runs again", scope.what));
        let message = format!(
            "the key of {} comes from {from} and is kept only in memory: it outlives the inner retries, but{scope} the provider sees another key",
            named(dispatch)
        );
        let help = "store the key with the intent before the dispatch and read it back, or derive it from the intent";
        sink.report(about_key(facts, RULE.name, dispatch, key.confidence, message, help));
    }
}
