//! The guarantee table in a handler's documentation.

use effect_contracts_grammar::{duration, Contract, Delivery, KeyTemplate, Mapped, Remedy, Terminal, Window};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote_spanned;

/// Documentation attributes with the contract as a table, to stand behind the user's own.
pub(crate) fn table(contract: &Contract) -> TokenStream {
    // a heading of its own: rustdoc lists it beside the page, and the table does not run into the user's last paragraph
    let head = ["", "# Guarantee", "", "| effect contract | declared |", "| --- | --- |"];
    let mut lines: Vec<String> = head.map(str::to_owned).into();
    lines.extend(rows(contract).into_iter().map(|(name, value)| format!("| {name} | {value} |")));
    lines
        .iter()
        .map(|line| {
            let line = Literal::string(line);
            quote_spanned!(Span::mixed_site()=> #[doc = #line])
        })
        .collect()
}

/// The rows of what is given, in the order of the documentation.
fn rows(contract: &Contract) -> Vec<(&'static str, String)> {
    let yes = |flag: Option<bool>| flag.filter(|flag| *flag).map(|_| "yes, so it comes last".to_owned());
    let rows = [
        ("name", contract.name.as_deref().map(plain)),
        ("kind", contract.kind.map(|kind| kind.to_string())),
        ("intent key", contract.intent_key.as_ref().map(KeyTemplate::text).map(code)),
        ("provider", contract.provider.as_deref().map(code)),
        ("window", contract.provider_window.as_ref().map(window)),
        ("mechanism", contract.mechanism.map(|word| code(word.as_str()))),
        ("replay horizon", contract.replay_horizon.map(duration::display)),
        ("delivery", contract.delivery.as_ref().map(delivery)),
        ("boundary", contract.boundary.as_deref().map(plain)),
        ("record", contract.record.as_deref().map(plain)),
        ("dispatch", some(contract.dispatch.iter().map(|path| code(path)).collect::<Vec<_>>().join(", "))),
        ("reconcile", contract.reconcile.as_ref().map(remedy)),
        ("compensate", contract.compensate.as_ref().map(remedy)),
        ("compensates", contract.compensates.as_deref().map(code)),
        ("irreversible", yes(contract.irreversible)),
        ("fence", contract.fence.as_deref().map(code)),
        (
            "terminal",
            contract.terminal.as_ref().map(|states| states.iter().map(terminal).collect::<Vec<_>>().join(", ")),
        ),
        ("evidence kept", contract.evidence_retention.map(duration::display)),
        ("operator", contract.operator.as_deref().map(operator)),
        ("effect", contract.effect.as_deref().map(code)),
        (
            "allowed",
            some(
                contract
                    .allow
                    .iter()
                    .map(|allow| format!("{}: {}", code(&allow.rule), plain(&allow.reason)))
                    .collect::<Vec<_>>()
                    .join("; "),
            ),
        ),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn window(window: &Window) -> String {
    match window {
        Window::Exact(value) => duration::display(*value),
        Window::AtLeast(value) => format!("at least {}", duration::display(*value)),
        Window::Configurable { value, max } => {
            let max = max.map_or_else(String::new, |max| format!(", at most {}", duration::display(max)));
            format!("{}, configurable{max}", duration::display(*value))
        }
        Window::Forever => "forever".to_owned(),
        Window::Unpublished => "not published by the provider".to_owned(),
        Window::None => "none".to_owned(),
    }
}

fn delivery(delivery: &Delivery) -> String {
    match delivery {
        Delivery::AtLeastOnce => "at least once".to_owned(),
        Delivery::AtMostOnce => "at most once".to_owned(),
        Delivery::ExactlyOnceWithin(boundary) => format!("exactly once within {}", code(boundary)),
        Delivery::ExactlyOnce => "exactly once, with no boundary named".to_owned(),
    }
}

fn terminal(terminal: &Terminal) -> String {
    match &terminal.mapped {
        None => terminal.state.to_string(),
        Some(Mapped::Variant(path)) => format!("{} = {}", terminal.state, code(path)),
        Some(Mapped::Text(text)) => format!("{} = {}", terminal.state, code(&format!("{text:?}"))),
    }
}

fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Path(path) => link(path),
        Remedy::Unchecked(path) => code(path),
        Remedy::None(reason) => format!("none: {}", plain(reason)),
    }
}

/// A path as a link, if rustdoc can follow it: without generic arguments and not through a trait.
///
/// In the short form a path that turns out to be private stays as text in brackets; in the long form it would become a
/// link to nowhere.
fn link(path: &str) -> String {
    let linkable = path.split("::").all(|segment| {
        let mut characters = segment.chars();
        characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|character| character.is_alphanumeric() || character == '_')
    });
    if linkable {
        format!("[{}]", code(path))
    } else {
        code(path)
    }
}

fn operator(operator: &str) -> String {
    let address = operator.starts_with("https://")
        && !operator.contains(|character: char| character.is_whitespace() || "<>|".contains(character));
    if address {
        format!("<{operator}>")
    } else {
        code(operator)
    }
}

/// Text as code in a table cell.
fn code(text: &str) -> String {
    let text = one_line(text).replace('|', "\\|");
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 {
        format!("`{text}`")
    } else {
        format!("{fence} {text} {fence}")
    }
}

/// Text as text in a table cell: no character of it means anything to Markdown.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for character in one_line(text).chars() {
        if "\\`*_{}[]<>()#+-.!|~&$:".contains(character) && !matches!(character, '.' | '-' | '(' | ')' | ':') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// One line of characters that show: what hides, or turns the reading direction of what follows, is named.
fn one_line(text: &str) -> String {
    let hides = |character: char| {
        character.is_control()
            || matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        if hides(character) {
            out.push_str(&format!("U+{:04X}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, link, operator, plain};

    #[test]
    fn cells_hold_any_text() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("a\u{202E}b\u{1B}"), "`aU+202EbU+001B`");
        assert_eq!(plain("a_b | <c> [d](e)\n\nf"), "a\\_b \\| \\<c\\> \\[d\\](e) f");
    }

    #[test]
    fn only_paths_that_rustdoc_follows_are_links() {
        assert_eq!(link("Stripe::find"), "[`Stripe::find`]");
        assert_eq!(link("find::<u8>"), "`find::<u8>`");
        assert_eq!(link("<T as U>::f"), "`<T as U>::f`");
        assert_eq!(operator("https://runbooks.example/charge"), "<https://runbooks.example/charge>");
        assert_eq!(operator("runbooks/charge.md"), "`runbooks/charge.md`");
    }
}
