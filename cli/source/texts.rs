//! Texts beside the source: SQL and migrations, documents.
//!
//! In: globs. Out: [`Workspace::texts`]. Generated and foreign folders are not entered, links to folders are not
//! followed, and size is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::Error;
use super::locate::Location;
use super::read::globs;
use super::tree::{Refusal, Tree};
use super::{FileId, Workspace, path};

/// Largest text that is read; what is larger is a dump, not a statement or a page.
const MAX_TEXT: u64 = 1 << 20;

/// All texts together.
const MAX_TOTAL: usize = 64 << 20;

/// Folders that are looked into.
const MAX_FOLDERS: usize = 100_000;

/// Folders whose content nobody here wrote.
const FOREIGN: &[&str] = &["target", "node_modules", "vendor"];

impl Workspace {
    /// The text that a path means which starts from the folder of a file.
    pub fn text_beside(&self, file: FileId, at: &str) -> Option<&str> {
        self.text_at(path::folder(&self.file(file).path), at)
    }

    /// The text that a path means which starts from the folder of a file's package.
    pub fn text_in_package(&self, file: FileId, at: &str) -> Option<&str> {
        self.text_at(&self.package(self.file(file).package).folder, at)
    }

    fn text_at(&self, folder: &str, at: &str) -> Option<&str> {
        let wanted = path::join(folder, at)?;
        let found = self.texts.binary_search_by(|(path, _)| path.as_str().cmp(&wanted)).ok()?;
        self.texts.get(found).map(|(_, text)| &**text)
    }
}

/// Adds every text among the listed paths that a pattern of `include` matches and none of `exclude`. Patterns are over
/// paths relative to the workspace root. May be called several times.
pub fn add_texts(
    tree: &dyn Tree,
    location: &Location,
    workspace: &mut Workspace,
    listed: &[String],
    include: &[String],
    exclude: &[String],
) -> Result<(), Error> {
    let include = globs(include)?;
    let exclude = globs(exclude)?;
    let mut texts: BTreeMap<String, Arc<str>> = std::mem::take(&mut workspace.texts).into_iter().collect();
    let mut total: usize = texts.values().map(|text| text.len()).sum();
    for found in listed {
        let shown = path::relative(found, &location.workspace);
        if !include.is_match(&shown) || exclude.is_match(&shown) || texts.contains_key(&shown) {
            continue;
        }
        let left_out = match tree.size(found) {
            Some(size) if size <= MAX_TEXT && total + size as usize <= MAX_TOTAL => match tree.read(found) {
                Ok(content) => match String::from_utf8(content.bytes) {
                    Ok(text) => {
                        total += text.len();
                        texts.insert(shown, Arc::from(text));
                        continue;
                    }
                    Err(_) => "is not UTF-8".to_owned(),
                },
                Err(Refusal::Missing) => continue,
                Err(refusal) => format!("cannot be read ({refusal})"),
            },
            Some(size) if size > MAX_TEXT => format!("is larger than {} KiB", MAX_TEXT >> 10),
            Some(_) => format!("would make more than {} MiB of texts", MAX_TOTAL >> 20),
            None => continue,
        };
        workspace.warnings.push(format!("`{shown}` {left_out} and is not read"));
    }
    workspace.texts = texts.into_iter().collect();
    Ok(())
}

/// The files of the workspace's folder and of those of its packages, by their paths from the repository root, sorted. A lone
/// file has none beside it.
pub fn listed(tree: &dyn Tree, location: &Location, workspace: &mut Workspace) -> Vec<String> {
    if location.file.is_some() {
        return Vec::new();
    }
    let root = &location.workspace;
    let mut queue = vec![root.clone()];
    for package in &workspace.packages {
        // packages elsewhere in the repository; the others are below the root
        if package.folder.starts_with("..") {
            queue.extend(path::join(root, &package.folder));
        }
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(folder) = queue.pop() {
        if !seen.insert(folder.clone()) {
            continue;
        }
        if seen.len() > MAX_FOLDERS {
            workspace.warnings.push(format!(
                "there are more than {MAX_FOLDERS} folders, so not all documents and SQL files are read"
            ));
            break;
        }
        for entry in tree.list(&folder) {
            let path = if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            if !entry.folder {
                found.push(path);
                continue;
            }
            let foreign = entry.link || entry.name.starts_with('.') || FOREIGN.contains(&entry.name.as_str());
            if !foreign {
                queue.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}
