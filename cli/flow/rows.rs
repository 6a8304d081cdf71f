//! What the catalog says of a call, asked once for each thing that is called.
//!
//! In: a callee as resolution names it. Out: the row of each table that means it. Where a call may mean several functions,
//! the first that has a row in a table speaks for that table.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::catalog::{
    AutoAck, BodyCall, Call, Carrier, Dispatch, LeaseCall, Lookup, Matcher, OriginRule, RetryCall, StoreCall,
};
use crate::ir::Name;
use crate::resolve::{Callee, FnId, Program, Ty};
use crate::source::PackageId;

/// Functions behind one dynamic call that are asked about.
pub(crate) const MAX_TARGETS: usize = 12;

/// The rows for one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<'p> {
    pub(crate) dispatch: Option<&'p Dispatch>,
    pub(crate) carriers: Vec<&'p Carrier>,
    pub(crate) lookup: Option<&'p Lookup>,
    pub(crate) origin: Option<&'p OriginRule>,
    pub(crate) store: Option<&'p StoreCall>,
    pub(crate) retry: Option<&'p RetryCall>,
    pub(crate) lease: Option<&'p LeaseCall>,
    pub(crate) channel: Option<&'p BodyCall>,
    pub(crate) auto_ack: Option<&'p AutoAck>,
    pub(crate) ack: Option<&'p BodyCall>,
    pub(crate) timeout: Option<&'p BodyCall>,
    pub(crate) spawn: Option<&'p BodyCall>,
    pub(crate) step: Option<&'p BodyCall>,
}

impl<'p> Rows<'p> {
    /// Takes over what another call's rows say where these say nothing.
    fn complete(&mut self, matcher: &Matcher<'p>, call: &Call<'_>) {
        if !matcher.may_mean(call) {
            return;
        }
        self.dispatch = self.dispatch.or_else(|| matcher.dispatch(call));
        if self.carriers.is_empty() {
            self.carriers = matcher.carriers(call);
        }
        self.lookup = self.lookup.or_else(|| matcher.lookup(call));
        self.origin = self.origin.or_else(|| matcher.origin(call));
        self.store = self.store.or_else(|| matcher.store(call));
        self.retry = self.retry.or_else(|| matcher.retry(call));
        self.lease = self.lease.or_else(|| matcher.lease(call));
        self.channel = self.channel.or_else(|| matcher.channel(call));
        self.auto_ack = self.auto_ack.or_else(|| matcher.auto_ack(call));
        self.ack = self.ack.or_else(|| matcher.ack(call));
        self.timeout = self.timeout.or_else(|| matcher.timeout(call));
        self.spawn = self.spawn.or_else(|| matcher.spawn(call));
        self.step = self.step.or_else(|| matcher.step(call));
    }
}

/// A call as far as the catalog can tell it from others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Macro(Name),
    External(Name),
    Unresolved(Name),
    Method(Name, Name, Vec<&'static str>),
    Unknown(Name, Vec<&'static str>),
    Functions(Vec<FnId>, Option<PackageId>),
}

/// Rows by call, found on demand, for all threads.
#[derive(Debug)]
pub(crate) struct RowTable<'p> {
    program: &'p Program,
    matcher: &'p Matcher<'p>,
    known: RwLock<FxHashMap<Key, Arc<Rows<'p>>>>,
    nothing: Arc<Rows<'p>>,
    /// the traits of other crates that types of the workspace implement, by the path of the type
    pub(crate) traits: FxHashMap<Name, Vec<Name>>,
}

impl<'p> RowTable<'p> {
    pub(crate) fn new(program: &'p Program, matcher: &'p Matcher<'p>) -> Self {
        let traits = traits_of_others(program);
        Self { program, matcher, known: RwLock::default(), nothing: Arc::default(), traits }
    }

