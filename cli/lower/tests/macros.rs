use super::{function, inside};
use crate::ir::ExprKind;

#[test]
fn templates_take_positional_named_and_captured_arguments() {
    assert_eq!(
        inside("let id = g(); format!(\"{id}/{}/{n}/{0}/{MAX}\", a, n = b.c)"),
        "(do (let $id (call g)) (format! \"{id}/{}/{n}/{0}/{MAX}\" $id a (field c b) a MAX))"
    );
    assert_eq!(
        inside("write!(out, \"{:>w$.p$} {:?}\", x, y, w = 5)?"),
        "(do (? (write! out \"{:>w$.p$} {:?}\" x y 5 p)))"
    );
    assert_eq!(inside("println!(); panic!(\"a {}\", b, );"), "(do (println! -); (panic! \"a {}\" b);)");
    assert_eq!(inside("format!(concat!(\"a\", 1, \"{}\"), x)"), "(do (format! \"a1{}\" x))");
    assert_eq!(inside("anyhow!(err)"), "(do (anyhow! - err))");
    assert_eq!(inside("format!(\"{}\")"), "(do (format! \"{}\" (opaque \"a format argument that is not given\")))");
}

#[test]
fn captured_names_have_their_own_place() {
    let text = "fn f() { let é = 1; format!(\"é {é} {{}} {x}\", x = é); format!(\"\\n{é}\"); format!(r#\"{é}\"#) }";
    let body = function(text).body.unwrap();
    let places: Vec<_> = body
        .exprs
        .iter()
        .filter(|expr| matches!(expr.kind, ExprKind::Local(_)))
        .map(|expr| {
            let start = expr.range.start as usize;
            (&text[start..expr.range.end as usize], &text[start - 1..start])
        })
        .collect();
    // in a literal with escapes only the literal itself is known
    assert_eq!(places, [("é", " "), ("é", "{"), ("\"\\n{é}\"", "("), ("é", "{")]);
}

#[test]
fn events_have_fields() {
    assert_eq!(
        inside("let id = 1; info!(target: \"t\", %id, ?e, a.b = %c, \"type\" = d, user = x.y(), \"sent {} {id}\", z)"),
        "(do (let $id 1) (info! \"sent {} {id}\" z $id $id e c d (.y x)))"
    );
    assert_eq!(inside("tracing::warn!(parent: &p, { a = 1, b }, \"m\")"), "(do (warn! \"m\" 1 b))");
    assert_eq!(inside("debug!(key:? = v, k2:%; \"m {}\", x)"), "(do (debug! \"m {}\" x v k2))");
    assert_eq!(inside("event!(Level::INFO, a = 1)"), "(do (event! Level::INFO - 1))");
    assert_eq!(inside("error!(error = ?err); log!(lvl, \"{}\", x)"), "(do (error! - err); (log! lvl \"{}\" x))");
    assert_eq!(inside("info_span!(\"charge\", id = %id)"), "(do (info_span! \"charge\" id))");
}

#[test]
fn field_names_may_be_constants() {
    assert_eq!(
        inside("info!(a = 1, { NAME } = ?x, \"m\"); info!({ NAME } = x)"),
        "(do (info! \"m\" 1 x); (info! - x))"
    );
}

#[test]
fn bail_and_ensure_return() {
    assert_eq!(inside("bail!(\"no {x}\");"), "(do (return (call Err (bail! \"no {x}\" x)));)");
    assert_eq!(inside("bail!(Error::Gone(x));"), "(do (return (call Err (bail! - (call Error::Gone x))));)");
    assert_eq!(
        inside("anyhow::ensure!(a == b, \"differ: {}\", a);"),
        "(do (if (! (== a b)) (return (call Err (ensure! \"differ: {}\" a))));)"
    );
    assert_eq!(inside("ensure!(ok);"), "(do (if (! ok) (return (call Err (ensure! -))));)");
}

#[test]
fn assertions() {
    assert_eq!(
        inside("assert!(a, \"m {}\", b); assert_eq!(a, b); debug_assert_ne!(a, b, \"m\")"),
        "(do (assert! a \"m {}\" b); (assert_eq! a b -); (debug_assert_ne! a b \"m\"))"
    );
}

