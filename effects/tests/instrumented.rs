//! The attribute together with `#[async_trait]` and `#[tracing::instrument]`, which rewrite bodies themselves.
//!
//! The span must be there in every order: with the body in another block than its own, it silently is not.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![deny(clippy::all, clippy::pedantic)]
// The tests run on the workspace's compiler, which is newer than the one that the library promises.
#![allow(clippy::incompatible_msrv)]

use async_trait::async_trait;
use effect_contracts::{effect, IntentKey};
use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Invoice {
    id: u64,
}

struct Service {
    prefix: &'static str,
}

#[async_trait]
trait Charge {
    #[effect(intent_key = "{invoice.id}", provider_window = none, terminal = [confirmed])]
    async fn declared(&self, invoice: &Invoice) -> IntentKey;

    #[effect(intent_key = "default/{invoice.id}", provider_window = none, terminal = [confirmed], bind = key)]
    #[tracing::instrument(skip_all)]
    async fn defaulted(&self, invoice: &Invoice) -> IntentKey {
        work(key).await
    }

    async fn above(&self, invoice: &Invoice) -> IntentKey;
    async fn below(&mut self, invoice: Invoice) -> IntentKey;
    async fn generic<T: std::fmt::Display + Send + Sync>(&self, value: &T) -> IntentKey
    where
        Self: Sized;
}

#[async_trait]
impl Charge for Service {
    async fn declared(&self, invoice: &Invoice) -> IntentKey {
        self.above(invoice).await
    }

    #[effect(
        intent_key = "{self.prefix}/{invoice.id}",
        provider_window = none,
        terminal = [confirmed],
        reconcile = Self::declared,
        bind = key,
    )]
    #[tracing::instrument(skip_all)]
    async fn above(&self, invoice: &Invoice) -> IntentKey {
        work(key).await
    }

    #[tracing::instrument(skip_all)]
    #[effect(intent_key = "{self.prefix}/{invoice.id}", provider_window = none, terminal = [confirmed], bind = key)]
    async fn below(&mut self, invoice: Invoice) -> IntentKey {
        let _moved = invoice;
        work(key).await
    }

    #[effect(intent_key = "{value}", provider_window = none, terminal = [confirmed], bind = key)]
    #[tracing::instrument(skip_all)]
    async fn generic<T: std::fmt::Display + Send + Sync>(&self, value: &T) -> IntentKey {
        work(key).await
    }
}

#[effect(intent_key = "{invoice.id}", provider_window = none, terminal = [confirmed], bind = key)]
#[tracing::instrument(skip_all)]
async fn free_above(invoice: &Invoice) -> IntentKey {
    work(key).await
}

#[tracing::instrument(skip_all)]
#[effect(intent_key = "{invoice.id}", provider_window = none, terminal = [confirmed], bind = key)]
async fn free_below(invoice: &Invoice) -> IntentKey {
    work(key).await
}

#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], bind = key)]
#[tracing::instrument(skip_all)]
fn plain(id: u64) -> IntentKey {
    tracing::info!("working");
    key
}

/// An event inside the body; it must happen in the function's span.
async fn work(key: IntentKey) -> IntentKey {
    std::future::ready(()).await;
    tracing::info!("working");
    key
}

struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Self>) {}
}

fn run<T>(future: impl Future<Output = T> + Send) -> T {
    let waker = Waker::from(Arc::new(Idle));
    let Poll::Ready(value) = pin!(future).poll(&mut Context::from_waker(&waker)) else {
        panic!("the future waits");
    };
    value
}

/// Notes under which span every event happens. A test has its thread to itself.
struct Spans;

thread_local! {
    static NAMES: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static EVENTS: RefCell<Vec<Option<&'static str>>> = const { RefCell::new(Vec::new()) };
}

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        NAMES.with_borrow_mut(|names| {
            names.push(span.metadata().name());
            Id::from_u64(names.len() as u64)
        })
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        let span = ENTERED.with_borrow(|entered| entered.last().copied());
        let name = span.and_then(|id| {
            let index = usize::try_from(id).ok()? - 1;
            NAMES.with_borrow(|names| names.get(index).copied())
        });
        EVENTS.with_borrow_mut(|events| events.push(name));
    }

    fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(Vec::pop);
    }
}

/// The key that a call gives, and the span in which its body's event happened.
fn observed(call: impl FnOnce() -> IntentKey) -> (String, Option<&'static str>) {
    EVENTS.with_borrow_mut(Vec::clear);
    let key = tracing::subscriber::with_default(Spans, call);
    let events = EVENTS.with_borrow(Vec::clone);
    assert_eq!(events.len(), 1);
    (key.into_string(), events[0])
}

const INVOICE: Invoice = Invoice { id: 17 };
const SERVICE: Service = Service { prefix: "p" };

#[test]
fn below_async_trait_the_span_is_entered_in_either_order() {
    assert_eq!(observed(|| run(SERVICE.above(&INVOICE))), ("p/17".to_owned(), Some("above")));
    assert_eq!(observed(|| run(SERVICE.declared(&INVOICE))), ("p/17".to_owned(), Some("above")));
    let mut service = SERVICE;
    assert_eq!(observed(|| run(service.below(INVOICE))), ("p/17".to_owned(), Some("below")));
    assert_eq!(observed(|| run(SERVICE.defaulted(&INVOICE))), ("default/17".to_owned(), Some("defaulted")));
    assert_eq!(observed(|| run(SERVICE.generic(&"g"))), ("g".to_owned(), Some("generic")));
}

#[test]
fn on_functions_the_span_is_entered_in_either_order() {
    assert_eq!(observed(|| run(free_above(&INVOICE))), ("17".to_owned(), Some("free_above")));
    assert_eq!(observed(|| run(free_below(&INVOICE))), ("17".to_owned(), Some("free_below")));
    assert_eq!(observed(|| plain(5)), ("5".to_owned(), Some("plain")));
}
