//! Which words are the language's own.
//!
//! In: the text of an identifier. Out: a [`Word`]. Every identifier of a workspace is asked about, so the table is one
//! that most of them do not even have to be compared with.

/// A keyword, or any name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word(u32);

macro_rules! keywords {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// The words that the index tells apart.
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

/// Places in the table: so many that words seldom share one.
const PLACES: usize = 256;

/// The numbers of the keywords plus one by [`place`], or behind it; 0 is a free place.
const TABLE: [u8; PLACES] = {
    let mut table = [0; PLACES];
    let mut number = 0;
    while number < KEYWORDS.len() {
        let mut at = place(KEYWORDS[number].as_bytes());
        while table[at] != 0 {
            at = (at + 1) % PLACES;
        }
        number += 1;
        table[at] = number as u8;
    }
    table
};

const fn place(text: &[u8]) -> usize {
    match text {
        [] => 0,
        [only] => *only as usize,
        [first, .., last] => (*first as usize * 7 + *last as usize * 31 + text.len() * 3) % PLACES,
    }
}

impl Word {
    const NAME: Word = Word(u32::MAX);

    /// The word for an identifier; `r#` must be gone.
    pub(super) fn of(text: &str) -> Self {
        let mut at = place(text.as_bytes());
        while let Some(number) = TABLE[at].checked_sub(1) {
            if KEYWORDS[number as usize] == text {
                return Self(u32::from(number));
            }
            at = (at + 1) % PLACES;
        }
        Self::NAME
    }

    /// Whether it can never be a name.
    pub(super) fn is_keyword(self) -> bool {
        self.0 >= Word::AS.0 && self.is_special()
    }

    /// Whether it is a word of the language, in some place at least.
    pub(super) fn is_special(self) -> bool {
        (self.0 as usize) < KEYWORDS.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{KEYWORDS, Word};

    #[test]
    fn each_keyword_is_told_from_names() {
        for (number, keyword) in KEYWORDS.iter().enumerate() {
            assert_eq!(Word::of(keyword), Word(number as u32));
        }
        for name in ["", "x", "elsewhere", "us", "Fn", "größe", "r#fn", "selfish"] {
            assert_eq!(Word::of(name), Word::NAME);
            assert!(!Word::of(name).is_keyword() && !Word::of(name).is_special());
        }
    }
}
