//! Which call is the dispatch, and where its key stands.
//!
//! In this order of strength: declared by the application, known to the catalog, presumed from names where following
//! ends, and key positions with no dispatch in sight.

mod builder;
pub(crate) mod carried;
mod carriers;
pub(crate) mod converted;
mod entry;
mod free;
mod key;
pub(crate) mod lent;
pub(crate) mod method;
mod presumed;
mod stored_key;

pub(crate) use builder::{awaited, client_built, is_started, is_unsent, read, returned, sent};
use builder::{reading, steps_of};
pub(crate) use entry::entered;
pub(crate) use free::{
    KEY_HEADER, field, header_pair, key_argument, reads_key_header, record, sets_key_header, stored_keys,
};
use free::{is_key_input, stored};
use key::{Found, MAX_SEARCH, field_in, in_value, is_key_header, key_of, sets_unknown_header};
pub(crate) use key::{WITHHELD, client_facts, is_carried, is_key_name};
use method::{Asked, Says};
use presumed::by_name;
pub(crate) use presumed::presumed;

use std::sync::Arc;

use effect_contracts_grammar::Mechanism;

use super::Recognition;
use super::call::{Site, add_use};
use super::eval::Eval;
use super::rows::MAX_TARGETS;
use super::scope::{asks, begins_with_any, has_word};
use super::sources::Sources;
use super::uses::Use;
use super::value::{Atom, BuildStep, Kind, Later, Shape, Trail, Value};
use crate::catalog::{Catalog, Dispatch, KeyPosition, Provider, WithoutKey, Words};
use crate::ir::Name;
use crate::resolve::{Callee, Ty};
use crate::source::Span;

/// Whether a contract of the enclosing function names this call as its dispatch.
pub(crate) fn declared(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let Some(function) = eval.function else {
        return false;
    };
    let mut paths = eval
        .engine
        .contracts
        .iter()
        .filter(|contract| contract.bodies.contains(&function))
        .flat_map(|contract| &contract.contract.dispatch)
        .peekable();
    if paths.peek().is_none() {
        return false;
    }
    let calls = site.call(eval.engine.program);
    paths.any(|path| {
        let Ok(pattern) = crate::catalog::Pattern::parse(path) else {
            return false;
        };
        calls.iter().any(|call| pattern.matches(call)) || names_type_and_method(path, site, eval)
    })
}

/// `Stripe::create_charge` as the attribute writes it: a path in the scope of the handler.
fn names_type_and_method(path: &str, site: &Site<'_>, eval: &Eval<'_, '_>) -> bool {
    let written = path.strip_prefix("crate::").unwrap_or(path);
    let Some(Callee::Functions(ids)) = site.callee else {
        let called = match site.callee {
            Some(Callee::Unresolved(called) | Callee::External(called)) => called.to_string(),
            Some(Callee::ExternalMethod { receiver, method }) => format!("{receiver}::{method}"),
            _ => return false,
        };
        return ends_with_path(&called, written);
    };
    let program = eval.engine.program;
    ids.iter().any(|&id| {
        let function = program.function(id);
        // a call through a trait is a call of its implementations
        let of_trait = function.trait_.is_some_and(|trait_| {
            let trait_ = program.traits[trait_.0 as usize].path;
            ends_with_path(&format!("{trait_}::{}", function.ir.name), written)
        });
        of_trait || ends_with_path(function.path.as_str(), written)
    })
}

fn ends_with_path(path: &str, tail: &str) -> bool {
    path == tail || path.strip_suffix(tail).is_some_and(|front| front.ends_with("::"))
}

