//! Files whose brackets do not match: indentation says where an item ends, so that one missing brace costs one item.
//!
//! In: where an item or a closing brace stands. Out: what is closed before it is looked at. Only the second pass over
//! a file asks, after the first has found it unbalanced.

use super::super::ItemKind;
use super::super::lexer::Token;
use super::{Cutter, Inside, range};
use crate::ir::Problem;

/// Open items that a closing brace is compared with.
const NEAR: usize = 64;

impl Cutter<'_, '_> {
    /// Closes the items that are still open although the next one, at `start`, is indented no deeper.
    pub(super) fn close_before_item(&mut self, start: usize) {
        let Some(indentation) = self.lexer.indentation(start) else {
            return;
        };
        while self.innermost().is_some_and(|own| indentation <= own) {
            self.force_close();
        }
    }

    /// Closes the items that are deeper than a closing brace; whether the brace itself is one too many.
    pub(super) fn close_before_brace(&mut self, token: Token) -> bool {
        let Some(indentation) = self.lexer.indentation(token.start) else {
            return false;
        };
        let belongs = self.open.iter().rev().take(NEAR).any(|open| open.indentation == Some(indentation));
        while belongs && self.innermost().is_some_and(|own| indentation < own) {
            self.force_close();
        }
        let closes_item = self.frames.last().is_some_and(|frame| frame.ends_item && frame.bracket == b'{');
        let extra = closes_item && self.innermost().is_some_and(|own| indentation > own);
        if extra {
            self.problem(token, "this bracket closes nothing that starts as far to the right");
        }
        extra
    }

    /// Indentation of the innermost open item; nothing for macros, whose arguments are laid out at will.
    fn innermost(&self) -> Option<usize> {
        let open = self.open.last()?;
        match self.items[open.item as usize].kind {
            ItemKind::MacroCall | ItemKind::MacroRules => None,
            _ => open.indentation,
        }
    }

    fn force_close(&mut self) {
        if let Some(open) = self.open.last() {
            let item = &self.items[open.item as usize];
            let head = item.body.map_or(self.before.end, |body| body.start as usize);
            self.tell(Problem {
                range: range(item.range.start as usize, head),
                message: "this item is not closed where the next one of its level starts or ends".to_owned(),
            });
        }
        let end = self.before.end;
        while let Some(frame) = self.pop_frame() {
            if frame.ends_item || matches!(frame.inside, Inside::Header | Inside::Tail) {
                self.end_body(end);
                self.end_item(end);
                break;
            }
        }
        self.forget_call();
    }
}
