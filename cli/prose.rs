//! Claims of exactly once in the project's own prose.
//!
//! In: a text and what kind of text it is. Out: the [`Claim`]s in it, each with the bytes of its phrase. It knows how
//! English sentences about delivery are built; the words are data (`catalog/prose.toml`). It must not know files,
//! contracts, levels or suppressions, and it reads nothing but the text that it is given.
//!
//! The way of a text: [`markdown`] (with [`html`], [`rust_docs`] and [`manifest`] for what wraps Markdown) cuts it into
//! passages, [`reading`] finds words and cues in a passage, and [`judge`] asks of every phrase: is it about delivery
//! ([`sense`]), is it asserted ([`polarity`], [`voice`]), and is it bounded ([`qualifier`]).

mod backed;
mod cell;
mod explained;
mod grammar;
mod html;
mod judge;
mod lexicon;
mod manifest;
mod markdown;
mod passage;
mod place;
mod polarity;
mod qualifier;
mod reading;
mod rust_docs;
mod sense;
#[cfg(test)]
mod tests;
mod view;
mod voice;

pub use backed::Backed;

use crate::findings::Confidence;
use crate::source::TextRange;

/// What kind of text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextKind {
    /// a Markdown document, front matter and HTML included
    Markdown,
    /// a Rust file, of which the doc comments are read
    Rust,
    /// a `Cargo.toml`, of which the package's description and keywords are read
    Manifest,
}

/// A text to be read.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// all of it, as it is on disk
    pub text: &'a str,
    /// what it is
    pub kind: TextKind,
    /// whether it tells what was rather than what is, as a changelog does; such claims are never more than possible
    pub history: bool,
    /// words of the project's own name, in lower case: a product of that name is not another one
    pub own: &'a [String],
}

/// Which promise is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promise {
    /// exactly once, in these or other words
    ExactlyOnce,
    /// `effectively once`
    EffectivelyOnce,
}

/// A promise that nothing beside it bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// which promise
    pub promise: Promise,
    /// the bytes of the phrase, from its first word to its last
    pub range: TextRange,
    /// the phrase as it is written, on one line
    pub phrase: String,
    /// how sure it is that the project promises this
    pub confidence: Confidence,
    /// what is wrong, lower case, no full stop
    pub reason: &'static str,
    /// what to write instead
    pub suggestion: String,
}

/// The claims of a text, in the order in which they stand.
///
/// `backed` are the handlers with a derived guarantee: their own sentences are no claims of a text, and near the name of
/// one a claim is answered by its sentence.
pub fn claims(text: Text<'_>, backed: &[Backed]) -> Vec<Claim> {
    if !judge::mentions(text.text) {
        return Vec::new();
    }
    let documents = match text.kind {
        TextKind::Markdown => vec![markdown::read(text.text)],
        TextKind::Rust => rust_docs::read(text.text, judge::may_mention),
        TextKind::Manifest => vec![manifest::read(text.text)],
    };
    let mut claims: Vec<Claim> = documents
        .iter()
        .flat_map(|document| judge::claims(document, text, backed))
        .map(|claim| match text.history {
            true => Claim { confidence: Confidence::Possible, ..claim },
            false => claim,
        })
        .collect();
    claims.sort_by_key(|claim| (claim.range.start, claim.range.end));
    claims
}
