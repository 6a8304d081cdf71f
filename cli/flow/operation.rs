//! Which operation a call is: stores, acknowledgements, lookups, detached and bounded bodies.

mod acknowledged;
mod asked_back;
mod begun;
mod emptied;
mod offsets;
mod own_id;
mod queued;
mod task;

use effect_contracts_grammar::Remedy;

use super::call::Site;
use super::eval::{Eval, Region};
use super::events::{self, Event, EventKind, Role, Usage};
use super::sources::Sources;
use super::uses::Use;
use super::value::{Alt, Atom, Kind, Later, Record, Shape, Trail, Value};
use super::{built, handlers, instead, interfaces, limits, outcome, prepared, replies, settings, walk};
use crate::catalog::{Call, StoreCall, Ttl, Words};
use crate::ir::{Body, ExprId, ExprKind, Name};
use crate::resolve::{Callee, FunctionInfo};
use crate::source::Span;

/// Fields of a struct that are kept for an event, at most.
const MAX_MADE: usize = 24;
/// Calls between a collection and the method on it, at most.
const MAX_RECEIVER: usize = 12;

/// Evaluates the arguments of a call, those that it runs detached, bounded or as a step inside a region that says so.
pub(crate) fn evaluate_args(eval: &mut Eval<'_, '_>, site: &mut Site<'_>) {
    let role = task::region_role(eval, site);
    let ids = site.arg_ids.clone();
    let tells = tells(eval, site);
    for (at, id) in ids.into_iter().enumerate() {
        let inside = role.as_ref().is_some_and(|(_, body)| body.is_none_or(|body| body == at as i32));
        if let (Some((role, _)), true) = (&role, inside) {
            eval.push_region(Region { id: site.id, repeat: None, role: role.clone() });
            let value = eval.eval(id);
            // Whoever takes a future awaits it.
            let mut value = super::call::awaited(eval, id, value);
            let closures: Vec<_> = value
                .alts
                .iter()
                .filter_map(|alt| match alt.shape {
                    Shape::Closure(closure) => Some(closure),
                    _ => None,
                })
                .collect();
            if matches!(role, Role::Spawned { .. }) {
                eval.detached(&value);
                eval.put_off(id);
            }
            if !closures.is_empty() {
                value = Value::bottom();
                for closure in closures {
                    let run = match role {
                        Role::Transaction => eval.in_transaction(closure, begun::transaction(eval, site.span)),
                        _ => eval.run_closure(closure, &[], None),
                    };
                    value = value.join(&run);
                }
            }
            eval.pop_region();
            site.args.push(value);
        } else {
            let value = match tells {
                true => eval.only_reading(|eval| eval.eval(id)),
                false => eval.eval(id),
            };
            site.args.push(value);
        }
    }
}

/// Whether a call goes to a crate that is there to count and to tell: `counter!("calls", "status" => "failed")`; an own macro
/// says it by its name.
fn tells(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let counting = &eval.engine.catalog.words.telling_macros;
    if site.is_macro && counting.iter().any(|word| super::has_word(site.name.as_str(), word)) {
        return true;
    }
    match site.callee {
        Some(Callee::External(path) | Callee::Unresolved(path)) => eval.engine.words.tells(path.as_str()),
        Some(Callee::ExternalMethod { receiver, .. }) => eval.engine.words.tells(receiver.as_str()),
        _ => false,
    }
}

/// Whether a function is one of a type that only counts and tells: `EndpointMetrics::failure`.
pub(crate) fn counts(words: &Words, info: &FunctionInfo) -> bool {
    let of = info.path.as_str().rsplit("::").nth(1).filter(|of| of.starts_with(char::is_uppercase));
    let last = of.map(super::words::snake);
    let last = last.as_deref().and_then(|name| name.rsplit('_').next());
    last.is_some_and(|last| words.telling_types.iter().any(|word| word == last))
}

