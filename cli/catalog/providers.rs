//! Providers as `[[provider]]` writes them.
//!
//! In: one table. Out: a [`Provider`], its window put together from `window_kind` and the durations beside it.

use std::time::Duration;

use effect_contracts_grammar::{Mechanism, Window};
use regex::RegexBuilder;

use super::Provider;
use crate::source::TextRange;
use crate::toml_text::{Fields, Item};

const KINDS: &[&str] = &["payment", "queue", "workflow-engine", "email", "http", "push", "database", "sms", "webhook"];

/// A mechanism by its word.
pub(crate) fn mechanism(item: Item<'_>) -> Option<Mechanism> {
    match Mechanism::parse(item.text()?) {
        Ok(mechanism) => Some(mechanism),
        Err(invalid) => {
            item.wrong(format!("`mechanism`: {invalid}"), None);
            None
        }
    }
}

/// Reads one provider; `read_on` is the file's own date.
pub(super) fn provider(mut fields: Fields<'_>, read_on: Option<&str>, declared: bool) -> Option<Provider> {
    let range = fields.range;
    let id = fields.need("id").and_then(|item| item.text());
    let mechanism = fields.need("mechanism").and_then(mechanism);
    let window_default = fields.duration("window_default");
    let window_max = fields.duration("window_max");
    let window = window(&mut fields, range, window_default, window_max);
    let kind = fields.get("kind").and_then(|item| item.word(KINDS)).map(str::to_owned);
    let length = |item: Option<Item<'_>>| {
        item.and_then(|item| item.number(1, 100_000)).and_then(|number| u32::try_from(number).ok())
    };
    let key_min_len = length(fields.get("key_min_len"));
    let key_max_len = length(fields.get("key_max_len"));
    let key_pattern = fields.get("key_pattern").and_then(|item| {
        // a pattern of the configuration must not cost more than the run itself
        match RegexBuilder::new(item.text()?).size_limit(1 << 20).build() {
            Ok(regex) => Some(regex),
            Err(error) => {
                let why = error.to_string();
                let line = why.lines().last().unwrap_or_default().trim().to_owned();
                item.wrong(format!("`key_pattern` is no regular expression: {line}"), None);
                None
            }
        }
    });
    let reversible = fields.get("reversible").and_then(|item| match item.as_flag() {
        Some(flag) => Some(flag),
        None => match item.word(&["yes", "no", "limited"])? {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        },
    });
    let anchor = fields.text("window_anchor");
    let given_read_on = fields.text("read_on");
    // kept in the file for its readers: nothing in the product asks for them
    for key in ["key_required", "window_text", "window_config"] {
        fields.text(key);
    }
    let rust_crates = fields.get("rust_crates").map(|item| item.entries()).unwrap_or_default();
    for entry in rust_crates {
        if let Some(mut entry) = entry.table() {
            for key in ["name", "key_location", "note"] {
                entry.text(key);
            }
            entry.finish();
        }
    }
    let provider = Provider {
        id: String::new(),
        name: fields.text("name"),
        kind,
        mechanism: Mechanism::None,
        key_transport: fields.text("key_transport"),
        key_name: fields.text("key_name"),
        key_min_len,
        key_max_len,
        key_charset: fields.text("key_charset"),
        key_pattern,
        key_scope: fields.text("key_scope"),
        window: Window::Unpublished,
        window_default,
        window_max,
        window_anchor: anchor,
        after_window: fields.text("after_window"),
        on_payload_mismatch: fields.text("on_payload_mismatch"),
        on_payload_mismatch_detail: fields.text("on_payload_mismatch_detail"),
        failed_replay: fields.text("failed_replay"),
        on_concurrent: fields.text("on_concurrent"),
        lookup_by: fields.text("lookup_by"),
        lookup_api: fields.text("lookup_api"),
        lookup_lag: fields.duration("lookup_lag"),
        reversible,
        reversal_api: fields.text("reversal_api"),
        confidence: fields.text("confidence"),
        notes: fields.text("notes"),
        sources: fields.texts("sources"),
        read_on: given_read_on.or_else(|| read_on.map(str::to_owned)),
        hosts: fields.texts("hosts").into_iter().map(lower_host).collect(),
        declared,
    };
    fields.finish();
    Some(Provider { id: id?.to_owned(), mechanism: mechanism?, window: window?, ..provider })
}

/// Host names have no case, paths have.
fn lower_host(place: String) -> String {
    let end = place.find('/').unwrap_or(place.len());
    let (host, path) = place.split_at(end);
    format!("{}{path}", host.to_ascii_lowercase())
}

fn window(
    fields: &mut Fields<'_>,
    range: TextRange,
    default: Option<Duration>,
    max: Option<Duration>,
) -> Option<Window> {
    let kinds = ["at_least", "exact", "configurable", "forever", "unpublished", "none"];
    let kind = fields.need("window_kind").and_then(|item| item.word(&kinds));
    let given = fields.get("window_min");
    let least = given.and_then(|item| item.duration());
    let window = match (kind?, least) {
        ("at_least", Some(value)) => Window::AtLeast(value),
        ("exact", Some(value)) => Window::Exact(value),
        ("configurable", least) => Window::Configurable { value: least.or(default).unwrap_or_default(), max },
        ("forever", _) => Window::Forever,
        ("unpublished", _) => Window::Unpublished,
        ("none", _) => Window::None,
        (kind, None) => {
            if given.is_none() {
                let message = format!("window_kind = \"{kind}\" lacks `window_min`, so the window has no length");
                fields.wrong(
                    message,
                    Some("add the shortest time the provider promises, such as window_min = \"24h\"".into()),
                );
            }
            return None;
        }
        _ => return None,
    };
    if let (Window::Configurable { value, .. }, Some(max)) = (&window, max) {
        if *value > max {
            fields.wrong("the window's lower bound is above its `window_max`", None);
        }
    }
    debug_assert!(range.start <= range.end, "a table's range runs forward");
    Some(window)
}
