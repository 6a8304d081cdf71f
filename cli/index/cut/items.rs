//! Where items begin and end.

use super::super::keyword::Word;
use super::super::lexer::Token;
use super::super::recognise::{self, Opening};
use super::super::{IndexItem, ItemKind};
use super::{Cutter, Inside, MAX_ITEM, MAX_OVERSIZED, OpenItem, Start, range};
use crate::ir::{Name, Problem};
use crate::source::TextRange;

impl Cutter<'_, '_> {
    pub(super) fn ident(&mut self, token: Token) {
        let (word, raw) = self.word(token);
        if !(self.before.is(b':') && self.before_that.is(b':')) {
            self.path_start = token.start;
        }
        if !raw && word.is_special() && self.keyword(token, word) {
            return;
        }
        if self.start == Start::Strict && self.inside() == Inside::Items {
            if let Some(opening) = recognise::macro_call(self.lexer) {
                self.begin(token.start, opening);
                return;
            }
        }
        self.plain();
        if !raw && word.is_keyword() {
            self.lengthen();
        }
    }

    /// Whether the word was taken as part of an item.
    pub(super) fn keyword(&mut self, token: Token, word: Word) -> bool {
        if word == Word::PUB && self.start != Start::No {
            self.begin_prefix(token.start);
            self.skip_restriction();
            return true;
        }
        if self.start == Start::No && word != Word::FN {
            return false;
        }
        let Some(opening) = recognise::item(word, self.lexer) else {
            return false;
        };
        if self.start != Start::Strict && opening.kind != ItemKind::Fn {
            return false;
        }
        self.begin(token.start, opening);
        true
    }

    pub(super) fn begin(&mut self, start: usize, opening: Opening<'_>) {
        // `fn a(…) fn b() {}`: the first never got its body
        while matches!(self.inside(), Inside::Header | Inside::Tail) {
            self.pop_frame();
            self.end_unfinished(self.before);
        }
        if self.recovers {
            self.close_before_item(if self.prefix.active { self.prefix.start } else { start });
        }
        self.materialise_call();
        let (start, attributes, test) = if self.prefix.active {
            (self.prefix.start, range(self.prefix.start, self.prefix.attributes_end), self.prefix.test)
        } else {
            (start, range(start, start), false)
        };
        let name = opening.name.map(|token| self.name(token));
        self.open_item(opening.kind, name, start, attributes, test);
        if self.prefix.active {
            self.prefix.active = false;
            let depth = self.depth + self.prefix.depth;
            self.deepen(depth);
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

    pub(super) fn open_item(
        &mut self,
        kind: ItemKind,
        name: Option<Name>,
        start: usize,
        attributes: TextRange,
        test: bool,
    ) {
        let around = self.open.last();
        let test = test || around.map_or(self.test, |open| open.test);
        let parent = around.map(|open| open.item);
        self.items.push(IndexItem {
            kind,
            name,
            parent,
            range: range(start, start),
            attributes,
            body: None,
            test,
            depth: 0,
            run: 0,
        });
        self.open.push(OpenItem {
            item: self.items.len() as u32 - 1,
            test,
            base: self.depth,
            deepest: self.depth,
            longest: 0,
            indentation: if self.recovers { self.lexer.indentation(start) } else { None },
            outer_call: self.call.take(),
        });
    }

    pub(super) fn end_item(&mut self, end: usize) {
        let Some(open) = self.open.pop() else {
            return;
        };
        self.call = open.outer_call;
        let item = &mut self.items[open.item as usize];
        item.range.end = end as u32;
        item.depth = open.deepest - open.base;
        item.run = open.longest;
        // those that are read by their heads may be of any size
        let parsed = !matches!(item.kind, ItemKind::Mod | ItemKind::Impl | ItemKind::Trait | ItemKind::ExternBlock);
        let start = item.range.start;
        if parsed && end - start as usize > MAX_ITEM && self.oversized.len() < MAX_OVERSIZED {
            self.oversized.push(open.item);
            self.tell(Problem {
                range: range(start as usize, start as usize),
                message: format!("this item is larger than {} MiB and is not read", MAX_ITEM >> 20),
            });
        }
        if let Some(outer) = self.open.last_mut() {
            outer.deepest = outer.deepest.max(open.deepest);
            outer.longest = outer.longest.max(open.longest);
        }
    }

    /// Ends an item whose body never came. In the argument of a macro that is what the macro is for.
    pub(super) fn end_unfinished(&mut self, place: Token) {
        if self.inside() != Inside::Soup {
            self.problem(place, "the item in front of this has no body and no semicolon");
        }
        self.end_item(self.before.end);
    }

    /// Makes an item of the macro call around, now that it holds one.
    pub(super) fn materialise_call(&mut self) {
        let Some(call) = self.call.take() else {
            return;
        };
        self.open_item(ItemKind::MacroCall, None, call.start, range(call.start, call.start), false);
        if let Some(open) = self.open.last_mut() {
            open.base = call.depth;
            let item = open.item as usize;
            self.items[item].body = Some(range(call.body, call.body));
        }
        if let Some(frame) = self.frames.get_mut(call.frame) {
            frame.ends_item = true;
        }
    }
}
