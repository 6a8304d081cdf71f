//! Statements and commands on their way to a store: a text, and what is bound to it, in order.
//!
//! A call that only prepares (`sqlx::query`, `redis::cmd`, a query macro) gives a chain that starts from the text; what is
//! bound later are its steps. Whoever runs the chain finds both. What is read through it inherits what was bound, never
//! the text.

pub(crate) mod kept;
mod named;

use std::fmt::Write as _;
use std::sync::Arc;

use super::call::Site;
use super::eval::Eval;
use super::value::{Alt, Atom, BuildStep, Builder, Kind, Shape, Trail, Value};
use crate::catalog::StoreCall;
use crate::ir::Name;
use crate::source::Span;
use crate::sql::{self, Set, Statement};

/// Depth at which a text is looked for in a chain of calls.
const MAX_SEARCH: usize = 6;
/// The steps that bind a value.
const BINDS: [&str; 4] = ["bind", "push_bind", "arg", "key"];

/// The first step of a query builder's chain: what it will do.
const START: &str = "start ";

/// Whether a row starts the chain of a query builder: it says what will be done, and nothing runs it yet.
pub(crate) fn is_start(row: &StoreCall) -> bool {
    row.sql.is_none()
        && row.executor.is_none()
        && row.body.is_none()
        && matches!(row.op.as_str(), "insert" | "update" | "delete" | "claim")
        && !row.declared
        && row.key.is_none()
}

/// What a query builder's chain does, and to which table, if the receiver is one.
pub(crate) fn started(site: &Site<'_>) -> Option<(&'static str, Option<Name>)> {
    let (_, receiver) = site.receiver.as_ref()?;
    let mut builder = receiver.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => Some(builder),
        _ => None,
    })?;
    let mut nothing = false;
    for _ in 0..MAX_SEARCH {
        nothing |= builder.steps.iter().any(|step| step.name.as_str() == "on_conflict_do_nothing");
        let first = builder.steps.iter().find_map(|step| step.name.as_str().strip_prefix(START));
        if let Some(op) = first {
            let table = builder.root.atoms().find_map(|atom| match &atom.kind {
                Kind::Constant(Some(path)) => path.as_str().strip_suffix("::table")?.rsplit("::").next().map(Name::new),
                _ => None,
            });
            return Some((if nothing { "claim" } else { op }, table));
        }
        builder = builder.root.alts.iter().find_map(|alt| match &alt.shape {
            Shape::Builder(inner) => Some(inner),
            _ => None,
        })?;
    }
    None
}

/// What a chain holds.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// the texts that it may be
    pub(crate) texts: Vec<Name>,
    /// what is bound, in order
    pub(crate) binds: Vec<Value>,
    /// where each of it is bound
    pub(crate) places: Vec<Span>,
}

/// The value of a call that prepares a statement by a row of the catalog.
pub(crate) fn prepare(eval: &Eval<'_, '_>, site: &Site<'_>, row: &StoreCall) -> Option<Value> {
    if is_start(row) {
        let table = site.args.first().cloned().unwrap_or_default();
        let first = BuildStep::plain(Name::new(&format!("{START}{}", row.op)), Vec::new(), site.span);
        return Some(chain(eval, &table, vec![first], &[]));
    }
    let number = row.sql.filter(|_| row.executor.is_none())?;
    let text = site.argument(number)?;
    let binds = behind(site, number).flat_map(spread);
    let steps = binds.map(|value| BuildStep::plain(Name::new("bind"), vec![value], site.span)).collect::<Vec<_>>();
    let mut bound: Vec<Value> = steps.iter().flat_map(|step| step.args.iter().cloned()).collect();
    bound.extend(runner(site));
    Some(chain(eval, text, steps, &bound))
}

/// The arguments behind the text of a statement: all of them, where the receiver is what was prepared of it.
fn behind<'s>(site: &'s Site<'_>, number: i32) -> impl Iterator<Item = &'s Value> {
    site.args.iter().skip(usize::try_from(number + 1).unwrap_or_default())
}

/// What a statement is prepared by runs it, too: a transaction, or what a caller hands over and may be one.
fn runner<'s>(site: &'s Site<'_>) -> impl Iterator<Item = Value> + 's {
    let atoms = site.receiver.iter().flat_map(|(_, receiver)| receiver.atoms());
    let runs = |atom: &&Atom| matches!(atom.kind, Kind::Transaction(_) | Kind::Param(..));
    atoms.filter(runs).map(|atom| Value::atom(atom.clone()))
}

