//! Other people's code, as much of it as there is here: nothing may panic, hang or exhaust the stack.
//!
//! Asked for by `EFFECTS_CORPUS`, folders as in `PATH`, such as `~/.cargo/registry/src`; without it this is no test. Run
//! it with `cargo test --test corpus -- --nocapture`, and with `--release` for the whole of a registry: the package that
//! is read is printed first, so that even an abort has a name.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]
#![allow(clippy::print_stderr, reason = "a long run says how far it is")]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use cargo_effects::config::Config;
use cargo_effects::index;
use cargo_effects::lower::{self, STACK};
use cargo_effects::pipeline::{self, Analysis};
use cargo_effects::propose;
use cargo_effects::render::{self, Format};
use cargo_effects::source::{Disk, FileId, Input, Options, Selection, locate};

/// How long a package may take: what a debug build takes on an idle machine, tenfold and more.
fn patience(bytes: u64) -> Duration {
    Duration::from_secs(120) + Duration::from_micros(bytes * 100)
}

/// The outermost folders with a manifest, and the Rust files in each with their length.
fn packages(folder: &Path, found: &mut Vec<(PathBuf, Vec<PathBuf>, u64)>) {
    if folder.join("Cargo.toml").is_file() {
        let (mut files, mut bytes) = (Vec::new(), 0);
        rust_files(folder, &mut files, &mut bytes);
        found.push((folder.to_owned(), files, bytes));
        return;
    }
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            packages(&path, found);
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>, bytes: &mut u64) {
    for path in entries(folder) {
        if path.is_symlink() || path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if path.is_dir() {
            rust_files(&path, found, bytes);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *bytes += fs::metadata(&path).map_or(0, |data| data.len());
            found.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Everything that the program can do with a package; how many files it read.
fn scan(folder: &Path, files: &[PathBuf]) -> Result<usize, String> {
    let location = locate(&Input::Path(folder.to_owned())).map_err(|error| error.to_string())?;
    let selection = Selection { workspace: true, ..Selection::default() };
    let options = Options { selection, ..Options::default() };
    let tree = Disk::new(location.repository.clone());
    let (mut workspace, indexes) = index::read_tree(&tree, &location, &options).map_err(|error| error.to_string())?;
    let config = Config::default();
    pipeline::add_texts(&tree, &location, &mut workspace, &config).map_err(|error| error.to_string())?;
    let read: BTreeSet<PathBuf> = workspace.files.iter().map(|file| workspace.root.join(&file.path)).collect();
    // what no target reaches is lowered all the same
    let mut alone = 0;
    for path in files.iter().filter(|path| !read.contains(path.as_path())) {
        if let Ok(text) = fs::read_to_string(path) {
            lower::file(FileId(0), &text, &index::index(&text), lower::Selection::All);
            alone += 1;
        }
    }
    let count = workspace.files.len() + alone;
    let threads = options.threads;
    let analysis = pipeline::analyse(workspace, &indexes, config, lower::Selection::All, threads);
    drop(indexes);
    print(&analysis);
    Ok(count)
}

fn print(analysis: &Analysis) {
    let report = analysis.check(&pipeline::policy(analysis, Vec::new(), Some("2026-01-01".to_owned())));
    let options = render::Options { color: true, notes: true, width: 100 };
    for format in Format::ALL.map(|(_, format)| format).into_iter().chain([Format::Rustc]) {
        assert!(!render::render(&report, format, options).is_empty() || report.findings.is_empty());
    }
    let _ = render::list(&analysis.program, &analysis.contracts, &analysis.guarantees, &analysis.flow);
    let _ = render::contracts(&analysis.snapshot(None));
    let proposals = propose::propose(propose::Known {
        workspace: &analysis.workspace,
        program: &analysis.program,
        catalog: &analysis.catalog,
        contracts: &analysis.contracts,
        flow: &analysis.flow,
        findings: &Default::default(),
    });
    let proposed = render::first_configuration(&proposals);
    Config::read("effects.toml", &proposed).expect("what is proposed is read");
    let _ = render::proposals(&proposals, true);
}

#[test]
fn nothing_in_the_corpus_panics_or_hangs() {
    let Some(folders) = std::env::var_os("EFFECTS_CORPUS") else {
        eprintln!("EFFECTS_CORPUS names no folders, so no foreign code was read");
        return;
    };
    let mut found = Vec::new();
    std::env::split_paths(&folders).for_each(|folder| packages(&folder, &mut found));
    assert!(!found.is_empty(), "no package lies in {}", folders.display());
    let (mut files, mut refused, mut failed, mut times) = (0, 0, Vec::new(), Vec::new());
    let all = found.len();
    for (number, (folder, sources, bytes)) in found.into_iter().enumerate() {
        eprintln!("{}/{all} {}", number + 1, folder.display());
        let start = Instant::now();
        let (answer, waiting) = mpsc::channel();
        let scanned = folder.clone();
        let work = move || {
            let result = catch_unwind(AssertUnwindSafe(|| scan(&scanned, &sources)));
            // nobody waits any more after the deadline
            let _ = answer.send(result);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
        match waiting.recv_timeout(patience(bytes)) {
            Ok(Ok(Ok(count))) => files += count,
            Ok(Ok(Err(why))) => {
                eprintln!("  refused: {why}");
                refused += 1;
            }
            Ok(Err(_)) => failed.push(format!("{} panicked", folder.display())),
            Err(_) => failed.push(format!("{} has no end after {:?}", folder.display(), start.elapsed())),
        }
        times.push((start.elapsed(), folder));
    }
    times.sort();
    times.iter().rev().take(5).for_each(|(time, folder)| eprintln!("{time:?} {}", folder.display()));
    eprintln!("{all} packages, {files} files read, {refused} packages refused");
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(refused * 20 <= all, "{refused} of {all} packages were refused");
}
