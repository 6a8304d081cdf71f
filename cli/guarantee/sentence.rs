//! The sentence: the claim with its layer, window, condition and failure mode, in words that documents can carry.

use std::time::Duration;

use effect_contracts_grammar::{Contract, KeyTemplate, Mechanism, Remedy, Window, duration};

use super::questions::why_repeats;
use super::{Claim, KeyState, Promise, Proofs, Reach};
use crate::contracts::lookup_of;

/// A sentence (or a few), in pieces, so that each document can escape it in its own way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    /// the pieces in order
    pub pieces: Vec<Piece>,
}

/// A piece of a [`Sentence`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// plain words
    Text(String),
    /// source text: a key template, a path
    Code(String),
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl Sentence {
    /// The sentence in one line, source text between backticks.
    pub fn plain(&self) -> String {
        let mut plain = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => plain.push_str(text),
                Piece::Code(code) => {
                    plain.push('`');
                    plain.push_str(code);
                    plain.push('`');
                }
            }
        }
        plain
    }

    pub(super) fn text(mut self, text: impl AsRef<str>) -> Self {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text.as_ref()),
            _ => self.pieces.push(Piece::Text(text.as_ref().into())),
        }
        self
    }

    pub(super) fn code(mut self, code: &str) -> Self {
        self.pieces.push(Piece::Code(code.into()));
        self
    }
}

pub(super) fn sentence(
    contract: &Contract,
    claim: Claim,
    promise: &Promise,
    key: &KeyState,
    proofs: Proofs,
) -> Sentence {
    let provider = promise.provider.as_deref().unwrap_or("the provider");
    let start = Sentence::default();
    match claim {
        Claim::Harmless => fence(
            start.text(format!(
                "Repeats are harmless: the handler writes an absolute state at {provider}, so that running it again \
                 leaves the same result. A late repeat can overwrite a newer state"
            )),
            contract,
            proofs,
        ),
        Claim::WholeHorizon => exit(by_key(start, contract, promise), contract, Lookup::Unnamed),
        Claim::WindowThenLookup => {
            let asked = by_key(start, contract, promise).text(format!(
                " Later, {}, only after ",
                until(promise)
            ));
            exit(lookup(asked, contract).text(" is asked."), contract, Lookup::Named)
        }
        Claim::WindowThenRepeat => {
            let later = by_key(start, contract, promise)
                .text(format!(" Later, {}, it can repeat: ", until(promise)));
            let declared = lookup(later, contract)
                .text(" is declared, but not shown to be asked before the next dispatch.");
            exit(declared, contract, Lookup::Named)
        }
        Claim::LookupOnly => {
            let begun = start.text(format!("No promised window at {provider} for the key "));
            let asked = intent_key(begun, contract).text(". The code asks ");
            exit(
                lookup(asked, contract).text(
                    " before it dispatches again, so the effect repeats only if that lookup is inconclusive.",
                ),
                contract,
                Lookup::Named,
            )
        }
        Claim::NarrowedByLookup => {
            let begun = start.text(format!(
                "At least once, narrowed by a lookup: {provider} does not deduplicate, and the code asks "
            ));
            exit(
                lookup(begun, contract).text(
                    " before it dispatches again. The effect can repeat while the provider has acted and the lookup does not show it yet.",
                ),
                contract,
                Lookup::Named,
            )
        }
        Claim::Swallowed => {
            let begun = intent_key(start.text("Distinct intents can be swallowed: the key "), contract);
            begun.text(format!(
                " is the same for several of them, and {provider} takes a second one for a repeat of the first {}.",
                match promise.window {
                    Window::None | Window::Unpublished =>
                        "for as long as it remembers the key, which it does not say".into(),
                    _ => span(promise),
                }
            ))
        }
        Claim::AtMostOnce => start.text(format!(
            "At most once at {provider}: the task is not delivered again and no retry was found in the code. The effect can be lost{}.",
            decider(contract).map_or_else(String::new, |who| format!(", and {who} decides what becomes of it"))
        )),
        Claim::AtLeastOnce => {
            let begun = start.text(format!(
                "At least once; duplicates possible: {}.",
                why_repeats(promise, key)
            ));
            exit(
 within_window(begun, contract, promise, key),
 contract,
 Lookup::Unnamed)
        }
    }
}

/// `Effectively once for …, by key … at ….`
fn by_key(start: Sentence, contract: &Contract, promise: &Promise) -> Sentence {
    let provider = promise.provider.as_deref().unwrap_or("the provider");
    let begun = match (promise.reach, promise.horizon) {
        (Reach::Whole, Some(horizon)) => start.text(format!(
            "Effectively once for the whole replay horizon of {}, by {} ",
            spaced(horizon),
            means(promise.mechanism)
        )),
        _ => start.text(format!("Effectively once {}, by {} ", span(promise), means(promise.mechanism))),
    };
    let keyed = intent_key(begun, contract).text(format!(" at {provider}"));
    match (promise.reach, promise.horizon) {
        (Reach::Whole, Some(_)) => keyed.text(format!(", which remembers it {}.", span(promise))),
        _ => keyed.text("."),
    }
}