/// The chain with one more call on it, where the receiver is one.
pub(crate) fn extended(eval: &Eval<'_, '_>, site: &Site<'_>, value: &Value) -> Option<Value> {
    let (_, receiver) = site.receiver.as_ref()?;
    if !receiver.alts.iter().any(|alt| is_chain(alt, 0)) {
        return None;
    }
    let last = BuildStep::plain(site.name, site.args.clone(), site.span);
    let mut out = Value::bottom();
    for alt in receiver.alts.iter() {
        let Shape::Builder(builder) = &alt.shape else {
            continue;
        };
        let mut builder = Builder::clone(builder);
        builder.steps.push(last.clone());
        let alts = value.alts.iter().map(|known| known.atoms.clone());
        for atoms in alts {
            out = out.join(&Value::alt(Alt { atoms, shape: Shape::Builder(Arc::new(builder.clone())) }));
        }
    }
    let _ = eval;
    (!out.is_bottom()).then_some(out)
}

/// What a chain takes from outside: the bound values, not the text.
pub(crate) fn inputs(eval: &Eval<'_, '_>, value: &Value) -> Option<Value> {
    if !value.alts.iter().any(|alt| is_chain(alt, 0)) {
        return None;
    }
    let found = of(value);
    // The number that a store gives to a new row says nothing of what is in it.
    if !found.texts.is_empty() && found.texts.iter().all(|text| gives_new_row(text.as_str())) {
        return Some(Value::atom(Atom::new(Kind::Stored, eval.here(), Trail::default())));
    }
    let bound = Value::concat(&found.binds);
    Some(if bound.is_bottom() { eval.constant(None) } else { bound })
}

/// What a call gives that runs a claim: a row that is stored, told from others by what it was asked by. What was minted for
/// it is kept from then on, and read back.
pub(crate) fn claimed(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let found = of_call(site, site.rows.store);
    let may_claim = |text: &&Name| {
        let text = text.as_str().to_ascii_lowercase();
        is_sql(&text) && text.contains("returning")
    };
    if found.texts.is_empty() || !found.texts.iter().all(|text| may_claim(&text)) {
        return None;
    }
    let row = Atom::new(Kind::Stored, eval.here(), Trail::start(site.span, "stored by a claim, and read back"));
    let mut parts = vec![Value::atom(row)];
    for text in &found.texts {
        let statements = sql::read(text.as_str(), None)?;
        let by = statements.iter().find_map(Statement::claims_by)?;
        parts.extend(by.into_iter().filter_map(|set| match set {
            Set::Placeholder(number) => found.binds.get(*number).cloned(),
            _ => None,
        }));
    }
    Some(Value::concat(&parts))
}

/// Whether a statement adds a row in any case and answers with columns that it has not set.
fn gives_new_row(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let Some((row, returned)) = text.rsplit_once("returning") else {
        return false;
    };
    let columns = row.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(columns, _)| columns);
    let set: Vec<&str> = columns.split(',').map(|column| column.trim().trim_matches('"')).collect();
    row.trim_start().starts_with("insert")
        && !row.contains("on conflict")
        && !row.contains("on duplicate")
        && returned.split(',').all(|column| !set.contains(&column.trim().trim_matches('"')) && column.trim() != "*")
}

/// What stands in a value and in the chains that it comes from.
pub(crate) fn of(value: &Value) -> Prepared {
    let mut found = Prepared::default();
    for alt in value.alts.iter() {
        collect(alt, &mut found, 0);
    }
    found
}

