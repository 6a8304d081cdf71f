use super::{file, on_large_stack};

/// `open` so many times, then `inner`, then `close` as often.
fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

/// What nests, by how it is opened, what is in the middle, how it is closed.
const TOWERS: [(&str, &str, &str); 33] = [
    ("(", "x", ")"),
    ("{", "x", "}"),
    ("[", "x", "]"),
    ("f(", "x", ")"),
    ("a[", "x", "]"),
    ("S { a: ", "x", "}"),
    ("|a| ", "x", ""),
    ("move || async move { ", "x", "}"),
    ("if a { ", "x", "}"),
    ("if x {} else ", "{}", ""),
    ("match a { _ => ", "x", "}"),
    ("while a { ", "x", "}"),
    ("let a = { ", "x", "};"),
    ("return ", "x", ""),
    ("!", "x", ""),
    ("-", "x", ""),
    ("&", "x", ""),
    ("*", "x", ""),
    ("x + ", "x", ""),
    ("x = ", "x", ""),
    ("x && ", "x", ""),
    ("", "x", ".m()"),
    ("", "x", ".m(1, 2).await?"),
    ("", "x", "?"),
    ("", "x", " as u8"),
    ("", "x", "[0]"),
    ("", "x", "(1)"),
    ("vec![", "x", "]"),
    ("json!([", "x", "])"),
    ("format!(\"{}\", ", "x", ")"),
    ("m!(a b; ", "x", ")"),
    ("select! { a = b => ", "x", " }"),
    ("x.y(|(a, b)| z(", "x", "))"),
];

/// Patterns and types that nest.
const OTHERS: [(&str, &str, &str); 8] = [
    ("let ", "(", ")"),
    ("let ", "&", ""),
    ("let ", "S { a: ", "}"),
    ("let x: ", "Vec<", ">"),
    ("let x: ", "&", ""),
    ("let x: ", "impl A<B = ", ">"),
    ("let x: ", "fn() -> ", ""),
    ("let x: ", "(", ",)"),
];

#[test]
fn whatever_nests_is_read_or_refused() {
    for times in [1_950, 3_900, 6_000] {
        for (open, inner, close) in TOWERS {
            bounded(&format!("fn f() {{ {} }}", nested(open, inner, close, times)), times);
        }
        for (before, open, close) in OTHERS {
            bounded(&format!("fn f() {{ {before}{}; }}", nested(open, "x", close, times)), times);
        }
        bounded(&format!("use {};", nested("a::{b, ", "c", "}", times)), times);
        bounded(&format!("impl {} {{ fn f() {{}} }}", nested("A<", "B", ">", times)), times);
        bounded(&nested("mod a { ", "fn f() {}", "}", times), times);
        bounded(&nested("fn a() { ", "", "}", times), times);
        bounded(&nested("#[cfg_attr(a, ", "b", ")] fn f() {}", times.min(1)), times);
        bounded(&format!("#[{}] fn f() {{}}", nested("cfg_attr(a, ", "b", ")", times)), times);
        bounded(&format!("m! {{ {} }}", nested("{ fn f() {} ", "x", "}", times)), times);
        bounded(&format!("macro_rules! m {{ () => {{ {} }} }}", nested("$(", "impl $x {}", ")*", times)), times);
    }
}

/// A chain in each argument of a chain: the depth of the tree is the sum, not the greatest of its parts.
#[test]
fn chains_inside_chains_add_up() {
    let chain = |inner: &str| format!("x{}", ".m()".repeat(150) + &format!(".n({inner})"));
    let mut text = "x".to_owned();
    for _ in 0..40 {
        text = chain(&text);
    }
    let ir = file(&format!("fn f() {{ {text} }}"));
    assert!(ir.problems[0].message.contains("nests deeper than can be read safely"));
}

/// Real code is far away from the limit: the greatest bracket depth seen in twenty million lines is 45.
#[test]
fn ordinary_nesting_is_read() {
    for (open, inner, close) in TOWERS {
        let ir = file(&format!("fn f() {{ {} }}", nested(open, inner, close, 200)));
        assert!(ir.problems.is_empty(), "{open}{inner}{close}: {:?}", ir.problems);
    }
}

fn bounded(text: &str, times: usize) {
    let ir = file(text);
    // what was refused is said, unless it is inside a macro, where anything goes
    let told =
        !ir.problems.is_empty() || text.contains("m!") || text.contains("macro_rules") || text.contains("cfg_attr");
    if times >= 6_000 && text.starts_with("fn f") {
        assert!(told, "{}", &text[..40]);
    }
    on_large_stack(|| drop(ir.clone()));
}
