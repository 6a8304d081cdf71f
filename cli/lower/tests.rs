//! Tests of the lowering: what is written, and what it becomes.

mod bodies;
mod corpus;
mod depth;
mod items;
mod macros;
mod positions;

use super::{STACK, Selection};
use crate::index::{FileIndex, IndexItem, ItemKind};
use crate::ir::{FileIr, Function};
use crate::source::{FileId, TextRange};

/// Runs on a stack as large as that of a worker.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// An index for a text that is one function, from its `fn` (or what stands before) to its last brace.
fn index_of_one_function(text: &str) -> FileIndex {
    let end = text.rfind('}').unwrap() + 1;
    let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\n', '\r']).len();
    let body = text[start..].find('{').unwrap() + start + 1;
    FileIndex {
        items: vec![IndexItem {
            kind: ItemKind::Fn,
            name: None,
            parent: None,
            range: range(start, end),
            attributes: range(start, start),
            body: Some(range(body, end - 1)),
            test: false,
            depth: 0,
            run: 0,
        }],
        problems: Vec::new(),
    }
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange { start: start as u32, end: end as u32 }
}

/// A file as the index has it.
fn file(text: &str) -> FileIr {
    let index = crate::index::index(text);
    on_large_stack(|| super::file(FileId(0), text, &index, Selection::All))
}

fn lower_one(text: &str) -> FileIr {
    let index = index_of_one_function(text);
    on_large_stack(|| super::file(FileId(0), text, &index, Selection::All))
}

fn function(text: &str) -> Function {
    let mut ir = lower_one(text);
    assert!(ir.problems.is_empty(), "{:?}", ir.problems);
    ir.modules[0].items.functions.remove(0)
}

/// The body of a function as text.
fn body(text: &str) -> String {
    let body = function(text).body.unwrap();
    on_large_stack(|| body.dump())
}

/// The dump of `fn f() { … }` with this in the braces.
fn inside(text: &str) -> String {
    body(&format!("fn f() {{ {text} }}"))
}
