//! Which functions the analysis starts from: those that mention something that could be a dispatch or a key.

use crate::catalog::{Call, Catalog, Matcher};
use crate::contracts::HandlerContract;
use crate::ir::{Body, ExprKind, Literal, MapKey};
use crate::resolve::{Callee, FnId, Program};

use super::scope::has_word;

/// Functions outside test code from which something may be told, in order.
pub(crate) fn seeds(
    program: &Program,
    catalog: &Catalog,
    matcher: &Matcher<'_>,
    contracts: &[HandlerContract],
) -> Vec<FnId> {
    let mut seeds: Vec<FnId> = program
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| !function.test && !function.example)
        .filter(|(_, function)| {
            let calls = function.types.callees.iter().any(|(_, callee)| may_dispatch(program, matcher, callee));
            calls || function.ir.body.as_deref().is_some_and(|body| mentions_key(catalog, body))
        })
        .map(|(at, _)| FnId(at as u32))
        .collect();
    seeds.extend(contracts.iter().flat_map(|contract| &contract.bodies));
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

fn may_dispatch(program: &Program, matcher: &Matcher<'_>, callee: &Callee) -> bool {
    let is = |call: Call<'_>| matcher.dispatch(&call).is_some() || !matcher.carriers(&call).is_empty();
    let words = &matcher.catalog().words;
    let verb = |name: &str| words.verbs.iter().any(|verb| has_word(name, verb));
    match callee {
        Callee::External(path) => is(Call::External(path.as_str())),
        Callee::Unresolved(path) => is(Call::Workspace(path.as_str())) || is(Call::External(path.as_str())),
        Callee::ExternalMethod { receiver, method } => {
            is(Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] })
                || receiver.as_str().starts_with("crate::") && verb(method.as_str())
        }
        Callee::UnknownMethod(method) => {
            is(Call::Unknown { method: method.as_str(), fields: &[] }) || verb(method.as_str())
        }
        Callee::Functions(ids) => ids.iter().any(|&id| is(Call::Workspace(program.function(id).path.as_str()))),
        _ => false,
    }
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
