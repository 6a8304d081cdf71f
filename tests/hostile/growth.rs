//! Short sources whose meaning is large: types, names, calls and values that double with each line, or go in circles.

use super::run::library;

/// A line for each number.
fn lines(numbers: std::ops::Range<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

fn body(text: &str) -> String {
    format!("fn f(c: &reqwest::Client, k: &str, b: bool) {{ {text} }}")
}

const SEND: &str = "c.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", x).send();";

#[test]
fn types_of_locals() {
    for (start, line) in [
        ("let x = (1, 2);", "let x = (x, x);"),
        ("let x = 1;", "let x = [(x, x), (x, x)];"),
        ("let x = 1;", "let x = (|a| (a, x))((x, x));"),
        ("let x = 1;", "let x = Some(x).zip(Some(x)).map(|y| (y, y));"),
        ("let mut x = vec![];", "x.push(x); x = vec![x, x]; x.insert(x, (x, x));"),
        ("let mut x = 1;", "x = if x { (x, x) } else { (x, 1) };"),
        ("let mut x = 1;", "loop { x = (x, x); break x }"),
        ("let x = 1;", "let x = async { (x, x) };"),
    ] {
        library(line, &body(&format!("{start} {} x.0.1;", line.repeat(60))));
        library(line, &body(&format!("{start} {} {}", line.repeat(60), "x;".repeat(100_000))));
    }
    library("a wide tuple", &body(&format!("let x = ({}); {}", "1,".repeat(50_000), "x;".repeat(50_000))));
}

#[test]
fn types_as_written() {
    for wide in [2, 10] {
        let aliases =
            lines(1..60, |number| format!("type A{number} = ({});", format!("A{},", number - 1).repeat(wide)));
        library("aliases", &format!("type A0 = u8; {aliases} fn f(a: A59) {{ let b = a; }}"));
    }
    let aliases = lines(1..60, |number| format!("type A{number}<T> = A{0}<A{0}<(T, T)>>;", number - 1));
    library("generic aliases", &format!("type A0<T> = (T, T); {aliases} fn f(a: A59<u8>) {{ let b = a; }}"));
    let nested = format!("{}u8{}", "P<".repeat(100), ">".repeat(100));
    library("arguments", &format!("type P<T> = (T, T); fn f(a: {nested}) {{ let b = a; }}"));
    library("circles", "type A = (A, A); type B = Vec<(C, C)>; type C = Vec<(B, B)>; fn f(a: A, b: B) { (a, b); }");
    library(
        "associated types",
        "struct S; trait T { type O; }
        impl T for S { type O = (<S as T>::O, <S as T>::O, <S as T>::O); }
        impl std::ops::Add for S { type Output = (Self::Output, Self::Output, Self::Output); }
        impl Iterator for S { type Item = (<S as Iterator>::Item, <S as Iterator>::Item); }
        fn f(s: S) { let a = s + s; let b: <S as T>::O = a; for x in s { x.go(); } }",
    );
    library(
        "dereferences",
        "struct A; struct B; struct C<T>(T);
        impl std::ops::Deref for A { type Target = B; } impl std::ops::Deref for B { type Target = A; }
        impl<T> std::ops::Deref for C<T> { type Target = C<(T, T)>; }
        fn f(a: A, c: C<u8>) { a.go(); a.x; c.go(); c.x; c.0.y; (****************************c).go(); }",
    );
    let bounds = lines(0..30, |number| format!("T{number}: Fn({}),", format!("T{},", number + 1).repeat(30)));
    library("bounds", &format!("fn f<{bounds} T30>(a: T0) {{ a.go(); let b = a; f(b); }}"));
    let calls = format!("{}1{}", "d(".repeat(60), ")".repeat(60));
    library("calls", &format!("fn d<T>(t: T) -> (T, T, T, T) {{ (t, t, t, t) }} fn f() {{ let x = {calls}; x.0.1; }}"));
    library(
        "structs",
        &format!(
            "struct P<T> {{ a: (T, T), b: Option<P<(T, T)>> }} fn f(p: P<u8>) {{ {} p{}; }}",
            "let p = P { a: (p, p), b: None };".repeat(60),
            ".b".repeat(100)
        ),
    );
}

