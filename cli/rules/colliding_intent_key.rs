//! `colliding-intent-key`: two effects whose keys can be equal at one provider.

use effect_contracts_grammar::{KeyPart, KeyTemplate};

use super::on_contract::{at_field, provider_name, step, steps};
use super::{Facts, Group, Rule, Sink};
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Confidence, Level};
use crate::guarantee::{is_key_like, provider_of};

pub(super) const RULE: Rule = Rule {
    name: "colliding-intent-key",
    group: Group::Contract,
    default_level: Level::Deny,
    summary: "two effects can produce the same key at one provider",
    doc: include_str!("colliding_intent_key.md"),
    check,
    contract_error: false,
};

fn check(facts: &Facts<'_>, sink: &mut Sink) {
    for (at, second) in facts.contracts.iter().enumerate() {
        let found = facts.contracts[..at]
            .iter()
            .filter(|first| share_a_key_space(first, second))
            .filter_map(|first| Some((first, collision(first, second)?)))
            .max_by_key(|(_, confidence)| *confidence);
        let Some((first, confidence)) = found else {
            continue;
        };
        let per_operation = provider_of(second, facts.catalog)
            .and_then(|provider| provider.key_scope.as_deref())
            .is_some_and(scoped_by_operation);
        let mut violation = at_field(
            RULE.name,
            second,
            Field::IntentKey,
            format!(
                "this key can equal that of `{}` at {}: the provider takes the second effect for a repeat of the first \
                 and does not perform it",
                first.title(),
                provider_name(second)
            ),
            "put the operation into the template, such as `…/charge` and `…/refund`; if both handlers serve one intent, \
             give them the same `effect` id"
                .into(),
        );
        violation.confidence = if per_operation { confidence.min(Confidence::Likely) } else { confidence };
        violation.path = steps(&violation.place, [step(first, Field::IntentKey, "the other key")]);
        violation.detail.push(("other", first.title().to_owned()));
        sink.report(violation);
    }
}

/// Whether equal keys of two contracts would be taken for one intent although they are two.
fn share_a_key_space(first: &HandlerContract, second: &HandlerContract) -> bool {
    let (a, b) = (&first.contract, &second.contract);
    let keyed = |contract: &HandlerContract| contract.contract.mechanism.is_some_and(is_key_like);
    let one_effect = a.effect.is_some() && a.effect == b.effect;
    a.provider.is_some() && a.provider == b.provider && !one_effect && keyed(first) && keyed(second)
}

/// Some providers remember keys for each endpoint apart.
fn scoped_by_operation(scope: &str) -> bool {
    let scope = scope.to_lowercase();
    ["endpoint", "operation", "method", "path", "verb", "resource", "topic", "queue", "stream"]
        .iter()
        .any(|word| scope.contains(word))
}

fn collision(first: &HandlerContract, second: &HandlerContract) -> Option<Confidence> {
    use KeyTemplate::{Expression, Template};
    match (first.contract.intent_key.as_ref()?, second.contract.intent_key.as_ref()?) {
        (Template { parts: a, .. }, Template { parts: b, .. }) => templates_collide(a, b),
        // the same words need not mean the same value in two functions
        (Expression(a), Expression(b)) => (a == b).then_some(Confidence::Likely),
        _ => None,
    }
}

/// A symbol of a template: a fixed character, or a placeholder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Fixed(char),
    Hole,
}

fn templates_collide(a: &[KeyPart], b: &[KeyPart]) -> Option<Confidence> {
    let (a, b) = (symbols(a), symbols(b));
    let fixed =
        |symbols: &[Symbol]| symbols.iter().any(|symbol| matches!(symbol, Symbol::Fixed(c) if c.is_alphanumeric()));
    if a == b {
        // nothing but placeholders: the values may bring their own namespaces
        return Some(if fixed(&a) { Confidence::Certain } else { Confidence::Possible });
    }
    let weakest = if fixed(&a) && fixed(&b) { Confidence::Likely } else { Confidence::Possible };
    unify(&a, &b).then_some(weakest)
}

fn symbols(parts: &[KeyPart]) -> Vec<Symbol> {
    parts
        .iter()
        .flat_map(|part| match part {
            KeyPart::Text(text) => text.chars().map(Symbol::Fixed).collect::<Vec<_>>(),
            KeyPart::Placeholder(_) => vec![Symbol::Hole],
        })
        .collect()
}

/// Whether two templates have a key in common, if each placeholder stands for one or more characters that separate
/// nothing. `alive[j]` says whether the keys so far of `a` and of `b[..j]` can be equal; a hole goes on through the
/// characters that the other side has.
fn unify(a: &[Symbol], b: &[Symbol]) -> bool {
    let fits_hole = |symbol: Symbol| match symbol {
        Symbol::Fixed(c) => c.is_alphanumeric(),
        Symbol::Hole => true,
    };
    let width = b.len() + 1;
    let mut before = vec![false; width];
    before[0] = true;
    for &ours in a {
        let mut now = vec![false; width];
        for (at, &theirs) in b.iter().enumerate() {
            let pair = match (ours, theirs) {
                (Symbol::Fixed(ours), Symbol::Fixed(theirs)) => ours == theirs,
                (Symbol::Hole, symbol) | (symbol, Symbol::Hole) => fits_hole(symbol),
            };
            let start = before[at] && pair;
            // our hole takes one more of their characters
            let ours_on = ours == Symbol::Hole && now[at] && fits_hole(theirs);
            // their hole takes one more of our characters
            let theirs_on = theirs == Symbol::Hole && before[at + 1] && fits_hole(ours);
            now[at + 1] = start || ours_on || theirs_on;
        }
        before = now;
    }
    before[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(template: &str) -> Vec<KeyPart> {
        let mut parts = Vec::new();
        for (at, piece) in template.split(['{', '}']).enumerate() {
            if at % 2 == 1 {
                parts.push(KeyPart::Placeholder(piece.into()));
            } else if !piece.is_empty() {
                parts.push(KeyPart::Text(piece.into()));
            }
        }
        parts
    }

    fn collide(a: &str, b: &str) -> Option<Confidence> {
        let one = templates_collide(&parts(a), &parts(b));
        assert_eq!(one, templates_collide(&parts(b), &parts(a)), "{a} {b}");
        one
    }

    #[test]
    fn equal_shapes_collide_for_certain() {
        assert_eq!(collide("order/{order.id}", "order/{id}"), Some(Confidence::Certain));
        assert_eq!(collide("nightly", "nightly"), Some(Confidence::Certain));
        assert_eq!(collide("{a}", "{b}"), Some(Confidence::Possible));
        assert_eq!(collide("{a}/{b}", "{b}/{a}"), Some(Confidence::Possible));
    }

    #[test]
    fn a_placeholder_can_be_the_others_text_but_no_separator() {
        assert_eq!(collide("{kind}/{id}", "order/{id}"), Some(Confidence::Possible));
        assert_eq!(collide("shop/{kind}/{id}", "shop/order/{id}"), Some(Confidence::Likely));
        assert_eq!(collide("pay{id}", "pay{id}x"), Some(Confidence::Likely));
        assert_eq!(collide("{id}", "order/{id}"), None);
        assert_eq!(collide("invoice/{id}/charge", "invoice/{id}/refund"), None);
        assert_eq!(collide("invoice/{id}", "invoice/{id}/charge"), None);
        assert_eq!(collide("order-{id}", "order:{id}"), None);
        assert_eq!(collide("", "{id}"), None);
    }
}
