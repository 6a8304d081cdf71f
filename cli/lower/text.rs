//! From the line and column of a token back to bytes of the file.
//!
//! In: a file's text and the place of a cut in it. Out: [`TextRange`]s. Tokens know the line and the character column
//! inside the text that was parsed; a cut keeps every character of the file in its place, so that adding the cut's
//! base is enough. Asking a token for its bytes instead would cost several times the parsing.

use std::cell::RefCell;
use std::collections::HashMap;

use proc_macro2::{LineColumn, Span};

use crate::source::{FileId, TextRange, Workspace, line_starts};

/// Characters between two remembered byte offsets of a line that is not ASCII.
const STRIDE: usize = 64;

/// Columns up to here are counted anew each time, which is quick and needs no memory.
const FAST: usize = 1_024;

/// A file's text with the starts of its lines.
pub(super) struct Source<'a> {
    /// the whole text
    pub(super) text: &'a str,
    /// the workspace that the file is in, where it is in one
    pub(super) around: Option<(&'a Workspace, FileId)>,
    lines: Vec<u32>,
    ascii: bool,
    /// for lines that are not ASCII: the byte offset of each [`STRIDE`]th character
    strides: RefCell<HashMap<u32, Vec<u32>>>,
}

impl<'a> Source<'a> {
    /// Reads the line starts once.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, around: None, lines: line_starts(text), ascii: text.is_ascii(), strides: RefCell::default() }
    }

    /// The text of a range; empty if the range does not fit the text.
    pub(super) fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// A cut that starts at this byte.
    pub(super) fn cut(&self, start: u32) -> Cut<'_, 'a> {
        let line = self.lines.partition_point(|&line| line <= start).max(1) - 1;
        Cut { source: self, start, line }
    }

    /// The byte `column` characters after `from`.
    fn advance(&self, from: u32, column: usize) -> u32 {
        if self.ascii {
            return from + column as u32;
        }
        let rest = self.text.get(from as usize..).unwrap_or_default();
        let near = rest.as_bytes().get(..column);
        if column < FAST && near.is_some_and(<[u8]>::is_ascii) {
            return from + column as u32;
        }
        let mut strides = self.strides.borrow_mut();
        let strides = strides.entry(from).or_insert_with(|| {
            let line = rest.split('\n').next().unwrap_or_default();
            let offsets = line.char_indices().map(|(at, _)| at as u32);
            offsets.step_by(STRIDE).collect()
        });
        let Some(&base) = strides.get(column / STRIDE) else {
            // the end of a line whose length is a multiple of the stride
            let end = rest.find('\n').unwrap_or(rest.len());
            return from + end as u32;
        };
        let tail = rest.get(base as usize..).unwrap_or_default();
        let within = tail.char_indices().nth(column % STRIDE);
        from + base + within.map_or(tail.len(), |(at, _)| at) as u32
    }
}

/// A text that was cut out of a file (some of its characters may be blanked, none moved).
#[derive(Clone, Copy)]
pub(super) struct Cut<'s, 'a> {
    /// the file
    pub(super) source: &'s Source<'a>,
    start: u32,
    line: usize,
}

impl Cut<'_, '_> {
    fn byte(&self, place: LineColumn) -> u32 {
        let from = match place.line {
            0 | 1 => self.start,
            line => {
                let lines = &self.source.lines;
                let last = lines.last().copied().unwrap_or(0);
                lines.get(self.line + line - 1).copied().unwrap_or(last)
            }
        };
        let end = self.source.text.len() as u32;
        self.source.advance(from, place.column).min(end)
    }

    /// First byte of a token.
    pub(super) fn start(&self, span: Span) -> u32 {
        self.byte(span.start())
    }

    /// One past the last byte of a token.
    pub(super) fn end(&self, span: Span) -> u32 {
        self.byte(span.end())
    }

    /// A token's bytes.
    pub(super) fn range(&self, span: Span) -> TextRange {
        TextRange { start: self.start(span), end: self.end(span) }
    }

    /// From the start of one token to the end of another.
    pub(super) fn between(&self, first: Span, last: Span) -> TextRange {
        TextRange { start: self.start(first), end: self.end(last) }
    }
}

/// The text with the given ranges (relative to it) blanked: line breaks stay, every other character becomes a space,
/// so that all columns stay what they are.
pub(super) fn blank(text: &str, ranges: impl IntoIterator<Item = std::ops::Range<usize>>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        if range.start < done {
            continue;
        }
        let (Some(kept), Some(gone)) = (text.get(done..range.start), text.get(range.clone())) else {
            continue;
        };
        out.push_str(kept);
        out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}
