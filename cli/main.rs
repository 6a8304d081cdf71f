//! The `cargo-effects` program, also run by cargo as `cargo effects`.

use std::process::ExitCode;

/// Parsing is bound by allocation: this allocator takes two thirds of the system allocator's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cargo_effects::commands::main()
}
