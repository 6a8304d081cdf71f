//! What is unique in tables that are made by a builder in Rust:
//! `Table::create().table(Jobs::Table).col(ColumnDef::new(Jobs::Key).string().unique_key())`.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::state_word as snake;
use crate::ir::{Body, ExprId, ExprKind, Literal, MethodCall};

/// Calls of one chain that are looked at.
const MAX_CHAIN: usize = 512;

/// Sets of columns that are unique, by the name of their table.
pub(super) type Unique = BTreeMap<String, Vec<Vec<Box<str>>>>;

/// Adds what a function makes unique.
pub(super) fn collect(body: &Body, unique: &mut Unique) {
    if !body.exprs.iter().any(|expr| starts(body, &expr.kind, "Table") || starts(body, &expr.kind, "Index")) {
        return;
    }
    let is_called_on: BTreeSet<ExprId> = body
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::MethodCall(call) => Some(call.receiver),
            _ => None,
        })
        .collect();
    let whole = (0..body.exprs.len()).map(|at| ExprId(at as u32)).filter(|id| !is_called_on.contains(id));
    for chain in whole.map(|id| chain(body, id)) {
        let Some(table) = argument(&chain, "table").and_then(|id| name(body, id)) else {
            continue;
        };
        let sets = match chain.last().map(|(root, _)| &body.expr(*root).kind) {
            Some(root) if starts(body, root, "Table") => of_table(body, &chain),
            Some(root) if starts(body, root, "Index") => of_index(body, &chain).into_iter().collect(),
            _ => continue,
        };
        unique.entry(table).or_default().extend(sets);
    }
}

/// The calls of a chain, last first, and what it starts with.
type Chain<'b> = Vec<(ExprId, Option<&'b MethodCall>)>;

fn chain(body: &Body, last: ExprId) -> Chain<'_> {
    let mut calls = Vec::new();
    let mut at = last;
    while let (ExprKind::MethodCall(call), true) = (&body.expr(at).kind, calls.len() < MAX_CHAIN) {
        calls.push((at, Some(&**call)));
        at = call.receiver;
    }
    calls.push((at, None));
    calls
}

/// Whether an expression is `Table::create()`, of this kind of builder.
fn starts(body: &Body, kind: &ExprKind, of: &str) -> bool {
    let ExprKind::Call { callee, .. } = kind else {
        return false;
    };
    let ExprKind::Path(path) = &body.expr(*callee).kind else {
        return false;
    };
    let mut names = path.segments.iter().rev().map(|segment| segment.name.as_str());
    names.next() == Some("create") && names.next() == Some(of)
}

fn of_table(body: &Body, calls: &Chain<'_>) -> Vec<Vec<Box<str>>> {
    let given = calls.iter().filter_map(|(_, call)| *call).filter_map(|call| Some((call.name, *call.args.first()?)));
    given
        .filter_map(|(method, given)| match method.as_str() {
            "col" => unique_column(body, given).map(|column| vec![column]),
            "primary_key" => Some(columns(body, &chain(body, given))),
            "index" => of_index(body, &chain(body, given)),
            _ => None,
        })
        .collect()
}

fn of_index(body: &Body, calls: &Chain<'_>) -> Option<Vec<Box<str>>> {
    calls.iter().any(|(_, call)| call.is_some_and(|call| call.name.as_str() == "unique")).then(|| columns(body, calls))
}

fn columns(body: &Body, calls: &Chain<'_>) -> Vec<Box<str>> {
    let of = calls.iter().filter_map(|(_, call)| call.filter(|call| call.name.as_str() == "col"));
    of.filter_map(|call| name(body, *call.args.first()?)).map(String::into_boxed_str).collect()
}

/// The column of `ColumnDef::new(Jobs::Key).string().unique_key()`, and of `string_uniq(Jobs::Key)`.
fn unique_column(body: &Body, given: ExprId) -> Option<Box<str>> {
    let calls = chain(body, given);
    let (root, _) = calls.last()?;
    let ExprKind::Call { callee, args } = &body.expr(*root).kind else {
        return None;
    };
    let by_name = matches!(&body.expr(*callee).kind, ExprKind::Path(path)
        if path.segments.last().is_some_and(|last| last.name.as_str().ends_with("_uniq")));
    let said = |(_, call): &(ExprId, Option<&MethodCall>)| {
        call.is_some_and(|call| matches!(call.name.as_str(), "unique_key" | "primary_key"))
    };
    (by_name || calls.iter().any(said)).then(|| name(body, *args.first()?)).flatten().map(String::into_boxed_str)
}

/// The first argument of a call of the chain.
fn argument(calls: &Chain<'_>, method: &str) -> Option<ExprId> {
    let call = calls.iter().filter_map(|(_, call)| *call).find(|call| call.name.as_str() == method)?;
    call.args.first().copied()
}

/// What a path or text names: `jobs` for `Jobs::Table`, `key` for `Jobs::Key`, `key` for `Alias::new("key")`.
fn name(body: &Body, id: ExprId) -> Option<String> {
    match &body.expr(id).kind {
        ExprKind::Path(path) => {
            let mut names = path.segments.iter().rev().map(|segment| segment.name.as_str());
            match (names.next()?, names.next()) {
                ("Table", of) => of.map(snake),
                (last, _) => Some(snake(last)),
            }
        }
        ExprKind::Literal(Literal::Str(text)) => Some(text.to_lowercase()),
        ExprKind::Call { args, .. } => match &body.expr(*args.first()?).kind {
            ExprKind::Literal(Literal::Str(text)) => Some(text.to_lowercase()),
            _ => None,
        },
        _ => None,
    }
}
