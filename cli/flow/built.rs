//! Statements that a query builder puts together, as the SQL that they stand for.
//!
//! `diesel::update(jobs::table.filter(jobs::id.eq(id))).set(jobs::owner.eq(me)).execute(db)` is read from the call that
//! runs it backwards, in the body as it is written. What comes out is a text with placeholders and what is bound to them,
//! so that everything that reads SQL reads builders too. Nothing of it is run or shown.

mod conflict;
mod document;
mod held;
mod item;
mod model;
mod order;
#[cfg(test)]
mod tests;
mod write;

use super::call::Site;
use super::eval::Eval;
use super::events::Usage;
use super::value::Value;
use super::walk::original;
use super::words::normal;
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, LocalId, MethodCall, Name, PathIr};
use crate::resolve::Ty;
use held::columns_of;
pub(crate) use item::is_told_by;
pub(crate) use write::Written;
use write::{Assigned, Bound, Build, Compared, Kind};

/// Calls of one chain that are read.
const MAX_CHAIN: usize = 64;
/// Parts inside parts of a condition or change that are read.
const MAX_DEPTH: usize = 8;
/// Columns of one statement.
const MAX_COLUMNS: usize = 48;

/// A call of a chain: its name and its arguments.
type Step<'b> = (Name, &'b [ExprId]);

/// What becomes of the answer to a request that is put together by several calls, the first of which says what is done.
pub(crate) fn usage_of_request(eval: &Eval<'_, '_>, start: ExprId) -> Option<Usage> {
    item::usage_of_request(eval, start).or_else(|| document::usage_of_request(eval, start))
}

/// The statement that a call runs, if it is the end of a builder's chain: its text, and what is bound, in order.
pub(crate) fn statement(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Written> {
    let ExprKind::MethodCall(call) = &eval.body.expr(site.id).kind else {
        return None;
    };
    if let Some(mut build) = document::statement(eval, call) {
        if let Some(columns) = build.model.and_then(|row| columns_of(eval, row, build.kind)) {
            build.model = None;
            build.set = columns;
        }
        return text(eval, &build, site.id);
    }
    if let Some(build) = item::statement(eval, site.id) {
        return text(eval, &build, site.id);
    }
    if let Some(build) = stored_row(eval, call) {
        return text(eval, &build, site.id);
    }
    let steps: Vec<Step<'_>> = vec![(call.name, &call.args)];
    let mut build = chain(eval, call.receiver, steps)?;
    // A row that is put together elsewhere.
    if let (Kind::Insert, Some(columns)) = (build.kind, build.model.and_then(|row| columns_of(eval, row, build.kind))) {
        build.model = None;
        build.set = columns;
    }
    text(eval, &build, site.id)
}

/// The statement that a chain puts together, and the calls that are known to follow on it.
fn chain<'b>(eval: &Eval<'_, 'b>, end: ExprId, mut steps: Vec<Step<'b>>) -> Option<Build> {
    let mut build = Build::default();
    let root = unroll(eval.body, end, &mut steps)?;
    start(eval, root, &mut steps, &mut build)?;
    for (name, args) in steps.iter().rev() {
        apply(eval, name.as_str(), args, &mut build);
    }
    Some(build)
}

/// A row that was read, is changed in its fields and stores itself: `row.points = Set(points); row.update(db)`; or is taken
/// away: `row.delete(db)`.
fn stored_row(eval: &Eval<'_, '_>, call: &MethodCall) -> Option<Build> {
    let (&[_], "update" | "save" | "delete") = (&call.args[..], call.name.as_str()) else {
        return None;
    };
    let row = match eval.body.expr(call.receiver).kind {
        ExprKind::Local(row) => Some(row),
        _ => None,
    };
    let read = row.and_then(|row| read_here(eval, row)).or_else(|| typed_row(eval, call.receiver))?;
    let mut build = Build { kind: Kind::Update, table: read.table, conditions: read.conditions, ..Build::default() };
    if call.name.as_str() == "delete" {
        return Some(Build { kind: Kind::Delete, ..build });
    }
    let table = build.table.clone()?;
    // What a helper has read is a row all the same.
    model::changes(eval.body, row?, &mut build, |id| read.model.is_some() || is_read(eval.body, id, &table));
    Some(build).filter(|build| read.model.is_none() || !build.set.is_empty())
}

