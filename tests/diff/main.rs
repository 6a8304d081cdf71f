//! A history of changes to contracts, compared commit by commit with what each of them means; and bases that cannot be
//! read.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

mod history;
mod repository;
mod unreadable;
