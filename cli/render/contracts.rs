//! Contracts and derived guarantees as JSON, version 1: what other tools and later runs compare.

use serde_json::{Map, Value, json};

use super::wire::to_json;
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Place, Sources};
use crate::guarantee::{EffectWord, Guarantee};
use crate::source::Workspace;

/// All contracts, sorted by handler and name, with what holds for each.
pub fn contracts(workspace: &Workspace, contracts: &[HandlerContract], guarantees: &[Guarantee]) -> String {
    let mut sources = Sources::default();
    let mut entries: Vec<_> = contracts.iter().zip(guarantees).collect();
    entries.sort_by_key(|(contract, _)| (&contract.handler, contract.title()));
    let contracts: Vec<Value> =
        entries.into_iter().map(|(contract, guarantee)| entry(workspace, &mut sources, contract, guarantee)).collect();
    to_json(&json!({ "version": 1, "contracts": contracts }))
}

fn entry(workspace: &Workspace, sources: &mut Sources, contract: &HandlerContract, guarantee: &Guarantee) -> Value {
    let at = sources.locate(workspace, &Place::Source(contract.name_span));
    let questions = &guarantee.questions;
    let vocabulary = &guarantee.vocabulary;
    let effect: Vec<Value> = vocabulary.effect.iter().map(word).collect();
    json!({
        "handler": contract.handler,
        "effect": contract.contract.effect,
        "file": at.file,
        "line": at.start.line,
        "fields": fields(contract),
        "key_verdict": guarantee.key.word(),
        "questions": {
            "commit_twice": questions.commit_twice.plain(),
            "delivered_again": questions.delivered_again.plain(),
            "run_again": questions.run_again.plain(),
            "effect_repeats": questions.effect_repeats.plain(),
        },
        "claim": guarantee.claim.text(),
        "sentence": guarantee.sentence.plain(),
        "status_vocabulary": {
            "workflow": vocabulary.workflow,
            "delivery": vocabulary.delivery,
            "effect": effect,
        },
        "digest": guarantee.digest,
    })
}

/// Every field that somebody gave, in the words of `effects.toml`, with who gave it.
fn fields(contract: &HandlerContract) -> Value {
    let mut fields = Map::new();
    for field in Field::ALL {
        if let (Some(value), Some(given)) = (field.value(&contract.contract), contract.given(field)) {
            fields.insert(field.name().to_owned(), json!({ "value": value, "from": given.from.word() }));
        }
    }
    Value::Object(fields)
}

fn word(word: &EffectWord) -> Value {
    json!({ "state": word.word(), "mapped": word.mapped, "terminal": word.terminal })
}
