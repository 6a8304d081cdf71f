//! Doc comments of a Rust file, as Markdown documents.
//!
//! In: a Rust file. Out: one [`Document`] for each run of doc comments outside test code, with its passages mapped to
//! the file's bytes. It is a scanner that knows comments, literals and `#[doc = "…"]`, so that what
//! looks like a doc comment inside a string is not taken for one; half-written code is no obstacle.

use memchr::{memchr, memmem};

use super::markdown;
use super::passage::Document;
use crate::source::TextRange;

/// Reads the doc comments of a file, those runs of them that are `wanted`.
pub(super) fn read(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<Document> {
    // In most files the words that are looked for stand in code alone, and taking a file apart takes ten times as long.
    if !may_hold(text, &wanted) {
        return Vec::new();
    }
    let runs = runs(text, &test_items(text));
    runs.iter().filter(|run| wanted(&run.markdown)).map(Run::document).collect()
}

/// Whether some doc comment may be `wanted`, as far as that shows without knowing what is a literal or test code. No word
/// that is looked for reaches over the end of a line; blocks and attributes, which are rare, are not looked into.
fn may_hold(text: &str, wanted: impl Fn(&str) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut docs = memmem::find_iter(bytes, "doc").map(|at| text[at + 3..].trim_start());
    if memmem::find(bytes, b"/**").is_some()
        || memmem::find(bytes, b"/*!").is_some()
        || docs.any(|behind| behind.starts_with('='))
    {
        return true;
    }
    let mut at = 0;
    while let Some(found) = memmem::find(&bytes[at..], b"//") {
        let start = at + found;
        at = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        let comment = &text[start..at];
        // the first two slashes may stand in a literal
        if (comment.contains("///") || comment.contains("//!")) && wanted(comment) {
            return true;
        }
    }
    false
}

/// The runs of doc comments outside these items.
fn runs(text: &str, tests: &[TextRange]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut run = Run::default();
    let mut scan = Scan { text, at: 0 };
    while let Some(part) = scan.next() {
        let start = part.start() as u32;
        let before = tests.partition_point(|item| item.start <= start);
        let hidden = tests[..before].last().is_some_and(|item| start < item.end);
        match part {
            _ if hidden => {}
            Part::Line { from, to, inner } => {
                run.join(inner, &mut runs);
                run.line(text, from, to);
            }
            Part::Block { from, to, inner } => {
                run.join(inner, &mut runs);
                run.block(text, from, to);
            }
            Part::Doc { value, inner, .. } => {
                run.join(inner, &mut runs);
                run.literal(&value);
            }
            Part::Attribute { .. } => {}
            Part::Code { .. } => run.end(&mut runs),
        }
    }
    run.end(&mut runs);
    runs
}

/// The items of test code, sorted and disjoint: what `#[test]`, `#[tokio::test]` or `#[cfg(test)]` stands before.
fn test_items(text: &str) -> Vec<TextRange> {
    let mut items = Vec::new();
    let mut scan = Scan { text, at: 0 };
    // where the attributes and doc comments of the next item begin
    let mut start = None;
    let mut test = false;
    while let Some(part) = scan.next() {
        if let Part::Code { at } = part {
            if test {
                scan.skip_item(at);
                items.push(TextRange { start: start.unwrap_or(at) as u32, end: scan.at as u32 });
            }
            (start, test) = (None, false);
        } else {
            test |= matches!(part, Part::Attribute { at } if is_test(&text[at..scan.at]));
            start = start.or(Some(part.start()));
        }
    }
    items
}

/// Whether an attribute makes its item test code.
fn is_test(attribute: &str) -> bool {
    let body = attribute.trim_start_matches(['#', '!', '[']).trim_start();
    let words: Vec<&str> =
        body.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let path = body.split(['(', ']', '=']).next().unwrap_or_default();
    match words.first() {
        Some(&"cfg") => words.contains(&"test") && !words.contains(&"not"),
        _ => path
            .trim()
            .rsplit("::")
            .next()
            .is_some_and(|last| matches!(last.trim(), "test" | "rstest" | "test_case" | "proptest" | "bench")),
    }
}

/// One run of doc comments: the Markdown in them, and where each byte of it stands in the file.
#[derive(Debug, Default)]
struct Run {
    markdown: String,
    /// (offset in the Markdown, offset in the file), from there on byte by byte
    map: Vec<(u32, u32)>,
    inner: bool,
}

impl Run {
    fn join(&mut self, inner: bool, runs: &mut Vec<Run>) {
        if self.inner != inner {
            self.end(runs);
        }
        self.inner = inner;
    }

    fn end(&mut self, runs: &mut Vec<Run>) {
        let run = std::mem::take(self);
        if !run.markdown.is_empty() {
            runs.push(run);
        }
    }

    fn push(&mut self, text: &str, source: usize) {
        self.map.push((self.markdown.len() as u32, source as u32));
        self.markdown.push_str(text);
    }

    fn line(&mut self, text: &str, from: usize, to: usize) {
        let body = text[from..to].trim_end_matches('\r');
        let stripped = body.strip_prefix(' ').unwrap_or(body);
        self.push(stripped, from + body.len() - stripped.len());
        self.markdown.push('\n');
    }

    fn block(&mut self, text: &str, from: usize, to: usize) {
        let body = &text[from..to];
        // a column of stars is decoration if every further line has its star
        let starred = (body.lines().skip(1)).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
        let mut at = from;
        for line in body.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            let stripped = match at > from && starred {
                true => content.trim_start().strip_prefix('*').unwrap_or(""),
                false => content,
            };
            let stripped = stripped.strip_prefix(' ').unwrap_or(stripped);
            self.push(stripped, at + content.len() - stripped.len());
            self.markdown.push('\n');
            at += line.len();
        }
    }

    fn literal(&mut self, value: &[(char, usize)]) {
        for &(character, at) in value {
            self.map.push((self.markdown.len() as u32, at as u32));
            self.markdown.push(character);
        }
        self.markdown.push('\n');
    }

    fn document(&self) -> Document {
        let mut document = markdown::read(&self.markdown);
        for passage in &mut document.passages {
            passage.remap(|offset| {
                let after = self.map.partition_point(|&(from, _)| from <= offset);
                (self.map[..after].last()).map_or(0, |&(from, source)| source + (offset - from))
            });
        }
        document
    }
}

