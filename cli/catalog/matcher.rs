//! Finding the row for a call.
//!
//! In: a [`Catalog`] and calls as resolution names them. Out: the row of a table that means the call, if one does. Rows
//! of the application come first, then the closest pattern. Rows that name the call equally closely, not by its full
//! path, and say different things are no answer.

use rustc_hash::{FxHashMap, FxHashSet};

use super::pattern::{Closeness, Pattern};
use super::{
    AutoAck, BodyCall, CallPattern, Carrier, Catalog, ConstantText, Dispatch, HandlerRule, HandlerShape, LeaseCall,
    Lookup, OriginRule, RetryCall, StateWords, StoreCall, path_matches,
};

/// A call as resolution names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call<'a> {
    /// a function or associated function of an external crate, by canonical path
    External(&'a str),
    /// a function of the workspace, or a `crate::` path to what is absent
    Workspace(&'a str),
    /// a method on a type that is external or absent: its path (`reqwest::Client`, `crate::chain::Chain`), or only its
    /// crate, with the fields that lead to the receiver
    Method {
        /// type, or crate alone
        receiver: &'a str,
        /// method
        method: &'a str,
        /// `["self", "gateway"]` for `self.gateway.refund(..)`; may be empty
        fields: &'a [&'a str],
    },
    /// a method on a receiver of unknown type
    Unknown {
        /// method
        method: &'a str,
        /// fields that lead to the receiver
        fields: &'a [&'a str],
    },
    /// a macro, by canonical path or as written
    Macro(&'a str),
}

