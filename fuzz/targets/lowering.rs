//! Rust source as a file of a package: cut into items, each parsed and lowered.
#![no_main]

use cargo_effects::index::index;
use cargo_effects::lower::{self, STACK, Selection};
use cargo_effects::source::FileId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    std::thread::scope(|scope| {
        let work = || lower::file(FileId(0), text, &index(text), Selection::All);
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        worker.join().expect("an answer");
    });
});
