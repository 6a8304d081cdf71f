//! Contracts in the code: `#[effect(…)]` on a function, and `handler!(…)` around a closure.
//!
//! In: a resolved function. Out: one [`Written`] for each contract that it carries. The grammar is the macro's own;
//! only places are made here: bytes of the attribute become bytes of the file.

use std::collections::BTreeMap;

use effect_contracts_grammar::{Allow, Parsed, parse_arguments_text, parse_attribute_text, parse_handler_text};
use proc_macro2::Span as TokenSpan;

use super::{ContractProblem, Field, GivenBy, Layer};
use crate::findings::Place;
use crate::ir::Attribute;
use crate::resolve::FunctionInfo;
use crate::source::{Package, SourceFile, Span, TextRange};

/// One contract as one source has it.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// its facts
    pub(super) layer: Layer,
    /// the name under which the body finds the key
    pub(super) bind: Option<String>,
    /// its suppressions, with their places
    pub(super) allows: Vec<(Allow, Place)>,
    /// what could not be read
    pub(super) problems: Vec<ContractProblem>,
}

/// The contracts that a function carries.
pub(super) fn of_function(function: &FunctionInfo, file: &SourceFile, package: &Package) -> Vec<Written> {
    let crates = crate_names(package);
    if function.ir.closure.is_some() {
        return of_closure(function, file).into_iter().collect();
    }
    function
        .ir
        .attributes
        .iter()
        .enumerate()
        .filter(|(at, attribute)| {
            let path = function.attribute_paths.get(*at).map_or(&*attribute.path, |path| path.as_str());
            is_effect(path, &crates)
        })
        .map(|(_, attribute)| of_attribute(function, attribute, file))
        .collect()
}

/// The names under which a package knows the crate with the attribute.
fn crate_names(package: &Package) -> Vec<&str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| matches!(dependency.package_name.as_str(), "effect-contracts" | "effect-contracts-macros"))
        .map(|dependency| dependency.extern_name.as_str())
        .chain(["effect_contracts", "effect_contracts_macros"])
        .collect()
}

/// Whether a canonical attribute path is the one that declares contracts. A bare `effect` is one that nothing in scope
/// explains: it came through a glob import, or the source is a fragment.
fn is_effect(path: &str, crates: &[&str]) -> bool {
    let path = path.trim_start_matches("::");
    match path.split_once("::") {
        Some((krate, "effect")) => crates.contains(&krate),
        Some(_) => false,
        None => path == "effect",
    }
}

fn of_attribute(function: &FunctionInfo, attribute: &Attribute, file: &SourceFile) -> Written {
    let place = Place::Source(Span::new(function.file, attribute.range));
    // the file's own text keeps places right where the attribute's text was put together
    let text = slice(file, attribute.args_range);
    if text == &*attribute.args {
        let parsed = parse_arguments_text(text);
        return written(parsed, function, attribute.args_range.start, place);
    }
    let whole = slice(file, attribute.range);
    written(parse_attribute_text(whole), function, attribute.range.start, place)
}

/// A closure in `handler!`: the invocation's own text holds the fields.
fn of_closure(function: &FunctionInfo, file: &SourceFile) -> Option<Written> {
    let range = function.ir.range;
    let text = slice(file, range);
    if text.is_empty() {
        return None;
    }
    let place = Place::Source(Span::new(function.file, range));
    Some(written(parse_handler_text(text), function, range.start, place))
}

fn slice(file: &SourceFile, range: TextRange) -> &str {
    file.text.get(range.start as usize..range.end as usize).unwrap_or_default()
}

fn written(parsed: Parsed, function: &FunctionInfo, start: u32, place: Place) -> Written {
    let at = |first: TokenSpan, last: TokenSpan| -> Place {
        let (first, last) = (first.byte_range(), last.byte_range());
        // a fault of the whole text has no tokens
        if last.end == 0 {
            return place.clone();
        }
        let offset = |byte: usize| start.saturating_add(u32::try_from(byte).unwrap_or(u32::MAX));
        let range = TextRange { start: offset(first.start), end: offset(last.end.max(first.end)) };
        Place::Source(Span::new(function.file, range))
    };
    let mut places = BTreeMap::new();
    let mut allow_places = Vec::new();
    for given in &parsed.given {
        let field_place = at(given.name, given.last);
        match Field::by_name(given.field) {
            Some(field) => {
                places.entry(field).or_insert(field_place);
            }
            None if given.field == "allow" => allow_places.push(field_place),
            None => {}
        }
    }
    let problems = parsed
        .errors
        .iter()
        // `effects.toml` may supply what the attribute leaves out
        .filter(|error| !error.message.starts_with("missing field `"))
        .map(|error| ContractProblem { place: at(error.first, error.last), message: error.message.clone() })
        .collect();
    // an allow with a fault is among the places but not among the facts
    let known = allow_places.len() == parsed.contract.allow.len();
    let allows = parsed
        .contract
        .allow
        .iter()
        .enumerate()
        .map(|(number, allow)| {
            let place = allow_places.get(number).filter(|_| known).unwrap_or(&place);
            (allow.clone(), place.clone())
        })
        .collect();
    let bind = parsed.extras.bind.as_ref().map(ToString::to_string);
    let layer = Layer { contract: parsed.contract, from: GivenBy::Attribute, place, places };
    // the places are bytes now; the lexer's own tables would only grow
    proc_macro2::extra::invalidate_current_thread_spans();
    Written { layer, bind, allows, problems }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_resolved_attribute_counts() {
        let crates = ["effect_contracts", "guarantees"];
        assert!(is_effect("effect_contracts::effect", &crates));
        assert!(is_effect("::guarantees::effect", &crates));
        assert!(is_effect("effect", &crates));
        assert!(!is_effect("cqrs::effect", &crates));
        assert!(!is_effect("shop::macros::effect", &crates));
        assert!(!is_effect("effect_contracts::effect_case", &crates));
        assert!(!is_effect("instrument", &crates));
    }
}
