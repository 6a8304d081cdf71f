//! The services of the other examples as they are often written. `cargo effects check` says what is wrong.

pub mod charge;
pub mod mail;
