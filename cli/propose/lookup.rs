//! What may tell the outcome of an effect: functions of the workspace that ask the provider, and those whose names say so.

use std::collections::BTreeSet;

use effect_contracts_grammar::Remedy;

use super::Known;
use crate::catalog::{Call, Matcher};
use crate::flow::DispatchFact;
use crate::ir::TypeIr;
use crate::resolve::{Callee, FnId, FunctionInfo, Ty};

/// Candidates that are named; more would be no help.
const MOST: usize = 3;

/// A function that may be the lookup.
pub(super) struct Lookup {
    /// for people and for `effects.toml`
    pub(super) path: String,
    /// as the attribute names it
    pub(super) remedy: Remedy,
}

/// The functions that may look an effect up, best first: those that call what the catalog knows as a lookup at the
/// provider; then methods beside the handler or the call whose name begins like a lookup and goes on like the effect.
pub(super) fn candidates(known: Known<'_>, handler: FnId, fact: &DispatchFact) -> Vec<Lookup> {
    let program = known.program;
    let matcher = known.catalog.matcher();
    let functions =
        || (0..).map(FnId).zip(&program.functions).filter(|(_, function)| !function.test && !function.example);
    let mut found: Vec<FnId> = Vec::new();
    if let Some(provider) = &fact.provider {
        found.extend(functions().filter(|(_, function)| asks(function, &matcher, provider)).map(|(id, _)| id));
    }
    let nouns = nouns(known, handler, fact);
    let scopes = scopes(known, handler, fact);
    let named = functions().filter(|(_, function)| {
        is_method(function)
            && scopes.contains(scope(function))
            && names_lookup(known, function.ir.name.as_str(), &nouns)
    });
    found.extend(named.map(|(id, _)| id));
    let mut seen = BTreeSet::new();
    found.retain(|id| *id != handler && *id != fact.function && seen.insert(program.function(*id).path.as_str()));
    found.truncate(MOST);
    found.into_iter().map(|id| lookup(known, handler, id)).collect()
}

/// Whether a function calls what the catalog knows as a lookup at this provider.
fn asks(function: &FunctionInfo, matcher: &Matcher<'_>, provider: &str) -> bool {
    function.types.callees.iter().any(|(_, callee)| {
        let row = match callee {
            Callee::External(path) => matcher.lookup(&Call::External(path.as_str())),
            Callee::ExternalMethod { receiver, method } => {
                matcher.lookup(&Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] })
            }
            _ => None,
        };
        row.is_some_and(|row| row.provider.as_deref() == Some(provider))
    })
}

/// The words of the handler, of the call and of the function around it that say what the effect is about.
fn nouns(known: Known<'_>, handler: FnId, fact: &DispatchFact) -> BTreeSet<String> {
    let words = &known.catalog.words;
    let called = fact.call.rsplit(['.', ':']).next().unwrap_or_default();
    let name = |id: FnId| known.program.function(id).ir.name.as_str();
    let names = [name(handler), name(fact.function), called];
    let parts = names.into_iter().flat_map(|name| name.split('_')).map(str::to_lowercase);
    let said =
        |part: &String| part.len() > 2 && !words.lookup_verbs.contains(part) && part != "create" && part != "post";
    parts.filter(said).collect()
}

fn names_lookup(known: Known<'_>, name: &str, nouns: &BTreeSet<String>) -> bool {
    let begins = known
        .catalog
        .words
        .lookup_verbs
        .iter()
        .any(|verb| name.strip_prefix(verb.as_str()).is_some_and(|rest| rest.starts_with('_')));
    begins && name.split('_').any(|part| nouns.iter().any(|noun| part.starts_with(noun.as_str())))
}

/// The types and modules whose functions belong to the effect: those of the handler, of the call's own function, and of
/// what is called.
fn scopes<'a>(known: Known<'a>, handler: FnId, fact: &DispatchFact) -> BTreeSet<&'a str> {
    let mut ids = vec![handler, fact.function];
    if let Some(Callee::Functions(called)) = fact.callee(known.program) {
        ids.extend(called);
    }
    ids.into_iter().map(|id| scope(known.program.function(id))).collect()
}

/// Whether a function belongs to a type or trait. What stands in one module has less in common.
fn is_method(function: &FunctionInfo) -> bool {
    function.trait_.is_some() || function.self_ty != Ty::Unknown
}

/// The path in front of a function's name.
fn scope(function: &FunctionInfo) -> &str {
    function.path.as_str().rsplit_once("::").map_or("", |(front, _)| front)
}

fn lookup(known: Known<'_>, handler: FnId, id: FnId) -> Lookup {
    let (own, found) = (known.program.function(handler), known.program.function(id));
    let path = found.path.to_string();
    let inferred = found.ir.generics.is_empty()
        && !found.ir.has_self
        && found.ir.params.iter().all(|param| !matches!(param.ty, TypeIr::Impl(_)));
    let module = known.program.modules[found.module.0 as usize].to_string();
    // a path from elsewhere may not be visible, or leave types open: named without a check it always compiles
    let remedy = if found.module == own.module && scope(found) == module && inferred {
        Remedy::Path(found.ir.name.to_string())
    } else if found.package == own.package {
        let inside = path.split_once("::").map_or(path.as_str(), |(_, inside)| inside);
        Remedy::Unchecked(format!("crate::{inside}"))
    } else {
        Remedy::Unchecked(path.clone())
    };
    Lookup { path, remedy }
}
