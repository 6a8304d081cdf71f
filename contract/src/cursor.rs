//! A reader over the tokens of an attribute's arguments: literals, words, paths, whole expressions.
//!
//! It knows tokens, not fields. Expressions are delimited, never parsed: what they mean is the compiler's business.

use crate::grammar::Error;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// The tokens not yet read.
pub(crate) struct Cursor {
    tokens: Vec<TokenTree>,
    at: usize,
    end: Span,
}

impl Cursor {
    /// A reader of these tokens; an error at their end is placed at `end`.
    pub(crate) fn new(tokens: TokenStream, end: Span) -> Self {
        Self { tokens: tokens.into_iter().collect(), at: 0, end }
    }

    /// A reader of what a group holds.
    pub(crate) fn inside(group: &Group) -> Self {
        Self::new(group.stream(), group.span_close())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The tokens from a position up to the present one.
    pub(crate) fn since(&self, position: usize) -> &[TokenTree] {
        &self.tokens[position.min(self.at)..self.at]
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> Vec<TokenTree> {
        let rest = self.tokens.split_off(self.at.min(self.tokens.len()));
        self.at = self.tokens.len();
        rest
    }

    pub(crate) fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at)
    }

    fn peek_second(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at + 1)
    }

    pub(crate) fn bump(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// The place of the next token, or of the end.
    pub(crate) fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    /// Opens the invisible groups at the present position, in which `macro_rules!` hands over its fragments.
    pub(crate) fn open_invisible(&mut self) {
        while let Some(TokenTree::Group(group)) = self.peek() {
            if group.delimiter() != Delimiter::None {
                break;
            }
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            self.tokens.splice(self.at..=self.at, inside);
        }
    }

    pub(crate) fn is_punct(&self, character: char) -> bool {
        matches!(self.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
    }

    pub(crate) fn take_punct(&mut self, character: char) -> Option<Punct> {
        match self.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == character => {
                let punct = punct.clone();
                self.at += 1;
                Some(punct)
            }
            _ => None,
        }
    }

    pub(crate) fn take_ident(&mut self) -> Option<Ident> {
        self.open_invisible();
        match self.peek() {
            Some(TokenTree::Ident(ident)) => {
                let ident = ident.clone();
                self.at += 1;
                Some(ident)
            }
            _ => None,
        }
    }

    pub(crate) fn take_literal(&mut self) -> Option<Literal> {
        self.open_invisible();
        match self.peek() {
            Some(TokenTree::Literal(literal)) => {
                let literal = literal.clone();
                self.at += 1;
                Some(literal)
            }
            _ => None,
        }
    }

    pub(crate) fn take_group(&mut self, delimiter: Delimiter) -> Option<Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let group = group.clone();
                self.at += 1;
                Some(group)
            }
            _ => None,
        }
    }

    /// Whether `::` comes next.
    pub(crate) fn is_path_separator(&self) -> bool {
        matches!(
            (self.peek(), self.peek_second()),
            (Some(TokenTree::Punct(first)), Some(TokenTree::Punct(second)))
                if first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':'
        )
    }

    fn take_path_separator(&mut self) -> bool {
        let found = self.is_path_separator();
        self.at += 2 * usize::from(found);
        found
    }

    /// Whether the next tokens begin a field: a word and then `=`, `(`, `,` or the end.
    pub(crate) fn at_field(&self) -> bool {
        matches!(self.peek(), Some(TokenTree::Ident(_)))
            && match self.peek_second() {
                None => true,
                Some(TokenTree::Punct(punct)) => {
                    punct.as_char() == ',' || punct.as_char() == '=' && punct.spacing() == Spacing::Alone
                }
                Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                Some(_) => false,
            }
    }

    /// Goes on to the comma before the next field, or to the end.
    pub(crate) fn skip_field(&mut self) {
        while !self.is_empty() {
            let comma = self.is_punct(',');
            self.at += 1;
            if comma && (self.is_empty() || self.at_field()) {
                self.at -= 1;
                return;
            }
        }
    }

    /// Reads a path: segments with optional generic arguments, or `<T as Trait>::name`.
    pub(crate) fn path(&mut self) -> Result<Vec<TokenTree>, Error> {
        self.open_invisible();
        let start = self.at;
        let mut separated = if self.is_punct('<') {
            self.angle_brackets()?;
            if !self.take_path_separator() {
                return Err(Error::at(self.span(), "expected `::` and a name after `<..>`"));
            }
            true
        } else {
            self.take_path_separator()
        };
        loop {
            if self.take_ident().is_none() {
                let message = if separated {
                    "the path ends too early: expected a name after `::`"
                } else {
                    "expected a path, as in `Stripe::find_charge`"
                };
                return Err(Error::at(self.span(), message));
            }
            if self.is_punct('<') {
                return Err(Error::at(self.span(), "generic arguments of a path need `::` before `<`"));
            }
            separated = self.take_path_separator();
            if separated && self.is_punct('<') {
                self.angle_brackets()?;
                separated = self.take_path_separator();
            }
            if !separated {
                return Ok(self.since(start).to_vec());
            }
        }
    }

    /// Goes past `<` and its partner.
    fn angle_brackets(&mut self) -> Result<(), Error> {
        let open = self.span();
        let mut depth = 0_usize;
        let mut arrow = false;
        while let Some(token) = self.bump() {
            let TokenTree::Punct(punct) = &token else {
                arrow = false;
                continue;
            };
            match punct.as_char() {
                '<' => depth += 1,
                '>' if !arrow => depth -= 1,
                _ => {}
            }
            arrow = punct.as_char() == '-' && punct.spacing() == Spacing::Joint;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(Error::at(open, "this `<` is not closed"))
    }

    /// Reads an expression up to the comma that ends it. Commas in brackets and in generic arguments do not.
    pub(crate) fn expression(&mut self) -> Result<Vec<TokenTree>, Error> {
        let start = self.at;
        let mut before = Before::Start;
        while let Some(token) = self.peek().cloned() {
            match &token {
                TokenTree::Punct(punct) => match punct.as_char() {
                    ',' => break,
                    '<' if before != Before::Value => {
                        self.angle_brackets()?;
                        before = Before::Value;
                        continue;
                    }
                    '<' => {
                        // The second half of `<<` opens nothing.
                        self.at += usize::from(punct.spacing() == Spacing::Joint);
                        before = Before::Start;
                    }
                    '|' if before == Before::Start => {
                        self.closure_head(punct.spacing());
                        continue;
                    }
                    other => before = before.after_punct(other),
                },
                TokenTree::Ident(ident) => before = before.after_word(&ident.to_string()),
                TokenTree::Group(_) | TokenTree::Literal(_) => before = Before::Value,
            }
            self.at += 1;
        }
        self.at = self.at.min(self.tokens.len());
        if self.at == start {
            return Err(Error::at(self.span(), "expected a value"));
        }
        Ok(self.since(start).to_vec())
    }

    /// Goes past the parameters of a closure, which may hold commas, and past its return type.
    fn closure_head(&mut self, spacing: Spacing) {
        self.at += 1;
        let empty = spacing == Spacing::Joint && self.take_punct('|').is_some();
        while !empty && !self.is_empty() && self.take_punct('|').is_none() {
            self.at += 1;
        }
        if self.is_punct('-') {
            while !self.is_empty()
                && !matches!(self.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
            {
                self.at += 1;
            }
        }
    }
}

/// What stands before the present token of an expression, as far as it decides what `<` and `|` mean.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// nothing, or an operator: a value begins
    Start,
    /// a value
    Value,
    /// `as`, and nothing of the type's name yet
    As,
    /// `as` and a type's name, behind which `<` opens generic arguments
    TypeName,
}

impl Before {
    fn after_punct(self, punct: char) -> Self {
        match (self, punct) {
            (Self::As, _) | (Self::TypeName, ':') => Self::As,
            (_, '?') => Self::Value,
            _ => Self::Start,
        }
    }

    fn after_word(self, word: &str) -> Self {
        match (self, word) {
            (_, "as") => Self::As,
            (_, "move" | "async" | "return") => Self::Start,
            (Self::As | Self::TypeName, _) => Self::TypeName,
            _ => Self::Value,
        }
    }
}
