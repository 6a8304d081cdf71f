//! Everything that nests, a hundred thousand levels deep: closed, and cut off in the middle.

use super::run::library;

const LEVELS: usize = 100_000;
/// Where the text ends in the middle of it all.
const CUT_OFF: usize = 20_000;

/// In front of it all, what each level opens, the middle, what it closes, behind it all.
type Tower = (&'static str, &'static str, &'static str, &'static str, &'static str);

fn tower(&(before, open, middle, close, after): &Tower, closed: bool) -> String {
    match closed {
        true => format!("{before}{}{middle}{}{after}", open.repeat(LEVELS), close.repeat(LEVELS)),
        false => format!("{before}{}{middle}", open.repeat(CUT_OFF)),
    }
}

fn all(towers: &[Tower]) {
    for each in towers {
        let name: String = format!("{} {}", each.0, each.1);
        library(&name, &tower(each, true));
        library(&format!("{name}, open"), &tower(each, false));
    }
}

#[test]
fn expressions() {
    all(&[
        ("fn f() { ", "(", "x", ")", " }"),
        ("fn f() { ", "{", "x", "}", " }"),
        ("fn f() { ", "[", "x", "]", " }"),
        ("fn f() { ", "f(", "x", ")", " }"),
        ("fn f() { ", "S { a: ", "x", " }", " }"),
        ("fn f() { ", "|a| ", "x", "", " }"),
        ("fn f() { ", "async move { ", "x", "}", " }"),
        ("fn f() { ", "if a { ", "x", "}", " }"),
        ("fn f() { ", "if x {} else ", "{}", "", " }"),
        ("fn f() { ", "match a { _ => ", "x", "}", " }"),
        ("fn f() { ", "while a { ", "x", "}", " }"),
        ("fn f() { ", "!", "x", "", " }"),
        ("fn f() { ", "&", "x", "", " }"),
        ("fn f() { ", "return ", "x", "", " }"),
    ]);
}

#[test]
fn chains() {
    all(&[
        ("fn f() { ", "x + ", "x", "", " }"),
        ("fn f() { ", "x = ", "x", "", " }"),
        ("fn f() { ", "x && ", "x", "", " }"),
        ("fn f() { ", "x..", "x", "", " }"),
        ("fn f() { x", ".m()", "", "", " }"),
        ("fn f() { x", ".m(1).await?", "", "", " }"),
        ("fn f() { x", ".a", "", "", " }"),
        ("fn f() { x", "[0]", "", "", " }"),
        ("fn f() { x", "(1)", "", "", " }"),
        ("fn f() { x", "?", "", "", " }"),
        ("fn f() { x", " as u8", "", "", " }"),
        ("fn f() { x", "::a", "", "", " }"),
        ("use x", "::a", "", "", ";"),
        ("fn f() { let y: x", "::a", "", "", "; }"),
    ]);
}

#[test]
fn types_and_patterns() {
    all(&[
        ("fn f(a: ", "A<", "u8", ">", ") {}"),
        ("fn f(a: ", "&", "u8", "", ") {}"),
        ("fn f(a: ", "(", "u8", ",)", ") {}"),
        ("fn f(a: ", "[", "u8", "; 1]", ") {}"),
        ("fn f(a: ", "fn() -> ", "u8", "", ") {}"),
        ("fn f(a: ", "<", "u8", " as T>::O", ") {}"),
        ("fn f(a: impl ", "A<B = impl ", "C", ">", ") {}"),
        ("struct S(", "Vec<", "u8", ">", ");"),
        ("impl ", "A<", "u8", ">", " { fn f() {} }"),
        ("fn f() { let ", "(", "a", ")", " = x; }"),
        ("fn f() { let ", "&", "a", "", " = x; }"),
        ("fn f() { match x { ", "S { a: ", "a", "}", " => {} } }"),
        ("fn f() { match x { ", "a | ", "a", "", " => {} } }"),
        ("fn f() { match x { ", "a @ ", "a", "", " => {} } }"),
    ]);
}

#[test]
fn items_and_macros() {
    all(&[
        ("", "mod a { ", "fn f() {}", "}", ""),
        ("", "fn a() { ", "", "}", ""),
        ("", "impl S { fn a() { ", "", "} }", ""),
        ("use ", "a::{b, ", "c", "}", ";"),
        ("", "#[a]", "fn f() {}", "", ""),
        ("#[", "a(", "b", ")", "] fn f() {}"),
        ("#[effect(", "a(", "b", ")", ")] fn f() {}"),
        ("#[effect(intent_key = ", "a(", "b", ")", ")] fn f() {}"),
        ("#[effect(intent_key = \"", "{", "b", "}", "\")] fn f() {}"),
        ("fn f() { ", "vec![", "x", "]", " }"),
        ("fn f() { ", "m!(a b; ", "x", ")", " }"),
        ("fn f() { ", "json!([", "x", "])", " }"),
        ("fn f() { ", "format!(\"{}\", ", "x", ")", " }"),
        ("fn f() { ", "select! { a = b => ", "x", " }", " }"),
        ("m! { ", "{", "x", "}", " }"),
        ("macro_rules! m { () => { ", "$(", "impl $x {}", ")*", " } }"),
        ("fn f() { format!(\"", "{", "x", "}", "\") }"),
    ]);
}

#[test]
fn comments_and_texts() {
    all(&[
        ("", "/* ", "x", " */", "fn f() {}"),
        ("", "/** ", "x", " */", "fn f() {}"),
        ("const A: &str = r", "#", "\"x\"", "#", ";"),
        ("", "\"", "", "", ""),
        ("", "'", "", "", ""),
        ("", "r#\"", "", "", ""),
        ("", "//", "", "", ""),
        ("", "<", "", "", ""),
        ("", "#!", "", "", ""),
        ("", "\u{feff}", "", "", ""),
        ("fn f() { ", "1.", "", "", " }"),
        ("fn f() { ", "a'", "", "", " }"),
        ("fn f() { ", "#", "", "", " }"),
        ("fn ", "f", "", "", "() {}"),
    ]);
}
