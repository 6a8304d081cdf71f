//! Contracts for effects that have none, as far as the analysis can propose them.
//!
//! In: what was analysed, and how much each function was found fault with. Out: [`Proposal`]s, the most consequential
//! first. A proposal holds only what code and catalog show; what a team alone can know is left open and named.

mod display;
mod identity;
mod lookup;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use effect_contracts_grammar::{Contract, EffectKind, State, Terminal, Window};

use crate::catalog::{Catalog, Provider};
use crate::contracts::HandlerContract;
use crate::findings::{Place, Sources};
use crate::flow::{DispatchFact, FlowFacts, has_word, undeclared};
use crate::guarantee::{KeyState, key_state};
use crate::resolve::{FnId, Program};
use crate::source::{Span, Workspace};

pub use text::{attribute, table};

/// What proposals are made of.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// packages and files
    pub workspace: &'a Workspace,
    /// functions
    pub program: &'a Program,
    /// knowledge of the outside
    pub catalog: &'a Catalog,
    /// what is declared already
    pub contracts: &'a [HandlerContract],
    /// dispatches
    pub flow: &'a FlowFacts,
    /// findings by the path of their handler
    pub findings: &'a BTreeMap<String, usize>,
}

/// A contract for one function.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// path of the function
    pub handler: String,
    /// its file, from the workspace root
    pub file: String,
    /// the line of its name, from 1
    pub line: u32,
    /// what sort of effect
    pub kind: EffectKind,
    /// the calls that perform it, as they read
    pub calls: Vec<String>,
    /// the verdict on the key
    pub key: &'static str,
    /// how many findings the function has
    pub findings: usize,
    /// what can be proposed
    pub contract: Contract,
    /// where the intent key comes from
    pub key_from: KeyFrom,
    /// what may be the lookup, best first; the first is in the contract
    pub lookups: Vec<String>,
    /// whether the function can carry an attribute: it is written as one, not made by a macro
    pub attachable: bool,
}

/// Where a proposed intent key comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyFrom {
    /// the code sends this
    Code,
    /// the input that the sent key is made of
    Input,
    /// a parameter that looks like an identity
    Parameter,
    /// nothing that could be one was found
    Nothing,
}

/// Proposals for all undeclared effects in the reported packages, the most consequential first: by kind, then those whose
/// call is in sight before those of which only a key is, then by findings, then by what is known of the key.
pub fn propose(known: Known<'_>) -> Vec<Proposal> {
    let mut effects: BTreeMap<FnId, Vec<&DispatchFact>> = BTreeMap::new();
    for fact in undeclared(known.program, known.contracts, known.flow) {
        if known.workspace.file(fact.site.file).reported {
            effects.entry(fact.owner(known.program)).or_default().push(fact);
        }
    }
    let mut sources = Sources::default();
    let paths: Vec<&str> = effects.keys().map(|id| known.program.function(*id).path.as_str()).collect();
    let mut proposals: Vec<(KeyState, Proposal)> = effects
        .iter()
        .map(|(id, facts)| {
            let name = own_name(known.program.function(*id).path.as_str(), &paths);
            proposal(known, &mut sources, *id, &name, facts)
        })
        .collect();
    proposals.sort_by(|(left_key, left), (right_key, right)| {
        let rank = |key: &KeyState, proposal: &Proposal| {
            let findings = std::cmp::Reverse(proposal.findings);
            (consequence(proposal.kind), proposal.calls.is_empty(), findings, std::cmp::Reverse(key.clone()))
        };
        rank(left_key, left).cmp(&rank(right_key, right)).then_with(|| left.handler.cmp(&right.handler))
    });
    proposals.into_iter().map(|(_, proposal)| proposal).collect()
}

/// How much a repeat costs, the most first. What is not known may be anything.
fn consequence(kind: EffectKind) -> u8 {
    match kind {
        EffectKind::Payment => 0,
        EffectKind::Entitlement => 1,
        EffectKind::Other => 2,
        EffectKind::Webhook => 3,
        EffectKind::Email | EffectKind::Sms => 4,
        EffectKind::Message | EffectKind::Publication => 5,
    }
}

