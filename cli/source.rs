//! What is read: packages, files, positions.
//!
//! In: a manifest, a folder or a file. Out: a [`Workspace`] whose texts are in memory. Only this module,
//! `cache` and `commands` touch the disk; nothing here knows what Rust source means.

mod error;
mod files;
mod locate;
mod manifest;
mod members;
mod modules;
mod path;
mod read;
mod revision;
mod targets;
mod texts;
mod tree;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use error::Error;
pub use locate::{Input, Location, locate};
pub use modules::{Candidate, ModuleFolder};
pub use read::globs;
pub use revision::Revision;
pub use texts::{add_texts, listed};
pub use tree::{Content, Disk, Entry, MAX_FILE, Memory, Refusal, Tree};

/// How to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// whose findings are reported; all members are read whatever is selected, since callers decide what a key is
    pub selection: Selection,
    /// globs over paths relative to the workspace root: files that are not read
    pub exclude: Vec<String>,
    /// threads that read
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            exclude: Vec::new(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The packages that are reported; if nothing is said the named package, else the default members.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// `-p`, globs allowed
    pub packages: Vec<String>,
    /// `--workspace`
    pub workspace: bool,
    /// `--exclude`
    pub exclude: Vec<String>,
}

/// A `mod name;` as far as its file depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModFile {
    /// its name, without `r#`
    pub name: String,
    /// the inline modules around it in its file, outermost first, each with its `#[path]`
    pub inside: Vec<(String, Option<String>)>,
    /// what `#[path]` says; several behind `cfg_attr`
    pub paths: Vec<String>,
    /// the paths stand behind `cfg_attr`, so that the default file may be meant, too
    pub conditional: bool,
}

/// What a scan finds in a file: the declarations that lead to other files, and whatever the caller wants to keep.
#[derive(Clone, Debug)]
pub struct Scanned<S> {
    /// module declarations
    pub mods: Vec<ModFile>,
    /// kept beside the file
    pub result: S,
}

/// Reads the workspace at a location from disk. `scan` sees each file once, on the thread that read it; its results
/// are in the order of [`Workspace::files`].
pub fn read<S: Send>(
    location: &Location,
    options: &Options,
    scan: impl Fn(&str) -> Scanned<S> + Sync,
) -> Result<(Workspace, Vec<S>), Error> {
    read_tree(&Disk::new(location.repository.clone()), location, options, scan)
}

/// As [`read`], from any tree: an earlier revision, or texts in memory.
pub fn read_tree<S: Send>(
    tree: &dyn Tree,
    location: &Location,
    options: &Options,
    scan: impl Fn(&str) -> Scanned<S> + Sync,
) -> Result<(Workspace, Vec<S>), Error> {
    read::read(tree, location, options, &scan)
}

/// A file of a [`Workspace`]: an index into [`Workspace::files`], which is sorted by path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A package of a [`Workspace`]: an index into [`Workspace::packages`], which is sorted by manifest path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PackageId(pub u32);

/// Half-open byte range in one file whose name the owner knows. Offsets count from the file's first byte on disk
/// (a BOM or shebang included).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct TextRange {
    /// first byte
    pub start: u32,
    /// one past the last byte
    pub end: u32,
}

/// A place: a [`TextRange`] together with its file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    /// where
    pub file: FileId,
    /// which bytes
    pub range: TextRange,
}

/// A position for people: both numbers start at 1, columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// line, from 1
    pub line: u32,
    /// column in characters, from 1
    pub column: u32,
}

/// One file of the workspace, text in memory.
#[derive(Debug)]
pub struct SourceFile {
    /// path relative to [`Workspace::root`], with `/`; may start with `../` for a path dependency inside the repository
    pub path: String,
    /// the text; empty if the file could not be read or is not UTF-8 (then [`SourceFile::problem`] says so)
    pub text: Arc<str>,
    /// the byte at which each line starts; the first entry is 0
    pub line_starts: Vec<u32>,
    /// the package whose target reaches this file
    pub package: PackageId,
    /// whether findings may be reported here: a file of a member, not of a followed path dependency
    pub reported: bool,
    /// why the text is missing
    pub problem: Option<String>,
}

