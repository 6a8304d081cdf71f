//! Tokens of Rust source, as coarse as the index needs them.
//!
//! In: a file's text. Out: one [`Token`] after the other, comments and white space left out. A lexer is a position and
//! nothing else, so that looking ahead is a copy. It must not know what an item is.

use memchr::{memchr, memchr2};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// an identifier or keyword; `r#` is part of the token
    Ident,
    /// `'a`
    Lifetime,
    /// a string, character or number
    Literal,
    /// `(`, `[`, `{`
    Open,
    /// `)`, `]`, `}`
    Close,
    /// one byte of an operator
    Punct,
    /// `/// …` and `/** … */`
    OuterDoc,
    /// `//! …` and `/*! … */`
    InnerDoc,
    /// a literal or comment that the file ends in
    Unterminated,
    /// a byte that no token starts with
    Stray,
    /// the end
    End,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// the first byte
    pub(super) byte: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// Whether it is this bracket or this byte of an operator.
    pub(super) fn is(&self, byte: u8) -> bool {
        self.byte == byte && matches!(self.kind, Kind::Open | Kind::Close | Kind::Punct)
    }
}

/// A position in a text.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

const OTHER: u8 = 0;
const SPACE: u8 = 1;
const IDENT: u8 = 2;
const DIGIT: u8 = 3;
const OPEN: u8 = 4;
const CLOSE: u8 = 5;
const PUNCT: u8 = 6;
const WIDE: u8 = 7;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\n' | b'\r' | b'\t' | 0x0B | 0x0C => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => IDENT,
            b'0'..=b'9' => DIGIT,
            b'(' | b'[' | b'{' => OPEN,
            b')' | b']' | b'}' => CLOSE,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b';' | b'<' | b'='
            | b'>' | b'?' | b'@' | b'^' | b'|' | b'~' => PUNCT,
            0x80..=0xFF => WIDE,
            _ => OTHER,
        };
        byte += 1;
    }
    table
}

fn continues_ident(byte: u8) -> bool {
    matches!(CLASS[byte as usize], IDENT | DIGIT | WIDE)
}

impl<'a> Lexer<'a> {
    /// At the first token behind a BOM, a shebang line and a front matter.
    pub(super) fn new(text: &'a str) -> Self {
        let mut lexer = Self { text, bytes: text.as_bytes(), at: 0 };
        lexer.skip_preamble();
        lexer
    }

    /// At a byte of the text, which must not lie inside a token.
    pub(super) fn at(text: &'a str, at: usize) -> Self {
        Self { text, bytes: text.as_bytes(), at: at.min(text.len()) }
    }

    /// The same text from another byte on, which must not lie inside a token.
    pub(super) fn moved(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The byte that the next token is looked for at.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Bytes of white space between the line's start and a byte, if nothing else is there.
    pub(super) fn indentation(&self, at: usize) -> Option<usize> {
        let line = self.bytes.get(..at)?;
        let space = line.iter().rev().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let starts = matches!(line.len().checked_sub(space + 1).map(|before| line[before]), None | Some(b'\n'));
        starts.then_some(space)
    }

    /// The text of a token.
    pub(super) fn text(&self, token: Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        loop {
            while let Some(&byte) = self.bytes.get(self.at) {
                if CLASS[byte as usize] != SPACE {
                    break;
                }
                self.at += 1;
            }
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                return self.token(Kind::End, 0, start);
            };
            let kind = match CLASS[byte as usize] {
                IDENT => self.ident_or_prefixed(byte),
                PUNCT if byte == b'/' => match self.slash() {
                    Some(kind) => kind,
                    None => continue,
                },
                PUNCT => {
                    self.at += 1;
                    Kind::Punct
                }
                OPEN => {
                    self.at += 1;
                    Kind::Open
                }
                CLOSE => {
                    self.at += 1;
                    Kind::Close
                }
                DIGIT => self.number(),
                WIDE => {
                    if self.skip_wide_space() {
                        continue;
                    }
                    self.ident()
                }
                _ if byte == b'"' => self.string(),
                _ if byte == b'\'' => self.quote(),
                _ => {
                    self.at += 1;
                    Kind::Stray
                }
            };
            return self.token(kind, byte, start);
        }
    }

