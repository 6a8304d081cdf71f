//! Markdown, cut into passages.
//!
//! In: the text of a document. Out: its [`Document`]. Code, comments, images, struck-out text and generated blocks are
//! left out; what is left keeps its place (heading, list, table, quote) and its way back to the source.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{BlockQuoteKind, Event, Options, Parser, Tag, TagEnd};

use super::html::{Piece, Scanner};
use super::passage::{Document, Draft, Passage, Quote, Shape, Table};

/// Opens a block that is made by `cargo effects docs`.
const GENERATED_START: &str = "effects:table";
/// Closes it.
const GENERATED_END: &str = "effects:end";
/// Quotes and lists that one line may open.
const DEEPEST: usize = 32;
/// Front matter keys whose value is prose.
const SUMMARY_KEYS: &[&str] = &[
    "description",
    "title",
    "summary",
    "tagline",
    "subtitle",
    "excerpt",
    "abstract",
    "hero",
    "text",
    "details",
    "lead",
];

/// Cuts a document into passages.
pub(super) fn read(text: &str) -> Document {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST;
    let last_end = text.rfind(GENERATED_END).unwrap_or(0);
    let mut cutter = Cutter { source: text, last_end, ..Cutter::default() };
    let bounded = bounded(text);
    for (event, range) in Parser::new_ext(&bounded, options).into_offset_iter() {
        cutter.event(event, range);
    }
    cutter.flush();
    cutter.document
}

/// The text with no line that opens more than [`DEEPEST`] quotes and lists: the parser's time grows with the square of
/// their number. Bytes keep their places.
fn bounded(text: &str) -> Cow<'_, str> {
    let mut excess = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bytes = line.as_bytes();
        let mut depth = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let list = matches!(byte, b'-' | b'*' | b'+') && bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace);
            match byte {
                b' ' | b'\t' => continue,
                b'>' => depth += 1,
                _ if list => depth += 1,
                _ => break,
            }
            if depth > DEEPEST {
                excess.push(start + at);
            }
        }
        start += line.len();
    }
    if excess.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for at in excess {
        bytes[at] = b' ';
    }
    // only signs of one byte were replaced
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether an image is a badge, of which the words in it are its description.
fn is_badge(url: &str) -> bool {
    ["/badge", "shields.io/"].iter().any(|part| url.contains(part))
}

#[derive(Default)]
struct Cutter<'a> {
    source: &'a str,
    document: Document,
    draft: Draft,
    /// shape of the draft, if not what the place implies
    shape: Option<Shape>,
    headings: Vec<(u8, usize)>,
    quotes: Vec<Quote>,
    lists: Vec<List>,
    table: Option<Grid>,
    html: Scanner,
    /// depth of links, images, struck-out text, code blocks
    links: usize,
    silent: usize,
    metadata: bool,
    heading: bool,
    generated: bool,
    /// what the badge that is read stands in
    around_badge: Option<(Draft, Option<Shape>)>,
    /// where the last generated block ends
    last_end: usize,
}

struct List {
    number: usize,
    lead: Option<usize>,
    group: usize,
    task: Option<bool>,
}

struct Grid {
    number: usize,
    row: usize,
    column: usize,
}

