//! The pass over one file: brackets, items, words.
//!
//! In: a text. Out: a [`FileIndex`]. What is open is kept on a stack of its own, one [`Frame`] a bracket or unfinished
//! item, so that nesting costs memory and no recursion. It must not know what an item means.

use super::attribute;
use super::interner::{Interner, Word};
use super::lexer::{Kind, Lexer, Token};
use super::recognise::{self, Opening};
use super::{FileIndex, IndexItem, ItemKind, Words};
use crate::ir::{Name, Problem};
use crate::source::TextRange;

/// Problems of one file that are listed; the rest adds nothing.
const MAX_PROBLEMS: usize = 32;

/// Attributes whose brackets do not match that are looked at before attributes are no longer read, so that a hostile
/// file cannot make the pass quadratic.
const MAX_BROKEN_ATTRIBUTES: usize = 16;

/// What outlives one file: tables and buffers of a worker.
pub(super) struct Scratch {
    interner: Interner,
    /// by word: the serial number of the item that listed it last
    listed: Vec<u32>,
    serial: u32,
    pool: Vec<Vec<Name>>,
    tokens: Vec<Token>,
    brackets: Vec<u8>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            interner: Interner::new(),
            listed: Vec::new(),
            serial: 0,
            pool: Vec::new(),
            tokens: Vec::new(),
            brackets: Vec::new(),
        }
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
    serial: u32,
    test: bool,
    words: Vec<Name>,
    /// nesting around it, and the greatest inside so far
    base: u32,
    deepest: u32,
    longest: u32,
    /// the macro call around it that is not an item yet
    outer_call: Option<PendingCall>,
}

/// A macro call in code: an item only if it turns out to hold some.
#[derive(Clone, Copy)]
struct PendingCall {
    frame: usize,
    start: usize,
    body: usize,
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
    words: Vec<Word>,
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
}

