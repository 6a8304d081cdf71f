use super::*;

/// Kind, name, parent's number, whether it is test code.
fn outline(text: &str) -> Vec<(ItemKind, Option<String>, Option<u32>, bool)> {
    index(text)
        .items
        .into_iter()
        .map(|item| {
            let name = item.name.map(|name| name.to_string());
            (item.kind, name, item.parent, item.test)
        })
        .collect()
}

/// Whether the one function of the text counts as test code.
fn is_test(text: &str) -> bool {
    let index = index(text);
    let function = index.items.iter().find(|item| item.kind == ItemKind::Fn);
    function.expect("a function").test
}

#[test]
fn test_code_is_what_only_tests_compile() {
    for text in [
        "#[test] fn f() {}",
        "#[tokio::test(flavor = \"multi_thread\")] async fn f() {}",
        "#[rstest] #[case(1)] fn f(x: u8) {}",
        "#[cfg(test)] mod m { mod n { fn f() {} } }",
        "#[cfg(all(test, feature = \"x\"))] fn f() {}",
        "#[cfg(any(test, all(test, unix)))] fn f() {}",
        "#[cfg(any(test, feature = \"test-utils\"))] fn f() {}",
        "#[cfg(feature = \"test-utils\")] fn f() {}",
        "#[cfg(all(unix, feature = \"testutils\"))] fn f() {}",
        "#[cfg(not(not(test)))] fn f() {}",
        "#[cfg(not(any(not(test), windows)))] fn f() {}",
        "#[cfg_attr(not(miri), test)] fn f() {}",
        "#![cfg(test)] fn f() {}",
        "mod m { #![cfg(test)] fn f() {} }",
        "#[cfg(test)] impl A { fn f() {} }",
        "#[test] fn outer() { } #[cfg(doctest)] fn f() {}",
        "#[wasm_bindgen_test] fn f() {}",
    ] {
        assert!(is_test(text), "{text}");
    }
    for text in [
        "fn f() {}",
        "#[cfg(not(test))] fn f() {}",
        "#[cfg(any(test, feature = \"x\"))] fn f() {}",
        "#[cfg(feature = \"test\")] fn f() {}",
        "#[cfg(any(unix, feature = \"test-utils\"))] fn f() {}",
        "#[cfg(not(feature = \"testing\"))] fn f() {}",
        "#[cfg(not(feature = \"test-utils\"))] fn f() {}",
        "#[cfg(not(all(test, unix)))] fn f() {}",
        "#[cfg(any())] fn f() {}",
        "#[cfg_attr(test, derive(Debug))] fn f() {}",
        "#[latest] #[contest::fastest] fn f() {}",
        "#[doc = \"#[test]\"] fn f() {}",
        "#[cfg(test)] use a::b; fn f() {}",
        "#[cfg(test)] { fn f() {} }",
    ] {
        assert!(!is_test(text), "{text}");
    }
}

#[test]
fn items_in_macro_arguments_are_found() {
    let text = "macro_connector_implementation!(
        connector: Stripe,
        curl_request: Json(Request),
        [data],
        member_functions: {
            #[effect(intent_key = \"k\")]
            fn headers(&self) -> Headers { inner!{ x } }
            pub(crate) async fn url(&self) -> String { let s = S { fn_: 1 }; }
        }
        other: impl Fn() -> u8,
    );
    fn after() {}";
    let outline = outline(text);
    let call = (ItemKind::MacroCall, None, None, false);
    let inner = |name: &str| (ItemKind::Fn, Some(name.to_owned()), Some(0), false);
    let after = (ItemKind::Fn, Some("after".to_owned()), None, false);
    assert_eq!(outline, [call, inner("headers"), inner("url"), after]);
    let index = index(text);
    let headers = &index.items[1];
    let range = |range: TextRange| &text[range.start as usize..range.end as usize];
    assert_eq!(range(headers.attributes), "#[effect(intent_key = \"k\")]");
    assert_eq!(range(headers.body.unwrap()), " inner!{ x } ");
    assert!(range(index.items[2].range).starts_with("pub(crate) async fn url"));
    assert!(range(index.items[0].range).ends_with(");"));
}

#[test]
fn a_call_in_code_is_an_item_only_if_it_holds_one() {
    let text = "fn f() { a::b!(x, y); c::d! { fn g() {} fn h() {} } vec![fn_]; } fn i() {}";
    let found = outline(text);
    assert_eq!(
        found,
        [
            (ItemKind::Fn, Some("f".to_owned()), None, false),
            (ItemKind::MacroCall, None, Some(0), false),
            (ItemKind::Fn, Some("g".to_owned()), Some(1), false),
            (ItemKind::Fn, Some("h".to_owned()), Some(1), false),
            (ItemKind::Fn, Some("i".to_owned()), None, false),
        ]
    );
    let call = index(text).items[1].range;
    let call = &text[call.start as usize..call.end as usize];
    assert_eq!(call, "c::d! { fn g() {} fn h() {} }");
}