/// What the window still does for an effect of the last row with a stable key.
fn within_window(begun: Sentence, contract: &Contract, promise: &Promise, key: &KeyState) -> Sentence {
    if *key != KeyState::Stable || !promise.is_key_like() || promise.reach != Reach::Part {
        return begun;
    }
    let provider = promise.provider.as_deref().unwrap_or("the provider");
    intent_key(begun.text(" The key "), contract).text(format!(
        " neutralises repeats at {provider} {}; the intent can come again {}.",
        span(promise),
        until(promise)
    ))
}

/// How an unknown outcome ends.
fn exit(begun: Sentence, contract: &Contract, lookup_is: Lookup) -> Sentence {
    let begun = match (&contract.reconcile, lookup_is) {
        (Some(Remedy::Path(_) | Remedy::Unchecked(_)), Lookup::Unnamed) => {
            let begun = begun.text(" An unknown outcome is looked up with ");
            lookup(begun, contract).text(". If that is inconclusive the outcome stays unknown")
        }
        (_, Lookup::Named) => begun.text(" If that is inconclusive the outcome stays unknown"),
        (Some(Remedy::None(reason)), Lookup::Unnamed) => {
            begun.text(format!(" An unknown outcome stays unknown ({})", reason.trim().trim_end_matches('.')))
        }
        (None, Lookup::Unnamed) => begun.text(" An unknown outcome stays unknown"),
    };
    match &contract.operator {
        Some(operator) => begun.text(format!(" and an operator decides ({operator}).")),
        None => begun.text(", and nobody is named who decides."),
    }
}

/// Whether the sentence has spoken of the lookup already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    Named,
    Unnamed,
}

fn fence(begun: Sentence, contract: &Contract, proofs: Proofs) -> Sentence {
    match &contract.fence {
        Some(fence) if proofs.fence => begun.text(" only if it passes the fence ").code(fence).text("."),
        Some(fence) => begun.text(": the fence ").code(fence).text(" is declared, but not shown to be checked."),
        None => begun.text(": no fence is declared."),
    }
}

fn decider(contract: &Contract) -> Option<String> {
    let operator = contract.operator.as_ref()?;
    Some(format!("an operator ({operator})"))
}

fn intent_key(begun: Sentence, contract: &Contract) -> Sentence {
    match &contract.intent_key {
        Some(KeyTemplate::Template { text, .. } | KeyTemplate::Expression(text)) => begun.code(text),
        None => begun.text("that is not declared"),
    }
}

fn lookup(begun: Sentence, contract: &Contract) -> Sentence {
    match lookup_of(contract) {
        Some(path) => begun.code(name_of(path)),
        None => begun.text("the provider"),
    }
}

/// The last segment of a path, without type arguments.
fn name_of(path: &str) -> &str {
    let bare = path.split('<').next().unwrap_or(path);
    let bare = bare.trim_end_matches("::").trim();
    match bare.rsplit("::").next().map(str::trim) {
        Some(name) if !name.is_empty() => name,
        _ => path,
    }
}

/// `for at least 24 h after first dispatch`
fn span(promise: &Promise) -> String {
    let anchor = match &promise.anchor {
        Some(anchor) => format!(", counted {anchor}"),
        None => " after first dispatch".into(),
    };
    match &promise.window {
        Window::Exact(time) => format!("for {}{anchor}", spaced(*time)),
        Window::AtLeast(time) => {
            format!("for at least {}{anchor}", spaced(*time))
        }
        Window::Configurable { value, .. } => {
            format!("for the configured {}{anchor}", spaced(*value))
        }
        Window::Forever => "without end".into(),
        Window::Unpublished => "for a time that it does not publish".into(),
        Window::None => "for no time at all".into(),
    }
}

/// `until 7 d`
fn until(promise: &Promise) -> String {
    promise.horizon.map_or_else(|| "without a declared end".into(), |horizon| format!("until {}", spaced(horizon)))
}

/// A duration as a sentence shows it: `24 h`.
pub(super) fn spaced(time: Duration) -> String {
    let text = duration::display(time);
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let unit = if unit == "m" { "min" } else { unit };
    format!("{number} {unit}")
}

fn means(value: Mechanism) -> String {
    match value {
        Mechanism::Key => "key".into(),
        Mechanism::DedupId => "deduplication id".into(),
        Mechanism::NaturalKey => "natural key".into(),
        other => format!("{} on", other.as_str().replace('_', " ")),
    }
}
