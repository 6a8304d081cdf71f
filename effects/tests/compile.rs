//! What only the compiler can say: crates made on the spot, checked with cargo, and its messages searched for the words
//! that matter. The compiler's own wording changes; the names in it, and the messages of the macros, do not.

// Making and checking crates is what these tests are for.
#![allow(clippy::disallowed_methods)]

mod support;

use support::{Scratch, Source};

const PRELUDE: &str = "
#![allow(dead_code, unused_variables)]
use effect_contracts::{effect, effect_case, handler};
struct Opaque;
struct Invoice { id: u64, inner: Opaque }
enum ChargeState { Settled, Declined(u8) }
fn find(key: &str) {}
fn find_any<T: Default>() -> T { T::default() }
fn main() {}
";

/// Sources that do not compile, and what the compiler must say about each: a text, and the line that it points to.
///
/// The line is counted from the source's own first line.
const FAILING: &[(Source, &[(&str, usize)])] = &[
    (
        Source::new(
            "unknown_field",
            r#"#[effect(intent_key = "a/{invoice.idd}", provider_window = none, terminal = [confirmed])]
fn charge(invoice: &Invoice) {}"#,
        ),
        &[("idd", 1)],
    ),
    (
        Source::new(
            "not_displayable",
            r#"#[effect(
    intent_key = "a/{invoice.id}/{invoice.inner}",
    provider_window = none,
    terminal = [confirmed],
)]
fn charge(invoice: &Invoice) {}"#,
        ),
        &[("Opaque", 2), ("placeholder_invoice_inner_is_displayed", 2)],
    ),
    (
        Source::new(
            "not_displayable_when_bound",
            r#"#[effect(intent_key = "{invoice.inner}", provider_window = none, terminal = [confirmed], bind = key)]
fn charge(invoice: &Invoice) -> String { key.into_string() }"#,
        ),
        &[("placeholder_invoice_inner_is_displayed", 1)],
    ),
    (
        Source::new(
            "unknown_function",
            r#"#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed],
    reconcile = fnid)]
fn charge(id: u8) {}"#,
        ),
        &[("fnid", 2)],
    ),
    (
        Source::new(
            "unknown_compensation",
            r#"#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed],
    compensate = refnd)]
fn charge(id: u8) {}"#,
        ),
        &[("refnd", 2)],
    ),
    (
        Source::new(
            "uninferable_lookup",
            r#"#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed],
    reconcile = find_any)]
fn charge(id: u8) {}"#,
        ),
        &[("find_any", 2)],
    ),
    (
        Source::new(
            "no_variant",
            r#"#[effect(intent_key = "{id}", provider_window = none,
    terminal = [confirmed = ChargeState::Setled])]
fn charge(id: u8) {}"#,
        ),
        &[("Setled", 2)],
    ),
    (
        Source::new(
            "unknown_fence",
            r#"#[effect(intent_key = "{invoice.id}", provider_window = none, terminal = [confirmed],
    fence = invoice.version)]
fn charge(invoice: &Invoice) {}"#,
        ),
        &[("version", 2)],
    ),
    (
        Source::new(
            "unused_binding",
            r#"#[deny(unused_variables)]
#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed],
    bind = charge_key)]
fn charge(id: u8) {}"#,
        ),
        &[("charge_key", 3)],
    ),
    (
        Source::new(
            "all_at_once",
            r#"struct Service;
impl Service {
    #[effect(
        intent_ky = "{id}",
        provider_window = 24h,
        terminal = [confirmed],
        bind = key,
        contract = CHARGE,
    )]
    fn charge(&self, id: u8) -> String { let _ = Self::CHARGE; key.to_string() }
}
trait Port {
    #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], bind = key)]
    fn charge(&self, id: u8);
}
extern "C" {
    #[effect(intent_key = "{nr}", provider_window = none, terminal = [confirmed])]
    fn outside(id: u8);
}"#,
        ),
        &[
            ("unknown field `intent_ky`; did you mean `intent_key`?", 4),
            ("a duration stands in quotation marks; write `\"24h\"`", 5),
            ("`bind` gives the key to the body, and here is none; put it on the implementations", 13),
            ("the placeholder `{nr}` names no parameter of `outside`; its parameters are `id`", 17),
        ],
    ),
    (
        Source::new(
            "contradictions",
            r#"#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed],
    replay_horizon = "7d",
    evidence_retention = "24h",
    delivery = exactly_once,
    irreversible,
    compensate = undo)]
