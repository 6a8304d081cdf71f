//! Which function a call means.

use super::{calls, local, program, program_with};

#[test]
fn methods_of_fields_parameters_and_wrappers() {
    let program = program(
        "
use std::sync::Arc;
struct Client; impl Client { async fn charge(&self, n: u64) -> Result<Receipt, Error> { todo!() } }
struct Receipt { id: String } struct Error;
struct Service { client: Arc<Client>, pool: sqlx::PgPool }
impl Service {
    fn new(client: Client) -> Self { Self { client: Arc::new(client), pool: todo!() } }
    async fn run(&self) -> Result<String, Error> {
        let receipt = self.client.charge(1).await?;
        let service = Service::new(Client);
        let again = service.client.charge(2).await.map_err(|e| e)?;
        self.pool.begin().await.unwrap();
        Ok(receipt.id.to_lowercase())
    }
}
",
    );
    assert_eq!(
        calls(&program, "shop::Service::run"),
        [
            ".charge = shop::Client::charge",
            "Service::new = shop::Service::new",
            ".charge = shop::Client::charge",
            ".map_err = external std::result::Result.map_err",
            ".begin = external sqlx::PgPool.begin",
            ".unwrap = external sqlx.unwrap",
            ".to_lowercase = external std::string::String.to_lowercase",
            "Ok = external std::result::Result::Ok",
        ]
    );
    assert_eq!(local(&program, "shop::Service::run", "receipt"), "shop::Receipt");
    assert_eq!(local(&program, "shop::Service::run", "again"), "shop::Receipt");
}

#[test]
fn traits_go_to_every_implementation() {
    let program = program(
        "
trait Gateway { fn charge(&self) -> u8; fn twice(&self) -> u8 { self.charge() + self.charge() } fn make() -> Self; }
struct A; struct B;
impl Gateway for A { fn charge(&self) -> u8 { 1 } fn make() -> Self { A } }
impl Gateway for B { fn charge(&self) -> u8 { 2 } fn twice(&self) -> u8 { 9 } fn make() -> Self { B } }
fn dynamic(g: &dyn Gateway) { g.charge(); g.twice(); }
fn generic<G: Gateway>(g: G) { g.charge(); G::make(); Gateway::charge(&g); }
fn known() { A.charge(); A.twice(); Gateway::charge(&B); <A as Gateway>::make(); A::make(); }
struct Holder<T> { gateway: T }
impl<T: Gateway> Holder<T> { fn go(&self) { self.gateway.charge(); } }
fn held(h: Holder<B>) { h.gateway.charge(); }
",
    );
    assert_eq!(
        calls(&program, "shop::dynamic"),
        [".charge = shop::A::charge | shop::B::charge", ".twice = shop::Gateway::twice | shop::B::twice",]
    );
    assert_eq!(
        calls(&program, "shop::generic"),
        [
            ".charge = shop::A::charge | shop::B::charge",
            "G::make = shop::A::make | shop::B::make",
            "Gateway::charge = shop::A::charge | shop::B::charge",
        ]
    );
    assert_eq!(
        calls(&program, "shop::known"),
        [
            ".charge = shop::A::charge",
            ".twice = shop::Gateway::twice",
            "Gateway::charge = shop::B::charge",
            "Gateway::make = shop::A::make",
            "A::make = shop::A::make",
        ]
    );
    assert_eq!(calls(&program, "shop::Holder::go"), [".charge = shop::A::charge | shop::B::charge"]);
    assert_eq!(calls(&program, "shop::held"), [".charge = shop::B::charge"]);
}

#[test]
fn conversions_choose_by_type() {
    let program = program(
        "
struct Cents(u64); struct Order { id: u64 } struct Request { key: String }
impl From<u64> for Cents { fn from(n: u64) -> Self { Cents(n) } }
impl From<&Order> for Request { fn from(o: &Order) -> Self { Request { key: o.id.to_string() } } }
impl From<Cents> for Request { fn from(o: Cents) -> Self { todo!() } }
impl TryFrom<Order> for Cents { type Error = (); fn try_from(o: Order) -> Result<Self, ()> { Ok(Cents(o.id)) } }
impl std::str::FromStr for Cents { type Err = (); fn from_str(s: &str) -> Result<Self, ()> { todo!() } }
fn send(r: Request) {}
fn f(order: Order) -> Result<Request, ()> {
    let a: Request = (&order).into();
    send((&order).into());
    let c = Cents::from(3u64);
    let b = Request::from(c);
    let d: Cents = order.try_into()?;
    let e = \"5\".parse::<Cents>()?;
    let g: Cents = \"5\".parse().unwrap();
    let s = String::from(\"x\");
    Ok(d.into())
}
",
    );
    let found = calls(&program, "shop::f");
    let request = program.functions.iter().filter(|info| info.path.as_str() == "shop::Request::from").count();
    assert_eq!(request, 2);
    assert_eq!(
        found,
        [
            ".into = shop::Request::from",
            ".into = shop::Request::from",
            "send = shop::send",
            "Cents::from = shop::Cents::from",
            "Request::from = shop::Request::from",
            ".try_into = shop::Cents::try_from",
            ".parse = shop::Cents::from_str",
            ".parse = shop::Cents::from_str",
            ".unwrap = external std::result::Result.unwrap",
            "String::from = external std::string::String::from",
            ".into = shop::Request::from",
            "Ok = external std::result::Result::Ok",
        ]
    );
}

#[test]
fn defaults_are_those_of_the_expected_type() {
    let program = program(
        "
#[derive(Default)] struct Plain { id: Id }
struct Id(String); impl Default for Id { fn default() -> Self { Id(uuid::Uuid::new_v4().to_string()) } }
fn f() { let a: Id = Default::default(); let b = Id::default(); let c = Plain { id: Default::default() }; let d = Plain::default(); }
fn generic<T: Default>() -> T { T::default() }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "Default::default = shop::Id::default",
            "Id::default = shop::Id::default",
            "Default::default = shop::Id::default",
            "Plain::default = external std::default::Default::default",
        ]
    );
    assert_eq!(local(&program, "shop::f", "d"), "shop::Plain");
}

