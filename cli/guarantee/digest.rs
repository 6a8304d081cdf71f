//! The digest of a contract: evidence is tied to it, so it changes when a fact changes, and only then.

use std::hash::Hasher;

use effect_contracts_grammar::Contract;
use serde_json::Value;
use siphasher::sip128::{Hasher128, SipHasher24};

use crate::contracts::Field;

/// 128 bits in hexadecimal. Places, suppressions, the order of lists and what is only there for tables do not count.
pub(super) fn digest(contract: &Contract) -> String {
    // not the standard library's hasher, whose results may change with the compiler
    let mut hash = SipHasher24::new();
    for field in Field::ALL {
        if matches!(field, Field::Name | Field::Kind) {
            continue;
        }
        let Some(value) = field.value(contract) else {
            continue;
        };
        part(&mut hash, field.name());
        part(&mut hash, &canonical(value));
    }
    format!("{:032x}", hash.finish128().as_u128())
}

fn canonical(value: Value) -> String {
    match value {
        Value::Array(items) => {
            let mut items: Vec<String> = items.iter().map(Value::to_string).collect();
            items.sort();
            items.join("\n")
        }
        value => value.to_string(),
    }
}

/// The length keeps neighbouring parts apart.
fn part(hash: &mut SipHasher24, text: &str) {
    hash.write(&(text.len() as u64).to_le_bytes());
    hash.write(text.as_bytes());
}
