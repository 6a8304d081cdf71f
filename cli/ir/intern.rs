//! Values of which there is one copy: equal ones are one number, so that sets of them are small and comparisons cheap.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use foldhash::fast::RandomState;
use rustc_hash::FxBuildHasher;

/// Parts of a table, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// A table of values. They live as long as the process: one run reads one workspace.
pub(crate) struct Interner<T: ?Sized + 'static> {
    /// seeded, since the values come from code that nobody vouches for
    hasher: RandomState,
    shards: [RwLock<Shard<T>>; SHARDS],
    next: AtomicU32,
}

/// Values by their hashes, so that each is hashed once, and compared with one other at most.
struct Shard<T: ?Sized + 'static> {
    known: HashMap<u64, Interned<T>, BuildHasherDefault<Hashed>>,
    /// values whose hash another one has
    others: Vec<Interned<T>>,
}

/// Takes a hash for what it is.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<T: ?Sized + 'static> Default for Shard<T> {
    fn default() -> Self {
        Self { known: HashMap::default(), others: Vec::new() }
    }
}

impl<T: ?Sized + Eq + 'static> Shard<T> {
    fn get(&self, hash: u64, value: &T) -> Option<Interned<T>> {
        let known = *self.known.get(&hash)?;
        let others = || self.others.iter().copied().find(|other| other.value() == value);
        if known.value() == value { Some(known) } else { others() }
    }

    fn insert(&mut self, hash: u64, new: Interned<T>) {
        match self.known.entry(hash) {
            Entry::Vacant(place) => {
                place.insert(new);
            }
            Entry::Occupied(_) => self.others.push(new),
        }
    }
}

/// What one thread has found lately: code speaks of the same things again and again, and these are found here without a lock
/// and without a way through a large table. Those that fall on one place drive each other out.
pub(crate) struct Lately<K, V>([Cell<Option<(K, V)>>; LATELY]);

/// So many that they stay in the nearest cache.
const LATELY: usize = 1 << 10;

impl<K: Copy, V: Copy> Lately<K, V> {
    pub(crate) const fn new() -> Self {
        Self([const { Cell::new(None) }; LATELY])
    }

    /// What was found by a key, or is found for it now, with the key to keep.
    pub(crate) fn get<Q: Hash>(&self, key: Q, find: impl FnOnce() -> (K, V)) -> V
    where
        K: PartialEq<Q>,
    {
        let place = &self.0[FxBuildHasher.hash_one(&key) as usize % LATELY];
        match place.get() {
            Some((known, value)) if known == key => value,
            _ => {
                let found = find();
                place.set(Some(found));
                found.1
            }
        }
    }
}

/// A value of a table.
pub(crate) struct Interned<T: ?Sized + 'static>(&'static Kept<T>);

struct Kept<T: ?Sized + 'static> {
    value: &'static T,
    number: u32,
}

impl<T: ?Sized + 'static> Default for Interner<T> {
    fn default() -> Self {
        Self { hasher: RandomState::default(), shards: Default::default(), next: AtomicU32::default() }
    }
}

impl<T: ?Sized + Hash + Eq + 'static> Interner<T> {
    /// The one copy of a value; `keep` makes it where it is new.
    pub(crate) fn get(&self, value: &T, keep: impl FnOnce() -> &'static T) -> Interned<T> {
        let hash = self.hasher.hash_one(value);
        // The table takes the bits at both ends.
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        if let Some(known) = shard.read().unwrap_or_else(PoisonError::into_inner).get(hash, value) {
            return known;
        }
        let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shard.get(hash, value) {
            return known;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let new = Interned(Box::leak(Box::new(Kept { value: keep(), number })));
        shard.insert(hash, new);
        new
    }
}

impl<T: ?Sized + 'static> Interned<T> {
    /// The value.
    pub(crate) fn value(self) -> &'static T {
        self.0.value
    }

    /// Its number. It depends on who interned first: good for tables, never for an order that is seen.
    pub(crate) fn number(self) -> u32 {
        self.0.number
    }
}

impl<T: ?Sized + 'static> Clone for Interned<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized + 'static> Copy for Interned<T> {}

impl<T: ?Sized + fmt::Debug + 'static> fmt::Debug for Interned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl<T: ?Sized + 'static> PartialEq for Interned<T> {
    /// There is one copy, so where it stands is enough, and nothing has to be read for it.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<T: ?Sized + 'static> Eq for Interned<T> {}

impl<T: ?Sized + 'static> Hash for Interned<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}
