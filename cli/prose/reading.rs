//! A passage as words, cues and sentences.
//!
//! In: a passage's text. Out: a [`Reading`]. It knows where words and sentences end, and which cues of the lexicon stand
//! where; it draws no conclusion.

use std::ops::Range;

use super::lexicon::{Cue, lexicon};
use super::passage::{CODE_END, CODE_START};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// letters, and digits after them
    Word,
    /// digits first
    Number,
    /// a code span
    Code,
    /// any other sign, a spaced hyphen as a dash
    Mark(char),
}

/// A word or a sign.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// what it is
    pub(super) kind: Kind,
    /// in lower case, with plain apostrophes
    pub(super) word: String,
    /// without endings; of code: empty
    pub(super) stem: String,
    /// first byte in the passage's text
    pub(super) start: usize,
    /// one past the last
    pub(super) end: usize,
    /// joined to the token before by a hyphen
    pub(super) joined: bool,
    /// starts with a capital
    pub(super) capital: bool,
}

/// A cue and the tokens that it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// which cue
    pub(super) cue: Cue,
    /// first token
    pub(super) start: usize,
    /// one past the last token
    pub(super) end: usize,
}

/// The words of a passage.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// all tokens
    pub(super) tokens: Vec<Token>,
    /// token ranges
    pub(super) sentences: Vec<Range<usize>>,
    hits: Vec<Hit>,
}

/// A sentence longer than this is cut: what governs what is not asked over such distances, and hostile text stays linear.
const LONGEST_SENTENCE: usize = 300;

impl Reading {
    /// Reads a passage.
    pub(super) fn new(text: &str) -> Self {
        let tokens = tokens(text);
        let sentences = sentences(text, &tokens);
        let mut hits = Vec::new();
        for sentence in &sentences {
            let words = &tokens[sentence.clone()];
            for (at, token) in words.iter().enumerate() {
                if token.kind == Kind::Code {
                    continue;
                }
                if token.word.ends_with("n't") {
                    hits.push(Hit { cue: Cue::Negator, start: sentence.start + at, end: sentence.start + at + 1 });
                }
                lexicon().matches(words, at, |cue, end| {
                    hits.push(Hit { cue, start: sentence.start + at, end: sentence.start + end });
                });
            }
        }
        // by place, whatever order the lexicon keeps its patterns in
        hits.sort_by_key(|hit| (hit.start, hit.end, hit.cue as u8));
        hits.dedup_by_key(|hit| (hit.start, hit.end, hit.cue as u8));
        Self { tokens, sentences, hits }
    }

