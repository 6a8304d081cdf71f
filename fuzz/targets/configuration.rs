//! `effects.toml`, and the baseline.
#![no_main]

use cargo_effects::config::Config;
use cargo_effects::findings::Baseline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Config::read("effects.toml", text) {
        Ok(_) => {}
        Err(faults) => faults.iter().for_each(|fault| assert!(!fault.to_string().is_empty())),
    }
    if let Ok(baseline) = Baseline::parse(text) {
        let written = baseline.text();
        let again = Baseline::parse(&written).expect("what was written is read");
        assert_eq!(again.text(), written);
    }
});