impl Call<'_> {
    fn name(&self) -> &str {
        match self {
            Self::External(path) | Self::Workspace(path) => last(path),
            Self::Macro(path) => last(path.trim_end_matches('!')),
            Self::Method { method, .. } | Self::Unknown { method, .. } => method,
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A row that names calls.
trait Row: PartialEq {
    fn call(&self) -> &CallPattern;
    fn declared(&self) -> bool;
    /// Whether another row says the same of its call.
    fn agrees(&self, other: &Self) -> bool;
}

macro_rules! row {
    ($($row:ty),*) => {$(
        impl Row for $row {
            fn call(&self) -> &CallPattern {
                &self.call
            }
            fn declared(&self) -> bool {
                self.declared
            }
            fn agrees(&self, other: &Self) -> bool {
                let other = Self { call: self.call.clone(), ..other.clone() };
                *self == other
            }
        }
    )*};
}

row!(Dispatch, Carrier, Lookup, OriginRule, ConstantText, StoreCall, RetryCall, LeaseCall, BodyCall, AutoAck);

/// The patterns of one table by the name that a call must have.
#[derive(Debug, Default)]
struct Names(FxHashMap<String, Vec<(Pattern, usize)>>);

impl Names {
    fn add(&mut self, call: &CallPattern, row: usize) {
        // a text that is no pattern was reported when it was read
        if let Ok(pattern) = Pattern::parse(&call.0) {
            let rows = self.0.entry(pattern.name().to_owned()).or_default();
            rows.push((pattern, row));
        }
    }

    fn of<R: Row>(rows: &[R]) -> Self {
        let mut names = Self::default();
        for (at, row) in rows.iter().enumerate() {
            names.add(row.call(), at);
        }
        names
    }

    /// Rows that name the call, in the order of the table.
    fn candidates(&self, call: &Call<'_>) -> impl Iterator<Item = (Closeness, usize)> {
        let rows = self.0.get(call.name()).map_or(&[][..], Vec::as_slice);
        rows.iter().filter_map(move |(pattern, row)| Some((pattern.closeness(call)?, *row)))
    }

    fn best<'r, R: Row>(&self, rows: &'r [R], call: &Call<'_>) -> Option<&'r R> {
        let mut best: Option<((bool, Closeness), &R)> = None;
        let mut disputed = false;
        for (closeness, at) in self.candidates(call) {
            let row = &rows[at];
            let rank = (row.declared(), closeness);
            match best {
                Some((held, _)) if held > rank => {}
                Some((held, first)) if held == rank => disputed |= !first.agrees(row),
                _ => {
                    best = Some((rank, row));
                    disputed = false;
                }
            }
        }
        let ((_, closeness), row) = best?;
        (!disputed || closeness == Closeness::Exact).then_some(row)
    }

    fn all<'r, R: Row>(&self, rows: &'r [R], call: &Call<'_>) -> Vec<&'r R> {
        let Some(best) = self.best(rows, call) else {
            return Vec::new();
        };
        let same = |at: &usize| rows[*at].call() == best.call() && rows[*at].declared() == best.declared();
        let found = self.candidates(call).map(|(_, at)| at);
        found.filter(same).map(|at| &rows[at]).collect()
    }
}

/// An index over a catalog.
#[derive(Debug)]
pub struct Matcher<'c> {
    catalog: &'c Catalog,
    dispatches: Names,
    carriers: Names,
    lookups: Names,
    origins: Names,
    constants: Names,
    stores: Names,
    retries: Names,
    leases: Names,
    acks: Names,
    auto_acks: Names,
    channels: Names,
    timeouts: Names,
    spawns: Names,
    steps: Names,
    states: Names,
    handlers: Names,
    /// rules by the last segment of the paths that they name, those of the application first
    recognised: FxHashMap<String, Vec<usize>>,
    /// names of all calls, and whether some row tells them by the fields that lead to the receiver
    named: FxHashMap<String, bool>,
    /// the crates of all calls
    crates: FxHashSet<String>,
}

impl Catalog {
    /// Indexes the tables by the names of their calls.
    pub fn matcher(&self) -> Matcher<'_> {
        let mut states = Names::default();
        for (at, state) in self.states.iter().enumerate() {
            for call in &state.calls {
                states.add(call, at);
            }
        }
        let mut handlers = Names::default();
        for (at, handler) in self.handlers.iter().enumerate() {
            if let HandlerShape::Call { call, .. } = &handler.shape {
                handlers.add(call, at);
            }
        }
        let mut named: FxHashMap<String, bool> = FxHashMap::default();
        let mut matcher = Matcher {
            catalog: self,
            dispatches: Names::of(&self.dispatches),
            carriers: Names::of(&self.carriers),
            lookups: Names::of(&self.lookups),
            origins: Names::of(&self.origins),
            constants: Names::of(&self.constants),
            stores: Names::of(&self.stores),
            retries: Names::of(&self.retries),
            leases: Names::of(&self.leases),
            acks: Names::of(&self.acks),
            auto_acks: Names::of(&self.auto_acks),
            channels: Names::of(&self.channels),
            timeouts: Names::of(&self.timeouts),
            spawns: Names::of(&self.spawns),
            steps: Names::of(&self.steps),
            states,
            handlers,
            recognised: recognised(&self.handlers),
            named: FxHashMap::default(),
            crates: FxHashSet::default(),
        };
        for (name, rows) in matcher.tables().into_iter().flat_map(|table| &table.0) {
            let by_fields = rows.iter().any(|(pattern, _)| matches!(pattern, Pattern::Field(..)));
            named.entry(name.clone()).and_modify(|known| *known |= by_fields).or_insert(by_fields);
        }
        matcher.named = named;
        let rows = matcher.tables().into_iter().flat_map(|table| table.0.values()).flatten();
        matcher.crates = rows.filter_map(|(pattern, _)| pattern.crate_name().map(str::to_owned)).collect();
        matcher
    }

    /// The provider with this id.
    pub fn provider(&self, id: &str) -> Option<&super::Provider> {
        self.providers.iter().find(|provider| provider.id == id)
    }

    /// The provider whose API answers at this address, with or without a scheme: the one that names most of it.
    pub fn provider_at(&self, address: &str) -> Option<&super::Provider> {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
        let named = |known: &String| answers(known, &host, path).then_some(known.len());
        let best = |provider: &super::Provider| provider.hosts.iter().filter_map(named).max();
        let found = self.providers.iter().filter_map(|provider| Some((best(provider)?, provider)));
        // the first of equals, so that an application's provider comes before a built-in one
        found.reduce(|held, next| if next.0 > held.0 { next } else { held }).map(|(_, provider)| provider)
    }
}