/// What a call runs: a text among its arguments, or the chain that it is called on.
pub(crate) fn of_call(site: &Site<'_>, row: Option<&StoreCall>) -> Prepared {
    let Some(number) = row.and_then(|row| row.sql) else {
        let mut found = Prepared::default();
        let own = site.args.iter().chain(site.receiver.iter().map(|(_, value)| value));
        for alt in own.flat_map(|value| value.alts.iter()) {
            collect(alt, &mut found, 0);
        }
        return found;
    };
    // What a crate calls the same of a connection, which is given a text, and of a statement that was prepared of one.
    let is_prepared = |value: &Value| value.alts.iter().any(|alt| is_chain(alt, 0));
    let is_text = |value: &Value| value.atoms().any(is_statement) || is_prepared(value);
    let of_receiver = !site.argument(number).is_some_and(is_text)
        && site.receiver.as_ref().is_some_and(|(_, receiver)| is_prepared(receiver));
    let number = if of_receiver { -1 } else { number };
    let mut found = site.argument(number).map(of).unwrap_or_default();
    let bound = || behind(site, number);
    match bound().find_map(named::values) {
        Some(values) => {
            let (names, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
            for text in &mut found.texts {
                *text = Name::new(&named::numbered(text.as_str(), &names));
            }
            found.binds.extend(values);
        }
        None => found.binds.extend(bound().flat_map(spread)),
    }
    found.places.resize(found.binds.len(), site.span);
    found
}

/// What is bound by an argument: the elements of a list, or it.
fn spread(value: &Value) -> Vec<Value> {
    elements(value).unwrap_or_else(|| vec![value.clone()])
}

/// The elements of a list of parameters, in order.
fn elements(value: &Value) -> Option<Vec<Value>> {
    let [Alt { shape: Shape::Record(record), .. }] = value.alts.as_ref() else {
        return None;
    };
    let list = record.path.is_none() || record.is_list();
    list.then(|| record.numbered())?.map(|values| values.into_iter().cloned().collect())
}

fn chain(eval: &Eval<'_, '_>, text: &Value, steps: Vec<BuildStep>, bound: &[Value]) -> Value {
    let atoms = Value::concat(bound);
    let atoms = if atoms.is_bottom() { eval.constant(None) } else { atoms };
    let atoms = atoms.alts.first().map(|alt| alt.atoms.clone()).unwrap_or_default();
    let shape = Shape::Builder(Arc::new(Builder { root: text.clone(), steps }));
    Value::alt(Alt { atoms, shape })
}

fn is_chain(alt: &Alt, depth: usize) -> bool {
    let Shape::Builder(builder) = &alt.shape else {
        return false;
    };
    depth <= MAX_SEARCH
        && builder.root.alts.iter().any(|root| root.atoms.iter().any(is_statement) || is_chain(root, depth + 1))
}

fn collect(alt: &Alt, found: &mut Prepared, depth: usize) {
    for atom in alt.atoms.iter() {
        if let (Kind::Constant(Some(text)), true) = (&atom.kind, is_statement(atom)) {
            if !found.texts.contains(text) {
                found.texts.push(*text);
            }
        }
    }
    if depth > MAX_SEARCH {
        return;
    }
    let Shape::Builder(builder) = &alt.shape else {
        return;
    };
    let known = found.texts.len();
    for inner in builder.root.alts.iter() {
        collect(inner, found, depth + 1);
    }
    if let Some(rest) = pushed(builder, found.binds.len()) {
        for text in &mut found.texts[known..] {
            let all = format!("{text}{rest}");
            // A list that another one writes leaves its bracket open.
            if all.matches('(').count() == all.matches(')').count() {
                *text = Name::new(&all);
            }
        }
    }
    for step in &builder.steps {
        if BINDS.contains(&step.name.as_str()) {
            found.binds.extend(step.args.first().cloned());
            found.places.resize(found.binds.len(), step.span);
            continue;
        }
        for inner in step.args.iter().flat_map(|arg| arg.alts.iter()) {
            collect(inner, found, depth + 1);
        }
    }
}

/// What is written behind the text that a chain starts with: `sql.push(" WHERE id = ").push_bind(id)`.
fn pushed(builder: &Builder, bound: usize) -> Option<String> {
    let mut bound = bound;
    let mut text = String::new();
    for step in &builder.steps {
        match step.name.as_str() {
            "push" => match step.args.first()?.text() {
                Some(piece) => text.push_str(piece),
                None => text.push_str("{}"),
            },
            "push_bind" => {
                bound += 1;
                let _ = write!(text, "${bound}");
            }
            // Rows or a list by a closure of their own.
            name if name.starts_with("push") => return None,
            _ => {}
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A text that begins like a statement of SQL, or is a command of a store: one word in capitals.
fn is_statement(atom: &Atom) -> bool {
    let Kind::Constant(Some(text)) = &atom.kind else {
        return false;
    };
    is_sql(text.as_str()) || is_command(text.as_str())
}

/// A text that begins like a statement of SQL, one that only shapes tables included.
pub(crate) fn is_sql(text: &str) -> bool {
    let text = text.trim();
    let word = text.split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    const STARTS: [&str; 10] =
        ["select", "insert", "update", "delete", "with", "merge", "upsert", "create", "alter", "drop"];
    // whole statements by themselves
    const BRACKETS: [&str; 3] = ["begin", "commit", "rollback"];
    let locks = || {
        let mut words = text.split_whitespace();
        [words.next(), words.next()].into_iter().flatten().map(str::to_ascii_lowercase).eq(["lock", "table"])
    };
    BRACKETS.iter().any(|bracket| word.eq_ignore_ascii_case(bracket))
        || word.eq_ignore_ascii_case("lock") && locks()
        || STARTS.iter().any(|start| word.eq_ignore_ascii_case(start)) && text.contains(char::is_whitespace)
}

/// `SET`, `HSETNX`: how a command of a key-value store is written.
fn is_command(text: &str) -> bool {
    (3..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The method that the client of a key-value store has for a command: `SET … NX` is `set_nx`.
pub(crate) fn command_method(found: &Prepared) -> Option<String> {
    let [command] = found.texts[..] else {
        return None;
    };
    if !is_command(command.as_str()) {
        return None;
    }
    let mut name = command.as_str().to_ascii_lowercase();
    // The older spelling of the same.
    if let Some(front) = name.strip_suffix("nx").filter(|_| !name.ends_with("_nx")) {
        name = format!("{front}_nx");
    }
    let flag =
        |flag: &str| found.binds.iter().any(|bind| bind.text().is_some_and(|text| text.eq_ignore_ascii_case(flag)));
    if flag("NX") && !name.ends_with("_nx") {
        name.push_str("_nx");
    }
    Some(name)
}