fn new_use(eval: &Eval<'_, '_>, site: Span, call: &str, recognition: Recognition) -> Option<Use> {
    Some(Use {
        site,
        function: eval.function?,
        call: Name::new(call),
        provider: None,
        row: None,
        recognition,
        without_key: WithoutKey::Nothing,
        harmless: false,
        key: Value::bottom(),
        position: None,
        carried: Vec::new(),
        bodies: Vec::new(),
        handed_over: false,
        sibling_keyed: false,
        receiver: Later::default(),
        lasts: Sources::default(),
        operation: Later::default(),
        asked: None,
        procedure: Value::bottom(),
        sent: Later::default(),
        repeat: None,
        alone: false,
        kept: false,
        loose: false,
        chosen: false,
        calls: Vec::new(),
        each: Vec::new(),
        branches: eval.branches.clone(),
    })
}

fn finish(eval: &mut Eval<'_, '_>, mut new: Use) {
    new.mark_per_call();
    let scopes = eval.regions.clone();
    new.settle(&scopes);
    if let Some(position) = new.position {
        new.key = new.key.step(position, "sent as the key here");
    }
    if !matches!(new.recognition, Recognition::FreeStanding | Recognition::Reading) {
        super::operation::dispatched(eval, &mut new);
    }
    add_use(eval, new);
}

/// A call that is a row of the catalog and acts by itself.
pub(crate) fn from_row(eval: &mut Eval<'_, '_>, site: &Site<'_>, row: &Dispatch) -> Option<(Span, bool)> {
    let arg_spans = site.arg_ids.iter().map(|&id| eval.span_of(id)).collect();
    let step = BuildStep { arg_spans, ..BuildStep::plain(site.name, site.args.clone(), site.span) };
    let receiver = site.receiver.as_ref().map(|(_, value)| value.clone()).unwrap_or_default();
    let carried = carried::of_call(eval, site, row);
    one(eval, row, &step, &receiver, carried, site.span);
    Some((site.span, is_bare(row)))
}

/// Whether the call is one of an HTTP client.
pub(crate) fn is_http(row: &Dispatch) -> bool {
    row.address.is_some() || row.http_method.is_some()
}

/// Whether the answer is a bare HTTP one, whose status is still to be looked at.
pub(crate) fn is_bare(row: &Dispatch) -> bool {
    is_http(row) && !row.fails_on_status
}

/// Whether a dispatch is raw HTTP of which nobody knows whom it asks.
pub(crate) fn is_unnamed(catalog: &Catalog, known: &Use) -> bool {
    let row = known.row.map(|row| &catalog.dispatches[row as usize]);
    known.provider.is_none() && row.is_some_and(|row| !row.declared && is_http(row))
}

/// A call that a contract names as its dispatch, with no row that says where the key stands.
pub(crate) fn from_contract(eval: &mut Eval<'_, '_>, site: &Site<'_>) -> Option<(Span, bool)> {
    if let Some(Callee::Functions(ids)) = site.callee {
        // What stands below it says more than its name.
        if ids.iter().take(MAX_TARGETS).any(|&id| !eval.engine.summary(id).uses.is_empty()) {
            return None;
        }
    }
    let found = by_name(eval, site);
    let mut new = new_use(eval, site.span, site.name.as_str(), Recognition::Declared)?;
    if let Some(found) = found {
        new.position = Some(found.position);
        new.key = found.value;
    }
    new.operation = Later::new(eval.constant(Some(site.name.as_str())));
    finish(eval, new);
    Some((site.span, false))
}

fn one(eval: &mut Eval<'_, '_>, row: &Dispatch, step: &BuildStep, receiver: &Value, carried: Vec<Value>, span: Span) {
    let key = match key_of(eval, row, step, &[], receiver) {
        Some(found) => Given { key: found.value, position: Some(found.position), ..Given::default() },
        None if may_hold_key(row, &step.args) => {
            let reason = "the key is a field of a value that is put together elsewhere";
            Given { key: eval.opaque(reason, span), ..Given::default() }
        }
        None => Given { key: absent(eval, span), carried, ..Given::default() },
    };
    record_use(eval, row, step, key, receiver, span, None);
}

