//! Statements of stores of documents: filters and changes written out as maps.

use super::write::{Assigned, Build, Compared, Kind};
use super::{compared, model, plain};
use crate::flow::eval::Eval;
use crate::flow::events::Usage;
use crate::flow::prepared::kept;
use crate::flow::walk::{self, original};
use crate::flow::words::snake;
use crate::ir::{Body, ExprId, ExprKind, Literal, MapKey, MethodCall};
use crate::resolve::Ty;

/// The statement that a method of a collection is.
pub(super) fn statement(eval: &Eval<'_, '_>, call: &MethodCall) -> Option<Build> {
    let body = eval.body;
    let (kind, filter, change) = match call.name.as_str() {
        "insert_one" | "insert_many" => (Kind::Insert, None, call.args.first()),
        "update_one" | "update_many" | "replace_one" => (Kind::Update, call.args.first(), call.args.get(1)),
        "find_one" | "count_documents" => (Kind::Select, call.args.first(), None),
        "delete_one" | "delete_many" => (Kind::Delete, call.args.first(), None),
        _ => return None,
    };
    let mut build = Build { kind, table: Some(collection(eval, call.receiver)?), ..Build::default() };
    build.many = call.name.as_str() == "insert_many";
    build.count = call.name.as_str() == "count_documents";
    for (name, value) in filter.iter().flat_map(|&&filter| entries(body, filter)) {
        match (name, &body.expr(value).kind) {
            ("$or", ExprKind::Array(any)) => {
                let columns = any.iter().flat_map(|&one| entries(body, one)).map(|(column, _)| column.to_owned());
                build.either.extend(columns);
            }
            ("$and", ExprKind::Array(all)) => {
                let all = all.iter().flat_map(|&one| entries(body, one));
                build.conditions.extend(all.map(|(column, value)| condition(body, column, value)));
            }
            _ => build.conditions.push(condition(body, name, value)),
        }
    }
    for (name, value) in change.iter().flat_map(|&&change| entries(body, change)) {
        match name {
            "$set" => {
                // Asked for by nothing but its own id, whatever was read of it may be of before.
                let plainly = build.conditions.len() == 1 && build.either.is_empty();
                let table = build.table.clone();
                let is_read = |id: ExprId| is_read(eval, id, table.as_deref());
                let fields = entries(body, value).into_iter().map(|(name, value)| {
                    let by = if plainly { model::by_difference(body, name, value, &is_read) } else { None };
                    (name.to_owned(), by.map_or_else(|| plain(body, value), Assigned::Delta))
                });
                build.set.extend(fields);
            }
            // An element that joins a list is set like any other value.
            "$push" | "$addToSet" | "$setOnInsert" => build.set.extend(fields(body, value, plain)),
            "$inc" => build.set.extend(fields(body, value, |_, by| Assigned::Delta(by))),
            name if name.starts_with('$') => {}
            name => build.set.push((name.to_owned(), plain(body, value))),
        }
    }
    // What is only set where nothing is found is put there, under what it is asked for by.
    let changes = change.map(|&change| entries(body, change)).unwrap_or_default();
    if !changes.is_empty() && changes.iter().all(|(name, _)| *name == "$setOnInsert") {
        let asked = std::mem::take(&mut build.conditions).into_iter().filter_map(|(column, compared)| match compared {
            Compared::Equal(value) => Some((column, Assigned::Value(value))),
            Compared::Text(text) => Some((column, Assigned::Text(text))),
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        build.conflict_target = asked.iter().map(|(column, _)| column.clone()).collect();
        build.set.splice(0..0, asked);
        build.kind = Kind::Insert;
        build.conflict_nothing = true;
        return Some(build);
    }
    // Written back as a whole, under nothing but its own id.
    let compared = build.conditions.len() + build.either.len();
    if let (Kind::Update, true, 1) = (kind, build.set.is_empty(), compared) {
        if let Some(ExprKind::Local(local)) = change.map(|&change| &body.expr(change).kind) {
            let table = build.table.clone();
            model::changes(body, *local, &mut build, |id| is_read(eval, id, table.as_deref()));
        }
    }
    if let (Kind::Insert, true) = (kind, build.set.is_empty()) {
        build.model = call.args.first().copied();
    }
    Some(build)
}

/// What becomes of the answer to a request on which options are set before somebody waits for it:
/// `update_one(..).upsert(true).await`.
pub(super) fn usage_of_request(eval: &Eval<'_, '_>, start: ExprId) -> Option<Usage> {
    let is_closure = |arg: &ExprId| matches!(eval.body.expr(*arg).kind, ExprKind::Closure(_));
    let mut at = start;
    for _ in 0..super::MAX_CHAIN {
        let parent = walk::parent(&eval.parents, at)?;
        at = match &eval.body.expr(parent).kind {
            ExprKind::MethodCall(call) if call.receiver == at && !call.args.iter().any(is_closure) => parent,
            ExprKind::Await(_) => return (at != start).then(|| eval.usage(at)),
            _ => return None,
        };
    }
    None
}

/// Whether an expression reads a document of a collection.
fn is_read(eval: &Eval<'_, '_>, id: ExprId, table: Option<&str>) -> bool {
    match &eval.body.expr(id).kind {
        ExprKind::MethodCall(call) if call.name.as_str() == "find_one" => {
            collection(eval, call.receiver).as_deref() == table
        }
        _ => false,
    }
}

/// `orders` of `db.collection::<Order>("orders")` or of a helper that is handed the name, here or where a type is made that keeps
/// the collection; or else how it is called where it is kept. In a trait by which collections are given further methods, it is
/// what is in them, or what the trait is for.
fn collection(eval: &Eval<'_, '_>, mut at: ExprId) -> Option<String> {
    let body = eval.body;
    for _ in 0..super::MAX_DEPTH {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) if call.args.len() == 1 || call.name.as_str().contains("collection") => {
                return eval.quiet_text(*call.args.first()?).map(str::to_owned);
            }
            ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
            ExprKind::Field { name, .. } => {
                let named = kept::written(eval, at, &|call| call.name.as_str().contains("collection"));
                return Some(named.into_iter().next().map_or_else(|| name.to_string(), |name| name.to_string()));
            }
            ExprKind::Local(local) => match body.bound(*local) {
                Some(value) => value,
                None => {
                    let name = body.locals[local.0 as usize].name;
                    return if name == "self" { extended(eval, at) } else { Some(name.to_string()) };
                }
            },
            _ => return None,
        };
    }
    None
}

