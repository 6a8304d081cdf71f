//! Attributes: where they end, whether they make test code, which file they name.
//!
//! In: tokens behind a `#`. Out: an [`Attribute`]. Predicates are read as logic, not as text: `any(test, feature = "x")`
//! is compiled outside tests, too.

use super::lexer::{Kind, Lexer, Token};
use crate::source::TextRange;

/// Words in the last segment of a test attribute, split at `_`: `tokio::test`, `test_case`, `wasm_bindgen_test`.
const TEST_WORDS: &[&str] = &["test", "rstest", "gtest", "proptest", "quickcheck", "bench", "divan"];

/// Options that are set in test builds alone.
const TEST_OPTIONS: &[&str] = &["test", "doctest"];

/// What features are called by which other packages get what only tests need: `any(test, feature = "test-utils")`.
const TEST_FEATURES: &[&str] = &["test", "tests", "testing", "testutil", "testutils", "mock", "mocks"];

/// Words that make of such a feature one that only brings in what tests use: `test-utils`. A feature `test` alone may be a mode
/// of the product.
const SUPPORT_WORDS: &[&str] = &["fixtures", "harness", "helpers", "support", "testutil", "testutils", "util", "utils"];

/// One attribute, `#[…]` or `#![…]`.
pub(super) struct Attribute {
    /// one past its last byte
    pub(super) end: usize,
    /// it applies to what stands around it
    pub(super) inner: bool,
    /// what it is on is compiled for tests only
    pub(super) test: bool,
    /// greatest nesting of brackets
    pub(super) depth: u32,
}

/// Reads the attribute whose `#` is in front of the lexer, its tokens into `tokens`; `None` if brackets do not match.
pub(super) fn read(mut lexer: Lexer<'_>, tokens: &mut Vec<Token>, brackets: &mut Vec<u8>) -> Option<Attribute> {
    tokens.clear();
    brackets.clear();
    let mut token = lexer.next();
    let inner = token.is(b'!');
    if inner {
        token = lexer.next();
    }
    if !token.is(b'[') {
        return None;
    }
    brackets.push(b'[');
    let mut depth = 1;
    loop {
        let token = lexer.next();
        match token.kind {
            Kind::Open => {
                brackets.push(token.byte);
                depth = depth.max(brackets.len());
            }
            Kind::Close => {
                if brackets.pop() != Some(opening(token.byte)) {
                    return None;
                }
                if brackets.is_empty() {
                    return Some(Attribute {
                        end: token.end,
                        inner,
                        test: is_test(&lexer, tokens),
                        depth: depth as u32,
                    });
                }
            }
            Kind::End | Kind::Unterminated => return None,
            _ => {}
        }
        tokens.push(token);
    }
}

/// The bracket that a closing one belongs to.
pub(super) fn opening(close: u8) -> u8 {
    match close {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

/// Whether an attribute, given by the tokens between its brackets, makes test code of what it is on.
fn is_test(lexer: &Lexer<'_>, tokens: &[Token]) -> bool {
    let mut rest = tokens;
    // `unsafe(…)` around an attribute changes nothing here
    loop {
        let path = rest.iter().take_while(|token| token.kind == Kind::Ident || token.is(b':')).count();
        let Some(last) = rest[..path].last() else {
            return false;
        };
        let arguments = &rest[path..];
        return match lexer.text(*last) {
            "cfg" if path == 1 => predicate(lexer, arguments).0,
            "cfg_attr" if path == 1 => {
                // the attributes behind the predicate count as if they were always there
                let mut level = 0usize;
                let mut found = None;
                for (at, token) in arguments.iter().enumerate() {
                    match token.kind {
                        Kind::Open => level += 1,
                        Kind::Close => level = level.saturating_sub(1),
                        _ if level == 1 && token.is(b',') => {
                            found = Some(at + 1);
                            break;
                        }
                        _ => {}
                    }
                }
                match found {
                    Some(at) => {
                        rest = &arguments[at..];
                        continue;
                    }
                    None => false,
                }
            }
            name => name.split('_').any(|word| TEST_WORDS.contains(&word)),
        };
    }
}

/// Whether an option is a feature that is there for tests by its name.
fn is_for_tests(option: &str, value: &str) -> bool {
    option == "feature" && words(value).any(|word| TEST_FEATURES.contains(&word))
}

/// The words of a feature's name, which its quotes and hyphens part.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_ascii_alphanumeric())
}

/// What a predicate in parentheses says: (if it holds, this is a test build; if it does not, this is one).
fn predicate(lexer: &Lexer<'_>, tokens: &[Token]) -> (bool, bool) {
    struct Level<'a> {
        operator: &'a str,
        any: (bool, bool),
        all: (bool, bool),
        count: usize,
    }
    impl Level<'_> {
        fn take(&mut self, value: (bool, bool)) {
            self.any = (self.any.0 || value.0, self.any.1 || value.1);
            self.all = (self.all.0 && value.0, self.all.1 && value.1);
            self.count += 1;
        }
        fn value(&self) -> (bool, bool) {
            if self.count == 0 {
                return (false, false);
            }
            match self.operator {
                "all" | "cfg" => (self.any.0, self.all.1),
                "any" => (self.all.0, self.any.1),
                "not" => (self.any.1, self.any.0),
                _ => (false, false),
            }
        }
    }
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut operator = "cfg";
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind {
            Kind::Ident => {
                let text = lexer.text(*token);
                match tokens.get(at) {
                    Some(next) if next.is(b'(') => operator = text,
                    Some(next) if next.is(b'=') => {
                        let value = tokens.get(at + 1).map_or("", |value| lexer.text(*value));
                        at += 2;
                        let for_tests = is_for_tests(text, value);
                        let supports = for_tests && words(value).any(|word| SUPPORT_WORDS.contains(&word));
                        // What else is for tests by its name says nothing by itself, and beside `test` nothing else.
                        if let Some(level) = levels.last_mut().filter(|_| supports || !for_tests) {
                            level.take((supports, false));
                        }
                    }
                    _ => {
                        if let Some(level) = levels.last_mut() {
                            level.take((TEST_OPTIONS.contains(&text), false));
                        }
                    }
                }
            }
            Kind::Open => levels.push(Level {
                operator: std::mem::take(&mut operator),
                any: (false, false),
                all: (true, true),
                count: 0,
            }),
            Kind::Close => {
                let Some(level) = levels.pop() else {
                    return (false, false);
                };
                match levels.last_mut() {
                    Some(outer) => outer.take(level.value()),
                    None => return level.value(),
                }
            }
            _ => {}
        }
    }
    (false, false)
}

/// The files that `#[path = "…"]` attributes name, those behind `cfg_attr` included, in source order.
pub(super) fn paths(text: &str, range: TextRange) -> Vec<String> {
    let mut found = Vec::new();
    let mut lexer = Lexer::at(text, range.start as usize);
    let mut before = lexer.next();
    let mut token = lexer.next();
    while token.kind != Kind::End && token.start < range.end as usize {
        if token.is(b'=') && lexer.text(before) == "path" {
            let value = lexer.peek();
            if let Some(file) = unquoted(lexer.text(value)) {
                found.push(file);
            }
        }
        before = token;
        token = lexer.next();
    }
    found
}

/// The value of a string literal that needs no more than the common escapes.
fn unquoted(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return Some(raw.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    Some(text.replace("\\\\", "\\").replace("\\\"", "\""))
}
