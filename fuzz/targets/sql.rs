//! SQL as it stands in macros, strings and migrations.
#![no_main]

use cargo_effects::sql::{Dialect, Schema, outline, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for preferred in [None, Some(Dialect::Mysql)] {
        read(text, preferred);
    }
    outline(text);
    Schema::collect([text].into_iter());
});
