//! Which files a run writes, and what each should hold.
//!
//! In: the document, the settings, a way to ask for the present text of a file. Out: [`Planned`] files. Writing them, or
//! saying that they are stale, is up to the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Document, Filled, Templates, fill, is_generated};
use crate::config::Docs;

/// The guarantee document, where nothing else is configured.
pub const USUAL_OUT: &str = "docs/guarantees.md";

/// A file with the text it should hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// path relative to the workspace root, with `/`
    pub path: String,
    /// its text now; `None` where it does not exist
    pub present: Option<String>,
    /// the text it should hold
    pub wanted: String,
    /// all of it is generated, not only its marked blocks
    pub whole: bool,
}

/// The generated texts that a run has read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Generated {
    /// what they hold and should hold, sorted by path
    pub files: Vec<Planned>,
    /// why nobody can say what they should hold
    pub fault: Option<String>,
}

impl Planned {
    /// Whether the file has to be written. Line ends do not count: a checkout may have changed them.
    pub fn is_stale(&self) -> bool {
        let Some(present) = &self.present else {
            return true;
        };
        present.replace("\r\n", "\n") != self.wanted.replace("\r\n", "\n")
    }

    /// The bytes of the first line that differs in a stale file: of the line in front of it, where something is missing at
    /// the end.
    pub fn first_difference(&self) -> Range<usize> {
        let present = self.present.as_deref().unwrap_or_default();
        let mut wanted = self.wanted.lines();
        let mut line = 0..0;
        for text in present.split_inclusive('\n') {
            let shown = text.trim_end_matches(['\n', '\r']);
            line = line.end..line.end + text.len();
            if wanted.next() != Some(shown) {
                return line.start..line.start + shown.len();
            }
        }
        line
    }

    /// What is different, as a unified diff; empty where the file is up to date.
    pub fn difference(&self) -> String {
        let present = self.present.as_deref().unwrap_or_default();
        super::difference(&self.path, present, &self.wanted)
    }
}

/// All files of a run, sorted by path.
///
/// `folders` gives the folder of each package, for one document a package. `read` gives the present text of a file.
pub fn plan(
    document: &Document,
    templates: &Templates,
    settings: &Docs,
    folders: &BTreeMap<String, String>,
    read: &dyn Fn(&str) -> Result<Option<String>, String>,
) -> Result<Vec<Planned>, String> {
    let out = settings.out.as_deref().unwrap_or(USUAL_OUT);
    let mut planned = Vec::new();
    for (path, part) in parts(document, settings.per_package, out, folders) {
        let present = read(&path)?;
        // a package whose last effect is gone keeps no document that says otherwise, but gets none either
        let left_over = present.as_deref().is_some_and(is_generated);
        if settings.per_package && part.handlers.is_empty() && part.unread.is_empty() && !left_over {
            continue;
        }
        planned.push(Planned { present, wanted: templates.document(&part)?, path, whole: true });
    }
    let table = templates.table(document)?;
    for path in settings.tables.iter().collect::<BTreeSet<_>>() {
        let Some(present) = read(path)? else {
            return Err(format!("`{path}` is listed in `[docs] tables` but does not exist"));
        };
        let wanted = match fill(&present, &table) {
            Filled::Text(text) => text,
            Filled::NoBlock => {
                return Err(format!(
                    "`{path}` is listed in `[docs] tables` but has no block to fill; write `<!-- effects:table -->` and \
                     `<!-- effects:end -->` on lines of their own"
                ));
            }
            Filled::Unbalanced(at) => {
                let line = present[..at].matches('\n').count() + 1;
                return Err(format!(
                    "`{path}`, line {line}: a mark of the table has no partner; a block begins with \
                     `<!-- effects:table -->` and ends with `<!-- effects:end -->`"
                ));
            }
        };
        if let Some(double) = planned.iter().find(|file| file.path == *path) {
            return Err(format!(
                "`{}` is both the guarantee document and a file with a table; give one of them another name",
                double.path
            ));
        }
        planned.push(Planned { path: path.clone(), present: Some(present), wanted, whole: false });
    }
    planned.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(planned)
}

/// The documents with their paths: one, or one for each package.
fn parts(
    document: &Document,
    per_package: bool,
    out: &str,
    folders: &BTreeMap<String, String>,
) -> Vec<(String, Document)> {
    if !per_package {
        return vec![(out.to_owned(), document.clone())];
    }
    let mut packages: BTreeMap<&str, Document> =
        folders.keys().map(|package| (package.as_str(), Document::default())).collect();
    for handler in &document.handlers {
        packages.entry(&handler.package).or_default().handlers.push(handler.clone());
    }
    for unread in &document.unread {
        packages.entry(&unread.package).or_default().unread.push(unread.clone());
    }
    packages
        .into_iter()
        .map(|(package, part)| {
            let folder = folders.get(package).map_or("", String::as_str);
            (below(folder, out), part)
        })
        .collect()
}

/// A path in a folder, which is empty for the root.
pub fn below(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}
