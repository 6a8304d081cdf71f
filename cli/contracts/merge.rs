//! Merging: the strongest source of each field wins, and says so.

use std::collections::BTreeMap;

use effect_contracts_grammar::{Contract, Mechanism};
use serde_json::Value;

use super::{Conflict, Field, Given, GivenBy};
use crate::findings::Place;

/// What one source says about an effect.
#[derive(Clone, Debug)]
pub struct Layer {
    /// its facts
    pub contract: Contract,
    /// which source
    pub from: GivenBy,
    /// the whole of it
    pub place: Place,
    /// where single fields stand
    pub places: BTreeMap<Field, Place>,
}

/// The defaults, strongest first: of the package, of a provider, of all.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// `[defaults.package.<name>]`, by package
    pub packages: BTreeMap<String, Layer>,
    /// `[defaults.provider.<id>]`, by provider
    pub providers: BTreeMap<String, Layer>,
    /// `[defaults]`
    pub all: Option<Layer>,
}

/// A contract put together, with who gave what.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// the facts
    pub contract: Contract,
    /// who gave each given field, sorted by field
    pub given: Vec<Given>,
    /// where attribute and `[[effect]]` disagree
    pub conflicts: Vec<Conflict>,
}

/// Merges what attribute, `[[effect]]` and defaults say about one effect of a package.
///
/// `same_function` says whether two paths, the attribute's and the configuration's, mean one function: the attribute
/// names it from its own scope.
pub fn merge(
    attribute: Option<&Layer>,
    effect: Option<&Layer>,
    package: &str,
    defaults: &Defaults,
    same_function: &dyn Fn(&str, &str) -> bool,
) -> Merged {
    let mut merged = Merged::default();
    for layer in [attribute, effect, defaults.packages.get(package)].into_iter().flatten() {
        merged.add(layer);
    }
    let provider = merged.contract.provider.clone().or_else(|| {
        let all = defaults.all.as_ref()?;
        all.contract.provider.clone()
    });
    let by_provider = provider.and_then(|id| defaults.providers.get(&id));
    for layer in [by_provider, defaults.all.as_ref()].into_iter().flatten() {
        merged.add(layer);
    }
    if merged.contract.mechanism.is_none() {
        merged.contract.mechanism = Some(Mechanism::Key);
        merged.given.push(Given { field: Field::Mechanism, from: GivenBy::BuiltIn, place: None });
    }
    merged.given.sort_by_key(|given| given.field);
    if let (Some(attribute), Some(effect)) = (attribute, effect) {
        merged.conflicts = conflicts(attribute, effect, same_function);
        let more = effect.contract.allow.iter().cloned();
        merged.contract.allow = attribute.contract.allow.iter().cloned().chain(more).collect();
    } else if let Some(layer) = attribute.or(effect) {
        merged.contract.allow.clone_from(&layer.contract.allow);
    }
    merged
}

impl Merged {
    fn add(&mut self, layer: &Layer) {
        for field in Field::ALL {
            if field.is_given(&self.contract) || !field.is_given(&layer.contract) {
                continue;
            }
            field.lend(&layer.contract, &mut self.contract);
            self.given.push(Given { field, from: layer.from, place: Some(layer.place_of(field)) });
        }
    }
}

impl Layer {
    /// Where a field stands in this source.
    pub fn place_of(&self, field: Field) -> Place {
        self.places.get(&field).unwrap_or(&self.place).clone()
    }
}

fn conflicts(attribute: &Layer, effect: &Layer, same_function: &dyn Fn(&str, &str) -> bool) -> Vec<Conflict> {
    Field::ALL
        .into_iter()
        .filter_map(|field| {
            let ours = field.value(&attribute.contract)?;
            let theirs = field.value(&effect.contract)?;
            (!agree(field, &ours, &theirs, same_function)).then(|| Conflict {
                field,
                attribute: (show(&ours), attribute.place_of(field)),
                effect: (show(&theirs), effect.place_of(field)),
            })
        })
        .collect()
}

/// Whether two values of a field say the same. Paths are compared by the function they mean and lists without order;
/// an expression is compared without its spaces.
fn agree(field: Field, ours: &Value, theirs: &Value, same_function: &dyn Fn(&str, &str) -> bool) -> bool {
    if ours == theirs {
        return true;
    }
    let same_path = |ours: &str, theirs: &str| bare(ours) == bare(theirs) || same_function(ours, theirs);
    match field {
        Field::Terminal => sorted(ours) == sorted(theirs),
        Field::Dispatch => match (ours, theirs) {
            (Value::Array(ours), Value::Array(theirs)) => {
                let same = |ours: &Value, theirs: &Value| same_path(text(ours), text(theirs));
                ours.iter().all(|our| theirs.iter().any(|their| same(our, their)))
                    && theirs.iter().all(|their| ours.iter().any(|our| same(our, their)))
            }
            _ => false,
        },
        Field::Reconcile | Field::Compensate => match (remedy_path(ours), remedy_path(theirs)) {
            (Some(ours), Some(theirs)) => same_path(ours, theirs),
            // two wordings of the reason why there is none
            (None, None) => true,
            _ => false,
        },
        Field::IntentKey | Field::Operator | Field::Fence => bare(text(ours)) == bare(text(theirs)),
        _ => false,
    }
}

fn remedy_path(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("unchecked").and_then(Value::as_str))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn sorted(value: &Value) -> Vec<String> {
    let mut words: Vec<String> = value.as_array().into_iter().flatten().map(|item| bare(&show(item))).collect();
    words.sort();
    words
}