    /// The rows for a callee; `fields` lead to the receiver, `package` is the one in which the call stands.
    pub(crate) fn of(
        &self,
        callee: Option<&Callee>,
        is_macro: bool,
        fields: &[&'static str],
        package: Option<PackageId>,
    ) -> Arc<Rows<'p>> {
        let matcher = self.matcher;
        let led = |method: &Name| if matcher.by_fields(method.as_str()) { fields.to_vec() } else { Vec::new() };
        let key = match callee {
            Some(Callee::External(path) | Callee::Unresolved(path)) if is_macro => Key::Macro(*path),
            Some(Callee::External(path)) => Key::External(*path),
            Some(Callee::Unresolved(path)) => Key::Unresolved(*path),
            Some(Callee::ExternalMethod { receiver, method }) => Key::Method(*receiver, *method, led(method)),
            Some(Callee::UnknownMethod(method)) => Key::Unknown(*method, led(method)),
            Some(Callee::Functions(ids)) => {
                let named = |id: &FnId| matcher.names(self.program.function(*id).ir.name.as_str());
                if !ids.iter().take(MAX_TARGETS).any(named) {
                    return self.nothing.clone();
                }
                Key::Functions(ids.clone(), package)
            }
            _ => return self.nothing.clone(),
        };
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let mut rows = Rows::default();
        for call in calls(self.program, callee, is_macro, fields, package) {
            rows.complete(matcher, &call);
        }
        // What a type does not say itself, the trait says that it implements.
        if let Some(Callee::ExternalMethod { receiver, method }) = callee {
            for of in self.traits.get(receiver).into_iter().flatten() {
                rows.complete(matcher, &Call::Method { receiver: of.as_str(), method: method.as_str(), fields });
            }
        }
        let rows = Arc::new(rows);
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(key, rows.clone());
        rows
    }
}

/// The traits of other crates that types of the workspace implement, by the path of the type.
fn traits_of_others(program: &Program) -> FxHashMap<Name, Vec<Name>> {
    let mut found: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    for block in &program.impls {
        let (Ty::Adt(id, _), None, Some(path)) = (&block.self_ty, block.trait_, block.trait_path) else {
            continue;
        };
        // Everything implements those.
        if !path.as_str().starts_with("std::") {
            found.entry(program.type_(*id).path).or_default().push(path);
        }
    }
    found
}

/// A callee as the catalog asks for it, for each function that it may mean.
pub(crate) fn calls<'a>(
    program: &'a Program,
    callee: Option<&'a Callee>,
    is_macro: bool,
    fields: &'a [&'static str],
    package: Option<PackageId>,
) -> Vec<Call<'a>> {
    match callee {
        Some(Callee::External(path) | Callee::Unresolved(path)) if is_macro => vec![Call::Macro(path.as_str())],
        Some(Callee::Unresolved(path)) if path.as_str().starts_with("crate::") => vec![Call::Workspace(path.as_str())],
        Some(Callee::External(path) | Callee::Unresolved(path)) => vec![Call::External(path.as_str())],
        Some(Callee::ExternalMethod { receiver, method }) => {
            vec![Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields }]
        }
        Some(Callee::UnknownMethod(method)) => vec![Call::Unknown { method: method.as_str(), fields }],
        Some(Callee::Functions(ids)) => {
            ids.iter().take(MAX_TARGETS).flat_map(|&id| of_function(program, id, package)).collect()
        }
        _ => Vec::new(),
    }
}

/// A function of the workspace; one of another package also as the crate that the catalog may know.
fn of_function(program: &Program, id: FnId, package: Option<PackageId>) -> Vec<Call<'_>> {
    let info = program.function(id);
    let path = info.path.as_str();
    let mut calls = vec![Call::Workspace(path)];
    // A method that a type has of a trait is also the trait's.
    if let Some(of) = info.trait_ {
        let path = format!("{}::{}", program.traits[of.0 as usize].path, info.ir.name);
        calls.push(Call::Workspace(Name::new(&path).as_str()));
    }
    if Some(info.package) != package {
        calls.push(Call::External(path));
        if let (true, Some((receiver, method))) = (info.ir.has_self, path.rsplit_once("::")) {
            calls.push(Call::Method { receiver, method, fields: &[] });
        }
    }
    calls
}
