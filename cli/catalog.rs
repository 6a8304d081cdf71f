//! Knowledge of the outside world, as data: providers, calls, origins, states, runtimes.
//!
//! In: the built-in `cli/catalog/*.toml` and the tables of the same form in `effects.toml` (which win). Out: a
//! [`Catalog`] with an index by the last segment of each call. The engine knows mechanisms; names live here.

use std::time::Duration;

use effect_contracts_grammar::{Mechanism, Window};
use regex::Regex;

/// All tables.
#[derive(Debug, Default)]
pub struct Catalog {
    /// outside systems
    pub providers: Vec<Provider>,
    /// calls that ask a provider to act
    pub dispatches: Vec<Dispatch>,
    /// calls that ask a provider what happened
    pub lookups: Vec<Lookup>,
    /// where values come from
    pub origins: Vec<OriginRule>,
    /// calls of stores
    pub stores: Vec<StoreCall>,
    /// tables of the application's database
    pub tables: Vec<Table>,
    /// words and variants that mean a state
    pub states: Vec<StateWords>,
    /// calls that run a body again
    pub retries: Vec<RetryCall>,
    /// what counts as a handler
    pub handlers: Vec<HandlerRule>,
    /// lease operations
    pub leases: Vec<LeaseCall>,
    /// acknowledgements
    pub acks: Vec<BodyCall>,
    /// timeouts around a body
    pub timeouts: Vec<BodyCall>,
    /// detached tasks
    pub spawns: Vec<BodyCall>,
    /// durable steps
    pub steps: Vec<BodyCall>,
    /// names that mean something where following ends
    pub words: Words,
}

/// A call as the catalog names it.
///
/// Forms: `uuid::Uuid::new_v4` (function or method by canonical path), `reqwest::*::send` (a method of any type of that
/// crate), `_::to_string` (a method of any receiver), `_.gateway.refund` (field path and method of a receiver of unknown
/// type), `crate::billing::Client::charge` (any package of the workspace), `macro sqlx::query` (a macro).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallPattern(pub String);

/// An outside system.
#[derive(Clone, Debug)]
pub struct Provider {
    /// id, as contracts name it
    pub id: String,
    /// display name
    pub name: Option<String>,
    /// payment, queue, workflow-engine, email, http, push, database, sms, webhook
    pub kind: Option<String>,
    /// how a repeat is neutralised
    pub mechanism: Mechanism,
    /// header, body-field …
    pub key_transport: Option<String>,
    /// header or field name
    pub key_name: Option<String>,
    /// greatest length of a key, in characters
    pub key_max_len: Option<u32>,
    /// for readers
    pub key_charset: Option<String>,
    /// what is checked
    pub key_pattern: Option<Regex>,
    /// within what a key is unique, for readers
    pub key_scope: Option<String>,
    /// the window that can be relied on
    pub window: Window,
    /// upper limit of a configurable window
    pub window_max: Option<Duration>,
    /// from when the window counts: first-request, completion, scheduled-time
    pub window_anchor: Option<String>,
    /// error, returns-earlier, new-operation …
    pub on_payload_mismatch: Option<String>,
    /// what a concurrent request with the same key gets, for readers
    pub on_concurrent: Option<String>,
    /// key, reference, metadata, list, webhook …; absent: no lookup known
    pub lookup_by: Option<String>,
    /// how long a lookup lags behind
    pub lookup_lag: Option<Duration>,
    /// whether its effects can be undone
    pub reversible: Option<bool>,
    /// where the facts were read
    pub sources: Vec<String>,
    /// when they were read, `YYYY-MM`
    pub read_on: Option<String>,
    /// host names of its API, to recognise raw HTTP: `api.stripe.com`
    pub hosts: Vec<String>,
}

/// Where a call carries its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyPosition {
    /// argument number, from 0, without the receiver
    Argument(u32),
    /// a header of that name (compared without case) set on the request in any way
    Header(String),
    /// a builder method of that name on the same chain
    Method(String),
    /// a field of any argument's struct, Rust or serialised name
    Field(String),
    /// a strategy, options or client value made by that call, which carries the key
    Carrier(String),
    /// a place in the request's body: `a.b`
    Body(String),
    /// the call cannot carry a key
    None,
}

/// What happens when a dispatch carries no key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WithoutKey {
    /// the request goes out unkeyed
    #[default]
    Nothing,
    /// the library makes a random key for each call
    MintedPerCall,
    /// the library makes a random key for each send
    MintedPerSend,
    /// the library repeats the request without a key
    RetriedUnkeyed,
}

/// A call that asks a provider to act.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// which call; for a fluent builder the call that starts it
    pub call: CallPattern,
    /// provider id; absent for raw HTTP clients, whose provider depends on the address
    pub provider: Option<String>,
    /// key positions, any of which carries the key
    pub keys: Vec<KeyPosition>,
    /// when no key is given
    pub without_key: WithoutKey,
    /// the method that ends a fluent builder and sends (`send`, `execute`); absent: the call itself acts
    pub sends: Vec<String>,
    /// under which cargo feature of the crate this row holds
    pub when: Option<String>,
    /// the call can act or only read, as an HTTP method given by this argument decides (`Client::request`)
    pub http_method: Option<u32>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// A call that asks a provider what happened.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// which call
    pub call: CallPattern,
    /// provider id
    pub provider: Option<String>,
    /// key positions
    pub keys: Vec<KeyPosition>,
}

