//! Modules, imports, paths.

use super::{calls, paths, program};

#[test]
fn modules_of_files_inline_and_by_attribute() {
    let program = program(
        "
//- src/lib.rs
mod a;
mod b { pub mod c; pub fn here() {} }
#[path = \"odd/name.rs\"] mod d;
pub fn f() { a::f(); a::g::f(); b::c::f(); d::f(); b::here(); crate::a::f(); self::a::f() }
//- src/a.rs
pub mod g;
pub fn f() { super::d::f(); self::g::f() }
//- src/a/g.rs
pub fn f() {}
//- src/b/c.rs
pub fn f() { super::here(); super::super::a::f() }
//- src/odd/name.rs
pub fn f() {}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "a::f = shop::a::f",
            "a::g::f = shop::a::g::f",
            "b::c::f = shop::b::c::f",
            "d::f = shop::d::f",
            "b::here = shop::b::here",
            "crate::a::f = shop::a::f",
            "self::a::f = shop::a::f",
        ]
    );
    assert_eq!(calls(&program, "shop::a::f"), ["super::d::f = shop::d::f", "self::g::f = shop::a::g::f"]);
    assert_eq!(calls(&program, "shop::b::c::f"), ["super::here = shop::b::here", "super::super::a::f = shop::a::f"]);
}

#[test]
fn imports_chain_rename_glob_and_cross_crates() {
    let program = program(
        "
//= core-lib
//- src/lib.rs
mod hidden { pub fn charge() {} pub enum Kind { A, B(u8) } }
pub use hidden::charge as pay;
pub mod prelude { pub use crate::hidden::*; pub use super::pay; }
//= shop core-lib
//- src/lib.rs
use core_lib::prelude::*;
use core_lib::{self as base, pay as settle};
mod inner;
pub fn f() { charge(); pay(); settle(); base::pay(); inner::again(); }
//- src/inner.rs
use super::*;
use Kind::*;
pub use self::again as other;
pub fn again() { settle(); let _ = B(1); other() }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "charge = core_lib::hidden::charge",
            "pay = core_lib::hidden::charge",
            "settle = core_lib::hidden::charge",
            "base::pay = core_lib::hidden::charge",
            "inner::again = shop::inner::again",
        ]
    );
    assert_eq!(
        calls(&program, "shop::inner::again"),
        ["settle = core_lib::hidden::charge", "B = new core_lib::hidden::Kind::B", "other = shop::inner::again",]
    );
}

#[test]
fn canonical_paths_of_other_crates() {
    let program = program(
        "
//= shop reqwest http_old=http stripe=async-stripe
//- src/lib.rs
use reqwest::{Client as C, header};
use core::time::Duration;
use anyhow::anyhow;
use tokio::time as clock;
pub fn f() {
    C::new();
    header::HeaderMap::new();
    Duration::from_secs(1);
    http_old::Request::builder();
    stripe::Client::new();
    uuid::Uuid::new_v4();
    clock::sleep(1);
    ::reqwest::get(1);
    anyhow::Error::msg(1);
    Default::default();
    String::from(\"x\");
    u64::from(1u8);
}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "C::new = external reqwest::Client::new",
            "header::HeaderMap::new = external reqwest::header::HeaderMap::new",
            "Duration::from_secs = external std::time::Duration::from_secs",
            "http_old::Request::builder = external http::Request::builder",
            "stripe::Client::new = external stripe::Client::new",
            "uuid::Uuid::new_v4 = external uuid::Uuid::new_v4",
            "clock::sleep = external tokio::time::sleep",
            "reqwest::get = external reqwest::get",
            "anyhow::Error::msg = external anyhow::Error::msg",
            "Default::default = external std::default::Default::default",
            "String::from = external std::string::String::from",
            "u64::from = external u64::from",
        ]
    );
}

