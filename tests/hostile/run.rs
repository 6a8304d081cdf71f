//! Runs the program over a generated package and watches it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An idle machine takes a tenth of that for the worst case.
const DEADLINE: Duration = Duration::from_secs(60);

/// Most memory that a run may have in use, in KiB.
const MEMORY: u64 = 2 << 20;

const MANIFEST: &str = "\
[package]
name = \"hostile\"
version = \"0.1.0\"
edition = \"2021\"

[dependencies]
reqwest = \"0.12\"
sqlx = \"0.8\"
";

/// Checks a package with that text as its library.
pub(super) fn library(name: &str, text: &str) {
    package(name, &[("src/lib.rs", text)], &[0, 1]);
}

/// Checks a package of these files and returns what was printed. `exits` are the exit codes that count as an answer.
pub(super) fn package(name: &str, files: &[(&str, &str)], exits: &[i32]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("Cargo.toml", MANIFEST);
    write("src/lib.rs", "");
    for (path, text) in files {
        write(path, text);
    }
    let (stdout, stderr) = (folder.path().join("stdout"), folder.path().join("stderr"));
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(["check", "--format", "json"])
        .current_dir(folder.path())
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&stdout).expect("a file"))
        .stderr(fs::File::create(&stderr).expect("a file"))
        .spawn()
        .expect("the binary runs");
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child can be asked") {
            break status;
        }
        most = most.max(memory(child.id()));
        if start.elapsed() > DEADLINE || most > MEMORY {
            child.kill().expect("the child can be ended");
            child.wait().expect("it ends");
            panic!("{name}: after {:?} it has {most} KiB and no answer", start.elapsed());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let errors = read(&stderr);
    let known = status.code().is_some_and(|code| exits.contains(&code));
    assert!(known && !errors.contains("panicked"), "{name}: {status}\n{}", &errors[..errors.len().min(2_000)]);
    read(&stdout)
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("it was written")).into_owned()
}

/// The memory that a process has in use, in KiB, where the system tells.
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