/// Reads one file.
pub(super) fn cut(text: &str, scratch: &mut Scratch) -> FileIndex {
    let nothing = Token {
        kind: Kind::Stray,
        byte: 0,
        start: 0,
        end: 0,
    };
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
    };
    cutter.run(text.len());
    let mut items = cutter.items;
    items.shrink_to_fit();
    FileIndex {
        items,
        problems: cutter.problems,
    }
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
                    self.problem(
                        token,
                        "this is never closed: a literal or comment runs to the end of the file",
                    );
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
        self.frames
            .last()
            .map_or(Inside::Items, |frame| frame.inside)
    }

    /// A token that starts nothing.
    fn plain(&mut self) {
        self.flush_prefix();
        self.start = Start::No;
    }

    // ---- words ----

    fn mention(&mut self, word: Word) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let at = word.0 as usize;
        if at >= self.scratch.listed.len() {
            self.scratch
                .listed
                .resize(self.scratch.interner.len().max(at + 1), 0);
        }
        if self.scratch.listed[at] != open.serial {
            self.scratch.listed[at] = open.serial;
            open.words.push(self.scratch.interner.name(word));
        }
    }

    fn word(&mut self, token: Token) -> (Word, bool) {
        let text = self.lexer.text(token);
        match text.strip_prefix("r#") {
            Some(raw) => (self.scratch.interner.word(raw), true),
            None => (self.scratch.interner.word(text), false),
        }
    }

    fn ident(&mut self, token: Token) {
        let (word, raw) = self.word(token);
        if !(self.before.is(b':') && self.before_that.is(b':')) {
            self.path_start = token.start;
        }
        if !raw && word.is_special() && self.keyword(token, word) {
            return;
        }
        if self.start == Start::Strict && self.inside() == Inside::Items {
            if let Some(opening) = recognise::macro_call(self.lexer) {
                let mut path = self.lexer.moved(token.start);
                self.begin(token.start, opening);
                while path.position() < self.lexer.position() {
                    let token = path.next();
                    if token.kind == Kind::Ident {
                        let (word, raw) = self.word(token);
                        if raw || !word.is_keyword() {
                            self.mention(word);
                        }
                    }
                }
                return;
            }
        }
        self.plain();
        if raw || !word.is_keyword() {
            self.mention(word);
        } else {
            self.lengthen();
        }
    }

    /// Whether the word was taken as part of an item.
    fn keyword(&mut self, token: Token, word: Word) -> bool {
        if word == Word::PUB && self.start != Start::No {
            self.begin_prefix(token.start);
            self.skip_restriction();
            return true;
        }
        if self.start == Start::No && word != Word::FN {
            return false;
        }
        let Some(opening) = recognise::item(word, self.lexer, &mut self.scratch.interner) else {
            return false;
        };
        if self.start != Start::Strict && opening.kind != ItemKind::Fn {
            return false;
        }
        self.begin(token.start, opening);
        true
    }

    /// `(crate)`, `(in a::b)` behind `pub`.
    fn skip_restriction(&mut self) {
        let mut ahead = self.lexer;
        if !ahead.next().is(b'(') {
            return;
        }
        let first = ahead.next();
        if !matches!(self.lexer.text(first), "crate" | "self" | "super" | "in") {
            return;
        }
        for _ in 0..64 {
            let token = ahead.next();
            if token.is(b')') {
                self.lexer = ahead;
                return;
            }
            if token.kind != Kind::Ident && !token.is(b':') {
                return;
            }
        }
    }

    // ---- attributes and visibility ----

    fn begin_prefix(&mut self, start: usize) {
        if !self.prefix.active {
            self.prefix.active = true;
            self.prefix.start = start;
            self.prefix.attributes_end = start;
            self.prefix.test = false;
            self.prefix.depth = 0;
        }
    }

    /// What was in front of no item belongs to what is around.
    fn flush_prefix(&mut self) {
        if !self.prefix.active {
            return;
        }
        self.prefix.active = false;
        let depth = self.depth + self.prefix.depth;
        self.deepen(depth);
        let words = std::mem::take(&mut self.prefix.words);
        for &word in &words {
            self.mention(word);
        }
        self.prefix.words = words;
        self.prefix.words.clear();
    }

    /// Whether the `#` was the start of an attribute, which is then read.
    fn attribute(&mut self, token: Token) -> bool {
        if self.start == Start::No || self.broken_attributes >= MAX_BROKEN_ATTRIBUTES {
            return false;
        }
        let next = self.lexer.peek();
        if !next.is(b'[') && !next.is(b'!') {
            return false;
        }
        let mut tokens = std::mem::take(&mut self.scratch.tokens);
        let mut brackets = std::mem::take(&mut self.scratch.brackets);
        let read = attribute::read(self.lexer, &mut tokens, &mut brackets);
        match &read {
            Some(attribute) => {
                self.lexer = self.lexer.moved(attribute.end);
                if !attribute.inner {
                    self.begin_prefix(token.start);
                    self.prefix.attributes_end = attribute.end;
                    self.prefix.test |= attribute.test;
                    self.prefix.depth = self.prefix.depth.max(attribute.depth);
                } else if attribute.test && self.inside() == Inside::Items {
                    match self.open.last_mut() {
                        Some(open) => {
                            open.test = true;
                            self.items[open.item as usize].test = true;
                        }
                        None => self.test = true,
                    }
                }
                for &token in tokens.iter().filter(|token| token.kind == Kind::Ident) {
                    let (word, raw) = self.word(token);
                    if raw || !word.is_keyword() {
                        if attribute.inner {
                            self.mention(word);
                        } else {
                            self.prefix.words.push(word);
                        }
                    }
                }
            }
            None if next.is(b'[') => self.broken_attributes += 1,
            None => {}
        }
        self.scratch.tokens = tokens;
        self.scratch.brackets = brackets;
        read.is_some()
    }

    // ---- items ----

    fn begin(&mut self, start: usize, opening: Opening<'_>) {
        // `fn a(…) fn b() {}`: the first never got its body
        while matches!(self.inside(), Inside::Header | Inside::Tail) {
            self.problem(
                self.before,
                "the item in front of this has no body and no semicolon",
            );
            self.pop_frame();
            self.end_item(self.before.end);
        }
        self.materialise_call();
        let (start, attributes, test) = if self.prefix.active {
            (
                self.prefix.start,
                range(self.prefix.start, self.prefix.attributes_end),
                self.prefix.test,
            )
        } else {
            (start, range(start, start), false)
        };
        let name = opening.name.map(|token| self.word(token).0);
        self.open_item(opening.kind, name, start, attributes, test);
        if self.prefix.active {
            self.prefix.active = false;
            let depth = self.depth + self.prefix.depth;
            self.deepen(depth);
            let words = std::mem::take(&mut self.prefix.words);
            for &word in &words {
                self.mention(word);
            }
            self.prefix.words = words;
            self.prefix.words.clear();
        }
        if let Some(word) = name {
            self.mention(word);
        }
        let inside = match opening.kind {
            ItemKind::Use
            | ItemKind::ExternCrate
            | ItemKind::Const
            | ItemKind::Static
            | ItemKind::TypeAlias
            | ItemKind::ModDecl => Inside::Tail,
            _ => Inside::Header,
        };
        self.push_frame(inside, 0, false);
        self.lexer = self.lexer.moved(opening.rest.position());
        self.start = Start::No;
    }

    fn open_item(
        &mut self,
        kind: ItemKind,
        name: Option<Word>,
        start: usize,
        attributes: TextRange,
        test: bool,
    ) {
        let around = self.open.last();
        let test = test || around.map_or(self.test, |open| open.test);
        let parent = around.map(|open| open.item);
        self.items.push(IndexItem {
            kind,
            name: name.map(|word| self.scratch.interner.name(word)),
            parent,
            range: range(start, start),
            attributes,
            body: None,
            test,
            depth: 0,
            run: 0,
            words: Words::default(),
        });
        self.scratch.serial += 1;
        self.open.push(OpenItem {
            item: self.items.len() as u32 - 1,
            serial: self.scratch.serial,
            test,
            words: self.scratch.pool.pop().unwrap_or_default(),
            base: self.depth,
            deepest: self.depth,
            longest: 0,
            outer_call: self.call.take(),
        });
    }

    fn end_item(&mut self, end: usize) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        self.call = open.outer_call;
        let item = &mut self.items[open.item as usize];
        item.range.end = end as u32;
        item.depth = open.deepest - open.base;
        item.run = open.longest;
        open.words.sort_unstable_by_key(|name| name.number());
        open.words.dedup();
        item.words = Words(open.words.as_slice().into());
        open.words.clear();
        self.scratch.pool.push(open.words);
        if let Some(outer) = self.open.last_mut() {
            outer.deepest = outer.deepest.max(open.deepest);
            outer.longest = outer.longest.max(open.longest);
        }
    }

    /// Makes an item of the macro call around, now that it holds one.
    fn materialise_call(&mut self) {
        let Some(call) = self.call.take() else {
            return;
        };
        self.open_item(
            ItemKind::MacroCall,
            None,
            call.start,
            range(call.start, call.start),
            false,
        );
        if let Some(open) = self.open.last() {
            let item = open.item as usize;
            self.items[item].body = Some(range(call.body, call.body));
        }
        if let Some(frame) = self.frames.get_mut(call.frame) {
            frame.ends_item = true;
        }
    }

    // ---- brackets ----

    fn push_frame(&mut self, inside: Inside, bracket: u8, ends_item: bool) {
        self.frames.push(Frame {
            inside,
            bracket,
            ends_item,
            angles: std::mem::take(&mut self.angles),
            run: std::mem::take(&mut self.run),
            parentheses: self.parentheses,
            squares: self.squares,
        });
    }

    fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.depth -= self.angles;
        self.angles = frame.angles;
        self.run = frame.run;
        self.parentheses = frame.parentheses;
        self.squares = frame.squares;
        match frame.bracket {
            b'{' => {
                self.braces -= 1;
                self.depth -= 1;
            }
            0 => {}
            _ => self.depth -= 1,
        }
        Some(frame)
    }

    fn open_bracket(&mut self, token: Token) {
        self.lengthen();
        self.flush_prefix();
        let outer = self.inside();
        let kind = self
            .open
            .last()
            .map(|open| self.items[open.item as usize].kind);
        let after_bang = self.before.is(b'!') && self.before_that.kind == Kind::Ident;
        let mut inside = match outer {
            Inside::Soup => Inside::Soup,
            _ => Inside::Code,
        };
        let mut body = false;
        if outer == Inside::Header {
            match kind {
                Some(ItemKind::MacroCall | ItemKind::MacroRules) => {
                    body = true;
                    inside = Inside::Soup;
                }
                // a block as the argument of a const parameter, a macro as a type
                _ if token.byte == b'{' && after_bang => inside = Inside::Soup,
                _ if token.byte == b'{' && self.angles > 0 && self.before_starts_argument() => {}
                Some(kind) if token.byte == b'{' => {
                    body = true;
                    inside = match kind {
                        ItemKind::Fn => Inside::Code,
                        ItemKind::Struct | ItemKind::Enum | ItemKind::Union => Inside::Fields,
                        _ => Inside::Items,
                    };
                }
                _ => {}
            }
        } else if after_bang && outer != Inside::Soup && !self.is_keyword(self.before_that) {
            inside = Inside::Soup;
            if self.call.is_none() {
                self.call = Some(PendingCall {
                    frame: self.frames.len(),
                    start: self.path_start,
                    body: token.end,
                });
            }
        }
        if body {
            // the head becomes the body: one frame, so that what closes it ends the item
            self.pop_frame();
            if let Some(open) = self.open.last() {
                let item = open.item as usize;
                self.items[item].body = Some(range(token.end, token.end));
            }
        }
        self.push_frame(inside, token.byte, body);
        self.depth += 1;
        self.deepen(self.depth);
        match token.byte {
            b'(' => self.parentheses += 1,
            b'[' => self.squares += 1,
            _ => {
                self.braces += 1;
                self.parentheses = 0;
                self.squares = 0;
            }
        }
        self.start = if token.byte == b'{' || body {
            Start::Strict
        } else if inside == Inside::Soup {
            Start::Loose
        } else {
            Start::No
        };
    }

    fn before_starts_argument(&self) -> bool {
        self.before.is(b'<') || self.before.is(b',') || self.before.is(b'=')
    }

    fn is_keyword(&mut self, token: Token) -> bool {
        let (word, raw) = self.word(token);
        !raw && word.is_keyword() && !matches!(word, Word::CRATE | Word::SELF | Word::SUPER)
    }

    fn close_bracket(&mut self, token: Token) {
        self.flush_prefix();
        let bracket = attribute::opening(token.byte);
        let available = match bracket {
            b'(' => self.parentheses,
            b'[' => self.squares,
            _ => self.braces,
        };
        if available == 0 {
            self.problem(token, "this bracket closes nothing");
            self.start = if bracket == b'{' {
                Start::Strict
            } else {
                Start::No
            };
            return;
        }
        let mut told = false;
        while let Some(frame) = self.pop_frame() {
            match frame.inside {
                Inside::Tail => self.end_item(self.before.end),
                Inside::Header => {
                    self.problem(
                        token,
                        "the item in front of this has no body and no semicolon",
                    );
                    self.end_item(self.before.end);
                }
                _ if frame.bracket == bracket => {
                    self.leave(frame, token);
                    break;
                }
                _ => {
                    if !told {
                        told = true;
                        self.problem(token, "this bracket closes one of another kind");
                    }
                    if frame.ends_item {
                        self.end_body(token.start);
                        self.end_item(token.start);
                    }
                }
            }
        }
        self.forget_call();
    }

    /// Behind a bracket that was closed as it should be.
    fn leave(&mut self, frame: Frame, token: Token) {
        self.start = match (token.byte, self.inside()) {
            (b'}', _) => Start::Strict,
            (_, Inside::Soup) => Start::Loose,
            _ => Start::No,
        };
        if !frame.ends_item {
            return;
        }
        let mut end = token.end;
        if token.byte != b'}' && self.inside() == Inside::Items {
            // `name!(…);`
            let next = self.lexer.peek();
            if next.is(b';') {
                self.lexer.next();
                end = next.end;
            }
            self.start = Start::Strict;
        }
        self.end_body(token.start);
        self.end_item(end);
    }

    fn end_body(&mut self, end: usize) {
        if let Some(open) = self.open.last() {
            let item = open.item as usize;
            if let Some(body) = &mut self.items[item].body {
                body.end = end as u32;
            }
        }
    }

    fn forget_call(&mut self) {
        if self
            .call
            .is_some_and(|call| call.frame >= self.frames.len())
        {
            self.call = None;
        }
    }

    // ---- operators ----

    fn punct(&mut self, token: Token) {
        let joint = self.before.kind == Kind::Punct && self.before.end == token.start;
        match token.byte {
            b'#' => {
                if self.attribute(token) {
                    return;
                }
                self.lengthen();
            }
            b';' => {
                self.flush_prefix();
                self.run = 0;
                self.reset_angles();
                if matches!(self.inside(), Inside::Header | Inside::Tail) {
                    self.pop_frame();
                    self.end_item(token.end);
                }
                self.start = Start::Strict;
                return;
            }
            b',' => self.run = 0,
            b'<' => {
                self.lengthen();
                // what follows a comparison with a number or a shift by one nests nothing
                if self.lexer.peek().kind != Kind::Literal {
                    self.angles += 1;
                    self.depth += 1;
                    self.deepen(self.depth);
                }
            }
            b'>' => {
                if joint && self.before.byte == b'=' {
                    self.run = 0;
                    self.reset_angles();
                } else if !(joint && self.before.byte == b'-') {
                    self.lengthen();
                    if self.angles > 0 {
                        self.angles -= 1;
                        self.depth -= 1;
                    }
                }
            }
            b'!' | b'&' | b'*' | b'-' => self.lengthen(),
            b'=' => {
                if !joint {
                    self.lengthen();
                }
                // a trait alias ends in a semicolon
                if self.angles == 0
                    && self.inside() == Inside::Header
                    && self
                        .open
                        .last()
                        .is_some_and(|open| self.items[open.item as usize].kind == ItemKind::Trait)
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.inside = Inside::Tail;
                }
            }
            _ => {
                if !joint {
                    self.lengthen();
                }
            }
        }
        if self.prefix.active || self.start != Start::No {
            self.plain();
        }
        if self.inside() == Inside::Soup {
            self.start = Start::Loose;
        }
    }

    fn after_brace(&mut self, token: Token) {
        let continues = match token.kind {
            Kind::Punct => !token.is(b'#'),
            Kind::Ident => matches!(self.lexer.text(token), "else" | "as"),
            _ => false,
        };
        if !continues {
            self.run = 0;
            if token.kind != Kind::Close {
                self.reset_angles_after_statement();
            }
        }
    }

    fn reset_angles_after_statement(&mut self) {
        // a block inside the angle brackets of a head is an argument, not a statement
        if !matches!(self.inside(), Inside::Header | Inside::Tail) {
            self.reset_angles();
        }
    }

    fn reset_angles(&mut self) {
        self.depth -= self.angles;
        self.angles = 0;
    }

    fn lengthen(&mut self) {
        self.run += 1;
        if let Some(open) = self.open.last_mut() {
            open.longest = open.longest.max(self.run);
        }
    }

    fn deepen(&mut self, depth: u32) {
        if let Some(open) = self.open.last_mut() {
            open.deepest = open.deepest.max(depth);
        }
    }

    // ---- the end ----

    fn problem(&mut self, token: Token, message: &str) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                range: range(token.start, token.end),
                message: message.to_owned(),
            });
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
    TextRange {
        start: start as u32,
        end: end as u32,
    }
}
