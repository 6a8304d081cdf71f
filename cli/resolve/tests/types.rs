//! The types of locals.

use super::{local, program, with_threads};

#[test]
fn adapters_of_option_result_iterator_and_future() {
    let program = program(
        "
use std::collections::HashMap;
use tokio::sync::Mutex;
struct A; struct B; struct E;
impl A { fn b(&self) -> Option<B> { None } async fn c(&self) -> Result<B, E> { todo!() } }
struct S { map: HashMap<String, A>, lock: Mutex<A>, std: std::sync::Mutex<Vec<B>> }
async fn f(s: &S, a: A, items: Vec<A>) -> anyhow::Result<()> {
    let p = a.b().ok_or(E).map(|b| (b, 1u8));
    let (q, r) = p?;
    let t = s.map.get(\"x\").cloned();
    let u = s.lock.lock().await;
    let v = s.std.lock().unwrap().first();
    let w: Vec<_> = items.iter().filter_map(|x| x.b()).collect();
    let x = items.iter().map(|x| x.c());
    let y = futures::future::join_all(x).await;
    let z = match a.b() { Some(b) => b, None => return Ok(()) };
    let aa = a.c().await.unwrap_or_else(|e| B);
    let bb = tokio::time::timeout(d, a.c()).await;
    let Ok(Ok(cc)) = bb else { panic!() };
    let dd = async { a.c().await }.await;
    let ee = if true { Some(a) } else { None };
    let mut ff = Vec::new(); ff.push(B);
    let gg = serde_json::from_str::<A>(\"\")?;
    let hh: B = serde_json::from_str(\"\").unwrap();
    for (k, vv) in s.map.iter() {}
    let ii = loop { break B };
    Ok(())
}
",
    );
    let of = |name: &str| local(&program, "shop::f", name);
    assert_eq!(of("q"), "shop::B");
    assert_eq!(of("r"), "{integer}");
    assert_eq!(of("t"), "Option<shop::A>");
    assert_eq!(of("u"), "shop::A");
    assert_eq!(of("v"), "Option<shop::B>");
    assert_eq!(of("w"), "[shop::B]");
    assert_eq!(of("y"), "[Result<shop::B, shop::E>]");
    assert_eq!(of("z"), "shop::B");
    assert_eq!(of("aa"), "shop::B");
    assert_eq!(of("bb"), "Result<Result<shop::B, shop::E>, some tokio>");
    assert_eq!(of("cc"), "shop::B");
    assert_eq!(of("dd"), "Result<shop::B, shop::E>");
    assert_eq!(of("ee"), "Option<shop::A>");
    assert_eq!(of("ff"), "[shop::B]");
    assert_eq!(of("gg"), "shop::A");
    assert_eq!(of("hh"), "shop::B");
    assert_eq!(of("k"), "String");
    assert_eq!(of("vv"), "shop::A");
    assert_eq!(of("ii"), "shop::B");
}

/// What a crate hands to a closure is of that crate, until something else was made of it.
#[test]
fn closures_are_given_what_a_stream_of_another_crate_holds() {
    let program = program(
        "
async fn f(consumer: lapin::Consumer, log: &rdkafka::StreamConsumer, queue: tokio::sync::mpsc::Receiver<u8>) {
    consumer.for_each_concurrent(4, |a| async move { let aa = a; }).await;
    log.stream().map_err(drop).try_for_each(|b| async move { let bb = b; Ok(()) }).await;
    log.stream().map(|c| c.payload()).for_each(|d| async move { let dd = d; }).await;
    queue.blocking().for_each(|e| { let ee = e; });
}
",
    );
    let of = |name: &str| local(&program, "shop::f", name);
    assert_eq!(of("aa"), "some lapin");
    assert_eq!(of("bb"), "some rdkafka");
    assert_eq!(of("c"), "some rdkafka");
    assert_eq!(of("dd"), "_");
    assert_eq!(of("ee"), "_");
}

#[test]
fn patterns_take_types_apart() {
    let program = program(
        "
struct Cmd { id: Id, inner: Option<(u8, Id)> } struct Id(String);
enum Event { Paid { by: Id }, Failed(u8, Id), Done }
fn f(cmd: Cmd, event: Event, State(state): axum::extract::State<Cmd>) {
    let Cmd { id: a, inner } = cmd;
    let Some((n, b)) = inner else { return };
    match event { Event::Paid { by } => {}, Event::Failed(.., c) => {}, Event::Done => {} }
    let Id(s) = a;
    let d = state.id;
}
",
    );
    let of = |name: &str| local(&program, "shop::f", name);
    assert_eq!(of("a"), "shop::Id");
    assert_eq!(of("n"), "u8");
    assert_eq!(of("b"), "shop::Id");
    assert_eq!(of("by"), "shop::Id");
    assert_eq!(of("c"), "shop::Id");
    assert_eq!(of("s"), "String");
}

#[test]
fn generics_aliases_and_associated_types() {
    let program = program(
        "
type Res<T> = std::result::Result<T, Error>; struct Error; struct A; struct B;
struct Page<T> { items: Vec<T> }
impl<T> Page<T> { fn first(self) -> Option<T> { None } fn of(item: T) -> Self { todo!() } }
trait Job { type Out; fn run(&self) -> Res<Self::Out>; }
impl Job for A { type Out = B; fn run(&self) -> Res<Self::Out> { todo!() } }
fn fetch<T>(x: T) -> Res<Page<T>> { todo!() }
fn f(p: Page<A>) {
    let a = p.first().unwrap();
    let b = fetch(B).unwrap();
    let c = b.items;
    let d = A.run().unwrap();
    let e = Page::of(B);
    let g = Page { items: vec![A] };
    let h = Page::<A>::of(todo!());
}
",
    );
    let of = |name: &str| local(&program, "shop::f", name);
    assert_eq!(of("a"), "shop::A");
    assert_eq!(of("b"), "shop::Page<shop::B>");
    assert_eq!(of("c"), "[shop::B]");
    assert_eq!(of("d"), "shop::B");
    assert_eq!(of("e"), "shop::Page<shop::B>");
    assert_eq!(of("g"), "shop::Page<shop::A>");
    assert_eq!(of("h"), "shop::Page<shop::A>");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut text = String::new();
    for number in 0..300 {
        text.push_str(&format!(
            "fn f{number}(x: Option<T>) {{ let a = x.map(|y| y.go(f{})); g(a); }}\n",
            (number + 1) % 300
        ));
    }
    text.push_str("struct T; impl T { fn go(&self, f: fn(Option<T>)) -> u8 { 1 } } fn g(x: Option<u8>) {}");
    let one = format!("{:?}", with_threads(&text, 1));
    let four = format!("{:?}", with_threads(&text, 4));
    assert!(one == four);
}

#[test]
fn aliases_of_result_and_fields_of_other_crates() {
    let program = program(
        "
struct Lock;
impl Lock { fn take() -> redis::RedisResult<Option<Self>> { todo!() } }
struct Mine<T>(T);
fn f(resend: &resend_rs::Resend, pair: &other::Pair<Lock>) -> diesel::QueryResult<()> {
    let a = Lock::take()?;
    let b = resend.emails;
    let c = pair.left;
    let d: sqlx::postgres::PgQueryResult = todo!();
    Ok(())
}
",
    );
    let of = |name: &str| local(&program, "shop::f", name);
    assert_eq!(of("a"), "Option<shop::Lock>");
    assert_eq!(of("b"), "some resend_rs");
    assert_eq!(of("c"), "_");
    assert_eq!(of("d"), "PgQueryResult");
}

#[test]
fn a_provided_method_of_an_extension_trait_knows_the_parameters_of_the_trait() {
    let program = program(
        "
struct Receipt; struct Refused; struct Other;
mod ours {
    pub trait Wording<T, E>: Sized {
        fn worded_with(self, by: u8) -> Result<T, crate::Refused>;
        fn worded(self) -> Result<T, crate::Refused> { self.worded_with(1) }
    }
    impl<T> Wording<T, u8> for Option<T> { fn worded_with(self, by: u8) -> Result<T, crate::Refused> { todo!() } }
    impl<T, E> Wording<T, E> for Result<T, E> { fn worded_with(self, by: u8) -> Result<T, crate::Refused> { todo!() } }
}
mod theirs {
    pub trait Wording<T>: Sized { fn worded(self) -> Result<T, crate::Other> { todo!() } }
    impl<T, E> Wording<T> for Result<T, E> {}
}
use ours::Wording;
fn pay() -> Result<Receipt, u8> { todo!() }
fn run() { let receipt = pay().worded(); let maybe = Some(Receipt).worded().unwrap(); }
",
    );
    assert_eq!(local(&program, "shop::run", "receipt"), "Result<shop::Receipt, shop::Refused>");
    assert_eq!(local(&program, "shop::run", "maybe"), "shop::Receipt");
}

#[test]
fn parameters_that_are_left_out_are_what_the_declaration_says() {
    let program = program(
        "
struct Node; impl Node { fn send(&self) -> u8 { 1 } }
struct Other; impl Other { fn send(&self) -> u8 { 2 } }
struct Wallet<C = Node, D = C> { client: C, store: Vec<D> }
impl Wallet { fn run(&self) { let client = &self.client; } }
fn held(wallet: &Wallet<Other>, usual: Wallet) { let other = &wallet.client; let node = &usual.client; }
",
    );
    assert_eq!(local(&program, "shop::Wallet::run", "client"), "shop::Node");
    assert_eq!(local(&program, "shop::held", "other"), "shop::Other");
    assert_eq!(local(&program, "shop::held", "node"), "shop::Node");
}