/// The statement that has read a row which a local holds, in the same body.
fn read_here(eval: &Eval<'_, '_>, row: LocalId) -> Option<Build> {
    let body = eval.body;
    let mut read = None;
    let mut at = model::given(body, row)?;
    for _ in 0..MAX_DEPTH {
        let mut steps = Vec::new();
        let root = unroll(body, at, &mut steps)?;
        at = match &body.expr(root).kind {
            ExprKind::Local(other) => model::given(body, *other)?,
            // `ActiveModel::from(row)`
            ExprKind::Call { args, .. } if args.len() == 1 && !steps.iter().any(is_read_by) => args[0],
            _ => {
                read = steps.iter().any(is_read_by).then_some(at);
                break;
            }
        };
    }
    chain(eval, read?, Vec::new()).filter(|read| read.kind == Kind::Select)
}

/// A row that a helper has read, by its type alone: `let mut row: job::ActiveModel = self.row(id).await?.into()`.
fn typed_row(eval: &Eval<'_, '_>, row: ExprId) -> Option<Build> {
    let names = &eval.engine.catalog.words.model_names;
    let is_row = |name: &str| name == "Model" || names.iter().any(|known| known == name);
    let written = match eval.body.expr(row).kind {
        ExprKind::Local(local) => model::written_type(eval.body, local).and_then(|path| match tail(path) {
            Some((last, Some(module))) if is_row(last) => Some(module.to_owned()),
            _ => None,
        }),
        _ => None,
    };
    let table = written.or_else(|| match eval.ty(row) {
        Ty::Adt(id, _) => {
            let mut path = eval.engine.program.type_(*id).path.as_str().rsplit("::");
            (path.next() == Some("Model")).then(|| path.next()).flatten().map(str::to_owned)
        }
        _ => None,
    })?;
    let conditions = vec![("id".to_owned(), Compared::Equal(row))];
    Some(Build { kind: Kind::Select, table: Some(table), conditions, model: Some(row), ..Build::default() })
}

fn is_read_by((name, _): &Step<'_>) -> bool {
    matches!(name.as_str(), "one" | "first" | "get_result" | "all")
}

/// Whether an expression is where a chain begins that reads a table: a function of its entity, the table itself.
fn is_read(body: &Body, id: ExprId, table: &str) -> bool {
    match &body.expr(id).kind {
        ExprKind::Call { callee, .. } => match &body.expr(*callee).kind {
            ExprKind::Path(path) => {
                let finds = tail(path).filter(|(last, _)| matches!(*last, "find" | "find_by_id"));
                let owner = finds.and_then(|(_, owner)| owner);
                owner.is_some_and(|owner| normal(owner) == table || module(path).as_deref() == Some(table))
            }
            _ => false,
        },
        ExprKind::Path(path) => table_name(path).as_deref() == Some(table),
        _ => false,
    }
}

fn text(eval: &Eval<'_, '_>, build: &Build, whole: ExprId) -> Option<Written> {
    let bound = |bound: Bound<'_>| match bound {
        Bound::Expr(id) => (value_of(eval, id, 0), eval.span_of(id)),
        Bound::Held(value) => (value.clone(), eval.span_of(whole)),
    };
    let (binds, places) = build.binds().into_iter().map(bound).unzip();
    Some(Written { text: Name::new(&build.text()?), binds, places })
}

/// What is bound: a value that was seen, or what it is made of.
fn value_of(eval: &Eval<'_, '_>, id: ExprId, depth: usize) -> Value {
    let value = eval.quiet(id);
    if !value.is_bottom() || depth > MAX_DEPTH {
        return value;
    }
    match &eval.body.expr(id).kind {
        ExprKind::Literal(Literal::Int(number)) => eval.constant(Some(&number.to_string())),
        ExprKind::Literal(_) => eval.constant(None),
        _ => {
            let parts = super::walk::children(eval.body, id);
            Value::concat(&parts.into_iter().map(|part| value_of(eval, part, depth + 1)).collect::<Vec<_>>())
        }
    }
}

