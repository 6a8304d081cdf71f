//! What other programs read: each format as its own readers take it.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

mod formats {
    mod run;
    mod rustc;
    mod sarif;
    mod terminal;
}
