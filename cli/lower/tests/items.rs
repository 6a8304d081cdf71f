use super::file;
use crate::ir::{Function, Impl, Items};

fn items(text: &str) -> Items {
    let mut ir = file(text);
    assert!(ir.problems.is_empty(), "{:?}", ir.problems);
    std::mem::take(&mut ir.modules[0].items)
}

fn names(functions: &[Function]) -> Vec<&str> {
    functions.iter().map(|function| function.name.as_str()).collect()
}

fn heads(block: &Impl) -> (String, Option<&str>, Vec<&str>) {
    (block.self_ty.to_string(), block.macro_heads.as_deref(), names(&block.functions))
}

#[test]
fn use_trees_are_flattened() {
    let items = items(
        "pub(crate) use a::{self, b as c, d::*, e::{f, g as _}};\nuse ::h::i;\nextern crate j as k;\nuse self::l;\nuse m::{self as n};\n\
         #[cfg(unix)] pub use {super::o, ::p::{q, r}, s};\nuse ::{t, u::v};",
    );
    let text: Vec<_> = items
        .uses
        .iter()
        .map(|import| {
            let path: Vec<_> = import.path.iter().map(|name| name.as_str()).collect();
            let alias = import.alias.map_or("*", |alias| alias.as_str());
            let colons = if import.absolute { "::" } else { "" };
            format!("{}{colons}{} as {alias}", if import.public { "pub " } else { "" }, path.join("::"))
        })
        .collect();
    assert_eq!(
        text,
        [
            "pub a as a",
            "pub a::b as c",
            "pub a::d as *",
            "pub a::e::f as f",
            "pub a::e::g as _",
            "::h::i as i",
            "::j as k",
            "self::l as l",
            "m as n",
            "pub super::o as o",
            "pub ::p::q as q",
            "pub ::p::r as r",
            "pub s as s",
            "::t as t",
            "::u::v as v"
        ]
    );
}

/// A comment sends an import to the parser of tokens, and moves nothing.
#[test]
fn both_readers_of_use_trees_agree() {
    let trees = [
        "a",
        "a :: b",
        "*",
        "{}",
        "::a::*",
        "{::a, b::{}, }",
        "a::{self as b, c}",
        "self::{super::x as _, crate::y\n}",
        "r#type::x",
        "größe::b",
        "as::as as b",
    ];
    for tree in trees {
        for head in ["use", "pub use", "pub(crate) use", "pub(in a::b) use"] {
            let plain = items(&format!("{head} {tree}    ;"));
            let tokens = items(&format!("{head} {tree}/**/;"));
            assert_eq!(format!("{:?}", plain.uses), format!("{:?}", tokens.uses), "{head} {tree}");
        }
    }
    for broken in ["a:::b", "a::", "a b", "{a b}", "{a", "a as", "a as b c", "1a", "a::\"b\""] {
        assert!(!file(&format!("use {broken};")).problems.is_empty(), "{broken}");
    }
}

#[test]
fn modules_and_their_paths() {
    let ir = file(
        "mod a;\n#[path = \"x.rs\"] mod b;\n#[cfg_attr(unix, path = \"u.rs\")] #[cfg_attr(windows, path = \"w.rs\")] mod c;\n\
         mod d { fn f() {} #[cfg(test)] mod tests { fn g() {} } }\n#[path = \"folder\"] mod e { mod f; }",
    );
    let mods = |items: &Items| -> Vec<_> {
        let mods = items.mods.iter();
        mods.map(|module| format!("{} {:?}", module.name, module.path_attr.as_deref().unwrap_or("-"))).collect()
    };
    assert_eq!(mods(&ir.modules[0].items), ["a \"-\"", "b \"x.rs\"", "c \"u.rs\"", "c \"w.rs\"", "c \"-\""]);
    let inline: Vec<_> = ir.modules[1..]
        .iter()
        .map(|module| {
            (module.name.unwrap().as_str(), module.parent.unwrap(), module.test, names(&module.items.functions))
        })
        .collect();
    assert_eq!(inline, [("d", 0, false, vec!["f"]), ("tests", 1, true, vec!["g"]), ("e", 0, false, vec![])]);
    assert_eq!(ir.modules[3].path_attr.as_deref(), Some("folder"));
    assert_eq!(mods(&ir.modules[3].items), ["f \"-\""]);
}