/// The end of a path that no other of these paths has, `/` between its parts: a dozen methods may be called `run`, and
/// keys that start with that would be one key.
fn own_name(path: &str, paths: &[&str]) -> String {
    let mut start = path.len();
    while let Some(at) = path[..start].rfind("::") {
        let end = &path[at..];
        start = at;
        let others = paths.iter().filter(|other| **other != path);
        if others.into_iter().all(|other| !other.ends_with(end)) {
            return end[2..].replace("::", "/");
        }
    }
    path.replace("::", "/")
}

fn proposal(
    known: Known<'_>,
    sources: &mut Sources,
    id: FnId,
    name: &str,
    facts: &[&DispatchFact],
) -> (KeyState, Proposal) {
    let function = known.program.function(id);
    let at = sources.locate(known.workspace, &Place::Source(Span::new(function.file, function.ir.name_range)));
    // of several effects in one function the one that costs most is proposed
    let fact = facts.iter().min_by_key(|fact| consequence(kind(known, fact, id))).unwrap_or(&facts[0]);
    let provider = provider(known, fact);
    let (intent_key, key_from) = identity::intent_key(known, id, name, fact);
    let lookups = lookup::candidates(known, id, fact);
    let mut states = vec![State::Confirmed, State::Rejected];
    if !lookups.is_empty() {
        states.push(State::Reconciled);
    }
    let contract = Contract {
        intent_key: Some(intent_key),
        provider: fact.provider.clone(),
        provider_window: Some(provider.map_or(Window::Unpublished, |provider| provider.window.clone())),
        terminal: Some(states.into_iter().map(|state| Terminal { state, mapped: None }).collect()),
        reconcile: lookups.first().map(|lookup| lookup.remedy.clone()),
        kind: Some(kind(known, fact, id)),
        ..Contract::default()
    };
    let mut calls: Vec<String> = facts.iter().map(|fact| fact.call.clone()).filter(|call| !call.is_empty()).collect();
    calls.sort();
    calls.dedup();
    let key = key_state(&fact.key);
    let path = function.path.to_string();
    let proposal = Proposal {
        file: at.file,
        line: at.start.line,
        kind: kind(known, fact, id),
        calls,
        key: key.word(),
        findings: known.findings.get(&path).copied().unwrap_or_default(),
        handler: path,
        contract,
        key_from,
        lookups: lookups.into_iter().map(|lookup| lookup.path).collect(),
        attachable: function.ir.macro_heads.is_none() && function.ir.closure.is_none(),
    };
    (key, proposal)
}

fn provider<'a>(known: Known<'a>, fact: &DispatchFact) -> Option<&'a Provider> {
    let id = fact.provider.as_deref()?;
    known.catalog.providers.iter().find(|provider| provider.id == id)
}

/// What sort of effect: by its provider, else by the words of the call and of the function.
fn kind(known: Known<'_>, fact: &DispatchFact, id: FnId) -> EffectKind {
    let of_provider = match provider(known, fact).and_then(|provider| provider.kind.as_deref()) {
        Some("payment") => Some(EffectKind::Payment),
        Some("email") => Some(EffectKind::Email),
        Some("sms") => Some(EffectKind::Sms),
        Some("webhook") => Some(EffectKind::Webhook),
        Some("queue" | "push") => Some(EffectKind::Message),
        _ => None,
    };
    of_provider.unwrap_or_else(|| {
        let function = known.program.function(id).path.to_string().to_lowercase();
        let words = &known.catalog.words.payment_words;
        let says = |text: &str| text.split("::").any(|part| words.iter().any(|word| has_word(part, word)));
        if says(&function) || says(&fact.call) || says(&fact.operation) {
            EffectKind::Payment
        } else {
            EffectKind::Other
        }
    })
}
