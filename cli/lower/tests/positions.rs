use super::function;
use crate::ir::{Body, ExprKind};
use crate::source::TextRange;

/// The source of each expression of this kind, in order.
fn sources(text: &str, wanted: impl Fn(&ExprKind) -> bool) -> Vec<&str> {
    let body: Body = *function(text).body.unwrap();
    let found = body.exprs.iter().filter(|expr| wanted(&expr.kind));
    found.map(|expr| slice(text, expr.range)).collect()
}

fn slice(text: &str, range: TextRange) -> &str {
    &text[range.start as usize..range.end as usize]
}

#[test]
fn calls_span_from_receiver_to_parenthesis() {
    let text = "fn f() { let x = (client).charge(&k, (1 + 2),).send( ).await?; }";
    assert_eq!(
        sources(text, |kind| matches!(kind, ExprKind::MethodCall(_))),
        ["(client).charge(&k, (1 + 2),)", "(client).charge(&k, (1 + 2),).send( )"]
    );
    assert_eq!(
        sources(text, |kind| matches!(kind, ExprKind::Await(_))),
        ["(client).charge(&k, (1 + 2),).send( ).await"]
    );
    assert_eq!(
        sources(text, |kind| matches!(kind, ExprKind::Try(_))),
        ["(client).charge(&k, (1 + 2),).send( ).await?"]
    );
    assert_eq!(sources(text, |kind| matches!(kind, ExprKind::Binary { .. })), ["1 + 2"]);
}

#[test]
fn byte_order_mark_tabs_and_windows_line_ends() {
    let text = "\u{feff}\r\nfn f() {\r\n\tlet ä = \"日本\";\tg(ä, \"ß\").h();\r\n}\r\n";
    assert_eq!(
        sources(text, |kind| matches!(kind, ExprKind::Call { .. } | ExprKind::MethodCall(_))),
        ["g(ä, \"ß\")", "g(ä, \"ß\").h()"]
    );
    assert_eq!(sources(text, |kind| matches!(kind, ExprKind::Literal(_))), ["\"日本\"", "\"ß\""]);
}

#[test]
fn long_lines_with_other_scripts() {
    // columns beyond those that are counted anew for each token, around the remembered offsets
    for filler in [1_000, 1_023, 1_024, 1_087, 1_088, 1_089, 3_000] {
        let text = format!("fn f() {{ let s = \"{}\"; g(s).h(\"é\") }}", "é".repeat(filler));
        assert_eq!(sources(&text, |kind| matches!(kind, ExprKind::MethodCall(_))), ["g(s).h(\"é\")"], "{filler}");
    }
}

#[test]
fn each_kind_has_the_range_that_is_written() {
    let cases = [
        "return x",
        "break 'l 1",
        "continue 'l",
        "a = b",
        "a += b",
        "x as Vec<u8>",
        "x as fn(u8) -> [u8; 3]",
        "1..=2",
        "..",
        "x..",
        "..x",
        "async move { 1 }",
        "'l: loop { }",
        "'l: while a { }",
        "for x in y { }",
        "if a { } else if b { } else { }",
        "match a { _ => 1 }",
        "move |a| a + 1",
        "async || { }",
        "|a: u8| -> u8 { a }",
        "<T as A>::b",
        "::a::b::<C>",
        "S::<u8> { a: 1 }",
        "[1, 2]",
        "[1; 2]",
        "(1, 2)",
        "m!(a, b)",
        "a::m![x]",
        "-x",
        "!x",
        "*x",
        "a[1]",
        "a.b",
        "a.0",
        "try { 1 }",
        "unsafe { 1 }",
        "const { 1 }",
    ];
    for case in cases {
        let text = format!("fn f() {{\n  /* é */ let _ = {case};\n}}");
        let body = *function(&text).body.unwrap();
        let whole = body.exprs.iter().map(|expr| slice(&text, expr.range)).rev().nth(1);
        assert_eq!(whole, Some(case));
    }
}

#[test]
fn parameters_and_names() {
    let text = "#[a(b)]\npub async fn näme(mut self: Arc<Self>, a: Option<(u8, &str)>) {}";
    let f = function(text);
    assert_eq!(slice(text, f.name_range), "näme");
    assert_eq!(slice(text, f.params[0].range), "mut self: Arc<Self>");
    assert_eq!(slice(text, f.params[1].range), "a: Option<(u8, &str)>");
    assert_eq!(slice(text, f.attributes[0].range), "#[a(b)]");
    assert_eq!(slice(text, f.attributes[0].args_range), "b");
}
