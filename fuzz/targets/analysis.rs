//! Rust source through every stage up to the findings in every format.
#![no_main]

use cargo_effects::pipeline::check_texts;
use cargo_effects::render::{Format, Options, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let report = check_texts(vec![("src/lib.rs".to_owned(), text.to_owned())], Some("2026-01-01")).expect("a package");
    let options = Options { color: false, notes: true, width: 100 };
    for format in Format::ALL.map(|(_, format)| format).into_iter().chain([Format::Rustc]) {
        render(&report, format, options);
    }
});
