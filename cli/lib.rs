//! The linter and document generator behind `cargo effects`.
//!
//! Data flows one way, and a module imports only from those on its left:
//!
//! ```text
//! parallel ← source ← config, catalog, sql ← index ← ir ← lower ← resolve ← contracts ← flow ← operations ← guarantee ← prose ← docs ← diff ← propose ← rules ← findings ← render ← pipeline ← cache ← commands ← main
//! ```

#![allow(rustdoc::private_intra_doc_links, reason = "this is a program: its documentation is for those who change it")]

#[allow(clippy::disallowed_methods, reason = "what is kept between runs lies on the disk")]
pub mod cache;
pub mod catalog;
pub mod commands;
pub mod config;
pub mod contracts;
pub mod diff;
pub mod docs;
pub mod findings;
pub mod flow;
pub mod guarantee;
pub mod index;
pub mod ir;
pub mod lower;
pub mod operations;
mod parallel;
pub mod pipeline;
pub mod propose;
pub mod prose;
pub mod render;
pub mod resolve;
pub mod rules;
#[allow(clippy::disallowed_methods, reason = "this stage reads the disk, so that no other has to")]
pub mod source;
pub mod sql;
pub mod toml_text;