#[test]
fn macros_of_the_workspace_give_types_their_functions() {
    let text = "
macro_rules! impl_default_id_type { ($type:ident, $prefix:literal) => {} }
impl Default for subject { fn default() -> Self { subject(mint(1)) } }
fn mint(prefix: u8) -> String { todo!() }
struct PaymentId(String);
impl_default_id_type!(PaymentId, 1);
fn f() { let id = PaymentId::default(); }
";
    // the impl stands for what the macro's arm declares
    let program = program_with(text, |files| {
        let items = &mut files[0].modules[0].items;
        let block = items.impls.remove(0);
        items.macro_rules[0].impls.push(block);
        items.macro_rules[0].self_argument = Some(0);
    });
    assert_eq!(calls(&program, "shop::f"), ["PaymentId::default = shop::PaymentId::default"]);
    assert_eq!(
        calls(&program, "shop::PaymentId::default"),
        ["mint = shop::mint", "subject = new shop::PaymentId::PaymentId"]
    );
}

#[test]
fn functions_inside_macro_invocations_see_their_own() {
    let program = program(
        "
implementation! { connector: Stripe, fn charge(&self) { self.build(); Self::build(); } fn build(&self) {} }
implementation! { connector: Adyen, fn charge(&self) { self.build(); } fn build(&self) {} }
implementation! { connector: Stripe, fn refund(&self) { self.charge() } }
",
    );
    let refund = calls(&program, "shop::refund");
    assert_eq!(refund, [".charge = shop::charge"]);
    let charges = program.find_functions("shop::charge");
    assert_eq!(charges.len(), 2);
    let callers = program.callers();
    assert_eq!(callers[charges[0].0 as usize].len(), 1);
    assert_eq!(callers[charges[1].0 as usize].len(), 0);
}

#[test]
fn locals_closures_and_functions_as_values() {
    let program = program(
        "
struct Client; impl Client { fn charge(&self) -> u8 { 1 } }
fn make() -> Client { Client }
fn with<F: Fn(&Client) -> R, R>(f: F) -> R { f(&Client) }
fn f(callback: impl Fn(u8) -> Client, list: Vec<Client>) {
    callback(1).charge();
    let g = |c: &Client| make();
    g(&Client).charge();
    with(|c| c.charge());
    with(|c| make()).charge();
    list.iter().map(|c| c.charge()).max();
    let h = make; h().charge();
    Some(Client).map(|c| c.charge()).unwrap_or_default();
    for c in &list { c.charge(); }
    if let Some(c) = list.first() { c.charge(); }
    let Some(c) = list.get(0) else { return };
    c.charge();
    for (i, c) in list.iter().enumerate() { c.charge(); }
}
",
    );
    let charges = calls(&program, "shop::f").into_iter().filter(|line| line.starts_with(".charge")).collect::<Vec<_>>();
    assert_eq!(charges.len(), 11);
    assert!(charges.iter().all(|line| line == ".charge = shop::Client::charge"), "{charges:?}");
}

#[test]
fn what_nobody_knows_stays_unknown() {
    let program = program(
        "
fn f<T>(x: T) { x.charge(); undefined().charge(); let y = reqwest::get(1); y.send(); missing_macro!(1).go(); }
struct Other; impl Other { fn charge(&self) {} }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            ".charge = unknown .charge",
            "undefined = unresolved undefined",
            ".charge = unknown .charge",
            "reqwest::get = external reqwest::get",
            ".send = external reqwest.send",
            "missing_macro! = unresolved missing_macro",
            ".go = unknown .go",
        ]
    );
}