/// Whether a known place covers this host and path.
fn answers(known: &str, host: &str, path: &str) -> bool {
    let (domain, prefix) = match known.find('/') {
        Some(at) => known.split_at(at),
        None => (known, ""),
    };
    let same_host = match domain.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => domain == host,
    };
    let rest = path.strip_prefix(prefix);
    same_host && rest.is_some_and(|rest| rest.is_empty() || prefix.is_empty() || rest.starts_with(['/', '?', '#']))
}

impl<'c> Matcher<'c> {
    /// The catalog behind the index.
    pub fn catalog(&self) -> &'c Catalog {
        self.catalog
    }

    fn tables(&self) -> [&Names; 16] {
        [
            &self.dispatches,
            &self.carriers,
            &self.lookups,
            &self.origins,
            &self.constants,
            &self.stores,
            &self.retries,
            &self.leases,
            &self.acks,
            &self.auto_acks,
            &self.channels,
            &self.timeouts,
            &self.spawns,
            &self.steps,
            &self.states,
            &self.handlers,
        ]
    }

    /// The call asks a provider to act.
    pub fn dispatch(&self, call: &Call<'_>) -> Option<&'c Dispatch> {
        self.dispatches.best(&self.catalog.dispatches, call)
    }

    /// The call makes a value that carries a key: the rows for it, which differ in [`Carrier::when`].
    pub fn carriers(&self, call: &Call<'_>) -> Vec<&'c Carrier> {
        self.carriers.all(&self.catalog.carriers, call)
    }

    /// The call asks a provider what happened.
    pub fn lookup(&self, call: &Call<'_>) -> Option<&'c Lookup> {
        self.lookups.best(&self.catalog.lookups, call)
    }

    /// Where the call's value comes from.
    pub fn origin(&self, call: &Call<'_>) -> Option<&'c OriginRule> {
        self.origins.best(&self.catalog.origins, call)
    }

    /// The text of a constant of another crate, by its path.
    pub fn constant(&self, path: &str) -> Option<&'c str> {
        let row = self.constants.best(&self.catalog.constants, &Call::External(path))?;
        Some(row.text.as_str())
    }

    /// The call is an operation of a store.
    pub fn store(&self, call: &Call<'_>) -> Option<&'c StoreCall> {
        self.stores.best(&self.catalog.stores, call)
    }

    /// The call runs a body again.
    pub fn retry(&self, call: &Call<'_>) -> Option<&'c RetryCall> {
        self.retries.best(&self.catalog.retries, call)
    }

    /// The call is an operation of a lease.
    pub fn lease(&self, call: &Call<'_>) -> Option<&'c LeaseCall> {
        self.leases.best(&self.catalog.leases, call)
    }

    /// The row for a call that hands something to another task of the process.
    pub fn channel(&self, call: &Call<'_>) -> Option<&'c BodyCall> {
        self.channels.best(&self.catalog.channels, call)
    }

    /// The row for a call that makes settings by which a client acknowledges by itself.
    pub fn auto_ack(&self, call: &Call<'_>) -> Option<&'c AutoAck> {
        self.auto_acks.best(&self.catalog.auto_acks, call)
    }

    /// Whether a row names a method by the fields that lead to its receiver: what kind of call it is shows in a body alone.
    pub fn by_fields(&self, method: &str) -> bool {
        self.named.get(method).is_some_and(|by_fields| *by_fields)
    }

    /// Whether any row names a call of this name: most calls are of no interest to any table.
    pub fn names(&self, name: &str) -> bool {
        self.named.contains_key(name)
    }

    /// Whether any row may mean a call, as far as its name tells.
    pub fn may_mean(&self, call: &Call<'_>) -> bool {
        self.names(call.name())
    }

    /// Whether any row names a call of this crate: of what it has beside them the catalog says that it does nothing.
    pub fn knows_crate(&self, name: &str) -> bool {
        self.crates.contains(name)
    }

    /// The call acknowledges a task.
    pub fn ack(&self, call: &Call<'_>) -> Option<&'c BodyCall> {
        self.acks.best(&self.catalog.acks, call)
    }

    /// The call puts a timeout around a body.
    pub fn timeout(&self, call: &Call<'_>) -> Option<&'c BodyCall> {
        self.timeouts.best(&self.catalog.timeouts, call)
    }

    /// The call runs a body detached.
    pub fn spawn(&self, call: &Call<'_>) -> Option<&'c BodyCall> {
        self.spawns.best(&self.catalog.spawns, call)
    }

    /// The call runs a body as a durable step.
    pub fn step(&self, call: &Call<'_>) -> Option<&'c BodyCall> {
        self.steps.best(&self.catalog.steps, call)
    }

    /// The states of which the call tells.
    pub fn states(&self, call: &Call<'_>) -> Vec<&'c StateWords> {
        let states = &self.catalog.states;
        self.states.candidates(call).map(|(_, at)| &states[at]).collect()
    }

    /// The call registers a handler: the rule, and the argument that is the handler.
    pub fn registration(&self, call: &Call<'_>) -> Option<(&'c HandlerRule, u32)> {
        let handlers = &self.catalog.handlers;
        let found = self.handlers.candidates(call).max_by_key(|(closeness, at)| (handlers[*at].declared, *closeness));
        let rule = &handlers[found?.1];
        match rule.shape {
            HandlerShape::Call { argument, .. } => Some((rule, argument)),
            _ => None,
        }
    }

    /// The rule that names this function of the workspace.
    pub fn handler_function(&self, path: &str) -> Option<&'c HandlerRule> {
        self.handler(path, |shape| matches!(shape, HandlerShape::Function(function) if path_matches(function, path)))
    }

    /// The rule for this method of an impl of this trait (canonical path, or the name alone where it is unknown).
    pub fn handler_trait(&self, trait_path: &str, method: &str) -> Option<&'c HandlerRule> {
        self.handler(trait_path, |shape| match shape {
            HandlerShape::Trait { trait_path: known, method: name } => name == method && names(known, trait_path),
            _ => false,
        })
    }

    /// The rule for a function that carries this attribute (canonical path, or the name as written).
    pub fn handler_attribute(&self, path: &str) -> Option<&'c HandlerRule> {
        self.handler(path, |shape| matches!(shape, HandlerShape::Attribute(known) if names(known, path)))
    }

    /// The rule for a function with a parameter of this type (canonical path, or the name alone).
    pub fn handler_parameter(&self, type_path: &str) -> Option<&'c HandlerRule> {
        let by = |is: fn(&str, &str) -> bool| {
            self.handler(type_path, |shape| match shape {
                HandlerShape::Parameter(types) => types.iter().any(|known| is(known, type_path)),
                _ => false,
            })
        };
        // A crate may have two types of one name, of which only one is delivered again.
        by(path_matches).or_else(|| by(names))
    }

    /// The first rule that names something called as this path ends.
    fn handler(&self, path: &str, is: impl Fn(&HandlerShape) -> bool) -> Option<&'c HandlerRule> {
        let rules = self.recognised.get(last(path))?.iter().map(|&at| &self.catalog.handlers[at]);
        rules.into_iter().find(|rule| is(&rule.shape))
    }
}

fn recognised(handlers: &[HandlerRule]) -> FxHashMap<String, Vec<usize>> {
    let mut order: Vec<usize> = (0..handlers.len()).collect();
    order.sort_by_key(|&at| !handlers[at].declared);
    let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for at in order {
        let paths: Vec<&str> = match &handlers[at].shape {
            HandlerShape::Function(path) | HandlerShape::Attribute(path) => vec![path],
            HandlerShape::Trait { trait_path, .. } => vec![trait_path],
            HandlerShape::Parameter(types) => types.iter().map(String::as_str).collect(),
            HandlerShape::Call { .. } => Vec::new(),
        };
        for path in paths {
            by_name.entry(last(path).to_owned()).or_default().push(at);
        }
    }
    by_name
}

/// Whether a known name means this path: a name alone is any path's last segment; a path needs the same crate, and the
/// same last segment under whatever module.
fn names(known: &str, path: &str) -> bool {
    if !known.contains("::") {
        return known == last(path);
    }
    let first = |path: &str| path.split("::").next().map(str::to_owned);
    path_matches(known, path)
        || (!known.starts_with("crate::")
            && path.contains("::")
            && first(known) == first(path)
            && last(known) == last(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Gives, WithoutKey};

    fn origin(call: &str, gives: Gives, declared: bool) -> OriginRule {
        OriginRule {
            call: CallPattern(call.into()),
            gives,
            keeps: Vec::new(),
            one_of: false,
            mutates: None,
            width: None,
            widens: None,
            cuts: None,
            unit: None,
            digest: false,
            surroundings: false,
            serializes: false,
            declared,
        }
    }

    #[test]
    fn the_application_wins_then_the_closest() {
        let catalog = Catalog {
            origins: vec![
                origin("_::id", Gives::Kept, false),
                origin("keys::Maker::id", Gives::Durable, false),
                origin("keys::*::id", Gives::Input, false),
            ],
            ..Catalog::default()
        };
        let call = Call::Method { receiver: "keys::Maker", method: "id", fields: &[] };
        let gives = |catalog: &Catalog| catalog.matcher().origin(&call).map(|row| row.gives.clone());
        assert_eq!(gives(&catalog), Some(Gives::Durable));
        let mut with_own = catalog.clone();
        with_own.origins.push(origin("_::id", Gives::Stored, true));
        assert_eq!(gives(&with_own), Some(Gives::Stored));
    }

    #[test]
    fn rows_that_disagree_are_no_answer() {
        let catalog = Catalog {
            origins: vec![
                origin("keys::a::Maker::id", Gives::Kept, false),
                origin("keys::b::Maker::id", Gives::Durable, false),
            ],
            ..Catalog::default()
        };
        let matcher = catalog.matcher();
        assert!(matcher.origin(&Call::External("keys::Maker::id")).is_none());
        assert!(matcher.origin(&Call::External("keys::b::Maker::id")).is_some());
    }

    #[test]
    fn carriers_come_with_all_their_features() {
        let carrier = |when: Option<&str>, without_key| Carrier {
            call: CallPattern("stripe::RequestStrategy::Retry".into()),
            key: None,
            without_key,
            when: when.map(str::to_owned),
            declared: false,
        };
        let catalog = Catalog {
            carriers: vec![carrier(Some("uuid"), WithoutKey::MintedPerSend), carrier(None, WithoutKey::RetriedUnkeyed)],
            ..Catalog::default()
        };
        let found = catalog.matcher().carriers(&Call::External("stripe::RequestStrategy::Retry")).len();
        assert_eq!(found, 2);
    }

    #[test]
    fn an_address_belongs_to_the_provider_that_names_most_of_it() {
        let catalog = crate::catalog::built_in();
        let id = |address: &str| catalog.provider_at(address).map(|provider| provider.id.as_str());
        assert_eq!(id("https://api.stripe.com/v1/charges"), Some("stripe-v1"));
        assert_eq!(id("https://api.stripe.com/v2/core/accounts"), Some("stripe-v2"));
        assert_eq!(id("https://user@API.stripe.com:443"), Some("stripe-v1"));
        assert_eq!(id("https://checkout-test.adyen.com/v71/payments"), Some("adyen"));
        assert_eq!(id("https://api.stripe.com.evil.example/v1"), None);
        assert_eq!(id("https://.adyen.com/"), None);
        assert_eq!(id(""), None);
    }

    #[test]
    fn a_path_names_one_crate_and_a_name_names_any() {
        assert!(names("restate_sdk::handler", "restate_sdk::prelude::handler"));
        assert!(!names("restate_sdk::handler", "other::handler"));
        assert!(!names("restate_sdk::handler", "handler"));
        assert!(names("BackgroundJob", "crates_io_worker::BackgroundJob"));
        assert!(names("crate::jobs::Ctx", "shop::jobs::Ctx"));
    }
}
