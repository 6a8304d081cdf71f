//! `unstable-digest`: a digest over something that comes out in another order or with other content each time.

use super::scene::{has_any, here, step, violation};
use super::{Facts, Group, Rule, Sink, named_keys};
use crate::catalog::FreshKind;
use crate::findings::{Confidence, Level};
use crate::flow::{EventFact, EventFactKind};
use crate::ir::{Body, ExprKind};
use crate::resolve::{FnId, FunctionInfo};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unstable-digest",
    group: Group::Dedup,
    default_level: Level::Warn,
    summary: "a digest over unordered content",
    doc: include_str!("unstable_digest.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    own_hashers(facts, sink);
    for function in &facts.operations.functions {
        for (_, event) in function.events() {
            let EventFactKind::Digest { value } = &event.kind else {
                continue;
            };
            // A helper that digests what it is handed says nothing of its order; whoever brings that in does.
            let own = |made: &Span| event.via.is_empty() || function.facts.body.covers(*made);
            let unordered = |(kind, made): &&(FreshKind, Span)| *kind == FreshKind::MapOrder && own(made);
            // What bears the moment or a random part is another one each time anyway: it is signed or looked up at once,
            // and compared with no earlier one.
            if value.fresh.iter().any(|(kind, _)| matches!(kind, FreshKind::Clock | FreshKind::Random)) {
                continue;
            }
            if signs(facts, event) {
                continue;
            }
            let Some((_, made)) = value.fresh.iter().find(unordered) else {
                continue;
            };
            let message =
                "this digest is taken over a hash map, whose order differs from run to run: the same payload has \
                another digest each time"
                    .to_owned();
            let help = "use an ordered map (`BTreeMap`), or sort before hashing";
            let mut steps = vec![(*made, "the order of a hash map comes in here".to_owned())];
            steps.extend(step(event, "the digest is taken here"));
            sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, help), steps));
        }
    }
}

/// Whether a digest is a part of a signature, by the names of the functions around it: it goes along with what was signed, as
/// that came out.
fn signs(facts: &Facts<'_>, event: &EventFact) -> bool {
    let signing = |id: &FnId| has_any(facts.program.function(*id).ir.name.as_str(), &facts.catalog.words.signing_words);
    event.through.iter().chain([&event.function]).any(signing)
}

/// A key that is the digest of a hasher which is another one after an update, or in another process.
fn own_hashers(facts: &Facts<'_>, sink: &mut Sink) {
    let hashers = &facts.catalog.words.passing_hashers;
    let ends = |function: &FunctionInfo, body: &Body, id| match &body.expr(id).kind {
        ExprKind::MethodCall(call) => {
            call.name.as_str() == "finish" && function.types.ty(call.receiver).is_one_of(hashers)
        }
        _ => false,
    };
    for part in named_keys::parts(facts, &ends) {
        let message = "this key is the digest of a hasher of which nobody promises that it stays the same: after an update, or in \
                       another process, the same content may have another key";
        sink.report(part.violation(RULE.name, message, "take a digest that is specified, such as SHA-256"));
    }
}