    /// The next token, without moving.
    pub(super) fn peek(&self) -> Token {
        let mut ahead = *self;
        ahead.next()
    }

    fn token(&self, kind: Kind, byte: u8, start: usize) -> Token {
        Token { kind, byte, start, end: self.at }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_preamble(&mut self) {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
        if self.bytes[self.at..].starts_with(b"#!") {
            // `#![attribute]` is no shebang, however much white space or comment stands between
            let ahead = Self { at: self.at + 2, ..*self };
            if !ahead.peek().is(b'[') {
                self.skip_line();
            }
        }
        self.skip_front_matter();
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
    }

    /// A manifest between two lines of dashes, as in a single-file package.
    fn skip_front_matter(&mut self) {
        let mut lexer = *self;
        while lexer.bytes.get(lexer.at).is_some_and(|&byte| CLASS[byte as usize] == SPACE) {
            lexer.at += 1;
        }
        let dashes = lexer.bytes[lexer.at..].iter().take_while(|&&byte| byte == b'-').count();
        if dashes < 3 {
            return;
        }
        let fence = &lexer.bytes[lexer.at..lexer.at + dashes];
        lexer.skip_line();
        while lexer.at < lexer.bytes.len() {
            let closes = lexer.bytes[lexer.at..].starts_with(fence);
            lexer.skip_line();
            if closes {
                *self = lexer;
                return;
            }
        }
    }

    fn skip_wide_space(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let length = if rest.starts_with(b"\xC2\x85") {
            2
        } else if rest.starts_with(b"\xE2\x80\x8E")
            || rest.starts_with(b"\xE2\x80\x8F")
            || rest.starts_with(b"\xE2\x80\xA8")
            || rest.starts_with(b"\xE2\x80\xA9")
        {
            3
        } else {
            return false;
        };
        self.at += length;
        true
    }

    fn ident(&mut self) -> Kind {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !continues_ident(byte) {
                break;
            }
            self.at += 1;
        }
        Kind::Ident
    }

    /// An identifier, or one of the literals that start with a letter.
    fn ident_or_prefixed(&mut self, first: u8) -> Kind {
        if !matches!(first, b'r' | b'b' | b'c') {
            return self.ident();
        }
        match (first, self.byte(1), self.byte(2)) {
            (b'r', b'"', _) | (b'r', b'#', b'"' | b'#') => self.raw_string(1).unwrap_or_else(|| self.ident()),
            (b'r', b'#', next) if matches!(CLASS[next as usize], IDENT | WIDE) => {
                self.at += 2;
                self.ident()
            }
            (b'b' | b'c', b'r', b'"' | b'#') => self.raw_string(2).unwrap_or_else(|| self.ident()),
            (b'b' | b'c', b'"', _) => {
                self.at += 1;
                self.string()
            }
            (b'b', b'\'', _) => {
                self.at += 1;
                self.quote()
            }
            _ => self.ident(),
        }
    }

