//! Which operation a call is: stores, acknowledgements, lookups, detached and bounded bodies.

use super::call::Site;
use super::eval::{Eval, Region};
use super::events::{Event, EventKind, Role, Usage};
use super::outcome;
use super::uses::Use;
use super::value::{Alt, Atom, Builder, Closure, Entered, Kind, Shape, Trail, Value};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::Callee;
use crate::source::Span;

/// Dispatches whose reply one value can be, at most.
const MAX_REPLIES: usize = 6;
/// Depth at which SQL is looked for in a chain of calls.
const MAX_SEARCH: usize = 6;

/// Evaluates the arguments of a call, those that it runs detached, bounded or as a step inside a region that says so.
pub(crate) fn evaluate_args(eval: &mut Eval<'_, '_>, site: &mut Site<'_>) {
    let role = region_role(eval, site);
    let ids = site.arg_ids.clone();
    for (at, id) in ids.into_iter().enumerate() {
        let inside = role.as_ref().is_some_and(|(_, body)| body.is_none_or(|body| body == at as i32));
        if let (Some((role, _)), true) = (&role, inside) {
            eval.push_region(Region { id: site.id, repeat: None, role: role.clone() });
            let mut value = eval.eval(id);
            let closures: Vec<Closure> = value
                .alts
                .iter()
                .filter_map(|alt| match alt.shape {
                    Shape::Closure(closure) => Some(closure),
                    _ => None,
                })
                .collect();
            if !closures.is_empty() {
                value = Value::bottom();
                for closure in closures {
                    let given = transaction_argument(eval, role, site.span);
                    value = value.join(&eval.run_closure(closure, &given, None));
                }
            }
            eval.pop_region();
            site.args.push(value);
        } else {
            let value = eval.eval(id);
            site.args.push(value);
        }
    }
}

/// What a closure in a transaction gets: the transaction.
fn transaction_argument(eval: &Eval<'_, '_>, role: &Role, span: Span) -> Vec<Value> {
    match role {
        Role::Transaction => vec![transaction(eval, span)],
        _ => Vec::new(),
    }
}

/// The value that a transaction is.
fn transaction(eval: &Eval<'_, '_>, span: Span) -> Value {
    Value::atom(Atom::new(Kind::Transaction(span), eval.here(), Trail::default()))
}

fn region_role(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<(Role, Option<i32>)> {
    let matcher = eval.engine.matcher;
    let calls = site.call(eval.engine.program);
    calls.iter().find_map(|call| {
        if let Some(row) = matcher.spawn(call) {
            return Some((Role::Spawned { dropped: eval.usage(site.id) == Usage::Dropped }, row.body));
        }
        if let Some(row) = matcher.timeout(call) {
            return Some((Role::Timeout, row.body));
        }
        if let Some(row) = matcher.step(call) {
            return Some((Role::Step, row.body));
        }
        let store = matcher.store(call)?;
        let takes_body = site.arg_ids.iter().any(|&id| matches!(eval.body.expr(id).kind, ExprKind::Closure(_)));
        (store.op == "begin" && takes_body).then_some((Role::Transaction, None))
    })
}

/// Records the operation that a call is, and tells what it gives where that is special.
pub(crate) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let matcher = eval.engine.matcher;
    let calls = site.call(eval.engine.program);
    let usage = eval.usage(site.id);
    if calls.iter().any(|call| matcher.ack(call).is_some_and(|row| row.body.is_none())) {
        eval.event(EventKind::Ack, site.span, site.name, usage);
    }
    if let Some(lookup) = calls.iter().find_map(|call| matcher.lookup(call)) {
        if lookup.sends.is_empty() {
            let key = Value::concat(&site.args);
            eval.event(EventKind::Lookup { key }, site.span, site.name, usage);
        }
    }
    let store = calls.iter().find_map(|call| matcher.store(call));
    match store.map(|store| store.op.as_str()) {
        Some("begin") => {
            eval.event(EventKind::Begin, site.span, site.name, usage);
            return Some(transaction(eval, site.span));
        }
        Some("commit") => {
            let given = site.argument(-1).cloned().unwrap_or_default();
            eval.event(EventKind::Commit { transaction: given }, site.span, site.name, usage);
        }
        Some("rollback") => {
            let given = site.argument(-1).cloned().unwrap_or_default();
            eval.event(EventKind::Rollback { transaction: given }, site.span, site.name, usage);
        }
        _ => {
            let (texts, binds) = sql_of(eval, site);
            let runs =
                store.is_some_and(|store| matches!(store.op.as_str(), "query" | "execute") && store.executor.is_some());
            if !texts.is_empty() && (runs || site.is_macro) {
                let executor = store.and_then(|store| site.argument(store.executor?)).cloned().unwrap_or_default();
                eval.event(EventKind::Sql { texts, binds, executor }, site.span, site.name, usage);
            } else if let Some(store) = store.filter(|store| store.sql.is_none()) {
                let executor = store.executor.and_then(|number| site.argument(number)).cloned().unwrap_or_default();
                let kind = EventKind::Store {
                    op: Name::new(&store.op),
                    table: store.table.as_deref().map(Name::new),
                    args: site.all_args(),
                    executor,
                };
                eval.event(kind, site.span, site.name, usage);
            }
        }
    }
    if matches!(site.callee, Some(Callee::UnknownMethod(_) | Callee::Unresolved(_) | Callee::ExternalMethod { .. }))
        && store.is_none()
    {
        let known = matches!(site.callee, Some(Callee::ExternalMethod { receiver, .. }) if !receiver.as_str().starts_with("crate::"));
        let words = &eval.engine.catalog.words;
        let verb = words.verbs.iter().any(|verb| super::has_word(site.name.as_str(), verb));
        let awaits = eval.parents[site.id.0 as usize]
            .is_some_and(|parent| matches!(eval.body.expr(parent).kind, ExprKind::Await(_)));
        if !known && !site.is_macro && (awaits || verb) {
            let awaited = eval.parents[site.id.0 as usize]
                .is_some_and(|parent| matches!(eval.body.expr(parent).kind, ExprKind::Await(_)));
            let kind = EventKind::Call { awaited, args: site.all_args() };
            eval.event(kind, site.span, site.name, usage);
        }
    }
    None
}

