//! The texts that findings point into, with their line tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::report::below;
use super::{At, Place};
use crate::source::{Position, TextRange, Workspace};

/// Texts by path relative to the workspace root.
#[derive(Debug, Default)]
pub struct Sources(BTreeMap<String, SourceText>);

/// A text and the byte at which each of its lines starts.
#[derive(Debug)]
pub struct SourceText {
    /// the text
    pub text: Arc<str>,
    /// first entry 0
    pub line_starts: Vec<u32>,
}

impl Sources {
    /// The text at a path that some finding or step mentions.
    pub fn get(&self, path: &str) -> Option<&SourceText> {
        self.0.get(path)
    }

    /// Takes over texts, their paths put below `prefix`.
    pub(super) fn merge(&mut self, other: Self, prefix: &str) {
        let texts = other.0.into_iter();
        self.0.extend(texts.map(|(path, text)| (below(prefix, &path), text)));
    }

    /// Counts the positions of a place and keeps its text. A place in an unknown text is its first character.
    pub fn locate(&mut self, workspace: &Workspace, place: &Place) -> At {
        let (path, range) = match place {
            Place::Source(span) => (workspace.file(span.file).path.as_str(), span.range),
            Place::Text { path, range } => (path.as_str(), *range),
        };
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), read(workspace, place));
        }
        let text = &self.0[path];
        let end = range.end.max(range.start);
        At {
            file: path.to_owned(),
            start: text.position(range.start),
            end: text.position(end),
            range: text.clamp(TextRange { start: range.start, end }),
        }
    }
}

fn read(workspace: &Workspace, place: &Place) -> SourceText {
    match place {
        Place::Source(span) => {
            let file = workspace.file(span.file);
            SourceText { text: file.text.clone(), line_starts: file.line_starts.clone() }
        }
        Place::Text { path, .. } => {
            let text = workspace
                .files
                .iter()
                .find(|file| file.path == *path)
                .map(|file| file.text.clone())
                .or_else(|| {
                    let texts = &workspace.texts;
                    let found = texts.iter().find(|(name, _)| name == path)?;
                    Some(found.1.clone())
                })
                .unwrap_or_else(|| Arc::from(""));
            SourceText::new(text)
        }
    }
}

impl SourceText {
    /// Finds the lines of a text.
    pub fn new(text: Arc<str>) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(starts.map(|(at, _)| at as u32 + 1)).collect();
        Self { text, line_starts }
    }

    /// The line that holds a byte, from 0.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// A line without its end, from 0; empty past the last line.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = self.line_starts.get(line) else {
            return "";
        };
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        let text = self.text.get(start as usize..end).unwrap_or_default();
        text.trim_end_matches(['\n', '\r'])
    }

    fn position(&self, offset: u32) -> Position {
        let offset = self.floor(offset);
        let line = self.line_of(offset);
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let head = self.text.get(start as usize..offset as usize);
        // a BOM is no character that an editor counts
        let head = head.unwrap_or_default();
        let head = if line == 0 { head.trim_start_matches('\u{feff}') } else { head };
        Position { line: line as u32 + 1, column: head.chars().count() as u32 + 1 }
    }

    fn clamp(&self, range: TextRange) -> TextRange {
        TextRange { start: self.floor(range.start), end: self.floor(range.end) }
    }

    /// The nearest character boundary at or before an offset.
    fn floor(&self, offset: u32) -> u32 {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset as u32
    }
}