/// What a package's root file is built as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TargetKind {
    /// `[lib]`
    Lib,
    /// `[[bin]]`
    Bin,
    /// `[[example]]`
    Example,
    /// `[[test]]`
    Test,
    /// `[[bench]]`
    Bench,
    /// `build.rs`
    BuildScript,
}

/// One target of a package: a crate for the module tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Target {
    /// what it is
    pub kind: TargetKind,
    /// crate name as in paths (`-` became `_`)
    pub crate_name: String,
    /// its root file
    pub root: FileId,
}

/// One dependency as the source may name it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dependency {
    /// name in paths (`-` became `_`; renamed by `package = …` where the manifest does)
    pub extern_name: String,
    /// package name at the registry
    pub package_name: String,
    /// the package in this workspace, for a path dependency that was found
    pub local: Option<PackageId>,
    /// only for tests and benches
    pub dev: bool,
}

/// One package that was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Package {
    /// `package.name`
    pub name: String,
    /// folder of the manifest, relative to the workspace root, with `/`; empty for the root itself
    pub folder: String,
    /// manifest path relative to the workspace root
    pub manifest: String,
    /// `package.edition`, 2015 where absent
    pub edition: u16,
    /// `package.description`
    pub description: Option<String>,
    /// `package.keywords`
    pub keywords: Vec<String>,
    /// lib first, then bins, examples, tests, benches, build script, by name
    pub targets: Vec<Target>,
    /// all dependencies, sorted by [`Dependency::extern_name`]
    pub dependencies: Vec<Dependency>,
    /// whether the package is a member of the workspace, not only a path dependency that is followed
    pub member: bool,
    /// whether the package is selected for reporting (a member, selected by `-p`, `--workspace` or default members)
    pub reported: bool,
    /// whether only tests of the workspace use it: it is not published, runs nothing and is a dependency for tests alone
    pub test_support: bool,
}

/// Everything that was read, before anyone asks what it means.
#[derive(Debug)]
pub struct Workspace {
    /// absolute folder of the workspace manifest (or of the lone file); never printed
    pub root: PathBuf,
    /// sorted by manifest path
    pub packages: Vec<Package>,
    /// sorted by path
    pub files: Vec<SourceFile>,
    /// other texts that rules read, such as `.sql` files: (path relative to root, text), sorted
    pub texts: Vec<(String, Arc<str>)>,
    /// further paths of files that are reached through symbolic links, sorted
    pub links: Vec<(String, FileId)>,
    /// what was left out although the manifests name it, for standard error
    pub warnings: Vec<String>,
}

impl Workspace {
    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The package behind an id.
    pub fn package(&self, id: PackageId) -> &Package {
        &self.packages[id.0 as usize]
    }
}

impl Workspace {
    /// Adds texts that were read besides, such as the configuration. A path that is there keeps its text.
    pub fn add_texts(&mut self, texts: impl IntoIterator<Item = (String, Arc<str>)>) {
        self.texts.extend(texts);
        self.texts.sort_by(|left, right| left.0.cmp(&right.0));
        self.texts.dedup_by(|right, left| left.0 == right.0);
    }
}

impl SourceFile {
    /// The position of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        position_in(&self.text, &self.line_starts, offset)
    }
}

/// The byte at which each line of a text starts; the first entry is 0.
pub fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
    starts.shrink_to_fit();
    starts
}

/// The position of a byte offset in a text with these line starts; an offset past the end is the end.
pub fn position_in(text: &str, line_starts: &[u32], offset: u32) -> Position {
    let offset = offset.min(text.len() as u32);
    let line = line_starts.partition_point(|&start| start <= offset).max(1);
    let start = line_starts.get(line - 1).copied().unwrap_or(0);
    let head = text.as_bytes().get(start as usize..offset as usize).unwrap_or_default();
    // continuation bytes start with 0b10: what is left are characters
    let characters = head.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    Position { line: line as u32, column: characters as u32 + 1 }
}

impl TextRange {
    /// Whether another range lies inside this one, or is the same.
    pub fn covers(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }
}

impl Span {
    /// A span from its parts.
    pub fn new(file: FileId, range: TextRange) -> Self {
        Self { file, range }
    }

    /// Whether another place lies inside this one, or is the same.
    pub fn covers(self, inner: Self) -> bool {
        self.file == inner.file && self.range.covers(inner.range)
    }
}

#[cfg(test)]
mod tests;
