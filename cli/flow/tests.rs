//! What no rule shows: that it does not matter in which order, and on how many threads, functions are evaluated.

use super::graph::CallGraph;
use super::{FlowFacts, analyze};
use crate::pipeline::analyse_texts;
use crate::resolve::FnId;

/// Functions that call each other, statics that hold what calls them, a default that is called without being named, and
/// a chain of calls that is longer than recursion is followed.
fn intertwined() -> String {
    let mut source = String::from(
        "use reqwest::Client;
         static MAKE: fn(u32) -> String = even;
         static OTHER: &str = THIRD;
         static THIRD: &str = OTHER;
         #[derive(Clone)] pub struct Key(String);
         impl Default for Key { fn default() -> Self { Key(uuid::Uuid::new_v4().to_string()) } }
         fn even(n: u32) -> String { if n == 0 { uuid::Uuid::new_v4().to_string() } else { odd(n - 1) } }
         fn odd(n: u32) -> String { if n == 1 { OTHER.to_string() } else { MAKE(n - 1) + &even(n - 2) } }
         pub async fn charge(http: &Client, key: Option<Key>, n: u32) -> reqwest::Result<()> {
             let key = key.unwrap_or_default();
             http.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", key.0).send().await?;
             again(http, n).await
         }
         pub async fn again(http: &Client, n: u32) -> reqwest::Result<()> {
             http.post(\"https://api.stripe.com/v1/refunds\").header(\"Idempotency-Key\", even(n)).send().await?;
             if n > 0 { Box::pin(charge(http, None, n - 1)).await } else { step_0(http, odd(n)).await }
         }\n",
    );
    for at in 0..200 {
        let next = at + 1;
        source += &format!(
            "async fn step_{at}(http: &Client, key: String) -> reqwest::Result<()> {{ step_{next}(http, key).await }}\n"
        );
    }
    source
        + "async fn step_200(http: &Client, key: String) -> reqwest::Result<()> { \
              http.post(\"https://api.stripe.com/v1/payouts\").header(\"Idempotency-Key\", key).send().await?; Ok(()) }"
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let analysis = analyse_texts(vec![("src/lib.rs".to_owned(), intertwined())]).expect("a text is enough");
    let facts =
        |threads: usize| -> FlowFacts { analyze(&analysis.program, &analysis.catalog, &analysis.contracts, threads) };
    let one = facts(1);
    assert!(one.dispatches.len() >= 3, "{:?}", one.dispatches);
    for threads in [2, 3, 8] {
        assert_eq!(format!("{one:?}"), format!("{:?}", facts(threads)), "{threads} threads");
    }
}

#[test]
fn callees_come_before_their_callers() {
    let analysis = analyse_texts(vec![("src/lib.rs".to_owned(), intertwined())]).expect("a text is enough");
    let graph = CallGraph::of(&analysis.program);
    for component in 0..graph.len() as u32 {
        assert!(graph.callees(component).iter().all(|&callee| callee < component));
    }
    let named = |name: &str| {
        let functions = analysis.program.functions.iter();
        FnId(functions.into_iter().position(|function| function.ir.name == name).expect(name) as u32)
    };
    assert_eq!(graph.cycle(named("even")).len(), 2, "through a static, too");
    assert!(graph.cycle(named("step_7")).is_empty());
    let (default, charge) = (graph.component_of(named("default")), graph.component_of(named("charge")));
    assert!(graph.callees(charge).contains(&default), "`unwrap_or_default` names nobody");
}
