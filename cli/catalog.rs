//! Knowledge of the outside world, as data: providers, calls, origins, states, runtimes.
//!
//! In: the built-in `cli/catalog/*.toml` and the tables of the same form in `effects.toml` (which win). Out: a
//! [`Catalog`], and a [`Matcher`] over it that finds the row for a call. The engine knows mechanisms; names live here.
//!
//! `cli/catalog/README.md` describes the tables and the rules for their data.

mod built_in;
mod keys;
mod matcher;
mod pattern;
mod providers;
mod rows;
mod tables;
mod words;

use std::time::Duration;

use effect_contracts_grammar::{Mechanism, Window};
use regex::Regex;

pub use self::built_in::built_in;
pub use self::matcher::{Call, Matcher};
pub use self::pattern::{Pattern, path_matches};
pub use self::rows::ConfiguredPath;
pub(crate) use self::rows::read_rows;
pub use self::words::Words;

/// All tables.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// outside systems
    pub providers: Vec<Provider>,
    /// calls that ask a provider to act
    pub dispatches: Vec<Dispatch>,
    /// strategy, options and client values that carry a key, or make one
    pub carriers: Vec<Carrier>,
    /// calls that ask a provider what happened
    pub lookups: Vec<Lookup>,
    /// where values come from
    pub origins: Vec<OriginRule>,
    /// constants of other crates
    pub constants: Vec<ConstantText>,
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
    /// calls that hand something to another task of the process
    pub channels: Vec<BodyCall>,
    /// settings by which a client acknowledges by itself
    pub auto_acks: Vec<AutoAck>,
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
    /// least length of a key, in characters
    pub key_min_len: Option<u32>,
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
    /// the window without any configuration
    pub window_default: Option<Duration>,
    /// upper limit of a configurable window
    pub window_max: Option<Duration>,
    /// from when the window counts: first-request, completion, scheduled-time
    pub window_anchor: Option<String>,
    /// what a late retry with the same key does, where the provider says so: new-operation …
    pub after_window: Option<String>,
    /// error, returns-earlier, new-operation …
    pub on_payload_mismatch: Option<String>,
    /// how, for readers
    pub on_payload_mismatch_detail: Option<String>,
    /// whether a failed answer is replayed to the same key, for readers
    pub failed_replay: Option<String>,
    /// what a concurrent request with the same key gets, for readers
    pub on_concurrent: Option<String>,
    /// key, reference, metadata, list, webhook …; absent: no lookup known
    pub lookup_by: Option<String>,
    /// the lookup's name at the provider, for readers
    pub lookup_api: Option<String>,
    /// how long a lookup lags behind
    pub lookup_lag: Option<Duration>,
    /// whether its effects can be undone; absent where that holds for some of them only
    pub reversible: Option<bool>,
    /// how, for readers
    pub reversal_api: Option<String>,
    /// high, medium, low: how good the sources are
    pub confidence: Option<String>,
    /// what a reader should know besides
    pub notes: Option<String>,
    /// where the facts were read
    pub sources: Vec<String>,
    /// when they were read, `YYYY-MM`
    pub read_on: Option<String>,
    /// where its API answers, to recognise raw HTTP: `api.stripe.com`, `*.myshopify.com` for any labels in front,
    /// `api.stripe.com/v2` for a part of one host
    pub hosts: Vec<String>,
    /// given by the application rather than built in
    pub declared: bool,
}

impl Provider {
    /// A provider of which only what contracts rest on is known.
    pub fn new(id: &str, mechanism: Mechanism, window: Window) -> Self {
        Self {
            id: id.to_owned(),
            name: None,
            kind: None,
            mechanism,
            key_transport: None,
            key_name: None,
            key_min_len: None,
            key_max_len: None,
            key_charset: None,
            key_pattern: None,
            key_scope: None,
            window,
            window_default: None,
            window_max: None,
            window_anchor: None,
            after_window: None,
            on_payload_mismatch: None,
            on_payload_mismatch_detail: None,
            failed_replay: None,
            on_concurrent: None,
            lookup_by: None,
            lookup_api: None,
            lookup_lag: None,
            reversible: None,
            reversal_api: None,
            confidence: None,
            notes: None,
            sources: Vec::new(),
            read_on: None,
            hosts: Vec::new(),
            declared: false,
        }
    }
}