#[test]
fn lists_and_matches() {
    assert_eq!(inside("vec![a, b]; vec![0; n]; vec![]"), "(do (array a b); (repeat 0 n); (array))");
    assert_eq!(
        inside("matches!(r, Ok(x) | Err(x) if x > 1)"),
        "(do (match r (Ok($x) | Err($x) if (> $x 1) => true) (_ => false)))"
    );
}

#[test]
fn json_becomes_maps() {
    assert_eq!(
        inside("json!({ \"a\": id, \"b\": [1, { \"c\": null }], KEY: x.y(), (k): -1, \"d\": { \"e\": f(g) }, })"),
        "(do (map \"a\": id \"b\": (array 1 (map \"c\": (tuple))) KEY: (.y x) k: (- 1) \"d\": (map \"e\": (call f g))))"
    );
    assert_eq!(inside("serde_json::json!([a])"), "(do (array a))");
    assert_eq!(inside("json!(payload); json!(\"x\")"), "(do (json! payload); \"x\")");
    assert_eq!(inside("hashmap! { \"a\" => x, k => y }"), "(do (map \"a\": x k: y))");
}

#[test]
fn select_and_join() {
    assert_eq!(
        inside(
            "tokio::select! { biased; Some(m) = rx.recv(), if open => { go(m) } _ = sleep(d) => return x, \
             r = &mut fut => r?, else => break, }"
        ),
        "(do (select! race (Some($m) = (.recv rx) if open => (do (call go $m))) (_ = (call sleep d) => (return x)) \
         ($r = fut => (? $r)) ((opaque \"no future of a `select!` is ready\") => (break))))"
    );
    assert_eq!(inside("try_join!(a(), b())?"), "(do (? (try_join! all ((call a)) ((call b)))))");
    assert_eq!(
        inside("select! { recv(r) -> m => go(m), send(s, x) -> _ => (), }"),
        "(do (select! race ($m = (call recv r) => (call go $m)) (_ = (call send s x) => (tuple))))"
    );
    assert_eq!(
        inside("futures::select! { x = a => x, complete => return, default => 1 }"),
        "(do (select! race ($x = a => $x) ((opaque \"no future of a `select!` is ready\") => (return)) \
         ((opaque \"no future of a `select!` is ready\") => 1)))"
    );
}

#[test]
fn unknown_macros_are_read_as_far_as_possible() {
    assert_eq!(inside("sqlx::query!(\"select $1\", id, a.b)"), "(do (sqlx::query! \"select $1\" id (field b a)))");
    assert_eq!(inside("query_as!(Row::<T>, \"q\", x = 1)"), "(do (query_as! Row<T> \"q\" 1))");
    assert_eq!(inside("maybe!({ a()?; b })"), "(do (maybe! (do (? (call a)); b)))");
    assert_eq!(
        inside("try_stream! { for await x in s { yield x?; } }"),
        "(do (try_stream! (do (for $x in s (do (yield! (? $x));)))))"
    );
    assert_eq!(inside("m!(a b; key: c(d), { e(f) } => g)"), "(do (m! ... (call c d) (do (call e f)) g))");
    assert_eq!(inside("m!(x => { y(z) w })"), "(do (m! ... x z))");
    assert_eq!(inside("m! { a => b, .. }"), "(do (m! a b (range - -)))");
    assert_eq!(inside("m!()"), "(do (m!))");
}

#[test]
fn wrappers_that_yield_their_argument() {
    assert_eq!(inside("dbg!(x); let y = pin!(f());"), "(do x; (let $y (call f)))");
    assert_eq!(inside("pin! { let fut = f(); } fut"), "(do (let $fut (call f)) $fut)");
    assert_eq!(inside("concat!(\"a\", 'b', true)"), "(do \"abtrue\")");
    assert_eq!(inside("stringify!(a + b)"), "(do \"a + b\")");
}

#[test]
fn towers_of_invocations_end() {
    let tower = |macros: usize| format!("{}x{}", "m!(a b; ".repeat(macros), ")".repeat(macros));
    assert!(inside(&tower(100)).contains("m!"));
    // every level is read anew: without a limit this takes minutes
    inside(&format!("{} + m!({})", tower(400), "a => [".repeat(200) + &"]".repeat(200)));
}

