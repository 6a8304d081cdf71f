//! What a table says with a phrase.
//!
//! In: a phrase in a cell. Out: the [`Voice`] that label, answer and column give it, or nothing where the cell is read like
//! any sentence.

use super::lexicon::Cue;
use super::passage::Shape;
use super::polarity::{CROSSED, UNFINISHED};
use super::reading::{Kind, Token};
use super::view::View;
use super::voice::{Voice, option};

/// Tokens of a cell that only answers.
const LONGEST_ANSWER: usize = 6;

/// What a table says with the phrase: a cell next to a label, or a label next to its cells.
pub(super) fn cell(view: &View<'_>) -> Option<Voice> {
    let Shape::Cell { table, row, column } = view.passage().shape else {
        return None;
    };
    let rows = &view.document.tables[table].rows;
    let header = |column: usize| rows.first().and_then(|header| header.get(column).copied().flatten());
    let heads = |column: usize, cue: Cue| {
        header(column).is_some_and(|number| view.readings[number].has(cue, view.readings[number].all()))
    };
    let own = |column: usize| heads(column, Cue::OwnColumn);
    if row == 0 {
        // the name of a column: what holds is said row by row
        return Some(Voice::Option);
    }
    let cells = rows.get(row)?;
    let code_label = cells.first().copied().flatten().is_some_and(|number| {
        let tokens = &view.readings[number].tokens;
        !tokens.is_empty() && tokens.iter().all(|token| matches!(token.kind, Kind::Code | Kind::Mark(_)))
    });
    // a table of words, or of how often something may stand somewhere
    let explains = heads(0, Cue::HeadingDefines) || (1..cells.len()).any(|column| heads(column, Cue::MeaningColumn));
    if (explains && !code_label) || heads(column, Cue::CountColumn) || counted(view, rows, column) {
        return Some(Voice::Silent);
    }
    if column == 0 {
        let first = (1..cells.len()).find(|&column| own(column)).unwrap_or(1);
        let answer = cells.get(first).copied().flatten();
        return Some(match answer.map(|number| answer_of(view, number)) {
            Some(Answer::No) => {
                let others = (1..cells.len()).filter(|&column| column != first).filter_map(|column| cells[column]);
                match others.into_iter().any(|number| answer_of(view, number) == Answer::Yes) {
                    true => Voice::Other,
                    false => Voice::Silent,
                }
            }
            Some(Answer::Yes) => Voice::Own,
            // a longer cell explains the label
            Some(Answer::Text) => Voice::Topic,
            None => Voice::Silent,
        });
    }
    // a table of settings says what each of their values does
    if code_label && (option(view) || heads(0, Cue::OptionWord)) {
        return Some(Voice::Option);
    }
    if own(column) {
        return None;
    }
    let named = header(column).is_some_and(|number| is_name(&view.readings[number].tokens));
    let another = (1..cells.len()).any(|other| other != column && own(other));
    let compared =
        (view.above()).any(|number| view.readings[number].has(Cue::HeadingCompares, view.readings[number].all()));
    let product =
        header(column).is_some_and(|number| view.readings[number].has(Cue::OtherProduct, view.readings[number].all()));
    (another || product || (compared && named && column > 1)).then_some(Voice::Other)
}

/// Whether a column says how many of each there may be: *once or more*, *any number*, **exactly once**.
fn counted(view: &View<'_>, rows: &[Vec<Option<usize>>], column: usize) -> bool {
    let cells = rows.iter().skip(1).take(MAX_ROWS).filter_map(|row| row.get(column).copied().flatten());
    let count = |number: usize| {
        let reading = &view.readings[number];
        reading.hits(Cue::PlainCount, reading.all()).any(|hit| hit.start == 0)
    };
    column > 0 && cells.filter(|&number| number != view.number).any(count)
}

/// Rows of a table that are asked what its column is about.
const MAX_ROWS: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Text,
}

fn answer_of(view: &View<'_>, number: usize) -> Answer {
    let reading = &view.readings[number];
    let sign = |signs: &[char]| reading.all().any(|at| reading.is_mark(at, signs));
    if sign(&CROSSED) || sign(&UNFINISHED) || sign(&['⚠', '×']) {
        return Answer::No;
    }
    if sign(&['✅', '✓', '✔', '☑', '🟢', '👍', '●', '⭐']) {
        return Answer::Yes;
    }
    if reading.has(Cue::CellNo, 0..reading.tokens.len().min(3))
        || reading.tokens.iter().all(|token| matches!(token.kind, Kind::Mark(_)))
    {
        return Answer::No;
    }
    // *claimed, but not true*; what is longer explains
    let denies = || {
        reading.tokens.len() <= LONGEST_ANSWER
            && (reading.has(Cue::Criticism, reading.all()) || {
                let mut hits = reading.hits(Cue::Negator, reading.all());
                hits.any(|hit| !reading.overlaps(Cue::NotNegation, hit.start..hit.end))
            })
    };
    match reading.has(Cue::CellYes, 0..reading.tokens.len().min(2)) || reading.is_word(0, &["x"]) {
        true => Answer::Yes,
        false if denies() => Answer::No,
        false => Answer::Text,
    }
}

fn is_name(tokens: &[Token]) -> bool {
    (1..=3).contains(&tokens.len()) && tokens[0].capital
}