/// Where a call carries its key.
///
/// The name `*` in [`KeyPosition::Header`] and [`KeyPosition::Body`] stands for every name in [`Words::key_headers`] and
/// [`Words::key_names`]: raw HTTP clients, whose provider the call does not fix.
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
    /// argument number of what is the same thing however often it is sent: a signed transaction
    Itself(u32),
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// which call; for a fluent builder the call that starts it
    pub call: CallPattern,
    /// provider id; absent for raw HTTP clients, whose provider depends on the address
    pub provider: Option<String>,
    /// what kind of system acts, where no provider says so: queue, webhook …
    pub kind: Option<String>,
    /// key positions, any of which carries the key
    pub keys: Vec<KeyPosition>,
    /// when no key is given
    pub without_key: WithoutKey,
    /// the methods that end a fluent builder and send, called on its chain or given its value (`send`, `execute`);
    /// `await`: awaiting the chain sends; empty: the call itself acts
    pub sends: Vec<String>,
    /// under which cargo feature of the crate this row holds
    pub when: Option<String>,
    /// the call can act or only read, as an HTTP method given by this argument decides (`Client::request`)
    pub http_method: Option<u32>,
    /// builder method that sets the HTTP method, which is GET without it (`method` of `http::Request::builder`)
    pub method_by: Option<String>,
    /// argument that holds the address of a raw HTTP request, by whose host the provider is known
    pub address: Option<u32>,
    /// whether the target takes a key cannot be seen from the call (a queue may be FIFO or not): a call without one is
    /// not missing it
    pub key_optional: bool,
    /// provider of a call without a key, where that is another one: standard instead of FIFO
    pub unkeyed_provider: Option<String>,
    /// what the call answers with is itself awaited for the target's answer: without that nobody knows that it has it
    pub answers_later: bool,
    /// the call only puts it into a queue of the process: what it gives is awaited for the target's own answer
    pub only_queues: bool,
    /// a callback of the client is told the target's own answer, and the caller only that it was queued; except of what is
    /// put together by one of these calls, which name who waits for it
    pub calls_back: Vec<String>,
    /// states a result rather than a change (PUT, DELETE, a write of a whole object), so that a repeat does no harm
    pub absolute: bool,
    /// fields of the request by which it does so
    pub absolute_by: Vec<String>,
    /// an HTTP answer of 400 or above comes as an error: its status need not be looked at
    pub fails_on_status: bool,
    /// whether it acts is up to whom it is sent to: where the function around says that it asks, it does
    pub may_ask: bool,
    /// many are handed over, and the part of the answer of this name says which of them were refused: no error does
    pub refused_in: Option<String>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// A value that carries a key to the dispatches made with it, or has the library make one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carrier {
    /// the call that makes the value: `stripe::RequestStrategy::Idempotent`
    pub call: CallPattern,
    /// argument that is the key; absent: the value carries none
    pub key: Option<u32>,
    /// what the library does for a dispatch made with it
    pub without_key: WithoutKey,
    /// under which cargo feature of the crate this row holds; the same call without `when` holds otherwise
    pub when: Option<String>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// A setting by which a client acknowledges tasks by itself: `set("enable.auto.commit", "true")`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutoAck {
    /// the call that makes settings, name first, value second
    pub call: CallPattern,
    /// the name
    pub setting: String,
    /// the value that switches it on
    pub value: String,
    /// another setting of the same struct without which nothing is remembered, so that nothing is acknowledged either
    pub beside: Option<String>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// A call that asks a provider what happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lookup {
    /// which call
    pub call: CallPattern,
    /// provider id
    pub provider: Option<String>,
    /// key positions
    pub keys: Vec<KeyPosition>,
    /// the method that ends a fluent builder and sends; absent: the call itself asks
    pub sends: Vec<String>,
    /// given by the application rather than built in
    pub declared: bool,
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
    /// the part of the receiver that has the method's name: a getter
    Field,
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
///
/// A method called by path (`Digest::update(&mut hasher, data)`) has its receiver as first argument: then -1 is argument
/// 0, and the numbers count from the one after it. [`Matcher::origin`] finds such a row too. A closure or function that
/// is kept stands for what it returns, called with the receiver's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginRule {
    /// which call
    pub call: CallPattern,
    /// what it gives in itself
    pub gives: Gives,
    /// whose origins the result keeps: -1 is the receiver, 0… are the arguments
    pub keeps: Vec<i32>,
    /// the result is one of the kept values (or what the call gives), rather than made of all of them: `unwrap_or`
    pub one_of: bool,
    /// the value that takes in what the call gives and keeps, besides the result: -1 is the receiver (`hasher.update(..)`)
    pub mutates: Option<i32>,
    /// greatest and exact width of the result, where fixed: characters of a text, bytes of a digest (SHA-256: 32)
    pub width: Option<u32>,
    /// the unit that an argument without one gets: `d` of `Duration::days(7)`, so that the value reads `7d`
    pub unit: Option<String>,
    /// the result is a digest
    pub digest: bool,
    /// what surrounds the process is read: environment, arguments, files. Fixed for a key, not for code that is replayed
    pub surroundings: bool,
    /// a serialiser: what has no order of its own comes out in a different one each time
    pub serializes: bool,
    /// the result is that many times as wide as what it keeps, as numerator and denominator (hex: 2/1)
    pub widens: Option<(u32, u32)>,
    /// the operand that says how much is left at most of what it keeps; nothing is known where that is no number
    pub cuts: Option<i32>,
    /// given by the application rather than built in
    pub declared: bool,
}

