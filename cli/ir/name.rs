//! Interned names: equal texts are one number, so that bodies stay small and comparisons cheap.

use std::collections::HashMap;
use std::fmt;
use std::sync::{OnceLock, RwLock};

/// An interned text. Equality is by number, order by text (so that no output depends on who interned first).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Table {
    numbers: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

impl Name {
    /// The name for a text. Texts live as long as the process: one run reads one workspace.
    pub fn new(text: &str) -> Self {
        let known = |table: &Table| table.numbers.get(text).copied();
        if let Some(number) = known(&table().read().unwrap_or_else(|poisoned| poisoned.into_inner())) {
            return Self(number);
        }
        let mut table = table().write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(number) = known(&table) {
            return Self(number);
        }
        let text: &'static str = Box::leak(text.into());
        let number = table.texts.len() as u32;
        table.texts.push(text);
        table.numbers.insert(text, number);
        Self(number)
    }

    /// The number behind the name. It depends on who interned first: good for tables, never for an order that is seen.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The text behind the name.
    pub fn as_str(self) -> &'static str {
        table().read().unwrap_or_else(|poisoned| poisoned.into_inner()).texts[self.0 as usize]
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        if self.0 == other.0 { std::cmp::Ordering::Equal } else { self.as_str().cmp(other.as_str()) }
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
