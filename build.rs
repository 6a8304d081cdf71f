//! Tells `--version` which commit the program was built from, and the cache which sources.

#![allow(clippy::disallowed_methods, reason = "this is no part of the program, which runs nothing")]
#![allow(clippy::print_stdout, reason = "so a build script answers")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(folder) = std::env::var_os("CARGO_MANIFEST_DIR") else { return };
    // a new commit would build the whole program anew, which nobody wants while working on it
    let release = std::env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    let commit = if release { commit(Path::new(&folder)) } else { None };
    println!("cargo::rustc-env=EFFECTS_BUILD={}", commit.unwrap_or_default());
    println!("cargo::rustc-env=EFFECTS_SOURCES={:016x}", sources(Path::new(&folder)));
}

/// A digest of all that the program is made from, as far as it lies in the package or beside it: two builds of one commit
/// differ while somebody works on it. A change of these files compiles the program anew in any case.
fn sources(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in ["Cargo.toml", "Cargo.lock", "cli", "contract/src", "templates"] {
        let path = folder.join(name);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
            add(&path, &mut hasher);
        }
    }
    hasher.finish()
}

/// Adds a file, or all files of a folder in the order of their names.
fn add(path: &Path, hasher: &mut DefaultHasher) {
    path.file_name().hash(hasher);
    match std::fs::read_dir(path) {
        Ok(entries) => {
            let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.sort();
            paths.iter().for_each(|path| add(path, hasher));
        }
        Err(_) => std::fs::read(path).unwrap_or_default().hash(hasher),
    }
}

/// The commit of a package's folder, shortened; none where nothing says it. The folder is a package from a registry,
/// where Cargo has written the commit down, or the root of a checkout. A repository around either is somebody else's.
pub(crate) fn commit(folder: &Path) -> Option<String> {
    let packaged = folder.join(".cargo_vcs_info.json");
    let full = if packaged.exists() {
        println!("cargo::rerun-if-changed={}", packaged.display());
        let text = std::fs::read_to_string(packaged).ok()?;
        text.split_once("\"sha1\"")?.1.split('"').nth(1)?.to_owned()
    } else if folder.join(".git").exists() {
        // HEAD changes with the branch, its log with each commit; a file that is not there would always count as changed
        for name in ["HEAD", "logs/HEAD"] {
            let path = folder.join(git(folder, &["rev-parse", "--git-path", name])?);
            if path.exists() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
        git(folder, &["rev-parse", "HEAD"])?
    } else {
        return None;
    };
    let hexadecimal = full.len() >= 40 && full.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| full[..10].to_owned())
}

/// What git answers, if it is there and does.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
