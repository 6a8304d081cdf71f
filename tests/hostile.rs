//! Sources that nobody would write. Whatever is scanned, the program ends within seconds, with an answer: it neither
//! panics nor hangs, and neither its stack nor its memory overflows. The debug build is what is tested: its stack holds
//! a fifth of what the release build's does.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

mod hostile {
    mod growth;
    mod nesting;
    mod run;
    mod texts;
}
