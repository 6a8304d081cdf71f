//! Names under which leases are held that several runs go by: a constant, the machine, the process, the clock.

use std::collections::BTreeSet;

use super::{RULE, acquired, is_expiry};
use crate::catalog::FreshKind;
use crate::findings::Confidence;
use crate::flow::{ENVIRONMENT, EventFact, EventFactKind, OriginKind, ValueFact};
use crate::operations::FunctionOps;
use crate::resolve::FnId;
use crate::rules::scene::{here, step, violation};
use crate::rules::{Facts, Sink};
use crate::source::{FileId, Span};

const HELP: &str = "use a random owner, made once for each holder";

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink) {
    let compared = files_that_compare(facts);
    let mut shared: Vec<(&FunctionOps, &EventFact, &ValueFact, &str)> = Vec::new();
    for function in &facts.operations.functions {
        for (_, event) in function.events() {
            let Some([_, owner, rest @ ..]) = acquired(event) else {
                continue;
            };
            let expires = rest.iter().any(|value| value.texts().any(is_expiry));
            if event.via.is_empty() && expires && is_the_clock(owner) {
                clock(facts, function, event, owner, sink);
            } else if compared.contains(&event.span.file) {
                shared.extend(shared_name(owner).map(|message| (function, event, owner, message)));
            }
        }
    }
    // Told where the name is given: whoever calls that function hands on the same one.
    let at: BTreeSet<(Span, FnId)> =
        shared.iter().map(|(function, event, ..)| (event.span, function.facts.function)).collect();
    for (function, event, owner, message) in shared {
        if event.through.iter().any(|&nearer| at.contains(&(event.span, nearer))) {
            continue;
        }
        let made = owner.fresh.iter().map(|(_, at)| at).chain(&owner.surroundings);
        let mut steps: Vec<_> = made.map(|at| (*at, "the name is made here".to_owned())).collect();
        steps.extend(step(event, "the lease is taken under it"));
        // The name is given somewhere in the chain that ends with the call.
        let place = if event.via.is_empty() { event.whole } else { here(event) };
        let text = (message.to_owned(), HELP);
        sink.report(violation(facts, function, RULE.name, Confidence::Likely, place, text, steps));
    }
}

/// The files in which the holder of a lease in memory is asked for before it is given up or prolonged. Only there does it
/// matter what the holder is called: as a rule all operations of a lock stand together.
fn files_that_compare(facts: &Facts<'_>) -> BTreeSet<FileId> {
    let parts = &facts.catalog.words.comparing_script_parts;
    let compares = |text: &str| {
        let text = text.to_ascii_lowercase();
        parts.iter().all(|part| text.contains(part.as_str()))
    };
    let asks = |event: &EventFact| match &event.kind {
        EventFactKind::Store { args, .. } => args.iter().any(|value| value.texts().any(compares)),
        _ => false,
    };
    let functions = facts.operations.functions.iter();
    let events = functions.flat_map(|function| function.events().map(|(_, event)| event));
    events.filter(|event| asks(event)).map(|event| event.span.file).collect()
}

/// The clock as the holder of a lease.
fn clock(facts: &Facts<'_>, function: &FunctionOps, event: &EventFact, owner: &ValueFact, sink: &mut Sink) {
    // Only one takes it, whatever the name. What the name is for is to tell a run that comes late from the present holder.
    let message =
        "the owner of this lease is the clock, which two machines may read alike: a run whose lease ran out passes \
                   for the present holder, and frees what is no longer its own"
            .to_owned();
    let steps = owner.fresh.iter().map(|(_, at)| (*at, "the clock is read here".to_owned())).collect();
    sink.report(violation(facts, function, RULE.name, Confidence::Likely, here(event), (message, HELP), steps));
}

fn is_the_clock(owner: &ValueFact) -> bool {
    !owner.fresh.is_empty()
        && owner.fresh.iter().all(|(kind, _)| *kind == FreshKind::Clock)
        && !owner.origins.iter().any(|origin| matches!(origin, OriginKind::Input(_) | OriginKind::Opaque(_)))
}

/// What is wrong with a holder's name that others go by, too.
pub(super) fn shared_name(name: &ValueFact) -> Option<&'static str> {
    if is_of_the_process(name) {
        Some(
            "the holder of this lease is named by the number of the process: in containers that is the same for all, and each \
             passes for the holder of what another has taken",
        )
    } else if is_of_the_machine(name) {
        Some("the holder of this lease is named after the machine: two runs on it both pass for the holder")
    } else if is_fixed(name) {
        Some(
            "the holder of this lease has the same name in every process: each passes for the holder of what another has \
             taken",
        )
    } else {
        None
    }
}

/// Whether a value is the same in every run of the program.
fn is_fixed(value: &ValueFact) -> bool {
    !value.origins.is_empty() && value.origins.iter().all(|origin| matches!(origin, OriginKind::Constant(_)))
}

/// Whether nothing tells a value from that of another process but its number.
fn is_of_the_process(value: &ValueFact) -> bool {
    let fixed = |origin: &OriginKind| matches!(origin, OriginKind::Constant(_) | OriginKind::Fresh(_));
    !value.fresh.is_empty()
        && value.fresh.iter().all(|(kind, _)| *kind == FreshKind::Process)
        && value.origins.iter().all(fixed)
}

/// Whether a value is the same for all runs on one machine.
fn is_of_the_machine(value: &ValueFact) -> bool {
    let environment = |origin: &OriginKind| matches!(origin, OriginKind::Input(name) if *name == ENVIRONMENT);
    // a variable that is not set gives nothing
    let fixed = |origin: &OriginKind| matches!(origin, OriginKind::Constant(_) | OriginKind::Empty);
    value.fresh.is_empty()
        && value.origins.iter().any(environment)
        && value.origins.iter().all(|origin| environment(origin) || fixed(origin))
}
