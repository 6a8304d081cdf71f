//! What stands in front of an item: attributes, doc comments, visibility.

use super::super::attribute;
use super::super::lexer::{Kind, Token};
use super::{Cutter, Inside, MAX_BROKEN_ATTRIBUTES, Start};

impl Cutter<'_, '_> {
    pub(super) fn begin_prefix(&mut self, start: usize) {
        if !self.prefix.active {
            self.prefix.active = true;
            self.prefix.start = start;
            self.prefix.attributes_end = start;
            self.prefix.test = false;
            self.prefix.depth = 0;
        }
    }

    /// What was in front of no item belongs to what is around.
    pub(super) fn flush_prefix(&mut self) {
        if !self.prefix.active {
            return;
        }
        self.prefix.active = false;
        let depth = self.depth + self.prefix.depth;
        self.deepen(depth);
    }

    /// Whether the `#` was the start of an attribute, which is then read.
    pub(super) fn attribute(&mut self, token: Token) -> bool {
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
            }
            None if next.is(b'[') => self.broken_attributes += 1,
            None => {}
        }
        self.scratch.tokens = tokens;
        self.scratch.brackets = brackets;
        read.is_some()
    }

    /// `(crate)`, `(in a::b)` behind `pub`.
    pub(super) fn skip_restriction(&mut self) {
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
}