    /// `r"…"`, `r##"…"##` behind `prefix` letters; `None`, not moved, if no quote follows the hashes.
    fn raw_string(&mut self, prefix: usize) -> Option<Kind> {
        let rest = &self.bytes[self.at + prefix..];
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        if rest.get(hashes) != Some(&b'"') {
            return None;
        }
        self.at += prefix + hashes + 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(quote) = memchr(b'"', rest) else {
                self.at = self.bytes.len();
                return Some(Kind::Unterminated);
            };
            self.at += quote + 1;
            let closing = rest[quote + 1..].iter().take(hashes).take_while(|&&byte| byte == b'#').count();
            self.at += closing;
            if closing == hashes {
                return Some(Kind::Literal);
            }
        }
    }

    fn string(&mut self) -> Kind {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Kind::Unterminated;
            };
            if rest[found] == b'"' {
                self.at += found + 1;
                return Kind::Literal;
            }
            self.at = (self.at + found + 2).min(self.bytes.len());
        }
    }

    /// A character literal, a lifetime, or a lone quote.
    fn quote(&mut self) -> Kind {
        let next = self.byte(1);
        if next == b'\\' {
            // `'\''` and `'\u{1F600}'`
            let from = (self.at + 3).min(self.bytes.len());
            let window = &self.bytes[from..(from + 16).min(self.bytes.len())];
            if let Some(quote) = memchr(b'\'', window) {
                self.at = from + quote + 1;
                return Kind::Literal;
            }
            self.at += 1;
            return Kind::Stray;
        }
        let width = match next {
            0..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        if self.byte(1 + width) == b'\'' && next != b'\'' {
            self.at += width + 2;
            return Kind::Literal;
        }
        if matches!(CLASS[next as usize], IDENT | WIDE) {
            let raw = next == b'r' && self.byte(2) == b'#' && matches!(CLASS[self.byte(3) as usize], IDENT | WIDE);
            self.at += if raw { 3 } else { 1 };
            self.ident();
            return Kind::Lifetime;
        }
        self.at += 1;
        Kind::Stray
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let radix = self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'o' | b'b');
        self.digits(start, radix);
        if !radix && self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits(start, radix);
        }
        Kind::Literal
    }

    /// Digits, suffix letters, and the sign of an exponent.
    fn digits(&mut self, start: usize, radix: bool) {
        loop {
            self.ident();
            let exponent = !radix
                && self.at > start
                && matches!(self.bytes[self.at - 1], b'e' | b'E')
                && matches!(self.byte(0), b'+' | b'-')
                && self.byte(1).is_ascii_digit()
                && self.bytes[start..self.at - 1]
                    .iter()
                    .all(|&byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
            if !exponent {
                return;
            }
            self.at += 1;
        }
    }

    /// A comment or the operator; `None` for a comment that documents nothing.
    fn slash(&mut self) -> Option<Kind> {
        match self.byte(1) {
            b'/' => {
                let kind = match (self.byte(2), self.byte(3)) {
                    (b'/', b'/') => None,
                    (b'/', _) => Some(Kind::OuterDoc),
                    (b'!', _) => Some(Kind::InnerDoc),
                    _ => None,
                };
                // the line break is white space, not comment: a doc comment's range ends before it
                let rest = &self.bytes[self.at..];
                self.at += memchr(b'\n', rest).unwrap_or(rest.len());
                if self.bytes[self.at - 1] == b'\r' {
                    self.at -= 1;
                }
                kind
            }
            b'*' => {
                let kind = match (self.byte(2), self.byte(3)) {
                    (b'*', b'*' | b'/') => None,
                    (b'*', _) => Some(Kind::OuterDoc),
                    (b'!', _) => Some(Kind::InnerDoc),
                    _ => None,
                };
                if self.block_comment() { kind } else { Some(Kind::Unterminated) }
            }
            _ => {
                self.at += 1;
                Some(Kind::Punct)
            }
        }
    }

    /// Skips a block comment with those nested in it; whether it ends.
    fn block_comment(&mut self) -> bool {
        self.at += 2;
        let mut open = 1usize;
        while let Some(found) = memchr2(b'*', b'/', &self.bytes[self.at..]) {
            self.at += found;
            match (self.byte(0), self.byte(1)) {
                (b'*', b'/') => {
                    self.at += 2;
                    open -= 1;
                    if open == 0 {
                        return true;
                    }
                }
                (b'/', b'*') => {
                    self.at += 2;
                    open += 1;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        false
    }
}
