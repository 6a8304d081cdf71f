//! What a guarantee rests on without being a part of the contract: a change of it can break the promise silently.

use std::collections::{BTreeMap, BTreeSet};

use effect_contracts_grammar::duration;

use super::limits::limits;
use super::snapshot::{Known, RestsOn};
use crate::catalog::Provider;
use crate::contracts::{HandlerContract, window};
use crate::flow::DispatchFact;
use crate::guarantee::dispatches;
use crate::resolve::{Callee, FnId};

/// What stands behind a contract.
pub(super) fn rests_on(known: Known<'_>, contract: &HandlerContract, provider: Option<&Provider>) -> RestsOn {
    let facts = dispatches(known.contracts, contract, known.flow);
    RestsOn {
        provider: provider.map(promised).unwrap_or_default(),
        packages: facts.iter().filter_map(|fact| package(known, fact)).collect(),
        limits: limits(known, &contract.bodies, &functions(known, contract, &facts)),
    }
}

/// What the catalog says of a provider, as far as a promise depends on it.
fn promised(provider: &Provider) -> BTreeMap<String, String> {
    let time = |time: Option<std::time::Duration>| time.map(duration::display);
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let window = window(&provider.window);
    let facts = [
        ("mechanism", Some(provider.mechanism.as_str().to_owned())),
        ("window", Some(window.as_str().map_or_else(|| window.to_string(), str::to_owned))),
        ("window_max", time(provider.window_max)),
        ("window_anchor", provider.window_anchor.clone()),
        ("after_window", provider.after_window.clone()),
        ("key_min_len", number(provider.key_min_len)),
        ("key_max_len", number(provider.key_max_len)),
        ("key_pattern", provider.key_pattern.as_ref().map(|pattern| pattern.as_str().to_owned())),
        ("key_scope", provider.key_scope.clone()),
        ("on_payload_mismatch", provider.on_payload_mismatch.clone()),
        ("on_concurrent", provider.on_concurrent.clone()),
        ("failed_replay", provider.failed_replay.clone()),
        ("lookup_by", provider.lookup_by.clone()),
        ("lookup_lag", time(provider.lookup_lag)),
        ("reversible", provider.reversible.map(|flag| flag.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The functions in which the handler's own events happen, callees included.
fn functions(known: Known<'_>, contract: &HandlerContract, facts: &[&DispatchFact]) -> BTreeSet<FnId> {
    let mut found: BTreeSet<FnId> = contract.bodies.iter().copied().collect();
    found.extend(facts.iter().map(|fact| fact.function));
    for function in &known.flow.functions {
        if contract.bodies.contains(&function.function) {
            found.extend(function.events.iter().map(|event| event.function));
        }
    }
    found
}

/// The package of other people's code that a dispatch goes through, with its version.
fn package(known: Known<'_>, fact: &DispatchFact) -> Option<(String, String)> {
    let function = known.program.function(fact.function);
    let called = match fact.callee(known.program)? {
        Callee::External(path) => path.as_str(),
        Callee::ExternalMethod { receiver, .. } => receiver.as_str(),
        _ => return None,
    };
    let extern_name = called.split("::").next().unwrap_or(called);
    let package = known.workspace.package(function.package);
    let dependency = package.dependencies.iter().find(|dependency| dependency.extern_name == extern_name)?;
    let version = known.lock.and_then(|lock| lock.version(&package.name, &dependency.package_name));
    Some((dependency.package_name.clone(), version.unwrap_or_else(|| "unknown version".to_owned())))
}