/// The start of a chain; the calls on it are put behind those that are known, last first.
fn unroll<'b>(body: &'b Body, mut at: ExprId, steps: &mut Vec<Step<'b>>) -> Option<ExprId> {
    for _ in 0..MAX_CHAIN {
        at = match &body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                steps.push((call.name, &call.args));
                call.receiver
            }
            ExprKind::Await(inner) | ExprKind::Try(inner) => *inner,
            ExprKind::Local(local) => match body.bound(*local) {
                Some(value) => value,
                None => return Some(at),
            },
            _ => return Some(at),
        };
    }
    None
}

/// What the start of a chain says: what is done, and to which table.
fn start<'b>(eval: &Eval<'_, 'b>, root: ExprId, steps: &mut Vec<Step<'b>>, build: &mut Build) -> Option<()> {
    let body = eval.body;
    let words = &eval.engine.catalog.words;
    match &body.expr(root).kind {
        ExprKind::Call { callee, args } => {
            let ExprKind::Path(path) = &body.expr(*callee).kind else {
                return None;
            };
            let (last, owner) = tail(path)?;
            if owner.is_some_and(|owner| words.entity_names.iter().any(|name| name == owner)) {
                build.table = module(path).or_else(|| model::imported(eval, root));
                return entity(body, last, args, build);
            }
            if let (true, Some(owner)) = (runs_entity(steps), owner.filter(|_| is_of_entity(path))) {
                build.table = Some(normal(owner));
                return entity(body, last, args, build);
            }
            // `diesel::select(exists(table.filter(..)))` reads the table inside.
            if let ("select", &[what]) = (last, &args[..]) {
                selected(body, what, build);
                build.kind = Kind::Select;
                return build.table.is_some().then_some(());
            }
            build.kind = match last {
                "insert_into" | "replace_into" | "insert_or_ignore_into" => Kind::Insert,
                "update" => Kind::Update,
                "delete" => Kind::Delete,
                _ => return None,
            };
            build.conflict_nothing |= last == "insert_or_ignore_into";
            build.conflict_update |= last == "replace_into";
            // The target is a table, or one with filters on it.
            let mut target = Vec::new();
            let table = unroll(body, *args.first()?, &mut target)?;
            steps.extend(target);
            let ExprKind::Path(path) = &body.expr(table).kind else {
                return None;
            };
            build.table = Some(table_name(path)?);
            Some(())
        }
        // A row that stores itself.
        ExprKind::Struct(literal) => {
            let (last, owner) = tail(&literal.path)?;
            if !words.model_names.iter().any(|name| name == last) {
                return None;
            }
            build.table = owner.map(str::to_owned);
            build.kind = match steps.first()?.0.as_str() {
                "insert" | "save" => Kind::Insert,
                "update" => Kind::Update,
                "delete" => Kind::Delete,
                _ => return None,
            };
            let fields = literal.fields.iter().take(MAX_COLUMNS);
            let table = build.table.clone().filter(|_| build.kind == Kind::Update);
            // A row that is there is found by its id.
            let found_by = |name: &Name| table.is_some() && name.as_str() == "id";
            let by_id = literal.fields.iter().filter(|(name, _)| found_by(name));
            build.conditions.extend(by_id.map(|&(_, id)| ("id".to_owned(), Compared::Equal(inside(body, id)))));
            build.set.extend(fields.filter(|(name, _)| !found_by(name)).map(|&(name, value)| {
                let by = table.as_deref().and_then(|table| difference(body, name.as_str(), value, table));
                (name.to_string(), by.unwrap_or_else(|| plain(body, value)))
            }));
            Some(())
        }
        ExprKind::Path(path) => {
            build.table = Some(table_name(path)?);
            build.kind = Kind::Select;
            // A constant with methods is a table only where it is asked like one.
            let asks =
                |(name, _): &Step<'_>| matches!(name.as_str(), "filter" | "find" | "select" | "inner_join" | "order");
            steps.iter().any(asks).then_some(())
        }
        _ => None,
    }
}

/// Whether the call that runs a chain is one of those that entities have.
fn runs_entity(steps: &[Step<'_>]) -> bool {
    steps.first().is_some_and(|(name, _)| matches!(name.as_str(), "one" | "all" | "count" | "exec" | "stream"))
}

fn is_type(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_uppercase())
}

