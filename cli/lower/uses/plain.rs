//! Use trees of nothing but names, as nearly all are: read from the text itself, which is many times as fast as making
//! tokens of it first.
//!
//! In: the text of a `use` item. Out: its leaves, or nothing where there is more in it (a comment, an attribute, a raw
//! name, a fault): the parser of tokens takes those, and says what is wrong with them.

use super::Leaves;
use crate::ir::{Name, Use};
use crate::source::TextRange;

/// Braces in braces that are followed here.
const DEPTH: usize = 16;

/// Reads a `use` item that starts at this byte of its file; its leaves are added, all or none.
pub(in crate::lower) fn read(text: &str, start: u32, out: &mut Vec<Use>) -> Option<()> {
    let mut reader = Reader { text, start, at: 0, depth: 0 };
    let mut word = reader.word()?;
    let public = word == "pub";
    if public {
        if reader.takes("(") {
            matches!(reader.word()?, "crate" | "super" | "self").then_some(())?;
            reader.takes(")").then_some(())?;
        }
        word = reader.word()?;
    }
    (word == "use").then_some(())?;
    let mut leaves = Leaves { public, absolute: false, out: Vec::new() };
    reader.tree(&mut leaves, &mut Vec::new())?;
    (reader.takes(";") && reader.rest().is_empty()).then_some(())?;
    out.append(&mut leaves.out);
    Some(())
}

/// A position in the text.
struct Reader<'t> {
    text: &'t str,
    start: u32,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// What is left behind white space.
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_ascii_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = self.rest().starts_with(sign);
        if takes {
            self.at += sign.len();
        }
        takes
    }

    /// A name or keyword.
    fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.bytes().take_while(is_part).count();
        let word = &rest[..length];
        // Other alphabets, and what makes a literal or a raw name of a word in front of it.
        let ends =
            rest.as_bytes().get(length).is_none_or(|next| next.is_ascii() && !matches!(next, b'"' | b'\'' | b'#'));
        let is_word = ends && word.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        is_word.then(|| self.at += length)?;
        Some(word)
    }

    fn tree(&mut self, leaves: &mut Leaves, path: &mut Vec<Name>) -> Option<()> {
        let around = leaves.absolute;
        leaves.absolute |= path.is_empty() && self.takes("::");
        let read = self.branch(leaves, path);
        leaves.absolute = around;
        read
    }

    fn branch(&mut self, leaves: &mut Leaves, path: &mut Vec<Name>) -> Option<()> {
        let outer = path.len();
        loop {
            if self.takes("*") {
                leaves.add(path.clone(), None, self.behind(1));
                break;
            }
            if self.takes("{") {
                self.group(leaves, path)?;
                break;
            }
            let last = self.word()?;
            let range = self.behind(last.len());
            if self.takes("::") {
                path.push(Name::new(last));
                continue;
            }
            let behind = self.at;
            let (alias, end) = match self.word() {
                Some("as") => {
                    let alias = self.word()?;
                    (Some(alias), self.behind(alias.len()).end)
                }
                _ => {
                    self.at = behind;
                    (None, range.end)
                }
            };
            leaves.leaf(path, Name::new(last), alias.map(Name::new), TextRange { end, ..range });
            break;
        }
        path.truncate(outer);
        Some(())
    }

    fn group(&mut self, leaves: &mut Leaves, path: &mut Vec<Name>) -> Option<()> {
        (self.depth < DEPTH).then(|| self.depth += 1)?;
        while !self.takes("}") {
            self.tree(leaves, path)?;
            if !self.takes(",") {
                self.takes("}").then_some(())?;
                break;
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// The last so many bytes that were read.
    fn behind(&self, length: usize) -> TextRange {
        let end = self.start + self.at as u32;
        TextRange { start: end - length as u32, end }
    }
}
