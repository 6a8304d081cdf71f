//! One fault, one finding: what is left of several violations at one place.

use std::collections::{HashMap, HashSet};

use super::{Place, Violation};
use crate::rules::{Group, Rule};

/// Drops violations that say again what another says. Keeps the order of the rest.
///
/// In groups whose rules describe one fault in several ways, only one violation is kept at a place: the surest, and
/// among equally sure ones that of the rule that stands first in the table of rules. In every group a rule says a thing
/// with the same details once at a place.
pub(super) fn one_fault_one_finding(violations: Vec<(&'static Rule, Violation)>) -> Vec<(&'static Rule, Violation)> {
    let mut best: HashMap<(Group, &Place), usize> = HashMap::new();
    for (at, (rule, violation)) in violations.iter().enumerate() {
        if !exclusive(rule) {
            continue;
        }
        let slot = best.entry((rule.group, &violation.place)).or_insert(at);
        let (best_rule, best_violation) = &violations[*slot];
        let wins = violation
            .confidence
            .cmp(&best_violation.confidence)
            .then(best_rule.precedence().cmp(&rule.precedence()))
            // the shorter way explains more; the rest only makes the choice independent of the order of rules
            .then(best_violation.path.len().cmp(&violation.path.len()))
            .then_with(|| best_violation.message.cmp(&violation.message))
            .is_gt();
        if wins {
            *slot = at;
        }
    }
    let chosen: HashSet<usize> = best.values().copied().collect();
    let mut surest: HashMap<_, usize> = HashMap::new();
    for (at, (rule, violation)) in violations.iter().enumerate() {
        if exclusive(rule) {
            continue;
        }
        let slot = surest.entry((rule.name, &violation.place, &violation.detail)).or_insert(at);
        if violation.confidence > violations[*slot].1.confidence {
            *slot = at;
        }
    }
    let kept: HashSet<usize> = surest.values().copied().chain(chosen).collect();
    let mut at = 0;
    let mut violations = violations;
    violations.retain(|_| {
        at += 1;
        kept.contains(&(at - 1))
    });
    violations
}

/// Whether the rules of a group are names for one fault. The rest judge separate facts that share a place, such as the
/// fields of one attribute.
fn exclusive(rule: &Rule) -> bool {
    if rule.stands_apart() {
        return false;
    }
    match rule.group {
        Group::Key
        | Group::Unknown
        | Group::Persist
        | Group::Ack
        | Group::Dedup
        | Group::Write
        | Group::Order
        | Group::Replay
        | Group::Docs => true,
        Group::Contract | Group::Evidence | Group::Coverage | Group::Meta => false,
    }
}
