//! Interned names: equal texts are one number, so that bodies stay small and comparisons cheap.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, RwLock};

use foldhash::fast::RandomState;

/// An interned text. Equality is by number, order by text (so that no output depends on who interned first).
#[derive(Clone, Copy)]
pub struct Name(&'static Entry);

struct Entry {
    text: &'static str,
    number: u32,
}

/// Parts of the table, so that threads that lower different files seldom wait for each other.
const SHARDS: usize = 16;

/// The hash is seeded: texts come from code that nobody vouches for.
type Shard = RwLock<HashMap<&'static str, Name, RandomState>>;

fn shard(text: &str) -> &'static Shard {
    static TABLE: OnceLock<(RandomState, [Shard; SHARDS])> = OnceLock::new();
    let (hasher, shards) = TABLE.get_or_init(Default::default);
    &shards[hasher.hash_one(text) as usize % SHARDS]
}

impl Name {
    /// The name for a text. Texts live as long as the process: one run reads one workspace.
    pub fn new(text: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let shard = shard(text);
        if let Some(name) = shard.read().unwrap_or_else(|poisoned| poisoned.into_inner()).get(text) {
            return *name;
        }
        let mut shard = shard.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(name) = shard.get(text) {
            return *name;
        }
        let text: &'static str = Box::leak(text.into());
        let name = Self(Box::leak(Box::new(Entry { text, number: NEXT.fetch_add(1, Ordering::Relaxed) })));
        shard.insert(text, name);
        name
    }

    /// The number behind the name. It depends on who interned first: good for tables, never for an order that is seen.
    pub fn number(self) -> u32 {
        self.0.number
    }

    /// The text behind the name.
    pub fn as_str(self) -> &'static str {
        self.0.text
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
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