impl OriginRule {
    /// Whether the row speaks of a receiver.
    pub fn has_receiver(&self) -> bool {
        self.keeps.contains(&-1) || self.mutates == Some(-1)
    }
}

/// A constant of another crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantText {
    /// its path
    pub call: CallPattern,
    /// its value
    pub text: String,
    /// given by the application rather than built in
    pub declared: bool,
}

/// An operation of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// argument that holds SQL text; -1 is the receiver, a prepared statement
    pub sql: Option<i32>,
    /// constants among the arguments that make it a claim: `SetOptions::NX`
    pub claims_by: Vec<String>,
    /// argument that is the transaction's body: it begins before the closure runs, and ends with it
    pub body: Option<i32>,
    /// given by the application rather than built in
    pub declared: bool,
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
    /// given by the application rather than built in
    pub declared: bool,
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
    /// calls that tell so of their receiver: `is_connect`
    pub calls: Vec<CallPattern>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// A call that runs its body again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetryCall {
    /// which call
    pub call: CallPattern,
    /// argument that is run again; -1 is the receiver
    pub body: i32,
    /// on which errors, for readers
    pub on: Option<String>,
    /// argument that says which errors are tried again
    pub condition: Option<i32>,
    /// method of the chain behind it that is given what says so
    pub condition_by: Option<String>,
    /// attaches to a client and repeats requests sent through it (a middleware), rather than running a body
    pub attaches: bool,
    /// of what attaches: the method by which an application's own policy may keep a request from being repeated
    pub refused_by: Option<String>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// What counts as a handler.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// only by a parameter that is taken by value: who borrows one is called by a handler
    pub by_value: bool,
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
    /// a function with a parameter of one of these types: a last segment alone, or a path for one crate's type
    Parameter(Vec<String>),
}

/// An operation of a lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseCall {
    /// which call
    pub call: CallPattern,
    /// acquire, renew, release
    pub op: String,
    /// how long it holds
    pub ttl: Option<Ttl>,
    /// what a bare number of the time to live counts: `s`, `ms`
    pub unit: Option<String>,
    /// argument that is the owner
    pub owner: Option<i32>,
    /// given by the application rather than built in
    pub declared: bool,
}

/// How long a lease holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ttl {
    /// as long as an argument says; -1 is the receiver
    Argument(i32),
    /// always so long
    Fixed(Duration),
}

/// A call with a body argument: acknowledgements (no body), timeouts, spawns, steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyCall {
    /// which call
    pub call: CallPattern,
    /// argument that is the body; -1 is the receiver
    pub body: Option<i32>,
    /// of a spawn: the receiver holds the handle, whatever becomes of the result
    pub held: bool,
    /// of an acknowledgement: everything that came before is acknowledged, too
    pub up_to: bool,
    /// of an acknowledgement: the values of an argument that make it one, where others do not
    pub given: Vec<String>,
    /// of a timeout: argument that says how long
    pub limit: Option<i32>,
    /// of a timeout: it is set on a client or request, and holds for what that sends
    pub attaches: bool,
    /// given by the application rather than built in
    pub declared: bool,
}

impl Provider {
    /// Whether a key sent to the provider is heeded for any time at all.
    pub fn window_counts(&self) -> bool {
        self.window.lower_bound() != Some(Duration::ZERO) || self.window == Window::Unpublished
    }
}