    /// The hits of a cue that lie inside a range of tokens, in order.
    pub(super) fn hits(&self, cue: Cue, range: Range<usize>) -> impl DoubleEndedIterator<Item = Hit> + '_ {
        let from = self.hits.partition_point(|hit| hit.start < range.start);
        let to = self.hits.partition_point(|hit| hit.start < range.end);
        (self.hits.get(from..to).unwrap_or_default().iter().copied())
            .filter(move |hit| hit.cue == cue && hit.end <= range.end)
    }

    /// Whether a cue stands inside a range of tokens.
    pub(super) fn has(&self, cue: Cue, range: Range<usize>) -> bool {
        self.hits(cue, range).next().is_some()
    }

    /// Whether a cue starts at a token, however long it is.
    pub(super) fn starts(&self, cue: Cue, at: usize) -> bool {
        let from = self.hits.partition_point(|hit| hit.start < at);
        self.hits[from..].iter().take_while(|hit| hit.start == at).any(|hit| hit.cue == cue)
    }

    /// Whether any of the cues stands inside a range of tokens.
    pub(super) fn has_any(&self, cues: &[Cue], range: Range<usize>) -> bool {
        cues.iter().any(|&cue| self.has(cue, range.clone()))
    }

    /// Whether a hit of `cue` covers or touches a token of `range`.
    pub(super) fn overlaps(&self, cue: Cue, range: Range<usize>) -> bool {
        let from = range.start.saturating_sub(12);
        let to = self.tokens.len().min(range.end + 12);
        self.hits(cue, from..to).any(|hit| hit.start < range.end && range.start < hit.end)
    }

    /// Whether a token is this sign.
    pub(super) fn is_mark(&self, at: usize, marks: &[char]) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark(mark), .. }) if marks.contains(mark))
    }

    /// Whether a token is one of these words, as written.
    pub(super) fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word && words.contains(&token.word.as_str()))
    }

    /// All tokens.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut characters = text.char_indices().peekable();
    let mut joined = false;
    while let Some((start, first)) = characters.next() {
        let mut end = start + first.len_utf8();
        if first.is_whitespace() {
            joined = false;
            continue;
        }
        let kind = if first == CODE_START {
            for (at, character) in characters.by_ref() {
                end = at + character.len_utf8();
                if character == CODE_END {
                    break;
                }
            }
            Kind::Code
        } else if first.is_alphanumeric() {
            let mut before = first;
            while let Some(&(at, character)) = characters.peek() {
                let next = text[at + character.len_utf8()..].chars().next();
                let inside = character.is_alphanumeric()
                    || character == '_'
                    || (matches!(character, '\'' | '’')
                        && before.is_alphabetic()
                        && next.is_some_and(char::is_alphabetic))
                    || (matches!(character, '.' | ',') && before.is_numeric() && next.is_some_and(char::is_numeric));
                if !inside {
                    break;
                }
                characters.next();
                before = character;
                end = at + character.len_utf8();
            }
            if first.is_numeric() { Kind::Number } else { Kind::Word }
        } else if matches!(first, '-' | '‐' | '‑' | '–' | '—' | '−') {
            let spaced_before = text[..start].chars().next_back().is_none_or(char::is_whitespace);
            let next = text[end..].chars().next();
            let letters = !spaced_before && next.is_some_and(char::is_alphanumeric);
            if letters && first != '—' {
                joined = true;
                continue;
            }
            if first == '-' && next == Some('-') {
                characters.next();
                end += 1;
            }
            Kind::Mark('—')
        } else if first == '/' && tokens.last().is_some_and(|last| last.end == start) {
            // `and/or`, `at-least-once/exactly-once`: kept as a sign
            Kind::Mark('/')
        } else {
            Kind::Mark(match first {
                '“' | '”' | '„' | '«' | '»' => '"',
                '…' => '.',
                other => other,
            })
        };
        let word = match kind {
            Kind::Word | Kind::Number => text[start..end].to_lowercase().replace('’', "'"),
            Kind::Code => text[start..end].trim_matches([CODE_START, CODE_END]).to_lowercase(),
            Kind::Mark(_) => String::new(),
        };
        let stem = match kind {
            Kind::Word => lexicon().stem(&word),
            Kind::Number => word.clone(),
            _ => String::new(),
        };
        tokens.push(Token {
            kind,
            word,
            stem,
            start,
            end,
            joined: std::mem::take(&mut joined),
            capital: first.is_uppercase(),
        });
    }
    tokens
}

fn sentences(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let last = at + 1 == tokens.len();
        if last || at + 1 - start >= LONGEST_SENTENCE || ends_sentence(text, tokens, at) {
            sentences.push(start..at + 1);
            start = at + 1;
        }
    }
    sentences
}

fn ends_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let closing = |mark| matches!(mark, '"' | ')' | ']' | '*' | '\'');
    let ends = |token: &Token| matches!(token.kind, Kind::Mark('.' | '!' | '?'));
    let spaced = text[token.end..].chars().next().is_none_or(char::is_whitespace);
    if !spaced {
        return false;
    }
    let full_stop = match token.kind {
        // the quote or bracket behind a full stop belongs to its sentence
        Kind::Mark(mark) if closing(mark) => at > 0 && ends(&tokens[at - 1]) && tokens[at - 1].end == token.start,
        _ => ends(token),
    };
    if !full_stop {
        return false;
    }
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    if token.kind == Kind::Mark('.') {
        if let Some(before) = before.filter(|before| before.end == token.start) {
            let abbreviation = before.word.len() == 1 && before.kind == Kind::Word && !before.capital;
            let mut listed = false;
            lexicon().matches(std::slice::from_ref(before), 0, |cue, _| listed |= cue == Cue::Abbreviation);
            if abbreviation || listed {
                return tokens.get(at + 1).is_none_or(|next| next.capital && listed && before.word == "etc");
            }
        }
    }
    tokens.get(at + 1).is_none_or(|next| next.capital || !matches!(next.kind, Kind::Word))
}
