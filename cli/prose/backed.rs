//! Guarantees that a text may speak of: those of declared handlers.
//!
//! In: a document and the handlers with their derived guarantees. Out: which of its words repeat a derived sentence, and
//! which handler a claim most likely speaks of. It compares letters and names; it knows nothing of contracts.

use std::ops::Range;

use super::passage::{CODE_END, CODE_START, Document, Passage, Shape};
use super::view::View;
use crate::source::TextRange;

/// A handler whose guarantee is derived.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Backed {
    /// its path
    pub handler: String,
    /// its title, if people gave it one
    pub name: Option<String>,
    /// the id of its effect
    pub effect: Option<String>,
    /// the anchor of its section in the guarantee document
    pub anchor: String,
    /// the derived sentence
    pub sentence: String,
    /// the words of its row in the table of claims
    pub claim: String,
    /// the item with its documentation, if it stands in the text that is read
    pub item: Option<TextRange>,
}

/// Nobody can say of whom a longer passage speaks, and hostile text stays linear.
const LONGEST_PASSAGE: usize = 4_000;

impl Backed {
    fn function(&self) -> &str {
        self.handler.rsplit("::").next().unwrap_or(&self.handler)
    }

    /// Whether a text names it: by its title, its path, its effect's id, or its function's name where that cannot be
    /// taken for a word.
    fn is_named_in(&self, text: &str) -> bool {
        if text.len() > LONGEST_PASSAGE {
            return false;
        }
        let code = |name: &str| text.contains(&format!("{CODE_START}{name}{CODE_END}"));
        let function = self.function();
        let called = code(function) || code(&format!("{function}()")) || code(&self.handler);
        let word = function.contains('_') && has_word(text, function);
        let title = self.name.as_deref().is_some_and(|name| name.contains(' ') && has_word(text, name));
        let effect = self.effect.as_deref().is_some_and(code);
        called || word || title || effect || has_word(text, &self.handler)
    }

    fn is_linked_in(&self, passage: &Passage) -> bool {
        passage.links.iter().any(|target| {
            let fragment = target.rsplit_once('#').map(|(_, fragment)| fragment);
            fragment == Some(self.anchor.as_str()) || *target == self.handler || target == self.function()
        })
    }
}

/// Whether a text has a name that no letter touches, in any case.
fn has_word(text: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.match_indices(&name).any(|(at, _)| {
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        let before = text[..at].chars().next_back().is_some_and(inside);
        let behind = text[at + name.len()..].chars().next().is_some_and(inside);
        !before && !behind
    })
}

/// The handler that a phrase speaks of: the one whose documentation it stands in, else the only one that its passage, its
/// row, or the nearest heading or introduction names or links.
pub(super) fn nearby<'a>(view: &View<'_>, at: TextRange, backed: &'a [Backed]) -> Option<&'a Backed> {
    let own = |it: &&Backed| it.item.is_some_and(|item| item.covers(at));
    if let Some(own) = backed.iter().find(own) {
        return Some(own);
    }
    let passages = &view.document.passages;
    let group: Vec<usize> = view.surroundings().into_iter().map(|(number, _)| number).chain(view.row()).collect();
    let above = view.above().map(|number| vec![number]);
    std::iter::once(group).chain(above).find_map(|numbers| {
        let named = |it: &&Backed| {
            numbers.iter().any(|&number| it.is_linked_in(&passages[number]) || it.is_named_in(&passages[number].text))
        };
        let mut found = backed.iter().filter(named);
        let first = found.next();
        // with two in sight nobody can say which one is meant
        if found.next().is_some() { None } else { first }
    })
}

/// The parts of a passage, in bytes of its text, that repeat a derived sentence or, in the row of its handler, the words of
/// a claim. Marks, blanks and the case of letters do not count.
pub(super) fn repeated(document: &Document, number: usize, backed: &[Backed]) -> Vec<Range<usize>> {
    let passage = &document.passages[number];
    let text = Bare::new(&passage.text);
    let mut found = Vec::new();
    for known in backed {
        found.extend(text.ranges(&known.sentence));
        if let Shape::Cell { table, row, .. } = passage.shape {
            let cells = document.tables[table].rows.get(row).into_iter().flatten().flatten();
            let mut others = cells.filter(|&&cell| cell != number).map(|&cell| &document.passages[cell]);
            if others
                .any(|cell| known.is_linked_in(cell) || known.is_named_in(&cell.text) || known.is_title(&cell.text))
            {
                found.extend(text.ranges(&known.claim));
            }
        }
    }
    found
}

impl Backed {
    fn is_title(&self, cell: &str) -> bool {
        let cell = cell.trim_matches([CODE_START, CODE_END, ' ']);
        self.name.as_deref() == Some(cell) || self.handler == cell || self.function() == cell
    }
}

/// The letters and digits of a text.
struct Bare {
    letters: String,
    /// for each byte of the letters, the byte of the text that it comes from
    from: Vec<u32>,
}

impl Bare {
    fn new(text: &str) -> Self {
        let mut bare = Self { letters: String::new(), from: Vec::new() };
        for (at, character) in text.char_indices().filter(|(_, c)| c.is_alphanumeric() && !is_mark(*c)) {
            bare.letters.extend(character.to_lowercase());
            bare.from.resize(bare.letters.len(), at as u32);
        }
        bare
    }

    /// Where another text stands in this one.
    fn ranges(&self, other: &str) -> Vec<Range<usize>> {
        let other = Self::new(other).letters;
        if other.is_empty() {
            return Vec::new();
        }
        let found = self.letters.match_indices(&other);
        found.map(|(at, _)| self.from[at] as usize..self.from[at + other.len() - 1] as usize + 1).collect()
    }
}

fn is_mark(character: char) -> bool {
    matches!(character, CODE_START | CODE_END)
}
