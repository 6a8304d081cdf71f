//! The lookups that contracts declare: as rows of the catalog, so that a call of one asks what happened wherever it stands.

use effect_contracts_grammar::{Contract, Remedy};

use super::{HandlerContract, functions_named};
use crate::catalog::{CallPattern, Lookup};
use crate::resolve::Program;

/// A row for each function of the workspace that a contract names as its `reconcile`.
pub fn lookups(program: &Program, contracts: &[HandlerContract]) -> Vec<Lookup> {
    let mut rows: Vec<Lookup> = Vec::new();
    for contract in contracts {
        let Some(path) = lookup_of(&contract.contract) else {
            continue;
        };
        for id in functions_named(program, contract.function, path) {
            let call = CallPattern(program.function(id).path.to_string());
            // Several effects of one provider are looked up by one function.
            if rows.iter().all(|row| row.call != call) {
                let provider = contract.contract.provider.clone();
                rows.push(Lookup { call, provider, keys: Vec::new(), sends: Vec::new(), declared: false });
            }
        }
    }
    rows
}

/// The path of the lookup that a contract names.
pub fn lookup_of(contract: &Contract) -> Option<&str> {
    match &contract.reconcile {
        Some(Remedy::Path(path) | Remedy::Unchecked(path)) => Some(path),
        _ => None,
    }
}