#[test]
fn items_of_a_macro_definition_are_its_children() {
    let text = "macro_rules! id { ($t:ident) => { impl $t { pub fn generate() -> Self { todo!() } } }; }
        id!(A);";
    let kinds: Vec<_> = outline(text).into_iter().map(|(kind, name, parent, _)| (kind, name, parent)).collect();
    assert_eq!(
        kinds,
        [
            (ItemKind::MacroRules, Some("id".to_owned()), None),
            (ItemKind::Impl, None, Some(0)),
            (ItemKind::Fn, Some("generate".to_owned()), Some(1)),
            (ItemKind::MacroCall, None, None),
        ]
    );
}

#[test]
fn nesting_is_measured_in_brackets_and_angles() {
    let depth = |text: &str| index(text).items[0].depth;
    assert_eq!(depth("fn f() {}"), 1);
    assert_eq!(depth("fn f(x: A<B<C<D>>>) { ((())) }"), 4);
    assert_eq!(depth("fn f() { let x: A<[B<C>; 1]> = y; }"), 4);
    // comparisons nest nothing that is not closed with the statement
    assert_eq!(depth("fn f() { if a < b {} if a < b {} c < d; c < d; [1 << 2, 1 << 3]; }"), 2);
    // the statement of a `match` arm ends at the next arrow
    assert_eq!(depth("fn f() { match x { y if y < a => 1, y if y < b => 2, _ => 3 } }"), 3);
}

#[test]
fn a_comparison_before_a_call_is_no_nesting_of_it() {
    let index = index("fn f() { a < b < c < d < call! { fn g() {} } }");
    let call = index.items.iter().find(|item| item.kind == ItemKind::MacroCall);
    assert_eq!(call.expect("a call").depth, 2);
}

#[test]
fn runs_are_what_a_parser_recurses_on() {
    let run = |text: &str| index(text).items[0].run;
    assert!(run("fn f() { !!!!!!!!!!x; }") >= 10);
    assert!(run("fn f() { a.b().c().d().e(); }") >= 8);
    assert!(run("fn f() { if a {} else if b {} else if c {} else if d {} }") >= 6);
    assert!(run("fn f() { if if if if if a {} {} {} {} {} {} }") >= 5);
    assert!(run("fn f() { return return return return 1; }") >= 4);
    let arms = "A => {} ".repeat(100);
    assert!(run(&format!("fn f() {{ match x {{ {arms} }} }}")) < 10);
    let statements = "if a {} ".repeat(100);
    assert!(run(&format!("fn f() {{ {statements} }}")) < 10);
}

/// A hundred thousand levels of everything: no recursion, no quadratic time.
#[test]
fn hostile_nesting_is_survived() {
    const LEVELS: usize = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{", ""),
        ("", "}"),
        ("[(", ""),
        ("[", ")"),
        ("({", ")}"),
        ("A<", ">"),
        ("A<", ""),
        ("!", ""),
        ("&", ""),
        ("/*", "*/"),
        ("/*", ""),
        ("mod m {", "}"),
        ("fn f() {", "}"),
        ("fn f", ""),
        ("fn f(", ""),
        ("impl ", ""),
        ("impl A for ", ""),
        ("impl A {", ""),
        ("const X: ", ""),
        ("use a::{", "}"),
        ("#[", "]"),
        ("#[", ""),
        ("#[a(", ""),
        ("#![", ""),
        ("#[cfg(not(", "))]"),
        ("m! {", "}"),
        ("m!(fn f() { ", "})"),
        ("macro_rules! m {", "}"),
        ("pub(in ", ")"),
        ("pub(", ""),
        ("a::", "!{}"),
        ("async ", "fn f() {}"),
        ("r#", ""),
        ("r#\"", ""),
        ("'", ""),
        ("'a", ""),
        ("\"", ""),
        ("b'", ""),
        ("if a {", "} else "),
        ("|x| ", ""),
        ("---\n", ""),
        ("/// x\n", ""),
        ("$", ""),
        ("\0", ""),
        ("1e+", ""),
        ("\u{85}é", ""),
    ] {
        let text = open.repeat(LEVELS) + &close.repeat(LEVELS);
        for text in [text.clone(), format!("fn f() {{ {text}")] {
            let index = index(&text);
            for item in &index.items {
                assert!(text.get(item.range.start as usize..item.range.end as usize).is_some());
            }
        }
    }
    let nested = index(&format!("fn f() {{ {}{} }}", "(".repeat(LEVELS), ")".repeat(LEVELS)));
    assert_eq!(nested.items[0].depth as usize, LEVELS + 1);
    let long = index(&format!("fn f() {{ {} }}", "a.b().".repeat(LEVELS)));
    assert!(long.items[0].run as usize >= LEVELS);
}

