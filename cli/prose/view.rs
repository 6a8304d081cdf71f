//! One phrase with everything that its reading may depend on.
//!
//! In: a document with its readings, and where the phrase stands. Out: the clause, the sentence, and the neighbourhood.
//! It knows where things are, not what they mean.

use std::ops::Range;

use super::TextKind;
use super::lexicon::Cue;
use super::passage::{Document, Passage, Shape};
use super::reading::{Kind, Reading};

/// A part of a passage: its number and a range of its tokens.
pub(super) type Place = (usize, Range<usize>);

/// Parts of passages.
pub(super) type Places = Vec<Place>;

/// A phrase in its place.
#[derive(Clone, Debug)]
pub(super) struct View<'a> {
    /// the document
    pub(super) document: &'a Document,
    /// one for each of its passages
    pub(super) readings: &'a [Reading],
    /// what kind of text it comes from
    pub(super) kind: TextKind,
    /// words of the project's own name
    pub(super) own: &'a [String],
    /// number of the passage
    pub(super) number: usize,
    /// number of the sentence in the passage
    pub(super) sentence: usize,
    /// which phrase
    pub(super) cue: Cue,
    /// its tokens
    pub(super) phrase: Range<usize>,
}

/// How many sentences on either side are asked for what bounds a claim. Hostile paragraphs stay linear.
const NEIGHBOURS: usize = 12;

