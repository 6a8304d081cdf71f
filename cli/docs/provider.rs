//! What the catalog knows of a provider, for people who decide whether to rely on it.

use effect_contracts_grammar::{Mechanism, Window, duration};

use super::model::FactLine;
use crate::catalog::Provider;

/// The facts in the order in which they are asked for; what was not read is left out.
pub(super) fn facts(provider: &Provider) -> Vec<FactLine> {
    let given = [
        ("Name", provider.name.clone()),
        ("Recognises a repeat by", Some(mechanism(provider))),
        ("Remembers it", Some(window(provider))),
        ("After that", provider.after_window.clone()),
        ("A key is unique within", provider.key_scope.clone()),
        ("The same key with other content", mismatch(provider)),
        ("The same key while the first runs", provider.on_concurrent.clone()),
        ("A failed answer is replayed", provider.failed_replay.clone()),
        ("Can be asked", lookup(provider)),
        ("Can be undone", reversal(provider)),
        ("To be known", provider.notes.clone()),
        ("Sources", Some(provider.sources.join(", "))),
        ("Read", read(provider)),
    ];
    given
        .into_iter()
        .filter_map(|(fact, text)| Some(FactLine { fact, text: text.filter(|text| !text.is_empty())? }))
        .collect()
}

fn mechanism(provider: &Provider) -> String {
    let word = provider.mechanism.as_str().replace('_', " ");
    if provider.mechanism == Mechanism::None {
        return "nothing".into();
    }
    match (&provider.key_transport, &provider.key_name) {
        (Some(transport), Some(name)) => format!("{word}, in {} {name}", transport.replace(['-', '_'], " ")),
        (None, Some(name)) => format!("{word}, {name}"),
        _ => word,
    }
}

fn window(provider: &Provider) -> String {
    let anchor = provider.window_anchor.as_ref().map_or_else(String::new, |anchor| format!(", counted {anchor}"));
    match &provider.window {
        Window::Exact(time) => format!("for {}{anchor}", duration::display(*time)),
        Window::AtLeast(time) => format!("for at least {}{anchor}", duration::display(*time)),
        Window::Configurable { value, .. } => {
            let most =
                provider.window_max.map_or_else(String::new, |max| format!(", at most {}", duration::display(max)));
            format!("for a time that can be set, {} without a setting{most}{anchor}", duration::display(*value))
        }
        Window::Forever => "without end".into(),
        Window::Unpublished => "for a time that it does not publish".into(),
        Window::None => "not at all".into(),
    }
}

fn mismatch(provider: &Provider) -> Option<String> {
    match (&provider.on_payload_mismatch, &provider.on_payload_mismatch_detail) {
        (Some(word), Some(detail)) => Some(format!("{word}: {detail}")),
        (word, detail) => word.clone().or_else(|| detail.clone()),
    }
}

fn lookup(provider: &Provider) -> Option<String> {
    let by = provider.lookup_by.as_ref()?;
    let api = provider.lookup_api.as_ref().map_or_else(String::new, |api| format!(", {api}"));
    let lag = provider
        .lookup_lag
        .map_or_else(String::new, |lag| format!("; a new effect may not show for {}", duration::display(lag)));
    Some(format!("by {by}{api}{lag}"))
}

fn reversal(provider: &Provider) -> Option<String> {
    match (provider.reversible, &provider.reversal_api) {
        (Some(false), _) => Some("no".into()),
        (_, Some(api)) => Some(format!("by {api}")),
        (Some(true), None) => Some("yes".into()),
        (None, None) => None,
    }
}

fn read(provider: &Provider) -> Option<String> {
    if provider.declared && provider.sources.is_empty() {
        return Some("declared by this application".into());
    }
    provider.read_on.clone()
}