/// Whether the key of a call would be a field of an argument that is not put together in sight.
fn may_hold_key(row: &Dispatch, args: &[Value]) -> bool {
    let by_field = row.keys.iter().any(|key| matches!(key, KeyPosition::Field(_) | KeyPosition::Body(_)));
    let given = |value: &Value| {
        value.alts.iter().any(|alt| {
            let whole =
                alt.atoms.iter().any(|atom| matches!(atom.kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored));
            whole && !matches!(alt.shape, Shape::Record(_))
        })
    };
    row.declared && by_field && args.iter().any(given)
}

/// The key that a dispatch is given.
#[derive(Default)]
struct Given {
    key: Value,
    position: Option<Span>,
    /// headers and requests of the caller in which it may stand
    carried: Vec<Value>,
    /// bodies of the caller in which it may stand
    bodies: Vec<Value>,
    /// a content goes along whatever way was taken
    filled: bool,
    /// what goes along is a question: a query of GraphQL
    asks: bool,
    /// the name of the procedure that is asked for
    procedure: Value,
    /// how long the request itself may take
    lasts: Sources,
}

fn record_use(
    eval: &mut Eval<'_, '_>,
    row: &Dispatch,
    step: &BuildStep,
    given: Given,
    receiver: &Value,
    span: Span,
    method: Option<Value>,
) {
    let Given { mut key, position, carried, bodies, filled, asks: question, procedure, lasts } = given;
    let recognition = if row.declared { Recognition::Declared } else { Recognition::Catalog };
    let address = row.address.and_then(|number| step.args.get(number as usize));
    let provider = row.provider.as_deref().map(Name::new).or_else(|| provider_at(eval.engine.catalog, address?));
    let catalog = eval.engine.catalog;
    let states =
        |value: &Value| field_in(value, &|field| row.absolute_by.iter().any(|by| by == field), span, 0).is_some();
    let stated = !row.absolute_by.is_empty() && step.args.iter().any(states);
    let names_result = provider.is_some_and(|id| eval.engine.catalog.provider(id.as_str()).is_some_and(names_result));
    let mut harmless = row.absolute || stated || names_result;
    let mut asked = None;
    if row.http_method.is_some() || row.method_by.is_some() {
        let method = method.or_else(|| row.http_method.and_then(|number| step.args.get(number as usize)).cloned());
        let method = method.unwrap_or_default();
        match method::says(&method, filled) {
            Says::Asks => return reading(eval, key, position, span),
            Says::Acts => {}
            Says::States => harmless = true,
            Says::Open => {
                // A key that is left out on some path is left out where the request only asks.
                if position.is_some() && method::is_told_apart(eval.body) {
                    key = key.present();
                }
                asked = Some(method);
            }
        }
    }
    // A query may be posted, too.
    let words = &eval.engine.catalog.words;
    let at_address = |is: fn(&Words, &Value) -> bool| address.is_some_and(|at| is(words, at));
    let only_asks = || is_query(eval) || at_address(super::address::asks) || at_address(super::address::is_local);
    let of_client = (is_http(row) || row.may_ask) && !row.declared && position.is_none();
    let unnamed = of_client && provider.is_none();
    harmless |= question || unnamed && only_asks();
    // Nor does one act that is named after what it reads.
    if of_client && (super::address::is_reading(words, &procedure) || at_address(super::address::names_reading)) {
        return;
    }
    let Some(mut new) = new_use(eval, span, step.name.as_str(), recognition) else {
        return;
    };
    new.provider = provider;
    let mut clients = std::iter::once(receiver).chain(&step.args);
    let by_client = clients.find_map(|value| carriers::without_key(catalog, value));
    new.without_key = by_client.unwrap_or(row.without_key);
    new.harmless = harmless || asked.is_some();
    new.asked = asked.map(|method| {
        let address = address.cloned().unwrap_or_default();
        Arc::new(Asked { method, address, harmless, filled, unnamed })
    });
    new.procedure = procedure;
    new.lasts = lasts;
    let cannot = stated || row.keys.iter().all(|key| *key == KeyPosition::None);
    new.key = if cannot { Value::bottom() } else { key };
    new.position = position;
    if !cannot {
        new.carried = carried;
        new.bodies = bodies;
    }
    new.row = super::call::number_of(&eval.engine.catalog.dispatches, row);
    new.handed_over = row.answers_later || row.only_queues;
    // A function that is called by path has its client as first argument.
    new.receiver = Later::new(match receiver.is_bottom() {
        true => step.args.first().cloned().unwrap_or_default(),
        false => receiver.clone(),
    });
    // `Customer::create` and `Subscription::create` are two things.
    let called = match eval.calling.and_then(|id| eval.types.callee(id)) {
        Some(Callee::External(path)) => *path,
        _ => step.name,
    };
    let name = eval.constant(Some(called.as_str()));
    new.operation = Later::new(match address {
        Some(address) => Value::concat(&[name, address.flat()]),
        None => name,
    });
    finish(eval, new);
}