/// Whether a call hands a request on to what stands behind a middleware: `next.run(request)`.
fn forwards(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let words = &eval.engine.catalog.words;
    let Some(Callee::ExternalMethod { receiver, method }) = site.callee else {
        return false;
    };
    words.forwarding_calls.iter().any(|name| name == method.as_str())
        && words.middleware_types.iter().chain(&words.service_types).any(|name| name == receiver.as_str())
}

/// How a transaction ends of a type that cannot be seen: as the method is called.
fn ended<'s>(site: &'s Site<'_>) -> Option<&'s str> {
    let name = site.name.as_str();
    let own = || {
        site.argument(-1)
            .is_some_and(|of| Sources::of(of).iter().any(|part| matches!(part.kind(), Kind::Transaction(_))))
    };
    (matches!(name, "commit" | "rollback") && matches!(site.callee, Some(Callee::UnknownMethod(_))) && own())
        .then_some(name)
}

/// A struct put together after a provider was asked: what it holds may be the receipt.
pub(crate) fn made(eval: &mut Eval<'_, '_>, id: ExprId, record: &Record) {
    let Some(path) = record.path.filter(|_| record.fields.len() <= MAX_MADE && !is_to_remove(eval, id)) else {
        return;
    };
    let asked = |kind: &EventKind| {
        matches!(kind, EventKind::Dispatch { .. } | EventKind::Lookup { .. } | EventKind::Asked { .. })
    };
    if eval.events.iter().any(|event| asked(&event.kind)) {
        let fields = record.fields.iter().map(|(name, value)| (*name, Sources::of(value))).collect();
        eval.calling = None;
        instead::record(eval, eval.span_of(id), record.fields.iter().map(|(name, value)| (*name, value)));
        eval.event(EventKind::Made { path, fields }, eval.span_of(id), path, Usage::Used);
    }
}

/// A struct that a function puts together which asks nobody, in a branch behind a dispatch: as if it stood here.
pub(crate) fn made_below(eval: &mut Eval<'_, '_>, site: &Site<'_>, value: &Value) {
    let Some(Callee::Functions(ids)) = site.callee.filter(|_| !eval.branches.is_empty()) else {
        return;
    };
    let [Alt { shape: Shape::Record(record), .. }] = &*value.alts else {
        return;
    };
    let &[id] = ids.as_slice() else {
        return;
    };
    let asks = |event: &Event| matches!(event.kind, EventKind::Dispatch { .. });
    if !eval.engine.summary(id).events.iter().any(asks) {
        let record = record.clone();
        made(eval, site.id, &record);
    }
}

/// Whether a value only says what is to be taken away: `Row { .. }.remove(db)`.
fn is_to_remove(eval: &Eval<'_, '_>, id: ExprId) -> bool {
    let words = &eval.engine.catalog.words.removal_verbs;
    let parent = walk::parent(&eval.parents, id);
    parent.is_some_and(|parent| match &eval.body.expr(parent).kind {
        ExprKind::MethodCall(call) => {
            call.receiver == id && words.iter().any(|verb| super::has_word(call.name.as_str(), verb))
        }
        _ => false,
    })
}

