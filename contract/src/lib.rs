//! The grammar and model of effect contracts.
//!
//! The `effect` attribute and `cargo effects` read contracts through this one crate, so that both accept the same
//! words and say the same about a fault:
//!
//! - [`Contract`] and its parts are plain data.
//! - [`parse_arguments`], [`parse_attribute_text`] and [`parse_handler`] read the attribute, with all errors at once.
//! - `Window::parse`, `KeyTemplate::parse`, `Mechanism::parse`, [`duration::parse`] and so on read the text forms that a
//!   configuration file uses.
//! - [`contradictions`] finds what a contract alone shows to be wrong.

mod case;
mod checks;
mod cursor;
pub mod date;
pub mod duration;
mod fields;
mod forms;
mod grammar;
mod invalid;
mod model;
pub mod suggest;
mod template;
mod text;
mod window;
mod words;

pub use case::{parse_case, Case};
pub use checks::{contradictions, Contradiction};
pub use fields::{Field, Need, FIELDS};
pub use grammar::{
    parse_arguments, parse_arguments_text, parse_attribute_text, parse_handler, parse_handler_text, Error, Extras,
    Given, Key, Parsed, Placeholder,
};
pub use invalid::Invalid;
pub use model::*;
pub use text::tokens_text;