/// A value as people read it: texts without quotes, everything else as JSON.
pub(super) fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use effect_contracts_grammar::{Allow, Delivery, Remedy, State, Terminal};

    use super::*;
    use crate::source::TextRange;

    fn place(start: u32) -> Place {
        Place::Text { path: "effects.toml".into(), range: TextRange { start, end: start + 1 } }
    }

    fn layer(from: GivenBy, start: u32, contract: Contract) -> Layer {
        Layer { contract, from, place: place(start), places: BTreeMap::new() }
    }

    fn never(_: &str, _: &str) -> bool {
        false
    }

    #[test]
    fn each_field_comes_from_its_strongest_source() {
        let attribute =
            layer(GivenBy::Attribute, 1, Contract { operator: Some("attribute".into()), ..Contract::default() });
        let effect = layer(
            GivenBy::Effect,
            2,
            Contract {
                operator: Some("effect".into()),
                record: Some("effect".into()),
                provider: Some("stripe-v1".into()),
                ..Contract::default()
            },
        );
        let mut defaults = Defaults::default();
        defaults.packages.insert(
            "billing".into(),
            layer(
                GivenBy::Defaults,
                3,
                Contract { record: Some("package".into()), boundary: Some("package".into()), ..Contract::default() },
            ),
        );
        defaults.providers.insert(
            "stripe-v1".into(),
            layer(
                GivenBy::Defaults,
                4,
                Contract {
                    boundary: Some("provider".into()),
                    replay_horizon: Some(Duration::from_secs(1)),
                    ..Contract::default()
                },
            ),
        );
        defaults.all = Some(layer(
            GivenBy::Defaults,
            5,
            Contract {
                replay_horizon: Some(Duration::from_secs(2)),
                delivery: Some(Delivery::AtLeastOnce),
                ..Contract::default()
            },
        ));
        let merged = merge(Some(&attribute), Some(&effect), "billing", &defaults, &never);
        let from: Vec<_> =
            merged.given.iter().map(|given| (given.field.name(), given.from.word(), given.place.clone())).collect();
        assert_eq!(
            from,
            [
                ("provider", "effect", Some(place(2))),
                ("mechanism", "built-in", None),
                ("replay_horizon", "defaults", Some(place(4))),
                ("delivery", "defaults", Some(place(5))),
                ("boundary", "defaults", Some(place(3))),
                ("record", "effect", Some(place(2))),
                ("operator", "attribute", Some(place(1))),
            ]
        );
        assert_eq!(merged.contract.boundary.as_deref(), Some("package"));
        assert_eq!(merged.contract.replay_horizon, Some(Duration::from_secs(1)));
        let conflicts: Vec<_> = merged.conflicts.iter().map(|it| it.field).collect();
        assert_eq!(conflicts, [Field::Operator]);
    }

    #[test]
    fn a_default_provider_brings_its_own_defaults() {
        let mut defaults = Defaults {
            all: Some(layer(
                GivenBy::Defaults,
                1,
                Contract { provider: Some("adyen".into()), operator: Some("all".into()), ..Contract::default() },
            )),
            ..Defaults::default()
        };
        defaults.providers.insert(
            "adyen".into(),
            layer(GivenBy::Defaults, 2, Contract { operator: Some("adyen".into()), ..Contract::default() }),
        );
        let merged = merge(None, None, "shop", &defaults, &never);
        assert_eq!(merged.contract.operator.as_deref(), Some("adyen"));
    }

    #[test]
    fn the_same_fact_in_other_words_is_no_conflict() {
        let states = |words: &[State]| {
            let states = words.iter().map(|&state| Terminal { state, mapped: None });
            Some(states.collect())
        };
        let attribute = Contract {
            terminal: states(&[State::Confirmed, State::Rejected]),
            dispatch: vec!["Stripe::create_charge".into()],
            reconcile: Some(Remedy::Path("Stripe :: find".into())),
            compensate: Some(Remedy::None("mail cannot be unsent".into())),
            ..Contract::default()
        };
        let effect = Contract {
            terminal: states(&[State::Rejected, State::Confirmed]),
            dispatch: vec!["crate::stripe::Stripe::create_charge".into()],
            reconcile: Some(Remedy::Unchecked("Stripe::find".into())),
            compensate: Some(Remedy::None("there is no way".into())),
            ..Contract::default()
        };
        let by_suffix = |ours: &str, theirs: &str| theirs.ends_with(ours);
        let conflicts = |effect: Contract| {
            conflicts(&layer(GivenBy::Attribute, 1, attribute.clone()), &layer(GivenBy::Effect, 2, effect), &by_suffix)
        };
        assert_eq!(conflicts(effect.clone()), []);
        let other = Contract {
            dispatch: vec!["crate::stripe::Stripe::refund".into()],
            reconcile: Some(Remedy::None("no search".into())),
            ..effect
        };
        let fields: Vec<_> = conflicts(other).iter().map(|it| it.field).collect();
        assert_eq!(fields, [Field::Dispatch, Field::Reconcile]);
    }

    #[test]
    fn suppressions_of_both_add_up() {
        let allow = |rule: &str| vec![Allow { rule: rule.into(), reason: "reason".into(), until: None, owner: None }];
        let with = |from, rule| layer(from, 1, Contract { allow: allow(rule), ..Contract::default() });
        let merged = merge(
            Some(&with(GivenBy::Attribute, "missing-key")),
            Some(&with(GivenBy::Effect, "coarse-key")),
            "shop",
            &Defaults::default(),
            &never,
        );
        let rules: Vec<_> = merged.contract.allow.iter().map(|it| &it.rule).collect();
        assert_eq!(rules, ["missing-key", "coarse-key"]);
    }
}