enum Part {
    Line {
        from: usize,
        to: usize,
        inner: bool,
    },
    Block {
        from: usize,
        to: usize,
        inner: bool,
    },
    /// `#[doc = "…"]`, with the place of each character of its value
    Doc {
        at: usize,
        value: Vec<(char, usize)>,
        inner: bool,
    },
    /// any other attribute: it may stand between two doc comments of one item
    Attribute {
        at: usize,
    },
    /// anything else that is not blank or a plain comment
    Code {
        at: usize,
    },
}

impl Part {
    fn start(&self) -> usize {
        match *self {
            Part::Line { from, .. } | Part::Block { from, .. } => from,
            Part::Doc { at, .. } | Part::Attribute { at } | Part::Code { at } => at,
        }
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<Part> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if rest.starts_with("//") {
                let end = self.at + rest.find('\n').unwrap_or(rest.len());
                let start = std::mem::replace(&mut self.at, end);
                let inner = rest.starts_with("//!");
                if inner || (rest.starts_with("///") && !rest.starts_with("////")) {
                    return Some(Part::Line { from: start + 3, to: end, inner });
                }
            } else if rest.starts_with("/*") {
                let start = self.at;
                let closed = self.skip_comment();
                let inner = rest.starts_with("/*!");
                let doc = inner || (rest.starts_with("/**") && !rest.starts_with("/***") && !rest.starts_with("/**/"));
                if doc && closed {
                    return Some(Part::Block { from: start + 3, to: self.at - 2, inner });
                }
            } else if rest.starts_with("#[") || rest.starts_with("#![") {
                return Some(self.attribute());
            } else {
                let at = self.at;
                self.skip_code();
                // What follows on code is code, up to what may be a comment or an attribute.
                while let Some(&byte) = self.text.as_bytes().get(self.at) {
                    match byte {
                        b'/' | b'#' => break,
                        byte if byte.is_ascii_whitespace() => self.at += 1,
                        _ => self.skip_code(),
                    }
                }
                return Some(Part::Code { at });
            }
        }
    }

    /// Skips a block comment, nested ones with it; whether it was closed.
    fn skip_comment(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut depth = 0u32;
        while self.at < bytes.len() {
            match &bytes[self.at..] {
                [b'/', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b'/', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return true;
                    }
                }
                _ => self.at += 1,
            }
        }
        false
    }

    /// Skips the rest of an item whose first word was at `at`: up to a semicolon or behind the first brace group.
    fn skip_item(&mut self, at: usize) {
        self.at = at;
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            match rest.as_bytes()[0] {
                b';' => {
                    self.at += 1;
                    return;
                }
                b'{' => {
                    self.at += 1;
                    return self.close(1);
                }
                // the end of what the item stands in
                b'}' => return,
                b'(' | b'[' => {
                    self.at += 1;
                    self.close(1);
                }
                _ if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => {
                    self.skip_comment();
                }
                _ => self.skip_code(),
            }
        }
    }

    /// Skips one literal, word or sign.
    fn skip_code(&mut self) {
        let rest = &self.text[self.at..];
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut word = rest.bytes().take_while(is_plain).count();
        if rest.as_bytes().get(word).is_some_and(|byte| !byte.is_ascii()) {
            word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        }
        if matches!(&rest[..word], "r" | "br" | "cr") && rest[word..].starts_with(['"', '#']) {
            let hashes = rest[word..].bytes().take_while(|&byte| byte == b'#').count();
            if rest[word + hashes..].starts_with('"') {
                self.at += word + hashes + 1;
                let end = format!("\"{}", "#".repeat(hashes));
                self.at += self.text[self.at..].find(&end).map_or(self.text.len() - self.at, |found| found + end.len());
                return;
            }
        }
        if word > 0 {
            self.at += word;
        } else if rest.starts_with('"') {
            self.string(|_, _| {});
        } else if rest.starts_with('\'') {
            self.at += character_or_lifetime(rest);
        } else {
            self.at += rest.chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Reads a string literal at its quote, character by character with places.
    fn string(&mut self, mut see: impl FnMut(char, usize)) {
        self.at += 1;
        let text = self.text;
        let mut characters = text[self.at..].char_indices();
        let base = self.at;
        while let Some((offset, character)) = characters.next() {
            self.at = base + offset + character.len_utf8();
            match character {
                '"' => return,
                '\\' => {
                    let Some((offset, escaped)) = characters.next() else {
                        break;
                    };
                    match escaped {
                        'n' => see('\n', base + offset),
                        't' | 'r' => see(' ', base + offset),
                        '\n' => see(' ', base + offset),
                        '"' | '\\' | '\'' => see(escaped, base + offset),
                        _ => {}
                    }
                }
                _ => see(character, base + offset),
            }
        }
        self.at = self.text.len();
    }

    fn attribute(&mut self) -> Part {
        let at = self.at;
        let inner = self.text[at..].starts_with("#![");
        self.at += if inner { 3 } else { 2 };
        let body = self.text[self.at..].trim_start();
        let value = body.strip_prefix("doc").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = value {
            let value = value.trim_start();
            self.at = self.text.len() - value.len();
            let characters = self.doc_value();
            self.close(1);
            if let Some(value) = characters {
                return Part::Doc { at, value, inner };
            }
            return Part::Attribute { at };
        }
        self.close(1);
        Part::Attribute { at }
    }

    fn doc_value(&mut self) -> Option<Vec<(char, usize)>> {
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            let mut value = Vec::new();
            self.string(|character, at| value.push((character, at)));
            return Some(value);
        }
        let raw = rest.strip_prefix('r')?;
        let hashes = raw.bytes().take_while(|&byte| byte == b'#').count();
        raw[hashes..].strip_prefix('"')?;
        let start = self.at + 1 + hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = self.text[start..].find(&end)?;
        self.at = start + length + end.len();
        Some(
            self.text[start..start + length]
                .char_indices()
                .map(|(offset, character)| (character, start + offset))
                .collect(),
        )
    }

    /// Skips to behind the bracket that closes `depth` open ones.
    fn close(&mut self, mut depth: u32) {
        while depth > 0 && self.at < self.text.len() {
            let rest = &self.text[self.at..];
            match rest.as_bytes()[0] {
                b'[' | b'(' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b')' | b'}' => {
                    depth -= 1;
                    self.at += 1;
                }
                _ if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => {
                    self.skip_comment();
                }
                _ => self.skip_code(),
            }
        }
    }
}

/// The length of a character literal, or of the quote of a lifetime.
fn character_or_lifetime(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            // `'\u{1F600}'` is the longest there is
            rest[from..].char_indices().take(12).find(|&(_, c)| c == '\'').map_or(1, |(end, _)| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
