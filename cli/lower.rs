//! From source text to the intermediate representation.
//!
//! In: texts and their indexes. Out: a [`FileIr`] for each file. The unit is the item: it is cut out by the index, parsed
//! alone and lowered, and its syntax tree is dropped at once, so that one construct that cannot be read costs one item.
//! Nothing here looks at the code of another file, or knows what an effect is.

mod asked_error;
mod attributes;
mod body;
mod constructor;
mod declarations;
mod expr;
mod function;
mod gate;
mod handler;
mod included;
mod items;
mod literal;
mod macro_items;
mod macro_rules;
mod macros;
mod parse;
mod pattern;
mod tables;
mod text;
mod types;
mod uses;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::index::{FileIndex, IndexItem};
use crate::ir::FileIr;
use crate::source::{FileId, Workspace};

/// Stack of a thread that lowers, or that walks lowered bodies by recursion. Reserved, not used: only what nests deeply
/// touches it.
pub const STACK: usize = 256 << 20;

/// Of which functions the bodies are lowered. Declarations always are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// of all
    All,
    /// of all but test code; tests that prove a failure case (`#[effect_case(…)]`) keep theirs
    WithoutTests,
}

impl Selection {
    fn body(self, item: &IndexItem, attributes: &str) -> bool {
        self == Self::All || !item.test || attributes.contains("effect_case")
    }
}

/// Lowers one file. The thread should have a stack of [`STACK`] bytes.
pub fn file(file: FileId, text: &str, index: &FileIndex, selection: Selection) -> FileIr {
    read(file, text::Source::new(text), index, selection)
}

fn read(file: FileId, source: text::Source<'_>, index: &FileIndex, selection: Selection) -> FileIr {
    let macros = macros::Definitions::of(&source, index);
    let ir = items::FileLowerer::new(&source, index, &macros, selection).lower(file);
    // the parser keeps each text it has seen for the places of its tokens
    proc_macro2::extra::invalidate_current_thread_spans();
    ir
}

/// Lowers all files on so many threads. `indexes` has one entry a file, in the same order; so has the result, whatever
/// the number of threads.
pub fn workspace(workspace: &Workspace, indexes: &[FileIndex], selection: Selection, threads: usize) -> Vec<FileIr> {
    let count = workspace.files.len().min(indexes.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut out = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return out;
            }
            let id = FileId(at as u32);
            let mut source = text::Source::new(&workspace.files[at].text);
            source.around = Some((workspace, id));
            out.push(read(id, source, &indexes[at], selection));
        }
    };
    let mut files: Vec<FileIr> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1).min(count))
            .filter_map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok())
            .collect();
        let finished = workers.into_iter().map(|worker| match worker.join() {
            Ok(files) => files,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        finished.flatten().collect()
    });
    files.sort_by_key(|file| file.file);
    files
}

#[cfg(test)]
mod tests;