/// The SQL texts in a chain of calls, and what is bound to them, in order.
fn sql_of(eval: &Eval<'_, '_>, site: &Site<'_>) -> (Vec<Name>, Vec<Value>) {
    let mut texts = Vec::new();
    let mut binds = Vec::new();
    let own = site.args.iter().chain(site.receiver.iter().map(|(_, value)| value));
    for value in own {
        for alt in value.alts.iter() {
            collect_sql(alt, &mut texts, &mut binds, 0);
        }
    }
    if site.is_macro && texts.len() == 1 {
        binds = site.args.iter().skip_while(|value| !value.atoms().any(is_sql)).skip(1).cloned().collect();
    }
    let _ = eval;
    (texts, binds)
}

fn collect_sql(alt: &Alt, texts: &mut Vec<Name>, binds: &mut Vec<Value>, depth: usize) {
    for atom in &alt.atoms {
        if let (Kind::Constant(Some(text)), true) = (&atom.kind, is_sql(atom)) {
            if !texts.contains(text) {
                texts.push(*text);
            }
        }
    }
    if depth > MAX_SEARCH {
        return;
    }
    if let Shape::Builder(builder) = &alt.shape {
        for inner in builder.root.alts.iter() {
            collect_sql(inner, texts, binds, depth + 1);
        }
        collect_steps(builder, texts, binds, depth);
    }
}

fn collect_steps(builder: &Builder, texts: &mut Vec<Name>, binds: &mut Vec<Value>, depth: usize) {
    for step in &builder.steps {
        if matches!(step.name.as_str(), "bind" | "push_bind") {
            binds.extend(step.args.first().cloned());
            continue;
        }
        for arg in &step.args {
            for inner in arg.alts.iter() {
                collect_sql(inner, texts, binds, depth + 1);
            }
        }
    }
}

/// A text that begins like a statement.
fn is_sql(atom: &Atom) -> bool {
    let Kind::Constant(Some(text)) = &atom.kind else {
        return false;
    };
    let word = text.as_str().trim_start().split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    const STARTS: [&str; 7] = ["select", "insert", "update", "delete", "with", "merge", "upsert"];
    STARTS.iter().any(|start| word.eq_ignore_ascii_case(start)) && text.as_str().trim().contains(char::is_whitespace)
}

/// A dispatch among the events.
pub(crate) fn dispatched(eval: &mut Eval<'_, '_>, known: &Use, id: Option<ExprId>) {
    let kind = EventKind::Dispatch {
        provider: known.provider,
        keyed: !known.is_keyless(),
        harmless: known.harmless,
        presumed: matches!(known.recognition, super::Recognition::Presumed(_)),
        key: known.key.clone(),
    };
    let usage = id.map_or(Usage::Used, |id| eval.usage(id));
    eval.event(kind, known.site, known.call, usage);
}

/// The value of a dispatch's answer.
pub(crate) fn with_reply(eval: &Eval<'_, '_>, value: &Value, site: Span, bare: bool) -> Value {
    let reply = Atom::new(Kind::Reply(site, bare), eval.here(), Trail::default());
    add_atoms(value, &[reply])
}

fn add_atoms(value: &Value, extra: &[Atom]) -> Value {
    if value.is_bottom() {
        return Value::alt(Alt { atoms: extra.to_vec(), shape: Shape::Plain });
    }
    value.filter_map(|alt| {
        let mut atoms = alt.atoms.clone();
        for atom in extra {
            if !atoms.iter().any(|known| known.kind == atom.kind) {
                atoms.push(atom.clone());
            }
        }
        Some(Alt { atoms, shape: alt.shape.clone() })
    })
}

/// The value of a call into the workspace below which dispatches stand: whatever it is, it also tells of their outcome.
pub(crate) fn with_replies_of(value: &Value, events: &[Event]) -> Value {
    let mut replies = Vec::new();
    for event in events {
        if let EventKind::Dispatch { harmless: false, .. } = event.kind {
            let spawned = event.regions.iter().any(|mark| matches!(mark.role, Role::Spawned { .. }));
            if !spawned && replies.len() < MAX_REPLIES {
                replies.push(Atom::new(Kind::Reply(event.span, false), Entered::Elsewhere, Trail::default()));
            }
        }
    }
    if replies.is_empty() { value.clone() } else { add_atoms(value, &replies) }
}

/// The branch in which a closure runs that a combinator hands the error to.
pub(crate) fn error_branch(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(ExprId, u32)> {
    let (_, receiver) = site.receiver.as_ref()?;
    let (about, bare) = outcome::replies(receiver);
    if about.is_empty() {
        return None;
    }
    let left = if bare { outcome::Outcomes::NOT_SENT.or(outcome::Outcomes::UNKNOWN) } else { outcome::Outcomes::ERROR };
    let branch = (site.id, 0);
    eval.condition(branch, about, left, false);
    Some(branch)
}
