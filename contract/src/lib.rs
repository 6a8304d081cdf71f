//! The grammar and model of effect contracts.

mod model;

pub use model::*;
