//! Where results are kept: one file each, whole or not at all, and not too many of them.

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use siphasher::sip128::{Hasher128, SipHasher13};

/// Names the folder instead of the user's own, as a job in CI that keeps one between runs needs it.
const VARIABLE: &str = "CARGO_EFFECTS_CACHE_DIR";

/// First bytes of a file, with the version of what follows.
const MAGIC: &[u8] = b"cargo-effects\x001\n";

/// Largest file that is kept or read.
const MAX_FILE: usize = 64 << 20;

/// Most files in the folder, and most bytes of all together: the oldest go.
const MAX_FILES: usize = 64;
const MAX_TOTAL: u64 = 256 << 20;

const EXTENSION: &str = "judgement";

/// The folder for results: the named one, else a folder of ours among the user's caches; none where nothing says where
/// these are.
pub fn folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = variable(VARIABLE) {
        return Some(named);
    }
    // a relative one would lie in whatever is checked
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        let usual = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(usual)))
    };
    Some(caches?.join("cargo-effects"))
}

/// How long the file of this program is.
pub(super) fn own_length() -> Option<u64> {
    let path = std::env::current_exe().ok()?;
    Some(fs::metadata(path).ok()?.len())
}

/// The name of the file for an identity.
pub(super) fn name(identity: &impl Serialize) -> String {
    // of a path that is no text nothing is kept, since it has no key either
    let text = serde_json::to_vec(identity).unwrap_or_default();
    format!("{:032x}.{EXTENSION}", digest(&text))
}

fn digest(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish128().as_u128()
}

/// What a file holds, if it is one of ours and whole.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    // to open a pipe would wait for somebody who writes
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    let mut head = [0; MAGIC.len() + size_of::<u128>()];
    file.read_exact(&mut head).ok()?;
    let sum = head.strip_prefix(MAGIC)?.first_chunk()?;
    // at once, since to let it grow costs more than to read it
    let length = usize::try_from(length).ok()?.checked_sub(head.len()).filter(|length| *length <= MAX_FILE)?;
    let mut content = vec![0; length];
    file.read_exact(&mut content).ok()?;
    (u128::from_le_bytes(*sum) == digest(&content)).then_some(content)
}

/// Writes a file beside its place and puts it there in one step: of two runs at once one is last, and a reader sees the
/// file of either. What cannot be written is not kept.
pub(super) fn write(path: &Path, content: &[u8]) {
    let Some(folder) = path.parent().filter(|_| content.len() <= MAX_FILE) else { return };
    let write = || {
        fs::create_dir_all(folder)?;
        let suffix = format!(".{EXTENSION}");
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).suffix(&suffix).tempfile_in(folder)?;
        for part in [MAGIC, &digest(content).to_le_bytes(), content] {
            file.write_all(part)?;
        }
        // not synchronised: the sum tells what a crash left of it
        file.persist(path).map_err(|error| error.error)
    };
    if write().is_ok() {
        prune(folder);
    }
}

/// Start of the name of a file that is being written; an interrupted run may leave one.
const TEMPORARY: &str = "new-";

/// Removes the oldest files beyond what is kept.
fn prune(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            // the named folder may hold what others keep there
            let metadata = ours(&path).then(|| fs::symlink_metadata(&path).ok())??;
            metadata.is_file().then_some((metadata.modified().ok()?, metadata.len(), path))
        })
        .collect();
    files.sort_by(|left, right| right.cmp(left));
    let mut total = 0;
    for (at, (_, length, path)) in files.iter().enumerate() {
        total += length;
        if at >= MAX_FILES || total > MAX_TOTAL {
            // another run may have removed it
            let _ = fs::remove_file(path);
        }
    }
}

/// Whether a file's name is one that this module gives.
fn ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(EXTENSION)?.strip_suffix('.'));
    stem.is_some_and(|stem| {
        stem.starts_with(TEMPORARY) || (stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("below").join(name(&"x"));
        assert_eq!(read(&path), None);
        write(&path, b"content");
        assert_eq!(read(&path).as_deref(), Some(&b"content"[..]));
        let whole = fs::read(&path).expect("a file");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("a file");
            assert_eq!(read(&path), None, "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            fs::write(&path, &broken).expect("a file");
            assert_eq!(read(&path), None, "byte {at}");
        }
    }

    #[test]
    fn old_files_go_and_those_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("notes.judgement"), "mine").expect("a file");
        fs::write(folder.path().join("0123456789abcdef0123456789abcdef.txt"), "mine").expect("a file");
        for number in 0..MAX_FILES + 5 {
            let path = folder.path().join(name(&number));
            write(&path, b"content");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 + number as u64);
            File::options().append(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
        }
        write(&folder.path().join(name(&"last")), b"content");
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, MAX_FILES + 2);
        assert_eq!(read(&folder.path().join(name(&0))), None);
        assert!(read(&folder.path().join(name(&"last"))).is_some());
    }
}