#[test]
fn absent_modules_stay_nominal() {
    let program = program(
        "
use crate::chain::{Chain, submit};
use super_crate::deep::Thing;
pub async fn f(chain: Chain) {
    Chain::new();
    submit(1).await;
    chain.send(2).await;
    crate::gone::x();
    Thing::make();
}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "Chain::new = unresolved crate::chain::Chain::new",
            "submit = unresolved crate::chain::submit",
            ".send = external crate::chain::Chain.send",
            "crate::gone::x = unresolved crate::gone::x",
            "Thing::make = external super_crate::deep::Thing::make",
        ]
    );
}

#[test]
fn a_single_foreign_glob_defines_what_nothing_else_does() {
    let program = program(
        "
use diesel::prelude::*;
pub fn f(conn: &mut PgConnection) { insert_into(1).values(2).execute(conn); conn.begin(); missing(); }
pub fn missing() {}
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "insert_into = external diesel::prelude::insert_into",
            ".values = external diesel.values",
            ".execute = external diesel.execute",
            ".begin = external diesel::prelude::PgConnection.begin",
            "missing = shop::missing",
        ]
    );
}

#[test]
fn a_module_that_is_not_there_comes_from_no_foreign_glob() {
    let program = program(
        "
use diesel::prelude::*;
use crate::fax::FaxLine;
pub fn f(fax: &FaxLine) { fax.transmit(); crate::clinic::render(1); }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            ".transmit = external crate::fax::FaxLine.transmit",
            "crate::clinic::render = unresolved crate::clinic::render"
        ]
    );
}

#[test]
fn cfg_twins_stand_side_by_side() {
    let program = program(
        "
#[cfg(unix)] fn send() {}
#[cfg(not(unix))] fn send() {}
#[cfg(a)] mod imp { pub fn go() {} }
#[cfg(not(a))] mod imp { pub fn go() {} }
fn f() { send(); imp::go() }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        ["send = shop::send | shop::send", "imp::go = shop::imp::go | shop::imp::go"]
    );
}

#[test]
fn old_editions_start_at_the_crate_root() {
    let program = program(
        "
//= shop edition=2015 serde
//- src/lib.rs
extern crate serde as ser;
mod a;
fn root() {}
//- src/a.rs
use root;
use ser::Value;
fn f() { root(); Value::new(); ::root() }
",
    );
    assert_eq!(
        calls(&program, "shop::a::f"),
        ["root = shop::root", "Value::new = external serde::Value::new", "root = shop::root",]
    );
}

#[test]
fn a_file_of_two_targets_counts_once() {
    let program = program(
        "
//- src/lib.rs
pub mod a;
//- src/main.rs
mod a;
fn main() { a::f(); shop::a::f(); }
//- src/a.rs
pub fn f() {}
//- tests/it.rs
fn helper() { shop::a::f() }
",
    );
    assert_eq!(paths(&program).iter().filter(|path| path.ends_with("a::f")).count(), 1);
    assert_eq!(calls(&program, "shop::main"), ["a::f = shop::a::f", "shop::a::f = shop::a::f"]);
    let helper = program.find_functions("crate::helper")[0];
    assert!(program.function(helper).test);
}

#[test]
fn a_file_that_a_twin_compiles_for_more_than_tests_is_no_test_code() {
    let program = program(
        "
//- src/lib.rs
#[cfg(any(test, feature = \"test-utils\"))]
pub mod slots;
#[cfg(not(any(test, feature = \"test-utils\")))]
pub(crate) mod slots;
#[cfg(any(test, feature = \"test-utils\"))]
pub mod fakes;
//- src/slots.rs
pub fn create() {}
//- src/fakes.rs
pub fn create() {}
",
    );
    let is_test = |path: &str| program.function(program.find_functions(path)[0]).test;
    assert!(!is_test("crate::slots::create"));
    assert!(is_test("crate::fakes::create"));
}

#[test]
fn items_inside_bodies() {
    let program = program(
        "
enum Mode { Fast, Slow(u8) }
fn outer() { use Mode::*; fn inner() { helper() } inner(); let _ = Slow(1); struct Local; impl Local { fn go() {} } Local::go(); }
fn helper() {}
",
    );
    assert_eq!(
        calls(&program, "shop::outer"),
        ["inner = shop::outer::inner", "Slow = new shop::Mode::Slow", "Local::go = shop::outer::Local::go",]
    );
    assert_eq!(calls(&program, "shop::outer::inner"), ["helper = shop::helper"]);
}

