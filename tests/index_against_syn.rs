//! The lexical index against a real parser: every function that syn sees is found, with the same range.
//!
//! By default over this repository's own sources and a generated file; `EFFECTS_CORPUS=FOLDER` names a bigger corpus.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_effects::index::{FileIndex, ItemKind, index};
use cargo_effects::source::{TextRange, line_starts};
use proc_macro2::{LineColumn, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// What both sides say of an item.
type Seen = BTreeSet<(u32, u32, String)>;

/// Functions, and items whose range is easily had wrong.
#[derive(Default)]
struct Collected {
    functions: Seen,
    others: Seen,
}

struct Collector<'a> {
    text: &'a str,
    line_starts: &'a [u32],
    /// bytes in front of what syn counts from
    offset: u32,
    found: Collected,
}

impl Collector<'_> {
    fn byte(&self, at: LineColumn) -> u32 {
        let start = self.line_starts[at.line - 1] + if at.line == 1 { self.offset } else { 0 };
        let rest = &self.text[start as usize..];
        let length: usize = rest.chars().take(at.column).map(char::len_utf8).sum();
        start + length as u32
    }

    fn range(&self, node: &impl Spanned) -> TextRange {
        let span: Span = node.span();
        TextRange { start: self.byte(span.start()), end: self.byte(span.end()) }
    }

    fn function(&mut self, node: &impl Spanned, name: &syn::Ident) {
        let range = self.range(node);
        let name = name.to_string();
        self.found.functions.insert((range.start, range.end, unraw(&name)));
    }

    fn other(&mut self, node: &impl Spanned, kind: ItemKind) {
        let range = self.range(node);
        self.found.others.insert((range.start, range.end, format!("{kind:?}")));
    }
}

fn unraw(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(node, &node.sig.ident);
        visit::visit_item_fn(self, node);
    }
    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(node, &node.sig.ident);
        visit::visit_impl_item_fn(self, node);
    }
    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        self.function(node, &node.sig.ident);
        visit::visit_trait_item_fn(self, node);
    }
    fn visit_foreign_item_fn(&mut self, node: &'ast syn::ForeignItemFn) {
        self.function(node, &node.sig.ident);
        visit::visit_foreign_item_fn(self, node);
    }
    fn visit_item(&mut self, node: &'ast syn::Item) {
        let kind = match node {
            syn::Item::Const(_) => Some(ItemKind::Const),
            syn::Item::Enum(_) => Some(ItemKind::Enum),
            syn::Item::ExternCrate(_) => Some(ItemKind::ExternCrate),
            syn::Item::ForeignMod(_) => Some(ItemKind::ExternBlock),
            syn::Item::Impl(_) => Some(ItemKind::Impl),
            syn::Item::Macro(item) if item.ident.is_some() => Some(ItemKind::MacroRules),
            syn::Item::Mod(item) if item.content.is_some() => Some(ItemKind::Mod),
            syn::Item::Mod(_) => Some(ItemKind::ModDecl),
            syn::Item::Static(_) => Some(ItemKind::Static),
            syn::Item::Struct(_) => Some(ItemKind::Struct),
            syn::Item::Trait(_) | syn::Item::TraitAlias(_) => Some(ItemKind::Trait),
            syn::Item::Type(_) => Some(ItemKind::TypeAlias),
            syn::Item::Union(_) => Some(ItemKind::Union),
            syn::Item::Use(_) => Some(ItemKind::Use),
            _ => None,
        };
        if let Some(kind) = kind {
            self.other(node, kind);
        }
        visit::visit_item(self, node);
    }
    fn visit_file(&mut self, node: &'ast syn::File) {
        for item in &node.items {
            if let syn::Item::Macro(item) = item
                && item.ident.is_none()
            {
                self.other(item, ItemKind::MacroCall);
            }
        }
        visit::visit_file(self, node);
    }
}

/// What syn sees, or nothing if it does not parse the file.
fn by_syn(text: &str) -> Option<Collected> {
    // syn strips a BOM and a shebang, and counts from there
    let plain = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let file = syn::parse_file(plain).ok()?;
    let line_starts = line_starts(text);
    let shebang = file.shebang.as_ref().map_or(0, String::len);
    let mut collector = Collector {
        text,
        line_starts: &line_starts,
        offset: (text.len() - plain.len() + shebang) as u32,
        found: Collected::default(),
    };
    collector.visit_file(&file);
    proc_macro2::extra::invalidate_current_thread_spans();
    Some(collector.found)
}

