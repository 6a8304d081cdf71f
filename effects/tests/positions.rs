//! The attribute in every position in which a handler can stand, under the strictest lints.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![deny(clippy::all, clippy::pedantic)]

use effect_contracts::{effect, effect_case, handler, Delivery, IntentKey, Remedy, Window};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// An invoice.
#[derive(Debug, Clone)]
pub struct Invoice {
    /// its number
    pub id: u64,
    /// whose it is
    pub tenant: String,
}

/// A provider.
#[derive(Debug)]
pub struct Stripe;

impl Stripe {
    /// The lookup.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<String> {
        Some(key.to_owned())
    }

    /// A generic lookup.
    #[must_use]
    pub fn find_as<T: Default>(&self) -> T {
        T::default()
    }
}

/// The application's own words, of every shape of variant.
#[derive(Debug)]
pub enum ChargeState {
    /// unit
    Settled,
    /// tuple
    Declined(u8),
    /// struct
    Refunded {
        /// when
        at: u64,
    },
}

fn invoice() -> Invoice {
    Invoice { id: 17, tenant: "acme".to_owned() }
}

struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Self>) {}
}

/// Runs a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Idle));
    let Poll::Ready(value) = pin!(future).poll(&mut Context::from_waker(&waker)) else {
        panic!("the future waits");
    };
    value
}

fn assert_send<T: Send>(value: T) -> T {
    value
}

mod free {
    use super::{assert_send, effect, invoice, run, ChargeState, IntentKey, Invoice, Stripe};

    #[effect(
        intent_key = "invoice/{invoice.id}/{{plain}}/{invoice.tenant.len()}",
        provider_window = at_least("24h"),
        terminal = [
            confirmed = ChargeState::Settled,
            rejected = ChargeState::Declined,
            compensated = ChargeState::Refunded,
            reconciled = "settled_later",
        ],
        reconcile = Stripe::find,
        compensate = undo,
        bind = key,
    )]
    async fn charge(stripe: &Stripe, invoice: Invoice) -> String {
        // Items behind the check must not be blamed for standing behind a statement.
        use std::fmt::Write as _;
        const NOTE: &str = "/done";
        let mut text = stripe.find(key.as_str()).unwrap_or_default();
        std::future::ready(()).await;
        let _ = write!(text, "{NOTE}");
        let moved = invoice;
        text + &moved.tenant
    }

    fn undo(_: &Invoice) {}

    #[test]
    fn the_key_is_bound_and_the_future_is_send() {
        let text = run(assert_send(charge(&Stripe, invoice())));
        assert_eq!(text, "invoice/17/{plain}/4/doneacme");
    }

    #[effect(intent_key = "{invoice.id}", provider_window = none, terminal = [confirmed])]
    async fn unbound(invoice: Invoice, cell: std::cell::Cell<u8>) -> (Invoice, u8) {
        use std::mem::drop as forget;
        let value = cell.get();
        forget(vec![cell]);
        std::future::ready(()).await;
        (invoice, value)
    }

    #[test]
    fn the_check_moves_nothing_and_is_not_held_over_an_await() {
        let future = unbound(invoice(), std::cell::Cell::new(3));
        assert_eq!(run(assert_send(future)).1, 3);
    }

    #[effect(intent_key = key_of(invoice), provider_window = forever, terminal = [confirmed], bind = key, contract = UNREAD)]
    fn expression(invoice: &Invoice) -> IntentKey {
        key
    }

    fn key_of(invoice: &Invoice) -> String {
        format!("k{}", invoice.id)
    }

    #[test]
    fn an_expression_is_a_key_too() {
        assert_eq!(expression(&invoice()).as_str(), "k17");
    }

    #[effect(
        intent_key = "{prefix}/{N}/{value}/{thing}",
        provider_window = none,
        terminal = [confirmed],
        reconcile = Stripe::find_as::<Vec<u8>>,
        bind = key,
    )]
    fn generic<'a, const N: usize, T: std::fmt::Display, F: Fn(u8) -> u8>(
        prefix: &'a str,
        value: T,
        thing: impl std::fmt::Display,
        _with: F,
    ) -> (IntentKey, T, &'a str)
    where
        Vec<T>: Clone,
    {
        let _ = thing.to_string();
        (key, value, prefix)
    }

    #[test]
    fn generics_and_impl_trait() {
        let (key, value, prefix) = generic::<3, _, _>("p", 5_u8, 'c', |x| x);
        assert_eq!((key.as_str(), value, prefix), ("p/3/5/c", 5, "p"));
    }

    #[effect(intent_key = "{id}/{tenant}/{second}", provider_window = none, terminal = [confirmed], bind = key)]
    fn destructured(Invoice { id, tenant, .. }: Invoice, (_first, mut second): (u8, u8)) -> String {
        second += 1;
        format!("{key}+{id}{tenant}{second}")
    }

    #[test]
    fn destructured_parameters_are_named_by_their_parts() {
        assert_eq!(destructured(invoice(), (1, 2)), "17/acme/2+17acme3");
    }

    #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed])]
    const fn constant(id: u64) -> u64 {
        id + 1
    }

    #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed])]
    extern "C" fn foreign(id: u64) -> u64 {
        id
    }

    #[test]
    fn const_and_extern_functions_run() {
        const TWO: u64 = constant(1);
        assert_eq!((TWO, foreign(3)), (2, 3));
    }

    #[cfg_attr(all(), effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], bind = key))]
    fn conditional(id: u64) -> String {
        #![allow(clippy::let_and_return)]
        let text = key.into_string();
        text
    }

    #[test]
    #[allow(clippy::items_after_statements)]
    fn cfg_attr_inner_attributes_and_inner_functions() {
        assert_eq!(conditional(1), "1");
        #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], bind = key)]
        fn inner(id: u64) -> String {
            key.to_string()
        }
        assert_eq!(inner(4), "4");
    }

    #[effect(intent_key = "a/{id}", provider_window = none, terminal = [confirmed], bind = first)]
    #[effect(intent_key = "b/{id}", provider_window = none, terminal = [confirmed], bind = second)]
    fn two_effects(id: u64) -> (IntentKey, IntentKey) {
        (first, second)
    }

    #[test]
    fn two_contracts_on_one_function() {
        let (first, second) = two_effects(1);
        assert_eq!((first.as_str(), second.as_str()), ("a/1", "b/1"));
    }
}