/// Whether a path is a function that only entities have, by whatever name an entity goes: `NamedLocks::delete_by_id`.
pub(super) fn is_of_entity(path: &PathIr) -> bool {
    tail(path).is_some_and(|(last, owner)| {
        matches!(last, "find_by_id" | "update_many" | "delete_many" | "delete_by_id" | "find")
            && owner.is_some_and(is_type)
    })
}

/// The functions of an entity.
fn entity(body: &Body, name: &str, args: &[ExprId], build: &mut Build) -> Option<()> {
    let by_id = name.ends_with("_by_id");
    build.kind = match name {
        "find" | "find_by_id" => Kind::Select,
        "update_many" | "update" => Kind::Update,
        "delete_many" | "delete" | "delete_by_id" => Kind::Delete,
        "insert" | "insert_many" => Kind::Insert,
        _ => return None,
    };
    build.many |= name == "insert_many";
    if let (true, Some(&id)) = (by_id, args.first()) {
        build.conditions.push(("id".to_owned(), Compared::Equal(id)));
    }
    let inserts = build.kind == Kind::Insert;
    if let Some(row) = args.first().filter(|_| inserts).and_then(|&rows| model::like_each(body, rows)) {
        changes(body, row, build, 0);
    }
    let unknown = (inserts && build.set.is_empty()) || name == "update";
    build.model = args.first().copied().filter(|_| unknown);
    Some(())
}

/// One call of the chain, first to last.
fn apply(eval: &Eval<'_, '_>, name: &str, args: &[ExprId], build: &mut Build) {
    let body = eval.body;
    match (name, args) {
        ("filter" | "or_filter", &[condition]) => conditions(body, condition, build, 0),
        ("find", &[id]) => build.conditions.push(("id".to_owned(), Compared::Equal(id))),
        ("set", &[change]) if build.conflict_update => conflict::changes(body, change, build),
        ("set" | "values", &[change]) => {
            let known = build.set.len();
            changes(body, change, build, 0);
            // Asked for by nothing but its own id, whatever was read of it may be of before.
            if let (Kind::Update, [_], true, Some(table)) =
                (build.kind, &build.conditions[..], build.either.is_empty(), &build.table)
            {
                for (column, assigned) in &mut build.set {
                    if let Assigned::Value(value) = assigned {
                        *assigned = difference(body, column, *value, table).unwrap_or(Assigned::Value(*value));
                    }
                }
            }
            if build.set.len() == known {
                build.set.extend(columns_of(eval, change, build.kind).unwrap_or_default());
            }
        }
        ("col_expr", &[column, value]) => {
            if let Some(column) = column_of(body, column) {
                build.set.push((column.clone(), assigned(body, &column, value)));
            }
        }
        ("on_conflict", &[target]) => conflict::about(body, target, build),
        ("on_conflict_do_nothing" | "do_nothing", &[]) => build.conflict_nothing = true,
        ("do_update", &[]) => build.conflict_update = true,
        ("for_update" | "lock_exclusive", &[]) => build.for_update = true,
        ("skip_locked", &[]) => build.skip_locked = true,
        ("limit", _) => build.limit = true,
        ("order" | "order_by" | "order_by_asc" | "order_by_desc", &[by] | &[by, _]) => {
            build.ordered_by = build.ordered_by.take().or_else(|| order::first(body, by));
        }
        ("count", &[] | &[_]) => build.count = true,
        ("select" | "returning", &[what]) => selected(body, what, build),
        _ => {}
    }
}

/// Columns that are asked for, or whether any row is there.
fn selected(body: &Body, what: ExprId, build: &mut Build) {
    match &body.expr(what).kind {
        ExprKind::Tuple(columns) => build.columns.extend(columns.iter().filter_map(|&column| column_of(body, column))),
        ExprKind::Call { callee, args } => {
            let ExprKind::Path(path) = &body.expr(*callee).kind else {
                return;
            };
            if tail(path).is_some_and(|(last, _)| matches!(last, "exists" | "count_star" | "count")) {
                build.count = true;
                // `select(exists(table.filter(..)))`
                let mut steps = Vec::new();
                if let Some(root) = args.first().and_then(|&arg| unroll(body, arg, &mut steps)) {
                    if let (None, ExprKind::Path(path)) = (&build.table, &body.expr(root).kind) {
                        build.table = table_name(path);
                    }
                    for (name, args) in steps {
                        match (name.as_str(), args) {
                            ("filter", &[condition]) => conditions(body, condition, build, 0),
                            ("find", &[id]) => build.conditions.push(("id".to_owned(), Compared::Equal(id))),
                            _ => {}
                        }
                    }
                }
            }
        }
        _ => build.columns.extend(column_of(body, what)),
    }
}

