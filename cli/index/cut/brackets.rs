//! Brackets: what is inside them, and what ends with them.

use super::super::ItemKind;
use super::super::attribute;
use super::super::keyword::Word;
use super::super::lexer::{Kind, Token};
use super::{Cutter, Frame, Inside, PendingCall, Start, range};

impl Cutter<'_, '_> {
    pub(super) fn push_frame(&mut self, inside: Inside, bracket: u8, ends_item: bool) {
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

    pub(super) fn pop_frame(&mut self) -> Option<Frame> {
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

    pub(super) fn open_bracket(&mut self, token: Token) {
        self.lengthen();
        self.flush_prefix();
        let outer = self.inside();
        let kind = self.open.last().map(|open| self.items[open.item as usize].kind);
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
        }
        let calls =
            outer != Inside::Header && after_bang && outer != Inside::Soup && !self.is_keyword(self.before_that);
        if calls {
            inside = Inside::Soup;
        }
        if token.byte == b'{' && !body && !self.before_starts_argument() {
            // `if a < b {`: what was open was a comparison
            self.reset_angles();
        }
        // How deep the call stands is told by what is still open around it.
        if calls && self.call.is_none() {
            self.call = Some(PendingCall {
                frame: self.frames.len(),
                start: self.path_start,
                body: token.end,
                depth: self.depth,
            });
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

    pub(super) fn before_starts_argument(&self) -> bool {
        self.before.is(b'<') || self.before.is(b',') || self.before.is(b'=')
    }

    pub(super) fn is_keyword(&mut self, token: Token) -> bool {
        let (word, raw) = self.word(token);
        !raw && word.is_keyword() && !matches!(word, Word::CRATE | Word::SELF | Word::SUPER)
    }

    pub(super) fn close_bracket(&mut self, token: Token) {
        self.flush_prefix();
        let bracket = attribute::opening(token.byte);
        if self.recovers && bracket == b'{' && self.close_before_brace(token) {
            self.start = Start::Strict;
            return;
        }
        let available = match bracket {
            b'(' => self.parentheses,
            b'[' => self.squares,
            _ => self.braces,
        };
        if available == 0 {
            self.unbalanced = true;
            self.problem(token, "this bracket closes nothing");
            self.start = if bracket == b'{' { Start::Strict } else { Start::No };
            return;
        }
        let mut told = false;
        while let Some(frame) = self.pop_frame() {
            match frame.inside {
                Inside::Tail => self.end_item(self.before.end),
                Inside::Header => self.end_unfinished(token),
                _ if frame.bracket == bracket => {
                    self.leave(frame, token);
                    break;
                }
                _ => {
                    if !told {
                        told = true;
                        self.unbalanced = true;
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
    pub(super) fn leave(&mut self, frame: Frame, token: Token) {
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

    pub(super) fn end_body(&mut self, end: usize) {
        if let Some(open) = self.open.last() {
            let item = open.item as usize;
            if let Some(body) = &mut self.items[item].body {
                body.end = end as u32;
            }
        }
    }

    pub(super) fn forget_call(&mut self) {
        if self.call.is_some_and(|call| call.frame >= self.frames.len()) {
            self.call = None;
        }
    }
}