#[test]
fn names() {
    library(
        "twins",
        &format!("{} fn f() {{ {} }}", "#[cfg(a)] fn g() -> u8 { 1 }".repeat(10_000), "g();".repeat(10_000)),
    );
    library(
        "twins of methods",
        &format!(
            "struct S; {} fn f(s: S) {{ {} }}",
            "impl S { fn g(&self) -> u8 { 1 } }".repeat(10_000),
            "s.g();".repeat(10_000)
        ),
    );
    let conversions = lines(0..3_000, |number| {
        format!("struct S{number}; impl From<S{number}> for S {{ fn from(s: S{number}) -> S {{ S }} }}")
    });
    let calls = lines(0..3_000, |number| format!("let x: S = S{number}.into(); let y: S = x.y.into();"));
    library("conversions", &format!("struct S; {conversions} fn f() {{ {calls} }}"));
    let impls = lines(0..5_000, |number| format!("struct S{number}; impl T for S{number} {{ fn g(&self) {{}} }}"));
    let calls = "s.g();".repeat(5_000);
    library("implementations", &format!("trait T {{ fn g(&self); }} {impls} fn f(s: &dyn T) {{ {calls} }}"));
    let traits = lines(0..3_000, |number| {
        let above = [1, 7, 77].map(|step| format!("T{}", (number + step) % 3_000)).join(" + ");
        format!("trait T{number}: {above} {{ fn m{number}(&self); }}")
    });
    let calls = lines(0..500, |number| format!("t.m{number}();"));
    library("supertraits", &format!("{traits} fn f(t: &dyn T0) {{ {calls} }}"));
    let modules = lines(0..500, |number| {
        let globs = [1, 7, 13].map(|step| format!("pub use crate::m{}::*;", (number * step + step) % 500)).concat();
        format!("pub mod m{number} {{ {globs} pub fn x{number}() {{}} }}")
    });
    let calls = lines(0..500, |number| format!("x{number}();"));
    library("globs", &format!("{modules} use m0::*; fn f() {{ {calls} }}"));
    let modules = lines(0..2_000, |number| {
        let next = (number + 1) % 2_000;
        format!("pub mod m{number} {{ pub use crate::m{next}::a{next} as a{number}; }}")
    });
    library("imports in a circle", &format!("{modules} fn f() {{ m0::a0(); }}"));
    let macros = "macro_rules! m { ($t:ident) => { impl $t { fn a(&self) {} } impl $t { fn b(&self) {} } } }";
    library("macros", &format!("{macros} struct S; {}", "m!(S);".repeat(20_000)));
}

#[test]
fn wide() {
    let variants = lines(0..20_000, |number| format!("V{number}(u8),"));
    let arms = lines(0..20_000, |number| format!("E::V{number}(a) => a,"));
    library("variants", &format!("enum E {{ {variants} }} fn f(e: E) {{ match e {{ {arms} }} }}"));
    let fields = lines(0..20_000, |number| format!("a{number}: u8,"));
    let reads = lines(0..20_000, |number| format!("s.a{number};"));
    library("fields", &format!("struct S {{ {fields} }} fn f(s: S) {{ {reads} }}"));
    let locals = lines(0..50_000, |number| format!("let a{number} = 1;"));
    let reads = lines(0..50_000, |number| format!("a{number};"));
    library("locals", &body(&format!("{locals} {reads}")));
    let locals = lines(0..10_000, |number| format!("let mut a{number} = k; if b {{ a{number} = 2; }}"));
    library("branches", &body(&format!("let x = k; {locals} {SEND}")));
    let parameters = lines(0..20_000, |number| format!("a{number}: u8,"));
    library("parameters", &format!("fn f({parameters}) {{}} fn g() {{ f({}); }}", "1,".repeat(20_000)));
    let generics = lines(0..5_000, |number| format!("T{number},"));
    library("generics", &format!("struct S<{generics}>(T1); fn f<{generics}>(s: S<{generics}>) {{ s.0; }}"));
}