/// Conditions: comparisons, and those joined by `and`.
fn conditions(body: &Body, id: ExprId, build: &mut Build, depth: usize) {
    if depth > MAX_DEPTH || build.conditions.len() >= MAX_COLUMNS {
        return;
    }
    let ExprKind::MethodCall(call) = &body.expr(original(body, id)).kind else {
        return;
    };
    if let ("or", &[other]) = (call.name.as_str(), &call.args[..]) {
        // Of alternatives only the columns are kept.
        let mut alternatives = Build::default();
        conditions(body, call.receiver, &mut alternatives, depth + 1);
        conditions(body, other, &mut alternatives, depth + 1);
        build.either.extend(alternatives.conditions.into_iter().map(|(column, _)| column).chain(alternatives.either));
        return;
    }
    if let ("and" | "add", &[other]) = (call.name.as_str(), &call.args[..]) {
        conditions(body, call.receiver, build, depth + 1);
        return conditions(body, other, build, depth + 1);
    }
    let Some(column) = column_of(body, call.receiver) else {
        return;
    };
    let compared = match (call.name.as_str(), &call.args[..]) {
        ("eq" | "is_not_distinct_from", &[value]) => compared(body, value),
        ("eq_any" | "is_in", &[value]) => Compared::Equal(value),
        ("ne" | "is_distinct_from" | "ne_all" | "is_not_in", &[value]) => Compared::Other("<>", value),
        ("lt" | "le" | "lte", &[value]) => Compared::Other("<", value),
        ("gt" | "ge" | "gte", &[value]) => Compared::Other(">", value),
        ("is_null", &[]) => Compared::Null,
        ("between", &[low, high]) => {
            build.conditions.push((column.clone(), Compared::Other(">=", low)));
            Compared::Other("<=", high)
        }
        _ => return,
    };
    build.conditions.push((column, compared));
}

/// What a column is to be equal to; another column is a value that nobody knows.
fn compared(body: &Body, value: ExprId) -> Compared {
    match (plain(body, value), &body.expr(value).kind) {
        (Assigned::Text(text), ExprKind::Literal(_) | ExprKind::MethodCall(_)) => Compared::Text(text),
        (Assigned::Text(text), ExprKind::Path(path)) if tail(path).and_then(|(_, of)| of) != Some("Column") => {
            Compared::Text(text)
        }
        _ => Compared::Equal(value),
    }
}

/// Changes: `column.eq(value)`, tuples of them, or a row written out.
fn changes(body: &Body, id: ExprId, build: &mut Build, depth: usize) {
    if depth > MAX_DEPTH || build.set.len() >= MAX_COLUMNS {
        return;
    }
    let id = original(body, id);
    match &body.expr(id).kind {
        ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
            parts.iter().for_each(|&part| changes(body, part, build, depth + 1));
        }
        ExprKind::MethodCall(call) => {
            if let ("eq", &[value], Some(column)) = (call.name.as_str(), &call.args[..], column_of(body, call.receiver))
            {
                build.set.push((column.clone(), assigned(body, &column, value)));
            } else if let ("build", &[]) = (call.name.as_str(), &call.args[..]) {
                set_one_by_one(body, call.receiver, build);
            } else if let Some(row) = model::like_each(body, id) {
                build.many = true;
                changes(body, row, build, depth + 1);
            }
        }
        ExprKind::Struct(literal) => {
            let fields = literal.fields.iter().map(|&(name, value)| (name.to_string(), plain(body, value)));
            build.set.extend(fields.take(MAX_COLUMNS));
        }
        _ => {}
    }
}

