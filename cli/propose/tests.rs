//! Proposals over texts: what is proposed, in which order, and that it can be read back.

use std::collections::BTreeMap;

use effect_contracts_grammar::KeyTemplate;

use super::*;
use crate::config::Config;
use crate::pipeline::analyse_texts;

fn proposals(source: &str, findings: &[(&str, usize)]) -> Vec<Proposal> {
    let texts = vec![("src/lib.rs".to_owned(), source.to_owned())];
    let analysis = analyse_texts(texts).expect("it can be read");
    let findings: BTreeMap<String, usize> = findings.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
    propose(Known {
        workspace: &analysis.workspace,
        program: &analysis.program,
        catalog: &analysis.catalog,
        contracts: &analysis.contracts,
        flow: &analysis.flow,
        findings: &findings,
    })
}

fn one(source: &str) -> Proposal {
    let mut all = proposals(source, &[]);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

fn key(proposal: &Proposal) -> (&str, KeyFrom) {
    match &proposal.contract.intent_key {
        Some(KeyTemplate::Template { text, .. }) => (text, proposal.key_from),
        other => panic!("{other:?}"),
    }
}

/// A request with this key, in a function with these parameters.
fn request(params: &str, before: &str, key: &str) -> String {
    format!(
        "pub struct Invoice {{ pub id: u64, pub customer: String, pub opaque: Opaque }}
         pub struct Opaque;
         pub async fn charge(http: &reqwest::Client, {params}) -> Result<(), reqwest::Error> {{
             {before}
             http.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", {key}).send().await?;
             Ok(())
         }}"
    )
}

#[test]
fn the_key_that_the_code_sends_is_proposed() {
    let formats = [
        ("invoice: &Invoice", "", "format!(\"invoice/{}/charge\", invoice.id)"),
        ("invoice: &Invoice", "let key = format!(\"invoice/{}/charge\", invoice.id);", "key"),
        ("invoice: &Invoice", "let made = format!(\"invoice/{}/charge\", invoice.id); let key = made.as_str();", "key"),
    ];
    for (params, before, sent) in formats {
        let proposal = one(&request(params, before, sent));
        assert_eq!(key(&proposal), ("invoice/{invoice.id}/charge", KeyFrom::Code), "{before} {sent}");
    }
    let shown = one(&request("id: u64", "", "format!(\"{{x}}/{id}\")"));
    assert_eq!(key(&shown), ("{{x}}/{id}", KeyFrom::Code));
}

#[test]
fn what_would_not_compile_is_not_proposed() {
    // a value that is no input, a specification, a type that cannot be displayed
    let local = one(&request("invoice: &Invoice", "let day = invoice.id / 2;", "format!(\"{day}\")"));
    assert_eq!(key(&local), ("charge/{invoice.id}", KeyFrom::Input));
    let padded = one(&request("invoice: &Invoice", "", "format!(\"{:05}\", invoice.id)"));
    assert_eq!(key(&padded), ("charge/{invoice.id}", KeyFrom::Input));
    let opaque = one(&request("opaque: Opaque, rate: f64", "", "uuid::Uuid::new_v4().to_string()"));
    assert_eq!(key(&opaque), ("charge", KeyFrom::Nothing));
    let coarse = one(&request("amount: u64, attempt: u32", "", "uuid::Uuid::new_v4().to_string()"));
    assert_eq!(key(&coarse), ("charge", KeyFrom::Nothing));
    // a private field is seen in its own module alone
    let elsewhere = one("pub mod model { pub struct Invoice { id: u64 } }
        pub async fn charge(http: &reqwest::Client, invoice: &model::Invoice) -> Result<(), reqwest::Error> {
            http.post(\"https://api.stripe.com/v1/charges\").send().await?;
            Ok(())
        }");
    assert_eq!(key(&elsewhere), ("charge", KeyFrom::Nothing));
}

#[test]
fn what_looks_like_an_identity_is_asked_about() {
    let field = one(&request("invoice: &Invoice", "", "uuid::Uuid::new_v4().to_string()"));
    assert_eq!(key(&field), ("charge/{invoice.id}", KeyFrom::Parameter));
    let only = one(&request("order: String", "", "uuid::Uuid::new_v4().to_string()"));
    assert_eq!(key(&only), ("charge/{order}", KeyFrom::Parameter));
    assert!(attribute(&only).contains("// does this tell one intent from another"));
}

#[test]
fn the_function_that_makes_the_key_is_asked_for_the_contract() {
    let source = "
        pub async fn charge(http: &reqwest::Client, invoice: u64) -> Result<(), reqwest::Error> {
            post(http, &format!(\"invoice/{invoice}/charge\")).await
        }
        async fn post(http: &reqwest::Client, key: &str) -> Result<(), reqwest::Error> {
            http.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", key).send().await?;
            Ok(())
        }";
    let proposal = one(source);
    assert_eq!(proposal.handler, "example::charge");
    assert_eq!(key(&proposal), ("invoice/{invoice}/charge", KeyFrom::Code));
}

#[test]
fn payments_come_before_messages_and_many_findings_before_few() {
    let source = "
        pub async fn announce(sns: &aws_sdk_sns::Client, id: String) {
            let _ = sns.publish().message(id).send().await;
        }
        pub async fn rename(http: &reqwest::Client, id: u64) {
            let _ = http.post(\"https://api.example.com/names\").send().await;
        }
        pub async fn relabel(http: &reqwest::Client, id: u64) {
            let _ = http.post(\"https://api.example.com/labels\").send().await;
        }
        pub async fn refund(http: &reqwest::Client, id: u64) {
            let _ = http.post(\"https://api.example.com/returns\").send().await;
        }";
    let order = |findings: &[(&str, usize)]| -> Vec<String> {
        proposals(source, findings).into_iter().map(|proposal| proposal.handler).collect()
    };
    assert_eq!(order(&[]), ["example::refund", "example::relabel", "example::rename", "example::announce"]);
    let counted = [("example::rename", 2), ("example::relabel", 1), ("example::announce", 9)];
    assert_eq!(order(&counted), ["example::refund", "example::rename", "example::relabel", "example::announce"]);
}

#[test]
fn calls_come_before_keys_without_a_call() {
    let source = "
        pub fn headers(id: u64) -> Vec<(&'static str, String)> {
            vec![(\"Idempotency-Key\", id.to_string())]
        }
        pub async fn rename(http: &reqwest::Client, id: u64) {
            let _ = http.post(\"https://api.example.com/names\").send().await;
        }";
    let order: Vec<String> =
        proposals(source, &[("example::headers", 9)]).into_iter().map(|proposal| proposal.handler).collect();
    assert_eq!(order, ["example::rename", "example::headers"]);
}

#[test]
fn a_lookup_beside_the_call_is_proposed() {
    let source = "
        pub struct Gateway { http: reqwest::Client }
        impl Gateway {
            async fn charge(&self, key: &str) -> Result<(), reqwest::Error> {
                self.http.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", key).send().await?;
                Ok(())
            }
            async fn find_charge(&self, key: &str) -> Result<Option<()>, reqwest::Error> { Ok(None) }
            async fn find_customer(&self, name: &str) -> Result<Option<()>, reqwest::Error> { Ok(None) }
        }
        pub async fn settle(gateway: &Gateway, invoice: u64) -> Result<(), reqwest::Error> {
            gateway.charge(&format!(\"invoice/{invoice}\")).await
        }";
    let proposal = one(source);
    assert_eq!(proposal.lookups, ["example::Gateway::find_charge"]);
    let text = attribute(&proposal);
    assert!(text.contains("reconcile = unchecked(\"crate::Gateway::find_charge\")"), "{text}");
    assert!(text.contains("terminal = [confirmed, rejected, reconciled]"), "{text}");
}

#[test]
fn both_texts_say_the_same_and_can_be_read() {
    for proposal in [
        one(&request("invoice: &Invoice", "", "format!(\"invoice/{}/charge\", invoice.id)")),
        one(&request("id: u64", "", "format!(\"\\\"quoted\\\"\\u{7f}/{id}\")")),
    ] {
        let text = table(&proposal);
        let config = Config::read("effects.toml", &format!("version = 1\n{text}"));
        let config = config.unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let read = &config.effects[0];
        assert_eq!(read.handler, proposal.handler);
        for field in crate::contracts::Field::ALL {
            assert_eq!(field.value(&read.table.contract), field.value(&proposal.contract), "{field:?}");
        }
        // the attribute in front of the function is read as the same contract
        let source = format!("{}pub async fn charge(id: u64, invoice: &Invoice) {{}}", attribute(&proposal));
        let texts = vec![("src/lib.rs".to_owned(), source)];
        let analysis = analyse_texts(texts).expect("it can be read");
        let contract = &analysis.contracts[0];
        assert_eq!(contract.problems, []);
        for field in crate::contracts::Field::ALL.into_iter().filter(|field| contract.is_declared(*field)) {
            assert_eq!(field.value(&contract.contract), field.value(&proposal.contract), "{field:?}");
        }
    }
}
