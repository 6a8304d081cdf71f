//! Contracts and defaults: `[[effect]]`, `[defaults]`, `[defaults.provider.<id>]`, `[defaults.package.<name>]`.
//!
//! In: tables whose keys are the fields of a contract. Out: [`ContractTable`]s with the place of each given field.

use effect_contracts_grammar::{
    Contract, Delivery, EffectKind, Invalid, KeyTemplate, Mapped, Mechanism, Remedy, State, Terminal, Window,
};

use super::sections::{attribute_only, unknown};
use super::{ContractDefaults, ContractTable, EffectTable, suppress};
use crate::catalog::{ConfiguredPath, Pattern};
use crate::toml_text::{Fields, Item};

pub(super) fn effects(root: &mut Fields<'_>, paths: &mut Vec<ConfiguredPath>) -> Vec<EffectTable> {
    let tables = root.tables("effect").into_iter();
    tables
        .filter_map(|mut fields| {
            let handler = fields.need("handler");
            let path = handler.and_then(|item| path(item, "effect", paths));
            let mut table = contract(&mut fields, "effect", paths);
            if let Some(provider) = fields.get("provider") {
                table.provider(provider);
            }
            if let Some(item) = fields.get("allow") {
                for (allow, range) in suppress::of_effect(item) {
                    table.contract.allow.push(allow);
                    table.allows.push(range);
                }
            }
            attribute_only(&mut fields);
            fields.finish();
            Some(EffectTable { handler: path?, handler_range: handler?.range, table })
        })
        .collect()
}

pub(super) fn defaults(root: &mut Fields<'_>, paths: &mut Vec<ConfiguredPath>) -> ContractDefaults {
    let Some(mut fields) = root.table("defaults") else {
        return ContractDefaults::default();
    };
    let mut all = contract(&mut fields, "defaults", paths);
    // `provider` is both a field and the name of the tables by provider
    let providers = match fields.get("provider") {
        Some(item) if item.is_table() => named(item, paths),
        Some(item) => {
            all.provider(item);
            Vec::new()
        }
        None => Vec::new(),
    };
    let packages = fields.get("package").map(|item| named(item, paths)).unwrap_or_default();
    no_suppression(&mut fields);
    attribute_only(&mut fields);
    fields.finish();
    ContractDefaults { all: Some(all), providers, packages }
}

/// The tables below `[defaults.provider]` or `[defaults.package]`, by name.
fn named(item: Item<'_>, paths: &mut Vec<ConfiguredPath>) -> Vec<(String, ContractTable)> {
    let group = item.key;
    let Some(groups) = item.table() else {
        return Vec::new();
    };
    let mut tables = Vec::new();
    for (item, _) in groups.named() {
        let Some(mut fields) = item.table() else {
            continue;
        };
        fields.name = format!("[defaults.{group}.{}]", item.key);
        let mut table = contract(&mut fields, "defaults", paths);
        if let Some(provider) = fields.get("provider") {
            match group {
                "provider" => provider.wrong("`provider` is given by the name of the table", Some("remove it".into())),
                _ => table.provider(provider),
            }
        }
        no_suppression(&mut fields);
        attribute_only(&mut fields);
        fields.finish();
        tables.push((item.key.to_owned(), table));
    }
    tables
}

fn no_suppression(fields: &mut Fields<'_>) {
    if let Some(item) = fields.take("allow") {
        let help = "write [[allow]] with an `item`, or allow(..) at the handler";
        item.wrong("a suppression cannot be a default: it needs a place that it covers", Some(help.into()));
    }
}

impl ContractTable {
    fn provider(&mut self, item: Item<'_>) {
        self.contract.provider = self.give("provider", item, |item| item.text().map(str::to_owned));
    }

    /// Takes a field's value, and notes its place.
    fn give<'a, T>(
        &mut self,
        name: &'static str,
        item: Item<'a>,
        read: impl FnOnce(Item<'a>) -> Option<T>,
    ) -> Option<T> {
        let value = read(item)?;
        self.fields.push((name, item.range));
        Some(value)
    }
}

/// The fields of a contract other than `provider` and `allow`.
fn contract(fields: &mut Fields<'_>, table: &'static str, paths: &mut Vec<ConfiguredPath>) -> ContractTable {
    let mut given = ContractTable { range: fields.range, ..ContractTable::default() };
    macro_rules! give {
        ($name:literal, $read:expr) => {
            match fields.get($name) {
                Some(item) => given.give($name, item, $read),
                None => None,
            }
        };
    }
    let text = |item: Item<'_>| item.text().map(str::to_owned);
    let contract = Contract {
        intent_key: give!("intent_key", |item| parsed(item, KeyTemplate::parse)),
        provider: None,
        provider_window: give!("provider_window", window),
        terminal: give!("terminal", terminal),
        mechanism: give!("mechanism", |item| parsed(item, Mechanism::parse)),
        replay_horizon: give!("replay_horizon", |item| item.duration()),
        delivery: give!("delivery", delivery),
        boundary: give!("boundary", text),
        record: give!("record", text),
        dispatch: give!("dispatch", |item: Item<'_>| {
            let calls = item.entries().into_iter();
            let calls: Vec<String> = calls.filter_map(|item| call(item, table, paths)).collect();
            (!calls.is_empty()).then_some(calls)
        })
        .unwrap_or_default(),
        reconcile: give!("reconcile", |item| remedy(item, table, paths)),
        compensate: give!("compensate", |item| remedy(item, table, paths)),
        irreversible: give!("irreversible", |item| item.flag()),
        compensates: give!("compensates", text),
        evidence_retention: give!("evidence_retention", |item| item.duration()),
        operator: give!("operator", text),
        fence: give!("fence", text),
        effect: give!("effect", text),
        name: give!("name", text),
        kind: give!("kind", |item| parsed(item, EffectKind::parse)),
        allow: Vec::new(),
    };
    given.contract = contract;
    given
}