/// The columns of a row whose builder is given them one by one: `NewJob::builder().kind(kind).build()`.
fn set_one_by_one(body: &Body, chain: ExprId, build: &mut Build) {
    let mut steps = Vec::new();
    let root = unroll(body, chain, &mut steps).map(|root| &body.expr(root).kind);
    let Some(ExprKind::Call { callee, .. }) = root else {
        return;
    };
    let starts = |path: &PathIr| matches!(tail(path), Some(("builder", Some(owner))) if is_type(owner));
    if matches!(&body.expr(*callee).kind, ExprKind::Path(path) if starts(path)) {
        let given = steps.iter().rev().filter_map(|(name, args)| match args {
            [value] => Some((name.to_string(), plain(body, *value))),
            _ => None,
        });
        build.set.extend(given.take(MAX_COLUMNS));
    }
}

/// What a column is set to.
fn assigned(body: &Body, column: &str, value: ExprId) -> Assigned {
    let own = |id: ExprId| column_in(body, id, 0).is_some_and(|name| name == column);
    match &body.expr(original(body, value)).kind {
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } if own(*left) || own(*right) => {
            Assigned::Delta(if own(*left) { *right } else { *left })
        }
        ExprKind::MethodCall(call) if matches!(call.name.as_str(), "add" | "sub") && own(call.receiver) => {
            call.args.first().map_or(Assigned::Value(value), |&by| Assigned::Delta(by))
        }
        _ => plain(body, value),
    }
}

/// By how much a value differs from what was read in the same column before.
fn difference(body: &Body, column: &str, value: ExprId, table: &str) -> Option<Assigned> {
    model::by_difference(body, column, value, &|id| is_read(body, id, table)).map(Assigned::Delta)
}

/// A value as it is stored: a fixed text, a variant by its name, or what is bound.
fn plain(body: &Body, value: ExprId) -> Assigned {
    let value = inside(body, value);
    match &body.expr(value).kind {
        ExprKind::Literal(Literal::Str(text)) => Assigned::Text(text.to_string()),
        ExprKind::Path(path) => match tail(path) {
            Some((variant, Some(owner))) if is_type(variant) && is_type(owner) => Assigned::Text(normal(variant)),
            _ => Assigned::Value(value),
        },
        _ => Assigned::Value(value),
    }
}

/// The value in `Set(value)`, `Some(value)`, `Expr::value(value)`.
fn inside(body: &Body, id: ExprId) -> ExprId {
    match &body.expr(id).kind {
        ExprKind::Call { callee, args } => match (&body.expr(*callee).kind, &args[..]) {
            (ExprKind::Path(path), &[value]) => match tail(path) {
                Some(("Set" | "Some" | "Unchanged" | "value" | "val", _)) => inside(body, value),
                _ => id,
            },
            _ => id,
        },
        // `"open".to_owned()`
        ExprKind::MethodCall(call) if matches!(call.name.as_str(), "to_owned" | "to_string" | "into" | "clone") => {
            inside(body, call.receiver)
        }
        _ => id,
    }
}

/// The column that an expression is, or is wrapped around.
fn column_in(body: &Body, id: ExprId, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &body.expr(id).kind {
        ExprKind::Call { args, .. } => column_in(body, *args.first()?, depth + 1),
        _ => column_of(body, id),
    }
}

/// The column that a path names: `jobs::owner`, `owner`, `job::Column::Owner`.
fn column_of(body: &Body, id: ExprId) -> Option<String> {
    let ExprKind::Path(path) = &body.expr(id).kind else {
        return None;
    };
    let (last, _) = tail(path)?;
    Some(normal(last))
}

/// `jobs` of `schema::jobs::table` and of `schema::jobs::dsl::jobs`.
fn table_name(path: &PathIr) -> Option<String> {
    match tail(path)? {
        ("table", owner) => owner.map(str::to_owned),
        (last, _) if last.starts_with(|char: char| char.is_ascii_lowercase()) => Some(last.to_owned()),
        _ => None,
    }
}

/// The last two segments of a path.
fn tail(path: &PathIr) -> Option<(&str, Option<&str>)> {
    let mut segments = path.segments.iter().rev().map(|segment| segment.name.as_str());
    Some((segments.next()?, segments.next()))
}

/// `seen_event` of `entity::seen_event::Entity::find`.
fn module(path: &PathIr) -> Option<String> {
    path.segments.iter().rev().nth(2).map(|segment| segment.name.to_string())
}
