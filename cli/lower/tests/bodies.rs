use super::{body, function, inside};
use crate::ir::{Expr, ExprKind, PatKind};

#[test]
fn expressions_stay_small() {
    assert!(size_of::<ExprKind>() <= 32);
    assert!(size_of::<Expr>() <= 40);
    assert!(size_of::<PatKind>() <= 40);
}

#[test]
fn locals_are_bound_and_shadowed() {
    assert_eq!(
        body("fn f(x: u8) -> u8 { let x = g(x); { let x = x + 1; use_it(x); } x }"),
        "(do (let $x.2 (call g $x)) (do (let $x.3 (+ $x.2 1)) (call use_it $x.3);); $x.2)"
    );
}

#[test]
fn an_upper_case_name_is_a_constant_and_a_shorthand_always_binds() {
    assert_eq!(
        inside("match e { None => a, Foo { B, c: Some(d) } => B, MAX | MIN => z, n => n }"),
        "(do (match e (None => a) (Foo{B: $B, c: Some($d)} => $B) (MAX | MIN => z) ($n => $n)))"
    );
}

#[test]
fn or_patterns_share_their_variables() {
    assert_eq!(inside("match e { A(x) | B(x, ..) => x }"), "(do (match e (A($x) | B($x, _ ..1) => $x)))");
}

#[test]
fn let_chains_bind_from_left_to_right() {
    assert_eq!(
        inside("if let Some(a) = g() && let Ok(b) = h(a) && b > a { b } else { a }"),
        "(do (if (&& (&& (let Some($a) (call g)) (let Ok($b) (call h $a))) (> $b $a)) (do $b) (do a)))"
    );
}

#[test]
fn else_of_a_let_does_not_see_its_variables() {
    assert_eq!(
        inside("let Some(a) = g(a) else { return a; }; a"),
        "(do (let Some($a) (call g a) else (do (return a);)) $a)"
    );
}

#[test]
fn guards_see_the_variables_of_their_arm() {
    assert_eq!(
        inside("match e { Some(n) if n > 1 => n, Some(m) if let Ok(k) = t(m) => k, _ => n }"),
        "(do (match e (Some($n) if (> $n 1) => $n) (Some($m) if (let Ok($k) (call t $m)) => $k) (_ => n)))"
    );
}

#[test]
fn closures_capture() {
    assert_eq!(
        inside("let k = key(); retry(move |n: u32, (a, _)| async move { send(k, n, a).await? }); n"),
        "(do (let $k (call key)) (call retry (closure [$n: u32 ($a, _)] (async (? (await (call send $k $n $a)))))); n)"
    );
    assert_eq!(inside("async |x| x"), "(do (closure [$x] (async $x)))");
}

#[test]
fn references_parentheses_and_unsafe_are_dropped() {
    assert_eq!(inside("f(&mut (a), &raw const b, unsafe { c() })"), "(do (call f a b (do (call c))))");
}

#[test]
fn loops_and_labels() {
    assert_eq!(
        inside(
            "'o: for (i, x) in xs { while let Some(y) = it.next() { if y { break 'o; } continue 'o } } loop { break 1 }"
        ),
        "(do ('o: for ($i, $x) in xs (do (while (let Some($y) (.next it)) \
         (do (if $y (do (break 'o);)); (continue 'o))))); (loop (do (break 1))))"
    );
}

#[test]
fn paths_calls_and_literals() {
    assert_eq!(
        inside("<T as A<u8>>::b::<C>(1u8, -2, 'c', b\"x\", 1.5f64, 0xffff_ffff_ffff_ffff_u64, r#\"q\"#, c\"z\")"),
        "(do (call <T as A<u8>>::b<C> 1 (- 2) 'c' b\"x\" 1.5f64 0xffff_ffff_ffff_ffff_u64 \"q\" \"z\"))"
    );
    assert_eq!(inside("x.y.0.parse::<u64>()?.await"), "(do (await (? (.parse::<u64> (field 0 (field y x))))))");
}