#[test]
fn import_cycles_end() {
    let program = program(
        "
mod a { pub use super::b::*; pub use super::b::x as y; }
mod b { pub use super::a::*; pub use super::a::y as x; pub fn real() {} }
fn f() { a::real(); a::y() }
",
    );
    assert_eq!(calls(&program, "shop::f")[0], "a::real = shop::b::real");
}

#[test]
fn a_name_gets_all_its_meanings_over_any_number_of_imports() {
    let program = program(
        "
mod a { pub use crate::b::order; }
mod b { pub use crate::c::order; }
mod c { pub use crate::d::order; }
mod d { pub mod order { pub fn id() {} } pub use crate::e::*; }
mod e { pub fn order() {} }
fn f() { a::order(); a::order::id() }
",
    );
    assert_eq!(calls(&program, "shop::f"), ["a::order = shop::e::order", "a::order::id = shop::d::order::id"]);
}

#[test]
fn private_imports_do_not_leak_through_globs() {
    let program = program(
        "
mod a { use std::fmt::Result; pub fn f() {} }
mod b { pub use super::a::*; pub fn g() -> Result<u8, ()> { f(); Ok(1) } }
",
    );
    assert_eq!(calls(&program, "shop::b::g")[0], "f = shop::a::f");
    let g = program.find_functions("shop::b::g")[0];
    assert_eq!(super::show(&program, &program.function(g).ret), "Result<u8, ()>");
}

#[test]
fn types_that_a_derive_makes_are_local() {
    let program = program(
        "
//= shop sea_orm
//- src/lib.rs
pub mod endpoint;
use endpoint::Entity as Endpoints;
fn f() { Endpoints::by_uid(1); endpoint::Entity::find(); }
//- src/endpoint.rs
use sea_orm::entity::prelude::*;
#[derive(DeriveEntityModel)] pub struct Model { pub id: u8 }
impl ActiveModelBehavior for ActiveModel {}
impl Entity { pub fn by_uid(n: u8) {} }
fn g(a: ActiveModel) { a.insert(1); Entity::by_uid(2); }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "Endpoints::by_uid = shop::endpoint::Entity::by_uid",
            "endpoint::Entity::find = unresolved shop::endpoint::Entity::find",
        ]
    );
    assert_eq!(
        calls(&program, "shop::endpoint::g"),
        [".insert = external shop::endpoint::ActiveModel.insert", "Entity::by_uid = shop::endpoint::Entity::by_uid",]
    );
}

#[test]
fn what_a_foreign_macro_makes_is_of_its_crate() {
    let program = program(
        "
//= shop diesel
//- src/lib.rs
mod schema;
mod other;
use crate::schema::crates;
fn f(conn: u8) { crates::table.filter(crates::id.eq(1)).first(conn); }
//- src/schema.rs
diesel::table! { crates (id) { id -> Int4, } }
//- src/other.rs
use crate::schema::*;
fn f(conn: u8) { versions::table.load(conn); }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [".eq = external diesel.eq", ".filter = external diesel.filter", ".first = external diesel.first",]
    );
    assert_eq!(calls(&program, "shop::other::f"), [".load = external diesel.load"]);
}

#[test]
fn what_a_derive_adds_is_of_its_crate() {
    let program = program(
        "
//= shop diesel serde
//- src/lib.rs
use diesel::prelude::*;
use serde::Serialize;
#[derive(Clone, Serialize, Queryable, Identifiable)] pub struct Version { id: u8 }
#[derive(Serialize, Debug)] pub struct Plain { id: u8 }
fn f(conn: u8) { Version::belonging_to(1).load(conn); Plain::make().go(); }
",
    );
    assert_eq!(
        calls(&program, "shop::f"),
        [
            "Version::belonging_to = unresolved shop::Version::belonging_to",
            ".load = external diesel.load",
            "Plain::make = unresolved shop::Plain::make",
            ".go = unknown .go",
        ]
    );
}
