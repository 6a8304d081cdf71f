//! Interned names: equal texts are one number, so that bodies stay small and comparisons cheap.

use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

use super::intern::{Interned, Interner, Lately};

/// An interned text. Equality is by number, order by text (so that no output depends on who interned first).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(Interned<str>);

impl Name {
    /// The name for a text. Texts live as long as the process: one run reads one workspace.
    pub fn new(text: &str) -> Self {
        thread_local! {
            static LATELY: Lately<&'static str, Name> = const { Lately::new() };
        }
        LATELY.with(|lately| {
            lately.get(text, || {
                let name = Self::interned(text);
                (name.as_str(), name)
            })
        })
    }

    fn interned(text: &str) -> Self {
        static NAMES: LazyLock<Interner<str>> = LazyLock::new(Interner::default);
        Self(NAMES.get(text, || Box::leak(text.into())))
    }

    /// The number behind the name. It depends on who interned first: good for tables, never for an order that is seen.
    pub fn number(self) -> u32 {
        self.0.number()
    }

    /// The text behind the name.
    pub fn as_str(self) -> &'static str {
        self.0.value()
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.value()
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.as_str().cmp(other.as_str()) }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
