//! What an earlier run found, for a later one over the same files.
//!
//! In: what a run asked a [`Tree`], what it was answered, and what the rules said. Out: the same
//! judgement, if every answer is still the same. A run is a function of its key and of these answers: contents, the names
//! in folders, and that something is not there. So nobody has to list what matters, and nothing is left out of the list.
//!
//! Only what comes before a policy is kept: levels, suppressions, the baseline, changed lines and formats may differ from
//! run to run. What is kept lies in the user's own folder, never in the repository, which could bring a forged one along.
//! Whatever is missing, unreadable or does not fit is as if it were not there: the worst that happens is a slower run.

mod answers;
mod folder;
mod stored;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use answers::Recorder;
pub use folder::folder;

use crate::pipeline::Judgement;
use crate::source::{Location, Selection, Tree, Workspace};

/// What a judgement depends on besides the answers of a tree.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Key<'a> {
    /// the places that were named, all in one workspace
    pub locations: &'a [Location],
    /// whose findings are reported
    pub selection: &'a Selection,
    /// path as it is shown and text of the configuration
    pub configuration: Option<(&'a str, &'a str)>,
}

/// A judgement with what it speaks of.
#[derive(Debug)]
pub struct Known {
    /// the workspace; of its texts only those that findings may point into
    pub workspace: Workspace,
    /// what the rules say
    pub judgement: Judgement,
    /// what the run said of itself
    pub warnings: Vec<String>,
}

/// The place of one workspace, read in one way.
#[derive(Debug)]
pub struct Slot<'a> {
    path: PathBuf,
    key: Key<'a>,
}

impl<'a> Slot<'a> {
    /// The place in a folder. What is found there later may have another key: a changed configuration takes the place of
    /// the earlier one.
    pub fn new(folder: &Path, key: Key<'a>) -> Self {
        let identity = (key.locations, key.selection, key.configuration.map(|(path, _)| path));
        Self { path: folder.join(folder::name(&identity)), key }
    }

    /// What is known, if a tree, read by this many threads, answers as it did.
    pub fn recall(&self, tree: &dyn Tree, threads: usize) -> Option<Known> {
        let bytes = folder::read(&self.path)?;
        stored::recall(&bytes, self.key, tree, threads)
    }

    /// Keeps what came of the answers that were recorded. It is no failure if that cannot be done.
    pub fn keep(&self, recorder: &Recorder<'_>, workspace: &Workspace, judgement: &Judgement, warnings: &[String]) {
        if let Some(bytes) = stored::bytes(self.key, recorder, workspace, judgement, warnings) {
            folder::write(&self.path, &bytes);
        }
    }
}

/// Which program it is. What one build found says nothing about what another would: a version is not enough while the
/// program is worked on, and the sources are not while its dependencies may differ, which the length of the file shows.
fn build() -> (&'static str, &'static str, &'static str, Option<u64>) {
    (env!("CARGO_PKG_VERSION"), env!("EFFECTS_BUILD"), env!("EFFECTS_SOURCES"), folder::own_length())
}