fn parsed<T>(item: Item<'_>, parse: fn(&str) -> Result<T, Invalid>) -> Option<T> {
    checked(item, parse(item.text()?))
}

fn checked<T>(item: Item<'_>, result: Result<T, Invalid>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(invalid) => {
            item.wrong(format!("`{}`: {invalid}", item.key), None);
            None
        }
    }
}

/// `"24h"`, `"at_least 24h"`, `{ configurable = "24h", max = "72h" }`, `"forever"`, `"unpublished"`, `"none"`.
fn window(item: Item<'_>) -> Option<Window> {
    if !item.is_table() {
        return parsed(item, Window::parse);
    }
    let mut fields = item.table()?;
    let value = fields.need("configurable").and_then(|item| item.duration());
    let max = fields.get("max");
    let greatest = max.map(|item| item.duration());
    fields.finish();
    let greatest = match greatest {
        Some(greatest) => Some(greatest?),
        None => None,
    };
    checked(item, Window::configurable(value?, greatest))
}

/// A word, or `{ exactly_once_within = "boundary" }`.
fn delivery(item: Item<'_>) -> Option<Delivery> {
    if !item.is_table() {
        return parsed(item, Delivery::parse);
    }
    let mut fields = item.table()?;
    let boundary = fields.need("exactly_once_within").and_then(|item| item.text());
    fields.finish();
    checked(item, Delivery::within(boundary?))
}

/// Words, or one-entry tables to a stored text or a variant path.
fn terminal(item: Item<'_>) -> Option<Vec<Terminal>> {
    let entries = item.entries();
    if entries.is_empty() {
        let help = "name the states in which nothing more happens, such as [\"confirmed\", \"rejected\"]";
        item.wrong("`terminal` is empty, so the effect never ends", Some(help.into()));
        return None;
    }
    let mut states: Vec<Terminal> = Vec::new();
    for entry in entries {
        let found = match entry.is_table() {
            true => entry.table()?.named(),
            false => {
                states.extend(state(entry, entry.text()?).map(|state| Terminal { state, mapped: None }));
                continue;
            }
        };
        for (item, _) in found {
            let Some(text) = item.text() else { continue };
            let mapped = match text.contains("::") {
                true => Mapped::Variant(text.to_owned()),
                false => Mapped::Text(text.to_owned()),
            };
            states.extend(state(item, item.key).map(|state| Terminal { state, mapped: Some(mapped) }));
        }
    }
    for (at, terminal) in states.iter().enumerate() {
        if states[..at].iter().any(|earlier| earlier.state == terminal.state) {
            item.wrong(format!("`{}` is given twice", terminal.state), Some("name each state once".into()));
        }
    }
    Some(states)
}

fn state(item: Item<'_>, word: &str) -> Option<State> {
    let state = checked(item, State::parse(word))?;
    if !state.can_be_terminal() {
        let help = "an effect begins there; it ends confirmed, rejected, unknown, reconciled or compensated";
        item.wrong(format!("`{state}` is not a state in which an effect can end"), Some(help.into()));
        return None;
    }
    Some(state)
}

/// A path, `{ unchecked = "path" }` or `{ none = "reason" }`.
fn remedy(item: Item<'_>, table: &'static str, paths: &mut Vec<ConfiguredPath>) -> Option<Remedy> {
    if !item.is_table() {
        return path(item, table, paths).map(Remedy::Path);
    }
    let mut fields = item.table()?;
    fields.name = format!("`{}`", item.key);
    let unchecked = fields.get("unchecked");
    let none = fields.get("none");
    match (unchecked, none) {
        (Some(item), None) => {
            fields.finish();
            path(item, table, paths).map(Remedy::Unchecked)
        }
        (None, Some(item)) => {
            fields.finish();
            item.text().map(|reason| Remedy::None(reason.to_owned()))
        }
        (Some(_), Some(_)) => {
            let help = "remove one of them";
            item.wrong(format!("`{}` is both `unchecked` and `none`", item.key), Some(help.into()));
            None
        }
        (None, None) => {
            let named = fields.named();
            match named.first() {
                Some((first, _)) => unknown(item, first.key, &["unchecked", "none"]),
                None => unknown(item, "", &["unchecked", "none"]),
            }
            None
        }
    }
}

/// A path of a function.
fn path(item: Item<'_>, table: &'static str, paths: &mut Vec<ConfiguredPath>) -> Option<String> {
    let text = item.text()?;
    match Pattern::parse(text) {
        Ok(Pattern::Path(_)) => Some(note(item, text, table, paths)),
        Ok(_) => {
            let help = "write a path such as \"shop::billing::charge_invoice\"";
            item.wrong(format!("`{}` names one function, and `{text}` does not", item.key), Some(help.into()));
            None
        }
        Err(why) => {
            item.wrong(format!("`{text}` is no path: {why}"), None);
            None
        }
    }
}

/// A path of a call, which may be a method of a receiver of unknown type.
fn call(item: Item<'_>, table: &'static str, paths: &mut Vec<ConfiguredPath>) -> Option<String> {
    let text = item.text()?;
    match Pattern::parse(text) {
        Ok(_) => Some(note(item, text, table, paths)),
        Err(why) => {
            item.wrong(format!("`{text}` names no call: {why}"), None);
            None
        }
    }
}

fn note(item: Item<'_>, text: &str, table: &'static str, paths: &mut Vec<ConfiguredPath>) -> String {
    paths.push(ConfiguredPath { path: text.to_owned(), table, range: item.range });
    text.to_owned()
}
