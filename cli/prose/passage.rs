//! The shape of a document: passages of running text with the place that each has in the whole.
//!
//! A passage's text is not a slice of the source (markup, line breaks and comment marks are gone), so it carries a map
//! back to the source's bytes.

use crate::source::TextRange;

/// Marks the start of a code span in a passage's text.
pub(super) const CODE_START: char = '\u{E000}';
/// Marks the end of a code span in a passage's text.
pub(super) const CODE_END: char = '\u{E001}';

/// A document, cut into passages.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// in source order
    pub(super) passages: Vec<Passage>,
    /// tables, whose cells are passages
    pub(super) tables: Vec<Table>,
}

/// A table: passage numbers by row and column; `None` is an empty cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// the first is the header
    pub(super) rows: Vec<Vec<Option<usize>>>,
}

/// What a passage is in its document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// a paragraph
    Paragraph,
    /// a heading of that level; 0 is the title in front matter
    Heading(u8),
    /// a list item or a part of one
    Item,
    /// a table cell
    Cell {
        /// number in [`Document::tables`]
        table: usize,
        /// 0 is the header
        row: usize,
        /// from 0
        column: usize,
    },
    /// a description in front matter or a manifest
    Summary,
    /// one keyword of a manifest
    Keyword,
}

/// Whether a passage stands in a block quote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Quote {
    /// it does not
    #[default]
    None,
    /// a note or warning that is only typeset as a quote
    Note,
    /// a quote without an introduction, near the top: a tagline
    Tagline,
    /// somebody's words
    Plain,
}

/// A run of text that has one meaning: a paragraph, a heading, a list item, a cell.
#[derive(Debug)]
pub(super) struct Passage {
    /// the text without markup, code spans between [`CODE_START`] and [`CODE_END`]
    pub(super) text: String,
    map: Vec<Segment>,
    /// what it is
    pub(super) shape: Shape,
    /// headings above it, outermost first, as passage numbers
    pub(super) section: Vec<usize>,
    /// the text that introduces the list it stands in
    pub(super) lead: Option<usize>,
    /// the list it stands in
    pub(super) list: Option<usize>,
    /// passages of one list item have one group; any other passage has its own
    pub(super) group: usize,
    /// block quotes
    pub(super) quote: Quote,
    /// the box of a task list item, ticked or not
    pub(super) task: Option<bool>,
    /// all of its words are one or more links
    pub(super) linked: bool,
    /// what its links lead to
    pub(super) links: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    text: u32,
    source: u32,
    /// one byte of text is one byte of source, up to the next segment
    exact: bool,
}

/// A text under construction, with its map.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    map: Vec<Segment>,
    linked: usize,
    plain: usize,
    links: Vec<String>,
}

impl Draft {
    /// Appends text that stands in the source as it is, from `source` on.
    pub(super) fn push_exact(&mut self, text: &str, source: usize, linked: bool) {
        if text.contains([CODE_START, CODE_END]) {
            // the marks of code spans are ours; in a text they are an odd kind of blank
            return self.push_made(&text.replace([CODE_START, CODE_END], " "), source);
        }
        self.segment(source, true);
        self.text.push_str(text);
        self.weigh(text, linked);
    }

    /// Appends text that was made from what stands at `source`.
    pub(super) fn push_made(&mut self, text: &str, source: usize) {
        self.segment(source, false);
        self.text.push_str(text);
        self.weigh(text, false);
    }

    /// Appends a code span.
    pub(super) fn push_code(&mut self, code: &str, source: usize) {
        self.segment(source, false);
        self.text.push(CODE_START);
        self.text.push_str(&code.replace([CODE_START, CODE_END], " "));
        self.text.push(CODE_END);
        self.plain += 1;
    }

    /// Notes what a link in it leads to.
    pub(super) fn link(&mut self, target: &str) {
        self.links.push(target.to_owned());
    }

    /// Whether a sign stands in it.
    pub(super) fn has(&self, sign: char) -> bool {
        self.text.contains(sign)
    }

    /// Whether anything but blanks is in it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn weigh(&mut self, text: &str, linked: bool) {
        let words = text.chars().filter(|c| c.is_alphanumeric()).count();
        match linked {
            true => self.linked += words,
            false => self.plain += words,
        }
    }

    fn segment(&mut self, source: usize, exact: bool) {
        self.map.push(Segment { text: self.text.len() as u32, source: source as u32, exact });
    }

    /// The passage, not yet placed in a document.
    pub(super) fn finish(self, shape: Shape) -> Passage {
        Passage {
            linked: self.linked > 0 && self.plain == 0,
            links: self.links,
            text: self.text,
            map: self.map,
            shape,
            section: Vec::new(),
            lead: None,
            list: None,
            group: 0,
            quote: Quote::None,
            task: None,
        }
    }
}

impl Passage {
    /// The source bytes of a part of the text.
    pub(super) fn source(&self, start: usize, end: usize) -> TextRange {
        let first = self.byte(start);
        let last = self.byte(end.saturating_sub(1).max(start));
        TextRange { start: first, end: last + 1 }
    }

    /// Moves the map through another one: from the bytes of a cut-out text to those of the file.
    pub(super) fn remap(&mut self, outer: impl Fn(u32) -> u32) {
        let ends: Vec<u32> = (self.map.iter().skip(1).map(|next| next.text)).chain([self.text.len() as u32]).collect();
        let mut map = Vec::with_capacity(self.map.len());
        for (segment, end) in self.map.iter().zip(ends) {
            // a segment may run over a place where the outer map jumps: one segment for each piece
            let mut text = segment.text;
            let mut mapped = outer(segment.source);
            map.push(Segment { source: mapped, ..*segment });
            while segment.exact && text + 1 < end {
                text += 1;
                let next = outer(segment.source + (text - segment.text));
                if next != mapped + 1 {
                    map.push(Segment { text, source: next, exact: true });
                }
                mapped = next;
            }
        }
        self.map = map;
    }

    fn byte(&self, at: usize) -> u32 {
        let after = self.map.partition_point(|segment| segment.text <= at as u32);
        match self.map[..after].last() {
            Some(segment) if segment.exact => segment.source + (at as u32 - segment.text),
            Some(segment) => segment.source,
            None => 0,
        }
    }
}
