//! The pass over one file: brackets and items.
//!
//! In: a text. Out: a [`FileIndex`]. What is open is kept on a stack of its own, one [`Frame`] a bracket or unfinished
//! item, so that nesting costs memory and no recursion. It must not know what an item means.

mod brackets;
mod items;
mod measure;
mod prefix;
mod recover;

use super::keyword::Word;
use super::lexer::{Kind, Lexer, Token};
use super::{FileIndex, IndexItem};
use crate::ir::{Name, Problem};
use crate::source::TextRange;

/// Problems of one file that are listed; the rest adds nothing.
const MAX_PROBLEMS: usize = 32;

/// Attributes whose brackets do not match that are looked at before attributes are no longer read, so that a hostile
/// file cannot make the pass quadratic.
const MAX_BROKEN_ATTRIBUTES: usize = 16;

/// Largest item that is kept. A parser takes a hundred times as much memory, and nobody writes that much code in one.
const MAX_ITEM: usize = 4 << 20;

/// Oversized items of one file.
const MAX_OVERSIZED: usize = 1 << 10;

/// What outlives one file: tables and buffers of a worker.
pub(super) struct Scratch {
    tokens: Vec<Token>,
    brackets: Vec<u8>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self { tokens: Vec::new(), brackets: Vec::new() }
    }
}

/// What the tokens of a frame are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// nothing but items: a file, a module, an `impl`, a trait
    Items,
    /// the variants of an enum, the fields of a struct
    Fields,
    /// statements and expressions
    Code,
    /// the argument of a macro: anything
    Soup,
    /// between an item's name and its body
    Header,
    /// between an item's name and its semicolon
    Tail,
}

/// An open bracket, or an item whose body or semicolon is still to come.
#[derive(Clone, Copy)]
struct Frame {
    inside: Inside,
    /// the bracket; 0 for the head or tail of an item
    bracket: u8,
    /// its end is the end of the innermost open item
    ends_item: bool,
    // counters of the level around, given back at the end
    angles: u32,
    run: u32,
    parentheses: u32,
    squares: u32,
}

/// An item whose end is still to come.
struct OpenItem {
    item: u32,
    test: bool,
    /// nesting around it, and the greatest inside so far
    base: u32,
    deepest: u32,
    longest: u32,
    /// how far to the right it starts, in the pass that asks for it
    indentation: Option<usize>,
    /// the macro call around it that is not an item yet
    outer_call: Option<PendingCall>,
}

/// A macro call in code: an item only if it turns out to hold some.
#[derive(Clone, Copy)]
struct PendingCall {
    frame: usize,
    start: usize,
    body: usize,
    /// nesting around it
    depth: u32,
}

/// Where an item may start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    No,
    /// in the middle of a macro's argument: only what cannot be anything else
    Loose,
    /// behind `{`, `}` or `;`
    Strict,
}

/// Attributes and visibility in front of what may become an item.
#[derive(Default)]
struct Prefix {
    active: bool,
    start: usize,
    attributes_end: usize,
    test: bool,
    depth: u32,
}

struct Cutter<'a, 's> {
    lexer: Lexer<'a>,
    scratch: &'s mut Scratch,
    items: Vec<IndexItem>,
    problems: Vec<Problem>,
    frames: Vec<Frame>,
    open: Vec<OpenItem>,
    /// the file's own: `#![cfg(test)]`
    test: bool,
    call: Option<PendingCall>,
    prefix: Prefix,
    start: Start,
    before: Token,
    before_that: Token,
    /// first byte of the path that the last token belongs to
    path_start: usize,
    // open brackets and angle brackets, all in all and on the present level
    depth: u32,
    angles: u32,
    run: u32,
    parentheses: u32,
    squares: u32,
    braces: u32,
    broken_attributes: usize,
    /// brackets do not match
    unbalanced: bool,
    /// indentation counts
    recovers: bool,
    /// items that are too large to be kept
    oversized: Vec<u32>,
}

/// Reads one file.
pub(super) fn cut(text: &str, scratch: &mut Scratch) -> FileIndex {
    let (index, unbalanced) = pass(text, scratch, false);
    if unbalanced { pass(text, scratch, true).0 } else { index }
}