/// Methods.
pub mod methods {
    use super::{effect, IntentKey, Invoice};

    /// A service.
    #[derive(Debug, Default)]
    pub struct Service {
        prefix: String,
        count: u64,
        lease: Lease,
    }

    #[derive(Debug, Default)]
    struct Lease {
        token: u64,
    }

    impl Service {
        /// Charges.
        #[effect(
            intent_key = "{self.prefix}/{invoice.id}",
            provider_window = "24h",
            terminal = [confirmed],
            reconcile = Self::find,
            fence = self.lease.token,
            bind = key,
            contract = CHARGE,
        )]
        pub async fn charge(&mut self, invoice: &Invoice) -> IntentKey {
            std::future::ready(()).await;
            self.count += self.lease.token;
            key
        }

        #[effect(intent_key = "{self.prefix}", provider_window = "24h", terminal = [confirmed], fence = version_column)]
        fn consume(self) -> String {
            self.prefix
        }

        fn find(&self) -> u64 {
            self.count
        }
    }

    /// A port.
    pub trait Charge {
        /// Without a body.
        #[effect(intent_key = "{invoice.id}", provider_window = "24h", terminal = [confirmed])]
        fn pay(&self, invoice: &Invoice) -> String;

        /// With a body.
        #[effect(
            intent_key = "d{invoice.id}", provider_window = "24h", terminal = [confirmed],
            reconcile = Self::pay, bind = key
        )]
        fn default_charge(&self, invoice: &Invoice) -> String {
            key.to_string() + &self.pay(invoice)
        }
    }

    impl Charge for Service {
        #[effect(intent_key = "i{invoice.id}", provider_window = "24h", terminal = [confirmed], bind = key)]
        fn pay(&self, invoice: &Invoice) -> String {
            key.to_string()
        }
    }

    #[test]
    fn receivers_of_every_sort() {
        let mut service = Service { prefix: "p".to_owned(), ..Service::default() };
        assert_eq!(super::run(service.charge(&super::invoice())).as_str(), "p/17");
        assert_eq!(Service::CHARGE.intent_key, "{self.prefix}/{invoice.id}");
        assert_eq!(service.find(), 0);
        assert_eq!(service.consume(), "p");
    }

    #[test]
    fn traits_stay_object_safe() {
        let port: Box<dyn Charge> = Box::<Service>::default();
        assert_eq!(port.default_charge(&super::invoice()), "d17i17");
    }
}

