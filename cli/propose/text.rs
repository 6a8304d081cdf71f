//! A proposal as text: the attribute to paste, and the table of `effects.toml`.

use std::fmt::Write;

use effect_contracts_grammar::{Contract, KeyTemplate, Remedy, Window, duration};
use serde_json::Value;

use super::{KeyFrom, Proposal};
use crate::contracts::Field;

/// The attribute, to be put in front of the function. It compiles as it stands.
pub fn attribute(proposal: &Proposal) -> String {
    let contract = &proposal.contract;
    let mut out = String::from("#[effect_contracts::effect(\n");
    let mut line = |text: String, note: &str| {
        let note = if note.is_empty() { String::new() } else { format!(" // {note}") };
        let _ = writeln!(out, "    {text},{note}");
    };
    if let Some(KeyTemplate::Template { text, .. }) = &contract.intent_key {
        line(format!("intent_key = {text:?}"), key_note(proposal.key_from));
    }
    if let Some(provider) = &contract.provider {
        line(format!("provider = {provider:?}"), "");
    }
    if let Some(window) = &contract.provider_window {
        line(format!("provider_window = {}", window_text(window)), window_note(contract));
    }
    let states: Vec<&str> = contract.terminal.iter().flatten().map(|state| state.state.as_str()).collect();
    line(format!("terminal = [{}]", states.join(", ")), "");
    match &contract.reconcile {
        Some(Remedy::Path(path)) => line(format!("reconcile = {path}"), LOOKUP_NOTE),
        Some(Remedy::Unchecked(path)) => line(format!("reconcile = unchecked({path:?})"), LOOKUP_NOTE),
        _ => {}
    }
    if let Some(kind) = contract.kind {
        line(format!("kind = {}", kind.as_str()), "");
    }
    for (field, question) in OPEN {
        if *field != "reconcile" || contract.reconcile.is_none() {
            let _ = writeln!(out, "    // {field} = …  {question}");
        }
    }
    out.push_str(")]\n");
    out
}

/// The table, for a function that cannot carry the attribute, or for who would rather keep contracts in one place.
pub fn table(proposal: &Proposal) -> String {
    let mut out = String::from("[[effect]]\n");
    let _ = writeln!(out, "handler = {}", quoted(&proposal.handler));
    for field in Field::ALL {
        if let Some(value) = field.value(&proposal.contract) {
            let _ = writeln!(out, "{} = {}", field.name(), toml(&value));
        }
    }
    out
}

const LOOKUP_NOTE: &str = "does it find the effect by the key?";

/// What no analysis knows, and a contract should say.
const OPEN: &[(&str, &str)] = &[
    ("replay_horizon", "how late can the same task come again: retries, redrives, backfills?"),
    ("delivery", "at_least_once, at_most_once or exactly_once_within(\"…\")?"),
    ("reconcile", "what tells an unknown outcome: a function, or none(\"why not\")?"),
    ("operator", "who decides an outcome that stays unknown?"),
];

fn key_note(from: KeyFrom) -> &'static str {
    match from {
        KeyFrom::Code => "",
        KeyFrom::Input => "the sent key is made of this",
        KeyFrom::Parameter => "does this tell one intent from another, and nothing else?",
        KeyFrom::Nothing => "add what tells one intent from another: no parameter looks like it",
    }
}

fn window_note(contract: &Contract) -> &'static str {
    if contract.provider.is_none() { "the provider is not known; name it, and how long it remembers a key" } else { "" }
}

fn window_text(window: &Window) -> String {
    let time = |time: &std::time::Duration| format!("{:?}", duration::display(*time));
    match window {
        Window::Exact(value) => time(value),
        Window::AtLeast(value) => format!("at_least({})", time(value)),
        Window::Configurable { value, max: None } => format!("configurable({})", time(value)),
        Window::Configurable { value, max: Some(max) } => format!("configurable({}, max = {})", time(value), time(max)),
        Window::Forever => "forever".to_owned(),
        Window::Unpublished => "unpublished".to_owned(),
        Window::None => "none".to_owned(),
    }
}

/// A value as TOML writes it.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key} = {}", toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text as TOML quotes it: like JSON, and what hides or steers is written as its number.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if !c.is_ascii_graphic() && c != ' ' && c.escape_debug().count() > 1 {
            let _ = write!(out, "\\U{:08X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}
