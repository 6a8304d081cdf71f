//! Every handler, declared or found, with the verdict on its key: one line each.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::plain::line;
use crate::contracts::HandlerContract;
use crate::flow::{FlowFacts, undeclared};
use crate::guarantee::{Guarantee, key_state};
use crate::resolve::Program;

/// The handlers sorted by path. Functions in test code are not handlers.
pub fn list(program: &Program, contracts: &[HandlerContract], guarantees: &[Guarantee], flow: &FlowFacts) -> String {
    let mut rows: BTreeMap<(String, String), (&str, &str, String)> = BTreeMap::new();
    for (contract, guarantee) in contracts.iter().zip(guarantees) {
        let name = contract.contract.name.clone().unwrap_or_default();
        let row = ("declared", guarantee.key.word(), guarantee.claim.text().to_owned());
        rows.insert((contract.handler.clone(), name), row);
    }
    for dispatch in undeclared(program, contracts, flow) {
        let function = program.function(dispatch.owner(program));
        let key = (function.path.to_string(), dispatch.call.clone());
        rows.insert(key, ("found", key_state(&dispatch.key).word(), dispatch.call.clone()));
    }
    let widest = rows.keys().map(|(path, _)| path.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for ((path, name), (how, verdict, what)) in rows {
        let title = if how == "declared" && !name.is_empty() { format!("{name}: {what}") } else { what };
        let path = line(&path).into_owned();
        let _ = writeln!(out, "{path:<widest$}  {how:<8}  {verdict:<15}  {}", line(&title));
    }
    out
}