mod macros {
    use super::{effect, invoice, ChargeState, Invoice, Stripe};

    macro_rules! handlers {
        ($(#[$meta:meta])* $vis:vis $name:ident, $argument:ident, $type:ty, $lookup:path, $body:block) => {
            #[effect(
                intent_key = "m/{argument.id}",
                provider_window = none,
                terminal = [confirmed],
                reconcile = $lookup,
                bind = key,
            )]
            $(#[$meta])*
            $vis fn $name(argument: &$type, $argument: u8) -> (String, u8) {
                let _ = $body;
                (key.to_string(), $argument)
            }
        };
        (block $name:ident, $template:literal, $body:block) => {
            #[effect(intent_key = $template, provider_window = none, terminal = [confirmed])]
            fn $name(invoice: &Invoice) -> u64 $body
        };
        (item $item:item) => {
            #[effect(intent_key = "item/{id}", provider_window = none, terminal = [confirmed])]
            $item
        };
        (state $name:ident, $state:path) => {
            #[effect(intent_key = "item/{id}", provider_window = none, terminal = [confirmed = $state])]
            fn $name(id: u8) -> u8 {
                id
            }
        };
        (hygiene $name:ident, $argument:ident) => {
            #[effect(intent_key = "x/{given}", provider_window = none, terminal = [confirmed])]
            fn $name($argument: u8) -> u8 {
                $argument
            }
        };
        (expression $name:ident, $argument:ident, $key:expr) => {
            #[effect(intent_key = $key, provider_window = none, terminal = [confirmed], bind = key)]
            fn $name($argument: u8) -> String {
                key.to_string()
            }
        };
    }

    handlers!(
        /// Documented.
        pub(crate) mixed, other, Invoice, Stripe::find, { 1 + 1 }
    );
    handlers!(block blocked, "i/{invoice.id}", { 5 });
    handlers!(item fn whole(id: u8) -> u8 { id });
    handlers!(state stated, ChargeState::Declined);
    handlers!(hygiene foreign_parameter, given);
    handlers!(expression expressed, id, id + 1);

    #[test]
    fn fragments_of_macro_rules() {
        assert_eq!(mixed(&invoice(), 2), ("m/17".to_owned(), 2));
        assert_eq!((blocked(&invoice()), whole(6), stated(7), foreign_parameter(8)), (5, 6, 7, 8));
        assert_eq!(expressed(1), "2");
    }
}

mod closures {
    use super::{handler, invoice, run, ChargeState, Future, Invoice, Stripe};

    fn register<F: Future<Output = String>>(handler: impl Fn(Invoice, u8) -> F) -> String {
        run(handler(invoice(), 3))
    }

    #[test]
    fn a_handler_is_its_closure() {
        let captured = "c".to_owned();
        let text = register(handler!(
            name = "charge",
            intent_key = "{invoice.id}/{attempt}",
            provider_window = at_least("24h"),
            terminal = [confirmed, rejected = ChargeState::Declined],
            reconcile = Stripe::find,
            bind = key,
            |invoice, attempt| {
                let captured = &captured;
                async move { format!("{key}/{captured}/{}/{attempt}", invoice.tenant) }
            },
        ));
        assert_eq!(text, "17/3/c/acme/3");
    }