/// Whether the function around says by its name that it asks rather than acts.
fn is_query(eval: &Eval<'_, '_>) -> bool {
    let Some(function) = eval.function else {
        return false;
    };
    let words = &eval.engine.catalog.words;
    let name = eval.engine.program.function(function).ir.name.as_str();
    // `run_query`: that something is run says nothing.
    let carried = name.split_once('_').filter(|(first, _)| words.carrier_verbs.iter().any(|verb| verb == first));
    let rest =
        carried.map_or(name, |(_, rest)| words.carrier_ends.iter().fold(rest, |rest, end| rest.trim_end_matches(end)));
    let noun = rest.rsplit('_').next().unwrap_or(rest);
    let asks = asks(words, name)
        || carried.is_some() && words.question_nouns.iter().any(|word| word == noun)
        || carried.is_none() && is_state(eval, name);
    asks && !words.verbs.iter().any(|verb| has_word(rest, verb)) && !has_word(rest, "or")
}

/// Whether a function is named after how something stands, and answers with it: `order_status`. One that begins with a verb
/// changes it.
fn is_state(eval: &Eval<'_, '_>, name: &str) -> bool {
    let words = &eval.engine.catalog.words;
    let named = name.rsplit_once('_').is_some_and(|(_, noun)| words.state_nouns.iter().any(|word| word == noun));
    let verbs = [&words.client_verbs, &words.storing_verbs, &words.result_verbs, &words.listing_verbs];
    let nothing = |ty: &Ty| matches!(ty, Ty::Tuple(parts) if parts.is_empty());
    let ret = eval.function.map(|id| &eval.engine.program.function(id).ret);
    let answers = ret.is_some_and(|ret| match ret {
        Ty::External(_, args) => !args.first().is_some_and(nothing),
        ret => !nothing(ret),
    });
    named && answers && !verbs.iter().any(|verbs| begins_with_any(name, verbs))
}

/// Whether what a provider is asked for names what there is to be afterwards: an object store's object. Where a precondition
/// is what keeps two writers apart, a repeat without one writes the same again.
pub(crate) fn names_result(provider: &Provider) -> bool {
    provider.mechanism == Mechanism::Precondition
}

/// The provider whose host an address names.
pub(crate) fn provider_at(catalog: &Catalog, address: &Value) -> Option<Name> {
    address.flat().atoms().find_map(|atom| match &atom.kind {
        Kind::Constant(Some(text)) => {
            let rest = text.as_str().split_once("://")?.1;
            let host = rest.split(['/', ':', '?', '\u{0}']).next()?;
            catalog.provider_at(host).map(|provider| Name::new(&provider.id))
        }
        _ => None,
    })
}

fn absent(eval: &Eval<'_, '_>, span: Span) -> Value {
    Value::atom(Atom::new(Kind::Absent, eval.here(), Trail::start(span, "sent without a key")))
}
