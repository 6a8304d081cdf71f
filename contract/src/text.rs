//! Tokens as text: the same text for the same tokens, whatever the source's spacing and whoever lexed them.
//!
//! The compiler and proc-macro2's own lexer print token streams differently, and both only approximately as written.
//! A contract's paths and expressions are compared between places, so they need one form.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// A path or an expression in one line: `find::<A, B>`, `<T as Charge>::find`, `key_of(&invoice.id, 1 + n)`.
pub fn tokens_text(tokens: impl IntoIterator<Item = TokenTree>) -> String {
    let mut writer = Writer { out: String::new(), last: Last::Start, angles: 0, cast: false, depth: 0 };
    writer.tokens(tokens);
    writer.out
}

// What is nested deeper is written as `..`: no real contract is, and the stack is kept.
const DEEPEST: usize = 64;

/// What stands at the end of the text so far.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// nothing, or an opening bracket
    Start,
    /// a word or literal
    Word,
    /// a closing bracket
    Close,
    /// something that the next token is glued to: `.`, `::`, a prefix operator
    Glue,
    /// something that a space follows: an operator, a comma
    Space,
}

struct Writer {
    out: String,
    last: Last,
    angles: usize,
    cast: bool,
    depth: usize,
}

impl Writer {
    fn tokens(&mut self, tokens: impl IntoIterator<Item = TokenTree>) {
        let mut operator = String::new();
        for token in tokens {
            if let TokenTree::Punct(punct) = &token {
                if !self.joins(&operator, punct.as_char()) {
                    self.operator(&std::mem::take(&mut operator));
                }
                operator.push(punct.as_char());
                if punct.spacing() == Spacing::Alone {
                    self.operator(&std::mem::take(&mut operator));
                }
                continue;
            }
            self.operator(&std::mem::take(&mut operator));
            match token {
                TokenTree::Group(group) => self.group(&group),
                TokenTree::Ident(ident) => self.word(&ident.to_string()),
                TokenTree::Literal(literal) => self.word(&literal.to_string()),
                TokenTree::Punct(_) => {}
            }
        }
        self.operator(&operator);
    }

    /// Whether a character belongs to the operator before it.
    fn joins(&self, operator: &str, next: char) -> bool {
        let value = matches!(self.last, Last::Word | Last::Close);
        match (operator, next) {
            (":", ':') | (".", '.') | ("..", '=' | '.') | ("&", '&') | ("|", '|') => true,
            ("-" | "=", '>') => true,
            ("<", '<') => value && self.angles == 0,
            (">", '>' | '=') => self.angles == 0,
            ("=" | "!" | "<" | "+" | "-" | "*" | "/" | "%" | "^" | "|" | "&" | "<<" | ">>", '=') => true,
            _ => false,
        }
    }

    fn push(&mut self, text: &str, spaced: bool, last: Last) {
        if spaced && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.last = last;
    }

    fn word(&mut self, text: &str) {
        let spaced = matches!(self.last, Last::Word | Last::Close | Last::Space);
        self.cast |= text == "as";
        let last = if text == "as" { Last::Space } else { Last::Word };
        self.push(text, spaced, last);
    }

    fn group(&mut self, group: &Group) {
        if self.depth == DEEPEST {
            self.word("..");
            return;
        }
        self.depth += 1;
        let angles = std::mem::take(&mut self.angles);
        let stream = group.stream();
        match group.delimiter() {
            Delimiter::Parenthesis => self.bracketed("(", stream, ")"),
            Delimiter::Bracket => self.bracketed("[", stream, "]"),
            Delimiter::Brace => {
                let spaced = self.last != Last::Glue;
                self.push("{", spaced, Last::Space);
                self.tokens(stream);
                self.push("}", true, Last::Close);
            }
            Delimiter::None => self.tokens(stream),
        }
        self.angles = angles;
        self.depth -= 1;
    }

    fn bracketed(&mut self, open: &str, inside: TokenStream, close: &str) {
        self.push(open, self.last == Last::Space, Last::Start);
        self.tokens(inside);
        self.push(close, false, Last::Close);
    }

    fn operator(&mut self, text: &str) {
        let after_value = matches!(self.last, Last::Word | Last::Close);
        // A cast's type goes on over its path and its generic arguments.
        self.cast &= self.angles > 0 || matches!(text, "" | "::" | "<");
        match text {
            "" => {}
            "." | ".." | "..=" => self.push(text, self.last == Last::Space, Last::Glue),
            "::" => self.push(text, self.last == Last::Space, Last::Glue),
            "'" => self.push(text, after_value || self.last == Last::Space, Last::Glue),
            "," | ";" => self.push(text, false, Last::Space),
            ":" => self.push(text, false, Last::Space),
            "?" => self.push(text, false, Last::Close),
            "!" if after_value => self.push(text, false, Last::Glue),
            // Angle brackets, as against "less than": after `::` or where a value would begin.
            "<" if !after_value => {
                self.angles += 1;
                self.push(text, self.last == Last::Space, Last::Start);
            }
            "<" if self.angles > 0 || self.cast => {
                self.angles += 1;
                self.push(text, false, Last::Start);
            }
            ">" if self.angles > 0 => {
                self.angles -= 1;
                self.push(text, false, Last::Close);
            }
            "&" | "*" | "-" | "!" | "&&" if !after_value => {
                self.push(text, self.last == Last::Space, Last::Glue);
            }
            _ => self.push(text, true, Last::Space),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tokens_text;
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

    fn text(source: &str) -> String {
        tokens_text(source.parse::<TokenStream>().unwrap())
    }

    #[test]
    fn paths_have_one_form() {
        for path in [
            "Stripe::create_charge",
            "find::<A, B>",
            "find::<Vec<Vec<u8>>, C>",
            "<T as Charge<A>>::find",
            "::shop::billing::find",
            "Self::find::<&'a str>",
            "_::refund",
        ] {
            assert_eq!(text(path), path);
        }
        assert_eq!(text("find :: < A ,B >"), "find::<A, B>");
        assert_eq!(text("< T as U > :: f"), "<T as U>::f");
    }

    #[test]
    fn expressions_have_one_form() {
        for expression in [
            "key_of(&invoice.id, 1 + n)",
            "format!(\"{}/{}\", a, b)",
            "invoice.id.to_string()?",
            "-a * !b",
            "a << 2 >= b",
            "a < b && c > d",
            "Key { a: 1, b }",
            "ids[0].0",
        ] {
            assert_eq!(text(expression), expression);
        }
        assert_eq!(text("key_of ( & invoice . id )"), "key_of(&invoice.id)");
    }

    #[test]
    fn invisible_groups_are_invisible() {
        let inner: TokenStream = "Stripe".parse().unwrap();
        let mut tokens: TokenStream = TokenTree::Group(Group::new(Delimiter::None, inner)).into();
        tokens.extend("::find".parse::<TokenStream>().unwrap());
        assert_eq!(tokens_text(tokens), "Stripe::find");
    }

    #[test]
    fn deep_nesting_is_survived() {
        let deep = format!("{}{}", "(".repeat(10_000), ")".repeat(10_000));
        assert_eq!(text(&deep).matches('(').count(), super::DEEPEST);
    }
}
