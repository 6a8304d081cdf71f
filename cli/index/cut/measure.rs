//! Operators, and how deep and how long they make an expression.

use super::super::ItemKind;
use super::super::lexer::{Kind, Token};
use super::{Cutter, Inside, Start};

impl Cutter<'_, '_> {
    pub(super) fn punct(&mut self, token: Token) {
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
                if self.may_nest() {
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
                    && self.open.last().is_some_and(|open| self.items[open.item as usize].kind == ItemKind::Trait)
                {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.inside = Inside::Tail;
                    }
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

    /// Whether generic arguments may follow a `<`: not behind a comparison with a number, or a shift by one.
    fn may_nest(&self) -> bool {
        let mut ahead = self.lexer;
        let mut next = ahead.next();
        if next.is(b'<') {
            next = ahead.next();
        }
        next.kind != Kind::Literal
    }

    pub(super) fn after_brace(&mut self, token: Token) {
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

    pub(super) fn reset_angles_after_statement(&mut self) {
        // a block inside the angle brackets of a head is an argument, not a statement
        if !matches!(self.inside(), Inside::Header | Inside::Tail) {
            self.reset_angles();
        }
    }

    pub(super) fn reset_angles(&mut self) {
        self.depth -= self.angles;
        self.angles = 0;
    }

    pub(super) fn lengthen(&mut self) {
        self.run += 1;
        if let Some(open) = self.open.last_mut() {
            open.longest = open.longest.max(self.run);
        }
    }

    pub(super) fn deepen(&mut self, depth: u32) {
        if let Some(open) = self.open.last_mut() {
            open.deepest = open.deepest.max(depth);
        }
    }
}
