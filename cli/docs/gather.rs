//! From contracts and guarantees to what a document is made of.

use std::collections::BTreeMap;

use super::model::{AllowLine, Input};
use crate::catalog::Catalog;
use crate::contracts::HandlerContract;
use crate::guarantee::{Guarantee, provider_of};
use crate::resolve::Program;
use crate::source::Workspace;

/// One input for each declared effect of the workspace's members, without findings and evidence. What a run selects does
/// not count: a document that depended on it would be stale for everybody else.
pub fn inputs<'a>(
    workspace: &'a Workspace,
    program: &Program,
    contracts: &'a [HandlerContract],
    guarantees: &'a [Guarantee],
    catalog: &'a Catalog,
) -> Vec<Input<'a>> {
    contracts
        .iter()
        .zip(guarantees)
        .filter_map(|(contract, guarantee)| {
            let function = program.function(contract.function);
            let file = workspace.file(function.file);
            workspace.package(file.package).member.then(|| Input {
                contract,
                guarantee,
                package: &workspace.package(function.package).name,
                file: file.path.clone(),
                provider: provider_of(contract, catalog),
                allows: contract
                    .allows
                    .iter()
                    .map(|(allow, _)| AllowLine {
                        rule: allow.rule.clone(),
                        reason: allow.reason.clone(),
                        owner: allow.owner.clone(),
                        until: allow.until.clone(),
                    })
                    .collect(),
                findings: Vec::new(),
                evidence: Vec::new(),
            })
        })
        .collect()
}

/// The folder of each package, relative to the workspace root.
pub fn folders(workspace: &Workspace) -> BTreeMap<String, String> {
    workspace.packages.iter().map(|package| (package.name.clone(), package.folder.clone())).collect()
}