#[test]
fn newtypes_dereference_and_extension_traits_extend() {
    let program = program(
        "
use std::ops::Deref;
struct Pool; impl Pool { fn begin(&self) {} }
struct Db(Pool); impl Deref for Db { type Target = Pool; fn deref(&self) -> &Pool { &self.0 } }
#[derive(Deref)] struct Traced { name: String, #[deref] #[deref_mut] inner: Pool }
trait Ext { fn send_checked(&self); }
impl Ext for reqwest::Client { fn send_checked(&self) {} }
fn f(db: Db, client: reqwest::Client, data: web::Data<Db>, traced: Traced) {
    db.begin(); client.send_checked(); client.get(1); data.begin(); data.0.begin(); traced.begin();
}
fn settings(one: &arc_swap::ArcSwap<Db>, other: &arc_swap::ArcSwapOption<Db>) {
    one.load().begin();
    let other = other.load();
    other.as_ref().unwrap().begin();
}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            ".begin = shop::Pool::begin",
            ".send_checked = shop::Client::send_checked",
            ".get = external reqwest::Client.get",
            ".begin = shop::Pool::begin",
            ".begin = shop::Pool::begin",
            ".begin = shop::Pool::begin",
        ]
    );
    let begun = calls(&program, "shop::settings").into_iter().filter(|call| call == ".begin = shop::Pool::begin");
    assert_eq!(begun.count(), 2);
}

#[test]
fn what_a_pool_gives_behind_a_wrapper_is_of_the_pools_crate() {
    let program = program(
        "
async fn f(pool: actix_web::web::Data<deadpool_lapin::Pool>) {
    let connection = pool.get().await.unwrap();
    connection.create_channel();
}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            ".get = external deadpool_lapin::Pool.get",
            ".unwrap = external deadpool_lapin.unwrap",
            ".create_channel = external deadpool_lapin.create_channel",
        ]
    );
}

#[test]
fn an_imported_trait_says_whose_method_it_is_where_nothing_else_does() {
    let program = program(
        "
mod mail {
    use lettre::AsyncTransport;
    use crate::missing::smtp;
    pub async fn send() { smtp().send(1).await; smtp().verify(); }
}
mod hidden {
    use lettre::Transport as _;
    pub fn send(events: std::sync::mpsc::Sender<u8>) { crate::missing::smtp().send(1); events.send(2); }
}
mod channel {
    pub fn send() { crate::missing::events().send(1); }
}
",
    );
    let sends = |path: &str| calls(&program, path).into_iter().filter(|call| call.starts_with('.')).collect::<Vec<_>>();
    assert_eq!(
        sends("shop::mail::send"),
        [".send = external lettre::AsyncTransport.send", ".verify = unknown .verify"]
    );
    assert_eq!(
        sends("shop::hidden::send"),
        [".send = external lettre::Transport.send", ".send = external std::sync::mpsc::Sender.send"]
    );
    assert_eq!(sends("shop::channel::send"), [".send = unknown .send"]);
}

#[test]
fn pools_give_the_connections_of_the_crates_inside_them() {
    let program = program(
        "
use bb8_redis::{bb8, redis::AsyncCommands, RedisConnectionManager};
struct Cache { pool: bb8::Pool<RedisConnectionManager>, other: deadpool_redis::Pool, rows: r2d2::Pool<r2d2_sqlite::SqliteConnectionManager> }
impl Cache {
    async fn f(&self) {
        let mut conn = self.pool.get().await.unwrap();
        conn.del(1).await;
        let mut conn = self.other.get().await.unwrap();
        conn.set_nx(1, 2).await;
        deadpool_redis::redis::cmd(3);
        self.rows.get().unwrap().execute(4);
    }
}
",
    );
    let all = calls(&program, "shop::Cache::f");
    for call in [
        ".del = external redis::aio::MultiplexedConnection.del",
        ".set_nx = external redis::aio::MultiplexedConnection.set_nx",
        "deadpool_redis::redis::cmd = external redis::cmd",
        ".execute = external rusqlite::Connection.execute",
    ] {
        assert!(all.iter().any(|known| known == call), "{call} in {all:#?}");
    }
}

#[test]
fn an_attribute_gives_a_type_the_traits_that_it_names() {
    let program = program(
        "
trait Wallet { fn transfer(&self); } trait Shape { fn area(&self) -> u8; }
#[jsonrpc_client::implement(Wallet)] struct Client;
struct Round; impl Shape for Round { fn area(&self) -> u8 { 3 } }
#[enum_dispatch(Shape)] enum Any { Round(Round) }
#[serde(transparent)] struct Other;
fn run(client: Client, any: Any, other: Other) { client.transfer(); any.area(); other.transfer(); }
",
    );
    assert_eq!(
        calls(&program, "shop::run"),
        [
            ".transfer = shop::Wallet::transfer",
            ".area = shop::Round::area",
            ".transfer = external shop::Other.transfer",
        ]
    );
}