#[test]
fn handler_closures_are_functions_too() {
    let text = "fn f(pool: Pool) { let api = g(); engine.on(handler!(name = \"charge\", intent_key = \"i/{ctx.id}\", \
                terminal = [confirmed], |ctx: Ctx, (a, b)| async move { let r = api.send(ctx, a).await; pool.put(r); pool })); }";
    let f = function(text);
    assert_eq!(
        f.body.unwrap().dump(),
        "(do (let $api (call g)) (.on engine (handler! (closure [$ctx: Ctx ($a, $b)] (async (let $r (await (.send $api $ctx $a))) \
         (.put $pool $r); $pool))));)"
    );
    let handler = &f.inner.unwrap().functions[0];
    assert_eq!(handler.name.as_str(), "charge");
    assert!(handler.is_async);
    assert_eq!(&*handler.attributes[0].path, "handler");
    assert_eq!(&*handler.attributes[0].args, "name = \"charge\", intent_key = \"i/{ctx.id}\", terminal = [confirmed]");
    let slice = |range: crate::source::TextRange| &text[range.start as usize..range.end as usize];
    assert_eq!(slice(handler.name_range), "\"charge\"");
    assert!(slice(handler.range).starts_with("handler!(") && slice(handler.range).ends_with("pool })"));
    assert!(slice(handler.closure.unwrap()).starts_with("|ctx: Ctx"));
    let body = handler.body.as_ref().unwrap();
    assert_eq!(body.dump(), "(do (let $r (await (.send $api $ctx $a))) (.put $pool $r); $pool)");
    let captures: Vec<_> = handler.captures.iter().map(|local| body.locals[local.0 as usize].name.as_str()).collect();
    assert_eq!(captures, ["api", "pool"]);
    let params: Vec<_> = handler.params.iter().map(|param| (slice(param.range), param.ty.to_string())).collect();
    assert_eq!(params, [("ctx: Ctx", "Ctx".to_owned()), ("(a, b)", "_".to_owned())]);
}

/// The dump of the last function of a file.
fn last(text: &str) -> String {
    let mut ir = super::file(text);
    let function = ir.modules[0].items.functions.pop().unwrap();
    super::on_large_stack(|| function.body.unwrap().dump())
}

#[test]
fn own_macros_are_what_they_stand_for() {
    assert_eq!(
        last(
            "macro_rules! emit { ($js:expr, $($rest:tt)*) => { $js.publish(f!($($rest)*))?.await };\n ($x:ident) => { $x } }\n\
              macro_rules! f { ($a:literal $(, $k:ident = $v:expr)* $(,)?) => {{ let n = $a; g(n, [$(($v, $k)),*]) }} }\n\
              fn f() { emit!(self.js, \"a\", b = c + 1, d = e()) }"
        ),
        "(do (await (? (.publish (field js self) (do (let $n \"a\") (call g $n (array (tuple (+ c 1) b) (tuple (call e) d))))))))"
    );
    // Every part of an operand stays one.
    assert_eq!(
        last("macro_rules! m { ($a:expr) => { $a.go() * 2 } }\nfn f() { m!(a + b) }"),
        "(do (* (.go (+ a b)) 2))"
    );
}

#[test]
fn what_a_macro_gives_keeps_its_place() {
    let text = "macro_rules! swap { ($a:expr, $b:expr) => { $b.of($a) } }\nfn f() { swap!(one, two) }";
    let ir = super::file(text);
    let body = ir.modules[0].items.functions[0].body.as_ref().unwrap();
    let places: Vec<_> =
        body.exprs.iter().map(|expr| &text[expr.range.start as usize..expr.range.end as usize]).collect();
    assert_eq!(places, ["two", "one", "two)", "{ swap!(one, two) }"]);
}

#[test]
fn macros_that_do_not_fit_are_read_by_their_arguments() {
    assert_eq!(last("macro_rules! m { ($a:ident) => { $a } }\nfn f() { m!(a + b) }"), "(do (m! (+ a b)))");
    assert_eq!(last("macro_rules! m { ($a:expr) => { m!($a) } }\nfn f() { m!(a) }"), "(do (m! a))");
    assert_eq!(last("macro_rules! m { ($a:expr) => { let } }\nfn f() { m!(a) }"), "(do (m! a))");
    assert_eq!(
        last("fn g() { macro_rules! m { () => { 1 } } }\nfn h() { macro_rules! m { () => { 2 } } }\nfn f() { m!() }"),
        "(do (m!))"
    );
}
