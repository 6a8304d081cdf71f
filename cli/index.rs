//! The lexical index: what each file declares and mentions, found by one linear pass without recursion.
//!
//! In: a file's text. Out: a [`FileIndex`]. It decides what must be lowered, so that a syntax error or an unsupported
//! construct loses one item, and deep nesting is known before anything recurses.

use crate::ir::Name;
use crate::source::TextRange;

/// What one file declares, by text alone.
#[derive(Clone, Debug, Default)]
pub struct FileIndex {
    /// items in source order; an item's children follow it
    pub items: Vec<IndexItem>,
    /// unbalanced brackets, unterminated literals, NUL bytes and the like
    pub problems: Vec<crate::ir::Problem>,
}

/// An item cut out of the text.
#[derive(Clone, Debug)]
pub struct IndexItem {
    /// what it is
    pub kind: ItemKind,
    /// its name, where it has one (for an `impl` and a macro invocation: none)
    pub name: Option<Name>,
    /// the item around it: an inline module, an `impl`, a trait, a macro invocation, or a function
    pub parent: Option<u32>,
    /// attributes, visibility, signature and body
    pub range: TextRange,
    /// the outer attributes in front (doc comments included); empty range where there are none
    pub attributes: TextRange,
    /// between the outermost braces (brackets, parentheses for a macro invocation); `None` where there are none
    pub body: Option<TextRange>,
    /// under `#[cfg(test)]`, a test-like attribute, or below such an item
    pub test: bool,
    /// greatest nesting of brackets and angle-bracket generics in the item
    pub depth: u32,
    /// longest run of operators, prefix operators, method calls or `else if` on one nesting level: what recursive
    /// parsers and drops turn into stack
    pub run: u32,
    /// identifiers in the item, children left out, sorted and unique
    pub words: Vec<Name>,
}

/// What an index item is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the keywords")]
pub enum ItemKind {
    Fn,
    Mod,
    ModDecl,
    Impl,
    Trait,
    Struct,
    Enum,
    Union,
    Use,
    ExternCrate,
    ExternBlock,
    Const,
    Static,
    TypeAlias,
    MacroRules,
    MacroCall,
}
