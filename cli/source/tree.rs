//! Where files come from: the disk, or anything that can be read like one.
//!
//! In: a path inside the repository. Out: its bytes or its entries. Paths are relative to the repository root and
//! normalised, so that a path that leads out of it cannot be written; the disk also refuses links that lead out.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::{fmt, fs};

/// Largest file that is read. Places are 32-bit numbers, and nobody writes such a file by hand.
pub const MAX_FILE: u64 = 256 << 20;

/// A repository as seen by [`super::read`].
pub trait Tree: Sync {
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Content, Refusal>;

    /// The same for one who looks at many files and keeps none: the bytes go into a buffer, which grows to the largest.
    /// What is returned is [`Content::identity`].
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<PathBuf, Refusal> {
        let content = self.read(path)?;
        *bytes = content.bytes;
        Ok(content.identity)
    }

    /// The entries of a folder, sorted by name; empty for what is no folder.
    fn list(&self, folder: &str) -> Vec<Entry>;

    /// How long a file is; nothing if there is none.
    fn size(&self, path: &str) -> Option<u64>;

    /// Whether there is a file.
    fn is_file(&self, path: &str) -> bool {
        self.size(path).is_some()
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Content {
    /// equal for two paths that are one file
    pub identity: PathBuf,
    /// what it holds
    pub bytes: Vec<u8>,
}

/// Why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// there is none
    Missing,
    /// a link leads to it, and out of the repository
    Outside,
    /// it is a folder
    Folder,
    /// it is there, and cannot be used: a pipe, no permission
    Unusable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "there is no such file",
            Self::Outside => "the path leads out of the repository through a link, and nothing outside is read",
            Self::Folder => "a folder stands where a file is expected",
            Self::Unusable(reason) => reason,
        })
    }
}

/// An entry of a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// its name
    pub name: String,
    /// whether it is a folder, or a link to one inside the repository
    pub folder: bool,
    /// whether it is a symbolic link
    pub link: bool,
}

/// The files below a folder on disk, and no others.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    /// by folder: where it really is, or nothing if that is outside
    folders: RwLock<HashMap<PathBuf, Option<PathBuf>>>,
}

impl Disk {
    /// The repository at `root`, which must be canonical.
    pub fn new(root: PathBuf) -> Self {
        Self { root, folders: RwLock::default() }
    }

    /// The canonical place of a path, if that is inside.
    fn locate(&self, path: &str) -> Result<(PathBuf, fs::Metadata), Refusal> {
        let full = self.root.join(path);
        let (Some(parent), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(Refusal::Missing);
        };
        if path.is_empty() {
            let metadata = fs::symlink_metadata(&self.root).map_err(refusal)?;
            return Ok((self.root.clone(), metadata));
        }
        let parent = self.folder(parent)?;
        let place = parent.join(name);
        let metadata = fs::symlink_metadata(&place).map_err(refusal)?;
        if !metadata.is_symlink() {
            return Ok((place, metadata));
        }
        let place = fs::canonicalize(&place).map_err(refusal)?;
        if !place.starts_with(&self.root) {
            return Err(Refusal::Outside);
        }
        let metadata = fs::metadata(&place).map_err(refusal)?;
        Ok((place, metadata))
    }

    fn folder(&self, folder: &Path) -> Result<PathBuf, Refusal> {
        let unknown: Vec<&Path> = folder.ancestors().take_while(|around| self.known(around).is_none()).collect();
        for &at in unknown.iter().rev() {
            // below a folder whose place is known a single name is left, and most names are no links
            let around = at.parent().and_then(|parent| self.known(parent)?);
            let place = match around.zip(at.file_name()).map(|(parent, name)| parent.join(name)) {
                Some(place) if fs::symlink_metadata(&place).map_err(refusal)?.is_dir() => place,
                _ => fs::canonicalize(at).map_err(refusal)?,
            };
            self.keep(at, place);
        }
        self.known(folder).flatten().ok_or(Refusal::Outside)
    }

    /// Keeps where a folder is.
    fn keep(&self, folder: &Path, place: PathBuf) {
        let inside = place.starts_with(&self.root).then_some(place);
        self.folders.write().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), inside);
    }

    /// Where a folder is, or that this is outside, if that has been looked up.
    fn known(&self, folder: &Path) -> Option<Option<PathBuf>> {
        if folder == self.root {
            return Some(Some(self.root.clone()));
        }
        self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder).cloned()
    }
}

/// The bytes of a file whose length was asked for just now: that saves asking again, and reading on to see the end.
fn content(place: &Path, length: u64, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    let mut file = fs::File::open(place)?;
    bytes.resize(length as usize, 0);
    // some systems say of a file that it is empty and have something in it
    if length > 0 && file.read_exact(bytes).is_ok() {
        return Ok(());
    }
    *bytes = fs::read(place)?;
    Ok(())
}

fn refusal(error: std::io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Refusal::Missing,
        kind => Refusal::Unusable(format!("the file cannot be read: {kind}")),
    }
}

impl Tree for Disk {
    fn read(&self, path: &str) -> Result<Content, Refusal> {
        let mut bytes = Vec::new();
        Ok(Content { identity: self.read_into(path, &mut bytes)?, bytes })
    }

    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<PathBuf, Refusal> {
        let (place, metadata) = self.locate(path)?;
        if metadata.is_dir() {
            return Err(Refusal::Folder);
        }
        // a pipe or device would block or never end
        if !metadata.is_file() {
            return Err(Refusal::Unusable("this is no regular file".to_owned()));
        }
        if metadata.len() > MAX_FILE {
            return Err(Refusal::Unusable(format!("the file is larger than {} MiB and is not read", MAX_FILE >> 20)));
        }
        content(&place, metadata.len(), bytes).map_err(refusal)?;
        Ok(place)
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let Ok((place, metadata)) = self.locate(folder) else {
            return Vec::new();
        };
        // most of what is listed is read next
        if metadata.is_dir() {
            self.keep(&self.root.join(folder), place.clone());
        }
        let Ok(entries) = fs::read_dir(&place) else {
            return Vec::new();
        };
        let mut found: Vec<Entry> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let mut kind = entry.file_type().ok()?;
                let link = kind.is_symlink();
                if link {
                    let inner = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                    kind = self.locate(&inner).ok()?.1.file_type();
                }
                Some(Entry { name, folder: kind.is_dir(), link })
            })
            .collect();
        found.sort();
        found
    }

    fn size(&self, path: &str) -> Option<u64> {
        let (_, metadata) = self.locate(path).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

/// A repository in memory: paths and their texts.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub std::collections::BTreeMap<String, Vec<u8>>);

impl Tree for Memory {
    fn read(&self, path: &str) -> Result<Content, Refusal> {
        match self.0.get(path) {
            Some(bytes) => Ok(Content { identity: PathBuf::from(path), bytes: bytes.clone() }),
            None => Err(Refusal::Missing),
        }
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut found: Vec<Entry> = self
            .0
            .range(prefix.clone()..)
            .map_while(|(path, _)| path.strip_prefix(&prefix))
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Entry { name: name.to_owned(), folder: true, link: false },
                None => Entry { name: rest.to_owned(), folder: false, link: false },
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}