fn charge(id: u8) {}
fn undo() {}"#,
        ),
        &[
            ("retention-below-replay: evidence is kept for 24h, but the intent can be delivered again for 7d", 3),
            ("exactly-once-delivery: ", 4),
            ("compensated-irreversible: the effect is irreversible, yet `undo` is to undo it", 6),
        ],
    ),
    (
        Source::new(
            "handlers",
            r#"fn run() {
    let handler = handler!(
        name = "charge", intent_key = "{id}", provider_window = none, terminal = [confirmd],
        |id: u8| id
    );
    let _: u8 = handler(1);
    let _ = handler!(name = "b", intent_key = "{id}", provider_window = none, terminal = [confirmed]);
}"#,
        ),
        &[
            ("`confirmd` is not a state; did you mean `confirmed`?", 3),
            ("the handler's closure is missing", 7),
        ],
    ),
    (
        Source::new(
            "broken_placeholder",
            r#"#[effect(intent_key = "{id' b)}", provider_window = none, terminal = [confirmed])]
fn charge(id: u8) {}"#,
        ),
        &[("the placeholder `{id' b)}` is not an expression; name a parameter in it, as in `{invoice.id}`", 1)],
    ),
    (
        Source::new(
            "cases",
            r#"#[effect_case(charge, killed_after_acept)]
fn proves() {}"#,
        ),
        &[("`killed_after_acept` is not a failure case; did you mean `killed_after_accept`?", 1)],
    ),
    (
        Source::new(
            "destructured_under_async_trait",
            r#"#[async_trait::async_trait]
impl Port for Invoice {
    #[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed])]
    async fn charge(&self, Invoice { id, .. }: Invoice) {}
}
#[async_trait::async_trait]
trait Port {
    async fn charge(&self, invoice: Invoice);
}"#,
        ),
        &[("`#[async_trait]` has replaced a pattern among the parameters by a name of its own: bind that parameter by name", 3)],
    ),
];

