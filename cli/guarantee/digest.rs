//! The digest of a contract: evidence is tied to it, so it changes when a fact changes, and only then.

use effect_contracts_grammar::Contract;
use serde_json::Value;

use crate::contracts::Field;

/// 128 bits in hexadecimal. Places, suppressions, the order of lists and what is only there for tables do not count.
pub(super) fn digest(contract: &Contract) -> String {
    let mut hash = Fnv::default();
    for field in Field::ALL {
        if matches!(field, Field::Name | Field::Kind) {
            continue;
        }
        let Some(value) = field.value(contract) else {
            continue;
        };
        hash.part(field.name());
        hash.part(&canonical(value));
    }
    format!("{:032x}", hash.0)
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

/// FNV-1a: stable over versions and machines, which the hashers of the standard library are not meant to be.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn part(&mut self, text: &str) {
        // the length keeps neighbouring parts apart
        let length = (text.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(text.as_bytes()) {
            self.0 ^= u128::from(byte);
            self.0 = self
                .0
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}