#[test]
fn attributes_are_text_with_places() {
    let text = "/// doc\n#[effect( intent_key = \"i/{a}\", )]\n#[cfg_attr(feature = \"x\", tracing::instrument(skip(b)), inline)]\n\
                #[must_use = \"r\"]\n#[tokio::main]\nfn f() {}";
    let items = items(text);
    let found: Vec<_> = items.functions[0]
        .attributes
        .iter()
        .map(|attribute| {
            let slice = |range: crate::source::TextRange| &text[range.start as usize..range.end as usize];
            assert_eq!(slice(attribute.args_range), &*attribute.args);
            assert!(slice(attribute.range).starts_with("#[") && slice(attribute.range).ends_with(']'));
            (&*attribute.path, &*attribute.args)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("effect", "intent_key = \"i/{a}\","),
            ("tracing::instrument", "skip(b)"),
            ("inline", ""),
            ("must_use", "\"r\""),
            ("tokio::main", "")
        ]
    );
}

#[test]
fn serde_names() {
    let items = items(
        "#[serde(rename_all = \"camelCase\")] struct S { idempotency_key: String, #[serde(rename = \"k\")] b: u8, \
         #[serde(skip)] c_d: u8, #[serde(skip_serializing)] e: u8, #[serde(rename(serialize = \"x\", deserialize = \"y\"))] f: u8, r#type: T }\n\
         #[serde(rename_all = \"SCREAMING_SNAKE_CASE\", rename_all_fields = \"kebab-case\")] enum E { NotSent { at_time: u8 }, \
         #[serde(rename = \"done\", rename_all = \"UPPERCASE\")] Confirmed { by_me: u8 }, Tuple(u8, String) = 3 }\n\
         #[cfg_attr(feature = \"serde\", serde(rename_all = \"PascalCase\"))] union U { a_b: u8 }\nstruct T(pub u8, String);\nstruct Unit;",
    );
    let text: Vec<_> = items
        .types
        .iter()
        .flat_map(|ty| &ty.variants)
        .map(|variant| {
            let fields = variant.fields.iter().map(|field| {
                let skip = if field.serde_skip { " skip" } else { "" };
                format!("{}={}: {}{skip}", field.name, field.serde_name, field.ty)
            });
            format!("{}={} {}", variant.name, variant.serde_name, fields.collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert_eq!(
        text,
        [
            "S=S idempotency_key=idempotencyKey: String, b=k: u8, c_d=cD: u8 skip, e=e: u8 skip, f=x: u8, type=type: T",
            "NotSent=NOT_SENT at_time=at-time: u8",
            "Confirmed=done by_me=BY_ME: u8",
            "Tuple=TUPLE 0=0: u8, 1=1: String",
            "U=U a_b=AB: u8",
            "T=T 0=0: u8, 1=1: String",
            "Unit=Unit ",
        ]
    );
}

#[test]
fn impls_and_traits() {
    let items = items(
        "impl<T: A> B<T> for S<T> where T: C { const N: u8 = 1; type O = u8; fn f(&self) { self.g() } default async fn h() {} }\n\
         unsafe impl !Send for X {}\nimpl<const N: usize> [u8; N] { fn a() {} }\nimpl const D for Y {}\n\
         pub trait Tr<T>: A + Send where Self: Sized { type O; const K: u8 = 2; fn f(&self, a: u8) -> u8; fn g() { x() } }",
    );
    let impls: Vec<_> = items
        .impls
        .iter()
        .map(|block| {
            let path = block.trait_path.as_ref().map_or(String::new(), |path| format!("{path} for "));
            format!("{path}{} {:?}", block.self_ty, names(&block.functions))
        })
        .collect();
    assert_eq!(impls, ["B<T> for S<T> [\"f\", \"h\"]", "Send for X []", "[u8] [\"a\"]", "D for Y []"]);
    assert_eq!(items.impls[0].generics[0].bounds.len(), 2);
    assert_eq!(items.impls[0].consts[0].body.as_ref().unwrap().dump(), "1");
    assert_eq!(items.impls[0].types[0].ty.to_string(), "u8");
    assert!(items.impls[0].functions[1].is_async);
    let tr = &items.traits[0];
    assert_eq!(names(&tr.functions), ["f", "g"]);
    assert!(tr.functions[0].body.is_none() && tr.functions[0].params[1].pat.is_none());
    assert_eq!(tr.functions[1].body.as_ref().unwrap().dump(), "(do (call x))");
    assert_eq!(tr.supers.len(), 2);
}

#[test]
fn one_item_that_cannot_be_read_costs_one_item() {
    let text = "fn a() { x() }\nfn b(p: u8) { let = ; }\nimpl S { fn c() { ][ } fn d() {} }\nfn e() {}";
    let ir = file(text);
    let items = &ir.modules[0].items;
    assert!(names(&items.functions).contains(&"a") && names(&items.functions).contains(&"e"));
    let b = items.functions.iter().find(|function| function.name.as_str() == "b").unwrap();
    assert_eq!(b.params[0].name.unwrap().as_str(), "p");
    assert_eq!(b.body.as_ref().unwrap().dump(), "(opaque \"a body that could not be parsed\")");
    let problem = ir.problems.iter().find(|problem| problem.message.contains("function `b`")).unwrap();
    assert!(problem.message.starts_with("function `b` could not be read and is not analysed: expected"));
    assert_eq!(problem.range.start as usize, text.find("= ;").unwrap());
}

#[test]
fn items_inside_functions() {
    let items = items(
        "fn f() { use a::b; const N: u8 = g(); struct S; impl S { fn m(&self) {} } fn inner() { fn deeper() {} } N }\n\
         const _: () = { impl X { fn n() {} } };",
    );
    let f = &items.functions[0];
    assert_eq!(f.body.as_ref().unwrap().dump(), "(do N)");
    let inner = f.inner.as_ref().unwrap();
    assert_eq!((inner.uses.len(), inner.consts.len(), inner.types.len()), (1, 1, 1));
    assert_eq!(names(&inner.impls[0].functions), ["m"]);
    assert_eq!(names(&inner.functions[0].inner.as_ref().unwrap().functions), ["deeper"]);
    assert_eq!(names(&items.impls[0].functions), ["n"]);
}

#[test]
fn a_construct_unknown_to_the_parser_inside_a_function_is_cut_out() {
    let ir = file("fn f() { x(); gen fn g() { yield 1; } impl const A for B {} y() }");
    let f = &ir.modules[0].items.functions[0];
    assert_eq!(f.body.as_ref().unwrap().dump(), "(do (call x); (call y))");
}

#[test]
fn constants_statics_aliases_and_foreign_functions() {
    let items = items(
        "pub const A: &str = \"a\";\nstatic mut B: u8 = 1 + 1;\nconst _: () = ();\ntype R<T> = Result<T, E>;\n\
         unsafe extern \"C\" { safe fn f(a: u8) -> u8; fn g(x: *const u8, ...); static Z: u8; }\n\
         lazy_static! { static ref L: Regex = Regex::new(\"x\").unwrap(); }",
    );
    let consts: Vec<_> = items
        .consts
        .iter()
        .map(|constant| {
            let value = constant.body.as_ref().map_or("-".to_owned(), |body| body.dump());
            format!("{}: {} = {value}", constant.name, constant.ty)
        })
        .collect();
    assert_eq!(consts[..3], ["A: str = \"a\"", "B: u8 = (+ 1 1)", "_: () = (tuple)"]);
    assert!(consts.contains(&"L: Regex = (.unwrap (call Regex::new \"x\"))".to_owned()), "{consts:?}");
    assert_eq!(items.aliases[0].ty.to_string(), "Result<T, E>");
    assert_eq!(names(&items.functions), ["f", "g"]);
}

#[test]
fn connector_macros_share_a_self() {
    let items = items(
        "macros::prerequisites!(connector_name: Stripe, generic_type: T, api: [], member_functions: { fn headers(&self) {} });\n\
         macros::implement!(defaults: [a, b], connector: Stripe, flow: Authorize, generic_type: T, other_functions: {\n\
           fn url(&self) { self.headers() }\n fn body() {} });\n\
         macros::implement!(connector: Stripe, flow: Refund, generic_type: T, other_functions: { fn url(&self) {} });\n\
         cfg_if! { if #[cfg(a)] { fn free() {} struct S; } else { fn other(&self) {} } }",
    );
    let blocks: Vec<_> = items.impls.iter().map(heads).collect();
    let opaque = || "?".to_owned();
    assert_eq!(
        blocks,
        [
            (opaque(), Some("Stripe"), vec!["headers"]),
            (opaque(), Some("Stripe"), vec!["url", "body"]),
            (opaque(), Some("Stripe"), vec!["url"]),
            (opaque(), Some("cfg_if"), vec!["other"]),
        ]
    );
    assert_eq!(
        items.impls[1].functions[0].macro_heads.as_deref(),
        Some("implement connector:Stripe flow:Authorize generic_type:T")
    );
    assert_eq!(names(&items.functions), ["free"]);
    assert_eq!(items.types.len(), 1);
    let calls: Vec<_> = items.macro_calls.iter().map(|call| (call.path.to_string(), call.arguments.len())).collect();
    assert_eq!(calls[0], ("macros::prerequisites".to_owned(), 4));
}

#[test]
fn macro_definitions_show_what_they_mint() {
    let mut ir = file(
        "macro_rules! id {\n ($(#[$m:meta])* $vis:vis $name:ident, $prefix:literal $(, $more:ty)* $(,)?) => {\n\
           $(#[$m])* $vis struct $name(String);\n\
           impl $name { $vis fn generate() -> Self { $name(format!(concat!($prefix, \"_{}\"), $crate::uuid())) }\n\
             $(fn more(x: $more) -> $more { x })* }\n\
           impl<\'a> Default for $name { fn default() -> Self { Self::generate() } }\n };\n\
         (@inner $e:expr, $t:ident, $b:block) => { impl From<$t> for Z { fn from(t: $t) -> Z $b } }; }\n\
         id!(InvoiceId, \"inv\");\nid! { pub struct OrderId, \"ord\" }\nid!(#[doc = \"x\"] pub(crate) Third, \"t\");",
    );
    let items = std::mem::take(&mut ir.modules[0].items);
    let rules = &items.macro_rules[0];
    assert_eq!(rules.name.as_str(), "id");
    assert_eq!(rules.self_argument, Some(0));
    let blocks: Vec<_> = rules.impls.iter().map(heads).collect();
    assert_eq!(
        blocks,
        [
            ("name".to_owned(), None, vec!["generate", "more"]),
            ("name".to_owned(), None, vec!["default"]),
            ("Z".to_owned(), None, vec!["from"]),
        ]
    );
    let dump = |block: usize, function: usize| rules.impls[block].functions[function].body.as_ref().unwrap().dump();
    assert_eq!(dump(0, 0), "(do (call name (format! - (concat! prefix \"_{}\") (call crate::uuid))))");
    assert_eq!(dump(1, 0), "(do (call Self::generate))");
    assert_eq!(dump(2, 0), "(do)");
    let calls: Vec<_> = items.macro_calls.iter().map(|call| call.arguments[0].as_str()).collect();
    assert_eq!(calls, ["InvoiceId", "OrderId", "Third"]);
}

#[test]
fn strings_in_macro_definitions_keep_their_dollars() {
    let items = items("macro_rules! q { ($t:ty) => { impl $t { fn f() { sql(\"select $1\", $t::NAME) } } } }");
    let body = items.macro_rules[0].impls[0].functions[0].body.as_ref().unwrap();
    assert_eq!(body.dump(), "(do (call sql \"select $1\" t::NAME))");
}

#[test]
fn quoted_code_is_not_code() {
    let items = items("fn f() -> TokenStream { quote! { impl #name { fn g(&self) { charge() } } } }");
    assert_eq!(items.functions[0].body.as_ref().unwrap().dump(), "(do (quote!))");
    let inner = items.functions[0].inner.as_ref();
    assert!(inner.is_none_or(|inner| inner.impls.is_empty() && inner.functions.is_empty()));
}

#[test]
fn test_code_keeps_its_declarations() {
    let text = "#[test] fn a() { x() }\n#[effect_case(h, delivered_twice)] #[test] fn b() { y() }\nfn c() {}\n#[cfg(test)] mod t { fn d(q: u8) {} }";
    let index = crate::index::index(text);
    let ir = super::on_large_stack(|| {
        crate::lower::file(crate::source::FileId(0), text, &index, crate::lower::Selection::WithoutTests)
    });
    let functions = ir.modules.iter().flat_map(|module| &module.items.functions);
    let bodies: Vec<_> =
        functions.map(|function| (function.name.as_str(), function.test, function.body.is_some())).collect();
    assert_eq!(bodies, [("a", true, false), ("b", true, true), ("c", false, true), ("d", true, false)]);
}

#[test]
fn handlers_in_constants_are_functions_of_the_module() {
    let items =
        items("static H: Handler = handler!(name = \"nightly\", intent_key = \"n\", |ctx| async move { go(ctx) });");
    assert_eq!(names(&items.functions), ["nightly"]);
    assert!(items.functions[0].closure.is_some());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let text = |number: usize| {
        format!(
            "macro_rules! m{number} {{ ($t:ty) => {{ impl $t {{ fn f() {{ a{number}() }} }} }} }}\nfn g() {{ let = }}\nfn h{number}(x: u8) {{ x }}"
        )
    };
    let files = (0..40).map(|number| crate::source::SourceFile {
        path: format!("src/f{number:02}.rs"),
        text: text(number).into(),
        line_starts: vec![0],
        package: crate::source::PackageId(0),
        reported: true,
        problem: None,
    });
    let workspace = crate::source::Workspace {
        root: std::path::PathBuf::new(),
        packages: Vec::new(),
        files: files.collect(),
        texts: Vec::new(),
        links: Vec::new(),
        warnings: Vec::new(),
    };
    let indexes: Vec<_> = workspace.files.iter().map(|file| crate::index::index(&file.text)).collect();
    let lowered = |threads| {
        let selection = crate::lower::Selection::All;
        format!("{:?}", crate::lower::workspace(&workspace, &indexes, selection, threads))
    };
    let one = lowered(1);
    assert!(one.contains("h39") && one.contains("could not be read"));
    for threads in [0, 2, 3, 64] {
        assert!(lowered(threads) == one, "{threads} threads");
    }
}

#[test]
fn tables_that_code_declares() {
    let items = items(
        "diesel::table! { use diesel::sql_types::{Int8, Text}; /// What was seen.\n shop.seen (source, event) { source -> Text, #[max_length = 9] event -> Varchar, } }\n\
         table! { plain { id -> Int8 } }\ntable! { rows: { a -> b, } }\ntable! { none { a => b } }\n\
         #[derive(DeriveEntityModel)] #[sea_orm(schema_name = \"s\", table_name = \"Jobs\")] struct Model {\n\
         #[sea_orm(primary_key, auto_increment = false)] tenant: i32, #[sea_orm(primary_key, column_name = \"no\")] number: i32,\n\
         #[sea_orm(unique)] key: String, #[sea_orm(unique_key = \"x\")] a: i32, #[sea_orm(unique_key = \"x\")] b: i32, c: i32 }\n\
         #[sea_orm(rs_type = \"String\")] struct Other { #[sea_orm(primary_key)] id: i32 }",
    );
    let told: Vec<_> = items.tables.iter().map(|table| (&*table.name, table.unique.clone(), table.by_module)).collect();
    let sets = |sets: &[&[&str]]| -> Vec<Vec<Box<str>>> {
        sets.iter().map(|set| set.iter().map(|&column| column.into()).collect()).collect()
    };
    assert_eq!(
        told,
        [
            ("seen", sets(&[&["source", "event"]]), false),
            ("plain", sets(&[&["id"]]), false),
            ("jobs", sets(&[&["tenant", "no"], &["key"], &["a", "b"]]), true),
        ]
    );
}