#[test]
fn damage_is_told_and_stays_local() {
    let index = index("fn a() { ) }\nfn b( { ] }\nfn c() {}\nstruct D { \"");
    assert!(index.items.iter().any(|item| item.name == Some(Name::new("c"))));
    let messages: Vec<&str> = index.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert!(messages.contains(&"this bracket closes nothing"), "{messages:?}");
    assert!(messages.iter().any(|message| message.starts_with("this is never closed")), "{messages:?}");
}

/// One brace too few or too many costs the item it is in.
#[test]
fn an_unbalanced_item_leaves_the_others_where_they_are() {
    let whole = "struct Charge;

impl Charge {
    fn first(&self) {
        if self.ready() {
            send();
        }
    }

    /// doc
    #[inline]
    pub fn second(&self) -> u8 {
        match self {
            _ => { 1 }
        }
    }
}

fn third() {
    let x = [f(1), 2];
}

mod inner {
    fn fourth() {}
}
";
    let expected = outline(whole);
    assert_eq!(expected.len(), 7);
    for (from, to) in [
        ("            send();\n        }\n", "            send();\n"),
        ("if self.ready() {\n", "if self.ready() {{\n"),
        ("            send();\n", "            send();\n            }\n"),
        ("            send();\n", "            send(\n"),
        ("            send();\n", "            send(]);\n"),
        ("            send();\n        }\n    }\n", "            send();\n"),
        ("        }\n    }\n}\n", "        }\n}\n"),
        ("    }\n}\n\nfn third", "    }\n\nfn third"),
        ("[f(1), 2];", "[f(1, 2;"),
        ("        match self {\n", "        match self {\n        }\n"),
    ] {
        let damaged = whole.replace(from, to);
        assert_ne!(damaged, whole, "{from:?}");
        assert_eq!(outline(&damaged), expected, "{damaged}");
        assert!(!index(&damaged).problems.is_empty(), "{damaged}");
    }
}

#[test]
fn what_is_too_large_to_parse_is_taken_out_and_told() {
    let line = format!("static BIG: &[u8] = &[{}];", "1, ".repeat(1_500_000));
    let text =
        format!("fn a() {{}} mod m {{ {line} fn b() {{}} }} fn c() {{ fn d() {{}} /* {} */ }}", "x".repeat(5 << 20));
    let found = outline(&text);
    assert_eq!(
        found,
        [
            (ItemKind::Fn, Some("a".to_owned()), None, false),
            (ItemKind::Mod, Some("m".to_owned()), None, false),
            (ItemKind::Fn, Some("b".to_owned()), Some(1), false),
            (ItemKind::Fn, Some("d".to_owned()), None, false),
        ]
    );
    let messages: Vec<String> = index(&text).problems.into_iter().map(|problem| problem.message).collect();
    assert_eq!(messages, ["this item is larger than 4 MiB and is not read"; 2]);
}

#[test]
fn preambles_are_skipped() {
    for head in [
        "",
        "\u{FEFF}",
        "#!/usr/bin/env cargo\n",
        "\u{FEFF}#!/usr/bin/env cargo fn x() {}\n",
        "#![allow(x)]\n",
        "#!\n/* */ [allow(x)]\n",
        "---cargo\nfn = \"x\"\n---\n",
        "#!/usr/bin/env cargo\n\n---\n[package]\n---\n",
    ] {
        let text = format!("{head}fn f() {{}}");
        let index = index(&text);
        assert_eq!(index.items.len(), 1, "{text:?}");
        assert_eq!(index.items[0].range.start as usize, head.len(), "{text:?}");
        assert!(index.problems.is_empty(), "{text:?}: {:?}", index.problems);
    }
}

#[test]
fn path_attributes_are_read() {
    let text = "#[path = \"a.rs\"] #[cfg_attr(unix, path = r\"b/c.rs\")] #[doc = \"path = 'x'\"] mod m;";
    assert_eq!(path_attributes(text, &index(text).items[0]), ["a.rs", "b/c.rs"]);
}
