//! The `cargo-effects` program.
fn main() {}
