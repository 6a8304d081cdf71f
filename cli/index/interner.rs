//! Words to numbers, quickly: most identifiers of a workspace are seen many times by the same worker.
//!
//! In: the text of an identifier. Out: a [`Word`], which is a keyword or stands for a [`Name`]. The table is one
//! worker's own, so that the shared table of names is asked once for each text.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use crate::ir::Name;

/// A keyword, or a text by its number in one [`Interner`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word(pub(super) u32);

macro_rules! keywords {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// The words that the index tells apart; their numbers are the first of every interner.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code, reason = "the variants are counted, not written out")]
        enum Number { $($name),* }

        #[allow(dead_code, reason = "a keyword that no item starts with is still one")]
        impl Word {
            $(pub(super) const $name: Word = Word(Number::$name as u32);)*
        }

        const KEYWORDS: &[&str] = &[$($text),*];
    };
}

keywords! {
    // those that are words of the language in some places only come first: they count as names, too
    AUTO = "auto", DEFAULT = "default", GEN = "gen", MACRO_RULES = "macro_rules", SAFE = "safe", UNION = "union",
    AS = "as", ASYNC = "async", AWAIT = "await", BREAK = "break", CONST = "const", CONTINUE = "continue",
    CRATE = "crate", DYN = "dyn", ELSE = "else", ENUM = "enum", EXTERN = "extern", FALSE = "false", FN = "fn",
    FOR = "for", IF = "if", IMPL = "impl", IN = "in", LET = "let", LOOP = "loop", MACRO = "macro", MATCH = "match",
    MOD = "mod", MOVE = "move", MUT = "mut", PUB = "pub", REF = "ref", RETURN = "return", SELF_TYPE = "Self",
    SELF = "self", STATIC = "static", STRUCT = "struct", SUPER = "super", TRAIT = "trait", TRUE = "true",
    TYPE = "type", UNDERSCORE = "_", UNSAFE = "unsafe", USE = "use", WHERE = "where", WHILE = "while",
    YIELD = "yield",
}

impl Word {
    /// Whether it can never be a name.
    pub(super) fn is_keyword(self) -> bool {
        self.0 >= Word::AS.0 && (self.0 as usize) < KEYWORDS.len()
    }

    /// Whether it is a word of the language, in some place at least.
    pub(super) fn is_special(self) -> bool {
        (self.0 as usize) < KEYWORDS.len()
    }
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    /// the number plus one; 0 is a free slot
    number: u32,
}

/// Texts and their numbers.
pub(super) struct Interner {
    seed: u64,
    slots: Vec<Slot>,
    names: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    text: &'static str,
    name: Name,
}

impl Interner {
    pub(super) fn new() -> Self {
        let mut interner = Self {
            seed: RandomState::new().build_hasher().finish(),
            slots: vec![Slot { hash: 0, number: 0 }; 1 << 12],
            names: Vec::new(),
        };
        for keyword in KEYWORDS {
            interner.word(keyword);
        }
        interner
    }

    /// How many words are known.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The word for an identifier; `r#` must be gone.
    pub(super) fn word(&mut self, text: &str) -> Word {
        let hash = hash(self.seed, text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                break;
            }
            if slot.hash == hash && self.names[slot.number as usize - 1].text == text {
                return Word(slot.number - 1);
            }
            at = (at + 1) & mask;
        }
        let name = Name::new(text);
        self.names.push(Entry { text: name.as_str(), name });
        self.slots[at] = Slot { hash, number: self.names.len() as u32 };
        if self.names.len() * 2 > self.slots.len() {
            self.grow();
        }
        Word(self.names.len() as u32 - 1)
    }

    /// The name of a word.
    pub(super) fn name(&self, word: Word) -> Name {
        self.names[word.0 as usize].name
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![Slot { hash: 0, number: 0 }; mask + 1];
        for slot in self.slots.iter().filter(|slot| slot.number != 0) {
            let mut at = slot.hash as usize & mask;
            while slots[at].number != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = *slot;
        }
        self.slots = slots;
    }
}

/// Eight bytes a step, folded with a secret number, so that no source can be written to collide.
fn hash(seed: u64, bytes: &[u8]) -> u32 {
    let mut state = seed ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        state = fold(state ^ u64::from_le_bytes(eight), seed);
    }
    let mut last = 0u64;
    for &byte in chunks.remainder() {
        last = last << 8 | u64::from(byte);
    }
    (fold(state ^ last, seed) >> 32) as u32
}

fn fold(state: u64, seed: u64) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(state) * u128::from(seed ^ FACTOR | 1);
    (product as u64) ^ (product >> 64) as u64
}