impl<'a> View<'a> {
    /// The passage of the phrase.
    pub(super) fn passage(&self) -> &'a Passage {
        &self.document.passages[self.number]
    }

    /// Its words.
    pub(super) fn reading(&self) -> &'a Reading {
        &self.readings[self.number]
    }

    /// The tokens of its sentence.
    pub(super) fn sentence(&self) -> Range<usize> {
        self.reading().sentences[self.sentence].clone()
    }

    /// The tokens of the sentence in front of the phrase.
    pub(super) fn before(&self) -> Range<usize> {
        self.sentence().start..self.phrase.start
    }

    /// The tokens of the sentence behind the phrase.
    pub(super) fn after(&self) -> Range<usize> {
        self.phrase.end..self.sentence().end
    }

    /// The tokens of the innermost clause that can be told from the words alone.
    pub(super) fn clause(&self) -> Range<usize> {
        let reading = self.reading();
        let sentence = self.sentence();
        let start = (sentence.start..self.phrase.start)
            .rev()
            .find(|&at| self.clause_ends(at))
            .map_or(sentence.start, |at| at + 1);
        let end =
            (self.phrase.end..sentence.end).find(|&at| self.clause_ends(at) || reading.is_mark(at, &['.', '!', '?']));
        start..end.unwrap_or(sentence.end)
    }

    fn clause_ends(&self, at: usize) -> bool {
        let reading = self.reading();
        if reading.is_mark(at, &[';', ':', '—', '.', '!', '?']) || reading.has(Cue::ClauseCloser, at..at + 1) {
            return true;
        }
        let subject = |at: usize| reading.has(Cue::SubjectStart, at..at + 1);
        match reading.is_mark(at, &[',']) {
            true => subject(at + 1),
            false => reading.is_word(at, &["and"]) && subject(at + 1),
        }
    }

    /// The head of the noun that the phrase stands before (*exactly-once* **delivery**), empty if there is none.
    pub(super) fn head(&self) -> Range<usize> {
        let reading = self.reading();
        let stops = [
            Cue::OtherPreposition,
            Cue::Auxiliary,
            Cue::SubjectStart,
            Cue::ClauseCloser,
            Cue::Condition,
            Cue::Subordinator,
            Cue::Negator,
            Cue::Concession,
        ];
        let mut end = self.phrase.end;
        while end < self.sentence().end.min(self.phrase.end + 4) {
            let word = matches!(reading.tokens[end].kind, Kind::Word);
            // *exactly-once processing **requires***: the noun is over, its verb begins
            let verb = [Cue::Definition, Cue::Meaning, Cue::Requirement].iter().any(|&cue| reading.starts(cue, end));
            if !word
                || verb
                || reading.has_any(&stops, end..end + 1)
                || reading
                    .is_word(end, &["per", "which", "who", "when", "even", "only", "or", "also", "without", "within"])
            {
                break;
            }
            end += 1;
        }
        self.phrase.end..end
    }

    /// Whether the phrase is written with a hyphen, as adjectives are.
    pub(super) fn hyphenated(&self) -> bool {
        (self.reading().tokens[self.phrase.clone()].iter()).skip(1).any(|token| token.joined)
    }

    /// The sentences around that of the phrase in its paragraph or list item, as (passage, tokens): those before it in
    /// order, and those behind it.
    pub(super) fn neighbours(&self) -> (Places, Places) {
        let passages = &self.document.passages;
        let group = self.passage().group;
        let first =
            (0..self.number).rev().take_while(|&number| passages[number].group == group).last().unwrap_or(self.number);
        let last = (self.number + 1..passages.len())
            .take_while(|&number| passages[number].group == group)
            .last()
            .unwrap_or(self.number);
        let sentences =
            |number: usize| self.readings[number].sentences.iter().map(move |range| (number, range.clone()));
        let mut before: Vec<_> =
            (first.max(self.number.saturating_sub(NEIGHBOURS))..self.number).flat_map(sentences).collect();
        before.extend(sentences(self.number).take(self.sentence).skip(self.sentence.saturating_sub(NEIGHBOURS)));
        let after = sentences(self.number).skip(self.sentence + 1);
        let after = after.chain((self.number + 1..=last).flat_map(sentences)).take(NEIGHBOURS).collect();
        let excess = before.len().saturating_sub(NEIGHBOURS);
        before.drain(..excess);
        (before, after)
    }

    /// Everything in the paragraph or list item, the sentence of the phrase included.
    pub(super) fn surroundings(&self) -> Places {
        let (mut all, after) = self.neighbours();
        all.push((self.number, self.sentence()));
        all.extend(after);
        all
    }

    /// Passages above: headings and the introduction of the list, nearest first.
    pub(super) fn above(&self) -> impl Iterator<Item = usize> + 'a {
        let passage = self.passage();
        (passage.lead.into_iter()).chain(passage.section.iter().rev().copied())
    }

    /// The other cells of its row and the header of its column, if it is a cell.
    pub(super) fn row(&self) -> Vec<usize> {
        let Shape::Cell { table, row, column } = self.passage().shape else {
            return Vec::new();
        };
        let rows = &self.document.tables[table].rows;
        let header = rows.first().and_then(|header| header.get(column).copied().flatten());
        let cells = rows.get(row).into_iter().flatten().flatten().copied();
        let mut cells: Vec<usize> = cells.chain(header).filter(|&cell| cell != self.number).collect();
        cells.dedup();
        cells
    }

    /// What a heading stands over, up to the next heading, but not much of it.
    pub(super) fn below(&self) -> Vec<usize> {
        let level = match self.passage().shape {
            Shape::Heading(level) => level,
            // the first line of a doc comment is its title
            Shape::Paragraph if self.kind == TextKind::Rust && self.number == 0 => 0,
            _ => return Vec::new(),
        };
        let below = self.document.passages.iter().enumerate().skip(self.number + 1);
        // a title that another heading follows at once stands over what that one stands over
        let deeper = |passage: &Passage| matches!(passage.shape, Shape::Heading(other) if other > level);
        (below.skip_while(|(_, passage)| deeper(passage)))
            .take_while(|(_, passage)| !matches!(passage.shape, Shape::Heading(_)))
            .map(|(number, _)| number)
            .take(NEIGHBOURS)
            .collect()
    }

    /// Whether a cue stands in any of these sentences.
    pub(super) fn any(&self, cue: Cue, places: &[Place]) -> bool {
        places.iter().any(|(number, range)| self.readings[*number].has(cue, range.clone()))
    }
}
