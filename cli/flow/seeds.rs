//! Which functions the analysis starts from: those that mention something that could be a dispatch or a key.

use crate::catalog::{Call, Catalog, Matcher};
use crate::contracts::HandlerContract;
use crate::ir::{Body, ExprKind, Literal, MapKey, PathIr};
use crate::resolve::{Callee, ConstId, FnId, FunctionInfo, Program, ValueDef};
use crate::source::PackageId;

use super::scope::{client_acts, has_word};

/// Functions outside test code from which something may be told, in order.
pub(crate) fn seeds(
    program: &Program,
    catalog: &Catalog,
    matcher: &Matcher<'_>,
    contracts: &[HandlerContract],
    handlers: Vec<FnId>,
) -> Vec<FnId> {
    let mut seeds: Vec<FnId> = program
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| !function.test && !function.example)
        .filter(|(_, function)| {
            let lookup = matcher.lookup(&Call::Workspace(function.path.as_str())).is_some();
            let calls = function
                .types
                .callees
                .iter()
                .any(|(_, callee)| may_dispatch(program, matcher, function.package, callee));
            lookup
                || calls
                || names_header(program, catalog, function)
                || function
                    .ir
                    .body
                    .as_deref()
                    .is_some_and(|body| mentions_key(catalog, body) || mentions_row(catalog, body))
        })
        .map(|(at, _)| FnId(at as u32))
        .collect();
    seeds.extend(contracts.iter().flat_map(|contract| &contract.bodies));
    seeds.extend(handlers);
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// Whether a body speaks of rows as query builders call them.
fn mentions_row(catalog: &Catalog, body: &Body) -> bool {
    let words = &catalog.words;
    let named = |path: &PathIr| {
        path.segments.iter().any(|segment| {
            let is = |name: &String| name == segment.name.as_str();
            words.entity_names.iter().any(is) || words.model_names.iter().any(is)
        })
    };
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Path(path) => named(path),
        ExprKind::Struct(literal) => named(&literal.path),
        _ => false,
    })
}

fn may_dispatch(program: &Program, matcher: &Matcher<'_>, package: PackageId, callee: &Callee) -> bool {
    let is = |call: Call<'_>| {
        matcher.dispatch(&call).is_some()
            || !matcher.carriers(&call).is_empty()
            || matcher.store(&call).is_some()
            || matcher.lookup(&call).is_some()
            || matcher.ack(&call).is_some()
            || matcher.lease(&call).is_some()
            || matcher.auto_ack(&call).is_some()
            || matcher.origin(&call).is_some_and(|row| row.digest)
    };
    let words = &matcher.catalog().words;
    let verb = |name: &str| client_acts(words, name);
    let undoes = |name: &str| words.compensation_verbs.iter().any(|verb| has_word(name, verb));
    match callee {
        Callee::External(path) => is(Call::External(path.as_str())),
        Callee::Unresolved(path) => is(Call::Workspace(path.as_str())) || is(Call::External(path.as_str())),
        Callee::ExternalMethod { receiver, method } => {
            ends_builder(matcher, receiver.as_str(), method.as_str())
                || is(Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] })
                || receiver.as_str().starts_with("crate::") && verb(method.as_str())
                || !receiver.as_str().starts_with("std::") && undoes(method.as_str())
        }
        Callee::UnknownMethod(method) => {
            is(Call::Unknown { method: method.as_str(), fields: &[] })
                || matcher.by_fields(method.as_str())
                || verb(method.as_str())
        }
        Callee::Functions(ids) => ids.iter().any(|&id| {
            let path = program.function(id).path.as_str();
            // Of another package it may be the crate that the catalog knows.
            is(Call::Workspace(path)) || program.function(id).package != package && is(Call::External(path))
        }),
        _ => false,
    }
}

/// Whether a method sends what another function of the crate's builder chain has started.
fn ends_builder(matcher: &Matcher<'_>, receiver: &str, method: &str) -> bool {
    let root = |path: &str| path.split("::").next().map(str::to_owned);
    matcher
        .catalog()
        .dispatches
        .iter()
        .any(|row| row.sends.iter().any(|name| name == method) && root(&row.call.0) == root(receiver))
}

/// Whether a function speaks of a key header by the constant that holds its name.
fn names_header(program: &Program, catalog: &Catalog, function: &FunctionInfo) -> bool {
    let is_header = |id: &ConstId| {
        let Some(body) = &program.consts[id.0 as usize].ir.body else {
            return false;
        };
        let headers = &catalog.words.key_headers;
        matches!(&body.expr(body.root).kind, ExprKind::Literal(Literal::Str(text))
            if headers.iter().any(|known| known.eq_ignore_ascii_case(text)))
    };
    function.types.paths.iter().any(|(_, def)| matches!(def, ValueDef::Consts(ids) if ids.iter().any(is_header)))
}

fn mentions_key(catalog: &Catalog, body: &Body) -> bool {
    let words = &catalog.words;
    let header = |text: &str| words.key_headers.iter().any(|known| known.eq_ignore_ascii_case(text));
    let name = |text: &str| words.key_names.iter().any(|known| known == text);
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Literal(Literal::Str(text)) => {
            header(text) || words.key_names.iter().any(|name| text.contains(name.as_str()))
        }
        ExprKind::MethodCall(call) => name(call.name.as_str()),
        ExprKind::Struct(literal) => literal.fields.iter().any(|(field, _)| name(field.as_str())),
        ExprKind::Field { name: field, .. } => name(field.as_str()),
        ExprKind::Map(entries) => entries.iter().any(|(key, _)| matches!(key, MapKey::Text(text) if name(text))),
        ExprKind::Path(path) => path.segments.last().is_some_and(|last| name(&last.name.as_str().to_ascii_lowercase())),
        _ => false,
    })
}
