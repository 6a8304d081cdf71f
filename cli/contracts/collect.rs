//! Collecting: which contract belongs to which function.

use std::collections::{BTreeMap, BTreeSet};

use effect_contracts_grammar::{Allow, Contract};

use super::attribute::{Written, of_function};
use super::merge::merge;
use super::paths::implementations;
use super::{Defaults, Field, GivenBy, HandlerContract, Layer};
use crate::config::{Config, ContractTable};
use crate::findings::Place;
use crate::resolve::{FnId, Program};
use crate::source::{Span, Workspace};

/// The contracts of all functions outside of test code, in the order of the functions.
pub fn collect(workspace: &Workspace, program: &Program, config: &Config) -> Vec<HandlerContract> {
    let defaults = defaults(config);
    let mut tables = tables(program, config);
    let mut found: Vec<(FnId, Option<Written>, Option<Written>)> = Vec::new();
    for (function, id) in program.functions.iter().zip((0..).map(FnId)) {
        if function.test || function.example {
            continue;
        }
        let file = workspace.file(function.file);
        let package = workspace.package(function.package);
        let mut tables = tables.remove(&id).unwrap_or_default();
        for attribute in of_function(function, file, package) {
            let same =
                tables.iter().position(|table| speak_of_one_effect(&attribute.layer.contract, &table.layer.contract));
            let table = same.map(|at| tables.remove(at));
            found.push((id, Some(attribute), table));
        }
        found.extend(tables.into_iter().map(|table| (id, None, Some(table))));
    }
    let declared: BTreeSet<FnId> = found.iter().map(|(id, _, _)| *id).collect();
    found
        .into_iter()
        .filter_map(|(id, attribute, table)| contract(workspace, program, &defaults, &declared, id, attribute, table))
        .collect()
}

/// The paths of `[[effect]]` tables that name no function.
pub fn unmatched<'a>(program: &Program, config: &'a Config) -> Vec<&'a str> {
    config
        .effects
        .iter()
        .map(|effect| effect.handler.as_str())
        .filter(|path| program.find_functions(path).is_empty())
        .collect()
}

fn contract(
    workspace: &Workspace,
    program: &Program,
    defaults: &Defaults,
    declared: &BTreeSet<FnId>,
    id: FnId,
    attribute: Option<Written>,
    table: Option<Written>,
) -> Option<HandlerContract> {
    let function = program.function(id);
    let merged = merge(
        attribute.as_ref().map(|written| &written.layer),
        table.as_ref().map(|written| &written.layer),
        &workspace.package(function.package).name,
        defaults,
        &same_function,
    );
    let place = attribute.as_ref().or(table.as_ref()).map(|written| written.layer.place.clone())?;
    let sources = || attribute.iter().chain(&table);
    Some(HandlerContract {
        function: id,
        bodies: bodies(program, declared, id),
        handler: function.path.to_string(),
        contract: merged.contract,
        given: merged.given,
        place,
        name_span: Span::new(function.file, function.ir.name_range),
        bind: attribute.as_ref().and_then(|written| written.bind.clone()),
        conflicts: merged.conflicts,
        allows: sources().flat_map(|it| it.allows.clone()).collect(),
        problems: sources().flat_map(|it| it.problems.clone()).collect(),
    })
}

/// The functions that perform the effect: the one that carries the contract; for a trait's method those of its
/// implementations that carry none of their own, too.
fn bodies(program: &Program, declared: &BTreeSet<FnId>, id: FnId) -> Vec<FnId> {
    let function = program.function(id);
    let mut bodies = Vec::new();
    if function.ir.body.is_some() {
        bodies.push(id);
    }
    let implementations = implementations(program, id).into_iter();
    bodies.extend(implementations.filter(|it| !declared.contains(it)));
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// `[[effect]]` tables by the functions that they name, in the order of the file.
fn tables(program: &Program, config: &Config) -> BTreeMap<FnId, Vec<Written>> {
    let mut tables: BTreeMap<FnId, Vec<Written>> = BTreeMap::new();
    for effect in &config.effects {
        let written = Written {
            layer: layer(config, &effect.table, GivenBy::Effect),
            bind: None,
            allows: allows(config, &effect.table),
            problems: Vec::new(),
        };
        for id in handlers(program, &effect.handler) {
            tables.entry(id).or_default().push(written.clone());
        }
    }
    tables
}

/// The functions that a path names. A trait's method stands for its implementations, which are its bodies.
fn handlers(program: &Program, path: &str) -> Vec<FnId> {
    let found = program.find_functions(path);
    let declarations: Vec<FnId> = found.iter().copied().filter(|id| is_declaration(program, *id)).collect();
    if declarations.is_empty() { found } else { declarations }
}

/// Whether a function is the one that a trait of the workspace declares.
fn is_declaration(program: &Program, id: FnId) -> bool {
    program.function(id).trait_.is_some_and(|trait_| {
        let methods = &program.traits[trait_.0 as usize].methods;
        methods.iter().any(|(_, method)| *method == id)
    })
}

/// Whether an attribute and a table on one function mean one effect. They are told apart by name and dispatch.
fn speak_of_one_effect(attribute: &Contract, table: &Contract) -> bool {
    if let (Some(ours), Some(theirs)) = (&attribute.name, &table.name) {
        return ours == theirs;
    }
    let (ours, theirs) = (&attribute.dispatch, &table.dispatch);
    ours.is_empty() || theirs.is_empty() || ours.iter().any(|our| theirs.iter().any(|their| same_function(our, their)))
}

/// Whether two paths can mean one function. The attribute's is relative to its own scope, perhaps through a renaming,
/// so only the last segment is comparable.
fn same_function(ours: &str, theirs: &str) -> bool {
    last_segment(ours) == last_segment(theirs)
}

fn last_segment(path: &str) -> &str {
    let path = path.split("::<").next().unwrap_or(path);
    path.rsplit([':', '.']).next().unwrap_or(path).trim()
}

fn defaults(config: &Config) -> Defaults {
    let named = |tables: &[(String, ContractTable)]| {
        tables.iter().map(|(name, table)| (name.clone(), layer(config, table, GivenBy::Defaults))).collect()
    };
    Defaults {
        packages: named(&config.defaults.packages),
        providers: named(&config.defaults.providers),
        all: config.defaults.all.as_ref().map(|table| layer(config, table, GivenBy::Defaults)),
    }
}

fn layer(config: &Config, table: &ContractTable, from: GivenBy) -> Layer {
    Layer {
        contract: table.contract.clone(),
        from,
        place: config.place(table.range),
        places: table
            .fields
            .iter()
            .filter_map(|(name, range)| Some((Field::by_name(name)?, config.place(*range))))
            .collect(),
    }
}

fn allows(config: &Config, table: &ContractTable) -> Vec<(Allow, Place)> {
    table.contract.allow.iter().cloned().zip(table.allows.iter().map(|range| config.place(*range))).collect()
}