/// What is in the collections to which a trait of the workspace gives methods, or what the trait is called.
fn extended(eval: &Eval<'_, '_>, own: ExprId) -> Option<String> {
    let Ty::External(_, of) = eval.ty(own) else {
        return None;
    };
    let program = eval.engine.program;
    let path = match of.first() {
        Some(Ty::Adt(id, _)) => program.type_(*id).path,
        _ => program.function(eval.function?).trait_path?,
    };
    path.as_str().rsplit("::").next().map(snake)
}

/// The entries of a map that is written out, here or where a local is declared; each round of a loop may take a copy.
fn entries(body: &Body, id: ExprId) -> Vec<(&str, ExprId)> {
    match &body.expr(original(body, id)).kind {
        ExprKind::Map(entries) => {
            let named = entries.iter().filter_map(|(key, value)| match key {
                MapKey::Text(name) => Some((&**name, *value)),
                MapKey::Value(key) => Some((key_text(body, *key)?, *value)),
            });
            named.collect()
        }
        _ => Vec::new(),
    }
}

/// What the name of a field begins with that is put together: `tally` of `format!("tally.{option}")`.
fn key_text(body: &Body, key: ExprId) -> Option<&str> {
    let key = match body.expr(key).kind {
        ExprKind::Local(local) => body.bound(local)?,
        _ => key,
    };
    let text = match &body.expr(key).kind {
        ExprKind::Literal(Literal::Str(text)) => text,
        ExprKind::Format(format) => format.template.as_ref()?.split('{').next()?.trim_end_matches('.'),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn fields(body: &Body, id: ExprId, of: impl Fn(&Body, ExprId) -> Assigned) -> Vec<(String, Assigned)> {
    entries(body, id).into_iter().map(|(name, value)| (name.to_owned(), of(body, value))).collect()
}

fn condition(body: &Body, name: &str, value: ExprId) -> (String, Compared) {
    let compared = match entries(body, value).first() {
        Some((op, against)) if op.starts_with('$') => match *op {
            "$lt" | "$lte" => Compared::Other("<", *against),
            "$gt" | "$gte" => Compared::Other(">", *against),
            "$ne" | "$nin" => Compared::Other("<>", *against),
            "$eq" => compared(body, *against),
            "$exists" => match body.expr(*against).kind {
                ExprKind::Literal(Literal::Bool(true)) => Compared::Other("<>", *against),
                _ => Compared::Null,
            },
            _ => Compared::Equal(*against),
        },
        _ => compared(body, value),
    };
    (name.to_owned(), compared)
}