fn by_index(index: &FileIndex) -> Collected {
    let mut found = Collected::default();
    for item in &index.items {
        let TextRange { start, end } = item.range;
        match (item.kind, item.name) {
            (ItemKind::Fn, Some(name)) => found.functions.insert((start, end, name.to_string())),
            (kind, _) => found.others.insert((start, end, format!("{kind:?}"))),
        };
    }
    found
}

#[derive(Default)]
struct Tally {
    files: usize,
    unparsed: usize,
    functions: usize,
    others: usize,
    more: usize,
    problems: usize,
    missed: Vec<String>,
}

fn compare(name: &str, text: &str, tally: &mut Tally) {
    tally.files += 1;
    let index = index(text);
    check_shape(name, text, &index);
    let Some(expected) = by_syn(text) else {
        tally.unparsed += 1;
        return;
    };
    let found = by_index(&index);
    tally.functions += expected.functions.len();
    tally.others += expected.others.len();
    tally.more += found.functions.difference(&expected.functions).count();
    for problem in &index.problems {
        tally.problems += 1;
        tally.missed.push(format!("{name}:{:?}: {}", problem.range, problem.message));
    }
    let missed = expected.functions.difference(&found.functions).chain(expected.others.difference(&found.others));
    for (start, end, what) in missed {
        let line = text[..*start as usize].matches('\n').count() + 1;
        tally.missed.push(format!("{name}:{line}: {what} at {start}..{end}"));
    }
}

/// What holds for every text, valid or not: ranges nest, lie in the text and on character boundaries.
fn check_shape(name: &str, text: &str, index: &FileIndex) {
    let mut last = 0;
    for item in &index.items {
        let TextRange { start, end } = item.range;
        assert!(start <= end, "{name}: {item:?}");
        assert!(text.get(start as usize..end as usize).is_some(), "{name}: {item:?}");
        assert!(text.get(item.attributes.start as usize..item.attributes.end as usize).is_some(), "{name}: {item:?}");
        assert!(item.attributes.start >= start && item.attributes.end <= end);
        if let Some(body) = item.body {
            assert!(start <= body.start && body.start <= body.end && body.end <= end, "{name}: {item:?}");
        }
        if let Some(parent) = item.parent {
            let outer = &index.items[parent as usize];
            assert!(outer.range.start <= start && end <= outer.range.end, "{name}: {item:?} is not inside {outer:?}");
            assert!(outer.depth >= item.depth, "{name}: {item:?}");
            assert!(outer.test <= item.test, "{name}: {item:?}");
        }
        assert!(start >= last || item.parent.is_some(), "{name}: {item:?}");
        last = start;
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn compare_folder(folder: &Path) -> Tally {
    let mut files = Vec::new();
    rust_files(folder, &mut files);
    let mut tally = Tally::default();
    for path in files {
        if let Ok(text) = fs::read_to_string(&path) {
            compare(&path.display().to_string(), &text, &mut tally);
        }
    }
    tally
}

#[test]
fn own_sources() {
    let tally = compare_folder(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(tally.missed.is_empty(), "{:#?}", tally.missed);
    assert!(tally.functions > 500 && tally.others > 500);
}

/// Every construct that has misled a lexer or item finder, thirty times over, with what stands between.
#[test]
fn generated_file() {
    let mut text = String::from("\u{FEFF}#!/usr/bin/env run-cargo-script\r\n#![allow(dead_code)]\n");
    for number in 0..30 {
        text.push_str(&include_str!("index/constructs.rs.txt").replace("NUMBER", &number.to_string()));
    }
    let mut tally = Tally::default();
    compare("generated", &text, &mut tally);
    assert!(tally.missed.is_empty(), "{:#?}", tally.missed);
    assert_eq!(tally.unparsed, 0, "{:?}", syn::parse_file(&text[3..]).err());
    assert!(tally.functions >= 30 * 20);
    let crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
    let mut tally = Tally::default();
    compare("generated with CRLF", &crlf, &mut tally);
    assert!(tally.missed.is_empty(), "{:#?}", tally.missed);
    assert_eq!(tally.unparsed, 0);
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the point of the run")]
fn corpus() {
    let Some(folder) = std::env::var_os("EFFECTS_CORPUS") else {
        return;
    };
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(move || compare_folder(Path::new(&folder)));
    let tally = worker.unwrap().join().unwrap();
    println!(
        "{} files ({} that syn does not parse), {} functions, {} other items, {} more functions, {} problems",
        tally.files, tally.unparsed, tally.functions, tally.others, tally.more, tally.problems
    );
    assert!(
        tally.missed.is_empty(),
        "{} missed, first ones: {:#?}",
        tally.missed.len(),
        &tally.missed[..tally.missed.len().min(40)]
    );
}