/// What a call gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gives {
    /// a fresh value: random, clock, counter, process, address, map-order
    Fresh(FreshKind),
    /// differs between attempts: count, delivery-id, lease, token
    Attempt(String),
    /// journaled or seeded by an engine
    Durable,
    /// read from a store
    Stored,
    /// from outside the process: request, task, environment
    Input,
    /// the empty value
    Empty,
    /// fixed at build time
    Constant,
    /// only what the `keeps` arguments give
    Kept,
    /// something that cannot be followed, with the reason
    Opaque(String),
}

/// What makes a fresh value fresh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the words are those of the design")]
pub enum FreshKind {
    Random,
    Clock,
    Counter,
    Process,
    Address,
    MapOrder,
}

/// Where the value of a call comes from.
#[derive(Clone, Debug)]
pub struct OriginRule {
    /// which call
    pub call: CallPattern,
    /// what it gives in itself
    pub gives: Gives,
    /// whose origins the result keeps: -1 is the receiver, 0… are the arguments
    pub keeps: Vec<i32>,
    /// greatest and exact width of the result in characters, where fixed (hex of SHA-256: 64)
    pub width: Option<u32>,
}

/// An operation of a store.
#[derive(Clone, Debug)]
pub struct StoreCall {
    /// which call
    pub call: CallPattern,
    /// query, execute, begin, commit, rollback, claim, conditional_update
    pub op: String,
    /// argument that is the executor (connection, pool, transaction); -1 is the receiver
    pub executor: Option<i32>,
    /// where the key of a claim stands
    pub key: Option<KeyPosition>,
    /// table, where the call fixes it
    pub table: Option<String>,
    /// argument that holds SQL text
    pub sql: Option<u32>,
}

/// A table of the application's database.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// name
    pub name: String,
    /// ledger, inbox, outbox, lease, state
    pub role: Option<String>,
    /// column names by role: key, digest, status, receipt, token, until, created
    pub columns: Vec<(String, Vec<String>)>,
    /// unique column sets
    pub unique: Vec<Vec<String>>,
    /// how long rows are kept
    pub retention: Option<Duration>,
}

/// Words that mean a state.
#[derive(Clone, Debug)]
pub struct StateWords {
    /// not_sent, confirmed, rejected, duplicate, unknown, released, terminal
    pub means: String,
    /// stored texts, error codes
    pub words: Vec<String>,
    /// variant paths
    pub variants: Vec<String>,
}

/// A call that runs its body again.
#[derive(Clone, Debug)]
pub struct RetryCall {
    /// which call
    pub call: CallPattern,
    /// argument that is run again; -1 is the receiver
    pub body: i32,
    /// on which errors, for readers
    pub on: Option<String>,
    /// attaches to a client and repeats requests sent through it (a middleware), rather than running a body
    pub attaches: bool,
}

/// What counts as a handler.
#[derive(Clone, Debug)]
pub struct HandlerRule {
    /// how it is recognised
    pub shape: HandlerShape,
    /// job, workflow, consumer, webhook
    pub kind: String,
    /// inputs that stay the same over attempts, by parameter name or type
    pub stable: Vec<String>,
    /// inputs that differ between attempts, by parameter name or type
    pub per_attempt: Vec<String>,
    /// returned values that mean "run me again"
    pub again: Vec<String>,
    /// replay horizon
    pub horizon: Option<Duration>,
    /// recognised by its shape alone: a `likely` scope
    pub likely: bool,
    /// given by the application
    pub declared: bool,
}

/// How a handler is recognised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandlerShape {
    /// a function by path
    Function(String),
    /// a method of an impl of a trait (canonical path, or last segment alone)
    Trait {
        /// the trait
        trait_path: String,
        /// its method
        method: String,
    },
    /// a function that carries an attribute
    Attribute(String),
    /// an argument of a registration call
    Call {
        /// which call
        call: CallPattern,
        /// argument number
        argument: u32,
    },
    /// a function with a parameter whose type's last segment is one of these
    Parameter(Vec<String>),
}

/// An operation of a lease.
#[derive(Clone, Debug)]
pub struct LeaseCall {
    /// which call
    pub call: CallPattern,
    /// acquire, renew, release
    pub op: String,
    /// argument that is the time to live
    pub ttl: Option<i32>,
    /// argument that is the owner
    pub owner: Option<i32>,
}

/// A call with a body argument: acknowledgements (no body), timeouts, spawns, steps.
#[derive(Clone, Debug)]
pub struct BodyCall {
    /// which call
    pub call: CallPattern,
    /// argument that is the body; -1 is the receiver
    pub body: Option<i32>,
}

/// Names that mean something where following ends.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// header names that carry a key, lower case
    pub key_headers: Vec<String>,
    /// field, method and column names that carry a key, snake case
    pub key_names: Vec<String>,
    /// verbs of a presumed dispatch
    pub verbs: Vec<String>,
    /// suffixes of a presumed receiver
    pub receivers: Vec<String>,
    /// method-name prefixes that keep their receiver's origins: `to_`, `as_`, `into_`
    pub keeping_prefixes: Vec<String>,
    /// field and parameter names that identify a tenant, user, amount or date only
    pub coarse_names: Vec<String>,
    /// field and parameter names of an attempt: attempt, retry_count …
    pub attempt_names: Vec<String>,
    /// field names that hold personal or secret data
    pub sensitive_names: Vec<String>,
    /// loop variables and calls that show a loop takes new work rather than repeating: recv, next, pop …
    pub intake_calls: Vec<String>,
    /// names that are labels and no keys, though random: message_id, request_id, trace_id …
    pub label_names: Vec<String>,
}