#[test]
fn other_kinds() {
    assert_eq!(
        inside("a = b; a += 1; a[0]; (a, b); [1; 3]; 1..=2; ..; a as u8; !a; *a"),
        "(do (= a b); (+= a 1); (index a 0); (tuple a b); (repeat 1 3); (range 1 2); (range - -); (as u8 a); (! a); (* a))"
    );
    assert_eq!(inside("S { a, b: 1, ..c }"), "(do (struct S a: a b: 1 ..c))");
    assert_eq!(inside("let r = try { a()? }; const { 1 }"), "(do (let $r (try (? (call a)))) (do 1))");
    assert_eq!(inside("let x; x = 1; 'b: { break 'b 2 }"), "(do (let $x) (= $x 1); ('b: do (break 'b 2)))");
}

#[test]
fn items_between_statements_are_not_statements() {
    assert_eq!(inside("const N: u8 = 1; fn g() {} N"), "(do N)");
}

#[test]
fn parameters_and_self() {
    let f = function(
        "pub(crate) async fn f(&mut self, (a, b): (u8, String), mut c: &str, _: T) -> Result<u8, E> { self.go(a, c) }",
    );
    assert!(f.has_self && f.is_async && f.public);
    let names: Vec<_> = f.params.iter().map(|param| param.name.map(|name| name.as_str())).collect();
    assert_eq!(names, [Some("self"), None, Some("c"), None]);
    let types: Vec<_> = f.params.iter().map(|param| param.ty.to_string()).collect();
    assert_eq!(types, ["Self", "(u8, String)", "str", "T"]);
    assert_eq!(f.ret.to_string(), "Result<u8, E>");
    assert_eq!(f.body.unwrap().dump(), "(do (.go $self $a $c))");
}

#[test]
fn generics_take_the_bounds_of_the_where_clause() {
    let f = function("fn f<'a, T: A + ?Sized, F, const N: usize>(f: F) where F: Fn(&T) -> u8 + 'a, T: B<Item = u8> {}");
    let text: Vec<_> = f
        .generics
        .iter()
        .map(|generic| {
            let bounds: Vec<_> = generic.bounds.iter().map(ToString::to_string).collect();
            format!("{}: {}", generic.name, bounds.join(" + "))
        })
        .collect();
    assert_eq!(text, ["T: A + B<u8>", "F: Fn<T, u8>", "N: "]);
}

#[test]
fn statements_for_tests_only_are_left_out() {
    assert_eq!(
        inside("#[cfg(test)] let a = 1; #[cfg(test)] { b() } #[cfg(not(test))] let c = 2; #[cfg(test)] hook(); c"),
        "(do (let $c 2) $c)"
    );
}

#[test]
fn what_is_assigned_to_nothing_is_thrown_away() {
    assert_eq!(
        inside("_ = f(); match e { Err(_) => _ = g(), Ok(_) => { _ = h() } }"),
        "(do (let _ (call f)) (match e (Err(_) => (do (let _ (call g)))) (Ok(_) => (do (let _ (call h))))))"
    );
}

#[test]
fn who_asks_for_an_error_takes_the_result_apart() {
    assert_eq!(
        inside("if let Some(error) = sent.as_ref().err() { error }"),
        inside("if let Err(error) = sent.as_ref() { error }")
    );
    assert_eq!(
        inside("match sent.err() { Some(E::Gone(at)) => at, None => 0, _ => 1 }"),
        inside("match sent { Err(E::Gone(at)) => at, Ok(_) => 0, _ => 1 }")
    );
    assert_eq!(
        inside("let Some(error) = sent.err() else { return };"),
        inside("let Err(error) = sent else { return };")
    );
    // Whoever keeps it may ask later.
    assert_eq!(inside("let error = sent.err();"), "(do (let $error (.err sent)))");
}