/// Records the operation that a call is, and tells what it gives where that is special.
pub(crate) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<Value> {
    let usage = eval.usage(site.id);
    if let Some(row) = site.rows.ack.filter(|row| row.body.is_none()) {
        acknowledged::record(eval, site, row, usage);
    }
    if let Some(lookup) = site.rows.lookup {
        if lookup.sends.is_empty() {
            let key = Sources::all(&site.args);
            let provider = lookup.provider.as_deref().map(Name::new);
            eval.event(EventKind::Lookup { provider, key }, site.span, site.name, usage);
        }
    }
    looked_up(eval, site, usage);
    told_more(eval, site);
    if let Some(lease) = site.rows.lease {
        let lasts = lease.ttl.map(|ttl| lasts(eval, site, ttl)).unwrap_or_default();
        let unit = lease.unit.as_deref().map(Name::new);
        let kind = EventKind::Lease { op: Name::new(&lease.op), args: site.sources(), lasts, unit };
        eval.event(kind, site.span, site.name, usage);
    }
    let limits = site.rows.timeout.filter(|row| !row.attaches).and_then(|row| row.limit);
    if let Some(limit) = limits.and_then(|number| site.argument(number)) {
        eval.event(EventKind::Limit { lasts: Sources::of(limit) }, site.span, site.name, usage);
    }
    if site.rows.auto_ack.is_some_and(|row| settings::switches(eval, site, row)) {
        eval.event(EventKind::AutoAck, site.span, site.name, usage);
    }
    if let Some(Callee::ExternalMethod { receiver, method }) = site.callee {
        if let Some(means) = eval.engine.words.of_method(receiver.as_str(), method.as_str()) {
            eval.event(EventKind::State { means: Name::new(means) }, site.span, site.name, usage);
        }
    }
    if site.rows.spawn.is_some() && usage == Usage::Checked && eval.gives_result(site.id) {
        eval.event(EventKind::Unasked, site.span, site.name, usage);
    }
    if let Some((receiver, _)) = site.receiver.as_ref().filter(|_| eval.engine.has_workflows) {
        if handlers::schedules(eval.engine, eval.ty(*receiver), site.rows.origin) {
            eval.event(EventKind::Scheduled, site.span, site.name, usage);
            eval.decided_in_journal(site);
        }
    }
    super::remembered::record(eval, site, usage);
    emptied::record(eval, site);
    if let Some((receiver, _)) = site.receiver.as_ref().filter(|_| is_collecting(eval, site.name)) {
        eval.noted(*receiver, site.id);
        if matches!(eval.body.expr(*receiver).kind, ExprKind::Local(_)) && !eval.each.is_empty() {
            eval.event(EventKind::Collected, site.span, site.name, usage);
        }
    }
    if let Some((receiver, _)) = &site.receiver {
        eval.sets_response(*receiver, site.name.as_str(), &site.arg_ids, site.id);
    }
    super::picked::record(eval, site);
    if let Some(request) = site.args.first().filter(|_| forwards(eval, site)) {
        eval.event(EventKind::Forwarded { request: Sources::of(request) }, site.span, site.name, usage);
    }
    let store = site.rows.store;
    if store.is_none() {
        if let Some(value) = built_by_name(eval, site, usage) {
            return Some(value);
        }
        written_by_name(eval, site, usage);
    }
    match store.map(|store| store.op.as_str()).or_else(|| ended(site)) {
        Some("begin") => {
            return Some(begun::begin(eval, site, usage));
        }
        Some("commit") => {
            let given = site.argument(-1).map(Sources::of).unwrap_or_default();
            eval.event(EventKind::Commit { transaction: given }, site.span, site.name, usage);
        }
        Some("rollback") => {
            let given = site.argument(-1).map(Sources::of).unwrap_or_default();
            eval.event(EventKind::Rollback { transaction: given }, site.span, site.name, usage);
        }
        _ if queued::runs(eval, site) => {}
        _ => ran(eval, site, store, usage),
    }
    // What the application has a row for is that.
    let known = site.rows.dispatch.is_some() || site.rows.lookup.is_some() || site.rows.ack.is_some();
    let unseen = !known
        && matches!(site.callee, Some(Callee::Functions(ids)) if interfaces::is_unseen(eval.engine.program, ids));
    let foreign =
        matches!(site.callee, Some(Callee::UnknownMethod(_) | Callee::Unresolved(_) | Callee::ExternalMethod { .. }));
    if (foreign || unseen) && store.is_none() {
        let known = matches!(site.callee, Some(Callee::ExternalMethod { receiver, .. }) if !receiver.as_str().starts_with("crate::"));
        let words = &eval.engine.catalog.words;
        let verb = || super::scope::acts(words, site.name.as_str());
        let awaits = walk::parent(&eval.parents, site.id)
            .is_some_and(|parent| matches!(eval.body.expr(parent).kind, ExprKind::Await(_)));
        // Of the clients of other crates only what undoes is told by its name.
        let undoes = || words.compensation_verbs.iter().any(|verb| super::has_word(site.name.as_str(), verb));
        // Nobody keeps what it gives: it is called for what it does, or for whether it fails.
        let done = || {
            let tried = walk::parent(&eval.parents, site.id)
                .is_some_and(|parent| matches!(eval.body.expr(parent).kind, ExprKind::Try(_)));
            let of_type = matches!(site.callee, Some(Callee::ExternalMethod { .. }));
            of_type && tried && usage == Usage::Checked
        };
        let counts = || awaits || verb() || done() || is_compensation(eval, site.name);
        if (!known || awaits && undoes()) && !site.is_macro && counts() {
            let kind = EventKind::Call { awaited: awaits, args: site.sources() };
            eval.event(kind, site.span, site.name, usage);
        }
    }
    None
}

