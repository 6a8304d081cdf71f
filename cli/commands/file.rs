//! Files that are written so that nobody ever sees half of one, not even after an interrupt: beside their place first,
//! then put into it in one step.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file, whatever is there. A link stays a link: what it leads to is replaced.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let file = beside(&path, text)?;
    if let Ok(present) = fs::metadata(&path) {
        fs::set_permissions(file.path(), present.permissions())?;
    }
    file.persist(&path).map(drop).map_err(|error| error.error)
}

/// Writes a file that is not there yet; whether it was written. One that is there is left alone, whatever it is.
pub(super) fn create(path: &Path, text: &str) -> io::Result<bool> {
    // most often it is there, and the folder need not be writable to say so
    if fs::symlink_metadata(path).is_ok() {
        return Ok(false);
    }
    match beside(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

fn beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        // as any file that is made, and not for the owner alone
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies in a folder, with its text.
    fn files(folder: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut files: Vec<_> = entries
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs::read_to_string(&path).expect("a text"))
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn writers_at_once_leave_one_whole_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let (created, replaced) = (folder.path().join("created"), folder.path().join("replaced"));
        let text = |number: usize| number.to_string().repeat(100_000);
        let first: usize = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8)
                .map(|number| {
                    let (created, replaced) = (&created, &replaced);
                    scope.spawn(move || {
                        replace(replaced, &text(number)).expect("it is written");
                        create(created, &text(number)).expect("it is written, or there")
                    })
                })
                .collect();
            writers.into_iter().map(|writer| usize::from(writer.join().expect("no panic"))).sum()
        });
        assert_eq!(first, 1, "one of them made it");
        let files = files(folder.path());
        assert_eq!(files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["created", "replaced"]);
        assert!(files.iter().all(|(_, written)| (0..8).any(|number| *written == text(number))));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        replace(&real, "old").expect("it is written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("they are set");
        symlink("real", &link).expect("a link");
        replace(&link, "new").expect("it is written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("a text"), "new");
        assert_eq!(fs::metadata(&real).expect("it is there").permissions().mode() & 0o777, 0o640);

        // a link that leads nowhere is there, too
        symlink("nowhere", folder.path().join("effects.toml")).expect("a link");
        assert!(!create(&folder.path().join("effects.toml"), "x").expect("it is there"));
        assert!(!folder.path().join("nowhere").exists());
    }
}