#[test]
fn values() {
    for (start, line) in [
        ("let x = k;", "let x = format!(\"{}{}\", x, x);"),
        ("let x = (k, k);", "let x = (x, x);"),
        ("let x = k;", "let x = P { a: x, b: x.a };"),
        ("let x = k;", "let x = if b { format!(\"{}a\", x) } else { format!(\"b{}\", x) };"),
        ("let x = k;", "let x = x.split(x).map(|x| (x, x)).chain(x).collect();"),
        ("let x = c;", "let x = x.post(x).header(x, x).body(x);"),
        ("let mut x = k;", "loop { x = format!(\"{}{}\", x, k); if b { break; } }"),
        ("let x = k;", "let x = serde_json::json!({ \"a\": x, \"b\": [x, x] });"),
    ] {
        let source = body(&format!("{start} {} {SEND}", line.repeat(100)));
        library(line, &format!("struct P {{ a: String, b: String }} {source}"));
    }
    let loops = format!("{}{SEND}{}", "loop { x = format!(\"{}{}\", x, k); ".repeat(100), "}".repeat(100));
    library("loops in loops", &body(&format!("let mut x = k; {loops}")));
    let closures = lines(1..40, |number| format!("let g{number} = |x| {{ g{0}(x); g{0}(x) }};", number - 1));
    library("closures", &body(&format!("let g0 = |x| {SEND} {closures} g39(k);")));
}

#[test]
fn calls() {
    let functions = lines(0..60, |number| {
        format!("fn k{number}(k: &str) -> String {{ format!(\"{{}}{{}}\", k{0}(k), k{0}(k)) }}", number + 1)
    });
    library(
        "keys",
        &format!("{functions} fn k60(k: &str) -> String {{ k.into() }} {}", body(&format!("let x = k0(k); {SEND}"))),
    );
    let parameters = "(c: &reqwest::Client, x: &str)";
    let functions = lines(0..60, |number| {
        let next = number + 1;
        format!("fn s{number}{parameters} {{ s{next}(c, x); s{next}(c, &format!(\"a{{}}\", x)); }}")
    });
    library("fans", &format!("{functions} fn s60{parameters} {{ {SEND} }}"));
    let functions = lines(0..100, |number| {
        let calls = [1, 3, 13].map(|step| format!("g{}(c, x);", (number * step + step) % 100)).concat();
        format!("fn g{number}{parameters} {{ {calls} {SEND} }}")
    });
    library("circles", &functions);
    let functions = lines(0..5_000, |number| format!("fn g{number}{parameters} {{ g{}(c, x); }}", number + 1));
    library("a long way", &format!("{functions} fn g5000{parameters} {{ {SEND} }}"));
    library("many dispatches", &format!("fn g{parameters} {{ {} }}", SEND.repeat(5_000)));
    library(
        "many calls",
        &format!("fn g{parameters} {{ {SEND} }} fn h{parameters} {{ {} }}", "g(c, x);".repeat(5_000)),
    );
    let callers = lines(0..5_000, |number| format!("fn h{number}{parameters} {{ g(c, x); }}"));
    library("many callers", &format!("fn g{parameters} {{ {SEND} }} {callers}"));
}

/// Each function calls what it is handed by way of the one before it, twice.
#[test]
fn calls_of_parameters() {
    let functions = lines(1..60, |number| {
        let below = number - 1;
        format!("fn a{number}(f: &dyn Fn()) {{ a{below}(f); a{below}(f); }}")
    });
    let closure = body(&format!("let x = k; a59(&|| {{ {SEND} }});"));
    library("handed on", &format!("fn a0(f: &dyn Fn()) {{ f(); f(); }} {functions} {closure}"));
    let circle = lines(0..12, |number| {
        let calls = [1, 2, 3, 5].map(|step| format!("b{}(f);", (number + step) % 12)).concat();
        format!("fn b{number}(f: &dyn Fn()) {{ f(); loop {{ f(); {calls} }} }}")
    });
    let closure = body(&format!("let x = k; b0(&|| {{ {SEND} }});"));
    library("handed on in circles", &format!("{circle} {closure}"));
}