/// Whether a contract names a function of this name as what undoes its effect.
fn is_compensation(eval: &Eval<'_, '_>, name: Name) -> bool {
    eval.engine.contracts.iter().any(|declared| match &declared.contract.compensate {
        Some(Remedy::Path(path) | Remedy::Unchecked(path)) => path.rsplit("::").next() == Some(name.as_str()),
        _ => false,
    })
}

/// A request to a store of items that a function has put together, and that is told here what it does or when: what was read
/// of it is not all.
fn told_more(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let Some((_, receiver)) = site.receiver.as_ref().filter(|_| built::is_told_by(site.name.as_str())) else {
        return;
    };
    let (about, _) = outcome::replies(receiver);
    for event in eval.events.iter_mut().filter(|event| !event.via.is_empty() && about.contains(&event.span)) {
        if let EventKind::Sql { executor, .. } = &event.kind {
            let (op, executor) = (Name::new("execute"), executor.clone());
            event.kind = EventKind::Store { op, table: None, args: Vec::new(), executor, by_key: false };
        }
    }
}

/// How long a lease holds that is taken or renewed here.
fn lasts(eval: &Eval<'_, '_>, site: &Site<'_>, ttl: Ttl) -> Sources {
    match ttl {
        Ttl::Argument(number) => site.argument(number).map(Sources::of).unwrap_or_default(),
        Ttl::Fixed(time) => {
            let text = Name::new(&humantime::format_duration(time).to_string());
            Sources::of(&Value::atom(Atom::new(Kind::Constant(Some(text)), eval.here(), Trail::default())))
        }
    }
}

/// The end of a chain that a lookup of the catalog has started.
fn looked_up(eval: &mut Eval<'_, '_>, site: &Site<'_>, usage: Usage) {
    let catalog = eval.engine.catalog;
    let Some((_, receiver)) = &site.receiver else {
        return;
    };
    let asked = receiver.alts.iter().find_map(|alt| match &alt.shape {
        Shape::Builder(builder) => {
            let row = builder.steps.iter().find_map(|step| step.asks)?;
            let row = &catalog.lookups[row as usize];
            let args = builder.steps.iter().flat_map(|step| &step.args);
            let sends = row.sends.iter().any(|name| name == site.name.as_str());
            sends.then(|| (row, args.map(super::address::without_host).collect::<Vec<_>>()))
        }
        _ => None,
    });
    let Some((row, args)) = asked else {
        return;
    };
    super::dispatch::read(eval, receiver, site.span);
    let key = Sources::all(&args);
    let kind = match &row.provider {
        Some(provider) => EventKind::Lookup { provider: Some(Name::new(provider)), key },
        None => EventKind::Asked { by: key },
    };
    eval.event(kind, site.span, site.name, usage);
}