/// One pass, and whether brackets did not match.
fn pass(text: &str, scratch: &mut Scratch, recovers: bool) -> (FileIndex, bool) {
    let nothing = Token { kind: Kind::Stray, byte: 0, start: 0, end: 0 };
    let mut cutter = Cutter {
        lexer: Lexer::new(text),
        scratch,
        items: Vec::new(),
        problems: Vec::new(),
        frames: vec![Frame {
            inside: Inside::Items,
            bracket: 0,
            ends_item: false,
            angles: 0,
            run: 0,
            parentheses: 0,
            squares: 0,
        }],
        open: Vec::new(),
        test: false,
        call: None,
        prefix: Prefix::default(),
        start: Start::Strict,
        before: nothing,
        before_that: nothing,
        path_start: 0,
        depth: 0,
        angles: 0,
        run: 0,
        parentheses: 0,
        squares: 0,
        braces: 0,
        broken_attributes: 0,
        unbalanced: false,
        recovers,
        oversized: Vec::new(),
    };
    cutter.run(text.len());
    let mut items = cutter.items;
    remove(&mut items, &cutter.oversized);
    items.shrink_to_fit();
    (FileIndex { items, problems: cutter.problems }, cutter.unbalanced)
}

/// Takes items out; what they hold belongs to what is around them.
fn remove(items: &mut Vec<IndexItem>, oversized: &[u32]) {
    if oversized.is_empty() {
        return;
    }
    let mut number = 0;
    // by old number: the new number, or that of the nearest item around that is kept
    let mut places: Vec<Option<u32>> = Vec::with_capacity(items.len());
    let mut old = 0;
    items.retain_mut(|item| {
        item.parent = item.parent.and_then(|parent| places[parent as usize]);
        let kept = !oversized.contains(&old);
        old += 1;
        if kept {
            places.push(Some(number));
            number += 1;
        } else {
            places.push(item.parent);
        }
        kept
    });
}

impl Cutter<'_, '_> {
    fn run(&mut self, length: usize) {
        loop {
            let token = self.lexer.next();
            if self.before.kind == Kind::Close && self.before.byte == b'}' {
                self.after_brace(token);
            }
            match token.kind {
                Kind::Ident => self.ident(token),
                Kind::Punct => self.punct(token),
                Kind::Open => self.open_bracket(token),
                Kind::Close => self.close_bracket(token),
                Kind::Literal | Kind::Lifetime => self.plain(),
                Kind::OuterDoc => {
                    if self.start != Start::No {
                        self.begin_prefix(token.start);
                        self.prefix.attributes_end = token.end;
                    }
                    continue;
                }
                Kind::InnerDoc => continue,
                Kind::Unterminated => {
                    self.problem(token, "this is never closed: a literal or comment runs to the end of the file");
                    self.plain();
                }
                Kind::Stray => {
                    if token.byte == 0 {
                        self.problem(token, "a NUL byte stands in the code");
                    } else {
                        self.problem(token, "no token of Rust starts with this byte");
                    }
                    self.plain();
                }
                Kind::End => break,
            }
            self.before_that = self.before;
            self.before = token;
        }
        self.finish(length);
    }

    fn inside(&self) -> Inside {
        self.frames.last().map_or(Inside::Items, |frame| frame.inside)
    }

    /// A token that starts nothing.
    fn plain(&mut self) {
        self.flush_prefix();
        self.start = Start::No;
    }

    fn word(&self, token: Token) -> (Word, bool) {
        let text = self.lexer.text(token);
        match text.strip_prefix("r#") {
            Some(raw) => (Word::of(raw), true),
            None => (Word::of(text), false),
        }
    }

    fn name(&self, token: Token) -> Name {
        let text = self.lexer.text(token);
        Name::new(text.strip_prefix("r#").unwrap_or(text))
    }

    fn problem(&mut self, token: Token, message: &str) {
        self.tell(Problem { range: range(token.start, token.end), message: message.to_owned() });
    }

    fn tell(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn finish(&mut self, length: usize) {
        self.flush_prefix();
        let end = self.before.end.min(length);
        let mut told = false;
        while let Some(frame) = self.pop_frame() {
            let item = matches!(frame.inside, Inside::Header | Inside::Tail) || frame.ends_item;
            if (frame.bracket != 0 || item) && !told {
                told = true;
                self.unbalanced = true;
                self.problem(self.before, "the file ends inside an item or a bracket");
            }
            if item {
                self.end_body(end);
                self.end_item(end);
            }
        }
    }
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange { start: start as u32, end: end as u32 }
}
