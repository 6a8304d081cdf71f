//! The lexical index: what each file declares and mentions, found by one linear pass without recursion.
//!
//! In: a file's text. Out: a [`FileIndex`]. It decides what must be lowered, so that a syntax error or an unsupported
//! construct loses one item, and deep nesting is known before anything recurses.

mod attribute;
mod cut;
mod keyword;
mod lexer;
mod recognise;

use std::cell::RefCell;

use crate::ir::Name;
use crate::source::{Error, Input, Location, ModFile, Options, Scanned, TextRange, Tree, Workspace};

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
    /// its name without `r#`, where it has one (for an `impl` and a macro invocation: none)
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
}

/// Indexes one file.
pub fn index(text: &str) -> FileIndex {
    thread_local! {
        static SCRATCH: RefCell<cut::Scratch> = RefCell::new(cut::Scratch::new());
    }
    SCRATCH.with_borrow_mut(|scratch| cut::cut(text, scratch))
}

/// Reads a workspace from disk and indexes its files, each on the thread that read it. The indexes are in the order of
/// [`Workspace::files`].
pub fn read(location: &Location, options: &Options) -> Result<(Workspace, Vec<FileIndex>), Error> {
    crate::source::read(location, options, scan)
}

/// As [`read`], from any tree.
pub fn read_tree(
    tree: &dyn Tree,
    location: &Location,
    options: &Options,
) -> Result<(Workspace, Vec<FileIndex>), Error> {
    crate::source::read_tree(tree, location, options, scan)
}

/// As [`read`] for a named path, with nothing excluded.
pub fn read_path(path: impl Into<std::path::PathBuf>) -> Result<(Workspace, Vec<FileIndex>), Error> {
    let location = crate::source::locate(&Input::Path(path.into()))?;
    read(&location, &Options::default())
}

/// Indexes a file and lists the module declarations that lead to others.
fn scan(text: &str) -> Scanned<FileIndex> {
    let index = index(text);
    let mods = index
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::ModDecl)
        .filter_map(|item| mod_file(text, &index, item))
        .collect();
    Scanned { mods, result: index }
}

fn mod_file(text: &str, index: &FileIndex, item: &IndexItem) -> Option<ModFile> {
    let mut inside = Vec::new();
    let mut parent = item.parent;
    while let Some(number) = parent {
        let around = &index.items[number as usize];
        match around.kind {
            ItemKind::Mod => {
                let path = path_attributes(text, around).into_iter().next();
                inside.push((around.name?.as_str().to_owned(), path));
            }
            // which module a definition is called in is unknown here
            ItemKind::MacroRules => return None,
            _ => {}
        }
        parent = around.parent;
    }
    inside.reverse();
    let attributes = &text[item.attributes.start as usize..item.attributes.end as usize];
    Some(ModFile {
        name: item.name?.as_str().to_owned(),
        inside,
        paths: path_attributes(text, item),
        conditional: attributes.contains("cfg_attr"),
    })
}

/// The files that the `#[path = "…"]` attributes of an item name, those behind `cfg_attr` included.
pub fn path_attributes(text: &str, item: &IndexItem) -> Vec<String> {
    attribute::paths(text, item.attributes)
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

#[cfg(test)]
mod tests;