/// The write that a call is: what it answers tells whether it took place.
pub(crate) fn written(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Span> {
    let last = eval.events.iter().rev().find(|event| event.via.is_empty() && event.whole == eval.span_of(site.id))?;
    matches!(&last.kind, EventKind::Sql { .. } | EventKind::Store { .. }).then_some(last.span)
}

/// Whether a call asks a provider what happened.
pub(crate) fn asks(site: &Site<'_>) -> bool {
    site.rows.lookup.is_some_and(|lookup| lookup.sends.is_empty())
}

/// The end of a query builder's chain of which only the names are known: what it gives is stored.
fn built_by_name(eval: &mut Eval<'_, '_>, site: &Site<'_>, usage: Usage) -> Option<Value> {
    let runs = matches!(
        site.name.as_str(),
        "one" | "all" | "count" | "exec" | "insert" | "update" | "save" | "delete" | "first" | "load" | "execute"
    );
    let foreign = !matches!(site.callee, Some(Callee::Functions(ids)) if ids.iter().any(|&id| eval.engine.program.body(id).is_some()));
    if !(runs && foreign && !site.args.is_empty()) {
        return None;
    }
    let built::Written { text, binds, places } = built::statement(eval, site)?;
    let executor = site.args.first().map(Sources::of).unwrap_or_default();
    let whole = eval.span_of(site.id);
    let reads = text.as_str().starts_with("SELECT");
    super::dispatch::stored_keys(eval, &[text], &binds, whole);
    instead::record_all(eval, whole, &binds);
    eval.event(
        EventKind::Sql { texts: vec![text], binds: Sources::each(&binds), places: places.into(), executor },
        whole,
        site.name,
        usage,
    );
    let row = Value::atom(Atom::new(Kind::Stored, eval.here(), Trail::start(site.span, "read from a store")));
    Some(if reads { row } else { replies::with_reply(eval, &row, whole, false) })
}

/// A method by which a model stores itself, called with a transaction: nothing else takes one.
fn written_by_name(eval: &mut Eval<'_, '_>, site: &Site<'_>, usage: Usage) {
    let foreign = match site.callee {
        Some(Callee::UnknownMethod(_) | Callee::Unresolved(_) | Callee::ExternalMethod { .. }) | None => true,
        Some(Callee::Functions(ids)) => ids.iter().all(|&id| eval.engine.program.body(id).is_none()),
        _ => false,
    };
    let op = match site.name.as_str() {
        "insert" | "create" | "insert_many" => "insert",
        "update" | "save" | "upsert" | "exec" | "update_many" => "execute",
        "delete" | "remove" | "delete_many" => "delete",
        _ => return,
    };
    let executor = site.args.iter().find(|arg| arg.atoms().any(|atom| matches!(atom.kind, Kind::Transaction(_))));
    if let (true, Some(executor)) = (foreign && site.receiver.is_some(), executor.map(Sources::of)) {
        let kind = EventKind::Store { op: Name::new(op), table: None, args: site.sources(), executor, by_key: false };
        eval.event(kind, site.span, site.name, usage);
    }
}

/// Records what a call runs in a store: a statement, a command, or the operation that the method is.
fn ran(eval: &mut Eval<'_, '_>, site: &Site<'_>, row: Option<&StoreCall>, usage: Usage) {
    let Some(row) = row.filter(|row| row.sql.is_none() && !prepared::is_start(row) || row.executor.is_some()) else {
        return;
    };
    // Who answers with nothing hands on whether it failed, and not what it was told.
    let usage = if eval.answers_with_nothing(site.id) { usage.min(Usage::Checked) } else { usage };
    let executor = row.executor.and_then(|number| site.argument(number)).map(Sources::of).unwrap_or_default();
    let executor = handed_transaction(eval, site).map_or(executor.clone(), |handed| executor.and(&handed));
    let written = built::statement(eval, site);
    if let (Some(built::Written { text, binds, places }), "query" | "execute") = (written, row.op.as_str()) {
        let whole = eval.span_of(site.id);
        super::dispatch::stored_keys(eval, &[text], &binds, whole);
        instead::record_all(eval, whole, &binds);
        let usage = built::usage_of_request(eval, site.id).unwrap_or(usage);
        return eval.event(
            EventKind::Sql { texts: vec![text], binds: Sources::each(&binds), places: places.into(), executor },
            eval.span_of(site.id),
            site.name,
            usage,
        );
    }
    let mut found = prepared::of_call(site, Some(row));
    if found.texts.is_empty() {
        found.texts = prepared::kept::statements(eval, site, row);
    }
    let texts: Vec<Name> = found.texts.iter().copied().filter(|text| prepared::is_sql(text.as_str())).collect();
    if !texts.is_empty() && matches!(row.op.as_str(), "query" | "execute") && row.executor.is_some() {
        // The statement stands where its text does.
        let place = eval.span_of(site.id);
        if row.sql.is_some() {
            super::dispatch::stored_keys(eval, &texts, &found.binds, place);
        }
        instead::record_all(eval, place, &found.binds);
        let by = acknowledged::by_statement(eval, &texts, &found.binds, &executor);
        let kind = EventKind::Sql { texts, binds: Sources::each(&found.binds), places: found.places.into(), executor };
        eval.event(kind, place, site.name, usage);
        by.into_iter().for_each(|by| eval.event(EventKind::Ack { up_to: false, by }, place, site.name, usage));
        return asked_back::note(eval, site.id);
    }
    let mut op = row.op.as_str();
    let (mut name, mut args) = (site.name, site.sources());
    let mut by_key = row.key.is_some();
    if let Some(method) = prepared::command_method(&found) {
        // `redis::cmd("SET")` and `connection.set(..)` are one thing: the client's own method tells what it does.
        let known =
            eval.engine.matcher.store(&Call::Method { receiver: "redis::Connection", method: &method, fields: &[] });
        op = known.map_or(op, |row| row.op.as_str());
        by_key = true;
        name = Name::new(&method);
        args = std::iter::once(executor.clone()).chain(Sources::each(&found.binds)).collect();
    }
    if row.claims_by.iter().any(|constant| is_given(eval, site, constant)) {
        op = "claim";
    }
    let mut table = row.table.as_deref().map(Name::new);
    if let Some((started, of)) = prepared::started(site) {
        op = started;
        table = table.or(of);
    }
    eval.event(EventKind::Store { op: Name::new(op), table, args, executor, by_key }, site.span, name, usage);
}

/// The transaction that the calls on a statement hand to it: `insert_one(row).session(&mut session)`.
fn handed_transaction(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Sources> {
    let is_open = |value: &Value| value.atoms().any(|atom| matches!(atom.kind, Kind::Transaction(_)));
    // Of one that the caller hands over only the type tells that it may be.
    let types = &eval.engine.catalog.words.session_types;
    let is_session = |arg: ExprId| eval.ty(arg).is_one_of(types);
    let mut at = site.id;
    for _ in 0..MAX_RECEIVER {
        let parent = walk::parent(&eval.parents, at)?;
        let ExprKind::MethodCall(call) = &eval.body.expr(parent).kind else {
            return None;
        };
        let lent = |arg: ExprId| match eval.body.expr(arg).kind {
            ExprKind::Deref(inner) => inner,
            _ => arg,
        };
        let mut args = call.args.iter().map(|&arg| lent(arg)).map(|arg| (arg, eval.quiet(arg)));
        let handed = args.find(|(arg, value)| is_open(value) || is_session(*arg)).map(|(_, value)| value);
        if let (Some(handed), true) = (handed, call.receiver == at) {
            return Some(Sources::of(&handed));
        }
        at = parent;
    }
    None
}

/// Whether a constant is among the arguments of a call, or in what these were bound to before: `SetOptions::NX`.
fn is_given(eval: &Eval<'_, '_>, site: &Site<'_>, constant: &str) -> bool {
    is_among(eval.body, &site.arg_ids, constant)
}

/// Whether a path is among some arguments, or in what these were bound to before.
pub(super) fn is_among(body: &Body, args: &[ExprId], constant: &str) -> bool {
    let is_it = |at: ExprId| is_constant(body, at, constant);
    args.iter().any(|&arg| walk::any(body, walk::stands_for(body, arg), &is_it))
}

/// Whether an expression is a path that ends like the one of a constant or variant.
pub(super) fn is_constant(body: &Body, at: ExprId, constant: &str) -> bool {
    let ExprKind::Path(path) = &body.expr(at).kind else {
        return false;
    };
    let names = path.segments.iter().rev().map(|segment| segment.name.as_str());
    path.segments.len() >= constant.split("::").count()
        && constant.rsplit("::").zip(names).all(|(wanted, name)| wanted == name)
}

/// Whether a method puts something into what it is called on.
fn is_collecting(eval: &Eval<'_, '_>, method: Name) -> bool {
    eval.engine.catalog.words.collecting_calls.iter().any(|name| name == method.as_str())
}

/// A dispatch among the events.
pub(crate) fn dispatched(eval: &mut Eval<'_, '_>, known: &mut Use) {
    let (receiver, args) = &eval.handed_over;
    let all: Vec<Value> = receiver.iter().chain(args).cloned().collect();
    known.sent = Later::new(Value::concat(&all).flat());
    let usage = eval.calling.map_or(Usage::Used, |id| eval.usage(id));
    let catalog = eval.engine.catalog;
    let row = known.row.map(|row| &catalog.dispatches[row as usize]);
    let (later, queues) = row.map_or((false, false), |row| (row.answers_later, row.only_queues));
    let provider = || known.provider.and_then(|id| catalog.provider(id.as_str()));
    let system = row.and_then(|row| row.kind.as_deref()).or_else(|| provider()?.kind.as_deref());
    let awaits = eval.calling.map_or(0, |id| events::awaits(eval.body, &eval.parents, id));
    let kind = EventKind::Dispatch {
        own_id: own_id::of_message(eval, system, &all),
        lasts: match known.lasts == Sources::default() {
            true => limits::set_on(known.receiver.get()).map(Sources::of).unwrap_or_default(),
            false => known.lasts.clone(),
        },
        unanswered: usage != Usage::Used && (later && awaits == 1 || queues && awaits == 0),
        called_back: row.is_some_and(|row| eval.is_called_back(row)),
        refused_in: row.and_then(|row| row.refused_in.as_deref()).filter(|_| usage == Usage::Checked).map(Name::new),
        provider: known.provider,
        keyed: !known.is_keyless() || !known.carried.is_empty(),
        harmless: known.harmless,
        asked: known.asked.clone(),
        presumed: matches!(known.recognition, super::Recognition::Presumed(_)),
        key: Sources::of(&known.key),
        procedure: Sources::of(&known.procedure),
        system: system.map(Name::new),
        http: row.is_some_and(super::dispatch::is_http),
        bare: row.is_some_and(super::dispatch::is_bare),
        args: handed_over(eval),
    };
    eval.event(kind, known.site, known.call, usage);
    eval.acted(known.site, true);
}

/// The origins of everything that the call that is looked at hands over, a transaction that its receiver was made with
/// included.
fn handed_over(eval: &mut Eval<'_, '_>) -> Sources {
    let (receiver, args) = std::mem::take(&mut eval.handed_over);
    Sources::all(&receiver).and(&Sources::given(&args))
}

/// The branch in which a closure runs that a combinator hands the error to: by itself, or beside whoever comes next.
pub(crate) fn error_branch(eval: &mut Eval<'_, '_>, site: &Site<'_>, handed_on: bool) -> Option<(ExprId, u32)> {
    let (id, receiver) = site.receiver.as_ref()?;
    let (about, bare) = outcome::replies(receiver);
    if about.is_empty() || outcome::is_part(eval, *id) {
        return None;
    }
    let left = match (bare, outcome::is_past_error(eval, *id)) {
        // the error of a timeout around the call says that there is no answer
        _ if super::limits::is_timed(eval, *id) => outcome::Outcomes::UNKNOWN,
        (true, _) => outcome::Outcomes::NOT_SENT.or(outcome::Outcomes::UNKNOWN),
        // the answer is there, and there is nothing in it
        (false, true) => outcome::Outcomes::REJECTED.or(outcome::Outcomes::MISSING),
        (false, false) if outcome::is_handed_option(eval, *id) => {
            outcome::Outcomes::ERROR.or(outcome::Outcomes::MISSING)
        }
        (false, false) => outcome::Outcomes::ERROR,
    };
    let branch = (site.id, if handed_on { outcome::HANDED_ON } else { 0 });
    eval.condition(branch, about, left, false);
    Some(branch)
}