#[test]
fn the_compiler_points_at_the_fault_and_names_it() {
    let scratch = Scratch::new("failing", "", "async-trait = \"0.1\"");
    for (source, _) in FAILING {
        scratch.write_bin(source, PRELUDE);
    }
    let offset = PRELUDE.lines().count();
    let messages = scratch.check(&["--bins", "--keep-going"]);
    let mut missing = Vec::new();
    for (source, expected) in FAILING {
        let errors: Vec<_> =
            messages.iter().filter(|message| message.target == source.name && message.is_error()).collect();
        for (text, line) in *expected {
            let found =
                errors.iter().any(|error| error.rendered.contains(text) && error.lines.contains(&(line + offset)));
            if !found {
                let all: Vec<&str> = errors.iter().map(|error| error.rendered.as_str()).collect();
                missing.push(format!("{}: no {text:?} at line {line} in\n{}", source.name, all.join("\n")));
            }
        }
        // One fault is followed by no other.
        if errors.len() != expected.len() && source.name != "not_displayable" {
            let all: Vec<&str> = errors.iter().map(|error| error.rendered.as_str()).collect();
            missing.push(format!(
                "{}: {} errors instead of {}\n{}",
                source.name,
                errors.len(),
                expected.len(),
                all.join("\n")
            ));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn without_alloc_and_std_all_but_bind_compiles() {
    let scratch = Scratch::new("bare", "default-features = false", "");
    scratch.write_lib(
        r#"//! A crate without a standard library.
#![no_std]
#![forbid(unsafe_code)]
#![forbid(warnings, unused, missing_docs)]
use effect_contracts::{effect, handler, EffectState};
/// One state only.
pub struct Done;
/// Charges.
#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed = Done], contract = CHARGE)]
pub async fn charge(id: u64) -> EffectState {
    let next = handler!(name = "n", intent_key = "{n}", provider_window = none, terminal = [confirmed], |n: u64| n + 1);
    let _ = next(id);
    EffectState::Prepared
}
"#,
    );
    let bind = Source::new(
        "bind",
        r#"#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], bind = key)]
fn charge(id: u8) {}"#,
    );
    scratch.write_bin(&bind, "use effect_contracts::effect;\nfn main() {}\n");
    let errors: Vec<_> = scratch.check(&["--lib"]).into_iter().filter(|message| message.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let messages = scratch.check(&["--bins"]);
    let advice = "`bind` makes a text, which needs the feature `alloc` of effect-contracts";
    assert!(messages.iter().any(|message| message.rendered.contains(advice)), "{messages:#?}");
}

#[test]
fn an_application_gets_nothing_but_the_crate_itself() {
    let scratch = Scratch::new("lean", "", "");
    scratch.write_lib("");
    let tree = scratch.tree(&["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]);
    let packages: Vec<&str> = tree.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(packages, ["lean", "effect-contracts"]);
    let features = scratch.tree(&["--edges", "features", "--prefix", "none"]);
    assert!(features.contains("proc-macro2 feature"), "{features}");
    assert!(!features.contains("span-locations"), "{features}");
}

#[test]
fn every_edition_and_unsafe_code_compile() {
    let scratch = Scratch::new("editions", "", "");
    let source = r#"
#![deny(warnings)]
extern crate effect_contracts;
use effect_contracts::effect;
struct Invoice { id: u64 }
#[allow(dead_code)]
enum State { Settled(u8) }
fn find(_: &str) {}
#[effect(intent_key = "i/{invoice.id}", provider_window = none, terminal = [confirmed = State::Settled],
    reconcile = find, bind = key, contract = CONTRACT)]
unsafe fn charge(invoice: &mut Invoice, count: *mut u64) -> String { *count += 1; invoice.id += 1; key.into_string() }
#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed])]
unsafe extern "C" fn foreign(id: u64) -> u64 { id }
fn main() {
    let mut count = 0;
    let _ = State::Settled(0);
    assert_eq!(unsafe { charge(&mut Invoice { id: 1 }, &mut count) }, "i/1");
    assert_eq!(unsafe { foreign(CONTRACT.terminal.len() as u64) }, 1);
}
"#;
    for edition in ["2015", "2018", "2021", "2024"] {
        // A dereference of a raw pointer inside an unsafe function wants a block of its own from 2024 on.
        let source = if edition == "2024" {
            source.replace("*count += 1;", "unsafe { *count += 1 };")
        } else {
            source.to_owned()
        };
        scratch.write_bin_of_edition(edition, &source);
    }
    let errors: Vec<_> = scratch.check(&["--bins"]).into_iter().filter(|message| message.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_guarantee_table_is_in_the_documentation() {
    let scratch = Scratch::new("documented", "", "");
    scratch.write_lib(
        r#"//! Documented.
#![deny(warnings, missing_docs)]
use effect_contracts::effect;
/// A provider.
pub struct Stripe;
impl Stripe {
    /// The lookup.
    pub fn find() {}
}
fn undo() {}
/// Charges an invoice.
///
/// In one go.
#[effect(intent_key = "a|{id}", provider_window = at_least("24h"), terminal = [confirmed = "it <is>"],
    reconcile = Stripe::find, compensate = undo, name = "the *name* [of] <it>")]
pub fn charge(id: u8) {}
"#,
    );
    let page = scratch.doc("fn.charge.html");
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text:?} in {page}"));
    assert!(at("In one go.") < at("effect contract"), "the table stands behind the user's own words");
    at("<td><code>a|{id}</code></td>");
    at("<td>at least 24h</td>");
    at("href=\"struct.Stripe.html#method.find\"");
    at("<td>the *name* [of] &lt;it&gt;</td>");
    at("confirmed = <code>\"it &lt;is&gt;\"</code>");
    assert!(!page.contains("href=\"undo\""), "a private function is no link to nowhere");
}