impl<'a> Cutter<'a> {
    fn event(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.metadata => self.front_matter(&text, range.start),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) if self.audible() => self.draft.push_code(&code, range.start),
            Event::SoftBreak | Event::HardBreak if self.audible() => self.draft.push_made(" ", range.start),
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html, range),
            Event::TaskListMarker(done) => {
                if let Some(list) = self.lists.last_mut() {
                    list.task = Some(done);
                }
            }
            Event::Rule => self.flush(),
            _ => {}
        }
    }

    fn audible(&self) -> bool {
        self.silent == 0 && !self.html.silent() && !self.metadata
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if !self.audible() {
            return;
        }
        match self.source.get(range.clone()) == Some(text) {
            true => self.draft.push_exact(text, range.start, self.links > 0 && self.around_badge.is_none()),
            false => self.draft.push_made(text, range.start),
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Paragraph
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => self.flush(),
            Tag::Heading { level, .. } => {
                self.flush();
                // an element that was never closed must not silence the rest of the document
                self.html = Scanner::default();
                self.shape = Some(Shape::Heading(level as u8));
                self.heading = true;
            }
            Tag::BlockQuote(kind) => {
                self.flush();
                let quote = self.quote(kind, range.start);
                self.quotes.push(quote);
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.silent += 1;
            }
            Tag::List(_) => {
                self.flush();
                let lead = self.lead();
                self.lists.push(List { number: self.document.passages.len(), lead, group: 0, task: None });
            }
            Tag::Item => {
                self.flush();
                let group = self.document.passages.len();
                if let Some(list) = self.lists.last_mut() {
                    list.group = group;
                    list.task = None;
                }
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Grid { number: self.document.tables.len(), row: 0, column: 0 });
                self.document.tables.push(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(grid) = &mut self.table {
                    grid.column = 0;
                    self.document.tables[grid.number].rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.draft = Draft::default(),
            Tag::Image { dest_url, .. } if self.audible() && is_badge(&dest_url) => {
                self.around_badge = Some((std::mem::take(&mut self.draft), self.shape.take()));
            }
            Tag::Strikethrough | Tag::Image { .. } => self.silent += 1,
            Tag::Link { dest_url, .. } => {
                self.links += 1;
                self.draft.link(&dest_url);
            }
            Tag::MetadataBlock(_) => self.metadata = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.heading = false;
            }
            TagEnd::Paragraph
            | TagEnd::HtmlBlock
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => self.flush(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes.pop();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Image if self.around_badge.is_some() => self.badge(),
            TagEnd::CodeBlock | TagEnd::Strikethrough | TagEnd::Image => self.silent = self.silent.saturating_sub(1),
            TagEnd::Link => self.links = self.links.saturating_sub(1),
            TagEnd::MetadataBlock(_) => self.metadata = false,
            TagEnd::TableCell => self.cell(),
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(grid) = &mut self.table {
                    grid.row += 1;
                }
            }
            TagEnd::Table => self.table = None,
            _ => {}
        }
    }

    /// Ends a badge: *delivery: at least once* is said of the project, a word or two are a keyword.
    fn badge(&mut self) {
        let label = self.draft.has(':');
        self.shape = Some(if label { Shape::Summary } else { Shape::Keyword });
        self.flush();
        (self.draft, self.shape) = self.around_badge.take().unwrap_or_default();
    }

    fn cell(&mut self) {
        let Some(grid) = &mut self.table else { return };
        let (table, row, column) = (grid.number, grid.row, grid.column);
        grid.column += 1;
        self.shape = Some(Shape::Cell { table, row, column });
        let number = self.flush_numbered();
        if let Some(row) = self.document.tables[table].rows.last_mut() {
            row.push(number);
        }
    }

    fn html(&mut self, html: &str, range: Range<usize>) {
        if self.silent > 0 || self.metadata {
            return;
        }
        // the parser may have left out indentation or quote marks: then the place is that of the whole piece
        let exact = self.source.get(range.clone()) == Some(html);
        let mut scanner = std::mem::take(&mut self.html);
        scanner.scan(html, |piece| match piece {
            Piece::Text(text, at) => {
                let decoded = text.replace("&nbsp;", " ").replace("&amp;", "&").replace("&quot;", "\"");
                let place = range.start + if exact { at } else { 0 };
                match decoded == text && exact {
                    true => self.draft.push_exact(text, place, self.links > 0),
                    false => self.draft.push_made(&decoded, place),
                }
            }
            // a cell and a heading are one passage whatever stands in them
            Piece::Block if self.table.is_some() || self.heading => self.draft.push_made(" ", range.start),
            Piece::Block => self.flush(),
            Piece::Heading(_) if self.table.is_some() || self.heading => {}
            Piece::Heading(level) => {
                self.flush();
                self.shape = Some(Shape::Heading(level));
            }
            Piece::Link(true) => self.links += 1,
            Piece::Link(false) => self.links = self.links.saturating_sub(1),
            Piece::Comment(comment) => match comment.trim() {
                // a mark that nothing closes must not silence the rest of the document
                GENERATED_START => {
                    self.flush();
                    self.generated = range.start < self.last_end;
                }
                GENERATED_END => {
                    self.flush();
                    self.generated = false;
                }
                _ => {}
            },
        });
        self.html = scanner;
    }

    /// The passage just before, if it introduces what comes.
    fn lead(&self) -> Option<usize> {
        let last = self.document.passages.len().checked_sub(1)?;
        let passage = &self.document.passages[last];
        (passage.text.trim_end().ends_with([':', '：']) || matches!(passage.shape, Shape::Item)).then_some(last)
    }

    fn quote(&self, kind: Option<BlockQuoteKind>, at: usize) -> Quote {
        if kind.is_some() {
            return Quote::Note;
        }
        let near_top = match self.document.passages.as_slice() {
            [] => true,
            [only] => matches!(only.shape, Shape::Heading(1)),
            _ => false,
        };
        let first = self.source[at..].trim_start_matches(['>', ' ', '*', '_', '#', '[', '!']);
        let lead: String = first.chars().take_while(|c| c.is_alphabetic()).collect();
        match (super::lexicon::is_note(&lead), near_top) {
            (true, _) => Quote::Note,
            (false, true) => Quote::Tagline,
            (false, false) => Quote::Plain,
        }
    }

    /// Ends the passage under construction.
    fn flush(&mut self) {
        self.flush_numbered();
    }

    /// Ends the passage under construction; its number, if there was one.
    fn flush_numbered(&mut self) -> Option<usize> {
        let draft = std::mem::take(&mut self.draft);
        let shape = self.shape.take();
        if draft.is_blank() || self.generated {
            return None;
        }
        let shape = shape.unwrap_or(match self.lists.is_empty() {
            true => Shape::Paragraph,
            false => Shape::Item,
        });
        Some(self.place(draft.finish(shape)))
    }

    fn place(&mut self, mut passage: Passage) -> usize {
        let number = self.document.passages.len();
        if let Shape::Heading(level) = passage.shape {
            while self.headings.last().is_some_and(|&(above, _)| above >= level) {
                self.headings.pop();
            }
        }
        passage.section = self.headings.iter().map(|&(_, number)| number).collect();
        if let Shape::Heading(level) = passage.shape {
            self.headings.push((level, number));
        }
        passage.group = number;
        passage.quote = self.quotes.iter().copied().find(|&quote| quote != Quote::None).unwrap_or_default();
        if let (Some(list), Shape::Item) = (self.lists.last(), passage.shape) {
            passage.group = list.group;
            passage.list = Some(list.number);
            passage.lead = list.lead;
            passage.task = (self.lists.iter().rev()).find_map(|list| list.task);
        }
        self.document.passages.push(passage);
        number
    }

    /// The descriptions in front matter: `key: value` lines, with values that go on over indented lines.
    fn front_matter(&mut self, text: &str, start: usize) {
        let exact = self.source.get(start..start + text.len()) == Some(text);
        let mut at = start;
        let mut open = false;
        let mut title = false;
        for line in text.split_inclusive('\n') {
            let body = line.trim_end();
            let indented = line.starts_with([' ', '\t']);
            let entry = body
                .split_once([':', '='])
                .filter(|(key, _)| key.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')));
            let value = match entry {
                Some((key, value)) if SUMMARY_KEYS.contains(&key.trim().to_ascii_lowercase().as_str()) => {
                    self.summary(title);
                    open = true;
                    title = key.trim().eq_ignore_ascii_case("title");
                    Some((value, body.len() - value.len()))
                }
                Some(_) => {
                    self.summary(title);
                    open = false;
                    None
                }
                None if open && indented => Some((body, 0)),
                None => None,
            };
            if let Some((value, offset)) = value {
                let text = value.trim_start_matches([' ', '\t', '"', '\'', '>', '|', '-']);
                let offset = offset + value.len() - text.len();
                match exact {
                    true => self.draft.push_exact(text.trim_end_matches(['"', '\'']), at + offset, false),
                    false => self.draft.push_made(text, start),
                }
                self.draft.push_made(" ", at);
            }
            at += line.len();
        }
        self.summary(title);
    }

    /// Ends a value of front matter: the title stands over all of the document, any other is a sentence of its own.
    fn summary(&mut self, title: bool) {
        self.shape = Some(if title { Shape::Heading(0) } else { Shape::Summary });
        self.flush();
        self.shape = None;
    }
}