    #[test]
    fn closures_of_every_shape() {
        let plain =
            handler!(name = "a", intent_key = "{id}", provider_window = none, terminal = [confirmed], |id: u64| id + 1);
        let block = handler!(
            name = "b",
            intent_key = "{id}",
            provider_window = none,
            terminal = [confirmed],
            move |id: u64| -> Vec<(u64, u64)> { vec![(id, id)] }
        );
        let none = handler!(
            name = "c",
            intent_key = "{plain(1)}",
            provider_window = none,
            terminal = [confirmed],
            bind = key,
            || key.to_string()
        );
        let future = handler!(
            name = "d",
            intent_key = "{id}",
            provider_window = none,
            terminal = [confirmed],
            bind = key,
            |id: u64| async move { format!("{key}{id}") }
        );
        assert_eq!((plain(1), block(2), none()), (2, vec![(2, 2)], "2".to_owned()));
        assert_eq!(run(future(3)), "33");
    }
}

mod record {
    use super::{effect, invoice, ChargeState, Delivery, Duration, Invoice, Remedy, Stripe, Window};

    #[effect(
        intent_key = "invoice/{invoice.id}/charge",
        provider_window = configurable("24h", max = "72h"),
        terminal = [confirmed = ChargeState::Settled, reconciled],
        provider = "stripe-v1",
        replay_horizon = "7d",
        delivery = exactly_once_within("postgres: inbox"),
        dispatch = Stripe::find,
        reconcile = Stripe::find,
        compensate = none("the mail is out"),
        irreversible,
        kind = payment,
        allow(missing_key, reason = "the sandbox has none"),
        contract = CHARGE,
    )]
    pub(super) fn charge(invoice: &Invoice) -> u64 {
        invoice.id
    }

    #[test]
    fn the_record_says_what_the_attribute_says() {
        let day = Duration::from_secs(86_400);
        assert_eq!(charge(&invoice()), 17);
        assert_eq!(CHARGE.handler, "positions::record::charge");
        assert_eq!(CHARGE.intent_key, "invoice/{invoice.id}/charge");
        assert_eq!(CHARGE.provider_window, Window::Configurable { value: day, max: Some(day * 3) });
        assert_eq!(CHARGE.provider, Some("stripe-v1"));
        assert_eq!(CHARGE.mechanism, "key");
        assert_eq!(CHARGE.replay_horizon, Some(day * 7));
        assert_eq!(CHARGE.delivery, Some(Delivery::ExactlyOnceWithin("postgres: inbox")));
        assert_eq!(CHARGE.dispatch, ["Stripe::find"]);
        assert_eq!(CHARGE.reconcile, Some(Remedy::Function("Stripe::find")));
        assert_eq!(CHARGE.compensate, Some(Remedy::None("the mail is out")));
        assert_eq!(CHARGE.kind, Some("payment"));
        assert_eq!(CHARGE.terminal.len(), 2);
        assert_eq!(CHARGE.terminal[0].mapped, Some("ChargeState::Settled"));
        assert_eq!(CHARGE.operator, None);
        let irreversible = CHARGE.irreversible;
        assert!(irreversible);
    }

    #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], contract = ABSENT)]
    #[cfg(any())]
    fn absent(id: Absent) {}
}

#[effect_case(record::charge, delivered_twice)]
#[effect_case(record::charge, killed_after_accept)]
#[test]
fn a_case_leaves_its_test_alone() {
    assert_eq!(IntentKey::from_stored("k").as_str(), "k");
}

/// A lookup that nobody calls is not reported as unused, once a contract names it.
#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], reconcile = uncalled)]
#[must_use]
pub fn names_a_lookup(id: u64) -> u64 {
    id
}

fn uncalled() {}

/// A crate under another name.
pub mod renamed {
    use effect_contracts as contracts;

    #[contracts::effect(
        intent_key = "{id}", provider_window = none, terminal = [confirmed], crate = contracts, bind = key, contract = RENAMED
    )]
    #[cfg(test)]
    fn renamed(id: u64) -> String {
        key.to_string()
    }

    #[test]
    fn the_crate_can_have_another_name() {
        assert_eq!(renamed(1), "1");
        assert_eq!(RENAMED.handler, "positions::renamed::renamed");
    }
}
